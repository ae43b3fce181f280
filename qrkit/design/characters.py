"""Defines the characters that each mode and charset can encode; needs no library, because encoding needs none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from qrkit.errors import InvalidParameter, Problem

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

SEPARATOR = "\x1d"
"""The character GS, which ends a value of variable length in a GS1 element string."""

AMBIGUOUS = re.compile(f"{SEPARATOR}[{SEPARATOR}%]")
"""With FNC1, alphanumeric mode writes % as %% and the separator as %, so readers misread what follows a separator."""

Charset = Literal[
    "cp437", "iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7",
    "iso-8859-8", "iso-8859-9", "iso-8859-10", "iso-8859-11", "iso-8859-13", "iso-8859-14", "iso-8859-15",
    "iso-8859-16", "shift_jis", "windows-1250", "windows-1251", "windows-1252", "windows-1256", "utf-16be", "utf-8",
    "us-ascii", "big5", "gb2312", "euc-kr", "gbk", "gb18030", "utf-16le", "utf-32be", "utf-32le",
    "binary",
]  # fmt: skip
"""The charsets that both an ECI and Python know, by their names in the IANA registry, in lower case.

With `binary`, each character up to U+00FF is a byte, and the symbol declares nothing.
"""

BINARY: Charset = "binary"
CODEC_OF_BYTES = "iso-8859-1"
"""The codec that makes a character of each byte."""

ECI: dict[Charset, int] = {
    "cp437": 2, "iso-8859-1": 3, "iso-8859-2": 4, "iso-8859-3": 5, "iso-8859-4": 6, "iso-8859-5": 7, "iso-8859-6": 8,
    "iso-8859-7": 9, "iso-8859-8": 10, "iso-8859-9": 11, "iso-8859-10": 12, "iso-8859-11": 13, "iso-8859-13": 15,
    "iso-8859-14": 16, "iso-8859-15": 17, "iso-8859-16": 18, "shift_jis": 20, "windows-1250": 21, "windows-1251": 22,
    "windows-1252": 23, "windows-1256": 24, "utf-16be": 25, "utf-8": 26, "us-ascii": 27, "big5": 28, "gb2312": 29,
    "euc-kr": 30, "gbk": 31, "gb18030": 32, "utf-16le": 33, "utf-32be": 34, "utf-32le": 35,
}  # fmt: skip
"""The assignment number of each charset (AIM ITS/04-023)."""


READ_OTHERWISE = {"shift_jis": frozenset("\uff3c"), "big5": frozenset("\u02cd\u2574")}
"""Characters that Python's codec has, but that readers take for others."""


def fields_of_bytes(data: bytes, charset: object) -> dict[str, str]:
    """Return the content and the charset of a design whose symbol holds these bytes."""
    if charset not in (None, BINARY):
        raise InvalidParameter(
            Problem("charset", charset, "must be left out with bytes, which are encoded as they are")
        )
    try:
        return {"content": data.decode()}  # what a symbol holds without a charset
    except UnicodeDecodeError:
        return {"content": data.decode(CODEC_OF_BYTES), "charset": BINARY}


def charset_rule(text: str, charset: Charset) -> str | None:
    """Return the rule that a text breaks with the first character that a charset lacks; None if it has them all."""
    if _has(charset, text):
        return None
    lacking = (f"character {number}, {one!r}" for number, one in enumerate(text, 1) if not _has(charset, one))
    first = next(lacking, None)
    return f"charset={charset} lacks {first}; charset=utf-8 has every character" if first else None


def _has(charset: Charset, text: str) -> bool:
    if charset == BINARY:
        return not text or ord(max(text)) <= 0xFF
    # Some codecs write one character as another, such as the yen sign as a backslash.
    try:
        data = text.encode(charset)
    except UnicodeError:
        return False
    if charset == "euc-kr" and any(len(character.encode(charset)) > 2 for character in set(text)):
        return False  # Python writes rare syllables in eight bytes, which readers do not join
    return data.decode(charset) == text and READ_OTHERWISE.get(charset, frozenset()).isdisjoint(text)


@lru_cache(maxsize=8_192)  # the mode has 6,879 characters
def kanji_value(character: str) -> int | None:
    """Return the 13-bit value of a character in Kanji mode (ISO/IEC 18004:2015, 7.4.6); None if it has none."""
    code = int.from_bytes(character.encode("shift_jis", "ignore"), "big")
    for first, last, less in KANJI:
        if first <= code <= last:
            high, low = divmod(code - less, 0x100)
            return high * 0xC0 + low
    return None
