"""Computes how many bits a content needs and a symbol holds (ISO/IEC 18004:2015, tables 3 and 7)."""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal, NamedTuple

from qrkit.symbol.encode.headers import PLAIN, Header

Mode = Literal["numeric", "alphanumeric", "byte", "kanji"]

LEVELS = ("L", "M", "Q", "H")
"""Error correction levels, from weakest to strongest."""

MODE_INDICATOR_BITS = 4
COUNT_BITS: dict[Mode, tuple[int, int, int]] = {
    "numeric": (10, 12, 14),
    "alphanumeric": (9, 11, 13),
    "byte": (8, 16, 16),
    "kanji": (8, 10, 12),
}
"""Length of the character count indicator in versions 1-9, 10-26 and 27-40, in bits (table 3)."""

ABSENT = 1 << 16
"""The length of an indicator of a mode that a version lacks: more bits than any symbol holds."""
MICRO_COUNT_BITS: dict[Mode, tuple[int, int, int, int]] = {
    "numeric": (3, 4, 5, 6),
    "alphanumeric": (ABSENT, 3, 4, 5),
    "byte": (ABSENT, ABSENT, 4, 5),
    "kanji": (ABSENT, ABSENT, 3, 4),
}
"""Length of the character count indicator in M1..M4, in bits (table 3)."""
MICRO_DATA_BITS = {
    (-1, "L"): 20,
    (-2, "L"): 40, (-2, "M"): 32,
    (-3, "L"): 84, (-3, "M"): 68,
    (-4, "L"): 128, (-4, "M"): 112, (-4, "Q"): 80,
}  # fmt: skip
"""Data bits in M1..M4, which are versions -1..-4, at each level that they have (table 7)."""

# fmt: off
CORRECTION_CODEWORDS: dict[str, tuple[int, ...]] = {
    "L": (
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
        28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ),
    "M": (
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
        26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ),
    "Q": (
        13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
        28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ),
    "H": (
        17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
        30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ),
}
"""Error correction codewords per block in versions 1..40 (table 9)."""

BLOCK_COUNTS: dict[str, tuple[int, ...]] = {
    "L": (
        1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
        8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
    ),
    "M": (
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
        17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ),
    "Q": (
        1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
        23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
    ),
    "H": (
        1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
        25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
    ),
}
"""Number of blocks in versions 1..40 (table 9)."""
# fmt: on


def _codewords_held(version: int) -> int:
    """Return all codewords of a symbol, which fill the modules that function patterns leave (table 1)."""
    side, centers = 4 * version + 17, version // 7 + 2
    timing, information = 2 * (side - 16), 31 + 36 * (version > 6)
    # Alignment patterns are on all crossings but three; those on a timing pattern share five modules with it.
    alignment = 25 * (centers**2 - 3) - 10 * (centers - 2) if version > 1 else 0
    return (side**2 - 3 * 64 - timing - information - alignment) // 8


DATA_CODEWORDS: dict[str, tuple[int, ...]] = {
    level: tuple(
        _codewords_held(version) - count * CORRECTION_CODEWORDS[level][version - 1]
        for version, count in enumerate(BLOCK_COUNTS[level], 1)
    )
    for level in LEVELS
}
"""Data codewords of 8 bits in versions 1..40 (table 7)."""


class Segment(NamedTuple):
    """A part of the content in one mode. With FNC1, alphanumeric text has %% for % and % for the separator."""

    mode: Mode
    text: str


def bits_held(version: int, level: str) -> int:
    """Return the data capacity of a symbol in bits."""
    if version < 0:
        return MICRO_DATA_BITS[version, level]
    return 8 * DATA_CODEWORDS[level][version - 1]


def count_bits(mode: Mode, version: int) -> int:
    """Return the length of the character count indicator in bits (table 3)."""
    if version < 0:
        return MICRO_COUNT_BITS[mode][-version - 1]
    return COUNT_BITS[mode][(version > 9) + (version > 26)]


def header_bits(mode: Mode, version: int) -> int:
    """Return the length of a segment's mode indicator and character count indicator in bits."""
    return (MODE_INDICATOR_BITS if version > 0 else -version - 1) + count_bits(mode, version)


def bits_needed(segments: list[Segment], version: int, header: Header = PLAIN) -> int:
    """Return the length of the bit stream before terminator and padding, in bits."""
    charset = header.charset
    return header.length + sum(header_bits(mode, version) + data_bits(mode, text, charset) for mode, text in segments)


def data_bits(mode: Mode, text: str, charset: str = "utf-8") -> int:
    """Return the length of the encoded characters without headers, in bits (7.4.3 to 7.4.6)."""
    if mode == "byte":
        return 8 * len(text.encode(charset))
    if mode == "kanji":
        return 13 * len(text)
    if mode == "alphanumeric":
        return 11 * (len(text) // 2) + 6 * (len(text) % 2)
    return 10 * (len(text) // 3) + (0, 4, 7)[len(text) % 3]


def characters_held(version: int, level: str, mode: Mode, header: Header = PLAIN) -> int:
    """Return how many characters one segment of a symbol holds (table 7), 0 in a version without the mode."""
    bits = max(0, bits_held(version, level) - header.length - header_bits(mode, version))
    if mode == "byte":
        return bits // 8
    if mode == "kanji":
        return bits // 13
    if mode == "alphanumeric":
        return bits // 11 * 2 + (bits % 11 >= 6)
    return bits // 10 * 3 + (bits % 10 >= 4) + (bits % 10 >= 7)


def smallest_version(segments: list[Segment], level: str, header: Header = PLAIN) -> int | None:
    """Return the smallest version that holds the segments; None if version 40 is too small."""
    held = DATA_CODEWORDS[level]
    # Headers are equally long in versions 1-9, 10-26 and 27-40.
    for first, last in ((1, 9), (10, 26), (27, 40)):
        codewords = -(-bits_needed(segments, last, header) // 8)
        if codewords <= held[last - 1]:
            return bisect_left(held, codewords, first - 1) + 1
    return None
