"""Draws function patterns (ISO/IEC 18004:2015, 6.3), format information (7.9) and version information (7.10)."""

from __future__ import annotations

from functools import cache

from qrkit.symbol.encode.planes import geometry
from qrkit.symbol.symbol import alignment_patterns, side_of

FINDER = (b"1111111", b"1000001", b"1011101", b"1011101", b"1011101", b"1000001", b"1111111")
ALIGNMENT = (b"11111", b"10001", b"10101", b"10001", b"11111")

LEVEL_INDICATORS = {"L": 0b01, "M": 0b00, "Q": 0b11, "H": 0b10}
"""The two bits of each level in the format information (table 12)."""
FORMAT_GENERATOR = 0b101_0011_0111
FORMAT_MASK = 0b101_0100_0001_0010
VERSION_GENERATOR = 0b1_1111_0010_0101


def dark_patterns(version: int) -> list[bytes]:
    """Return rows of digits: 1 where a finder, alignment or timing pattern is dark.

    Format and version information and the dark module are 0: they are blank when masks are compared (7.8.3).
    """
    side = side_of(version)
    alternating = (b"10" * side)[:side]
    rows = [bytearray(b"0") * side for _ in range(side)]
    rows[6][:] = alternating
    for line, digit in enumerate(alternating):
        rows[line][6] = digit
    for top, left in ((0, 0), (0, side - 7), (side - 7, 0)):
        _paint(rows, FINDER, top, left)
    for row, column in alignment_patterns(version):
        _paint(rows, ALIGNMENT, row - 2, column - 2)
    return [bytes(row) for row in rows]


def _paint(rows: list[bytearray], pattern: tuple[bytes, ...], top: int, left: int) -> None:
    for row, digits in zip(rows[top:], pattern, strict=False):
        row[left : left + len(digits)] = digits


@cache
def information(version: int, level: str, mask: int) -> int:
    """Return format information, version information and the dark module as the rows of a plane (7.9 and 7.10)."""
    one, other = _format_places(side_of(version))
    bits = with_check_bits(LEVEL_INDICATORS[level] << 3 | mask, 5, FORMAT_GENERATOR) ^ FORMAT_MASK
    dark = {place for places in (one, other) for place, bit in zip(places, f"{bits:015b}", strict=True) if bit == "1"}
    dark.add((side_of(version) - 8, 8))
    if version >= 7:
        bits = with_check_bits(version, 6, VERSION_GENERATOR)
        places = _version_places(side_of(version))
        below = {place for place, bit in zip(places, f"{bits:018b}", strict=True) if bit == "1"}
        dark |= below | {(column, row) for row, column in below}
    return sum(geometry(version).module_bit(row, column) for row, column in dark)


def with_check_bits(value: int, bits: int, generator: int) -> int:
    """Append to a value of `bits` bits its remainder on division by the generator polynomial (annexes C and D)."""
    degree = generator.bit_length() - 1
    remainder = value << degree
    for shift in range(bits - 1, -1, -1):
        if remainder >> degree + shift & 1:
            remainder ^= generator << shift
    return value << degree | remainder


def _format_places(side: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return row and column of the 15 modules of format information, highest bit first, and of its copy (figure 25)."""
    around = [(8, column) for column in (0, 1, 2, 3, 4, 5, 7, 8)] + [(row, 8) for row in (7, 5, 4, 3, 2, 1, 0)]
    below = [(row, 8) for row in range(side - 1, side - 8, -1)]
    return around, below + [(8, column) for column in range(side - 8, side)]


def _version_places(side: int) -> list[tuple[int, int]]:
    """Return row and column of the 18 modules of the lower left version information, highest bit first (figure 28)."""
    return [(row, column) for column in range(5, -1, -1) for row in range(side - 9, side - 12, -1)]
