"""Draws a map of the damage on a straightened photo."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO

import numpy as np

from qrkit.scanning.sampling import MARGIN, Greys

__all__ = ["damage_map"]

COLOR = "#E11D48"


def damage_map(picture: Greys, wrong: np.ndarray) -> str:
    """Return an SVG with 10 pixels per module: the photo, and a frame around each wrong module."""
    from PIL import Image

    file = BytesIO()
    Image.fromarray((picture * 255).astype(np.uint8)).save(file, "JPEG", quality=85)
    across, count = len(wrong) + 2 * MARGIN, int(wrong.sum())
    frames = "".join(f"M{column + 0.1:g} {row + 0.1:g}h.8v.8h-.8z" for row, column in (np.argwhere(wrong) + MARGIN))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {across}" width="{across * 10}" '
        f'height="{across * 10}" role="img" aria-label="Photo of a print on which {count} modules are damaged">'
        f'<image width="{across}" height="{across}" href="data:image/jpeg;base64,'
        f'{b64encode(file.getvalue()).decode()}"/><path fill="none" stroke="{COLOR}" stroke-width=".2" d="{frames}"/>'
        "</svg>"
    )
