"""What a browser is told of a draft: values, the picture, and where its layers lie."""

from __future__ import annotations

from typing import Any

from qrkit.drawing.layout import Layout, flip_matrix, into_placeholder, lay_out
from qrkit.drawing.scene import Matrix
from qrkit.notebook.widgets.draft import Draft
from qrkit.pictures.image import QRImage

__all__ = ["shown"]

LONGEST_VALUE = 40_000
"""Characters of a text that are sent to the browser; a content may have 32,767."""
LONGEST_SVG = 100_000
"""Characters of a picture that is sent with every step of a slider; a larger one goes as png."""


def shown(draft: Draft) -> dict[str, Any]:
    """As JSON, with the picture's bytes where it is a png."""
    image = draft.image
    layout = lay_out(image.design, image.symbol, exact=True)
    svg = image.small_svg()
    small = {"svg": svg} if len(svg) <= LONGEST_SVG else {"png": image.to_bytes("png", compression=1)}
    return {
        "values": _short(image.design.model_dump(mode="json")),
        "picture": small,
        "size": [image.width, image.height],
        "label": f"{image.symbol.version}-{image.symbol.error_correction}, {image.width} x {image.height} px",
        "area": [layout.width, layout.height],
        "matrix": list(_matrix(image, layout)),
        "undo": draft.can_undo,
        "redo": draft.can_redo,
    }


def _short(value: Any) -> Any:
    """Values without the pictures in them: the browser sends changes, so it need not know what it does not change."""
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_short(one) for one in value]
    if isinstance(value, str) and (len(value) > LONGEST_VALUE or (value.startswith("data:") and len(value) > 100)):
        return f"{value[: value.find(',') + 1][:60]}… ({len(value):,} characters)"
    return value


def _matrix(image: QRImage, layout: Layout) -> Matrix:
    """From the pixels that layers are placed in to those of the whole picture: mirrored, and put into a wrapper."""
    flipped = flip_matrix(layout, image.design.flip)
    wrapper = image.design.wrapper
    return flipped.then(into_placeholder(layout, wrapper, exact=True)) if wrapper else flipped
