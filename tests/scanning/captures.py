"""Simulated photos of prints: damage on the paper, then light, lens and sensor, in the order of nature."""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from qrkit import Design, generate
from qrkit.scanning.photographs.straightening import blurred
from qrkit.scanning.sampling import luma_of, reflectance

MODULE = 12
"""Pixels per module of a flat print."""
QUIET = 4

PAPER, INK = 0.85, 0.05
"""What paper and ink reflect."""


def flat(design: Design) -> Image.Image:
    """A print as it leaves the printer, in grays."""
    drawn = design.replace(size=MODULE, padding=QUIET, width=None)
    return Image.open(BytesIO(generate(drawn).to_bytes("png"))).convert("L")


def scratched(paper: Image.Image, random: np.random.Generator) -> Image.Image:
    """A print with scratches between its finder patterns, down to the paper."""
    draw, side = ImageDraw.Draw(paper := paper.copy()), paper.width
    for _ in range(3):
        ends = [(side * x, side * random.uniform(0.4, 0.85)) for x in (0.42, 0.85)]
        draw.line(ends, fill=255, width=MODULE)
    return paper


def torn(paper: Image.Image, random: np.random.Generator) -> Image.Image:
    """A print whose corner without finder pattern is gone."""
    draw, side = ImageDraw.Draw(paper := paper.copy()), paper.width
    draw.rectangle((side * 0.42, side * 0.42, side, side), fill=255)
    return paper


def stained(paper: Image.Image, random: np.random.Generator) -> Image.Image:
    """A print with a dark stain beside its middle."""
    draw, side = ImageDraw.Draw(paper := paper.copy()), paper.width
    x, y = side * random.uniform(0.5, 0.65, 2)
    reach = side * 0.09
    draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=15)
    return paper


def faded(paper: Image.Image, random: np.random.Generator) -> Image.Image:
    """A print whose ink reflects nearly as much as paper."""
    return paper.point([round(185 + 70 * one / 255) for one in range(256)])


def spread(paper: Image.Image, random: np.random.Generator) -> Image.Image:
    """A print whose ink has spread by a quarter of a module per side."""
    return paper.filter(ImageFilter.MinFilter(2 * (MODULE // 4) + 1))


def thin(paper: Image.Image, random: np.random.Generator) -> Image.Image:
    """A print that lacks ink at its edges."""
    return paper.filter(ImageFilter.MaxFilter(2 * (MODULE // 4) + 1))


def cut(paper: Image.Image, random: np.random.Generator) -> Image.Image:
    """A print with dark things right beside two of its sides."""
    draw, edge = ImageDraw.Draw(paper := paper.copy()), QUIET * MODULE
    draw.rectangle((0, 0, edge - 3, paper.height), fill=20)
    draw.rectangle((0, paper.height - edge + 3, paper.width, paper.height), fill=20)
    return paper


def sound(paper: Image.Image, random: np.random.Generator) -> Image.Image:
    """A print without damage."""
    return paper


DAMAGES: tuple[Callable[[Image.Image, np.random.Generator], Image.Image], ...] = (
    scratched, stained, faded, spread, thin, cut,
)  # fmt: skip


@dataclass(frozen=True)
class Capture:
    """How a photo is taken.

    Attributes:
        name: What it simulates.
        module: Pixels per module.
        blur: Standard deviation of the blur, in modules.
        tilt: How much smaller the far side is, 0..1.
        bend: How far the paper's middle is off, in shares of the picture's side.
        shade: Share of the light that the darkest place lacks.
        shadow: Share of the light in a hard shadow; 1 for none.
        noise: Standard deviation of the sensor's noise at full light.
        exposure: Light of white paper; from 1 on, it is burnt.
    """

    name: str
    module: float = 7
    blur: float = 0.2
    tilt: float = 0.05
    bend: float = 0.004
    shade: float = 0.2
    shadow: float = 1
    noise: float = 0.008
    exposure: float = 0.8


CAPTURES = (
    Capture("hand"),
    Capture("near", module=14, tilt=0.1),
    Capture("lamp", shade=0.6),
    Capture("hard shadow", shadow=0.4),
    Capture("bottle", bend=0.02),
    Capture("from the side", tilt=0.35),
    Capture("out of focus", blur=0.38),
    Capture("evening", exposure=0.12, noise=0.006),
    Capture("far", module=3.6, blur=0.25),
)


def photo(paper: Image.Image, capture: Capture, seed: int = 0) -> Image.Image:
    """Take a photo of a flat print."""
    random = np.random.default_rng(seed)
    light = INK + (PAPER - INK) * reflectance(np.asarray(paper, dtype=np.float32) / 255)
    page = np.full([round(1.5 * side) for side in light.shape], PAPER, dtype=np.float32)
    top, left = ((wide - side) // 2 for wide, side in zip(page.shape, light.shape, strict=True))
    page[top : top + light.shape[0], left : left + light.shape[1]] = light
    seen = _warped(page, capture, random)
    y, x = np.mgrid[-1 : 1 : seen.shape[0] * 1j, -1 : 1 : seen.shape[1] * 1j]
    angle = random.uniform(0, 2 * np.pi)
    along = np.cos(angle) * x + np.sin(angle) * y
    seen *= 1 - capture.shade * np.clip((along + 1) / 2, 0, 1)
    seen *= np.where(along > random.uniform(-0.2, 0.2), capture.shadow, 1)
    light = blurred(seen.astype(np.float32), capture.blur * capture.module) * capture.exposure / PAPER
    light = light + random.normal(0, capture.noise, light.shape) * np.sqrt(np.maximum(light, 0.02))
    image, file = Image.fromarray((luma_of(np.clip(light, 0, 1)) * 255).astype(np.uint8)), BytesIO()
    image.save(file, "JPEG", quality=88)
    return Image.open(file)


def _warped(page: np.ndarray, capture: Capture, random: np.random.Generator) -> np.ndarray:
    """Tilt, turn and bend a page, and reduce it to the pixels of the photo."""
    scale = capture.module / MODULE
    high, wide = (round(side * scale) for side in page.shape)
    turn = np.deg2rad(random.uniform(-12, 12))
    y, x = np.mgrid[-1 : 1 : high * 1j, -1 : 1 : wide * 1j]
    x, y = np.cos(turn) * x - np.sin(turn) * y, np.sin(turn) * x + np.cos(turn) * y
    depth = 1 - capture.tilt * y
    x, y = x / depth, y / depth
    x, y = x + 4 * capture.bend * (y**2 - 0.3), y + 4 * capture.bend * (x**2 - 0.3)
    pixels = blurred(page, 0.4 / scale)
    ends = zip((y, x), page.shape, strict=True)
    rows, columns = ((np.clip((one + 1) / 2, 0, 1) * (side - 1)).round().astype(int) for one, side in ends)
    return pixels[rows, columns].copy()
