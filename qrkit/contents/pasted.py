"""Cleans values that people paste from web pages, documents and tables: numbers, references, addresses.

What is pasted often holds characters that nobody sees or that look like others: marks of the writing direction, soft
hyphens, non-breaking spaces and dashes, digits of full width. Names and other texts are not cleaned of them, because
they may need them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import category, decimal, name, normalize

from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic_core import core_schema

from qrkit.contents.content import note

SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810))))
"""Variation selectors, which choose between two looks of the character before."""
UNSEEN = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Further characters that nobody sees, though Unicode counts them as letters, marks and symbols."""
DASHES = frozenset("\u02d7\u2043\u2212\u2796")
"""Characters that look like a hyphen, though Unicode counts them as signs."""
JOINERS = "\u200c\u200d"
"""Needed by Persian words and by emoji, also in web addresses."""
SOFT_HYPHENS = "\u2010\u2011"
"""Hyphens of word processors. Other dashes are a part of many paths, such as those of Wikipedia."""
MOST_NAMED = 4

_URL = re.compile(r"([^/?#]*(?://[^/?#]*)?)(.*)", re.DOTALL)
_LONG_VOWEL = re.compile("(?<=[0-9 ])\u30fc(?=[0-9 ])")
"""Matches the Japanese mark of a long vowel between digits, where it stands for a hyphen."""


def clean(text: str, *, is_url: bool = False) -> str:
    """Return a pasted value as it would have been typed: without invisible characters, with plain spaces and hyphens.

    Letters and their accents become one character, and digits of other scripts ASCII's. In the path of a URL, what may
    be a part of the address stays: joiners, dashes, letters of full width.
    """
    if not text.isascii():
        front, path = _URL.fullmatch(text).groups() if is_url else (text, "")  # type: ignore[union-attr]  # matches any text
        front = "".join(map(_typed, front))
        text = front + "".join(_typed_in_path(path, place) for place in range(len(path)))
        text = normalize("NFC", text) if is_url else _LONG_VOWEL.sub("-", normalize("NFKC", text))
    return text.strip(" ")


def _typed(character: str) -> str:
    """Return what would have been typed for a character."""
    kind = category(character)
    if kind == "Cf" or character in SELECTORS or character in UNSEEN:
        return ""
    if kind == "Nd":
        return str(decimal(character))
    return " " if kind == "Zs" else "-" if kind == "Pd" or character in DASHES else character


def _typed_in_path(path: str, place: int) -> str:
    character = path[place]
    is_part = character in JOINERS or (character in SELECTORS and not path[place - 1 : place].isascii())
    if is_part or category(character) == "Nd" or (category(character) == "Pd" and character not in SOFT_HYPHENS):
        return character
    return _typed(character) if character not in DASHES else character


def _named(characters: Sequence[str]) -> str:
    """Return the names of some characters, of the first few if they are many."""
    names = [f"U+{ord(one):04X} ({name(one, 'unnamed').lower()})" for one in characters[:MOST_NAMED]]
    return ", ".join(names) + (f" and {len(characters) - MOST_NAMED} more" if characters[MOST_NAMED:] else "")


@dataclass(frozen=True, slots=True)
class Pasted:
    """An annotation for a text that is cleaned before it is judged; a note says what was cleaned."""

    is_url: bool = False

    def _clean(self, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, str):
            return value
        cleaned = clean(value, is_url=self.is_url)
        if gone := [one for one in dict.fromkeys(value) if not one.isascii() and one not in cleaned]:
            note(info.field_name, f"was cleaned of {_named(gone)}")
        return cleaned

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.with_info_before_validator_function(self._clean, handler(source))
