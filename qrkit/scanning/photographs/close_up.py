"""Cuts the symbol out of a photo, in linear light."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from typing import NamedTuple

import numpy as np

from qrkit.late import Image
from qrkit.scanning.sampling import MARGIN, Greys, reflectance

PIXELS = 8
"""Pixels per module to which a photo is reduced, by a whole factor."""

BRIGHTEST = 0.98
"""Quantile of the light that counts as full light."""

DARKEST = 0.004
"""Least full light, 0..1, so that black photos are not divided by 0."""

Corners = Sequence[tuple[float, float]]
"""x, y in pixels of the top left, top right, bottom right and bottom left corner of the encoded symbol."""

_LIGHT = reflectance(np.arange(256) / 255)


class CloseUp(NamedTuple):
    """The part of a photo with a symbol, whose corners are in this part.

    `light` is float32 and linear; 1 is the light of the brightest parts, which is `full` in the linear light of the
    photo, 0..1. `reduction` is pixels of the photo per pixel of this part.
    """

    light: Greys
    corners: Corners
    reduction: int
    full: float


def close_up(greys: Image.Image, corners: Corners, side: int) -> CloseUp:
    """Cut out a symbol of `side` modules with its surroundings."""
    pixels = dist(corners[0], corners[1]) / side
    reach = 1.5 * (MARGIN + 1) * pixels
    across, down = zip(*corners, strict=True)
    left, top = int(max(0, min(across) - reach)), int(max(0, min(down) - reach))
    right, low = (min(most, int(max(of) + reach) + 1) for most, of in zip(greys.size, (across, down), strict=True))
    reduction = max(1, int(pixels / PIXELS))
    light = _LIGHT[np.asarray(greys.reduce(reduction, box=(left, top, right, low)))]
    full = max(float(np.quantile(light, BRIGHTEST)), DARKEST)
    # A pixel's middle is half a pixel from its edge, whatever its size.
    inner = [((x - left + 0.5) / reduction - 0.5, (y - top + 0.5) / reduction - 0.5) for x, y in corners]
    return CloseUp((light / np.float32(full)).astype(np.float32), inner, reduction, full)
