"""Catalogs have sentences of charts and reports with the same values, and every sentence when a version is released."""

import ast
import re
import string
from importlib.machinery import SourceFileLoader
from importlib.resources import files
from pathlib import Path
from types import CodeType
from typing import get_args

import pytest
from babel import Locale

from qrkit import widgets
from qrkit.charts.axes import NOTHING
from qrkit.charts.first_scans import BINS
from qrkit.charts.labels import length
from qrkit.charts.periods import SPOKEN
from qrkit.contents.app_codes import APP_CODES
from qrkit.contents.cards import TITLES
from qrkit.contents.payments.payment_summaries import PAYMENTS
from qrkit.design.presets import PALETTES, PRESETS
from qrkit.languages import LANGUAGES, in_language, say
from qrkit.languages.sentences import catalog
from qrkit.notebook.console.gate import ELSEWHERE, NO_TOKEN, NOT_NOW, NOTHING_HERE, PROBLEMS, TOO_MANY_PAGES
from qrkit.notebook.console.pages import PAGES
from qrkit.notebook.widgets.browser.rule_form import rule_form
from qrkit.notebook.widgets.controls import GROUPS
from qrkit.notebook.widgets.dashboard.dashboard_answers import ATTRIBUTES, COMPARED
from qrkit.notebook.widgets.experiment_list.experiment_list import NONE
from qrkit.notebook.widgets.field_words import SAID
from qrkit.notebook.widgets.studio.badge import WORDS
from qrkit.notebook.widgets.studio.designer import PURPOSES
from qrkit.notebook.widgets.studio.swatches import GRADIENTS
from qrkit.report.sentences import sentences_of
from qrkit.scanning.part_names import eyes_name
from qrkit.store.recording.user_agents import Device
from qrkit.tracking.redirect_rules import TYPES

TRANSLATED = LANGUAGES[1:]
ROOT = Path(str(files("qrkit")))


def sentences_in(node, module):
    """The strings and pairs that an expression may be."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Tuple(elts=[ast.Constant(value=str(one)), ast.Constant(value=str(several))]):
            yield one, several
        case ast.IfExp():
            yield from sentences_in(node.body, module)
            yield from sentences_in(node.orelse, module)
        case ast.Dict():
            for value in node.values:
                yield from sentences_in(value, module)
        case ast.Subscript():
            yield from sentences_in(node.value, module)
        case ast.Name():
            for one in ast.walk(module):
                names = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
                if isinstance(one, ast.Assign | ast.AnnAssign) and node.id in [getattr(it, "id", "") for it in names]:
                    yield from sentences_in(one.value, module)


def said_by(path):
    """The sentences that a module says."""
    text = path.read_text(encoding="utf-8")
    if "say(" not in text:
        return
    module = ast.parse(text)
    imports = [one for one in ast.walk(module) if isinstance(one, ast.ImportFrom) and one.module]
    ours = [one for one in imports if one.module.startswith("qrkit.languages")]
    here = any(name.name == "say" for one in ours for name in one.names)
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and call.args:
            is_ours = here and getattr(call.func, "id", "") == "say"
            if is_ours or ast.unparse(call.func) == "languages.say":
                yield from sentences_in(call.args[0], module)


def said_by_templates():
    for path in (ROOT / "report" / "page.html.jinja", ROOT / "notebook" / "console" / "template" / "sign_in.html"):
        for pair, one in re.findall(r'say\((?:(\("[^"]+", "[^"]+"\))|"([^"]+)")', path.read_text(encoding="utf-8")):
            yield ast.literal_eval(pair) if pair else one


def said_by_scripts():
    for path in sorted(ROOT.rglob("*.js")):
        for pair, one in re.findall(r'\bsay\((?:\[("[^"]+", "[^"]+")\]|"([^"]+)")', path.read_text(encoding="utf-8")):
            yield ast.literal_eval(f"({pair})") if pair else one


def said_by_forms(form, part=""):
    """The words and help texts of a widget's form, but for names that are the same in all languages."""
    if isinstance(form, str):
        is_name = re.search(r"^[a-z0-9_-]+$|\d|[a-z][A-Z]|App|Google", form) and part != "help"
        if part and re.search("[a-z]{3}", form) and not is_name:
            yield form
    elif isinstance(form, dict):
        for name, value in form.items():
            yield from said_by_forms(value, name if name in SAID else part)
    elif isinstance(form, list | tuple):
        for value in form:
            yield from said_by_forms(value, part)


@pytest.fixture(scope="module")
def english_forms():
    """The English forms of each sentence, by its key."""
    found = [sentence for path in sorted(ROOT.rglob("*.py")) for sentence in said_by(path)]
    found += [
        *said_by_templates(),
        *said_by_scripts(),
        *COMPARED.values(),
        *ATTRIBUTES.values(),
        *GROUPS,
        *PURPOSES,
        *PAGES,
        NONE,
        *(text for refusal in (NO_TOKEN, ELSEWHERE, TOO_MANY_PAGES, NOT_NOW, NOTHING_HERE) for text in refusal),
        *(text for _, text in PROBLEMS.values()),
        *(kind.label for kind in TYPES.values()),
        *(kind.values for kind in TYPES.values() if kind.values and not kind.choices),
    ]
    found += [words for by_verdict in WORDS.values() for words in by_verdict.values()]
    found += [word for part in widgets.Designer(name="catalogs").form.values() for word in said_by_forms(part)]
    found += [*(said for part in ("sentences", "glossary", "script") for said in sentences_of(part).values())]
    found += [*sentences_of("glossary"), *NOTHING, *SPOKEN.values()]
    found += [name for names in sentences_of("attributes").values() for name in names]
    found += [device.capitalize() for device in get_args(Device) if device != "unknown"]
    found += ["Wi-Fi", TITLES["contact"], TITLES["event"], TITLES["otp"], "Chart of {title}: {words}"]
    found += [text for _, title, detail, _ in PAYMENTS.values() for text in (title, detail)]
    found += [title[:1].upper() + title[1:] for title in APP_CODES]
    found += [name for name, _ in BINS]
    found += [*PALETTES, *(name for ramps in GRADIENTS.values() for name in ramps), *map(eyes_name, EYES)]
    found += [name.capitalize() for name in PRESETS]
    found += [text for look in PRESETS.values() for text in (look.title, look.caption, look.subtitle) if text]
    sentences = {}
    for sentence in found:
        forms = (sentence,) if isinstance(sentence, str) else sentence
        sentences.setdefault(forms[-1], set()).update(forms)
    return sentences


