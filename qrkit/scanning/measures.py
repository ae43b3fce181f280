"""What is measured of a drawing, as plain data: `EyeShape` and `Structure`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EyeShape", "Structure"]


@dataclass(frozen=True, slots=True)
class EyeShape:
    """The form of one finder pattern as it is drawn; lengths in modules.

    Attributes:
        corner: top_left, top_right or bottom_left.
        radius: Of its outer corners, the largest of the four; contour readers need at most 0.9 (0.13 of its side).
        core: Side of a square with the area of the pupil; run-length readers need at least 2.6.
        ring: Share of the ring's sides that is dark, along their middle; a broken ring has less than 0.9.
        gap: Share of the gap between ring and pupil that is light, likewise.
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
