"""Draws alignment patterns in one piece: phones find a symbol far more often by solid patterns than by dots.

The ring is 5 x 5 modules and the center is 1 x 1, whatever the module style is; only their corners follow the style.
"""

from __future__ import annotations

from qrkit.design.limits import ModuleType
from qrkit.design.outline import Outline, rounded

__all__ = ["alignment_pattern"]

SHARP = ("default", "gapped", "bars", "columns", "bricks", "crosses")
"""The styles with square corners."""
CLASSY = ("classy", "classy-rounded")
"""The styles that round two opposite corners."""
RING, HOLE, CENTER = 0.9, 0.25, 0.3
"""Radii of soft corners in modules. Readers miss rings that are rounder."""


def alignment_pattern(style: ModuleType) -> Outline:
    """Draw the alignment pattern of a module style, in modules from its own top left corner.

    Args:
        style: A value of `Modules.type`.
    """
    if style in SHARP:
        return _pattern((0, 0, 0, 0))
    return _pattern((1, 0, 1, 0) if style in CLASSY else (1, 1, 1, 1))


def _pattern(soft: tuple[int, int, int, int]) -> Outline:
    """Draw a ring and its center; 1 for each corner that is soft, clockwise from top left."""
    ring, hole, center = (_radii(radius, soft) for radius in (RING, HOLE, CENTER))
    return rounded(0, 0, 5, 5, ring) + rounded(1, 1, 3, 3, hole).hole() + rounded(2, 2, 1, 1, center)


def _radii(radius: float, soft: tuple[int, int, int, int]) -> tuple[float, float, float, float]:
    one, two, three, four = soft
    return one * radius, two * radius, three * radius, four * radius
