"""Applies the eight data mask patterns and chooses the best (ISO/IEC 18004:2015, 7.8)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from qrkit.symbol.encode.placement import encoding_region
from qrkit.symbol.encode.planes import GAP, LIGHT, geometry
from qrkit.symbol.symbol import side_of

__all__ = ["best_mask", "masked", "penalties"]

CONDITIONS: tuple[Callable[[int, int], int], ...] = (
    lambda row, column: (row + column) % 2,
    lambda row, column: row % 2,
    lambda row, column: column % 3,
    lambda row, column: (row + column) % 3,
    lambda row, column: (row // 2 + column // 3) % 2,
    lambda row, column: row * column % 2 + row * column % 3,
    lambda row, column: (row * column % 2 + row * column % 3) % 2,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2,
)
"""Table 10: a module of the encoding region is inverted where the condition of a mask is 0."""
PERIOD = 12
"""All patterns repeat after twelve rows and after twelve columns."""

STACKED_BYTES = 1000
"""Planes up to this size are compared all eight at once, because Python's overhead per step dominates there."""


class Frame(NamedTuple):
    """Stacks with 1 at the modules to which a rule applies.

    Attributes:
        before: 1 if the previous module is on the same line.
        corner: 1 if the left, upper and upper left neighbors exist; 0 in the columns.
        halvings: The number of bits in half a stack and their mask, then in a quarter, down to one plane.
    """

    before: int
    corner: int
    halvings: tuple[tuple[int, int], ...]


def best_mask(plane: int, version: int) -> int:
    """Return the mask reference with the lowest penalty, the first if several are equal (7.8.3).

    Args:
        plane: An unmasked symbol with blank format and version information.
        version: 1..40.
    """
    shape = geometry(version)
    if shape.plane_bytes <= STACKED_BYTES:
        points = penalties(shape.stacked(plane, 8) ^ _all_patterns(version), version, 8)
    else:
        points = [penalties(masked(plane, version, mask), version, 1)[0] for mask in range(8)]
    return points.index(min(points))


def masked(plane: int, version: int, mask: int) -> int:
    """Invert the encoding region of a plane with a mask pattern. Masking twice returns the original plane."""
    return plane ^ _patterns(version)[mask]


def penalties(stack: int, version: int, count: int) -> list[int]:
    """Return the penalty points of each plane of a stack (table 11).

    Each feature is a stack as well, with 1 at the last module of each occurrence. Bits are cleared by
    `one ^ one & other`, because `~` returns a negative number and Python is slow with those.
    """
    shape, frame = geometry(version), _frame(version, count)
    left = stack >> 1
    same = (stack ^ left) & frame.before ^ frame.before
    five = same & same >> 1
    five &= five >> 2
    # A run of 5 + i modules scores 3 + i points and sets 3 + i bits here.
    run = five | five << 1 | five << 2
    pair = same & frame.corner
    square = pair & same >> shape.line
    square ^= square & (stack ^ stack >> shape.line)
    parts = [run, square, _finder_like(stack, left), stack]
    for bits, low in frame.halvings:
        parts = [half for part in parts for half in (part >> bits, part & low)]
    counts = list(map(int.bit_count, parts))  # of each feature in every plane, then of the next feature
    by_feature = [counts[start : start + count] for start in range(0, len(counts), count)]
    modules = 2 * shape.side * shape.side  # a plane holds each module twice
    return [
        runs + 3 * squares + 40 * finders + 10 * int(abs(dark / modules * 100 - 50) / 5)
        for runs, squares, finders, dark in zip(*by_feature, strict=True)
    ]


def _finder_like(stack: int, left: int) -> int:
    """Mark the end of each 1:1:3:1:1 sequence of dark and light that has four light modules before or after it.

    If two sequences overlap, the second does not count, which is how segno interprets the standard.
    """
    light = left | stack >> 5
    ends = stack & stack >> 2
    ends &= stack >> 3 & ends >> 4
    ends ^= ends & light
    pair = stack | left
    four = pair | pair >> 2  # 1 if there is a dark module among the last four
    ends ^= ends & four << GAP & four >> 7
    return ends ^ ends & (ends >> 4 | ends >> 6)


@cache
def _frame(version: int, count: int) -> Frame:
    shape = geometry(version)
    line = b"0" + b"1" * (shape.side - 1) + LIGHT * GAP
    lines = line * (shape.side - 1)
    before = int(line * (2 * shape.side) + LIGHT * shape.spare, 2)
    corner = int(LIGHT * shape.line + lines, 2) << shape.half + shape.spare
    halves = [8 * shape.plane_bytes * planes for planes in (4, 2, 1) if planes < count]
    return Frame(
        before=shape.stacked(before, count),
        corner=shape.stacked(corner, count),
        halvings=tuple((bits, (1 << bits) - 1) for bits in halves),
    )


@cache
def _patterns(version: int) -> tuple[int, ...]:
    """Return the plane of each data mask pattern, with 1 at modules to invert (7.8.2)."""
    region, side = encoding_region(version), side_of(version)
    tiles = ([(row * (side // PERIOD + 1))[:side] for row in tile] for tile in _tiles())
    rows = ((tile * (side // PERIOD + 1))[:side] for tile in tiles)
    return tuple(geometry(version).plane_of_rows(pattern) & region for pattern in rows)


@cache
def _tiles() -> tuple[tuple[bytes, ...], ...]:
    """Return, for each mask, 12 rows of 12 digits that repeat over the symbol."""
    period = range(PERIOD)
    return tuple(
        tuple(bytes(ord("0" if condition(row, column) else "1") for column in period) for row in period)
        for condition in CONDITIONS
    )


@cache
def _all_patterns(version: int) -> int:
    """Return the eight patterns as one stack."""
    size = geometry(version).plane_bytes
    return int.from_bytes(b"".join(pattern.to_bytes(size, "big") for pattern in _patterns(version)), "big")
