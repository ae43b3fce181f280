"""Resizes a design, moving layers, sprites and absolute gradients with the symbol so that it looks the same."""

from __future__ import annotations

from typing import Any

from qrkit.design.decoration import Layer
from qrkit.design.design import Design
from qrkit.design.gradient import Direction, Fill, Gradient, Point
from qrkit.drawing.layout import Layout, lay_out, lay_out_side
from qrkit.drawing.scene import Matrix
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.symbol.encode import symbol_of

SIDES = range(11, 178)
"""Modules on a side of a symbol, of a Micro QR Code too."""


def lies_in_pixels(design: Design) -> bool:
    """Return True if a design has layers, sprites or absolute gradients, which are measured in pixels."""
    fills = (design.foreground, design.background)
    absolute = any(isinstance(fill, Gradient) and fill.units == "absolute" for fill in fills)
    return bool(design.layers or design.modules.sprites or absolute)


def pinned(design: Design) -> Design:
    """Fix the width of a design at its current value, so that its layers stay in place for any content."""
    if design.width or design.height:
        return design
    layout = layout_of(design)
    if design.frame:
        from qrkit.drawing.frames.framing import framed_width  # loads the letters of captions

        # Its width is that of the whole image, so the layers have to follow.
        return design.replace(width=round(framed_width(design, design.frame, layout)))
    return design.replace(width=round(layout.width))


def followed(design: Design, other: Design) -> Design:
    """Move layers, sprites and gradients of a changed design, `other`, with its symbol, which may have grown.

    Raises `ContentTooLong` if the other content does not fit, and `InvalidParameter` if its size is too small.
    """
    if not lies_in_pixels(other):
        return other
    try:
        before = layout_of(design)
    except (ContentTooLong, InvalidParameter):  # no place to follow, as of a message that several symbols will share
        return other
    try:
        return _moved(other, before, layout_of(other))
    except ContentTooLong:
        if other.version != design.version or other.content == design.content:
            raise
        # A logo may have raised the version, for the content that it was placed on.
        return followed(design, other.replace(version=None))


def placed_for(design: Design, before: Design, side: object) -> Design:
    """Move what was placed on a symbol with `side` modules to the same place on the symbol of a design.

    It was placed for the sizes of the design `before`. A side that no symbol has leaves everything in its place, as
    does a design that cannot be drawn. A design whose content is longer than its version holds gets a higher version.
    """
    if type(side) is not int or side not in SIDES or not lies_in_pixels(design):
        return design
    try:
        return _moved(design, lay_out_side(before, side, exact=True), layout_of(design))
    except ContentTooLong:
        # A logo may have raised the version, for the content that it was placed on.
        return design if design.version is None else placed_for(design.replace(version=None), before, side)
    except InvalidParameter:
        return design


def _moved(other: Design, before: Layout, after: Layout) -> Design:
    if before == after:
        return other
    scale = after.module * after.side / (before.module * before.side)
    follow = Matrix(scale, scale, after.x - before.x * scale, after.y - before.y * scale)
    fields: dict[str, Any] = {}
    if other.layers:
        fields["layers"] = [_moved_layer(layer, follow) for layer in other.layers]
    if other.modules.sprites:
        grown = after.module / before.module
        sprites = [
            sprite.replace(width=round(sprite.width * grown, 2), height=round(sprite.height * grown, 2))
            for sprite in other.modules.sprites
        ]
        fields["modules"] = other.modules.replace(sprites=sprites)
    for name in ("foreground", "background"):
        if isinstance(fill := getattr(other, name), Gradient) and fill.units == "absolute":
            fields[name] = _moved_gradient(fill, follow)
    return other.replace(**fields)


def layout_of(design: Design) -> Layout:
    """Return the layout of a design."""
    return lay_out(design, symbol_of(design), exact=True)


def _moved_layer(layer: Layer, follow: Matrix) -> Layer:
    x, y = _place(layer.x, layer.y, follow)
    sizes = {name: round(getattr(layer, name) * follow.scale_x, 2) for name in ("width", "height", "tolerance")}
    return layer.replace(x=x, y=y, **sizes)


def _moved_gradient(gradient: Gradient, follow: Matrix) -> Fill:
    fields: dict[str, Any] = {}
    if ends := gradient.direction:
        places = (_place(end.x, end.y, follow) for end in (ends.start, ends.stop))
        start, stop = (Point(x=x, y=y) for x, y in places)
        fields["direction"] = Direction(start=start, stop=stop)
    for across, down in (("cx", "cy"), ("fx", "fy")):
        x, y = getattr(gradient, across), getattr(gradient, down)
        if x is not None and y is not None:
            fields[across], fields[down] = _place(x, y, follow)
    if gradient.radius is not None:
        fields["radius"] = round(gradient.radius * follow.scale_x, 2)
    return gradient.replace(**fields)


def _place(x: float, y: float, follow: Matrix) -> tuple[float, float]:
    left, top, _, _ = follow.box(x, y, 0, 0)
    return round(left, 2), round(top, 2)
