"""Provides `Symbol`, an encoded matrix in the terms of ISO/IEC 18004, and the role of each of its modules."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import chain
from typing import Literal

from qrkit.late import Shown

ErrorCorrectionLevel = Literal["L", "M", "Q", "H"]


class Role(IntEnum):
    """The purpose of a module (ISO/IEC 18004:2015, 6.3). All roles except DATA belong to function patterns."""

    DATA = 0
    FINDER = 1
    SEPARATOR = 2
    TIMING = 3
    ALIGNMENT = 4
    FORMAT = 5
    VERSION = 6
    DARK_MODULE = 7


@dataclass(frozen=True, slots=True)
class Symbol(Shown):
    """An encoded QR Code, without quiet zone.

    Attributes:
        version: 1..40; -1..-4 stands for M1..M4, the versions of Micro QR Codes.
        error_correction: L, M, Q or H. M1 counts as L, although it only detects errors.
        mode: byte, numeric, alphanumeric, or mixed when the content was split into segments; unknown when the symbol
            was read from a picture.
        mask: Data mask pattern reference, 0..7; 0..3 in a Micro QR Code.
        modules: `side` rows of `side` bytes, 1 for a dark module, 0 for a light one.
    """

    version: int
    error_correction: ErrorCorrectionLevel
    mode: str
    mask: int
    modules: tuple[bytes, ...]

    @property
    def side(self) -> int:
        """Modules per side, 21..177; 11..17 in a Micro QR Code."""
        return len(self.modules)

    @property
    def name(self) -> str:
        """Version and error correction level, such as 3-M or M2-L; M1, which has no levels, stands alone."""
        return name_of(self.version, self.error_correction)

    @property
    def roles(self) -> tuple[bytes, ...]:
        """`side` rows of `side` bytes, each a `Role`."""
        return roles(self.version)

    @property
    def bit_numbers(self) -> memoryview:
        """`side` x `side` int16: the number of the message bit in each module; see `bit_numbers`."""
        return bit_numbers(self.version)

    @property
    def packed_rows(self) -> tuple[bytes, ...]:
        """`side` rows of ceil(`side` / 8) bytes, one bit per module: 1 is dark, the leftmost module the highest bit.

        The unused bits at the end of a row are 0. `side` is never a multiple of 8.
        """
        length = self.side // 8 + 1
        # All rows as one binary number, each padded to whole bytes. The number begins with a dark module.
        text = bytes(8 * length - self.side).join((*self.modules, b"")).translate(DIGITS)
        packed = int(text, 2).to_bytes(length * self.side, "big")
        return tuple([packed[start : start + length] for start in range(0, len(packed), length)])

    def __repr__(self) -> str:
        return f"<Symbol {self.name}, {self.mode}, mask {self.mask}, {self.side} x {self.side} modules>"


DIGITS = b"01" + bytes(range(2, 256))
"""For `bytes.translate`: modules 0 and 1 as the digits of a binary number."""


def side_of(version: int) -> int:
    """Return the modules per side: 4 · version + 17; 2 · number + 9 for M1..M4, which are versions -1..-4."""
    return 4 * version + 17 if version > 0 else 9 - 2 * version


def name_of(version: int, level: str) -> str:
    """Return the name of a version and its error correction level; see `Symbol.name`."""
    if version > 0:
        return f"{version}-{level}"
    return "M1" if version == -1 else f"M{-version}-{level}"


FINDER = 7
"""Modules per side of a finder pattern (6.3.3)."""

CORNERS = ("top_left", "top_right", "bottom_left")
"""The corners with finder patterns, as fields of `Markers`. A Micro QR Code has only the first."""

SMALLEST = 21
"""Modules per side of version 1; Micro QR Codes are smaller."""


def finder_places(side: int) -> dict[str, tuple[int, int]]:
    """Return row and column of the top left module of each finder pattern, by corner."""
    if side < SMALLEST:
        return {CORNERS[0]: (0, 0)}
    far = side - FINDER
    return dict(zip(CORNERS, ((0, 0), (0, far), (far, 0)), strict=True))


def alignment_centres(version: int) -> tuple[int, ...]:
    """Return the coordinates of the centers of alignment patterns (ISO/IEC 18004:2015, annex E); () without any."""
    if version <= 1:
        return ()
    count = version // 7 + 2
    # The standard spaces the centers evenly from the far edge, in even steps. Only version 32 is rounded differently.
    step = 26 if version == 32 else (version * 4 + count * 2 + 1) // (count * 2 - 2) * 2
    last = side_of(version) - 7
    return (6, *(last - step * index for index in range(count - 2, -1, -1)))


def alignment_patterns(version: int) -> list[tuple[int, int]]:
    """Return row and column of each alignment pattern's center: all crossings without a finder pattern (6.3.6)."""
    centres, last = alignment_centres(version), side_of(version) - 7
    corners = {(6, 6), (6, last), (last, 6)}
    return [(row, column) for row in centres for column in centres if (row, column) not in corners]


