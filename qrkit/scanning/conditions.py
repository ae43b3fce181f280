"""Simulates how cameras capture an image of a symbol: small, blurred, tilted, dim.

The image is placed on a page (`Sheet`), and a `Condition` defines how the page is captured. The strengths are
calibrated so that readers of both kinds read enough captures of plain symbols. Captures are reproducible:
noise is seeded, and images are 8-bit grays, which Pillow resamples with integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from io import BytesIO
from math import ceil, cos, floor, isfinite, radians, sin
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from qrkit.errors import InvalidParameter, Problem

Picture: TypeAlias = Image.Image
Pixels: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.uint8]]"
"""Rows of grays, 0..255."""

MOST_SIDE = 1_600
"""Pixels of the longer side of an examined image, and of the sheet on which it is placed."""

MOST_FRAME = 1_000
"""Pixels of the longer side of a sheet in a phone's frame."""

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

    Attributes:
        greys: Rows of luma, uint8 0..255 or floats 0..1, at most `MOST_SIDE` pixels per side, without transparency.
        px: Pixels per module, 1..400.
        margin: Width of the page margin around the image, in modules, 0..40.
    """

    def __init__(self, greys: np.ndarray[Any, Any], px: float, margin: float = 6) -> None:
        if greys.ndim != 2 or not greys.size or max(greys.shape) > MOST_SIDE:
            rule = f"must have two dimensions, with 1..{MOST_SIDE:,} pixels per side"
            raise InvalidParameter(Problem("greys", greys.shape, rule))
        for name, value, least, most in (("px", px, 1, 400), ("margin", margin, 0, 40)):
            if not (isfinite(value) and least <= value <= most):
                raise InvalidParameter(Problem(name, value, f"must be in {least}..{most}", "out-of-range"))
        if greys.dtype != np.uint8:
            greys = np.rint(np.clip(np.nan_to_num(greys), 0, 1) * 255).astype(np.uint8)
        self._picture = Image.fromarray(greys)
        self._px, self._margin = px, margin
        self._views: dict[tuple[float, float, float], Picture] = {}
        self._sizes: dict[tuple[float, int], Picture] = {}
        # A symbol that is small in its image gets fewer pixels per module, because the whole page is captured.
        self._across: float = max(greys.shape) / px + 2 * margin
        self.shrink = min(1.0, MOST_SIDE / PIXELS / self._across)

    def of_size(self, pixels: float, page: int = PAPER) -> Picture:
        """Return the sheet with this number of pixels per module; fewer if the sheet is large."""
        return self.view(pixels * self.shrink, page)

    @property
    def picture(self) -> Picture:
        """The sheet at its usual size, on white."""
        return self.of_size(PIXELS)

    def view(self, pixels: float, page: int = PAPER) -> Picture:
        """Return the sheet with exactly this number of pixels per module; the same image each time."""
        if (pixels, page) not in self._sizes:
            width, height = (max(1, round(side * pixels / self._px)) for side in self._picture.size)
            # Areas are averaged when the image is reduced.
            how = Image.Resampling.BOX if pixels < self._px else Image.Resampling.BICUBIC
            edge = round(self._margin * pixels)
            sheet = Image.new("L", (width + 2 * edge, height + 2 * edge), page)
            sheet.paste(self._picture.resize((width, height), how), (edge, edge))
            self._sizes[pixels, page] = sheet
        return self._sizes[pixels, page]

    def frame_pixels(self, pixels: float) -> float:
        """Return the pixels per module in a phone's frame, which are fewer if the sheet would not fit into it."""
        return min(pixels, MOST_FRAME / self._across)

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
    """One way to capture a sheet: a lowercase name, such as `blur-33`, and a sentence about the real situation.

    `capture` takes the sheet and a random generator, and returns the captured image.
    """

    name: str
    stands_for: str
    capture: Capture


@dataclass(frozen=True, slots=True)
class Ramp:
    """A series of captures, from easy to impossible to read, with a lowercase name, such as `blur`.

    `capture` returns how a sheet is captured at a strength, in the unit.
    """

    name: str
    unit: str
    strengths: tuple[float, ...]
    capture: Callable[[float], Capture]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """One condition per strength."""
        return tuple(map(self._at, self.strengths))

    def _at(self, strength: float) -> Condition:
        stands_for = f"A {self.name} of {strength:g} {self.unit}."
        return Condition(f"{self.name}-{strength:g}", stands_for, self.capture(strength))


def captured(sheet: Sheet, conditions: Iterable[Condition], seed: int = 0) -> Iterator[tuple[Condition, Pixels]]:
    """Yield a capture in each condition; see `frames_of`."""
    for condition in conditions:
        yield condition, next(frames_of(sheet, condition, seed))


