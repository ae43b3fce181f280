"""Modules as bits of large integers: what all other steps of encoding compute with.

A *plane* holds all modules of a symbol twice, as bits of one integer, 1 for a dark module: first the rows from top to
bottom, then the columns from left to right. So a rule for neighbours in a row is applied to all rows and all columns
by one operation on integers. Each line is followed by `GAP` light modules, as the quiet zone would do, so that no
pattern reaches from one line into the next. The first module is the highest bit; a few 0 bits at the end fill up the
last byte. `plane >> 1` therefore brings each module to the place of its right (or lower) neighbour.

A *stack* is several planes of a version, one after another in one integer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from qrkit.symbol.symbol import side_of

__all__ = ["GAP", "Geometry", "geometry"]

GAP = 4
"""Light modules after each line: the longest pattern that is looked for ends with four."""

LIGHT = b"0"
DIGIT_VALUES = bytes(value - 48 if value in b"01" else value for value in range(256))
"""For `bytes.translate`: binary digits as the modules 0 and 1."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where the modules of a version are in a plane; its numbers are bits, but for the first.

    Attributes:
        side: Modules per side.
        line: A row or a column and the gap after it.
        half: All rows, or all columns.
        spare: What fills up the last byte of a plane.
        lines: Where each line is among the modules of a half, without its gap.
        crossings: Where the first modules of all lines are, the second ones, and so on.
    """

    side: int
    line: int
    half: int
    spare: int
    lines: tuple[slice, ...]
    crossings: tuple[slice, ...]

    @property
    def plane_bytes(self) -> int:
        """Bytes of a plane."""
        return (2 * self.half + self.spare) // 8

    def plane(self, columns: bytes) -> int:
        """The plane of modules given as digits 0 and 1: the columns one after another, a gap after each."""
        return int(self._turned(columns) + columns + LIGHT * self.spare, 2)

    def plane_of_rows(self, rows: Iterable[bytes]) -> int:
        """The plane of modules given as rows of digits 0 and 1."""
        return self.plane(self._turned(b"".join([row + LIGHT * GAP for row in rows])))

    def _turned(self, lines: bytes) -> bytes:
        """Columns become rows, or rows columns: the first modules of all lines, the second ones, and so on."""
        gap = LIGHT * GAP
        return gap.join([lines[crossing] for crossing in self.crossings]) + gap

    def stacked(self, plane: int, count: int) -> int:
        """A stack of `count` equal planes."""
        return int.from_bytes(plane.to_bytes(self.plane_bytes, "big") * count, "big")

    def rows_alone(self, plane: int) -> int:
        """The rows of a plane without its columns; a module of it is `module_bit`."""
        return plane >> self.half + self.spare

    def module_bit(self, row: int, column: int) -> int:
        """One dark module among the rows alone."""
        return 1 << self.half - 1 - (row * self.line + column)

    def modules(self, rows: int) -> tuple[bytes, ...]:
        """Rows alone -> `side` rows of `side` bytes, 1 for a dark module, as a `Symbol` has them."""
        values = f"{rows:0{self.half}b}".encode().translate(DIGIT_VALUES)
        return tuple([values[line] for line in self.lines])


@cache
def geometry(version: int) -> Geometry:
    """The geometry of a version."""
    side = side_of(version)
    line = side + GAP
    half = side * line
    return Geometry(
        side=side,
        line=line,
        half=half,
        spare=-2 * half % 8,
        lines=tuple(slice(start, start + side) for start in range(0, half, line)),
        crossings=tuple(slice(start, None, line) for start in range(side)),
    )
