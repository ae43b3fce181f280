"""Draws connected modules with round corners, which may be rounder than one module allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qrkit.design.outline import KAPPA, Outline, Segment

__all__ = ["smoothed"]

Point = tuple[int, int]
"""Column and row of a corner between cells, or a direction; y runs down."""
Side = tuple[Point, Point]
"""A side of a cell: where it begins, and its direction, clockwise around the cell."""

RIGHT_OF = {(1, 0): (0, 1), (0, 1): (-1, 0), (-1, 0): (0, -1), (0, -1): (1, 0)}
"""Each direction, and the one to its right."""


def smoothed(cells: Sequence[bytes], outer: float, inner: float, *, bridged: bool = False) -> Outline:
    """Draw the contours of cells with round corners. A corner takes at most half of the shorter side next to it.

    Args:
        cells: Rows of bytes, 1 for each cell with a module.
        outer: Largest radius of corners that point outwards, in cells.
        inner: Largest radius of corners that point inwards, which are filled.
        bridged: True to join cells that touch only at a corner.
    """
    return Outline.joined(_round_off(sides, outer, inner) for sides in _contours(cells, bridged=bridged))


def _contours(cells: Sequence[bytes], *, bridged: bool) -> Iterator[list[Side]]:
    """Yield the sides of each contour in order. Cells lie on its right, so contours of holes run the other way."""
    left = dict.fromkeys(_sides(cells))
    known = frozenset(left)
    while left:
        first = side = next(iter(left))
        contour: list[Side] = []
        while not contour or side != first:
            contour.append(side)
            del left[side]
            side = _following(side, known, bridged=bridged)
        yield contour


def _sides(cells: Sequence[bytes]) -> Iterator[Side]:
    """Yield the sides that separate a cell with a module from one without."""
    blank = bytes(len(cells[0]))
    for y, line in enumerate(cells):
        above = cells[y - 1] if y else blank
        below = cells[y + 1] if y + 1 < len(cells) else blank
        for x, (dark, up, down, before, after) in enumerate(
            zip(line, above, below, b"\0" + line[:-1], line[1:] + b"\0", strict=True)
        ):
            if dark and not up:
                yield (x, y), (1, 0)
            if dark and not after:
                yield (x + 1, y), (0, 1)
            if dark and not down:
                yield (x + 1, y + 1), (-1, 0)
            if dark and not before:
                yield (x, y + 1), (0, -1)


def _following(side: Side, known: frozenset[Side], *, bridged: bool) -> Side:
    """Return the side after another. Where two cells touch at a corner there are two, one on each cell."""
    (x, y), heading = side
    end = (x + heading[0], y + heading[1])
    right = RIGHT_OF[heading]
    left = (-right[0], -right[1])
    choices = (left, heading, right) if bridged else (right, heading, left)
    return next((end, choice) for choice in choices if (end, choice) in known)


def _round_off(contour: list[Side], outer: float, inner: float) -> Outline:
    """Draw a contour with round corners."""
    corners = [
        (point, before, after)
        for (_, before), (point, after) in zip((contour[-1], *contour), contour, strict=False)
        if before != after
    ]
    points = [point for point, _, _ in corners]
    lengths = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in zip((points[-1], *points), points, strict=False)]
    segments: list[Segment] = []
    for (point, before, after), length, other in zip(corners, lengths, (*lengths[1:], lengths[0]), strict=True):
        limit = outer if RIGHT_OF[before] == after else inner
        segments += _corner(point, before, after, min(limit, length / 2, other / 2))
    return Outline((("M", segments[0][1]), *segments[1:], ("Z", ())))


def _corner(point: Point, before: Point, after: Point, radius: float) -> list[Segment]:
    """Draw a line to a corner, and around it to where the next line begins."""
    (x, y), (in_x, in_y), (out_x, out_y) = point, before, after
    start = (x - in_x * radius, y - in_y * radius)
    if not radius:
        return [("L", start)]
    rest = radius * (1 - KAPPA)
    end = (x + out_x * radius, y + out_y * radius)
    return [("L", start), ("C", (x - in_x * rest, y - in_y * rest, x + out_x * rest, y + out_y * rest, *end))]