def frames_of(sheet: Sheet, condition: Condition, seed: int = 0) -> Iterator[Pixels]:
    """Yield captures in one condition without end, as uint8.

    They depend only on the seed and the name of the condition. A phone takes many, each from a slightly different
    place; conditions in which nothing is random yield the same capture each time.
    """
    random = np.random.default_rng([seed, crc32(condition.name.encode())])
    while True:
        yield np.asarray(condition.capture(sheet, random))


def retaken(picture: Pixels) -> Pixels:
    """Rotate a capture slightly, as in a camera's next frame.

    Near their limits, readers fail at random, depending on how lines fall on pixels. If a reader fails on both frames,
    the failure is not random.
    """
    return turned(picture, TREMBLE)


def turned(picture: Pixels, degrees: float) -> Pixels:
    """Rotate a capture counterclockwise on a page as light or dark as its corner."""
    page = int(picture[0, 0])
    return np.asarray(Image.fromarray(picture).rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=page))


def _of(values: np.ndarray[Any, Any]) -> Picture:
    """Return an image of floats, which are overwritten."""
    np.rint(np.clip(values, 0, 255, out=values), out=values)
    return Image.fromarray(values.astype(np.uint8))


def _places(picture: Picture) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return columns and rows of the pixels as shares of width and height."""
    across, down = (np.arange(side, dtype=np.float32) / np.float32(side) for side in picture.size)
    return across[None, :], down[:, None]


def _seen(
    picture: Picture, *, tilt: float = 0, pan: float = 0, roll: float = 0, scale: float = 1, page: int = PAPER
) -> Picture:
    """Return the sheet as a pinhole camera sees it; angles are in degrees about the x, y and z axes."""
    width, height = picture.size
    away = AWAY * max(width, height)
    (ct, st), (cp, sp), (cr, sr) = ((cos(angle), sin(angle)) for angle in map(radians, (tilt, pan, roll)))
    # The first two columns of the matrix roll · tilt · pan are the directions of the sheet's axes. A point at (x, y)
    # from the middle of the sheet appears at (a x + b y, c x + d y) / (1 + g x + h y).
    a, b = scale * (cr * cp - sr * st * sp), scale * -sr * ct
    c, d = scale * (sr * cp + cr * st * sp), scale * cr * ct
    g, h = -ct * sp / away, st / away

    def seen(x: float, y: float) -> tuple[float, float]:
        near = 1 + g * x + h * y
        return (a * x + b * y) / near, (c * x + d * y) / near

    def around(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        corners = [seen(x - width / 2, y - height / 2) for x in (left, right) for y in (top, bottom)]
        across, down = zip(*corners, strict=True)
        return min(across), min(down), max(across), max(down)

    left, top, right, bottom = around(0, 0, width, height)
    whole = Image.new("L", (ceil(right - left), ceil(bottom - top)), page)
    ink = ImageChops.difference(picture, Image.new("L", picture.size, page)).getbbox()
    if ink is None:
        return whole
    # Only the part in which the sheet differs from the page is transformed, which is less than half of most sheets.
    inked = around(ink[0] - 1, ink[1] - 1, ink[2] + 1, ink[3] + 1)
    x, y = max(0, floor(inked[0] - left)), max(0, floor(inked[1] - top))
    size = min(whole.width, ceil(inked[2] - left)) - x, min(whole.height, ceil(inked[3] - top)) - y
    # Pillow needs the inverse transform: the inverse of that matrix by its minors, after a shift to the corner.
    inverse = np.array([[d, -b, 0], [-c, a, 0], [c * h - d * g, b * g - a * h, a * d - b * c]])
    inverse = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1]]) @ inverse
    inverse = inverse @ np.array([[1, 0, left + x], [0, 1, top + y], [0, 0, 1]])
    how = (inverse / inverse[2, 2]).ravel()[:8].tolist()
    part = picture.transform(size, Image.Transform.PERSPECTIVE, how, Image.Resampling.BILINEAR, fillcolor=page)
    whole.paste(part, (x, y))
    return whole


Effect: TypeAlias = Callable[[Picture, float, np.random.Generator], Picture]
"""Takes the image that a lens sees, its pixels per module, and a random generator."""


def _filtered(through: ImageFilter.Filter) -> Effect:
    return lambda picture, _, __: picture.filter(through)


_SOFTENED = _filtered(ImageFilter.BoxBlur(1))
"""Softens an image as a lens does, by about a pixel."""
_SHARPENED = _filtered(ImageFilter.UnsharpMask(radius=1, percent=120, threshold=0))
"""Sharpens an image as phones do to what is small."""


def _out_of_focus(modules: float) -> Effect:
    return lambda picture, pixels, _: picture.filter(ImageFilter.GaussianBlur(modules * pixels))


def _with_greys(change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Effect:
    """Change each gray of an image in the same way."""
    greys = np.arange(256, dtype=np.float32)[None, :]
    return lambda picture, _, __: picture.point(_of(change(greys)).tobytes())


def _with_contrast(share: float) -> Effect:
    return _with_greys(lambda greys: 128 + (greys - 128) * np.float32(share))


def _with_noise(deviation: float) -> Effect:
    def add(picture: Picture, _: float, random: np.random.Generator) -> Picture:
        greys = random.standard_normal((picture.height, picture.width), dtype=np.float32)
        greys *= np.float32(deviation)
        greys += np.asarray(picture)
        return _of(greys)

    return add


def _with_light(least: float) -> Effect:
    """Light the image from the upper left, leaving this share of the light at the lower right corner."""

    def shade(picture: Picture, _: float, __: np.random.Generator) -> Picture:
        across, down = _places(picture)
        greys = np.float32(0.7) * across + np.float32(0.3) * down
        greys *= np.float32(1 - least)
        np.subtract(1, greys, out=greys)
        greys *= np.asarray(picture)
        return _of(greys)

    return shade


def _with_jpeg(quality: int) -> Effect:
    def compress(picture: Picture, _: float, __: np.random.Generator) -> Picture:
        file = BytesIO()
        picture.save(file, "JPEG", quality=quality)
        return Image.open(file).convert("L")

    return compress


def _moved_by(modules: float) -> Effect:
    """Blur along rows or columns, as a camera that moves during the exposure."""

    def move(picture: Picture, pixels: float, random: np.random.Generator) -> Picture:
        axis, steps = int(random.integers(2)), max(1, round(modules * pixels))
        width = [(0, 0), (0, 0)]
        width[axis] = (steps, steps)
        greys = np.pad(np.asarray(picture, dtype=np.float32), width, mode="edge")
        greys = greys if axis == 0 else greys.T
        starts = [steps - step + steps // 2 for step in range(steps)]
        moved = reduce(np.add, (greys[start : start + len(greys) - 2 * steps] for start in starts))
        moved /= np.float32(steps)
        return _of(moved if axis == 0 else moved.T)

    return move


def _mirroring_lamp(picture: Picture, _: float, __: np.random.Generator) -> Picture:
    """Add the reflection of a lamp to the right above the middle, lighter by 150 grays."""
    across, down = _places(picture)
    distance = ((across - np.float32(0.62)) ** 2 + (down - np.float32(0.4)) ** 2) / np.float32(0.4) ** 2
    return _of(np.asarray(picture) + np.float32(150) * np.maximum(1 - distance, 0) ** 2)


def _on_screen(picture: Picture, _: float, random: np.random.Generator) -> Picture:
    """Add the moiré of a screen's pixels: fine lines, and the slow waves that they make with those of the camera."""
    width, height = picture.size
    start = random.uniform(0, 2 * np.pi, 3)
    x, y = (np.arange(side, dtype=np.float32) for side in (width, height))
    fine = np.float32(0.12) * (np.sin(x * 2.7 + start[0])[None, :] + np.sin(y * 2.9 + start[1])[:, None])
    # The sine of a sum of columns and rows, without a sine for each pixel.
    across, down = np.float32(0.13) * x + start[2], np.float32(0.078) * y
    slow = np.sin(across)[None, :] * np.cos(down)[:, None] + np.cos(across)[None, :] * np.sin(down)[:, None]
    waves = (np.float32(0.75) + np.float32(0.5) * (fine + np.float32(0.1) * slow)).astype(np.float32)
    return _of(np.asarray(picture) * waves)