EYES = [["top_left"], ["top_right"], ["bottom_left"]]
EYES += [[*EYES[0], *EYES[1]], [*EYES[0], *EYES[2]], [*EYES[1], *EYES[2]]]

SAME = {
    "de": {"{look} in {color}"},
    "fr": {"Table {n}", "{count} codes", "{count} minutes", "{count} scans", "{count} scans."},
    "es": set(),
    "nl": {
        "1\N{EN DASH}4 wk", "Focus X", "Focus Y", "in {month}", "pixels per module",
        "scans per week", "Variant {number}", "{count} codes", "{count} scans", "{count} scans.",
        "{day}: {scans} scans", "{look} in {color}", "{weekday}, {hour}:00: {scans} scans",
    },
}  # fmt: skip
"""Sentences that a language has in common with English; single words are not asked for."""


def forms(entry):
    return [entry] if isinstance(entry, str) else list(entry.values())


def values_in(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.fixture(scope="module")
def english_texts():
    """All texts of the code, without the values in them; compiled code, because reading the source takes seconds."""
    modules = [SourceFileLoader("texts", str(path)).get_code("texts") for path in ROOT.rglob("*.py")]
    return "\n".join(text for module in modules for text in texts_in(module))


def texts_in(constant):
    if isinstance(constant, str):
        yield constant
    elif isinstance(constant, tuple | frozenset | CodeType):
        for one in constant.co_consts if isinstance(constant, CodeType) else constant:
            yield from texts_in(one)


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_catalog_has_a_sentence_the_code_lacks(language, english_forms, english_texts):
    """Rules and findings are said when their values are filled in; two words of each must be in the code."""
    words = str([widgets.Designer(name="catalogs").form, rule_form()])
    further = {text for text in set(catalog(language)) - set(english_forms) if text not in words}
    assert {text for text in further if not any(run in english_texts for run in runs(text))} == set()


def runs(text):
    """All pairs of neighboring words of the longest part of a sentence between its values."""
    words = max(re.split(r"\{\w+\}|[,.;]", text), key=len).split()
    return [" ".join(words[at : at + 2]) for at in range(max(1, len(words) - 1))]


@pytest.mark.release
@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated_when_released(language, english_forms):
    assert set(english_forms) - set(catalog(language)) == set()


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_uses_the_values_of_the_english_sentence(language, english_forms):
    """A form for one may leave its number out: "an hour"."""
    for english, entry in catalog(language).items():
        several, *others = reversed(forms(entry))
        assert values_in(several) == values_in(english), english
        for other in others:
            assert values_in(english) - {"count"} <= values_in(other) | {"shown"}, english
            assert values_in(other) <= set().union(*map(values_in, english_forms[english])), english


@pytest.mark.parametrize("language", TRANSLATED)
def test_forms_are_those_of_the_plural_rules_of_the_language(language, english_forms):
    known = {*Locale.parse(language).plural_form.tags, "other"}
    for english, entry in catalog(language).items():
        if isinstance(entry, str):
            assert len(english_forms.get(english, ("",))) == 1, english
        else:
            assert {"one", "other"} <= set(entry) <= known
            assert len(english_forms[english]) > 1 or "{count}" in english, english


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_sentence_is_english_by_mistake(language):
    same = {english for english, entry in catalog(language).items() if english in forms(entry)}
    assert {
        english for english in same if " " in english and re.search("[a-z]{2}", re.sub("{.*?}", "", english))
    } == SAME[language]


@pytest.mark.parametrize("language", TRANSLATED)
def test_ends_and_spaces_are_those_of_the_english_sentence(language, english_forms):
    for english, entry in catalog(language).items():
        for own in forms(entry):
            assert own
            assert own == own.rstrip(), english
            assert own.endswith(".") == english.endswith(".") or len(own) < len("1-3 T.."), english
            assert not re.search(r"[\d}] %|\w [;:!?]| »|« ", own), "a no-break space is missing"


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_quotes_what_the_english_sentence_quotes(language):
    """In parentheses, the English sentence quotes choices of a list, which a language may leave out."""
    for english, entry in catalog(language).items():
        for own in forms(entry):
            assert len(re.findall(r"[„«\u2018]", own)) >= len(re.findall(r"(?<!\()“", english)), english


@pytest.mark.parametrize("language", LANGUAGES)
def test_charts_have_room_for_their_words_on_a_phone(language):
    with in_language(language):
        assert all(length(say(name), 10) < 40 for name, _ in BINS)
        below = [say("{likely} likely people", likely=12_345), say("{possible} possibly", possible=12_345)]
        assert sum(map(length, below)) < 340
