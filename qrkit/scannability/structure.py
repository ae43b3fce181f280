"""What readers need before they correct anything: eyes, weight of modules, quiet zone, contrast.

Measured on the drawing itself, so that it holds for whatever draws it. The limits are those from which on independent
readers begin to fail; they are harder than the standard where readers are, and softer where they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qrkit.scannability.budget import role_grid, true_modules
from qrkit.scannability.sampling import MARGIN, Sampled
from qrkit.symbol import Role, Symbol

if TYPE_CHECKING:
    from qrkit.scannability.sampling import Greys

__all__ = ["DARK_PAGE", "EyeShape", "Structure", "structure_of"]

DARK_PAGE = 0.25
"""Luma of a page that a light quiet zone has to hold its own against: #404040."""

EYE = 7
"""Modules per side of a finder pattern."""

CORNERS = {"top_left": (0, 0), "top_right": (0, 1), "bottom_left": (1, 0)}
"""Whether an eye is at the bottom, and at the right."""


@dataclass(frozen=True, slots=True)
class EyeShape:
    """The form of one finder pattern as it is drawn; lengths in modules.

    Attributes:
        corner: top_left, top_right or bottom_left.
        radius: Of its outer corners, the largest of the four; contour readers need at most 0.9 (0.13 of its side).
        core: Side of a square with the area of the pupil; run-length readers need at least 2.6.
        ring: Share of the ring's middle line that is dark; a broken ring is less than 0.9.
        gap: Share of the light ring between ring and pupil that is light, likewise.
    """

    corner: str
    radius: float
    core: float
    ring: float
    gap: float

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return {
            "corner": self.corner,
            "radius": round(self.radius, 3),
            "core": round(self.core, 3),
            "ring": round(self.ring, 3),
            "gap": round(self.gap, 3),
        }


@dataclass(frozen=True, slots=True)
class Structure:
    """What is measured beside the modules' values.

    Attributes:
        eyes: The three finder patterns.
        dark_weight: Diameter in modules of a disc with the area of a typical dark data module; 1 at most.
        light_weight: The same of what stays light of a typical light data module.
        quiet: Modules around the symbol that are as light as its light modules, on a dark page: 0..5, the fewest of
            the four sides.
        contrast: Luma of typical light modules less that of dark ones, -1..1, in the faintest part of the symbol;
            negative where it is drawn light on dark.
        is_mirrored: Whether the symbol is drawn mirrored.
    """

    eyes: tuple[EyeShape, ...]
    dark_weight: float
    light_weight: float
    quiet: float
    contrast: float
    is_mirrored: bool = False

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return {
            "eyes": [eye.as_dict() for eye in self.eyes],
            "darkWeight": round(self.dark_weight, 3),
            "lightWeight": round(self.light_weight, 3),
            "quiet": round(self.quiet, 2),
            "contrast": round(self.contrast, 3),
            "isMirrored": self.is_mirrored,
        }


def structure_of(sampled: Sampled, symbol: Symbol, wrong: np.ndarray) -> Structure:
    """Measure a drawing.

    Args:
        sampled: The drawing.
        symbol: What was meant.
        wrong: bool, side x side: modules that read wrong, which say nothing of the others' weight.
    """
    contrast = contrast_of(sampled.modules(), symbol)
    white = sampled.on(1.0)
    dark, light = levels(sampled.modules(), symbol)
    middle = (dark + light) / 2
    is_dark = (white < middle) if contrast > 0 else (white > middle)
    weights = weights_of(is_dark, sampled.pixels, symbol, wrong)
    eyes = tuple(_eye(is_dark, sampled, corner) for corner in CORNERS)
    return Structure(eyes, *weights, quiet_of(sampled, middle, is_light=contrast > 0), contrast, sampled.is_mirrored)


