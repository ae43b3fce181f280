"""Simulates how cameras capture an image of a symbol: small, blurred, tilted, dim.

The image is placed on a page (`Sheet`), and a `Condition` defines how the page is captured. The strengths are
calibrated so that readers of both kinds read enough captures of plain symbols. Captures are reproducible:
noise is seeded, and images are 8-bit grays, which Pillow resamples with integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from math import ceil, cos, isfinite, radians, sin
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from PIL import Image, ImageFilter

from qrkit.errors import InvalidParameter, Problem

__all__ = [
    "CORE",
    "HARDER",
    "LIMIT",
    "MOST_SIDE",
    "QUICK",
    "RAMPS",
    "Condition",
    "Pixels",
    "Ramp",
    "Sheet",
    "captured",
    "retaken",
]

Picture: TypeAlias = Image.Image
Pixels: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.uint8]]"
"""Rows of grays, 0..255."""

MOST_SIDE = 1_600
"""Pixels of the longer side of an examined image, and of the sheet on which it is placed."""

PIXELS = 6.0
"""Pixels per module of a sheet, unless the condition has another size."""

PHONE_PIXELS = 4.2
"""Pixels per module that a phone sees."""

FINE = 2
"""Factor by which modules are enlarged to simulate ink spread, so that a pixel is a twelfth of a module."""

PAPER, DARK = 255, 64
"""Grays of pages: white, and #404040."""

AWAY = 3.0
"""Viewing distance in sides of the sheet, at which the sheet fills about a third of a phone's view."""


class Sheet:
    """An image on a page, at the size that a condition requires.

    Args:
        greys: The image as rows of luma, uint8 0..255 or floats 0..1, at most `MOST_SIDE` pixels per side, without
            transparency.
        px: Pixels per module in the image, 1..400.
        margin: Width of the page margin around the image, in modules, 0..40.

    Raises:
        InvalidParameter: If an argument is out of range.
    """

    def __init__(self, greys: np.ndarray[Any, Any], px: float, margin: float = 6) -> None:
        if greys.ndim != 2 or not greys.size or max(greys.shape) > MOST_SIDE:
            rule = f"a picture to be examined has two dimensions, and 1 to {MOST_SIDE:,} pixels a side"
            raise InvalidParameter(Problem("greys", greys.shape, rule))
        for name, value, least, most in (("px", px, 1, 400), ("margin", margin, 0, 40)):
            if not (isfinite(value) and least <= value <= most):
                raise InvalidParameter(Problem(name, value, f"must be in {least}..{most}", "out-of-range"))
        if greys.dtype != np.uint8:
            greys = np.rint(np.clip(np.nan_to_num(greys), 0, 1) * 255).astype(np.uint8)
        self._picture = Image.fromarray(greys)
        self._px, self._margin = px, margin
        self._views: dict[tuple[float, float, float], Picture] = {}
        # A symbol that is small in its image gets fewer pixels per module, because the whole page is captured.
        self.shrink = min(1.0, MOST_SIDE / PIXELS / (max(greys.shape) / px + 2 * margin))

    def of_size(self, pixels: float, page: int = PAPER) -> Picture:
        """Return the sheet with this number of pixels per module; areas are averaged when the image is reduced."""
        pixels *= self.shrink
        width, height = (max(1, round(side * pixels / self._px)) for side in self._picture.size)
        is_less = pixels < self._px
        drawn = self._picture.resize((width, height), Image.Resampling.BOX if is_less else Image.Resampling.BICUBIC)
        edge = round(self._margin * pixels)
        sheet = Image.new("L", (width + 2 * edge, height + 2 * edge), page)
        sheet.paste(drawn, (edge, edge))
        return sheet

    @cached_property
    def picture(self) -> Picture:
        """The sheet at its usual size, on white."""
        return self.of_size(PIXELS)

    def held_at(self, tilt: float, pan: float, roll: float) -> Picture:
        """Return the sheet as a phone held at these angles sees it, in degrees; the same image each time."""
        angles = (tilt, pan, roll)
        if angles not in self._views:
            view = _seen(self.picture, tilt=tilt, pan=pan, roll=roll)
            width, height = (ceil(side * PHONE_PIXELS / PIXELS) for side in view.size)
            self._views[angles] = view.resize((width, height), Image.Resampling.BOX)
        return self._views[angles]


TREMBLE = 7
"""Degrees by which a second capture is rotated."""

Capture: TypeAlias = Callable[[Sheet, np.random.Generator], Picture]


