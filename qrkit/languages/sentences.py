"""Says a sentence of the code in the language of the context, with the form that its number needs.

A sentence is English in the code: `say("…")`; catalogs beside this file may lack it until a release. To add a language:
its tag in `LanguageTag` of `choosing.py`, and its catalog.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import islice

from qrkit.languages.choosing import LanguageTag, current_language
from qrkit.languages.numbers import figure_text, locale_of, number_text

Sentence = str | tuple[str, str]
"""An English sentence with the names of its values in braces; a pair is the form for one and the form for several."""


def say(sentence: Sentence, count: int | None = None, /, **values: object) -> str:
    """Return a sentence in the language of the context, or in English if its catalog has no such sentence.

    The count decides between the forms of a pair, which catalogs know by its second form, and fills in {count}. Whole
    numbers get the separators of the language.
    """
    form = _form(sentence, count)
    if count is None and not values:
        return form
    texts = {name: number_text(value) if isinstance(value, int) else value for name, value in values.items()}
    return form.format(count="" if count is None else number_text(count), **texts)


def _form(sentence: Sentence, count: int | None) -> str:
    pair = (sentence, sentence) if isinstance(sentence, str) else sentence
    language = current_language()
    entry = None if language == "en" else catalog(language).get(pair[1])
    if entry is None:
        return pair[count != 1]
    if isinstance(entry, str):
        return entry
    # French and Spanish have a form for whole millions, too, which few sentences need.
    return entry["other"] if count is None else entry.get(locale_of(language).plural_form(count), entry["other"])


def translated(text: str) -> str:
    """Return a finished English text, such as a rule or a finding of a check, in the language of the context.

    Its values stay, but for those that are texts of a catalog themselves, and for the separators of numbers. A text
    that the catalog lacks stays English.
    """
    language = current_language()
    return text if language == "en" else _translated(language, text)


@lru_cache(maxsize=2048)
def _translated(language: LanguageTag, text: str) -> str:
    if text in catalog(language):
        return say(text)
    if figure := figure_text(text):
        return figure
    if "; " in text:
        return "; ".join(_translated(language, part) for part in text.split("; "))
    if found := _filled(language, text):
        return found
    for mark in islice(re.finditer(": ", text), MOST_FIELDS):
        field, rule = text[: mark.start()], text[mark.end() :]
        if said := say(rule) if rule in catalog(language) else _filled(language, rule):
            return say("{field}: {rule}", field=field, rule=said)
    return text


def _filled(language: LanguageTag, text: str) -> str:
    """Return the translation of a sentence whose values are filled in; "" if the catalog does not have it."""
    for pattern, sentence in _patterns(language):
        if found := pattern.fullmatch(text):
            return say(sentence, **{name: _value(language, name, value) for name, value in found.groupdict().items()})
    return ""


def _value(language: LanguageTag, name: str, text: str) -> str:
    """Return the translation of a value; titles of kinds of content begin with a small letter within a sentence."""
    title = f"{text[:1].upper()}{text[1:]}"
    return say(title) if name == "kind" and title in catalog(language) else _translated(language, text)


@cache
def _patterns(language: LanguageTag) -> list[tuple[re.Pattern[str], str]]:
    """Return the sentences with values, and what matches them; those with most words of their own first."""
    found = {one: "".join(VALUE.split(one)[::2]) for one in catalog(language) if VALUE.search(one)}
    clear = [one for one, words in found.items() if len(words) >= (4 if one[0].isalpha() else FEWEST)]
    ordered = sorted(clear, key=lambda one: -len(found[one]))
    return [(_pattern(one), one) for one in ordered if "{count}" not in one]


def _pattern(sentence: str) -> re.Pattern[str]:
    """Return what matches a sentence. Each value ends at the first words that follow it, so that no text takes long."""
    first, *others = VALUE.split(sentence)
    known, parts = set[str](), [re.escape(first)]
    for name, words in zip(others[::2], others[1::2], strict=True):
        value = f"(?P={name})" if name in known else f"(?P<{name}>.+?)"
        parts.append(f"(?>{value}{re.escape(words)})")
        known.add(name)
    parts[-1] = parts[-1].removeprefix("(?>").removesuffix(")").replace(".+?", ".+")
    return re.compile("".join(parts), re.DOTALL)


VALUE = re.compile(r"\{(\w+)\}")
MOST_FIELDS = 3
"""Colons in front of a rule: that behind its field, and those in the value of the field."""
FEWEST = 12
"""Characters beside the values that a sentence needs which begins with one; "{a} with {b}" would match too much."""


@cache
def catalog(language: LanguageTag) -> Mapping[str, str | Mapping[str, str]]:
    """Return the sentences of a language by the English ones; several forms by their plural category (CLDR)."""
    import tomllib
    from importlib.resources import files  # English, which most programs speak, needs no catalog

    return tomllib.loads(files("qrkit.languages").joinpath(f"{language}.toml").read_text(encoding="utf-8"))
