"""Compares names the way people read them: ignores extra spaces and how accented letters are encoded."""

from __future__ import annotations

from collections.abc import Reversible
from functools import lru_cache
from unicodedata import normalize


@lru_cache(maxsize=1_000)  # an import asks several times for the name of a row
def tidy_name(text: str) -> str:
    """Return a name without blanks around it, with one space between words, and in Unicode's composed form (NFC)."""
    return " ".join(normalize("NFC", text).split())


class Spellings:
    """Names in use, as `tidy_name` returns them; finds the one from which another name differs only in case."""

    __slots__ = ("_first",)

    def __init__(self, names: Reversible[str]) -> None:
        self._first = {name.casefold(): name for name in reversed(names)}

    def add(self, name: str) -> None:
        """Add a name."""
        tidy = tidy_name(name)
        self._first.setdefault(tidy.casefold(), tidy)

    def warning(self, name: str, *, what: str) -> str:
        """Return a sentence with a name and the first one that differs from it only in case; "" if there is none."""
        tidy = tidy_name(name)
        other = self._first.get(tidy.casefold(), tidy)
        return "" if other == tidy else f"the {what} {name!r} and {other!r} differ only in case"
