"""Names countries in the language of the context."""

from __future__ import annotations

from functools import cache

from qrkit.errors import extra
from qrkit.languages.choosing import LanguageTag, current_language

__all__ = ["country"]


def country(code: str, english: str) -> str:
    """Return the name of a country.

    Args:
        code: Two capital letters.
        english: The English name, also for codes that have no other.
    """
    language = current_language()
    return english if language == "en" else _translated(language, code, english)


@cache
def _translated(language: LanguageTag, code: str, english: str) -> str:
    with extra("statistics"):
        from babel import Locale
    return str(Locale.parse(language).territories.get(code, english))
