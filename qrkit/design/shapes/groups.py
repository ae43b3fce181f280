"""Draws modules in groups: bubbles, crosses, a lattice, diagonal lines, and bricks, all measured in cells.

Readers sample the middle of a cell, so whatever a group covers there is dark, and the middle of a light cell stays
free. Shapes that readers fail to find have no style: isometric cubes, whose modules are no squares, pictures that a
model blends with a symbol, and animations, of which a camera sees a frame in between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress, count

from qrkit.design.outline import Outline, Placed, circle, rounded
from qrkit.design.runs import runs, turned
from qrkit.design.shapes.sprites import SPRITES, cross

Cells = Sequence[bytes]
"""Rows of bytes, 1 for each cell with a module."""
Form = tuple[str, Outline]
"""Rows of a square of cells, # for a dark one, . for a light one and ? for either, and what is drawn on the dark ones,
measured from the first cell."""

DOT = circle(0, 0, 0.47)
"""A module without neighbors, measured from its center."""
LINE = 0.76
"""Width of the lines of a lattice."""
SLANT = 0.72
"""Width of diagonal lines, of which each crosses only half of a cell's corners."""
MORTAR = 0.1
"""Gap between bricks."""
REACH, ARM = 0.42, 0.27
"""How far a large cross goes beyond the middle of its outermost cells, and half of the width of its arms."""

BUBBLES: tuple[Form, ...] = (
    ("?#?" "###" "?#?", circle(1.5, 1.5, 1.2)),
    ("?#?" "#.#" "?#?", circle(1.5, 1.5, 1.22) + circle(1.5, 1.5, 0.66).hole()),
    ("##" "##", circle(1, 1, 0.97)),
    ("#", DOT.placed(0.5, 0.5)),
)  # fmt: skip
CROSSES: tuple[Form, ...] = (
    ("#.#" ".#." "#.#", cross(math.sqrt(2) + REACH, ARM, math.pi / 4).placed(1, 1)),
    ("##" "##", cross(math.sqrt(0.5) + REACH, ARM, math.pi / 4).placed(0.5, 0.5)),
    ("#", SPRITES["x"]),
)  # fmt: skip


def bubbles(cells: Cells) -> Iterator[Placed]:
    """Draw bubbles and rings over three by three modules, bubbles over two by two, and dots."""
    return _fitted(cells, BUBBLES)


def crosses(cells: Cells) -> Iterator[Placed]:
    """Draw crosses over three by three, two by two and single modules."""
    return _fitted(cells, CROSSES)


def lattice(cells: Cells) -> Iterator[Placed]:
    """Join the modules of each row and of each column into lines with round ends."""
    rows, columns = runs(cells), [(column, row, length) for row, column, length in runs(turned(cells))]
    for lines, across, down in ((rows, 1, 0), (columns, 0, 1)):
        for column, row, length in lines:
            if length > 1:
                yield _line(length - 1, across, down, LINE), column + 0.5, row + 0.5
    for column, row, length in sorted({*rows}.intersection(columns)):
        if length == 1:
            yield DOT, column + 0.5, row + 0.5


def diagonal(cells: Cells) -> Iterator[Placed]:
    """Join the modules that touch from the lower left to the upper right into lines with round ends."""
    # With each row one cell further to the right than the row above, the lines are columns.
    slanted = [bytes(row) + line + bytes(len(cells) - row) for row, line in enumerate(cells)]
    for top, place, length in runs(turned(slanted)):
        bottom = top + length - 1
        yield _line(length - 1, 1, -1, SLANT) if length > 1 else DOT, place - bottom + 0.5, bottom + 0.5


def _fitted(cells: Cells, forms: Sequence[Form]) -> Iterator[Placed]:
    """Yield the forms in place, the first ones wherever they fit, so that each module is drawn once."""
    # Numbers of one byte per cell, with two empty ones after each row, so that no form fits across the end of a row.
    width = len(cells[0]) + 2
    left = bytearray(b"\0\0".join(cells))
    dark = int.from_bytes(left, "little")
    light = dark ^ int.from_bytes(b"\0\0".join([b"\1" * (width - 2)] * len(cells)), "little")
    for pattern, outline in forms:
        side = math.isqrt(len(pattern))
        wanted = [(index // side * width + index % side, one) for index, one in enumerate(pattern)]
        drawn = [after for after, one in wanted if one == "#"]
        fits = int.from_bytes(left, "little") >> 8 * drawn[0]
        for after, one in wanted:
            if one != "?":
                fits &= (dark if one == "#" else light) >> 8 * after
        for place in compress(count(), fits.to_bytes(len(left), "little")):
            if all(left[place + after] for after in drawn):
                for after in drawn:
                    left[place + after] = 0
                yield outline, place % width, place // width


@lru_cache(maxsize=256)
def _line(steps: int, across: int, down: int, width: float) -> Outline:
    """Draw a line with round ends from 0, 0 over a number of cells in a direction."""
    length = math.hypot(across, down)
    bar = rounded(-width / 2, -width / 2, steps * length + width, width, width / 2)
    return bar.transformed((across / length, down / length, -down / length, across / length, 0, 0))


def bricks(cells: Cells) -> Iterator[Placed]:
    """Draw the modules as bricks of one or two, each row shifted against the next."""
    edge = MORTAR / 2
    for row, line in enumerate(cells):
        column = 0
        while column < len(line):
            is_long = (column + row) % 2 == 0 and line[column : column + 2] == b"\1\1"
            if line[column]:
                yield rounded(edge, edge, 1 + is_long - MORTAR, 1 - MORTAR, edge), column, row
            column += 1 + is_long
