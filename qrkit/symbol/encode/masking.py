"""Applies the eight data mask patterns and chooses the best (ISO/IEC 18004:2015, 7.8)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from qrkit.symbol.encode.placement import encoding_region
from qrkit.symbol.encode.planes import GAP, LIGHT, geometry
from qrkit.symbol.symbol import side_of

__all__ = ["best_mask", "masked"]

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


class Rules(NamedTuple):
    """What the rules need to know about a version: numbers, and planes.

    Attributes:
        line: Distance from a module of a row to the upper one, in bits.
        modules: Modules in a plane, which holds each module of the symbol twice.
        has_previous: 1 at each module that has a previous one on its line.
        has_four: 1 at each module that has four previous ones on its line.
        has_upper: 1 at each module of a row that has an upper one; 0 in the columns.
        changes: For each mask, 1 where its pattern differs from the previous module.
        changes_above: For each mask, 1 where its pattern differs from the upper module of a row.
    """

    line: int
    modules: int
    has_previous: int
    has_four: int
    has_upper: int
    changes: tuple[int, ...]
    changes_above: tuple[int, ...]


def best_mask(plane: int, version: int) -> int:
    """Return the mask reference with the lowest penalty, the first if several are equal (7.8.3).

    Args:
        plane: An unmasked symbol with blank format and version information.
        version: 1..40.
    """
    rules = _rules(version)
    # After masking, neighbors differ if either the symbol or the pattern changes between them, but not both.
    changes, changes_above = plane ^ plane >> 1, plane ^ plane >> rules.line
    masks = zip(_patterns(version), rules.changes, rules.changes_above, strict=True)
    points = [
        _penalty(plane ^ pattern, changes ^ of_pattern, changes_above ^ of_pattern_above, rules)
        for pattern, of_pattern, of_pattern_above in masks
    ]
    return points.index(min(points))


def masked(plane: int, version: int, mask: int) -> int:
    """Invert the encoding region of a plane with a mask pattern. Masking twice returns the original plane."""
    return plane ^ _patterns(version)[mask]


def _penalty(plane: int, changes: int, changes_above: int, rules: Rules) -> int:
    """Return the penalty points of a masked symbol (table 11).

    The rules are evaluated for all modules at once. Each intermediate plane says something about the modules that end
    at a bit. Bits are cleared by `one ^ one & other`, because `~` returns a negative number and Python is slow with
    those.

    Args:
        plane: The masked symbol, with blank format and version information.
        changes: 1 at each module that differs from the previous one.
        changes_above: 1 at each module of a row that differs from the upper one; arbitrary in the columns.
        rules: The rules for its version.
    """
    changes_before = changes >> 1
    varied = changes | changes_before  # 1 if the last three modules are not all equal
    varied_before = varied >> 2

    five = (varied | varied_before) & rules.has_four ^ rules.has_four  # 1 if the last five are equal
    runs = five | five << 1 | five << 2  # a run of 5 + i modules scores 3 + i points and sets 3 + i bits here

    # The last module of each square equals the left one and the upper one, which equals the fourth.
    same = changes & rules.has_previous ^ rules.has_previous
    squares = same & same >> rules.line
    squares &= changes_above & rules.has_upper ^ rules.has_upper

    # 1:1:3:1:1 of dark and light is three modules that alternate, three equal ones, and again three that alternate,
    # where each three share a module with the next; four light modules lie before or after it.
    alternating = changes & changes_before
    finders = plane & alternating & alternating >> 4
    finders ^= finders & varied_before
    four = plane | varied | varied >> 1  # 0 if the last four are light
    finders ^= finders & four << GAP & four >> 7
    # If two of them overlap, the second does not count, which is how segno interprets the standard.
    finders ^= finders & (finders >> 4 | finders >> 6)

    # The number of whole steps of 5% by which the share of dark modules differs from one half.
    steps = abs(20 * plane.bit_count() - 10 * rules.modules) // rules.modules
    return runs.bit_count() + 3 * squares.bit_count() + 40 * finders.bit_count() + 10 * steps


@cache
def _rules(version: int) -> Rules:
    shape, patterns = geometry(version), _patterns(version)
    side, gap = shape.side, LIGHT * GAP
    has_previous, has_four = (
        int((LIGHT * first + b"1" * (side - first) + gap) * (2 * side) + LIGHT * shape.spare, 2) for first in (1, 4)
    )
    rows_below_the_first = LIGHT * shape.line + (b"1" * side + gap) * (side - 1)
    return Rules(
        line=shape.line,
        modules=2 * side * side,
        has_previous=has_previous,
        has_four=has_four,
        has_upper=int(rows_below_the_first, 2) << shape.half + shape.spare,
        changes=tuple(pattern ^ pattern >> 1 for pattern in patterns),
        changes_above=tuple(pattern ^ pattern >> shape.line for pattern in patterns),
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