def levels(luma: Greys, symbol: Symbol) -> tuple[float, float]:
    """The luma of typical dark and of typical light modules."""
    dark, inner = true_modules(symbol), luma[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return float(np.median(inner[dark])), float(np.median(inner[~dark]))


def contrast_of(luma: Greys, symbol: Symbol) -> float:
    """The signed contrast of the symbol's faintest ninth."""
    dark, inner = true_modules(symbol), luma[MARGIN:-MARGIN, MARGIN:-MARGIN]
    found = []
    for rows, greys in zip(np.array_split(dark, 3), np.array_split(inner, 3), strict=True):
        for part, grey in zip(np.array_split(rows, 3, axis=1), np.array_split(greys, 3, axis=1), strict=True):
            found.append(float(np.median(grey[~part]) - np.median(grey[part])))
    # Under a logo there is no contrast at all, which is the budget's to say.
    seen = [one for one in found if abs(one) > 0.05] or [0.0]
    return min(seen, key=abs)


def weights_of(is_dark: np.ndarray, pixels: int, symbol: Symbol, wrong: np.ndarray) -> tuple[float, float]:
    """How much of a typical dark and of a typical light data module is drawn so, as diameters of discs."""
    edge = MARGIN * pixels
    inner = is_dark[edge:-edge, edge:-edge].astype(np.float32)
    share = inner.reshape(symbol.side, pixels, symbol.side, pixels).mean(axis=(1, 3))
    counted = (role_grid(symbol.version) == Role.DATA) & ~wrong
    dark = true_modules(symbol)
    return _diameter(share[counted & dark]), _diameter(1 - share[counted & ~dark])


def _diameter(shares: np.ndarray) -> float:
    """Of a disc that covers as much of a module as most do; a fifth may cover less."""
    if not len(shares):
        return 0.0
    return min(1.0, float(np.sqrt(np.quantile(shares, 0.2) * 4 / np.pi)))


def quiet_of(sampled: Sampled, middle: float, *, is_light: bool) -> float:
    """How many modules around the symbol are clear, where the page behind the picture is of the other kind."""
    page = DARK_PAGE if is_light else 1.0
    seen = sampled.on(page)
    clear = (seen > middle) if is_light else (seen < middle)
    if is_light and DARK_PAGE > middle:
        clear &= sampled.is_inside
    pixels, edge = sampled.pixels, MARGIN * sampled.pixels
    end = edge + sampled.side * pixels
    reach = []
    for turned in range(4):
        # The band beside the symbol, from the symbol outwards.
        band = np.rot90(clear, turned)[:edge, edge:end][::-1]
        is_clear = band.mean(axis=1) > 0.98
        reach.append(edge if is_clear.all() else int(np.argmin(is_clear)))
    return min(reach) / pixels


def _eye(is_dark: np.ndarray, sampled: Sampled, corner: str) -> EyeShape:
    pixels = sampled.pixels
    at_bottom, at_right = CORNERS[corner]
    far = (MARGIN + sampled.side - EYE) * pixels
    top, left = (far if at_end else MARGIN * pixels for at_end in (at_bottom, at_right))
    box = is_dark[top : top + EYE * pixels, left : left + EYE * pixels]
    centre = np.abs(np.arange(EYE * pixels) + 0.5 - EYE * pixels / 2) / pixels
    distance = np.maximum(centre[:, None], centre[None, :])  # from the middle, in modules; its lines are squares
    return EyeShape(
        corner=corner,
        radius=max(_radius(np.rot90(box, turned)) for turned in range(4)) / pixels,
        core=float(np.sqrt(box[distance < 2].sum())) / pixels,
        ring=float(box[np.abs(distance - 3) < 0.15].mean()),
        gap=float(1 - box[np.abs(distance - 2) < 0.15].mean()),
    )


def _radius(box: np.ndarray) -> float:
    """Of the top left corner in pixels: how much of its square an arc leaves out, 1 - pi / 4 of the radius squared."""
    reach = len(box) // 2
    quarter = box[:reach, :reach]
    # What is light before the first dark pixel of its row and of its column is outside the form.
    outside = (np.cumsum(quarter, axis=1) == 0) & (np.cumsum(quarter, axis=0) == 0)
    return float(np.sqrt(outside.sum() / (1 - np.pi / 4)))
