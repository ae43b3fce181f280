"""The steps of a trial, from easy to hard, and what a screen shows in each: the captures of a check, in color."""

from __future__ import annotations

from io import BytesIO
from typing import NamedTuple

import numpy as np
from PIL import Image

from qrkit.scanning.conditions import PIXELS, RAMPS, Sheet

USUAL_MM = 0.8
"""Width of a module in the steps that do not try sizes: a code of version 2 is 26 mm wide."""

PAGE = 4.0
"""Modules of white page around the picture: phones must not need the edge of the screen."""

NOISY_PIXELS, DIMMED = 4, 0.35
"""Pixels per module of a noisy capture, and the light that is left of it in the dark."""

_RAMPS = {ramp.name: ramp for ramp in RAMPS}


class Colored(NamedTuple):
    """A picture of a code: rows of pixels, 0..1, with 1 or 3 channels; and its pixels per module."""

    pixels: np.ndarray
    per_module: float


class Step(NamedTuple):
    """A step of the ladder: size, blur, contrast, tilt or dark.

    Its strength is the millimeters of a module for size, the modules of a blur, the share of the contrast that is left,
    the degrees of a tilt, and for dark the standard deviation of the noise in grays, 0..255.
    """

    condition: str
    strength: float

    @property
    def module_mm(self) -> float:
        """Width of a module on the screen, in millimeters."""
        return self.strength if self.condition == "size" else USUAL_MM

    @property
    def label(self) -> str:
        """The step in a few words."""
        return {
            "size": f"Modules of {self.strength:g} mm",
            "blur": f"Blurred by {self.strength:g} modules",
            "contrast": f"Contrast of {self.strength:.0%}",
            "tilt": f"Tilted by {self.strength:g}°",
            "dark": f"Dark, noise of {self.strength:g}",
        }[self.condition]


LADDER = (
    Step("size", 1.0), Step("size", 0.7), Step("size", 0.5), Step("size", 0.4),
    Step("blur", 0.3), Step("blur", 0.5), Step("contrast", 0.4), Step("contrast", 0.1),
    Step("tilt", 30), Step("tilt", 50), Step("dark", 20), Step("dark", 40),
)  # fmt: skip
"""Captures of the check at strengths that simulated readers of phones read if the code is plain, up to their limits."""


class Shown(NamedTuple):
    """What a screen shows: the bytes of a PNG, and the width of a pixel in millimeters."""

    png: bytes
    pixel_mm: float


def show(picture: Colored, step: Step) -> Shown:
    """Return a picture as a step shows it."""
    channels = np.moveaxis(picture.pixels, 2, 0)
    sheets = [Sheet(channel, picture.per_module, PAGE) for channel in channels]
    # Each channel gets the same noise, which is therefore gray.
    layers = [_captured(sheet, step, np.random.default_rng(0)) for sheet in sheets]
    file = BytesIO()
    (Image.merge("RGB", layers) if len(layers) > 1 else layers[0]).save(file, "PNG")
    per_module = NOISY_PIXELS if step.condition == "dark" else PIXELS
    return Shown(file.getvalue(), step.module_mm / (per_module * sheets[0].shrink))


def _captured(sheet: Sheet, step: Step, random: np.random.Generator) -> Image.Image:
    if step.condition == "size":
        return sheet.picture
    if step.condition == "dark":
        return _RAMPS["noise"].capture(step.strength)(sheet, random).point(lambda grey: round(grey * DIMMED))
    return _RAMPS[step.condition].capture(step.strength)(sheet, random)
