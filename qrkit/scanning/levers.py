"""Defines the levers: the kinds of changes that can make a design scan."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal, TypeAlias, get_args

from qrkit.design.decoration import Layer
from qrkit.design.design import Design
from qrkit.drawing.resizing import layout_of
from qrkit.scanning.fixes import shrunk, stack
from qrkit.symbol.encode import encode, encoding_of
from qrkit.symbol.symbol import ErrorCorrectionLevel

Lever: TypeAlias = Literal[
    "flip", "padding", "colors", "markers", "modules", "mask", "pad_codewords", "ec", "layer_place", "version",
    "layer_opacity", "layer_size",
]  # fmt: skip
LEVERS: tuple[Lever, ...] = get_args(Lever)
"""All levers, from invisible to conspicuous changes."""


def levelled(design: Design, level: ErrorCorrectionLevel) -> Design:
    """Return the design with another error correction level in its current version."""
    version = (layout_of(design).side - 17) // 4
    smallest = encode(design.content, error_correction=level, **encoding_of(design)).version
    return design.replace(ec=level, version=design.version if smallest == version else version)


def moved(design: Design, which: Collection[int], right: float, down: float) -> Design:
    """Return the design with some layers moved by a number of modules."""
    module = layout_of(design).module

    def change(layer: Layer) -> Layer:
        return layer.replace(x=round(layer.x + right * module, 2), y=round(layer.y + down * module, 2))

    return _with_layers(design, _stacks(design, which), change)


def centred(design: Design, which: Collection[int]) -> Design:
    """Return the design with some layers centered on the symbol."""
    layout = layout_of(design)
    across, down = layout.place(layout.side / 2, layout.side / 2)

    def change(layer: Layer) -> Layer:
        return layer.replace(x=round(across - layer.width / 2, 2), y=round(down - layer.height / 2, 2))

    return _with_layers(design, _stacks(design, which), change)


def resized(design: Design, which: Collection[int], scale: float) -> Design:
    """Return the design with some layers, and their tolerances, shrunk around their centers."""

    def change(layer: Layer) -> Layer:
        return shrunk(layer, scale).replace(tolerance=round(layer.tolerance * scale, 2))

    return _with_layers(design, _stacks(design, which), change)


def fainter(design: Design, opacity: float, which: Collection[int] | None = None) -> Design:
    """Return the design with the opacity of some or all layers limited."""
    which = range(len(design.layers)) if which is None else which
    return _with_layers(design, which, lambda layer: layer.replace(opacity=min(layer.opacity, opacity)))


def _stacks(design: Design, which: Collection[int]) -> set[int]:
    return {one for index in which for one in stack(design.layers, index)}


def _with_layers(design: Design, which: Collection[int], change: Callable[[Layer], Layer]) -> Design:
    return design.replace(
        layers=[change(layer) if index in which else layer for index, layer in enumerate(design.layers)]
    )
