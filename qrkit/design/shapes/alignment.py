"""Draws alignment patterns in one piece: phones find a symbol far more often by solid patterns than by dots.

The ring is 5 x 5 modules and the center is 1 x 1, whatever the module style is; only their corners follow the style.
"""

from __future__ import annotations

from qrkit.design.limits import ModuleType
from qrkit.design.outline import Outline, rounded

SHARP = ("default", "gapped", "bars", "columns", "bricks", "crosses")
"""The styles with square corners."""
CLASSY = ("classy", "classy-rounded")
"""The styles that round two opposite corners."""
RING, HOLE, CENTER = 0.9, 0.25, 0.3
"""Radii of soft corners in modules. Readers miss rings that are rounder."""


def alignment_pattern(style: ModuleType) -> Outline:
    """Draw the alignment pattern of a module style, in modules from its own top left corner."""
    first, second = (0, 0) if style in SHARP else (1, 0) if style in CLASSY else (1, 1)
    ring, hole, center = ((first * radius, second * radius) * 2 for radius in (RING, HOLE, CENTER))
    return rounded(0, 0, 5, 5, ring) + rounded(1, 1, 3, 3, hole).hole() + rounded(2, 2, 1, 1, center)
