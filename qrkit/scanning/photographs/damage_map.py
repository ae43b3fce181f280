"""Draws a map of the damage on a straightened photo."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from qrkit.scanning.photographs.close_up import PIXELS
from qrkit.scanning.sampling import MARGIN, Greys

__all__ = ["damage_map"]

COLOR = "#E11D48"


def damage_map(picture: Greys, wrong: np.ndarray) -> bytes:
    """Return a PNG of the photo with a frame around each wrong module."""
    from PIL import Image, ImageDraw

    image, file = Image.fromarray((picture * 255).astype(np.uint8)).convert("RGB"), BytesIO()
    draw = ImageDraw.Draw(image)
    for row, column in ((np.argwhere(wrong) + MARGIN) * PIXELS).tolist():
        draw.rectangle((column, row, column + PIXELS - 1, row + PIXELS - 1), outline=COLOR)
    image.save(file, "PNG")
    return file.getvalue()
