"""Two-letter country codes (ISO 3166-1 alpha-2), with a short name for each country."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from qrkit.languages import country

OTHER_COUNTRIES = {"uk": "gb", "el": "gr"}
"""Codes of countries that the European Union uses and ISO 3166 does not, with those of ISO 3166."""


@cache
def _names() -> dict[str, list[str]]:
    """Return the names of each country by its code: the first is ours, in English; the others are also in use.

    These are the code of three letters, and names in English, German, Spanish, French and Dutch.
    """
    lines = files("qrkit.tracking").joinpath("countries.tsv").read_text(encoding="utf-8").splitlines()
    return {code: names for code, *names in (line.split("\t") for line in lines)}


@cache
def _codes() -> dict[str, str]:
    """Return the code of each country by its names in lower case."""
    return {name.lower(): code for code, names in _names().items() for name in names}


def country_name(code: str) -> str:
    """Return the name of a country in the language of the context, or `code` itself if the code is unknown."""
    return country(code.upper(), _names().get(code.upper(), [code])[0])


def country_code_of(name: str) -> str | None:
    """Return the code of a country with this name or code of three letters; None if it is unknown."""
    return _codes().get(name.strip().lower().replace("\u2019", "'"))


def is_country(code: str) -> bool:
    """Whether a code, in either case, is that of a country."""
    return OTHER_COUNTRIES.get(code.lower(), code).upper() in _names()


def country_code(text: str) -> str | None:
    """Convert a two-letter code to upper case; return None if the text is not two letters."""
    return text.upper() if len(text) == 2 and text.isascii() and text.isalpha() else None


def country_rule(text: str) -> str:
    """Return the rule for a country, with the code that is probably meant by a text that does not follow it."""
    code = country_code(text) or country_code_of(text) or ""
    hint = f"{code!r} is {_names()[code][0]}" if code in _names() else "'SI' is Slovenia"
    return f"takes two letters (ISO 3166-1 alpha-2): {hint}"
