"""Converts colors and gradients of a design to paints of a scene, in its pixels."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, sqrt

from qrkit.design.color import WHITE, Color
from qrkit.design.gradient import Fill, Gradient, Stop
from qrkit.drawing.scene import Linear, Matrix, Paint, Radial

INSIDE = 0.999
"""Largest distance of a focal point from the center, in radii: renderers disagree about points on the circle."""


SMALLEST = 0.01
"""Smallest radius of a visible gradient, in pixels."""


def paint(fill: Color | Gradient, width: float, height: float) -> Paint:
    """Convert a color or gradient to a paint for an image of this size in pixels."""
    if isinstance(fill, Color):
        return fill
    across, down = (width, height) if fill.units == "relative" else (1, 1)
    stops = tuple((stop.offset, faded(stop.color, stop.opacity)) for stop in fill.stops)
    if fill.gradient == "linear":
        start, stop = ((0.0, 0.0), (1.0, 0.0))
        if fill.direction:
            start = (fill.direction.start.x, fill.direction.start.y)
            stop = (fill.direction.stop.x, fill.direction.stop.y)
        if start == stop:
            return stops[-1][1]  # as in SVG 2, section 14.2.2
        return Linear((start[0] * across, start[1] * down), (stop[0] * across, stop[1] * down), stops)
    cx, cy = _or_default(fill.cx, 0.5) * across, _or_default(fill.cy, 0.5) * down
    fx = cx if fill.fx is None else fill.fx * across
    fy = cy if fill.fy is None else fill.fy * down
    # Relative lengths refer to the diagonal divided by √2, which is the side of a square image (SVG 2, 8.9).
    radius = _or_default(fill.radius, 0.5) * (hypot(width, height) / sqrt(2) if fill.units == "relative" else 1)
    if radius < SMALLEST:
        return stops[-1][1]  # the whole image lies outside the circle
    distance = hypot(fx - cx, fy - cy)
    if distance > radius * INSIDE:
        fx = cx + (fx - cx) * radius * INSIDE / distance
        fy = cy + (fy - cy) * radius * INSIDE / distance
    return Radial((cx, cy), radius, (fx, fy), stops)


def fainter(one: Paint, opacity: float) -> Paint:
    """Multiply the alpha of a paint by an opacity of 0..1."""
    return one if opacity == 1 else recolored(one, lambda color: faded(color, opacity))


def recolored(one: Paint, change: Callable[[Color], Color]) -> Paint:
    """Change the color of a paint, or all colors of a gradient."""
    if isinstance(one, Color):
        return change(one)
    return one._replace(stops=tuple((offset, change(color)) for offset, color in one.stops))


def moved(one: Paint, matrix: Matrix) -> Paint:
    """Scale, mirror and move a paint. The matrix must scale width and height alike."""
    if isinstance(one, Color):
        return one
    points = (one.start, one.stop) if isinstance(one, Linear) else (one.centre, one.focus)
    first, second = (matrix.box(*point, 0, 0)[:2] for point in points)
    if isinstance(one, Linear):
        return Linear(first, second, one.stops)
    return Radial(first, one.radius * abs(matrix.scale_x), second, one.stops)


def on_white(fill: Fill) -> Fill:
    """Return what a color or a gradient looks like on white."""
    if isinstance(fill, Color):
        return fill.over(WHITE)
    stops = (Stop(offset=stop.offset, color=faded(stop.color, stop.opacity).over(WHITE)) for stop in fill.stops)
    return fill.replace(stops=tuple(stops))


def opaque(one: Paint) -> Paint | None:
    """Return a paint with full alpha; None if it is fully transparent."""
    colors = [one] if isinstance(one, Color) else [color for _, color in one.stops]
    return recolored(one, lambda color: color.opaque) if any(color.alpha for color in colors) else None


def faded(color: Color, opacity: float) -> Color:
    """Multiply the alpha of a color by an opacity of 0..1."""
    return Color(*color.channels, round(color.alpha * opacity))


def _or_default(value: float | None, default: float) -> float:
    return default if value is None else value