@dataclass(frozen=True, slots=True)
class Condition:
    """One way to capture a sheet.

    Attributes:
        name: A lowercase identifier, such as `blur-33`.
        stands_for: One sentence about the real situation.
        capture: Takes the sheet and a random generator, and returns the captured image.
    """

    name: str
    stands_for: str
    capture: Capture


@dataclass(frozen=True, slots=True)
class Ramp:
    """A series of captures of increasing difficulty, until nothing can be read.

    Attributes:
        name: A lowercase identifier, such as `blur`.
        unit: The unit of the strengths.
        strengths: The strengths, from easy to impossible to read.
        capture: Takes the sheet, a random generator and the strength, and returns the captured image.
    """

    name: str
    unit: str
    strengths: tuple[float, ...]
    capture: Callable[[Sheet, np.random.Generator, float], Picture]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """One condition per strength."""
        return tuple(map(self._at, self.strengths))

    def _at(self, strength: float) -> Condition:
        stands_for = f"A {self.name} of {strength:g} {self.unit}."
        return Condition(
            f"{self.name}-{strength:g}", stands_for, lambda sheet, random: self.capture(sheet, random, strength)
        )


def captured(sheet: Sheet, conditions: Iterable[Condition], seed: int = 0) -> Iterator[tuple[Condition, Pixels]]:
    """Yield captures in each condition, as uint8; noise depends only on the seed and the name of the condition."""
    for condition in conditions:
        random = np.random.default_rng([seed, crc32(condition.name.encode())])
        yield condition, np.asarray(condition.capture(sheet, random))


def retaken(picture: Pixels) -> Pixels:
    """Rotate a capture slightly, as in a camera's next frame.

    Near their limits, readers fail at random, depending on how lines fall on pixels. If a reader fails on both frames,
    the failure is not random.
    """
    page = int(picture[0, 0])
    turned = Image.fromarray(picture).rotate(TREMBLE, Image.Resampling.BICUBIC, expand=True, fillcolor=page)
    return np.asarray(turned)


def _of(values: np.ndarray[Any, Any]) -> Picture:
    """Return an image of floats, which are overwritten."""
    np.rint(np.clip(values, 0, 255, out=values), out=values)
    return Image.fromarray(values.astype(np.uint8))


def _blurred(picture: Picture, pixels: float) -> Picture:
    """Blur an image with a Gaussian of this standard deviation."""
    return picture.filter(ImageFilter.GaussianBlur(pixels))


