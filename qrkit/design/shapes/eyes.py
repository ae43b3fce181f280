"""Provides `EYES`, the shapes of finder patterns, on a grid of 7 x 7 modules.

`eye-1` to `eye-17` look different and scan as well as the default. They respect the two methods by which readers find
a finder pattern. Some readers measure runs: on lines through the middle, ring, gap, pupil, gap and ring must be
1 : 1 : 3 : 1 : 1 modules long, so the pupil is at least 2.6 modules wide there and half a module away from the ring.
Others take the four outermost points of the ring as its corners, so the ring has sharp corners (a radius of 0.4 makes
such readers fail) and is one piece. Therefore the rings vary only along their sides and inside.

The shapes after them are bolder: readers of the first kind find them, readers of the second kind rarely do. One of
them, `modules`, has no form of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from qrkit.design.decoration import Modules
from qrkit.design.limits import MarkerPattern
from qrkit.design.outline import (
    KAPPA,
    Outline,
    bowed,
    chamfered,
    circle,
    flower,
    four_times,
    heart,
    rectangle,
    regular,
    rounded,
    squircle,
    star,
)
from qrkit.design.shapes.styles import as_modules
from qrkit.errors import one_of

SIDE = 7
MIDDLE = SIDE / 2

Radii = float | tuple[float, float, float, float]
"""One radius for all corners, or four radii clockwise from top left."""


class Eye(NamedTuple):
    """The shape of a finder pattern: the ring with its hole, and the pupil.

    `safe` is the name of the most similar safe shape; None for a safe one. A shape with a direction is `mirrored` in
    the other corners of the symbol.
    """

    outer: Outline
    inner: Outline
    safe: MarkerPattern | None = None
    mirrored: bool = False


THREAD = 0.84
"""Width of the thread between the modules of an eye, in modules; thinner rings are harder to find."""
RING = (b"\1\1\1\1\1\1\1", *5 * [b"\1\0\0\0\0\0\1"], b"\1\1\1\1\1\1\1")
CENTER = (*2 * [bytes(SIDE)], *3 * [b"\0\0\1\1\1\0\0"], *2 * [bytes(SIDE)])
"""The dark modules of a finder pattern, as rows of 1 and 0."""
PARALLEL = 1.052
"""Length of the handles of a squircle of five modules whose line is parallel to that of a squircle of seven."""

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


def _scalloped(start: float, waves: int, bow: float) -> Outline:
    """Draw a centered square whose sides are rows of equal arcs."""
    return bowed(bow, *_divided(start, waves))


def _perforated(start: float, bites: int, bow: float) -> Outline:
    """Draw a centered square like a stamp: arcs are cut out of its sides, as wide as the teeth between them."""
    side = (0.0, *(bow, 0.0) * bites)
    return bowed(side * 4, *_divided(start, len(side)))


def _divided(start: float, parts: int) -> list[tuple[float, float]]:
    """Divide the sides of a centered square into equal parts, and return where they begin."""
    top = [(start + (SIDE - 2 * start) * part / parts, start) for part in range(parts)]
    right = [(SIDE - y, x) for x, y in top]
    bottom = [(SIDE - x, SIDE - y) for x, y in top]
    left = [(y, SIDE - x) for x, y in top]
    return [*top, *right, *bottom, *left]


def _notched(start: float, radius: float) -> Outline:
    """Draw a centered square with a quarter of a disc cut out of each corner."""
    edge, handle = start + radius, start + radius * KAPPA
    return four_times(Outline("LC", (start, edge, handle, edge, edge, handle, edge, start)), SIDE)


def _pillow(start: float, bulge: float, radius: float) -> Outline:
    """Draw a centered square with sides that bulge and round corners, in which the sides end without an edge."""
    begin, end, run = start + radius, SIDE - start, (SIDE - 2 * start - 2 * radius) / 3
    # The handles of a side rise as steeply as the side does at its ends, so that it bulges by 3/4 of their rise.
    rise = bulge * 4 / 3
    stop, turn, fall = end - radius, radius * KAPPA, radius * KAPPA * rise / run
    side = (begin + run, start - rise, stop - run, start - rise, stop, start)
    corner = (stop + turn, start + fall, end - fall, begin - turn, end, begin)
    return four_times(Outline("CC", side + corner), SIDE)


def _cushion(start: float, bow: float) -> Outline:
    """Draw a centered square with curved sides."""
    end = SIDE - start
    return bowed(bow, (start, start), (end, start), (end, end), (start, end))


def _plus() -> Outline:
    return rectangle(1.95, 2.4, 3.1, 2.2) + rectangle(2.4, 1.95, 2.2, 3.1)


def _threaded(modules: Modules) -> Eye:
    """Draw an eye like the modules of a symbol, joined by a thread. Phones do not find rings of separate dots."""
    edge, ring = (1 - THREAD) / 2, SIDE - 1 + THREAD
    line = rounded(edge, edge, ring, ring, THREAD / 2)
    hole = rectangle(edge + THREAD, edge + THREAD, ring - 2 * THREAD, ring - 2 * THREAD).hole()
    return Eye(
        as_modules(modules, RING, touching=True) + line + hole,
        as_modules(modules, CENTER, touching=True) + _pupil(2 + THREAD),
        "default",
    )


STAR = star(MIDDLE, 3.55, 2.0, 1.4, 5)
HEART = heart(MIDDLE, MIDDLE - 0.05, 1.75)

EYES = {
    "default": Eye(_ring(), _pupil(3)),
    "eye-1": Eye(_ring(0, 1), _pupil(3, 0.7)),
    "eye-2": Eye(_ring(), _disc(1.7)),
    "eye-3": Eye(_ring(0, 1.4), _disc(1.7)),
    "eye-4": Eye(rectangle(0, 0, 7, 7) + chamfered(1, 1, 5, 0.9).hole(), chamfered(1.9, 1.9, 3.2, 0.6)),
    "eye-5": Eye(_ring(0, (1, 0, 1, 0)), _pupil(3.2, (1.4, 0, 1.4, 0)), mirrored=True),
    "eye-6": Eye(_ring(0, (1, 1, 0, 1)), _pupil(3.2, (1.5, 1.5, 0, 1.5)), mirrored=True),
    "eye-7": Eye(rectangle(0, 0, 7, 7) + _notched(1, 0.4).hole(), _notched(1.9, 0.5)),
    "eye-8": Eye(rectangle(0, 0, 7, 7) + _scalloped(1.1, 5, 0.2).hole(), _scalloped(2.04, 4, 0.2)),
    "eye-9": Eye(_ring(), star(MIDDLE, MIDDLE, 1.87, 1.431, 8)),
    "eye-10": Eye(_ring(), STAR),
    "eye-11": Eye(_ring(), HEART),
    "eye-12": Eye(_ring(), _plus()),
    "eye-13": Eye(_ring(), flower(MIDDLE, 0.95, 4, 0.95, 0.9, turn=1 / 8)),
    "eye-14": Eye(_ring(0, (1, 1, 0, 0)), _pupil(3.2, (1.5, 1.5, 0, 0))),
    "eye-15": Eye(rectangle(0, 0, 7, 7) + _perforated(0.92, 5, -0.4).hole(), _perforated(1.95, 3, -0.4)),
    "eye-16": Eye(rectangle(0, 0, 7, 7) + _cushion(0.9, -0.04).hole(), _cushion(1.85, -0.055)),
    "eye-17": Eye(
        rectangle(0, 0, 7, 7) + chamfered(1, 1, 5, (1.4, 0, 0, 0)).hole(),
        chamfered(1.9, 1.9, 3.2, (0.9, 0, 0, 0)),
        mirrored=True,
    ),
    "arch": Eye(_ring((2.5, 2.5, 0, 0), (1.5, 1.5, 0, 0)), _pupil(3, (1.2, 1.2, 0, 0)), "eye-14"),
    "circle": Eye(_disc(3.5) + _disc(2.58).hole(), _disc(1.65), "eye-3"),
    "diamond": Eye(_ring(1.75, 0.75), regular(MIDDLE, MIDDLE, 1.93, 4), "eye-4"),
    "dot": Eye(_ring(1.75, 0.75), _disc(1.6), "eye-2"),
    "drop": Eye(_ring((2.5, 2.5, 0, 2.5), (1.5, 1.5, 0, 1.5)), _pupil(3, (1.2, 1.2, 0, 1.2)), "eye-5", mirrored=True),
    "extra-rounded": Eye(_ring(2.5, 1.5), _pupil(3.2, 1.1), "eye-3"),
    "flower": Eye(_ring(1.75, 0.75), flower(MIDDLE, 1.05, 5, 1.05, 0.75), "eye-13"),
    "heart": Eye(_ring(2.2, 1.2), HEART, "eye-11"),
    "hexagon": Eye(_ring(1.75, 0.75), regular(MIDDLE, MIDDLE, 1.75, 6), "eye-2"),
    "leaf": Eye(_ring((2.5, 0, 2.5, 0), (1.5, 0, 1.5, 0)), _pupil(3, (1.2, 0, 1.2, 0)), "eye-5", mirrored=True),
    "leaf-dot": Eye(_ring((0, 2.5, 0, 2.5), (0, 1.5, 0, 1.5)), _disc(1.6), "eye-6", mirrored=True),
    "modules": _threaded(Modules(type="dots")),
    "octagon": Eye(chamfered(0, 0, 7, 1.4) + chamfered(1, 1, 5, 0.8).hole(), chamfered(1.9, 1.9, 3.2, 0.8), "eye-4"),
    "pentagon": Eye(_ring(1.75, 0.75), regular(MIDDLE, MIDDLE + 0.1, 1.83, 5), "eye-2"),
    "petal": Eye(_ring((0, 2.5, 2.5, 2.5), (0, 1.5, 1.5, 1.5)), _pupil(3, (0, 1.2, 1.2, 1.2)), "eye-6", mirrored=True),
    "pillow": Eye(_pillow(0.25, 0.25, 1) + _pillow(1.25, 0.25, 0.4).hole(), _pillow(2.1, 0.12, 0.4), "eye-16"),
    "rounded": Eye(_ring(1.5, 0.5), _pupil(3, 0.6), "eye-1"),
    "soft": Eye(_ring(2.2, 1.2), _pupil(3, 0.9), "eye-1"),
    "soft-circle": Eye(_ring(2.5, 1.5), _disc(1.55), "eye-3"),
    "soft-dot": Eye(_ring(2.2, 1.2), _disc(1.55), "eye-2"),
    "soft-square": Eye(_ring(2.5, 1.5), _pupil(3, 0.3), "eye-1"),
    "squircle": Eye(squircle(0, 0, 7) + squircle(1, 1, 5, PARALLEL).hole(), squircle(1.95, 1.95, 3.1), "eye-1"),
    "star": Eye(_ring(1.75, 0.75), STAR, "eye-10"),
}
"""The eyes as drawn in the top left corner: first the interface's names, then qrkit's own in alphabetical order."""

DIRECTIONS = {"top_left": (1, 1), "top_right": (-1, 1), "bottom_left": (1, -1)}
"""Corners of the symbol, and the factors that mirror a shape with a direction there."""


def eye(pattern: str, corner: str, inner: str | None = None, modules: Modules | None = None) -> Eye:
    """Return the shape of an eye as drawn in a corner, with the pupil of `inner`, a name in `EYES`, or its own.

    The pattern `modules` is drawn in the style of these modules; by default, dots.
    """
    one_of("pattern", pattern, EYES, "is not an eye")
    one_of("corner", corner, DIRECTIONS, "has no eye")
    if inner and inner != pattern:
        return eye(pattern, corner, None, modules)._replace(inner=eye(inner, corner, None, modules).inner)
    shape = _threaded(modules) if pattern == "modules" and modules else EYES[pattern]
    if not shape.mirrored:
        return shape
    across, down = DIRECTIONS[corner]
    place = (SIDE if across < 0 else 0, SIDE if down < 0 else 0, across, down)
    return shape._replace(outer=shape.outer.placed(*place), inner=shape.inner.placed(*place))
