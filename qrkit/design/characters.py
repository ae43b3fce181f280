"""Defines the characters that each mode can encode; needs no library, because encoding needs none."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["ALPHANUMERIC", "CHARACTERS", "NUMERIC", "kanji_value"]

NUMERIC = frozenset("0123456789")
ALPHANUMERIC = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
"""The 45 characters of alphanumeric mode (ISO/IEC 18004:2015, 7.3.4)."""

KANJI = ((0x8140, 0x9FFC, 0x8140), (0xE040, 0xEBBF, 0xC140))
"""The two ranges of Shift JIS codes in Kanji mode: first, last and the number subtracted (7.4.6)."""

CHARACTERS = {
    "numeric": "digits",
    "alphanumeric": "0-9 A-Z space $ % * + - . / :",
    "kanji": "characters of two bytes in Shift JIS",
}
"""The characters that a mode accepts, in words. Byte mode accepts any text."""


@lru_cache(maxsize=8_192)  # the mode has 6,879 characters
def kanji_value(character: str) -> int | None:
    """Return the 13-bit value of a character in Kanji mode (ISO/IEC 18004:2015, 7.4.6); None if it has none."""
    code = int.from_bytes(character.encode("shift_jis", "ignore"), "big")
    for first, last, less in KANJI:
        if first <= code <= last:
            high, low = divmod(code - less, 0x100)
            return high * 0xC0 + low
    return None
