"""Provides `SPRITES`, the built-in shapes of modules, in a cell from 0, 0 to 1, 1.

Readers sample the middle of a cell, so every sprite is dark within a fifth of a module of it, and its center of gravity
is there. Each fills 0.55 to 0.7 of its cell, so that strings of different sprites look equally dark. Neighbors either
stay apart, with sprites of at most `WIDTH`, or join: those that only touch would look smudged in small images.
"""

from __future__ import annotations

import math

from qrkit.design.outline import Outline, bowed, chamfered, circle, flower, heart, polygon, regular, star

CENTER = 0.5

WIDTH = 0.94
"""Width of a sprite that does not join its neighbors."""


def cross(reach: float, arm: float, turn: float) -> Outline:
    """Draw four arms from the center, `arm` wide to both sides, rotated by an angle."""
    corners = (
        (-arm, -reach), (arm, -reach), (arm, -arm), (reach, -arm), (reach, arm), (arm, arm),
        (arm, reach), (-arm, reach), (-arm, arm), (-reach, arm), (-reach, -arm), (-arm, -arm),
    )  # fmt: skip
    across, down = math.cos(turn), math.sin(turn)
    return polygon(*((CENTER + x * across - y * down, CENTER + x * down + y * across) for x, y in corners))


def _diamond(reach: float, bow: float = 0) -> Outline:
    low, high = CENTER - reach, CENTER + reach
    return bowed(bow, (CENTER, low), (high, CENTER), (CENTER, high), (low, CENTER))


def _smiley() -> Outline:
    eyes = circle(0.35, 0.29, 0.056) + circle(0.65, 0.29, 0.056)
    # A crescent between two arcs with the same ends.
    mouth = Outline.of(
        (
            ("M", (0.23, 0.61)),
            ("C", (0.32, 0.8, 0.68, 0.8, 0.77, 0.61)),
            ("C", (0.72, 0.9, 0.28, 0.9, 0.23, 0.61)),
            ("Z", ()),
        )
    )
    return circle(CENTER, CENTER, WIDTH / 2) + eyes.hole() + mouth.hole()


def _triangle(side: float, bow: float) -> Outline:
    height = side * math.sqrt(3) / 2
    top, bottom = CENTER - height * 2 / 3, CENTER + height / 3
    return bowed(bow, (CENTER, top), (CENTER + side / 2, bottom), (CENTER - side / 2, bottom))


SPRITES = {
    "circle": circle(CENTER, CENTER, WIDTH / 2),
    "diamond": _diamond(0.575),
    "diamond2": _diamond(0.6, -0.08),
    "five": flower(CENTER, 0.3, 5, 0.285, 0.185),
    "four": flower(CENTER, 0.3, 4, 0.3, 0.235, turn=1 / 8),
    "plus": cross(0.52, 0.2, 0),
    "six": flower(CENTER, 0.3, 6, 0.3, 0.17),
    "smiley": _smiley(),
    "star": star(CENTER, CENTER, 0.62, 0.31, 5),
    "triangle": _triangle(0.92, 0.115),
    "x": cross(0.485, 0.18, math.pi / 4),
    "heart": heart(CENTER, 0.532, 0.465),
    "hexagon": regular(CENTER, CENTER, 0.475, 6),
    "octagon": chamfered(0.06, 0.06, 0.88, 0.258),
    "pentagon": regular(CENTER, CENTER, 0.495, 5),
}
"""The interface's names in their order, then qrkit's own in alphabetical order."""
