"""Computes how many bits a content needs and a symbol holds (ISO/IEC 18004:2015, tables 3 and 7)."""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal, NamedTuple

from qrkit.symbol.encode.headers import PLAIN, Header

__all__ = [
    "LEVELS", "MICRO_DATA_BITS", "Mode", "Segment", "bits_held", "bits_needed", "characters_held", "count_bits",
    "smallest_version",
]  # fmt: skip

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
DATA_CODEWORDS: dict[str, tuple[int, ...]] = {
    "L": (
        19, 34, 55, 80, 108, 136, 156, 194, 232, 274, 324, 370, 428, 461, 523, 589, 647, 721, 795, 861,
        932, 1006, 1094, 1174, 1276, 1370, 1468, 1531, 1631, 1735, 1843, 1955, 2071, 2191, 2306, 2434, 2566, 2702, 2812,
        2956,
    ),
    "M": (
        16, 28, 44, 64, 86, 108, 124, 154, 182, 216, 254, 290, 334, 365, 415, 453, 507, 563, 627, 669,
        714, 782, 860, 914, 1000, 1062, 1128, 1193, 1267, 1373, 1455, 1541, 1631, 1725, 1812, 1914, 1992, 2102, 2216,
        2334,
    ),
    "Q": (
        13, 22, 34, 48, 62, 76, 88, 110, 132, 154, 180, 206, 244, 261, 295, 325, 367, 397, 445, 485,
        512, 568, 614, 664, 718, 754, 808, 871, 911, 985, 1033, 1115, 1171, 1231, 1286, 1354, 1426, 1502, 1582, 1666,
    ),
    "H": (
        9, 16, 26, 36, 46, 60, 66, 86, 100, 122, 140, 158, 180, 197, 223, 253, 283, 313, 341, 385,
        406, 442, 464, 514, 538, 596, 628, 661, 701, 745, 793, 845, 901, 961, 986, 1054, 1096, 1142, 1222, 1276,
    ),
}
"""Data codewords of 8 bits in versions 1..40 (table 7)."""
# fmt: on


class Segment(NamedTuple):
    """A part of the content in one mode.

    With FNC1 in first position, the text of an alphanumeric segment has %% for % and % for the separator.
    """

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
    """Return how many digits, alphanumeric characters, bytes or kanji one segment of a symbol holds (table 7).

    A version without the mode holds 0.
    """
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