def _half_in_shadow(least: float) -> Effect:
    """Darken one side of a slanted edge near the middle, softly, to this share of the light."""

    def shade(picture: Picture, pixels: float, random: np.random.Generator) -> Picture:
        across, down = _places(picture)
        slant, where = random.uniform(-0.6, 0.6), random.uniform(0.4, 0.6)
        edge = (across - np.float32(where) + np.float32(slant) * (down - np.float32(0.5))) * np.float32(picture.width)
        lit = np.clip(np.float32(0.5) + edge / np.float32(4 * pixels), 0, 1)
        return _of(np.asarray(picture) * (np.float32(least) + np.float32(1 - least) * lit))

    return shade


def _through(effects: Iterable[Effect], picture: Picture, pixels: float, random: np.random.Generator) -> Picture:
    """Apply effects to an image with this number of pixels per module."""
    for effect in effects:
        picture = effect(picture, pixels, random)
    return picture


def _shot(*effects: Effect, pixels: float = PIXELS) -> Capture:
    """Capture a sheet from straight above."""
    return lambda sheet, random: _through(effects, sheet.of_size(pixels), pixels * sheet.shrink, random)


def _phone(angles: tuple[float, float, float], look: tuple[float, float, float], noise: float, quality: int) -> Capture:
    """Capture a sheet with a phone held over it at these angles, with this blur, contrast and light, noise and JPEG."""
    blur, contrast, light = look
    seen = _out_of_focus(blur), _with_contrast(contrast), _with_light(light)
    effects = (*seen, _with_noise(noise), _with_jpeg(quality))
    return lambda sheet, random: _through(effects, sheet.held_at(*angles), PHONE_PIXELS * sheet.shrink, random)


