"""Says a sentence of the code in the language of the context, with the form that its number needs.

A sentence is English in the code: `say("…")`; catalogs beside this file may lack it until a release. To add a language:
its tag in `LanguageTag` of `choosing.py`, and its catalog.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from qrkit.languages.choosing import LanguageTag, current_language
from qrkit.languages.numbers import locale_of, number_text

__all__ = ["Sentence", "catalog", "say"]

Sentence = str | tuple[str, str]
"""An English sentence with the names of its values in braces; a pair is the form for one and the form for several."""


def say(sentence: Sentence, count: int | None = None, /, **values: object) -> str:
    """Return a sentence in the language of the context, or in English if its catalog has no such sentence.

    Args:
        sentence: The English sentence. Catalogs know a pair by its second form.
        count: A number that decides between the forms of a pair, and fills in {count}.
        **values: Further values of the sentence by name. Whole numbers get the separators of the language.
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


@cache
def catalog(language: LanguageTag) -> Mapping[str, str | Mapping[str, str]]:
    """Return the sentences of a language by the English ones; several forms by their plural category (CLDR)."""
    import tomllib
    from importlib.resources import files  # English, which most programs speak, needs no catalog

    text = files("qrkit.languages").joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
