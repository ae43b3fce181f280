"""Colors and gradients of a design as paints of a scene, in its pixels."""

from __future__ import annotations

from math import hypot, sqrt

from qrkit.design.color import Color
from qrkit.design.gradient import Gradient
from qrkit.drawing.scene import Linear, Paint, Radial

__all__ = ["fainter", "opaque", "paint"]

INSIDE = 0.999
"""How near to its circle a focal point may come, in radii: on the circle itself renderers differ."""


SMALLEST = 0.01
"""Radius in pixels of a gradient that can be seen."""


def paint(fill: Color | Gradient, width: float, height: float) -> Paint:
    """What fills a picture of this size in pixels."""
    if isinstance(fill, Color):
        return fill
    across, down = (width, height) if fill.units == "relative" else (1, 1)
    stops = tuple((stop.offset, _faded(stop.color, stop.opacity)) for stop in fill.stops)
    if fill.gradient == "linear":
        start, stop = ((0.0, 0.0), (1.0, 0.0))
        if fill.direction:
            start = (fill.direction.start.x, fill.direction.start.y)
            stop = (fill.direction.stop.x, fill.direction.stop.y)
        if start == stop:
            return stops[-1][1]  # as SVG has it (SVG 2, section 14.2.2)
        return Linear((start[0] * across, start[1] * down), (stop[0] * across, stop[1] * down), stops)
    cx, cy = _or(fill.cx, 0.5) * across, _or(fill.cy, 0.5) * down
    fx = cx if fill.fx is None else fill.fx * across
    fy = cy if fill.fy is None else fill.fy * down
    # A share of a picture that is no square is one of its diagonal, scaled so that squares see their side (SVG 2, 8.9).
    radius = _or(fill.radius, 0.5) * (hypot(width, height) / sqrt(2) if fill.units == "relative" else 1)
    if radius < SMALLEST:
        return stops[-1][1]  # all of it lies outside
    distance = hypot(fx - cx, fy - cy)
    if distance > radius * INSIDE:
        fx = cx + (fx - cx) * radius * INSIDE / distance
        fy = cy + (fy - cy) * radius * INSIDE / distance
    return Radial((cx, cy), radius, (fx, fy), stops)


def fainter(one: Paint, opacity: float) -> Paint:
    """The same paint with its alpha multiplied by an opacity of 0..1."""
    if opacity == 1:
        return one
    if isinstance(one, Color):
        return _faded(one, opacity)
    stops = tuple((offset, _faded(color, opacity)) for offset, color in one.stops)
    if isinstance(one, Linear):
        return Linear(one.start, one.stop, stops)
    return Radial(one.centre, one.radius, one.focus, stops)


def opaque(one: Paint) -> Paint | None:
    """The same paint with full alpha; None where it paints nothing at all."""
    if isinstance(one, Color):
        return one.opaque if one.alpha else None
    stops = tuple((offset, color.opaque) for offset, color in one.stops)
    if not any(color.alpha for _, color in one.stops):
        return None
    if isinstance(one, Linear):
        return Linear(one.start, one.stop, stops)
    return Radial(one.centre, one.radius, one.focus, stops)


def _faded(color: Color, opacity: float) -> Color:
    return Color(color.red, color.green, color.blue, round(color.alpha * opacity))


def _or(value: float | None, default: float) -> float:
    return default if value is None else value
