"""Bitmaps made to measure: no larger than they are drawn, and in their place among the pixels of a picture."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from math import ceil
from typing import TYPE_CHECKING

from qrkit.drawing.scene import Bitmap, Drawing

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["at_most", "placed"]

FINEST = 4
"""Pixels of a bitmap that a file holds for each pixel of the picture: 300 dpi and more, whatever size it is printed."""


def at_most(content: Bitmap | Drawing, width: float, height: float) -> Bitmap | Drawing:
    """A picture with no more pixels than its box of this size can show; a photograph has many more."""
    return _reduced(content, width, height) if isinstance(content, Bitmap) else content


# A slider draws the same photograph again and again. Few of them, because each is kept whole, too.
@lru_cache(maxsize=4)
def _reduced(bitmap: Bitmap, width: float, height: float) -> Bitmap:
    from PIL import Image

    wanted = (min(bitmap.width, ceil(width * FINEST)), min(bitmap.height, ceil(height * FINEST)))
    if wanted == (bitmap.width, bitmap.height):
        return bitmap
    file = BytesIO()
    Image.open(BytesIO(bitmap.png)).resize(wanted, Image.Resampling.BICUBIC).save(file, "PNG", compress_level=3)
    return Bitmap(file.getvalue(), *wanted)


def placed(bitmap: Bitmap, box: tuple[float, float, float, float], size: tuple[int, int]) -> Image:
    """A bitmap in a box (left, top, width, height) of an else transparent picture of this size, as RGBA."""
    from PIL import Image

    left, top, width, height = box
    # Made as large as it will be, then moved by the fraction of a pixel that is left.
    drawn = (max(1, round(width)), max(1, round(height)))
    picture = Image.open(BytesIO(bitmap.png)).convert("RGBA")
    if picture.size != drawn:
        picture = picture.resize(drawn, Image.Resampling.BICUBIC)
    if (left, top, *drawn) == (0, 0, *size) and (width, height) == drawn:
        return picture
    across, down = drawn[0] / width, drawn[1] / height
    moved = (across, 0, -left * across, 0, down, -top * down)
    return picture.transform(size, Image.Transform.AFFINE, moved, Image.Resampling.BICUBIC)
