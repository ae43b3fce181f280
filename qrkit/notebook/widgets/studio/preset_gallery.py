"""The gallery of presets: every look with the content and the logo of the design, and what a click on it makes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from qrkit.design.presets import PALETTES, PRESETS, is_icon
from qrkit.drawing.logo import placed_logo, without_logo
from qrkit.drawing.resizing import layout_of
from qrkit.pictures.image import QRImage
from qrkit.presets import with_preset

if TYPE_CHECKING:
    from qrkit.design.design import Design

__all__ = ["look_controls", "thumbnail", "with_look"]

SIDE = 150
"""Width of a thumbnail in pixels."""
PIXELS = 3
"""Pixels of a module of a large symbol, with the frame around it."""


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
    return with_preset(without_logo(design, placed), name, colorway, logo=logo.content)


def thumbnail(look: Design) -> bytes:
    """Return a PNG of a design: 150 pixels wide, or more if the symbol has many modules."""
    width = max(SIDE, PIXELS * layout_of(look).side)
    return QRImage(look.replace(width=width, height=None)).to_bytes("png", compression=1)
