"""A design with its symbol moved or made larger: what lies in pixels of the picture follows it.

Layers, sprites and absolute gradients do, so that the design looks as it did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qrkit.design.decoration import Layer
from qrkit.design.gradient import Direction, Fill, Gradient, Point
from qrkit.drawing.layout import Layout, lay_out
from qrkit.symbol.encode import encode

if TYPE_CHECKING:
    from qrkit.design.design import Design

__all__ = ["followed", "layout_of", "lies_in_pixels", "pinned", "relaid"]


def lies_in_pixels(design: Design) -> bool:
    """Whether anything has to follow."""
    fills = (design.foreground, design.background)
    absolute = any(isinstance(fill, Gradient) and fill.units == "absolute" for fill in fills)
    return bool(design.layers or design.modules.sprites or absolute)


def pinned(design: Design) -> Design:
    """The design as wide as its picture is now, whatever it encodes: what lies in pixels stays where it is on it.

    Raises:
        ContentTooLong: The content does not fit.
    """
    if design.width or design.height:
        return design
    return design.replace(width=layout_of(design).width)


def relaid(design: Design, **changes: Any) -> Design:
    """The design with some fields changed; what lies in pixels keeps its place and its share of the symbol.

    Raises:
        InvalidParameter: A change breaks a rule, or leaves less than a pixel for a module.
        ContentTooLong: The content does not fit the version any longer.
    """
    if "size" in changes:  # which a width would overrule
        changes = {"width": None, "height": None} | changes
    return followed(design, design.replace(**changes))


def followed(design: Design, other: Design) -> Design:
    """Another design that was made of this one: what lies in pixels of it follows its symbol.

    Raises:
        InvalidParameter: The size leaves less than a pixel for a module.
        ContentTooLong: A content does not fit.
    """
    if not lies_in_pixels(other):
        return other
    before, after = layout_of(design), layout_of(other)
    if before == after:
        return other
    scale = after.module * after.side / (before.module * before.side)
    follow = _Move(scale, after.x - before.x * scale, after.y - before.y * scale)
    fields: dict[str, Any] = {}
    if other.layers:
        fields["layers"] = [follow.layer(layer) for layer in other.layers]
    if other.modules.sprites:
        grown = after.module / before.module
        sprites = [
            one.replace(width=round(one.width * grown, 2), height=round(one.height * grown, 2))
            for one in other.modules.sprites
        ]
        fields["modules"] = other.modules.replace(sprites=sprites)
    for name in ("foreground", "background"):
        if isinstance(fill := getattr(other, name), Gradient) and fill.units == "absolute":
            fields[name] = follow.gradient(fill)
    return other.replace(**fields)


def layout_of(design: Design) -> Layout:
    """Where the symbol of a design lies.

    Raises:
        InvalidParameter: The size asked for leaves less than a pixel for a module.
        ContentTooLong: The content does not fit.
    """
    symbol = encode(design.content, version=design.version, error_correction=design.ec, mode=design.em)
    return lay_out(design, symbol, exact=True)


class _Move:
    """Scale, then move: how places in a picture follow the symbol."""

    def __init__(self, scale: float, right: float, down: float) -> None:
        self._scale, self._right, self._down = scale, right, down

    def layer(self, layer: Layer) -> Layer:
        x, y = self._place(layer.x, layer.y)
        return layer.replace(
            x=x,
            y=y,
            width=round(layer.width * self._scale, 2),
            height=round(layer.height * self._scale, 2),
            tolerance=round(layer.tolerance * self._scale, 2),
        )

    def gradient(self, gradient: Gradient) -> Fill:
        fields: dict[str, Any] = {}
        if gradient.direction:
            start, stop = (
                Point(x=x, y=y)
                for x, y in (self._place(end.x, end.y) for end in (gradient.direction.start, gradient.direction.stop))
            )
            fields["direction"] = Direction(start=start, stop=stop)
        for across, down in (("cx", "cy"), ("fx", "fy")):
            x, y = getattr(gradient, across), getattr(gradient, down)
            if x is not None and y is not None:
                fields[across], fields[down] = self._place(x, y)
        if gradient.radius is not None:
            fields["radius"] = round(gradient.radius * self._scale, 2)
        return gradient.replace(**fields)

    def _place(self, x: float, y: float) -> tuple[float, float]:
        return round(x * self._scale + self._right, 2), round(y * self._scale + self._down, 2)
