"""Provides `SPRITES`, the built-in shapes of modules, in a cell from 0, 0 to 1, 1.

Readers sample the middle of a cell, so every sprite is dark within a fifth of a module of it. Pointed shapes extend
slightly beyond the edge of the cell, which gives them as much ink as round ones.
"""

from __future__ import annotations

import math

from qrkit.design.outline import Outline, bowed, circle, polygon, star

__all__ = ["SPRITES"]

CENTER = 0.5

ARM = 0.21
"""Half the width of the arms of plus and x."""


def _flower(petals: int, distance: float, radius: float, turn: float = 0) -> Outline:
    """Draw discs around a larger one. The first is at the top, or `turn` of a full turn further."""
    angles = [2 * math.pi * (index / petals + turn) for index in range(petals)]
    around = (
        circle(CENTER + distance * math.sin(angle), CENTER - distance * math.cos(angle), radius) for angle in angles
    )
    return Outline.joined((circle(CENTER, CENTER, 0.3), *around))


def _cross(reach: float, turn: float) -> Outline:
    """Draw four arms from the center, rotated by an angle."""
    corners = (
        (-ARM, -reach), (ARM, -reach), (ARM, -ARM), (reach, -ARM), (reach, ARM), (ARM, ARM),
        (ARM, reach), (-ARM, reach), (-ARM, ARM), (-reach, ARM), (-reach, -ARM), (-ARM, -ARM),
    )  # fmt: skip
    across, down = math.cos(turn), math.sin(turn)
    return polygon(*((CENTER + x * across - y * down, CENTER + x * down + y * across) for x, y in corners))


def _smiley() -> Outline:
    eyes = circle(0.33, 0.27, 0.062) + circle(0.67, 0.27, 0.062)
    # A crescent between two arcs with the same ends.
    mouth = Outline(
        (
            ("M", (0.2, 0.62)),
            ("C", (0.3, 0.83, 0.7, 0.83, 0.8, 0.62)),
            ("C", (0.74, 0.94, 0.26, 0.94, 0.2, 0.62)),
            ("Z", ()),
        )
    )
    return circle(CENTER, CENTER, 0.52) + eyes.hole() + mouth.hole()


SPRITES = {
    "circle": circle(CENTER, CENTER, 0.5),
    "diamond": polygon((0.5, -0.03), (1.03, 0.5), (0.5, 1.03), (-0.03, 0.5)),
    "diamond2": bowed(-0.12, (0.5, -0.06), (1.06, 0.5), (0.5, 1.06), (-0.06, 0.5)),
    "five": _flower(5, 0.29, 0.21),
    "four": _flower(4, 0.27, 0.25, turn=1 / 8),
    "plus": _cross(0.5, 0),
    "six": _flower(6, 0.33, 0.175),
    "smiley": _smiley(),
    "star": star(CENTER, 0.53, 0.58, 0.31, 5),
    "triangle": bowed(0.08, (0.5, -0.05), (1.03, 0.92), (-0.03, 0.92)),
    "x": _cross(0.58, math.pi / 4),
}
"""The interface's names in their order, then qrkit's own in alphabetical order."""