@cache
def roles(version: int) -> tuple[bytes, ...]:
    """Return the role of every module of a version, which does not depend on the content."""
    side, timing = side_of(version), _timing(version)
    grid = [bytearray(side) for _ in range(side)]
    _fill(grid, range(timing, timing + 1), range(side), Role.TIMING)
    _fill(grid, range(side), range(timing, timing + 1), Role.TIMING)
    _alignment(grid, version)
    if version > 0:
        _format_and_version(grid, version)
    else:
        _micro_format(grid)
    for top, left in finder_places(side).values():
        _fill(
            grid,
            range(max(top - 1, 0), min(top + 8, side)),
            range(max(left - 1, 0), min(left + 8, side)),
            Role.SEPARATOR,
        )
        _fill(grid, range(top, top + 7), range(left, left + 7), Role.FINDER)
    return tuple(bytes(row) for row in grid)


def _timing(version: int) -> int:
    """Return the row and column of the timing patterns (6.3.5)."""
    return 6 if version > 0 else 0


def _fill(grid: list[bytearray], rows: range, columns: range, role: Role) -> None:
    for row in rows:
        grid[row][columns.start : columns.stop] = bytes([role]) * len(columns)


def _alignment(grid: list[bytearray], version: int) -> None:
    """Mark 5 x 5 modules around each center (6.3.6)."""
    for row, column in alignment_patterns(version):
        _fill(grid, range(row - 2, row + 3), range(column - 2, column + 3), Role.ALIGNMENT)


def _format_and_version(grid: list[bytearray], version: int) -> None:
    """Mark the format information around the finder patterns (7.9) and, from version 7, version information (7.10)."""
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


def _micro_format(grid: list[bytearray]) -> None:
    """Mark the format information of a Micro QR Code (7.9)."""
    for index in range(1, 9):
        grid[8][index] = grid[index][8] = Role.FORMAT


@cache
def bit_numbers(version: int) -> memoryview:
    """Return the number of the message bit that each module of a version holds (ISO/IEC 18004:2015, 7.7.3).

    `side` x `side` numbers, int16, read-only, indexed by [row, column]; `numpy.asarray` converts them to an array
    without a copy. -1 marks function patterns. k is bit k % 8 of codeword k // 8 of the final message, the highest bit
    of a codeword first; numbers beyond the last codeword are remainder bits. In M1 and M3, the last data codeword has
    only 4 bits. `qrkit.symbol.encode.blocks.codeword_blocks` returns the block of each codeword.
    """
    side = side_of(version)
    is_function = b"".join(roles(version))
    numbers = array("h", [-1]) * (side * side)
    encoding_region = [module for module in _zigzag(side, _timing(version)) if not is_function[module]]
    for number, module in enumerate(encoding_region):
        numbers[module] = number
    return memoryview(numbers).toreadonly().cast("B").cast("h", (side, side))


def _zigzag(side: int, timing: int) -> chain[int]:
    """Order modules, numbered row by row, as 7.7.3 does: in pairs of columns from the right, up and down."""
    strips = []
    # The column of the vertical timing pattern belongs to no pair.
    for number, right in enumerate([*range(side - 1, timing, -2), *range(timing - 1, 0, -2)]):
        down = range(right, side * side, side)
        column = down if number % 2 else down[::-1]
        strips.append(chain.from_iterable((module, module - 1) for module in column))
    return chain.from_iterable(strips)
