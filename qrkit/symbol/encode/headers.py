"""Writes what may stand before segments: structured append, an ECI and FNC1 (ISO/IEC 18004:2015, 7.4.2 and 7.4.8)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from qrkit.design.characters import BINARY, CODEC_OF_BYTES, ECI, Charset

if TYPE_CHECKING:
    from qrkit.design.message_part import MessagePart


STRUCTURED_APPEND, ECI_INDICATOR, FNC1_IN_FIRST_POSITION = 0b0011, 0b0111, 0b0101
"""Mode indicators (table 2)."""

WIDE = ("utf-16be", "utf-16le", "utf-32be", "utf-32le")
"""The charsets in which digits and letters take several bytes, so that only byte mode can encode them."""


class Header(NamedTuple):
    """The bits before the first segment, as an integer and its length, and what they mean for the segments.

    With `fnc1`, GS separates values; alphanumeric mode writes it as %, and % as %%.
    """

    value: int = 0
    length: int = 0
    charset: str = "utf-8"
    fnc1: bool = False

    @property
    def needs_bytes(self) -> bool:
        """True if only byte mode encodes the charset."""
        return self.charset in WIDE


PLAIN = Header()
"""Nothing before the segments; bytes are UTF-8, which readers recognize."""


@lru_cache(maxsize=256)
def header_of(charset: Charset | None = None, part: MessagePart | None = None, *, fnc1: bool = False) -> Header:
    """Return the header of a symbol, in the order of the standard: structured append, ECI, FNC1 in first position.

    There is no ECI for the charset None, which is UTF-8, and for `binary`, which is bytes.
    """
    bits = ""
    if part:
        bits += f"{STRUCTURED_APPEND:04b}{part.number - 1:04b}{part.of - 1:04b}{part.parity:08b}"
    if charset and charset != BINARY:
        bits += f"{ECI_INDICATOR:04b}{ECI[charset]:08b}"  # one codeword for numbers up to 127 (table 4)
    if fnc1:
        bits += f"{FNC1_IN_FIRST_POSITION:04b}"
    return Header(int(bits or "0", 2), len(bits), CODEC_OF_BYTES if charset == BINARY else charset or "utf-8", fnc1)
