"""Measures the lightness of each module of a drawing, as a reader would.

Values are luma, the weighted sum of encoded red, green and blue that readers compute (ITU-R BT.601): 0 is black, 1 is
white. Print grades use reflectance, which is linear; `reflectance` converts luma to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qrkit.design.color import LUMA, WHITE, Color

if TYPE_CHECKING:
    from qrkit.drawing.scene import Matrix, Scene


Greys: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.floating[Any]]]
"""Rows of luma, 0..1."""

Channels: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
"""Rows of pixels: red, green, blue and, maybe, alpha, 0..1."""

MARGIN = 5
"""Modules measured around the symbol: the standard's quiet zone of 4 and one more."""

PIXELS = 8
"""Pixels per module of a measured drawing: enough to detect a corner rounded by a tenth of an eye."""

MOST_SAMPLED_SIDE = 1100
"""Pixels per side of a measured drawing; large symbols get fewer pixels per module."""

MOST_READ_SIDE = 1600
"""Pixels of the longer side of an image for readers."""

WEIGHTS = np.array(LUMA, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Sampled:
    """A drawn symbol with `MARGIN` modules around it, in the orientation of the encoded symbol, even if drawn mirrored.

    All arrays are (side + 2 · `MARGIN`) · `pixels` squared: `luma` of the drawing; `alpha`, 0 where the page shows
    through; and `is_inside`, True inside the image, even where it is transparent. `side` is without the margin.
    """

    side: int
    pixels: int
    luma: Greys
    alpha: Greys
    is_inside: np.ndarray
    is_mirrored: bool = False

    def on(self, page: float) -> Greys:
        """Return the image on a page of this luma."""
        return self._on_white if page == 1.0 or self._is_opaque else self._over(page)

    @cached_property
    def modules(self) -> Greys:
        """The mean luma of each module's inner half on white, which readers sample, (side + 2 · MARGIN) squared."""
        return middles(self._on_white, self.pixels)

    @cached_property
    def _is_opaque(self) -> bool:
        return bool((self.alpha == 1).all())

    @cached_property
    def _on_white(self) -> Greys:
        return self.luma if self._is_opaque else self._over(1.0)

    def _over(self, page: float) -> Greys:
        return self.luma * self.alpha + np.float32(page) * (1 - self.alpha)


def middles(greys: Greys, pixels: int) -> Greys:
    """Return the mean of the inner half of each square with this number of pixels per side."""
    rows, columns = greys.shape[0] // pixels, greys.shape[1] // pixels
    edge = pixels // 4
    squares = greys.reshape(rows, pixels, columns, pixels)[:, edge : pixels - edge, :, edge : pixels - edge]
    means: Greys = squares.mean(axis=(1, 3), dtype=np.float32)
    return means


def sample(scene: Scene, pixels: int = PIXELS, rows: slice = slice(None), columns: slice = slice(None)) -> Sampled:
    """Draw the symbol of a scene and its surroundings, with at least 3 pixels per module; large symbols get fewer.

    Rows and columns of modules are counted from the margin.
    """
    side = scene.symbol.side
    across = side + 2 * MARGIN
    pixels = max(3, min(pixels, MOST_SAMPLED_SIDE // across))
    (top, bottom, _), (left, right, _) = rows.indices(across), columns.indices(across)
    is_across, is_down = _flips(scene)
    begin = (across - right if is_across else left, across - bottom if is_down else top)
    matrix = _onto_modules(scene, pixels, begin)
    picture = _painted(scene, matrix, ((right - left) * pixels, (bottom - top) * pixels))
    is_inside = np.zeros(picture.shape[:2], dtype=bool)
    x, y, width, height = matrix.box(0, 0, scene.width, scene.height)
    edges = [max(0, round(edge)) for edge in (x, y, x + width, y + height)]
    is_inside[edges[1] : edges[3], edges[0] : edges[2]] = True
    luma, alpha = picture[:, :, :3] @ WEIGHTS, picture[:, :, 3]
    # Undo the flip of the design.
    turn = (slice(None, None, -1 if is_down else 1), slice(None, None, -1 if is_across else 1))
    return Sampled(side, pixels, luma[turn], alpha[turn], is_inside[turn], is_across != is_down)


def _onto_modules(scene: Scene, pixels: int, begin: tuple[int, int]) -> Matrix:
    """Return the matrix that moves a column and a row, counted from the margin, to the top left corner."""
    from qrkit.drawing.scene import Matrix

    (left, top), (column, row), scale = scene.origin, begin, pixels / scene.module
    reach_x, reach_y = ((MARGIN - number) * scene.module for number in (column, row))
    return Matrix(scale, scale, (reach_x - left) * scale, (reach_y - top) * scale)


def greys_of(scene: Scene, pixels: int, page: Color = WHITE) -> tuple[Greys, float]:
    """Return the whole image on a page, and its pixels per module; see `colors_of`."""
    picture, per_module = colors_of(scene, pixels, page)
    return picture @ WEIGHTS, per_module


def colors_of(scene: Scene, pixels: int, page: Color = WHITE) -> tuple[Channels, float]:
    """Return red, green and blue of the whole image on a page, 0..1, and its pixels per module.

    The pixels per module are as asked for, unless the image would exceed `MOST_READ_SIDE` pixels per side.
    """
    from qrkit.drawing.scene import Matrix

    scale = min(pixels / scene.module, MOST_READ_SIDE / max(scene.width, scene.height))
    size = max(1, round(scene.width * scale)), max(1, round(scene.height * scale))
    # With whole pixels per module, the symbol must begin on a whole pixel; the edges get the remaining fraction.
    left, top = (round(place * scale) - place * scale for place in scene.origin)
    picture: np.ndarray = _painted(scene, Matrix(scale, scale, left, top), size, opaque=True)
    if picture.shape[2] == 4:
        alpha = picture[:, :, 3:]
        below = np.array(page.channels, dtype=np.float32) / 255
        picture = picture[:, :, :3] * alpha + below * (1 - alpha)
    return picture, scale * scene.module


def median(values: np.ndarray) -> float:
    """Return the median of numbers in a row, as `numpy.median` does, which takes several times as long for so few."""
    ordered, half = np.sort(values), len(values) // 2
    return float(ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2)


def reflectance(luma: Greys) -> Greys:
    """Convert the luma of grays to linear reflectance (IEC 61966-2-1, the sRGB curve)."""
    return np.where(luma <= 0.04045, luma / 12.92, ((luma + 0.055) / 1.055) ** 2.4).astype(np.float32)


def luma_of(reflectance: Greys) -> Greys:
    """Convert linear reflectance to the luma of grays; the opposite of `reflectance`."""
    low = np.maximum(reflectance, 1e-6)
    return np.where(reflectance <= 0.0031308, 12.92 * reflectance, 1.055 * low ** (1 / 2.4) - 0.055).astype(np.float32)


def _painted(scene: Scene, matrix: Matrix, size: tuple[int, int], *, opaque: bool = False) -> Channels:
    """Return the part of a scene that a matrix moves into an image of this size: its channels, 0..1.

    With `opaque`, only red, green and blue where nothing is transparent.
    """
    from qrkit.drawing.scene import Group  # pictures are measured without what draws designs
    from qrkit.drawing.writers.canvas import painted, seen

    part = replace(scene, width=size[0], height=size[1], items=(Group(scene.items, matrix),))
    floats = np.asarray((seen if opaque else painted)(part), dtype=np.float32)
    return np.divide(floats, 255, out=floats)


def _flips(scene: Scene) -> tuple[bool, bool]:
    """Return whether the symbol is mirrored horizontally, and vertically."""
    seen, meant = scene.cells, scene.symbol.modules
    # No symbol equals its mirror image, because one corner has no finder pattern.
    for across, down in product((False, True), repeat=2):
        rows = meant[::-1] if down else meant
        if seen == (tuple(row[::-1] for row in rows) if across else rows):
            return across, down
    raise AssertionError("the cells of a scene are its modules, mirrored or not")
