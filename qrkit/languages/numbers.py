"""Writes numbers, percentages, lists and names of countries as the language of the context does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from math import floor, log10
from typing import TYPE_CHECKING

from qrkit.errors import extra
from qrkit.languages.choosing import LanguageTag, current_language

if TYPE_CHECKING:
    from babel import Locale


def number_text(value: float, shape: str = ",") -> str:
    """Format a number as Python's `format` does, with the separators of the language: 1,234.5 or 1.234,5."""
    text, language = format(value, shape), current_language()
    return text if language == "en" else text.translate(_separators(language))


def percent_text(points: float, decimals: int = 0) -> str:
    """Format percentage points with the sign of the language: 12%."""
    language = current_language()
    return number_text(points, f",.{decimals}f") + ("%" if language == "en" else _percent_sign(language))


def figure_text(text: str) -> str:
    """Return an English number, such as 12% or 12.5 mm, as the language of the context writes it; "" if it is none."""
    language = current_language()
    if not (found := re.fullmatch(r"([+-]?[\d,]*\.?\d+)(%?)((?: [a-z]{1,2})?)", text)):
        return ""
    return found[1].translate(_separators(language)) + (found[2] and _percent_sign(language)) + found[3]


def signed_text(number: float, width: float | None = None) -> str:
    """Format a difference with its sign: +12%, or +0.42 given the width of its interval, which decides on decimals."""
    sign = "\N{MINUS SIGN}" if number < 0 else "+"
    if width is None:
        return sign + percent_text(100 * abs(number))
    return sign + number_text(abs(number), f",.{max(0, 1 - floor(log10(width))) if width else 2}f")


def country(code: str, english: str) -> str:
    """Return the name of a country by its code of two capital letters, or the English name if there is no other."""
    language = current_language()
    return english if language == "en" else str(locale_of(language).territories.get(code, english))


def list_text(parts: Sequence[str]) -> str:
    """Join a list: a, b and c."""
    if len(parts) < 2:
        return "".join(parts)
    if current_language() == "en":
        return " and ".join([", ".join(parts[:-1]), parts[-1]])
    with extra("statistics"):
        from babel.lists import format_list
    return format_list(parts, locale=current_language())


@cache
def _separators(language: LanguageTag) -> dict[int, str]:
    symbols = locale_of(language).number_symbols["latn"]
    return str.maketrans({",": symbols["group"], ".": symbols["decimal"]})


@cache
def _percent_sign(language: LanguageTag) -> str:
    """Return the percent sign with the space before it, if the language has one."""
    return str(locale_of(language).percent_formats[None].pattern).lstrip("#,0")


@cache
def locale_of(language: LanguageTag) -> Locale:
    """Return what Babel knows of a language."""
    with extra("statistics"):
        from babel import Locale
    return Locale.parse(language)
