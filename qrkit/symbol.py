"""`Symbol`: an encoded matrix in the words of ISO/IEC 18004, and what each of its modules is for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Literal

__all__ = ["Role", "Symbol", "alignment_centres", "roles", "side_of"]

ErrorCorrectionLevel = Literal["L", "M", "Q", "H"]


class Role(IntEnum):
    """What a module is for (ISO/IEC 18004:2015, 6.3). All but DATA belong to function patterns."""

    DATA = 0
    FINDER = 1
    SEPARATOR = 2
    TIMING = 3
    ALIGNMENT = 4
    FORMAT = 5
    VERSION = 6
    DARK_MODULE = 7


@dataclass(frozen=True, slots=True)
class Symbol:
    """An encoded QR Code, without quiet zone.

    Attributes:
        version: 1..40.
        error_correction: L, M, Q or H.
        mode: byte, numeric, alphanumeric, or mixed when the content was split into segments.
        mask: Data mask pattern reference, 0..7.
        modules: `side` rows of `side` bytes, 1 for a dark module, 0 for a light one.
    """

    version: int
    error_correction: ErrorCorrectionLevel
    mode: str
    mask: int
    modules: tuple[bytes, ...]

    @property
    def side(self) -> int:
        """Modules per side, 21..177."""
        return len(self.modules)

    @property
    def roles(self) -> tuple[bytes, ...]:
        """`side` rows of `side` bytes, each a `Role`."""
        return roles(self.version)

    def __repr__(self) -> str:
        name = f"{self.version}-{self.error_correction}"
        return f"<Symbol {name}, {self.mode}, mask {self.mask}, {self.side} x {self.side} modules>"


def side_of(version: int) -> int:
    """Modules per side of a version: 4 · version + 17."""
    return 4 * version + 17


def alignment_centres(version: int) -> tuple[int, ...]:
    """Coordinates of the centres of alignment patterns (ISO/IEC 18004:2015, annex E); none in version 1."""
    if version == 1:
        return ()
    count = version // 7 + 2
    # The standard spaces them evenly from the far edge, in even steps; version 32 alone is an exception to the
    # rounding.
    step = 26 if version == 32 else (version * 4 + count * 2 + 1) // (count * 2 - 2) * 2
    last = side_of(version) - 7
    return (6, *(last - step * index for index in range(count - 2, -1, -1)))


@cache
def roles(version: int) -> tuple[bytes, ...]:
    """The role of every module of a version: they stand in the same place whatever the content is."""
    side = side_of(version)
    grid = [bytearray(side) for _ in range(side)]
    _fill(grid, range(6, 7), range(side), Role.TIMING)
    _fill(grid, range(side), range(6, 7), Role.TIMING)
    _alignment(grid, version)
    _format_and_version(grid, version)
    for top, left in ((0, 0), (0, side - 7), (side - 7, 0)):
        _fill(
            grid,
            range(max(top - 1, 0), min(top + 8, side)),
            range(max(left - 1, 0), min(left + 8, side)),
            Role.SEPARATOR,
        )
        _fill(grid, range(top, top + 7), range(left, left + 7), Role.FINDER)
    return tuple(bytes(row) for row in grid)


def _fill(grid: list[bytearray], rows: range, columns: range, role: Role) -> None:
    for row in rows:
        grid[row][columns.start : columns.stop] = bytes([role]) * len(columns)


def _alignment(grid: list[bytearray], version: int) -> None:
    """5 x 5 modules around each centre, but where a finder pattern stands (6.3.6)."""
    centres = alignment_centres(version)
    corners = {(6, 6), (6, len(grid) - 7), (len(grid) - 7, 6)}
    for row in centres:
        for column in centres:
            if (row, column) not in corners:
                _fill(
                    grid,
                    range(row - 2, row + 3),
                    range(column - 2, column + 3),
                    Role.ALIGNMENT,
                )


def _format_and_version(grid: list[bytearray], version: int) -> None:
    """Format information around the finder patterns (7.9), version information from version 7 on (7.10)."""
    side = len(grid)
    for index in range(9):
        if index != 6:
            grid[8][index] = grid[index][8] = Role.FORMAT
    for index in range(side - 8, side):
        grid[8][index] = grid[index][8] = Role.FORMAT
    grid[side - 8][8] = Role.DARK_MODULE
    if version >= 7:
        _fill(grid, range(6), range(side - 11, side - 8), Role.VERSION)
        _fill(grid, range(side - 11, side - 8), range(6), Role.VERSION)
