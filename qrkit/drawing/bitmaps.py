"""Resizes bitmaps to the size at which they are drawn, and places them among the pixels of an image."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from math import ceil

from qrkit.drawing.scene import Bitmap, Drawing
from qrkit.late import Image

FINEST = 4
"""Pixels of a bitmap per pixel of the image in vector files: enough for 300 dpi at any print size."""


def at_most(content: Bitmap | Drawing, width: float, height: float) -> Bitmap | Drawing:
    """Reduce a bitmap to the pixels that a box of this size can show; photographs have many more."""
    return _reduce(content, width, height) if isinstance(content, Bitmap) else content


# A slider draws the same photograph repeatedly. The cache is small, because it also keeps the originals.
@lru_cache(maxsize=4)
def _reduce(bitmap: Bitmap, width: float, height: float) -> Bitmap:
    wanted = (min(bitmap.width, ceil(width * FINEST)), min(bitmap.height, ceil(height * FINEST)))
    if wanted == (bitmap.width, bitmap.height):
        return bitmap
    file = BytesIO()
    Image.open(BytesIO(bitmap.png)).resize(wanted, Image.Resampling.BICUBIC).save(file, "PNG", compress_level=3)
    return bitmap._replace(png=file.getvalue(), width=wanted[0], height=wanted[1])


def placed(bitmap: Bitmap, box: tuple[float, float, float, float], size: tuple[int, int]) -> Image.Image:
    """Draw a bitmap in a box (left, top, width, height) of an otherwise transparent RGBA image of this size."""
    left, top, width, height = box
    # Resized to whole pixels first, then moved and scaled by the remaining fraction of a pixel.
    drawn = (max(1, round(width)), max(1, round(height)))
    picture = Image.open(BytesIO(bitmap.png)).convert("RGBA")
    if picture.size != drawn:
        picture = picture.resize(drawn, Image.Resampling.BICUBIC)
    if (left, top, *drawn) == (0, 0, *size) and (width, height) == drawn:
        return picture
    across, down = drawn[0] / width, drawn[1] / height
    moved = (across, 0, -left * across, 0, down, -top * down)
    return picture.transform(size, Image.Transform.AFFINE, moved, Image.Resampling.BICUBIC)
