"""Outlines as pixels, drawn by a renderer that is not ours."""

from io import BytesIO

import numpy as np
import resvg_py
from PIL import Image

from qrkit.design.outline import Outline

Box = tuple[float, float, float, float]
"""Left, top, width and height."""


def coverage(outline: Outline, box: Box, scale: int) -> np.ndarray:
    """Rows of pixels, `scale` of them a unit: how much of each an outline fills, 0..1."""
    path = " ".join(letter + " ".join(f"{number:.6f}" for number in numbers) for letter, numbers in outline.segments)
    view = " ".join(str(number) for number in box)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{round(box[2] * scale)}"'
        f' height="{round(box[3] * scale)}"><path d="{path}"/></svg>'
    )
    picture = Image.open(BytesIO(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)))
    return np.asarray(picture.convert("RGBA"))[..., 3] / 255


def dark(outline: Outline, box: Box, scale: int) -> np.ndarray:
    """Rows of pixels, True where an outline fills most of them."""
    return coverage(outline, box, scale) > 0.5
