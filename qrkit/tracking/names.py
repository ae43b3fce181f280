"""Compares names the way people read them: ignores extra spaces and how accented letters are encoded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

__all__ = ["differs_in_case", "tidy_name"]


@lru_cache(maxsize=1_000)  # an import asks several times for the name of a row
def tidy_name(text: str) -> str:
    """Return a name without blanks around it, with one space between words, and in Unicode's composed form (NFC)."""
    return " ".join(normalize("NFC", text).split())


def differs_in_case(name: str, others: Iterable[str]) -> str:
    """Return the first of other names that differs from a name in case alone; "" if there is none."""
    tidy = tidy_name(name)
    folded = tidy.casefold()
    return next((other for other in others if (found := tidy_name(other)) != tidy and found.casefold() == folded), "")
