"""Segments -> data codewords (ISO/IEC 18004:2015, 7.4)."""

from __future__ import annotations

from functools import cache
from typing import Literal

from qrkit.design.design import CHARACTERS, kanji_value
from qrkit.errors import InvalidParameter, Problem
from qrkit.symbol.encode.capacity import DATA_CODEWORDS, Mode, Segment, bits_held, bits_needed, count_bits

__all__ = ["PadCodewords", "data_codewords", "pad_codewords_held"]

PadCodewords = Literal["segno", "iso"] | bytes
"""What follows the terminator: whose padding, or the pad codewords themselves; see `data_codewords`."""

MODE_INDICATORS: dict[Mode, int] = {"numeric": 0b0001, "alphanumeric": 0b0010, "byte": 0b0100, "kanji": 0b1000}
"""Mode indicators (table 2)."""
TERMINATOR_BITS = 4
PAD_CODEWORDS = bytes([0b11101100, 0b00010001]) * (max(DATA_CODEWORDS["L"]) // 2)
"""The two pad codewords in turn (7.4.10), enough for any symbol."""
VALUES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
"""The characters of alphanumeric mode, each at its value (table 5)."""


def data_codewords(segments: list[Segment], version: int, level: str, pad: PadCodewords) -> bytes:
    """The data codewords of a symbol: segments, terminator and padding.

    ISO/IEC 18004:2015, 7.4.10, has padding bits only where the stream does not end on a codeword boundary, and pad
    codewords right after them: `iso`. segno 1.6 and earlier writes eight padding bits, a codeword 00000000, where it
    does end there: `segno`. Most readers stop at the terminator, so pad codewords may as well be given, each of any
    value.

    Args:
        segments: What is encoded; it must fit.
        version: 1..40.
        level: L, M, Q or H.
        pad: Whose padding, or as many codewords as `pad_codewords_held` says.

    Raises:
        InvalidParameter: A segment has a character that its mode does not know, or none at all in numeric or
            alphanumeric mode; or there are too few or too many pad codewords.
    """
    stream = length = 0
    for mode, text in segments:
        count, value, bits = _characters(mode, text)
        counted = count_bits(mode, version)
        header = MODE_INDICATORS[mode] << counted | count
        stream = (stream << 4 + counted | header) << bits | value
        length += 4 + counted + bits
    capacity = DATA_CODEWORDS[level][version - 1]
    terminator = min(TERMINATOR_BITS, 8 * capacity - length)
    length += terminator
    padding = -length % 8
    codewords = (stream << terminator + padding).to_bytes((length + padding) // 8, "big")
    if isinstance(pad, bytes):
        if len(codewords) + len(pad) != capacity:
            rule = f"this content leaves {capacity - len(codewords)} pad codewords in version {version}-{level}"
            raise InvalidParameter(Problem("pad_codewords", pad, rule, "bad-value"))
        return codewords + pad
    if pad == "segno" and not padding:
        codewords += b"\0"
    return (codewords + PAD_CODEWORDS)[:capacity]


def pad_codewords_held(segments: list[Segment], version: int, level: str) -> int:
    """How many whole codewords the segments and their terminator leave of a symbol; they must fit."""
    return max(bits_held(version, level) - bits_needed(segments, version) - TERMINATOR_BITS, 0) // 8


def _characters(mode: Mode, text: str) -> tuple[int, int, int]:
    """Number of characters, their bits as a number, and how many bits these are (7.4.3 to 7.4.6)."""
    if mode == "kanji":
        return len(text), _kanji(text), 13 * len(text)
    if mode == "byte":
        data = text.encode()
        return len(data), int.from_bytes(data, "big"), 8 * len(data)
    at_once = 3 if mode == "numeric" else 2
    table = _groups(mode)
    try:
        bits = "".join([table[text[start : start + at_once]] for start in range(0, len(text), at_once)])
        return len(text), int(bits, 2), len(bits)
    except (KeyError, ValueError):
        rule = f"mode {mode} takes 1 or more of these characters: {_alphabet(mode)}; byte takes any text"
        raise InvalidParameter(Problem("content", text, rule, "bad-content")) from None


def _kanji(text: str) -> int:
    """The 13 bits of each character, one after another (7.4.6).

    Raises:
        InvalidParameter: If there is no character, or one that Shift JIS does not have in two bytes.
    """
    values = [kanji_value(character) for character in text]
    if not values or None in values:
        rule = f"mode kanji takes 1 or more {CHARACTERS['kanji']}; byte takes any text"
        raise InvalidParameter(Problem("content", text, rule, "bad-content"))
    return int("".join([f"{value:013b}" for value in values]), 2)


def _alphabet(mode: Mode) -> str:
    return VALUES[:10] if mode == "numeric" else VALUES


@cache
def _groups(mode: Mode) -> dict[str, str]:
    """The bits of every group of characters that is encoded as one number: 1 to 3 digits, or 1 to 2 characters."""
    alphabet = _alphabet(mode)
    groups = [""]
    table: dict[str, str] = {}
    for bits in (4, 7, 10) if mode == "numeric" else (6, 11):
        groups = [group + character for group in groups for character in alphabet]
        table |= {group: f"{number:0{bits}b}" for number, group in enumerate(groups)}
    return table
