"""Chooses the language that sentences, numbers and dates are in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, get_args

from qrkit.errors import InvalidParameter, Problem, extra

LanguageTag = Literal["en", "de", "fr", "es", "nl"]

LANGUAGES: tuple[LanguageTag, ...] = get_args(LanguageTag)
"""English, German, French, Spanish and Dutch."""

_language: ContextVar[LanguageTag] = ContextVar("language", default="en")


def check_language(language: str) -> None:
    """Check that reports and charts can be in this language: all but English need the extra `statistics`."""
    if language not in LANGUAGES:
        raise InvalidParameter(Problem("language", language, f"must be one of {', '.join(LANGUAGES)}"))
    if language != "en":
        with extra("statistics"):
            import babel  # noqa: F401 - fails here, and not in the middle of a report


@contextmanager
def in_language(language: LanguageTag) -> Iterator[None]:
    """Draw charts in a language in this context: their sentences, numbers, dates and names of countries.

    Args:
        language: en for English, de for German, fr for French, es for Spanish, nl for Dutch.

    Raises:
        InvalidParameter: If there is no such language.
        MissingProgram: If the extra `statistics` is not installed and the language is not English.

    Example:
        >>> import pandas as pd
        >>> from qrkit import charts
        >>> days = pd.DataFrame({"day": pd.date_range("2026-03-01", periods=3), "scans": [3, 0, 5]})
        >>> with charts.in_language("de"):
        ...     charts.lines(days).headline
        '8 Scans, die meisten (5) am 3. März'
    """
    check_language(language)
    before = _language.set(language)
    try:
        yield
    finally:
        _language.reset(before)


def current_language() -> LanguageTag:
    """Return the language of this context."""
    return _language.get()
