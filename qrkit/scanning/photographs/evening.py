"""Explains the modules of a straightened photo by light and blur; the rest is damage or noise.

Light is a smooth map of what ink and what paper reflect. Blur is a kernel of 3 x 3 modules, the same everywhere. A
module's rest is what neither explains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qrkit.scanning.photographs.straightening import blurred
from qrkit.scanning.sampling import MARGIN, Greys

ROUNDS = 5
"""Times that light and blur are found anew, each with what is known of the other."""

WINDOW = 4.0
"""Standard deviation of the windows in which the light is found, in modules."""

TRUSTED = (0.6, 0.85)
"""Shares of a window that the symbol explains, from which its own light counts little, and fully."""

OWN = (-0.5, 2.0)
"""Range of a module's own value."""

INNER = slice(MARGIN, -MARGIN)
"""The symbol without its margin."""

WEIGHTS_OUTSIDE = (0.6, 0.3)
"""Weights of the first two rings of the quiet zone, and of those beyond, beside 1 for the symbol."""

MIDDLE = 4
"""Place of a module among its 3 x 3 neighbors."""


@dataclass(frozen=True, eq=False)
class Evened:
    """The modules of a photo, all arrays (side + 2 · `MARGIN`) squared.

    Attributes:
        white: What each module should be, 0 for ink and 1 for paper.
        ink: Light of ink.
        paper: Light of paper.
        value: Light of each module, where 0 is ink and 1 is paper.
        rest: The part of the value that blur does not explain.
        kernel: Weights of the 3 x 3 neighbors of a module.
        noise: Size of a typical rest.
    """

    white: Greys
    ink: Greys
    paper: Greys
    value: Greys
    rest: Greys
    kernel: np.ndarray
    noise: float

    @property
    def middle(self) -> float:
        """The weight of a module itself."""
        return float(np.clip(self.kernel[MIDDLE], 0.15, 1))

    @property
    def own(self) -> Greys:
        """The values that modules must have for the photo to look as it does, without its blur."""
        return np.clip(self.white + self.rest / self.middle, *OWN)


def even_out(light: Greys, white: Greys, taken: np.ndarray, base: Greys, rounds: int = ROUNDS) -> Evened:
    """Find light and blur from the light of the middle of each module.

    Args:
        white: What each module should be, 0 for ink and 1 for paper.
        taken: bool: the modules from which the blur is found.
        base: Weight of each module for the light, 0 outside the photo.
        rounds: How often light and blur are found anew.
    """
    neighbors, weight, share = around(white), base, white
    for turn in range(rounds):
        ink, paper = _lights(light, share, weight + 1e-9)
        value = (light - ink) / np.maximum(paper - ink, 1e-3)
        for _ in range(2):
            columns = neighbors[taken]
            weighted = columns * weight[taken][:, None]
            kernel = np.linalg.solve(columns.T @ weighted + np.eye(9) * 1e-3, weighted.T @ value[taken])
            expected = neighbors @ kernel
            rest = value - expected
            noise = 1.4826 * float(np.median(np.abs(rest[taken])))
            weight = base / (1 + (rest / (2.5 * (noise + 0.02))) ** 2)
        share = np.clip(expected, 0, 1) if turn else (white + np.clip(expected, 0, 1)) / 2
    return Evened(white, ink, paper, value, rest, kernel, noise)


def weights_of(across: int) -> Greys:
    """Return how much each module counts for the light."""
    weights = np.full((across, across), WEIGHTS_OUTSIDE[1], dtype=np.float32)
    weights[MARGIN - 2 : 2 - MARGIN, MARGIN - 2 : 2 - MARGIN] = WEIGHTS_OUTSIDE[0]
    weights[INNER, INNER] = 1
    return weights


def around(values: Greys) -> np.ndarray:
    """Return the 3 x 3 neighbors of each module, from top left to bottom right, in a last axis."""
    wide, side = np.pad(values, 1, mode="edge"), len(values)
    return np.stack([wide[y : y + side, x : x + side] for y in range(3) for x in range(3)], -1)


def _lights(light: Greys, share: Greys, weight: Greys) -> tuple[Greys, Greys]:
    """Fit ink and paper in light = ink + (paper - ink) · share.

    Polynomials of second order over all of the symbol give way to windows that the symbol explains well: there, a
    shadow keeps the relation of ink and paper, which damage does not.
    """
    wide_ink, wide_paper = _wide_lights(light, share, weight)
    parts = np.stack([np.ones_like(share), share, share**2, light, share * light, light**2]) * weight
    one, s, ss, v, sv, vv = blurred(parts, WINDOW)
    of_share, of_light, of_both = ss - s**2 / one, vv - v**2 / one, sv - s * v / one
    slope = of_both / np.maximum(of_share, 1e-6)
    explained = np.where((of_share > 1e-3) & (slope > 0), slope * of_both / np.maximum(of_light, 1e-9), 0)
    trust = np.clip((explained - TRUSTED[0]) / (TRUSTED[1] - TRUSTED[0]), 0, 1)
    ink = (v - slope * s) / one
    trust *= (ink > -0.1) & (ink + slope < 1.6)
    return wide_ink + (ink - wide_ink) * trust, wide_paper + (ink + slope - wide_paper) * trust


def _wide_lights(light: Greys, share: Greys, weight: Greys) -> tuple[Greys, Greys]:
    """Fit polynomials of second order, one for ink and one for paper."""
    y, x = np.meshgrid(*[np.linspace(-1, 1, len(light))] * 2, indexing="ij")
    basis = np.stack([np.ones_like(x), x, y, x * y, x**2, y**2], -1).reshape(light.size, 6)
    columns = np.concatenate([basis * (1 - share).reshape(-1, 1), basis * share.reshape(-1, 1)], 1)
    weighted = columns * weight.reshape(-1, 1)
    ridge = np.diag([1e-6, *[0.02] * 5] * 2) * weight.sum() / 12
    solved = np.linalg.solve(columns.T @ weighted + ridge, weighted.T @ light.ravel())
    return (basis @ solved[:6]).reshape(light.shape), (basis @ solved[6:]).reshape(light.shape)
