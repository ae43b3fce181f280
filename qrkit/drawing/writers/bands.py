"""Writes gradients as bands of one color each, for PostScript: interpreters smooth the edges of plain colors only.

Neighboring bands differ by a few levels of 255, which nobody sees. The current path becomes a user path in coordinates
of the gradient, which `ufill` fills once for each band, within the band.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import ceil, dist, hypot

from qrkit.design.color import Color
from qrkit.drawing.scene import Gradient, Linear, Radial
from qrkit.drawing.writers.postscript import exact, rgb

__all__ = ["LARGEST_PATH", "PROCEDURES", "banded"]

LARGEST_PATH = 60_000
"""Numbers and operators in a path; PostScript allows 65,535 in a user path."""
LEVELS = 8
"""Largest difference of neighboring bands, of 255."""
FAR = 100_000
"""A distance in pixels that is outside every image."""
PROCEDURES = {
    # x y width height red green blue s: a strip
    "s": "/s {gsave setrgbcolor rectclip /u load ufill grestore} bind def",
    # x y radius x y radius red green blue r: a ring between two circles
    "r": "/r {gsave setrgbcolor newpath e e eoclip newpath /u load ufill grestore} bind def\n"
    "/e {2 index 1 index add 2 index moveto 0 360 arc closepath} bind def",
}

Band = tuple[float, float, Color]
"""Start and end of a band, as offsets of the gradient, and its color."""


def banded(paint: Gradient) -> tuple[str, list[str]] | None:
    """Return the name of a procedure and lines that fill the current path with an opaque gradient, band by band.

    None if the gradient has no bands: its ends are one point, or its focus is not within its circle.
    """
    if isinstance(paint, Linear):
        (x1, y1), (x2, y2) = paint.start, paint.stop
        across, down = x2 - x1, y2 - y1
        length = hypot(across, down)
        if length == 0:
            return None
        name, axes = "s", (across, down, -down, across, x1, y1)
        strips = _bands(paint, FAR / length)
        calls = [
            f"{exact(start, -FAR / length, end - start, 2 * FAR / length)} {rgb(color)} s"
            for start, end, color in strips
        ]
    else:
        (x, y), radius = paint.centre, paint.radius
        if radius == 0 or dist(paint.focus, paint.centre) >= radius:
            return None
        name, axes = "r", (radius, 0.0, 0.0, radius, x, y)
        calls = [
            f"{_circle(paint, start)} {_circle(paint, end)} {rgb(color)} r"
            for start, end, color in _bands(paint, FAR / radius)
            if end > 0
        ]
    return name, [f"matrix currentmatrix [{exact(*axes)}] concat /u false upath def newpath", *calls, "setmatrix"]


def _circle(paint: Radial, offset: float) -> str:
    """Return center and radius of the points with an offset, in radii from the center of the gradient."""
    rest = max(0.0, 1 - offset) / paint.radius
    x, y = (rest * (one - other) for one, other in zip(paint.focus, paint.centre, strict=True))
    return exact(x, y, max(0.0, offset))


def _bands(paint: Gradient, far: float) -> Iterator[Band]:
    """Yield the bands of a gradient; the first and the last one have no end."""
    stops = paint.stops
    yield -far, stops[0][0], stops[0][1].opaque
    for (start, first), (end, last) in pairwise(stops):
        if start < end:
            count = max(1, ceil(max(abs(one - other) for one, other in _channels(first, last)) / LEVELS))
            step = (end - start) / count
            for index in range(count):
                share = (index + 0.5) / count
                red, green, blue = (round(one + share * (other - one)) for one, other in _channels(first, last))
                yield start + index * step, start + (index + 1) * step, Color(red, green, blue)
    yield stops[-1][0], far, stops[-1][1].opaque


def _channels(one: Color, other: Color) -> list[tuple[int, int]]:
    return [(one.red, other.red), (one.green, other.green), (one.blue, other.blue)]
