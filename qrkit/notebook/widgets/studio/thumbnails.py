"""Draws small images of choices: module shapes and sprites, each as one SVG path; and the gallery of presets."""

from __future__ import annotations

from functools import cache, reduce
from operator import add
from typing import Any

from qrkit.design.design import Design
from qrkit.design.limits import MODULE_TYPES
from qrkit.design.outline import Outline, Scattered, rectangle
from qrkit.design.presets import PALETTES, PRESETS, is_icon
from qrkit.design.shapes.sprites import SPRITES
from qrkit.design.shapes.styles import STAMPS, STYLES
from qrkit.drawing.logo import placed_logo, without_logo
from qrkit.drawing.resizing import layout_of
from qrkit.drawing.svg.svg_elements import path_data
from qrkit.pictures.image import QRImage
from qrkit.presets import with_preset

WIDTH = 150
"""Width of a thumbnail in pixels."""
PIXELS = 3
"""Pixels of a module of a large symbol, with the frame around it."""

SAMPLE = (b"\1\1\0\1", b"\1\0\1\1", b"\0\1\1\0", b"\1\1\0\1")
"""Modules that show how neighboring modules join."""


@cache
def thumbnails() -> dict[str, dict[str, Any]]:
    """Return thumbnails by the path of the field, or by its last name if several fields share the choices.

    Each has `side`, its units per side, and `paths`, path data by choice.
    """
    return {
        "modules.type": _draw(len(SAMPLE), {name: _sample(name) for name in MODULE_TYPES}),
        "modules.sprite": _draw(1, dict(SPRITES)),
    }


def _draw(side: float, outlines: dict[str, Outline]) -> dict[str, Any]:
    return {"side": side, "paths": {name: path_data(outline) for name, outline in outlines.items()}}


def _sample(module_type: str) -> Outline:
    if module_type in STYLES:
        return Scattered(STYLES[module_type](SAMPLE))
    one = {"default": rectangle(0, 0, 1, 1), "sprite": SPRITES["star"], **STAMPS}[module_type]
    places = [(column, row) for row, line in enumerate(SAMPLE) for column, dark in enumerate(line) if dark]
    return reduce(add, (one.placed(column, row, 1, 1) for column, row in places))


# ---- the gallery of presets: every look with the content and the logo of the design, and what a click on it makes


@cache
def look_controls() -> list[dict[str, Any]]:
    """Return name, title and colorways of every preset."""
    return [
        {"name": name, "title": preset.title, "colorways": [_swatch(one) for one in preset.colorways]}
        for name, preset in PRESETS.items()
    ]


def _swatch(colorway: str) -> dict[str, Any]:
    palette = PALETTES[colorway]
    return {"name": colorway, "colors": [palette.ink, palette.accent, palette.ground]}


def with_look(design: Design, name: str, colorway: str | None = None) -> Design:
    """Return the design with a preset. A logo moves to the plate of the preset, and icons of other presets go."""
    placed = placed_logo(design)
    if placed is None or is_icon(design.layers[placed.layer]):
        return with_preset(design, name, colorway)
    logo = design.layers[placed.layer]
    return with_preset(without_logo(design, placed.layer), name, colorway, logo=logo.content)


def thumbnail(look: Design) -> bytes:
    """Return a PNG of a design: 150 pixels wide, or more if the symbol has many modules."""
    width = max(WIDTH, PIXELS * layout_of(look).side)
    return QRImage(look.replace(width=width, height=None)).to_bytes("png", compression=1)
