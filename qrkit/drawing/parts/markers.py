"""Draws finder patterns as items of a scene."""

from __future__ import annotations

from qrkit.design.decoration import Marker
from qrkit.design.design import Design
from qrkit.design.shapes.eyes import SIDE, eye
from qrkit.drawing.paints import fainter, moved, paint
from qrkit.drawing.parts.sheet import Sheet
from qrkit.drawing.scene import Item, Matrix, Shape
from qrkit.symbol.symbol import finder_places

__all__ = ["draw_markers", "is_square"]


def draw_markers(sheet: Sheet) -> list[Item]:
    """Return the finder patterns as items, without those that are drawn as ordinary modules."""
    items: list[Item] = []
    for corner, (row, column) in finder_places(sheet.symbol.side).items():
        if is_square(sheet.design, corner):
            continue
        marker = getattr(sheet.design.markers, corner) or Marker(pattern="default")
        x, y = sheet.layout.place(column, row)
        side = sheet.layout.module * SIDE
        form = eye(marker.pattern, corner, marker.inner, sheet.design.modules)
        for outline, color in ((form.outer, marker.outer_color), (form.inner, marker.inner_color)):
            own = moved(paint(color, side, side), Matrix(move_x=x, move_y=y)) if color else sheet.ink
            items.append(Shape(outline.placed(x, y, sheet.layout.module), fainter(own, marker.opacity)))
    return items


def is_square(design: Design, corner: str) -> bool:
    """Return True if the finder pattern in this corner is drawn as ordinary square modules."""
    marker = getattr(design.markers, corner)
    if design.modules.type != "default" or marker is None:
        return design.modules.type == "default"
    is_plain = {marker.pattern, marker.inner or marker.pattern} == {"default"}
    return is_plain and marker.inner_color is marker.outer_color is None and marker.opacity == 1
