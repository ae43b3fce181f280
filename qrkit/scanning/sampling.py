"""A scene -> what a reader would measure: how light the symbol is drawn, module by module.

Values are luma, the weighted sum of the coded red, green and blue that readers compute (ITU-R BT.601): 0 is black, 1 is
white. Reflectance, which print grades use, is linear; `reflectance` makes the one of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qrkit.design.color import LUMA, WHITE, Color
from qrkit.drawing.scene import Group, Matrix
from qrkit.drawing.writers.canvas import painted

if TYPE_CHECKING:
    from qrkit.drawing.scene import Scene

__all__ = ["MARGIN", "Greys", "Sampled", "greys_of", "reflectance", "sample"]

Greys: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.floating[Any]]]"
"""Rows of luma, 0..1."""

MARGIN = 5
"""Modules around the symbol that are looked at: the quiet zone of the standard, 4, and what follows it."""

PIXELS = 8
"""A module, with which a drawing is looked at: enough to see a corner rounded by a tenth of an eye."""

MOST_SAMPLED_SIDE = 1100
"""Pixels of a drawing that is sampled; large symbols get fewer a module."""

MOST_READ_SIDE = 1600
"""Pixels of a picture that is given to readers."""

WEIGHTS = np.array(LUMA, dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """A symbol as it is drawn, with `MARGIN` modules around it, in the orientation in which it was encoded.

    Attributes:
        side: Modules per side, without the margin.
        pixels: A module is so many pixels wide.
        luma: float32, (side + 2 · MARGIN) · pixels squared: what is drawn, where something is.
        alpha: float32, as large: 0 where the page behind the picture is seen, 1 where the picture hides it.
        is_inside: bool, as large: whether the place belongs to the picture, even if it is transparent there.
        is_mirrored: Whether the drawing shows the symbol mirrored.
    """

    side: int
    pixels: int
    luma: Greys
    alpha: Greys
    is_inside: np.ndarray
    is_mirrored: bool = False

    def on(self, page: float) -> Greys:
        """The picture laid on a page of this luma."""
        return self.luma * self.alpha + np.float32(page) * (1 - self.alpha)

    def modules(self, page: float = 1.0) -> Greys:
        """The luma of each module's middle, (side + 2 · MARGIN) squared: of its inner half, as readers look there."""
        return middles(self.on(page), self.pixels)


def middles(greys: Greys, pixels: int) -> Greys:
    """The mean of the inner half of each square of so many pixels a side."""
    count = greys.shape[0] // pixels
    edge = pixels // 4
    squares = greys.reshape(count, pixels, count, pixels)[:, edge : pixels - edge, :, edge : pixels - edge]
    found: Greys = squares.mean(axis=(1, 3), dtype=np.float32)
    return found


def sample(scene: Scene, pixels: int = PIXELS) -> Sampled:
    """Draw the symbol of a scene and what is around it, a few pixels a module.

    Args:
        scene: What is drawn.
        pixels: A module, unless the symbol is large; at least 3.

    Raises:
        RenderingFailed: The renderer broke down on a part of it.
    """
    side = scene.symbol.side
    across = side + 2 * MARGIN
    pixels = max(3, min(pixels, MOST_SAMPLED_SIDE // across))
    left, top = scene.origin
    reach, scale = MARGIN * scene.module, pixels / scene.module
    matrix = Matrix(scale, scale, (reach - left) * scale, (reach - top) * scale)
    picture = _painted(scene, matrix, across * pixels)
    is_inside = np.zeros(picture.shape[:2], dtype=bool)
    box = [max(0, round(edge)) for edge in matrix.box(0, 0, scene.width, scene.height)]
    is_inside[box[1] : box[1] + box[3], box[0] : box[0] + box[2]] = True
    luma, alpha = picture[:, :, :3] @ WEIGHTS, picture[:, :, 3]
    # As it was encoded: a flip of the design mirrors the picture.
    is_across, is_down = _flips(scene)
    turn = (slice(None, None, -1 if is_down else 1), slice(None, None, -1 if is_across else 1))
    return Sampled(side, pixels, luma[turn], alpha[turn], is_inside[turn], is_across != is_down)


def greys_of(scene: Scene, pixels: int, page: Color = WHITE) -> tuple[Greys, float]:
    """The whole picture on a page, and how many pixels a module it has.

    Args:
        scene: What is drawn.
        pixels: A module, unless the picture would have more than `MOST_READ_SIDE` a side.
        page: What is seen through it.

    Raises:
        RenderingFailed: The renderer broke down on a part of it.
    """
    scale = min(pixels / scene.module, MOST_READ_SIDE / max(scene.width, scene.height))
    size = max(1, round(scene.width * scale)), max(1, round(scene.height * scale))
    # Whole pixels a module need whole places, too; the rest of a pixel is given to the edges.
    left, top = (round(place * scale) - place * scale for place in scene.origin)
    picture = _painted(scene, Matrix(scale, scale, left, top), *size)
    alpha = picture[:, :, 3:]
    below = np.array([page.red, page.green, page.blue], dtype=np.float32) / 255
    return (picture[:, :, :3] * alpha + below * (1 - alpha)) @ WEIGHTS, scale * scene.module


def reflectance(luma: Greys) -> Greys:
    """Luma of grays as linear reflectance (IEC 61966-2-1, the curve of sRGB)."""
    return np.where(luma <= 0.04045, luma / 12.92, ((luma + 0.055) / 1.055) ** 2.4).astype(np.float32)


def _painted(scene: Scene, matrix: Matrix, width: int, height: int | None = None) -> np.ndarray:
    """Red, green, blue and alpha, 0..1, of the part of a scene that a matrix moves into a picture of this size."""
    part = replace(scene, width=width, height=height or width, items=(Group(scene.items, matrix),))
    return np.asarray(painted(part), dtype=np.float32) / 255


def _flips(scene: Scene) -> tuple[bool, bool]:
    """Whether the symbol is seen mirrored across, and down."""
    seen, meant = scene.cells, scene.symbol.modules
    # No symbol looks the same mirrored: one of its corners has no finder pattern.
    for across in (False, True):
        for down in (False, True):
            rows = meant[::-1] if down else meant
            if seen == (tuple(row[::-1] for row in rows) if across else rows):
                return across, down
    raise AssertionError("the cells of a scene are its modules, mirrored or not")