def _changed(picture: Picture, change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Picture:
    """Change each gray of an image in the same way."""
    greys = np.arange(256, dtype=np.float32)[None, :]
    return picture.point(_of(change(greys)).tobytes())


def _faded(picture: Picture, contrast: float) -> Picture:
    return _changed(picture, lambda greys: 128 + (greys - 128) * np.float32(contrast))


def _noisy(picture: Picture, random: np.random.Generator, deviation: float) -> Picture:
    greys = random.standard_normal((picture.height, picture.width), dtype=np.float32)
    greys *= np.float32(deviation)
    greys += np.asarray(picture)
    return _of(greys)


def _as_jpeg(picture: Picture, quality: int) -> Picture:
    file = BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return Image.open(file).convert("L")


def _places(picture: Picture) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return columns and rows of the pixels as shares of width and height."""
    across, down = (np.arange(side, dtype=np.float32) / np.float32(side) for side in picture.size)
    return across[None, :], down[:, None]


def _shaded(picture: Picture, least: float) -> Picture:
    """Light the image from the upper left, leaving this share of the light at the lower right corner."""
    across, down = _places(picture)
    greys = np.float32(0.7) * across + np.float32(0.3) * down
    greys *= np.float32(1 - least)
    np.subtract(1, greys, out=greys)
    greys *= np.asarray(picture)
    return _of(greys)


def _glared(picture: Picture, greys: float) -> Picture:
    """Add the reflection of a lamp to the right above the middle, lighter by this number of grays."""
    across, down = _places(picture)
    distance = ((across - np.float32(0.62)) ** 2 + (down - np.float32(0.4)) ** 2) / np.float32(0.4) ** 2
    return _of(np.asarray(picture) + np.float32(greys) * np.maximum(1 - distance, 0) ** 2)


def _inked(sheet: Sheet, twelfths: float) -> Picture:
    """Spread ink over each edge by this number of twelfths of a module; negative values remove ink."""
    greys = np.asarray(sheet.of_size(PIXELS * FINE))
    darker = np.minimum if twelfths > 0 else np.maximum
    for _ in range(abs(round(twelfths))):
        wide = np.pad(greys, 1, mode="edge")
        greys = darker.reduce([greys, wide[:-2, 1:-1], wide[2:, 1:-1], wide[1:-1, :-2], wide[1:-1, 2:]])
    spread = Image.fromarray(greys)
    return spread.resize(sheet.picture.size, Image.Resampling.BOX)


def _seen(picture: Picture, *, tilt: float = 0, pan: float = 0, roll: float = 0) -> Picture:
    """Return the sheet as a pinhole camera sees it; angles are in degrees about the x, y and z axes."""
    width, height = picture.size
    away = AWAY * max(width, height)
    (ct, st), (cp, sp), (cr, sr) = ((cos(angle), sin(angle)) for angle in map(radians, (tilt, pan, roll)))
    # The first two columns of the matrix roll · tilt · pan are the directions of the sheet's axes. A point at (x, y)
    # from the middle of the sheet appears at (a x + b y, c x + d y) / (1 + g x + h y).
    a, b = cr * cp - sr * st * sp, -sr * ct
    c, d = sr * cp + cr * st * sp, cr * ct
    g, h = -ct * sp / away, st / away

    def seen(x: float, y: float) -> tuple[float, float]:
        near = 1 + g * x + h * y
        return (a * x + b * y) / near, (c * x + d * y) / near

    corners = [seen(x, y) for x in (-width / 2, width / 2) for y in (-height / 2, height / 2)]
    left, top = (min(values) for values in zip(*corners, strict=True))
    right, bottom = (max(values) for values in zip(*corners, strict=True))
    # Pillow needs the inverse transform: the inverse of that matrix by its minors, after a shift to the corner.
    inverse = np.array([[d, -b, 0], [-c, a, 0], [c * h - d * g, b * g - a * h, a * d - b * c]])
    inverse = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1]]) @ inverse
    inverse = inverse @ np.array([[1, 0, left], [0, 1, top], [0, 0, 1]])
    size = (ceil(right - left), ceil(bottom - top))
    how = (inverse / inverse[2, 2]).ravel()[:8].tolist()
    return picture.transform(size, Image.Transform.PERSPECTIVE, how, Image.Resampling.BILINEAR, fillcolor=PAPER)


@dataclass(frozen=True, slots=True)
class _Phone:
    """A phone held over the sheet: all effects combined, in the order of light, lens and file."""

    tilt: float
    pan: float
    roll: float
    blur: float
    light: float
    contrast: float
    noise: float
    quality: int

    def __call__(self, sheet: Sheet, random: np.random.Generator) -> Picture:
        picture = sheet.held_at(self.tilt, self.pan, self.roll)
        picture = _blurred(picture, self.blur * PHONE_PIXELS * sheet.shrink)
        picture = _shaded(_faded(picture, self.contrast), self.light)
        return _as_jpeg(_noisy(picture, random, self.noise), self.quality)


def _sized(pixels: float) -> Capture:
    return lambda sheet, _: sheet.of_size(pixels)


def _blurred_by(modules: float) -> Capture:
    return lambda sheet, _: _blurred(sheet.picture, modules * PIXELS * sheet.shrink)


def _rotated_by(**angles: float) -> Capture:
    return lambda sheet, _: _seen(sheet.picture, **angles)


def _grainy(deviation: float) -> Capture:
    return lambda sheet, random: _noisy(sheet.of_size(4), random, deviation)


def _pale(contrast: float) -> Capture:
    return lambda sheet, _: _faded(sheet.picture, contrast)


def _printed(twelfths: float) -> Capture:
    return lambda sheet, _: _inked(sheet, twelfths)


CORE = (
    Condition("clean", "The file itself, on a screen or printed well, seen straight.", lambda sheet, _: sheet.picture),
    Condition("size-4", "Seen from further away: 4 pixels a module.", _sized(4)),
    Condition("size-3", "Seen from far away: 3 pixels a module.", _sized(3)),
    Condition("blur-25", "A little out of focus: by a quarter of a module.", _blurred_by(0.25)),
    Condition("blur-33", "Out of focus: by a third of a module.", _blurred_by(0.33)),
    Condition("tilt-30", "Seen at a slant, as on a table in front of you.", _rotated_by(tilt=30)),
    Condition("turn-15", "Held a little askew.", _rotated_by(roll=15)),
    Condition("turn-47", "Held askew by about half a right angle.", _rotated_by(roll=47)),
    Condition("jpeg-20", "Sent through a messenger that compresses.", lambda sheet, _: _as_jpeg(sheet.of_size(4), 20)),
    Condition("contrast-40", "Faded by the sun, or behind a misted pane.", _pale(0.4)),
    Condition("noise-30", "In the dark: a grainy picture.", _grainy(30)),
    Condition("shade", "Lit from one side.", lambda sheet, _: _shaded(sheet.picture, 0.25)),
    Condition("glare", "A lamp mirrored in glossy paper or glass.", lambda sheet, _: _glared(sheet.picture, 150)),
    Condition("gain-8", "Printed on thirsty paper: ink spreads by a twelfth of a module.", _printed(1)),
    Condition("loss-8", "Printed with little ink: edges recede by a twelfth of a module.", _printed(-1)),
    Condition("dark-page", "Placed on a dark page (#404040).", lambda sheet, _: sheet.of_size(PIXELS, DARK)),
    Condition("phone-1", "A telephone by day, held almost straight.", _Phone(12, -8, 7, 0.18, 0.8, 0.85, 5, 75)),
    Condition("phone-2", "A telephone in a hurry, from the side.", _Phone(-14, 16, -20, 0.2, 0.7, 0.75, 7, 60)),
    Condition("phone-3", "A telephone in the evening, from above.", _Phone(18, 5, 25, 0.22, 0.6, 0.7, 6, 70)),
)
"""Conditions in which plain black-on-white symbols are always read; designs are expected to be read, too."""

HARDER = (
    Condition("size-2", "Seen from the other side of the street: 2 pixels a module.", _sized(2)),
    Condition("blur-50", "Far out of focus: by half a module.", _blurred_by(0.5)),
    Condition("blur-75", "So far out of focus that modules merge.", _blurred_by(0.75)),
    Condition("tilt-50", "Seen at a steep slant.", _rotated_by(tilt=50, pan=-10)),
    Condition("contrast-15", "Almost faded away.", _pale(0.15)),
    Condition("noise-60", "In deep darkness.", _grainy(60)),
    Condition("gain-17", "Ink spread by a sixth of a module.", _printed(2)),
    Condition("loss-17", "Edges receded by a sixth of a module.", _printed(-2)),
    Condition(
        "invert",
        "Light on dark, as apps show it at night.",
        lambda sheet, _: _changed(sheet.picture, lambda greys: 255 - greys),
    ),
)
"""Conditions in which not every plain symbol is read; they show how much margin a design has."""

_ANGLES = ((12, -8, 7), (-14, 16, -20), (18, 5, 25), (8, 12, 40))
"""Tilt, pan and roll of the phone in `LIMIT`."""

LIMIT = (
    *(
        Condition(f"misty-phone-{number}", "A shaky phone on a misty day.", _Phone(*angles, 0.3, 0.6, 0.5, 8, 55))
        for number, angles in enumerate(_ANGLES, 1)
    ),
    *(
        Condition(f"night-phone-{number}", "A phone at night.", _Phone(*angles, 0.25, 0.5, 0.3, 10, 40))
        for number, angles in enumerate(_ANGLES, 1)
    ),
)
"""Captures in which readers read five of six plain symbols; they show a loss of margin that `CORE` does not."""

_NAMED = {condition.name: condition for condition in CORE}
QUICK = tuple(_NAMED[n] for n in ("clean", "turn-47", "noise-30", "glare", "dark-page", "phone-2", "phone-3"))
"""The seven most informative conditions of `CORE`: 459 of 464 designs, good and bad, get the same verdict."""

RAMPS = (
    Ramp("size", "pixels a module", (4, 3, 2.5, 2, 1.5, 1), lambda s, _, pixels: s.of_size(pixels)),
    Ramp("blur", "modules", (0.2, 0.3, 0.4, 0.5, 0.6, 0.7), lambda s, r, modules: _blurred_by(modules)(s, r)),
    Ramp("tilt", "degrees", (20, 30, 40, 50, 60, 70), lambda s, _, angle: _seen(s.picture, tilt=angle)),
    Ramp("contrast", "of the full one", (0.4, 0.2, 0.1, 0.05, 0.02), lambda s, _, part: _faded(s.picture, part)),
    Ramp("noise", "greys", (20, 40, 60, 80, 100, 120), lambda s, r, deviation: _grainy(deviation)(s, r)),
    Ramp("gain", "twelfths of a module", (1, 2, 3, 4, 5), lambda s, _, twelfths: _inked(s, twelfths)),
    Ramp("loss", "twelfths of a module", (1, 2, 3, 4, 5), lambda s, _, twelfths: _inked(s, -twelfths)),
)
"""All ramps, which go up to the breaking point."""
