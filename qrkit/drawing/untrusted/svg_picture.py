"""Draws the SVG in a file as pixels, so that the QR Code in it can be read or checked."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.drawing.untrusted.assets import media_type
from qrkit.drawing.untrusted.svg_reader import drawn_svg
from qrkit.errors import AssetError, UnreadableFile

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["svg_picture"]


def svg_picture(file: Path) -> Image | None:
    """Draw an SVG with a longer side of 1,600 pixels on a transparent background.

    Args:
        file: The path of a file.

    Returns:
        An image of mode RGBA; None if the file is not an SVG, cannot be opened, or is a pipe, which can be read only
        once.

    Raises:
        UnreadableFile: If the SVG is damaged, takes too long to draw, or has something that a browser may show in
            another way: without it, a QR Code could look better than it is.
    """
    from PIL import Image

    try:
        data = file.read_bytes() if file.is_file() else b""
    except (OSError, ValueError):  # ValueError: a path with a zero byte
        return None
    if media_type(data) != "image/svg+xml":
        return None
    try:
        png, doubts = drawn_svg(data)
    except AssetError as error:
        raise UnreadableFile(f"{file} {error.rule}; save it as png instead") from error
    if doubts:
        raise UnreadableFile(f"{file}: {doubts[0]}; save it as png instead")
    return Image.open(BytesIO(png)).convert("RGBA")
