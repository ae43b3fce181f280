"""Measures what readers need before error correction: eyes, weight of modules, quiet zone, contrast.

The drawing itself is measured, so the results do not depend on how it was drawn. The limits are the values at which
independent readers begin to fail; some are stricter than the standard, others less strict.
"""

from __future__ import annotations

from itertools import pairwise, product
from math import ceil

import numpy as np

from qrkit.scanning.budget import true_modules
from qrkit.scanning.eye_shapes import eye_shape, other_eyes
from qrkit.scanning.measures import Structure
from qrkit.scanning.module_roles import role_grid
from qrkit.scanning.sampling import MARGIN, Greys, Sampled, median
from qrkit.symbol.symbol import CORNERS, Role, Symbol

DARK_PAGE = 0.25
"""Luma of a dark page (#404040), from which a light quiet zone must be distinguishable."""

LEAST_SEEN = 0.7
"""Share of modules in a part of the symbol that must read right for its contrast to count."""


def structure_of(sampled: Sampled, symbol: Symbol, wrong: np.ndarray) -> Structure:
    """Measure a drawing.

    Args:
        wrong: bool, side x side: modules that read wrong, which are left out of the weights.
    """
    white, luma = sampled.on(1.0), sampled.modules
    contrast, bright = contrast_of(luma, symbol, wrong)
    dark, light = levels(luma, symbol)
    middle = (dark + light) / 2
    is_dark = (white < middle) if contrast > 0 else (white > middle)
    inked = ink_shares(white if contrast > 0 else 1 - white, sampled.pixels, symbol)
    roles, meant = role_grid(symbol.version), true_modules(symbol)
    counted, alignment = (roles == Role.DATA) & ~wrong, inked[(roles == Role.ALIGNMENT) & meant]
    return Structure(
        eyes=tuple(eye_shape(is_dark, white, light, sampled, corner) for corner in CORNERS),
        dark_weight=_diameter(inked[counted & meant]),
        light_weight=_diameter(1 - inked[counted & ~meant]),
        quiet=quiet_of(sampled, middle, is_light=contrast > 0),
        contrast=contrast,
        light=bright,
        is_mirrored=sampled.is_mirrored,
        alignment=median(alignment) if len(alignment) else 1.0,
        other_eyes=other_eyes(is_dark, sampled.pixels),
    )


def levels(luma: Greys, symbol: Symbol) -> tuple[float, float]:
    """Return the luma of typical dark and typical light modules."""
    dark, inner = true_modules(symbol), luma[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return median(inner[dark]), median(inner[~dark])


def contrast_of(luma: Greys, symbol: Symbol, wrong: np.ndarray) -> tuple[float, float]:
    """Return the signed contrast of the symbol's faintest ninth, and the luma of its light modules.

    Eyes are left out, because they may have their own colors.
    """
    dark, inner = true_modules(symbol), luma[MARGIN:-MARGIN, MARGIN:-MARGIN]
    is_counted = role_grid(symbol.version) != Role.FINDER
    is_right, found = is_counted & ~wrong, []
    thirds = [slice(*ends) for ends in pairwise(ceil(symbol.side * third / 3) for third in range(4))]
    for ninth in product(thirds, thirds):
        right = is_right[ninth]
        darks, lights = (inner[ninth][right & kind[ninth]] for kind in (dark, ~dark))
        # Areas under a logo have no contrast; the budget covers them.
        if right.sum() > LEAST_SEEN * is_counted[ninth].sum() and len(darks) and len(lights):
            light = median(lights)
            found.append((light - median(darks), light))
    low, high = levels(luma, symbol)
    return min(found, key=lambda pair: abs(pair[0]), default=(high - low, high))


def ink_shares(white: Greys, pixels: int, symbol: Symbol) -> Greys:
    """Return how much of each module is ink, 0..1; gray pixels count in part, such as those on edges.

    Args:
        white: Luma of the drawing on a white page, in which modules are dark on light.
    """
    edge = MARGIN * pixels
    modules = white[edge:-edge, edge:-edge].reshape(symbol.side, pixels, symbol.side, pixels)
    dark = true_modules(symbol)
    ink, light = median(modules.min(axis=(1, 3))[dark]), median(modules.max(axis=(1, 3))[~dark])
    shares: Greys = np.clip((light - modules.mean(axis=(1, 3))) / ((light - ink) or 1), 0, 1)
    return shares


def _diameter(shares: np.ndarray) -> float:
    """Return the diameter of a disc as large as the area in the right color that at least 90% of modules reach."""
    if not len(shares):
        return 0.0
    # As `numpy.quantile` does, which takes longer for so few, and loads masked arrays.
    reached = np.interp(0.1 * (len(shares) - 1), np.arange(len(shares)), np.sort(shares))
    return min(1.0, float(np.sqrt(reached * 4 / np.pi)))


def quiet_of(sampled: Sampled, middle: float, *, is_light: bool) -> float:
    """Return the width of the quiet zone in modules, on a page that contrasts with it."""
    page = DARK_PAGE if is_light else 1.0
    seen = sampled.on(page)
    clear = (seen > middle) if is_light else (seen < middle)
    if is_light and middle < DARK_PAGE:
        clear &= sampled.is_inside
    pixels, edge = sampled.pixels, MARGIN * sampled.pixels
    end = edge + sampled.side * pixels
    reach = []
    for turned in range(4):
        # The band beside the symbol, from the inside out, ignoring a quarter module of overlap at the edge.
        band = np.rot90(clear, turned)[: edge - pixels // 4, edge:end][::-1]
        is_clear = band.mean(axis=1) > 0.98
        reach.append(0 if not is_clear[0] else edge if is_clear.all() else int(np.argmin(is_clear)) + pixels // 4)
    return min(reach) / pixels
