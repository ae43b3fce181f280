"""Measures a drawing as a press prints it: its colors in CMYK, and how light and dark modules are on paper.

Colors are converted as PDF does without a profile (ISO 32000-1:2008, 10.3.5), with all gray as black, and seen as the
solid inks of FOGRA39 are, which let the paper through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qrkit.design.color import BLACK, Color
from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, within
from qrkit.scanning.sampling import WEIGHTS, colors_of, luma_of, median, reflectance

if TYPE_CHECKING:
    from qrkit.drawing.scene import Scene

    Floats = np.ndarray[Any, np.dtype[np.float32]]


PIXELS = 4
"""Pixels per module of the drawing whose colors are measured."""
GAIN = 0.14
"""How much darker a tint of 50% is printed than asked for (ISO 12647-2:2013, offset on coated paper)."""
LEAST = 1e-6
"""Of what a color is divided by, so that black is not divided by zero."""


class Inked(NamedTuple):
    """What was measured.

    Attributes:
        contrast: Luma of light modules on paper minus that of dark ones, -1..1; negative if the code is light on dark.
        best: Luma of light modules minus that of solid black ink, 0..1.
        total: The largest sum of the four inks in percent.
        channels: Red, green and blue of dark modules before they are converted, 0..1.
    """

    contrast: float
    best: float
    total: float
    channels: tuple[float, float, float]


def inked(scene: Scene, page: Color, paper: Color) -> Inked:
    """Measure a drawing in ink."""
    with within(LONGEST_SECONDS):
        picture, per_module = colors_of(scene, PIXELS, page)
    middles = np.arange(scene.symbol.side) + 0.5
    columns, rows = (((start / scene.module + middles) * per_module).astype(int) for start in scene.origin)
    modules, is_dark = picture[np.ix_(rows, columns)], np.array([*map(list, scene.cells)]) > 0
    luma = _printed(_inks(modules), paper)
    light, black = median(luma[~is_dark]), float(_printed(_inks(_channels(BLACK)[0]), paper))
    red, green, blue = map(float, np.median(modules[is_dark], axis=0))
    total = 100 * float(_inks(picture).sum(axis=-1).max())
    return Inked(light - median(luma[is_dark]), light - black, total, (red, green, blue))


def _channels(*colors: Color) -> Floats:
    """Return red, green and blue of colors, 0..1, a row for each."""
    return (np.array([one.channels for one in colors]) / 255).astype(np.float32)


SOLIDS = reflectance(_channels(*map(Color.parse, ("#009FE3", "#E6007E", "#FFED00", "#20201E"))))
"""Linear light of solid cyan, magenta, yellow and black on coated paper: the data FOGRA39L (Fogra, December 2006),
relative to the paper and, as cameras expose for what they see, to the darkest mix of inks (black point compensation).
"""


def _inks(colors: Floats) -> Floats:
    """Return cyan, magenta, yellow and black of colors, 0..1 each."""
    black = 1 - colors.max(axis=-1, keepdims=True)
    return np.concatenate([(1 - colors - black) / np.maximum(1 - black, LEAST), black], axis=-1)


def _printed(inks: Floats, paper: Color) -> Floats:
    """Return the luma of inks on a paper."""
    spread = inks + 4 * GAIN * inks * (1 - inks)
    light = reflectance(_channels(paper))[0] * np.prod(1 - spread[..., None] * (1 - SOLIDS), axis=-2)
    return (luma_of(light) @ WEIGHTS).astype(np.float32)
