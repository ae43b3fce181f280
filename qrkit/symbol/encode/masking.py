"""Applies the eight data mask patterns and chooses the best (ISO/IEC 18004:2015, 7.8)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from qrkit.symbol.encode.placement import encoding_region
from qrkit.symbol.encode.planes import GAP, LIGHT, geometry
from qrkit.symbol.symbol import side_of

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


FIXED_FINDERS = 18
"""Patterns like finders that each symbol has at least, whatever the mask: three rows and columns of each finder.

Where data make one of these overlap a pattern before it, that pattern counts in its place.
"""


class Rules(NamedTuple):
    """What the rules need to know about a version: numbers, and planes.

    Attributes:
        line: Distance from a module of a row to the upper one, in bits.
        modules: Modules in a plane, which holds each module of the symbol twice.
        has_previous: 1 at each module that has a previous one on its line.
        has_upper: 1 at each module of a row that has an upper one; 0 in the columns, as in `changes_above`.
        changes: For each mask, 1 where its pattern differs from the previous module on the line.
        changes_above: For each mask, 1 where its pattern differs from the upper module of a row.
    """

    line: int
    modules: int
    has_previous: int
    has_upper: int
    changes: tuple[int, ...]
    changes_above: tuple[int, ...]


def best_mask(plane: int, version: int) -> int:
    """Return the mask with the lowest penalty, the first of equal ones (7.8.3).

    The plane is that of an unmasked symbol with blank format and version information.
    """
    rules, patterns = _rules(version), _patterns(version)
    # Bits are inverted by `one ^ one & other`, because `~` returns a negative number and Python is slow with those.
    equal = (plane ^ plane >> 1) & rules.has_previous ^ rules.has_previous
    equal_above = (plane ^ plane >> rules.line) & rules.has_upper ^ rules.has_upper
    # Where a pattern changes, neighbors that were equal differ after masking, and the other way round.
    masks = zip(rules.changes, rules.changes_above, strict=True)
    least = [
        (_blocks_penalty(equal ^ changes, equal_above ^ changes_above), mask)
        for mask, (changes, changes_above) in enumerate(masks)
    ]
    best = (rules.modules * rules.modules, 0)  # more than any penalty
    for points, mask in sorted(least):
        if points + 40 * FIXED_FINDERS > best[0]:
            break  # neither this mask nor those after it can be better
        best = min(best, (points + _patterns_penalty(plane ^ patterns[mask], rules.modules), mask))
    return best[1]


def masked(plane: int, version: int, mask: int) -> int:
    """Invert the encoding region of a plane with a mask pattern. Masking twice returns the original plane."""
    return plane ^ _patterns(version)[mask]


# Each rule of table 11 is evaluated for all modules at once. Each intermediate plane says something about the modules
# that end at a bit.


def _blocks_penalty(equal: int, equal_above: int) -> int:
    """Return the penalty points for runs and squares of one color.

    A plane is 1 where a module equals the previous one on its line, or the upper one, which only those of rows have.
    """
    three = equal & equal >> 1  # 1 if the last three modules are equal
    five = three & three >> 2
    runs = five | five << 1 | five << 2  # a run of 5 + i modules scores 3 + i points and sets 3 + i bits here
    # The last module of a square equals the left one, and both equal the modules above them.
    squares = equal_above & equal_above >> 1 & equal
    return runs.bit_count() + 3 * squares.bit_count()


def _patterns_penalty(plane: int, modules: int) -> int:
    """Return the penalty points of a masked plane: patterns like those of finders, and the share of dark modules."""
    changes = plane ^ plane >> 1
    changes_before = changes >> 1
    varied = changes | changes_before  # 1 if the last three modules are not all equal
    # 1:1:3:1:1 of dark and light is three modules that alternate, three equal ones, and again three that alternate,
    # where each three share a module with the next; four light modules lie before or after it.
    alternating = changes & changes_before
    finders = plane & alternating & alternating >> 4
    finders ^= finders & varied >> 2
    four = plane | varied | varied >> 1  # 0 if the last four are light
    finders ^= finders & four << GAP & four >> 7
    # If two of them overlap, the second does not count, which is how segno interprets the standard.
    finders ^= finders & (finders >> 4 | finders >> 6)
    # The number of whole steps of 5% by which the share of dark modules differs from one half.
    steps = abs(20 * plane.bit_count() - 10 * modules) // modules
    return 40 * finders.bit_count() + 10 * steps


@cache
def _rules(version: int) -> Rules:
    shape, patterns = geometry(version), _patterns(version)
    side, gap = shape.side, LIGHT * GAP
    has_previous = int((LIGHT + b"1" * (side - 1) + gap) * (2 * side), 2)
    has_upper = int((b"1" * side + gap) * (side - 1), 2)
    return Rules(
        line=shape.line,
        modules=2 * side * side,
        has_previous=has_previous,
        has_upper=has_upper,
        changes=tuple((pattern ^ pattern >> 1) & has_previous for pattern in patterns),
        changes_above=tuple((pattern ^ pattern >> shape.line) & has_upper for pattern in patterns),
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
