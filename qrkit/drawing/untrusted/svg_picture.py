"""Draws an SVG as pixels, so that the QR Code in it can be read or checked."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from qrkit.drawing.untrusted.svg_reader import drawn_svg
from qrkit.errors import AssetError, UnreadableFile

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["svg_picture"]


def svg_picture(data: bytes, name: str) -> Image:
    """Draw an SVG with a longer side of 1,600 pixels on a transparent background, as mode RGBA.

    Args:
        data: The bytes of an SVG.
        name: The name of its file, for errors.

    Raises:
        UnreadableFile: If the SVG is damaged, takes too long to draw, or has something that a browser may show in
            another way: without it, a QR Code could look better than it is.
    """
    from PIL import Image

    try:
        png, doubts = drawn_svg(data)
    except AssetError as error:
        raise UnreadableFile(f"{name} {error.rule}; save it as png instead") from error
    if doubts:
        raise UnreadableFile(f"{name}: {doubts[0]}; save it as png instead")
    return Image.open(BytesIO(png)).convert("RGBA")
