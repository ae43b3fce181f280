"""Provides `EyeShape` and `Structure`, the measurements of a drawing, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EyeShape", "Structure"]


@dataclass(frozen=True, slots=True)
class EyeShape:
    """The measured shape of a finder pattern; lengths are in modules.

    Attributes:
        corner: top_left, top_right or bottom_left.
        radius: The largest radius of the four outer corners; contour readers need at most 0.9 (0.13 of its side).
        core: Side of a square with the area of the pupil; run-length readers need at least 2.6.
        ring: Share of the ring that is dark, measured along the middle of its sides; below 0.9, the ring is broken.
        gap: Share of the gap between ring and pupil that is light, measured along the middle of its sides.
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
    """The measurements of a drawing other than the values of its modules.

    Attributes:
        eyes: The three finder patterns.
        dark_weight: Diameter in modules of a disc with the area of a typical dark data module; 1 at most.
        light_weight: Diameter in modules of a disc with the light area of a typical light data module; 1 at most.
        quiet: Modules around the symbol that are as light as its light modules on a dark page, 0..5, on the
            narrowest side.
        contrast: Luma of typical light modules minus that of dark ones, -1..1, in the faintest part of the symbol;
            negative if the symbol is light on dark.
        is_mirrored: True if the symbol is mirrored.
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
