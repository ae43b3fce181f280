"""Provides `EYES`, the shapes of finder patterns, on a grid of 7 x 7 modules.

`eye-1` to `eye-17` look different and scan as well as the default. They respect the two methods by which readers find
a finder pattern. Some readers measure runs: on lines through the middle, ring, gap, pupil, gap and ring must be
1 : 1 : 3 : 1 : 1 modules long, so the pupil is at least 2.6 modules wide there and half a module away from the ring.
Others take the four outermost points of the ring as its corners, so the ring has sharp corners (a radius of 0.4 makes
such readers fail) and is one piece. Therefore the rings vary only along their sides and inside.

The shapes after them are bolder: readers of the first kind find them, readers of the second kind rarely do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from qrkit.design.limits import MarkerPattern
from qrkit.design.outline import Outline, bowed, chamfered, circle, polygon, rectangle, rounded, squircle, star
from qrkit.errors import InvalidParameter, Problem, nearest

__all__ = ["EYES", "Eye", "eye"]

SIDE = 7
MIDDLE = SIDE / 2

Radii = float | tuple[float, float, float, float]
"""One radius for all corners, or four radii clockwise from top left."""


@dataclass(frozen=True, slots=True)
class Eye:
    """The shape of a finder pattern.

    Attributes:
        outer: The ring, with its hole.
        inner: The pupil.
        safe: For a bold shape, the name of the most similar safe one; None for a safe shape.
        mirrored: True if the shape has a direction, so that it is mirrored in the other corners of the symbol.
    """

    outer: Outline
    inner: Outline
    safe: MarkerPattern | None = None
    mirrored: bool = False


WINDOW = rectangle(1, 1, 5, 5).hole()
"""The hole of most rings."""


def _ring(outside: Radii = 0, inside: Radii = 0) -> Outline:
    """Draw a ring one module wide, with the radii of its outer and inner corners."""
    return rounded(0, 0, SIDE, SIDE, outside) + rounded(1, 1, 5, 5, inside).hole()


def _disc(radius: float) -> Outline:
    return circle(MIDDLE, MIDDLE, radius)


def _pupil(side: float, radii: Radii = 0) -> Outline:
    """Draw a square pupil with round corners."""
    start = MIDDLE - side / 2
    return rounded(start, start, side, side, radii)


def _beads() -> Outline:
    """Draw discs along the sides, and squares at the corners."""
    beads = [circle(x + 0.5, y + 0.5, 0.5) for index in range(1, 6) for x, y in ((index, 0), (6, index))]
    beads += [circle(x + 0.5, y + 0.5, 0.5) for index in range(1, 6) for x, y in ((index, 6), (0, index))]
    return Outline.joined((*beads, *(rectangle(x, y, 1, 1) for x in (0, 6) for y in (0, 6))))


def _necklace() -> Outline:
    """Draw a ring of beads. A string joins them, because small images would show gaps between beads that only touch."""
    return _beads() + rectangle(0.36, 0.36, 6.28, 6.28) + rectangle(0.64, 0.64, 5.72, 5.72).hole()


def _scalloped() -> Outline:
    """Draw a ring with small arcs along its sides."""
    return _beads() + rectangle(0.2, 0.2, 6.6, 6.6) + WINDOW


def _battlements() -> Outline:
    """Draw a ring with a notch in its outer edge wherever two modules meet."""
    wide, deep = 0.2, 0.25
    top = [(0.0, 0.0)]
    for at in range(1, SIDE):
        top += [(at - wide, 0), (at - wide, deep), (at + wide, deep), (at + wide, 0)]
    right = [(SIDE - y, x) for x, y in top]
    bottom = [(SIDE - x, SIDE - y) for x, y in top]
    left = [(y, SIDE - x) for x, y in top]
    return polygon(*top, *right, *bottom, *left) + WINDOW


def _cushion(start: float, bow: float) -> Outline:
    """Draw a centered square with curved sides."""
    end = SIDE - start
    return bowed(bow, (start, start), (end, start), (end, end), (start, end))


def _flower(petals: int, distance: float, radius: float, turn: float = 0) -> Outline:
    """Draw discs around a larger one. The first is at the top, or `turn` of a full turn further."""
    angles = [2 * math.pi * (index / petals + turn) for index in range(petals)]
    around = (
        circle(MIDDLE + distance * math.sin(angle), MIDDLE - distance * math.cos(angle), radius) for angle in angles
    )
    return Outline.joined((_disc(distance), *around))


def _plus() -> Outline:
    return rectangle(1.95, 2.55, 3.1, 1.9) + rectangle(2.55, 1.95, 1.9, 3.1)


def _heart() -> Outline:
    half = Outline(
        (
            ("M", (0, -0.58)),
            ("C", (0.25, -1.05, 1, -1.05, 1, -0.25)),
            ("C", (1, 0.35, 0.45, 0.67, 0, 1.02)),
            ("C", (-0.45, 0.67, -1, 0.35, -1, -0.25)),
            ("C", (-1, -1.05, -0.25, -1.05, 0, -0.58)),
            ("Z", ()),
        )
    )
    return half.placed(MIDDLE, MIDDLE + 0.05, 1.75)


STAR = star(MIDDLE, 3.55, 2.0, 1.4, 5)

EYES = {
    "default": Eye(_ring(), _pupil(3)),
    "eye-1": Eye(_ring(0.2, 0.8), _pupil(3, 0.9)),
    "eye-2": Eye(_ring(), _disc(1.7)),
    "eye-3": Eye(_ring(0, 1.4), _disc(1.7)),
    "eye-4": Eye(rectangle(0, 0, 7, 7) + chamfered(1, 1, 5, 0.4).hole(), chamfered(1.9, 1.9, 3.2, 0.8)),
    "eye-5": Eye(_ring(0, (1, 0, 1, 0)), _pupil(3.2, (1.4, 0, 1.4, 0)), mirrored=True),
    "eye-6": Eye(_ring(0, (1, 1, 0, 1)), _pupil(3.2, (1.5, 1.5, 0, 1.5)), mirrored=True),
    "eye-7": Eye(_necklace(), _disc(1.7)),
    "eye-8": Eye(_scalloped(), _flower(10, 1.4, 0.38)),
    "eye-9": Eye(_ring(), star(MIDDLE, MIDDLE, 1.87, 1.431, 8)),
    "eye-10": Eye(_ring(), STAR),
    "eye-11": Eye(_ring(), _heart()),
    "eye-12": Eye(_ring(), _plus()),
    "eye-13": Eye(_ring(), _flower(4, 0.95, 0.9, turn=1 / 8)),
    "eye-14": Eye(_ring(0, (1, 1, 0, 0)), _pupil(3.2, (1.5, 1.5, 0, 0))),
    "eye-15": Eye(_battlements(), _pupil(3)),
    "eye-16": Eye(_cushion(0, -0.025) + WINDOW, _cushion(2, 0.06)),
    "eye-17": Eye(
        rectangle(0, 0, 7, 7) + chamfered(1, 1, 5, (0.8, 0, 0, 0)).hole(),
        chamfered(1.9, 1.9, 3.2, (1, 0, 0, 0)),
        mirrored=True,
    ),
    "arch": Eye(_ring((3, 3, 0, 0), (2, 2, 0, 0)), _pupil(3, (1.2, 1.2, 0, 0)), "eye-14"),
    "circle": Eye(_disc(3.5) + _disc(2.58).hole(), _disc(1.65), "eye-3"),
    "dot": Eye(_ring(1.75, 0.9), _disc(1.65), "eye-2"),
    "drop": Eye(_ring((3, 3, 0, 3), (2, 2, 0, 2)), _pupil(3, (1.2, 1.2, 0, 1.2)), "eye-5", mirrored=True),
    "extra-rounded": Eye(_ring(2.5, 1.5), _pupil(3.2, 1.1), "eye-3"),
    "flower": Eye(_ring(1.75, 0.9), _flower(5, 1.05, 0.75), "eye-13"),
    "heart": Eye(_ring(2.2, 1.3), _heart(), "eye-11"),
    "leaf": Eye(_ring((2.5, 0, 2.5, 0), (1.7, 0, 1.7, 0)), _pupil(3, (1.2, 0, 1.2, 0)), "eye-5", mirrored=True),
    "leaf-dot": Eye(_ring((0, 2.5, 0, 2.5), (0, 1.7, 0, 1.7)), _disc(1.65), "eye-6", mirrored=True),
    "octagon": Eye(chamfered(0, 0, 7, 1.4) + chamfered(1, 1, 5, 0.8).hole(), chamfered(1.9, 1.9, 3.2, 0.8), "eye-4"),
    "pillow": Eye(_cushion(0.33, 0.05) + _cushion(1.25, 0.05).hole(), _cushion(2.1, 0.05), "eye-16"),
    "rounded": Eye(_ring(1.5, 0.8), _pupil(3, 0.6), "eye-1"),
    "squircle": Eye(squircle(0, 0, 7) + squircle(1, 1, 5).hole(), squircle(1.95, 1.95, 3.1), "eye-1"),
    "star": Eye(_ring(1.75, 0.9), STAR, "eye-10"),
}
"""The eyes as drawn in the top left corner: first the interface's names, then qrkit's own in alphabetical order."""

DIRECTIONS = {"top_left": (1, 1), "top_right": (-1, 1), "bottom_left": (1, -1)}
"""Corners of the symbol, and the factors that mirror a shape with a direction there."""


def eye(pattern: str, corner: str) -> Eye:
    """Return the shape of an eye as drawn in a corner.

    Args:
        pattern: A name in `EYES`.
        corner: top_left, top_right or bottom_left.

    Raises:
        InvalidParameter: If no pattern or corner has this name.
    """
    if pattern not in EYES:
        raise InvalidParameter(Problem("pattern", pattern, "is not an eye; " + nearest(pattern, EYES)))
    if corner not in DIRECTIONS:
        raise InvalidParameter(Problem("corner", corner, "has no eye; " + nearest(corner, DIRECTIONS)))
    shape = EYES[pattern]
    if not shape.mirrored:
        return shape
    across, down = DIRECTIONS[corner]
    place = (SIDE if across < 0 else 0, SIDE if down < 0 else 0, across, down)
    return replace(shape, outer=shape.outer.placed(*place), inner=shape.inner.placed(*place))
