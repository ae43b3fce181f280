"""Converts segments to data codewords (ISO/IEC 18004:2015, 7.4)."""

from __future__ import annotations

from functools import cache
from typing import Literal

from qrkit.design.characters import CHARACTERS, kanji_value
from qrkit.errors import InvalidParameter, Problem
from qrkit.symbol.encode.capacity import DATA_CODEWORDS, Mode, Segment, bits_held, bits_needed, count_bits
from qrkit.symbol.encode.headers import PLAIN, Header

PadCodewords = Literal["segno", "iso"] | bytes
"""The name of a padding, or the pad codewords themselves; see `data_codewords`."""

MODE_INDICATORS: dict[Mode, int] = {"numeric": 0b0001, "alphanumeric": 0b0010, "byte": 0b0100, "kanji": 0b1000}
"""Mode indicators (table 2)."""
TERMINATOR_BITS = 4
PAD_CODEWORDS = bytes([0b11101100, 0b00010001]) * (max(DATA_CODEWORDS["L"]) // 2)
"""The two pad codewords alternating (7.4.10), enough for any symbol."""
VALUES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
"""The characters of alphanumeric mode; the index of each is its value (table 5)."""


def data_codewords(
    segments: list[Segment], version: int, level: str, pad: PadCodewords, header: Header = PLAIN
) -> bytes:
    """Return the data codewords of a symbol: header, segments, which must fit, terminator and padding.

    `iso` is ISO/IEC 18004:2015, 7.4.10: padding bits only if the stream does not end on a codeword boundary, followed
    by pad codewords. `segno` is what segno up to 1.6 writes: if the stream ends on a codeword boundary, eight padding
    bits, the codeword 00000000, come first. Most readers stop at the terminator, so you may also pass as many codewords
    of any value as `pad_codewords_held` returns.
    """
    stream, length = header.value, header.length
    for mode, text in segments:
        count, value, bits = encode_characters(mode, text, header.charset)
        counted = count_bits(mode, version)
        indicators = MODE_INDICATORS[mode] << counted | count
        stream = (stream << 4 + counted | indicators) << bits | value
        length += 4 + counted + bits
    capacity = DATA_CODEWORDS[level][version - 1]
    terminator = min(TERMINATOR_BITS, 8 * capacity - length)
    length += terminator
    padding = -length % 8
    codewords = (stream << terminator + padding).to_bytes((length + padding) // 8, "big")
    if isinstance(pad, bytes):
        if len(codewords) + len(pad) != capacity:
            rule = f"must have {capacity - len(codewords)} codewords, which fill version {version}-{level}"
            raise InvalidParameter(Problem("pad_codewords", pad, rule, "bad-value"))
        return codewords + pad
    if pad == "segno" and not padding:
        codewords += b"\0"
    return (codewords + PAD_CODEWORDS)[:capacity]


def pad_codewords_held(segments: list[Segment], version: int, level: str, header: Header = PLAIN) -> int:
    """Return how many whole codewords are left after the segments and their terminator; the segments must fit."""
    return max(bits_held(version, level) - bits_needed(segments, version, header) - TERMINATOR_BITS, 0) // 8


def encode_characters(mode: Mode, text: str, charset: str = "utf-8") -> tuple[int, int, int]:
    """Return the number of characters, their bits as an integer, and the number of bits (7.4.3 to 7.4.6)."""
    if mode == "kanji":
        return len(text), _kanji(text), 13 * len(text)
    if mode == "byte":
        data = text.encode(charset)
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
    """Encode characters with 13 bits each, as one integer (7.4.6)."""
    values = [kanji_value(character) for character in text]
    if not values or None in values:
        rule = f"mode kanji takes 1 or more {CHARACTERS['kanji']}; byte takes any text"
        raise InvalidParameter(Problem("content", text, rule, "bad-content"))
    return int("".join([f"{value:013b}" for value in values]), 2)


def _alphabet(mode: Mode) -> str:
    return VALUES[:10] if mode == "numeric" else VALUES


@cache
def _groups(mode: Mode) -> dict[str, str]:
    """Map every group of characters that is encoded as one number (1 to 3 digits, 1 or 2 characters) to its bits."""
    alphabet = _alphabet(mode)
    groups = [""]
    table: dict[str, str] = {}
    for bits in (4, 7, 10) if mode == "numeric" else (6, 11):
        groups = [group + character for group in groups for character in alphabet]
        table |= {group: f"{number:0{bits}b}" for number, group in enumerate(groups)}
    return table
