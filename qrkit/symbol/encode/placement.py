"""Places codewords in modules, before masking (ISO/IEC 18004:2015, 7.7.3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from qrkit.symbol.encode.function_patterns import dark_patterns
from qrkit.symbol.encode.planes import GAP, Geometry, geometry
from qrkit.symbol.symbol import Role, bit_numbers, roles

WINDOW = 256
"""Message bits that one piece can refer to: `bytes.translate` picks from a table of 256."""


class Piece(NamedTuple):
    """Modules, in column order, whose bits come from one window of the message, which begins at bit `start`.

    `picks` is the index of each module's bit in the window; it is arbitrary for function patterns and gaps.
    """

    start: int
    picks: bytes


class Places(NamedTuple):
    """The positions of the message bits in a version, `bits` in number with remainder bits.

    The pieces hold all modules, column by column from the left, each column from the top and followed by a gap.
    `dark_patterns` is the plane of the dark modules of function patterns.
    """

    bits: int
    pieces: tuple[Piece, ...]
    dark_patterns: int


def place(message: bytes, version: int) -> int:
    """Return the plane of a symbol without mask, format and version information; its message has all codewords."""
    places = _places(version)
    # One digit per bit. Remainder bits are 0, as are the bits beyond them in the last windows.
    digits = f"{int.from_bytes(message, 'big'):0{8 * len(message)}b}".encode()
    digits = digits.ljust(places.bits + WINDOW, b"0")
    columns = b"".join([picks.translate(digits[start : start + WINDOW]) for start, picks in places.pieces])
    return geometry(version).plane(columns) & encoding_region(version) | places.dark_patterns


@cache
def encoding_region(version: int) -> int:
    """Return the plane of the modules that hold message bits."""
    is_data = bytes([ord("1") if role == Role.DATA else ord("0") for role in range(256)])
    return geometry(version).plane_of_rows([row.translate(is_data) for row in roles(version)])


@cache
def _places(version: int) -> Places:
    shape = geometry(version)
    columns = zip(*bit_numbers(version).tolist(), strict=True)
    numbers = [number for column in columns for number in (*column, *[-1] * GAP)]
    return Places(
        bits=max(numbers) + 1,
        pieces=tuple(_pieces(numbers, shape)),
        dark_patterns=shape.plane_of_rows(dark_patterns(version)),
    )


def _pieces(numbers: list[int], shape: Geometry) -> Iterator[Piece]:
    """Cut modules into the longest pieces that fit a window; `numbers` are their bit numbers, -1 for no bit."""
    # The bits of half a column are at most 182 apart.
    halves = [column + half for column in range(0, len(numbers), shape.line) for half in (0, shape.line // 2)]
    begin, limits = 0, list[int]()
    for start, end in pairwise([*halves, len(numbers)]):
        added = [number for number in numbers[start:end] if number >= 0]
        reach = limits + added
        if reach and max(reach) - min(reach) >= WINDOW:
            yield _piece(numbers[begin:start], limits[0])
            begin, reach = start, added
        limits = [min(reach), max(reach)] if reach else []
    yield _piece(numbers[begin:], limits[0])


def _piece(numbers: list[int], start: int) -> Piece:
    return Piece(start, bytes([number - start if number > start else 0 for number in numbers]))
