"""Finds the contours of modules: the lines around connected dark cells, and around the holes in them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress

Contour = list[tuple[int, int]]
"""Every second corner of a closed line, as column and row, 0 at the top left.

From one corner to the next, and from the last to the first, the line first runs across and then down or up.
"""

UPPER_LEFT, UPPER_RIGHT, LOWER_LEFT, LOWER_RIGHT = 8, 4, 2, 1
"""Values of the four cells around a point. Their sum says which of them are dark."""
FALLING, RISING = UPPER_LEFT + LOWER_RIGHT, UPPER_RIGHT + LOWER_LEFT
"""The points at which only the corners of two dark cells touch. Each is a corner of two lines."""
IS_CORNER = bytes(around in (1, 2, 4, 7, 8, 11, 13, 14, FALLING, RISING) for around in range(256))
IS_TWO_CORNERS = bytes(around in (FALLING, RISING) for around in range(256))
IS_FALLING, IS_RISING = (bytes(around == one for around in range(256)) for one in (FALLING, RISING))


def contours(cells: Sequence[bytes], *, bridged: bool = True) -> list[Contour]:
    """Return the contours of the cells that are 1, by their first corner from top to bottom and left to right.

    Dark cells are always on the right of a contour, so the non-zero and the even-odd rule fill the same area. If
    `bridged`, cells that touch only at a corner belong to one contour.
    """
    around, points = surroundings(cells), _grid(len(cells[0]) + 1, len(cells) + 1)
    # Row by row, horizontal sides join the first corner with the second, the third with the fourth, and so on.
    corners = _corners(around)
    partners = _vertical_partners(corners, around, len(cells[0]) + 1, IS_FALLING if bridged else IS_RISING)
    is_open = bytearray(b"\1" * len(corners))
    found = []
    while (start := is_open.find(1)) >= 0:
        # The contour of a hole begins at the other end of its first side, so that dark cells are on the right, too.
        index = start if around[corners[start]] & LOWER_RIGHT else start ^ 1
        contour = []
        while is_open[index]:
            is_open[index] = is_open[index ^ 1] = 0
            contour.append(points[corners[index]])
            index = partners[index ^ 1]
        found.append(contour)
    return found


def surroundings(cells: Sequence[bytes]) -> bytes:
    """Return what is around each point of the grid between the cells, row by row."""
    columns, rows = len(cells[0]) + 1, len(cells) + 1
    # One number holds all cells, with a light cell after each row and a light row at the end. Its byte at a point is
    # the cell to the lower right. Shifting by a byte moves cells to the next point, and by a row to the point below.
    lower_right = int.from_bytes(b"\0".join((*cells, bytes(columns))), "big")
    lower = lower_right | lower_right >> 8 << 1
    return (lower | lower >> 8 * columns << 2).to_bytes(columns * rows, "big")


def _corners(around: bytes) -> list[int]:
    """Return the indices of points where lines turn, in order; those of two lines are there twice."""
    is_taken = bytearray(2 * len(around))
    is_taken[::2], is_taken[1::2] = around.translate(IS_CORNER), around.translate(IS_TWO_CORNERS)
    return list(compress(_twice(len(around)), is_taken))


@lru_cache(maxsize=8)
def _twice(points: int) -> list[int]:
    """Return the index of each point twice."""
    return [point for point in range(points) for _ in range(2)]


def _vertical_partners(corners: list[int], around: bytes, columns: int, is_crossed: bytes) -> list[int]:
    """Return, for each corner, the index of the corner at the other end of its vertical side.

    `is_crossed` is for `bytes.translate`: whether, of two lines at a point, the one from the left continues downwards.
    """
    partners, ends = [0] * len(corners), [-1] * columns
    for index, corner in enumerate(corners):
        # In each column, the first corner is the upper end of a side, the second the lower end, and so on.
        column = corner % columns
        if (upper := ends[column]) < 0:
            ends[column] = index
        else:
            partners[index], partners[upper] = upper, index
            ends[column] = -1
    # The first of two corners at a point ends the side from the left. It continues upwards, which joins dark cells that
    # rise from left to right, and parts those that fall.
    for point in compress(range(len(around)), around.translate(is_crossed)):
        first = bisect_left(corners, point)
        below, above = partners[first], partners[first + 1] = partners[first + 1], partners[first]
        partners[below], partners[above] = first, first + 1
    return partners


@lru_cache(maxsize=8)
def _grid(columns: int, rows: int) -> list[tuple[int, int]]:
    """Return column and row of each point of a grid, row by row."""
    return [(column, row) for row in range(rows) for column in range(columns)]
