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

MOST_SMOOTH = 0.1
"""Share of dark and of light pixels whose gray lies between those of their neighbors, above which there is no grain."""

LEAST_STEP = 4
"""Mean difference of such grays; a photo in the dark has as few, but all of them are close."""

MOST_MEASURED = 2_000
"""Pixels per side that are looked at; of larger images, some pixels are left out."""

MOST_TILT = 0.03
"""Share of its side by which a drawn symbol may differ from a parallelogram; no drawing has perspective."""

MOST_BEND, LEAST_SHARPNESS, ON_WHITE = 0.15, 0.99, 0.93
"""Bounds of drawings with a photo or a texture, which are as sharp and flat as no photo of a print; a JPEG of one on
pure white is less sharp."""

LEAST_LIGHT = 0.6
"""Light of the darkest part below which a sharp, flat picture is a photo with a shadow."""

LEAST_BEND = 0.5
"""Bend, in modules, from which a picture is no flat drawing, however flat its colors are."""

MOST_UNEXPLAINED, FROM_BLUR = 0.05, 0.2
"""Noise up to which light and bend explain a photo, and how much more a photo without any sharpness may have; a code
that is merged with a picture has more."""

MOST_COMPRESSED, LEAST_WHITE, ALL_WHITE = 0.02, 250, 0.99
"""Noise up to which the grain of a sharp, upright picture on white is that of a JPEG, not of a camera; the gray of
white, which paper seldom has in a photo; and the share of a symbol of separate shapes that is white in a drawing.
Photos of other prints are as white if they are overexposed or cleaned by an app."""

MOST_TURN, ROUNDED = 0.01, 1
"""Share of its side, plus pixels, by which an upright symbol may differ from an upright square."""


def has_flat_colors(greys: Image, corners: Corners) -> bool:
    """Return True if a symbol is drawn in areas of one color."""
    grays, right, below, _, _ = _neighbors(greys, corners)
    used = np.flatnonzero(np.bincount(grays.ravel()))
    if len(used) <= min(FEW_GRAYS, 1 + (used[-1] - used[0]) / LEAST_STEP):
        return True
    return min(_shares_near(grays, np.maximum(np.abs(right - grays), np.abs(below - grays)))) >= LEAST_FLAT


def is_grainy(greys: Image, corners: Corners) -> bool:
    """Return True if few pixels have a gray between those of their neighbors, because a camera's sensor is noisy."""
    grays, right, below, left, above = _neighbors(greys, corners)
    apart = np.maximum(np.abs(left + right - 2 * grays), np.abs(above + below - 2 * grays))
    return max(_shares_near(grays, apart)) < MOST_SMOOTH


def is_on_white(greys: Image, corners: Corners) -> bool:
    """Return True if the light modules, about half of a symbol, are white."""
    return bool(np.quantile(_neighbors(greys, corners)[0], 0.75) >= LEAST_WHITE)


def _shares_near(grays: np.ndarray, apart: np.ndarray) -> list[float]:
    """Return the shares of the dark and of the light pixels that hardly differ from their neighbors."""
    low, high = np.quantile(grays, (0.05, 0.95))
    is_near, is_dark = apart <= FLAT * (high - low), grays < (low + high) / 2
    return [float(is_near[part].mean()) for part in (is_dark, ~is_dark) if part.any()]


def _neighbors(greys: Image, corners: Corners) -> tuple[np.ndarray, ...]:
    """Return the pixels of a symbol, and their neighbors on the right, below, on the left and above."""
    xs, ys = zip(*corners, strict=True)
    columns, rows = (slice(int(max(0, min(of))), int(max(of)) + 1) for of in (xs, ys))
    whole = np.asarray(greys)[rows, columns].astype(np.int16)
    step = 1 + max(whole.shape) // MOST_MEASURED
    before, here, after = slice(None, -2, step), slice(1, -1, step), slice(2, None, step)
    places = ((here, here), (here, after), (after, here), (here, before), (before, here))
    return tuple(whole[place] for place in places)


def is_tilted(corners: Corners) -> bool:
    """Return True if a symbol is seen from the side, so that one part of it is smaller than another."""
    first, second, third, fourth = corners
    off = dist((first[0] + third[0], first[1] + third[1]), (second[0] + fourth[0], second[1] + fourth[1]))
    return off > MOST_TILT * dist(first, second)


def is_upright(corners: Corners) -> bool:
    """Return True if a symbol is so upright that the picture can hardly be a photo taken by hand."""
    (left, *others, right), (top, *more, low) = (sorted(of) for of in zip(*corners, strict=True))
    off = (others[0] - left, right - others[1], more[0] - top, low - more[1], (right - left) - (low - top))
    return bool(max(map(abs, off)) <= MOST_TURN * (right - left) + ROUNDED)


def is_drawing(photo: PhotoGrade, greys: Image, corners: Corners, *, is_flat: bool, is_straight: bool) -> bool:
    """Return True if what was taken for a photo, with this grade, is a drawing.

    `is_flat` tells of areas of one color; `is_straight` that the modules are where those of a flat symbol are:
    straightening corrects few of them.
    """
    is_explained = photo.noise < MOST_UNEXPLAINED + FROM_BLUR * (1 - photo.sharpness)
    is_white = photo.gain is None and photo.burnt > ALL_WHITE and photo.noise < MOST_UNEXPLAINED
    if is_tilted(corners) and not is_white:  # or its eyes have ornaments and were found beside their place
        return is_flat and not is_explained
    is_square = is_white or is_upright(corners)
    is_even = photo.bend < (LEAST_BEND if is_white else MOST_BEND) or (is_square and is_straight)
    is_exact = is_even and photo.sharpness > (ON_WHITE if is_white else LEAST_SHARPNESS) and photo.light > LEAST_LIGHT
    is_clean = is_white or (is_square and photo.noise < MOST_COMPRESSED and is_on_white(greys, corners))
    if is_explained and not (is_exact and is_clean) and is_grainy(greys, corners):
        return False
    is_bent = photo.bend > LEAST_BEND and is_explained and not is_straight
    is_shadowed = photo.light <= LEAST_LIGHT and is_explained
    return is_exact or ((is_flat or (is_square and not is_shadowed)) and not is_bent)