def _rotated_by(tilt: float = 0, pan: float = 0, roll: float = 0) -> Capture:
    return lambda sheet, _: _seen(sheet.picture, tilt=tilt, pan=pan, roll=roll)


def _printed(twelfths: float) -> Capture:
    """Spread ink over each edge by this number of twelfths of a module; negative values remove ink."""
    darker = np.minimum if twelfths > 0 else np.maximum

    def spread(sheet: Sheet, _: np.random.Generator) -> Picture:
        greys = np.asarray(sheet.of_size(PIXELS * FINE))
        for _step in range(abs(round(twelfths))):
            wide = np.pad(greys, 1, mode="edge")
            greys = darker.reduce([greys, wide[:-2, 1:-1], wide[2:, 1:-1], wide[1:-1, :-2], wide[1:-1, 2:]])
        return Image.fromarray(greys).resize(sheet.picture.size, Image.Resampling.BOX)

    return spread


CORE = (
    Condition("clean", "The file itself, on a screen or printed well, seen straight.", _shot()),
    Condition("size-4", "Seen from further away: 4 pixels a module.", _shot(pixels=4)),
    Condition("size-3", "Seen from far away: 3 pixels a module.", _shot(pixels=3)),
    Condition("blur-25", "A little out of focus: by a quarter of a module.", _shot(_out_of_focus(0.25))),
    Condition("blur-33", "Out of focus: by a third of a module.", _shot(_out_of_focus(0.33))),
    Condition("tilt-30", "Seen at a slant, as on a table in front of you.", _rotated_by(tilt=30)),
    Condition("turn-15", "Held a little askew.", _rotated_by(roll=15)),
    Condition("turn-47", "Held askew by about half a right angle.", _rotated_by(roll=47)),
    Condition("jpeg-20", "Sent through a messenger that compresses.", _shot(_with_jpeg(20), pixels=4)),
    Condition("contrast-40", "Faded by the sun, or behind a misted pane.", _shot(_with_contrast(0.4))),
    Condition("noise-30", "In the dark: a grainy picture.", _shot(_with_noise(30), pixels=4)),
    Condition("shade", "Lit from one side.", _shot(_with_light(0.25))),
    Condition("glare", "A lamp mirrored in glossy paper or glass.", _shot(_mirroring_lamp)),
    Condition("gain-8", "Printed on thirsty paper: ink spreads by a twelfth of a module.", _printed(1)),
    Condition("loss-8", "Printed with little ink: edges recede by a twelfth of a module.", _printed(-1)),
    Condition("dark-page", "Placed on a dark page (#404040).", lambda sheet, _: sheet.of_size(PIXELS, DARK)),
    Condition("phone-1", "A telephone by day, held almost straight.", _phone((12, -8, 7), (0.18, 0.85, 0.8), 5, 75)),
    Condition("phone-2", "A telephone in a hurry, from the side.", _phone((-14, 16, -20), (0.2, 0.75, 0.7), 7, 60)),
    Condition("phone-3", "A telephone in the evening, from above.", _phone((18, 5, 25), (0.22, 0.7, 0.6), 6, 70)),
)
"""Conditions in which plain black-on-white symbols are always read; designs are expected to be read, too."""

