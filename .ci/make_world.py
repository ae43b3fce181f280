"""Draws up the outlines of countries that maps show: python .ci/make_world.py FOLDER FILE.

FOLDER is the unpacked npm package world-atlas 2.0.2 (`npm pack world-atlas@2.0.2`; ISC license), which holds Natural
Earth 4.1.0 (public domain) at 1:110 million and at 1:50 million as TopoJSON. Countries that are too small for the first
have a point of the second.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from babel.core import get_global

__all__ = ["world"]

STEPS = 25
"""Steps in a degree: 4 km, much less than what outlines at 1:110 million leave out."""

WITHOUT_NUMBER = {"Kosovo": "XK"}
LEFT_OUT = {"Antarctica"}

Ring = list[tuple[float, float]]


def world(folder: Path) -> dict[str, Any]:
    """Return outlines by code (steps of longitude and latitude, each from the point before) and points by code."""
    outlines: dict[str, list[list[int]]] = {}
    for code, rings in sorted(_countries(folder / "countries-110m.json")):
        outlines.setdefault(code, []).extend(_steps(ring) for ring in rings)
    points = {
        code: [round(part, 1) for part in _middle(max(rings, key=len))]
        for code, rings in sorted(_countries(folder / "countries-50m.json"))
        if code and code not in outlines
    }
    return {"steps": STEPS, "outlines": outlines, "points": points}


def _countries(path: Path) -> Iterator[tuple[str, list[Ring]]]:
    """Yield the code of each country ("" if it has none) and its outer rings."""
    numbers = get_global("territory_aliases")
    topology = json.loads(path.read_text(encoding="utf-8"))
    arcs = list(_arcs(topology))
    for country in topology["objects"]["countries"]["geometries"]:
        name = country["properties"]["name"]
        if name not in LEFT_OUT and country["type"]:
            code = numbers[country["id"]][0] if country.get("id") in numbers else WITHOUT_NUMBER.get(name, "")
            polygons = [country["arcs"]] if country["type"] == "Polygon" else country["arcs"]
            yield code, [_ring(polygon[0], arcs) for polygon in polygons]


def _arcs(topology: dict[str, Any]) -> Iterator[Ring]:
    scale, start = topology["transform"]["scale"], topology["transform"]["translate"]
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for right, up in arc:
            x, y = x + right, y + up
            points.append((x * scale[0] + start[0], y * scale[1] + start[1]))
        yield points


def _ring(numbers: Sequence[int], arcs: Sequence[Ring]) -> Ring:
    ring: Ring = []
    for number in numbers:
        arc = arcs[number] if number >= 0 else arcs[~number][::-1]
        ring += arc[1 if ring else 0 :]
    # A ring that crosses the date line goes on beyond 180 degrees.
    turns = accumulate(round((before[0] - after[0]) / 360) for before, after in pairwise(ring))
    return [(x + 360 * turn, y) for (x, y), turn in zip(ring, [0, *turns], strict=True)]


def _steps(ring: Ring) -> list[int]:
    steps, before = [], (0, 0)
    for point in [(round(x * STEPS), round(y * STEPS)) for x, y in ring]:
        if not steps or point != before:
            steps += [point[0] - before[0], point[1] - before[1]]
        before = point
    return steps


def _middle(ring: Ring) -> tuple[float, float]:
    lowest, highest = (tuple(end(point[axis] for point in ring) for axis in (0, 1)) for end in (min, max))
    return (lowest[0] + highest[0]) / 2, (lowest[1] + highest[1]) / 2


if __name__ == "__main__":
    text = json.dumps(world(Path(sys.argv[1])), separators=(",", ":"))
    Path(sys.argv[2]).write_text(text + "\n", encoding="utf-8")
