"""Provides `PhotoGrade`, what a photo says about a print."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from qrkit.late import Shown
from qrkit.scanning.photographs.close_up import PIXELS
from qrkit.scanning.photographs.photo_words import SIDES, PrintVerdict, sentences_of, verdict_of
from qrkit.scanning.sampling import MARGIN

if TYPE_CHECKING:
    from qrkit.scanning.budget import Budget
    from qrkit.scanning.sampling import Greys

__all__ = ["PhotoGrade"]

FRAME = "#E11D48"
"""Color of the frame around a damaged module."""


@dataclass(frozen=True, eq=False)
class PhotoGrade(Shown):
    """What a photo says about a print, and what it says about itself.

    Attributes:
        budget: The damage of the print: modules that are wrong without the photo's light, blur and glare, and without a
            logo. Compared with a design, only what the print adds to it.
        used: Share of the error correction that the damage uses in the worst block, of what a logo leaves.
        logo: What covers the middle of the symbol, as a logo does; None if nothing does. Compared with a design, it is
            always None.
        contrast: How much less light ink reflects than the paper beside it, 0..1.
        gain: How far dark modules reach over their edges, in modules per side; negative if ink is missing; None if the
            photo is too blurred or too bright to tell, or modules have shapes of their own.
        quiet: Rings of the quiet zone that are light, 0..4, at the top, right, bottom and left of the symbol; None for
            a side that the photo cuts off.
        pixels: Pixels of the photo per module, where they are fewest.
        sharpness: Share of a module's light that comes from itself, 0..1; 1 is sharp.
        noise: Size of typical noise as a share of the contrast.
        light: Light of the darkest part as a share of the brightest.
        glare: Share of modules under glare.
        hidden: Modules that cannot be told because of glare.
        burnt: Share of the symbol that is overexposed.
        bend: The largest distance of the paper from a flat one, in modules.
        picture: float32, 8 pixels per module: the straightened photo with 5 modules around, 0 black to 1 white.
        is_compared: True if a design says what was meant to be printed.
        is_inverted: True if the symbol is light on dark.
        is_mirrored: True if the symbol is mirrored; False for a photo that is compared with a design.
        is_read: False if readers of phones do not read it at first sight.
    """

    budget: Budget
    used: float
    logo: Budget | None
    contrast: float
    gain: float | None
    quiet: tuple[int | None, ...]
    pixels: float
    sharpness: float
    noise: float
    light: float
    glare: float
    hidden: int
    burnt: float
    bend: float
    picture: Greys = field(repr=False)
    is_compared: bool = False
    is_inverted: bool = False
    is_mirrored: bool = False
    is_read: bool = True

    @property
    def verdict(self) -> PrintVerdict:
        """Return good, weak, bad or, if the photo cannot show it, unsure."""
        return verdict_of(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer for the person who took the photo: about the print, then about the photo."""
        return sentences_of(self)

    def damage_map(self) -> bytes:
        """Return a PNG of the straightened photo, 8 pixels per module, on which damaged modules are framed."""
        from PIL import Image, ImageDraw

        image, file = Image.fromarray((self.picture * 255).astype(np.uint8)).convert("RGB"), BytesIO()
        draw = ImageDraw.Draw(image)
        for row, column in ((np.argwhere(self.budget.wrong) + MARGIN) * PIXELS).tolist():
            draw.rectangle((column, row, column + PIXELS - 1, row + PIXELS - 1), outline=FRAME)
        image.save(file, "PNG")
        return file.getvalue()

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        numbers = ("used", "contrast", "gain", "pixels", "sharpness", "noise", "light", "glare", "burnt", "bend")
        return {
            "verdict": self.verdict,
            "sentences": list(self.sentences),
            "quiet": dict(zip(SIDES, self.quiet, strict=True)),
            "hidden": self.hidden,
            "logo": self.logo and round(self.logo.used, 3),
            **{name: None if (value := getattr(self, name)) is None else round(value, 3) for name in numbers},
        }
