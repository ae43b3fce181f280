"""What may be changed of a design so that it scans: each lever a function from design to design.

Layers, sprites and absolute gradients lie in pixels of the picture. Where a lever moves the symbol or gives it another
size, they follow, so that the design looks as it did.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from qrkit.decoration import Layer
from qrkit.draw.layout import Layout, lay_out
from qrkit.encode import encode
from qrkit.gradient import Direction, Fill, Gradient, Point
from qrkit.scannability.fixes import shrunk
from qrkit.symbol import ErrorCorrectionLevel

if TYPE_CHECKING:
    from qrkit.design import Design

__all__ = ["LEVERS", "Lever", "centred", "fainter", "layout_of", "levelled", "moved", "relaid", "resized"]

Lever: TypeAlias = Literal[
    "flip",
    "padding",
    "colors",
    "markers",
    "modules",
    "mask",
    "pad_codewords",
    "ec",
    "layer_place",
    "version",
    "layer_opacity",
    "layer_size",
]
LEVERS: tuple[Lever, ...] = get_args(Lever)
"""What repair may change, from what nobody sees to what everybody does."""


def relaid(design: Design, **changes: Any) -> Design:
    """The design with some fields changed; what lies in pixels keeps its place and its share of the symbol.

    Raises:
        InvalidParameter: A change breaks a rule, or leaves less than a pixel for a module.
        ContentTooLong: The content does not fit the version any longer.
    """
    other = design.replace(**changes)
    before, after = layout_of(design), layout_of(other)
    if before == after:
        return other
    scale = after.module * after.side / (before.module * before.side)
    follow = _Move(scale, after.x - before.x * scale, after.y - before.y * scale)
    fields: dict[str, Any] = {}
    if design.layers:
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


def levelled(design: Design, level: ErrorCorrectionLevel) -> Design:
    """The design with another error correction level in the version that it has.

    Raises:
        ContentTooLong: The content does not fit.
    """
    version = (layout_of(design).side - 17) // 4
    smallest = encode(design.content, error_correction=level, mode=design.em).version
    return design.replace(ec=level, version=design.version if smallest == version else version)


def moved(design: Design, which: Collection[int], right: float, down: float) -> Design:
    """The design with some of its layers moved by so many modules."""
    module = layout_of(design).module

    def change(layer: Layer) -> Layer:
        return layer.replace(x=round(layer.x + right * module, 2), y=round(layer.y + down * module, 2))

    return _with_layers(design, which, change)


def centred(design: Design, which: Collection[int]) -> Design:
    """The design with some of its layers in the middle of the symbol."""
    layout = layout_of(design)
    across, down = layout.place(layout.side / 2, layout.side / 2)

    def change(layer: Layer) -> Layer:
        return layer.replace(x=round(across - layer.width / 2, 2), y=round(down - layer.height / 2, 2))

    return _with_layers(design, which, change)


def resized(design: Design, which: Collection[int], scale: float) -> Design:
    """The design with some of its layers made smaller around their middles, and what they keep clear likewise."""

    def change(layer: Layer) -> Layer:
        return shrunk(layer, scale).replace(tolerance=round(layer.tolerance * scale, 2))

    return _with_layers(design, which, change)


def fainter(design: Design, opacity: float, which: Collection[int] | None = None) -> Design:
    """The design with some of its layers, or all, at most so opaque."""
    which = range(len(design.layers)) if which is None else which
    return _with_layers(design, which, lambda layer: layer.replace(opacity=min(layer.opacity, opacity)))


def _with_layers(design: Design, which: Collection[int], change: Callable[[Layer], Layer]) -> Design:
    return design.replace(
        layers=[change(layer) if index in which else layer for index, layer in enumerate(design.layers)]
    )


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