HARDER = (
    Condition("size-2", "Seen from the other side of the street: 2 pixels a module.", _shot(pixels=2)),
    Condition("blur-50", "Far out of focus: by half a module.", _shot(_out_of_focus(0.5))),
    Condition("blur-75", "So far out of focus that modules merge.", _shot(_out_of_focus(0.75))),
    Condition("tilt-50", "Seen at a steep slant.", _rotated_by(tilt=50, pan=-10)),
    Condition("contrast-15", "Almost faded away.", _shot(_with_contrast(0.15))),
    Condition("noise-60", "In deep darkness.", _shot(_with_noise(60), pixels=4)),
    Condition("gain-17", "Ink spread by a sixth of a module.", _printed(2)),
    Condition("loss-17", "Edges receded by a sixth of a module.", _printed(-2)),
    Condition("invert", "Light on dark, as apps show it at night.", _shot(_with_greys(lambda greys: 255 - greys))),
)
"""Conditions in which not every plain symbol is read; they show how much margin a design has."""

_NAMED = {condition.name: condition for condition in CORE}
QUICK = tuple(_NAMED[n] for n in ("clean", "turn-47", "noise-30", "glare", "dark-page", "phone-2", "phone-3"))
"""The seven most informative conditions of `CORE`: 459 of 464 designs, good and bad, get the same verdict."""

RAMPS = (
    Ramp("size", "pixels a module", (4, 3, 2.5, 2, 1.5, 1), lambda pixels: _shot(pixels=pixels)),
    Ramp("blur", "modules", (0.2, 0.3, 0.4, 0.5, 0.6, 0.7), lambda modules: _shot(_out_of_focus(modules))),
    Ramp("tilt", "degrees", (20, 30, 40, 50, 60, 70), _rotated_by),
    Ramp("contrast", "of the full one", (0.4, 0.2, 0.1, 0.05, 0.02), lambda share: _shot(_with_contrast(share))),
    Ramp("noise", "greys", (20, 40, 60, 80, 100, 120), lambda greys: _shot(_with_noise(greys), pixels=4)),
    Ramp("gain", "twelfths of a module", (1, 2, 3, 4, 5), _printed),
    Ramp("loss", "twelfths of a module", (1, 2, 3, 4, 5), lambda twelfths: _printed(-twelfths)),
)
"""All ramps, which go up to the breaking point."""


TILTED, ROLLED, NEARER = 3.0, 4.0, 0.07
"""How far a hand moves between two frames: degrees of tilt and pan, degrees of roll, and share of the size."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame of a phone's camera. Each is taken from a slightly different place, because hands are unsteady."""

    pixels: float
    effects: tuple[Effect, ...] = ()
    tilt: float = 0
    pan: float = 0
    roll: float = 0
    page: int = PAPER

    def __call__(self, sheet: Sheet, random: np.random.Generator) -> Picture:
        tilt, pan, roll, nearer = random.uniform(-1, 1, 4).tolist()
        scale, pixels = 1 + NEARER * nearer, sheet.frame_pixels(self.pixels)
        seen = _seen(
            sheet.view(pixels, self.page),
            tilt=self.tilt + TILTED * tilt,
            pan=self.pan + TILTED * pan,
            roll=self.roll + ROLLED * roll,
            scale=scale,
            page=self.page,
        )
        return _through(self.effects, seen, scale * pixels, random)


PHONES = (
    Condition("near", "A phone close to the code.", _Frame(11, (_SOFTENED,))),
    Condition("shop", "A poster in a shop, lit unevenly.", _Frame(6, (_with_contrast(0.8), _with_light(0.6)), tilt=14)),
    Condition("table", "A card on the table in front of you.", _Frame(6, tilt=36)),
    Condition("turned", "A phone held askew.", _Frame(5, (_with_jpeg(70),), roll=33)),
    Condition("far", "A code far away, sharpened by the phone.", _Frame(3, (_SHARPENED,))),
    Condition("defocus", "A phone that has not focused yet.", _Frame(5, (_out_of_focus(0.34),))),
    Condition("motion", "A phone in a moving hand.", _Frame(6, (_moved_by(0.7),))),
    Condition("evening", "A room in the evening.", _Frame(5, (_with_contrast(0.38), _with_noise(9)))),
    Condition("reflection", "A lamp mirrored in glossy paper.", _Frame(6, (_mirroring_lamp,))),
    Condition("screen", "A code on a screen, with moiré.", _Frame(6, (_on_screen, _with_contrast(0.8)))),
    Condition("shadow", "The shadow of a hand across the code.", _Frame(6, (_half_in_shadow(0.42),))),
    Condition("bag", "A sticker on a dark bag.", _Frame(5, tilt=12, pan=12, page=DARK)),
)
"""What phones see. Readers of phones read plain symbols in all of them, and designs are expected to be read, too."""

_OF_PHONES = {condition.name: condition for condition in PHONES}
PHONES_QUICK = tuple(_OF_PHONES[name] for name in ("table", "turned", "far", "motion", "evening", "bag"))
"""The most informative conditions of `PHONES`."""
