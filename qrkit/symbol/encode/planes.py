"""Represents modules as bits of large integers, on which the other steps of encoding operate.

A *plane* holds all modules of a symbol twice, as bits of one integer, 1 for a dark module: first the columns from left
to right, then the rows from top to bottom. One integer operation thus applies a rule about neighbors to all rows and
all columns. Each line is followed by `GAP` light modules, like a quiet zone, so that no pattern extends from one line
into the next. The first module is the highest bit. `plane >> 1` therefore moves each module to the place of its lower
(or right) neighbor. The rows, as the lower bits, are an integer of their own, half as long.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from struct import Struct

from qrkit.symbol.symbol import side_of

GAP = 4
"""Light modules after each line, because the longest pattern in the rules ends with four."""

LIGHT = b"0"
DIGIT_VALUES = bytes(value - 48 if value in b"01" else value for value in range(256))
"""For `bytes.translate`: binary digits as the modules 0 and 1."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The layout of a version's modules in a plane. All lengths except `side` are in bits.

    A `line` is a row or column with its gap, and a `half` all rows, or all columns. `lines` cuts a half into its lines,
    without their gaps. `crossings` has the positions of the first modules of all lines, then of the second, and so on.
    """

    side: int
    line: int
    half: int
    lines: Struct
    crossings: tuple[slice, ...]

    def plane(self, columns: bytes) -> int:
        """Return the plane of modules given as digits 0 and 1: column after column, with a gap after each."""
        return int(columns + self._transpose(columns), 2)

    def plane_of_rows(self, rows: Iterable[bytes]) -> int:
        """Return the plane of modules given as rows of digits 0 and 1."""
        return self.plane(self._transpose(b"".join([row + LIGHT * GAP for row in rows])))

    def _transpose(self, lines: bytes) -> bytes:
        """Swap rows and columns."""
        gap = LIGHT * GAP
        return gap.join([lines[crossing] for crossing in self.crossings]) + gap

    def rows_alone(self, plane: int) -> int:
        """Return the rows of a plane, without its columns, as one integer; `module_bit` gives a module's bit."""
        return plane & (1 << self.half) - 1

    def module_bit(self, row: int, column: int) -> int:
        """Return the bit of one module in `rows_alone`."""
        return 1 << self.half - 1 - (row * self.line + column)

    def modules(self, rows: int) -> tuple[bytes, ...]:
        """Convert `rows_alone` to `side` rows of `side` bytes, 1 for a dark module, as in `Symbol.modules`."""
        return self.lines.unpack(f"{rows:0{self.half}b}".encode().translate(DIGIT_VALUES))


@cache
def geometry(version: int) -> Geometry:
    """Return the geometry of a version."""
    side = side_of(version)
    line = side + GAP
    half = side * line
    return Geometry(
        side=side,
        line=line,
        half=half,
        lines=Struct(f"{side}s{GAP}x" * side),
        crossings=tuple(slice(start, None, line) for start in range(side)),
    )
