"""Draws the SVG in a file as pixels, so that the QR Code in it can be read or checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.drawing.svg.svg_elements import Definitions, document, picture
from qrkit.drawing.untrusted.assets import media_type
from qrkit.drawing.untrusted.rasteriser import rasterise
from qrkit.drawing.untrusted.svg_shapes import sanitised
from qrkit.errors import AssetError, UnreadableFile

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["svg_picture"]

SIDE = 1_600
"""Pixels of the longer side, to which larger images are reduced before they are read."""


def svg_picture(file: Path) -> Image | None:
    """Draw an SVG with a longer side of 1,600 pixels on a transparent background.

    Args:
        file: The path of a file.

    Returns:
        An image of mode RGBA; None if the file is not an SVG, cannot be opened, or is a pipe, which can be read only
        once.

    Raises:
        UnreadableFile: If the SVG is damaged, takes too long to draw, or contains images or other parts that cannot be
            drawn: without them, a QR Code would look better than it is.
        RenderingFailed: If the renderer fails.
    """
    from PIL import Image

    try:
        data = file.read_bytes() if file.is_file() else b""
    except (OSError, ValueError):  # ValueError: a path with a zero byte
        return None
    if media_type(data) != "image/svg+xml":
        return None
    try:
        drawing = sanitised(data)
    except AssetError as error:
        raise UnreadableFile(f"{file} {error.rule}; save it as png instead") from error
    if not drawing.is_complete:
        raise UnreadableFile(f"{file}: {drawing.warnings[0]}, or save it as png instead")
    _, _, across, down = drawing.box
    scale = SIDE / max(across, down)
    width, height = (max(1, round(length * scale)) for length in (across, down))
    definitions = Definitions()
    body = picture(drawing, (0, 0, width, height), definitions)
    pixels = rasterise(document(width, height, body, definitions), width, height)
    return Image.frombytes("RGBA", (width, height), pixels)
