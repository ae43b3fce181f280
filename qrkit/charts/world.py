"""Holds the outlines of countries (Natural Earth, 1:110 million, public domain), and projects them.

.ci/make_world.py writes world.json.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from math import asin, cos, radians, sin, sqrt
from typing import NamedTuple

Point = tuple[float, float]

EQUAL_EARTH = (1.340264, -0.081106, 0.000893, 0.003796)


class World(NamedTuple):
    """The rings of countries by code, in degrees of longitude and latitude; "" holds areas without a code.

    Countries that are too small for an outline have a point in their middle.
    """

    outlines: dict[str, list[list[Point]]]
    points: dict[str, Point]


@cache
def world() -> World:
    """Return the countries of the world."""
    read = json.loads(files("qrkit.charts").joinpath("world.json").read_text(encoding="utf-8"))
    outlines = {code: [_ring(steps, read["steps"]) for steps in rings] for code, rings in read["outlines"].items()}
    return World(outlines, {code: (point[0], point[1]) for code, point in read["points"].items()})


def equal_earth(point: Point) -> Point:
    """Project degrees of longitude and latitude so that areas keep their sizes (Šavrič, Patterson, Jenny 2018)."""
    a, b, c, d = EQUAL_EARTH
    angle = asin(sqrt(3) / 2 * sin(radians(point[1])))
    square = angle**2
    sixth = square**3
    slope = a + 3 * b * square + sixth * (7 * c + 9 * d * square)
    x = 2 * sqrt(3) * radians(point[0]) * cos(angle) / (3 * slope)
    return x, angle * (a + b * square + sixth * (c + d * square))


def _ring(steps: Sequence[int], size: int) -> list[Point]:
    xs, ys = (accumulate(steps[start::2]) for start in (0, 1))
    return [(x / size, y / size) for x, y in zip(xs, ys, strict=True)]
