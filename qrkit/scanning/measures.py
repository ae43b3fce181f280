"""Provides `EyeShape` and `Structure`, the measurements of a drawing, as plain data."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

from qrkit.design.color import linear_light

LETTERS = "FDCBA"
"""Letters of the grades 0..4 (ISO/IEC 15415)."""

CONTRAST_BOUNDS = (0.20, 0.40, 0.55, 0.70)
"""The symbol contrast of grades 1, 2, 3 and 4 at least."""


def symbol_contrast(light: float, contrast: float) -> float:
    """Return the symbol contrast of ISO/IEC 15415: the reflectance of light modules minus that of dark ones, -1..1.

    Args:
        light: Luma of light modules, 0..1.
        contrast: Luma of light modules minus that of dark ones, -1..1.
    """
    return linear_light(light) - linear_light(light - contrast)


def json_fields(record: Any, digits: int = 3, *, without: str = "") -> dict[str, Any]:
    """Return the fields of a dataclass with the names of JSON, numbers rounded, without private ones and one other."""
    names = [one.name for one in fields(record) if not one.name.startswith("_") and one.name != without]
    values = {name: getattr(record, name) for name in names}
    return {
        re.sub("_(.)", lambda match: match[1].upper(), name): round(one, digits) if isinstance(one, float) else one
        for name, one in values.items()
    }


@dataclass(frozen=True, slots=True)
class EyeShape:
    """The measured shape of a finder pattern; lengths are in modules.

    Attributes:
        corner: top_left, top_right or bottom_left.
        radius: The largest radius of the four outer corners; phones read 2.5 well, contour readers 0.9.
        core: Side of a square with the area of the pupil; the standard's is 3.
        ring: Share of the ring that is dark, measured along the middle of its sides; below 0.9, the ring is broken.
        gap: Share of the gap between ring and pupil that is light, measured along the middle of its sides.
        width: Width of the ring on the side where it differs most from 1.
        growth: How far the ring reaches beyond its 7 x 7 modules, on the side where it differs most; negative if it
            is smaller.
        diagonal: The narrowest gap between pupil and ring on the diagonals; narrow where a square pupil is in a round
            ring.
        ring_contrast: Luma of light modules minus that of the ring, -1..1; negative if it is light on dark.
        pupil_contrast: The same for the pupil.
        light: Luma of light modules, 0..1.
    """

    corner: str
    radius: float
    core: float
    ring: float
    gap: float
    width: float = 1.0
    growth: float = 0.0
    diagonal: float = 1.0
    ring_contrast: float = 1.0
    pupil_contrast: float = 1.0
    light: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        ring, pupil = (symbol_contrast(self.light, one) for one in (self.ring_contrast, self.pupil_contrast))
        contrasts = {"ringContrast": round(ring, 3), "pupilContrast": round(pupil, 3)}
        return json_fields(self, without="light") | contrasts


@dataclass(frozen=True, slots=True)
class Structure:
    """The measurements of a drawing other than the values of its modules.

    Attributes:
        eyes: The three finder patterns.
        dark_weight: Diameter in modules of a disc with as much ink as a small dark data module; 1 at most.
        light_weight: Diameter in modules of a disc with the light area of a small light data module; 1 at most.
        quiet: Modules around the symbol that are as light as its light modules on a dark page, 0..5, on the
            narrowest side.
        contrast: Luma of typical light modules minus that of dark ones, -1..1, in the faintest part of the symbol;
            negative if the symbol is light on dark.
        light: Luma of the light modules in that part, 0..1.
        is_mirrored: True if the symbol is mirrored.
        alignment: Share of a typical dark module of the alignment patterns that is ink, 0..1; 1 if there is none.
        other_eyes: Number of places, other than the finder patterns, that look like one to readers.
    """

    eyes: tuple[EyeShape, ...]
    dark_weight: float
    light_weight: float
    quiet: float
    contrast: float
    light: float = 1.0
    is_mirrored: bool = False
    alignment: float = 1.0
    other_eyes: int = 0

    @property
    def symbol_contrast(self) -> float:
        """The symbol contrast of ISO/IEC 15415 in the faintest part, -1..1: the difference of reflectances."""
        return symbol_contrast(self.light, self.contrast)

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        contrast, eyes = round(self.symbol_contrast, 3), [eye.as_dict() for eye in self.eyes]
        return json_fields(self, without="light") | {"eyes": eyes, "quiet": round(self.quiet, 2), "contrast": contrast}
