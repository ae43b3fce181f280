"""Describes a draft for the browser: values, the image, and the coordinates of its layers."""

from __future__ import annotations

from typing import Any

from qrkit.drawing.frames.framing import framed
from qrkit.drawing.layout import Layout, flip_matrix, into_placeholder, lay_out
from qrkit.drawing.scene import Matrix
from qrkit.notebook.widgets.studio.draft import Draft
from qrkit.notebook.widgets.upright_layers import layers_of
from qrkit.pictures.image import QRImage

LONGEST_VALUE = 40_000
"""Maximum characters of a string that is sent to the browser; a content can have 32,767."""


def shown(draft: Draft) -> dict[str, Any]:
    """Return the state as JSON; the image is bytes if it is a PNG."""
    image = draft.image
    layout = lay_out(image.design, image.symbol, exact=True)
    return {
        "values": _short(image.design.model_dump(mode="json") | {"layers": layers_of(image.design)}),
        "picture": draft.picture,
        "size": [image.width, image.height],
        "label": f"{_symbol_words(image)}, {image.width} x {image.height} px",
        "area": [layout.width, layout.height],
        "matrix": list(_matrix(image, layout)),
        "words": _words(image, layout),
        "undo": draft.can_undo,
        "redo": draft.can_redo,
    }


def _symbol_words(image: QRImage) -> str:
    symbol = image.symbol
    is_micro = image.design.micro
    return f"Micro {symbol.name}" if is_micro else f"Version {symbol.version}, level {symbol.error_correction}"


def _short(value: Any) -> Any:
    """Shorten embedded images and long strings: the browser sends only changes, so it does not need them."""
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_short(one) for one in value]
    if isinstance(value, str) and (len(value) > LONGEST_VALUE or (value.startswith("data:") and len(value) > 100)):
        return f"{value[: value.find(',') + 1][:60]}… ({len(value):,} characters)"
    return value


def _matrix(image: QRImage, layout: Layout) -> Matrix:
    """Return the transformation from layer coordinates to pixels of the whole image, with flip, wrapper or frame."""
    flipped = flip_matrix(layout, image.design.flip)
    design, around = image.design, image.design.wrapper
    hole = framed(design, design.frame, layout).placeholder if design.frame else around and around.placeholder
    return flipped.then(into_placeholder(layout, hole, exact=True)) if hole else flipped


def _words(image: QRImage, layout: Layout) -> list[dict[str, Any]]:
    """Return the texts of the frame by their field, and where they are in pixels of the whole image."""
    frame = image.design.frame
    if frame is None or frame.words is None:
        return []
    boxes = framed(image.design, frame, layout).words
    return [{"field": field, "text": getattr(frame.words, field), "box": list(box)} for field, box in boxes]
