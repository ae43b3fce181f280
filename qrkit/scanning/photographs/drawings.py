"""Tells photos from drawings, such as screenshots and files for print."""

from __future__ import annotations

from math import dist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

    from qrkit.scanning.photographs.close_up import Corners
    from qrkit.scanning.photographs.photo_grade import PhotoGrade


FLAT = 0.005
"""Difference of neighboring pixels that have one color in a drawing, as a share of the contrast."""

LEAST_FLAT = 0.25
"""Share of dark and of light pixels in areas of one color: 0.26 or more in drawings, below 0.16 in most photos."""

FEW_GRAYS = 16
"""Grays of a drawing that is too small to have areas."""

LEAST_STEP = 4
"""Mean difference of such grays; a photo in the dark has as few, but all of them are close."""

MOST_MEASURED = 2_000
"""Pixels per side that are looked at; of larger images, some pixels are left out."""

MOST_TILT = 0.03
"""Share of its side by which a drawn symbol may differ from a parallelogram; no drawing has perspective."""

MOST_BEND, LEAST_SHARPNESS = 0.15, 0.99
"""Bounds of drawings with a photo or a texture, which are as sharp and flat as no photo of a print."""

LEAST_LIGHT = 0.6
"""Light of the darkest part below which a sharp, flat picture is a photo with a shadow."""

LEAST_BEND = 0.5
"""Bend, in modules, from which a picture is no flat drawing, however flat its colors are."""


def has_flat_colors(greys: Image, corners: Corners) -> bool:
    """Return True if a symbol is drawn in areas of one color."""
    xs, ys = zip(*corners, strict=True)
    columns, rows = (slice(int(max(0, min(of))), int(max(of)) + 1) for of in (xs, ys))
    whole = np.asarray(greys)[rows, columns]
    apart = 1 + max(whole.shape) // MOST_MEASURED
    near, next_ = slice(None, -1, apart), slice(1, None, apart)
    grays, beside, below = (whole[places].astype(np.int16) for places in ((near, near), (near, next_), (next_, near)))
    used = np.flatnonzero(np.bincount(grays.ravel()))
    if len(used) <= min(FEW_GRAYS, 1 + (used[-1] - used[0]) / LEAST_STEP):
        return True
    low, high = np.quantile(grays, (0.05, 0.95))
    is_flat: np.ndarray = np.maximum(np.abs(beside - grays), np.abs(below - grays)) <= FLAT * (high - low)
    is_dark = grays < (low + high) / 2
    return all(is_flat[part].mean() >= LEAST_FLAT for part in (is_dark, ~is_dark) if part.any())


def is_tilted(corners: Corners) -> bool:
    """Return True if a symbol is seen from the side, so that one part of it is smaller than another."""
    first, second, third, fourth = corners
    off = dist((first[0] + third[0], first[1] + third[1]), (second[0] + fourth[0], second[1] + fourth[1]))
    return off > MOST_TILT * dist(first, second)


def is_exact(photo: PhotoGrade) -> bool:
    """Return True if what was taken for a photo is as straight, sharp and evenly lit as only a drawing is."""
    return photo.bend < MOST_BEND and photo.sharpness > LEAST_SHARPNESS and photo.light > LEAST_LIGHT


def is_bent(photo: PhotoGrade) -> bool:
    """Return True if a symbol is on a bent surface, or is drawn as if it were."""
    return photo.bend > LEAST_BEND
