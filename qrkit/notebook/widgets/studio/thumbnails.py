"""Draws small images of choices: module shapes, sprites and eyes, each as the data of one SVG path."""

from __future__ import annotations

from functools import cache, reduce
from operator import add
from typing import TypedDict

from qrkit.design.limits import MARKER_PATTERNS, MODULE_TYPES
from qrkit.design.outline import Outline, rectangle
from qrkit.design.shapes.eyes import EYES, SIDE
from qrkit.design.shapes.sprites import SPRITES
from qrkit.design.shapes.styles import STAMPS, STYLES
from qrkit.drawing.svg.svg_elements import path_data

__all__ = ["Thumbnails", "thumbnails"]

SAMPLE = (b"\1\1\0\1", b"\1\0\1\1", b"\0\1\1\0", b"\1\1\0\1")
"""Modules that show how neighboring modules join."""


class Thumbnails(TypedDict):
    """Images of the choices of one field: units per side, and path data by choice."""

    side: float
    paths: dict[str, str]


@cache
def thumbnails() -> dict[str, Thumbnails]:
    """Return thumbnails by the path of the field, or by its last name if several fields share the choices."""
    square = rectangle(0, 0, SIDE, SIDE) + rectangle(1, 1, SIDE - 2, SIDE - 2).hole() + rectangle(2, 2, 3, 3)
    eyes: dict[str, Outline] = {
        name: square if name == "default" else EYES[name].outer + EYES[name].inner for name in MARKER_PATTERNS
    }
    return {
        "modules.type": _draw(len(SAMPLE), {name: _sample(name) for name in MODULE_TYPES}),
        "modules.sprite": _draw(1, dict(SPRITES)),
        "pattern": _draw(SIDE, eyes),
    }


def _draw(side: float, outlines: dict[str, Outline]) -> Thumbnails:
    return {"side": side, "paths": {name: path_data(outline) for name, outline in outlines.items()}}


def _sample(module_type: str) -> Outline:
    if module_type in STYLES:
        return STYLES[module_type](SAMPLE)
    one = {"default": rectangle(0, 0, 1, 1), "sprite": SPRITES["star"], **STAMPS}[module_type]
    places = [(column, row) for row, line in enumerate(SAMPLE) for column, dark in enumerate(line) if dark]
    return reduce(add, (one.placed(column, row, 1, 1) for column, row in places))
