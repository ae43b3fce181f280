"""Measures the print that a photo shows, apart from the photo.

Light, angle, bends, blur and noise belong to the photo. Only what they leave unexplained is blamed on the print, and
where the photo hides too much, there is no grade.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qrkit.late import Image
from qrkit.scanning.budget import Budget, Flags, damage, true_modules, with_margin
from qrkit.scanning.photographs.close_up import PIXELS, CloseUp, Corners, close_up
from qrkit.scanning.photographs.evening import INNER, MIDDLE, around, even_out, weights_of
from qrkit.scanning.photographs.photo_grade import PhotoGrade
from qrkit.scanning.photographs.photo_words import SIDES
from qrkit.scanning.photographs.straightening import Straight, align, blurred, is_inverted
from qrkit.scanning.sampling import MARGIN, Greys, luma_of, middles, reflectance
from qrkit.symbol.symbol import Symbol

LEAST_OFF = 0.3
"""Difference from what was meant from which a module is damaged; a design has modules that are neither dark nor light.
"""

GLARE = 0.15
"""Value above that of paper, beside three times the noise, that is glare: no damage is brighter than paper."""

BURNT = 0.96
"""Light of paper, 0..1, from which a photo may be overexposed."""

STYLED = 0.3
"""Value between two dark modules from which modules are separate shapes, whose width says nothing of the ink."""

MOST_BROKEN = 0.2
"""Share of the modules of a ring of the quiet zone that may be dark."""


MOST_LOGO = 0.44
"""Side of the largest logo in the middle, as a share of the symbol's."""
LEAST_LOGO, LEAST_COVERED = 9, 0.25
"""Modules of the smallest logo, and the share of its modules that is wrong; half of them are right by chance."""
MOST_OFF_CENTER = 2
"""Half modules between the middle of a logo and that of the symbol."""


class Meant(NamedTuple):
    """What was meant to be printed.

    Attributes:
        white: What each module should be, 0 for ink and 1 for paper, (side + 2 · `MARGIN`) squared.
        wrong: bool, side x side: the modules that read wrong as they are designed.
        is_styled: True if modules have shapes of their own, whose width says nothing of the ink.
    """

    symbol: Symbol
    white: Greys
    wrong: Flags
    is_styled: bool = False


def meant_of(symbol: Symbol) -> Meant:
    """Return a print of a symbol in black on white."""
    dark = true_modules(symbol)
    return Meant(symbol, (~with_margin(dark)).astype(np.float32), np.zeros_like(dark))


def grade_photo(greys: Image.Image, corners: Corners, meant: Meant, *, is_compared: bool = False) -> PhotoGrade:
    """Grade the print that a photo in grays shows; `is_compared` says that `meant` is a design."""
    close = close_up(greys, corners, meant.symbol.side)
    is_negative = is_inverted(close, meant.white)
    if is_negative:
        close = close._replace(light=max(1.0, close.light.max()) - close.light)
    straight = align(close, meant.white)
    seen = _Seen(close, straight, meant)
    wrong, shown = seen.wrong & ~seen.is_glare, straight.light * close.full
    logo = meant.wrong if is_compared else wrong & _logo(wrong)
    designed, added = (damage(part, meant.symbol) for part in (logo, wrong & ~logo))
    within = seen.evened.paper[INNER, INNER]
    low, high = np.quantile(within, (0.05, 0.95))
    return PhotoGrade(
        budget=added,
        used=_share_of_reserve(added, designed),
        logo=designed if logo.any() and not is_compared else None,
        contrast=float(np.median(1 - seen.ratio)),
        gain=seen.gain(),
        quiet=tuple(seen.quiet(turn) for turn in range(len(SIDES))),
        pixels=straight.pixels,
        sharpness=seen.sharpness,
        noise=seen.noise,
        light=float(max(low, 0) / max(high, 1e-3)),
        glare=float(seen.is_glare.mean()),
        hidden=int((seen.wrong & seen.is_glare).sum()),
        burnt=0.0 if is_negative else float((within * close.full > BURNT).mean()),
        bend=straight.bend,
        picture=luma_of(np.clip(close.full - shown if is_negative else shown, 0, 1)),
        is_compared=is_compared,
        is_inverted=is_negative,
    )


def _share_of_reserve(added: Budget, designed: Budget) -> float:
    """Return the worst share of the codewords that a block could still correct that the damage uses."""
    blocks = zip(added.errors, added.correctable, designed.errors, strict=True)
    return max(errors / max(most - used, 0.5) for errors, most, used in blocks)


def _logo(wrong: Flags) -> Flags:
    """Return True for the area in the middle of the symbol that a logo covers, if it looks as if there were one."""
    side = len(wrong)
    edge, area = round(side * (1 - MOST_LOGO) / 2), np.zeros_like(wrong)
    hit = np.argwhere(wrong[edge:-edge, edge:-edge]) + edge
    if not len(hit):
        return area
    (top, left), (low, right) = hit.min(axis=0), hit.max(axis=0)
    size = (low - top + 1) * (right - left + 1)
    is_central = max(abs(top + low - side + 1), abs(left + right - side + 1)) <= MOST_OFF_CENTER
    if is_central and size >= LEAST_LOGO and len(hit) >= LEAST_COVERED * size:
        area[top : low + 1, left : right + 1] = True
    return area


class _Seen:
    """The modules of a straightened photo."""

    def __init__(self, close: CloseUp, straight: Straight, meant: Meant) -> None:
        self._straight, self._meant = straight, meant
        white = meant.white
        self.known = middles(straight.is_inside.astype(np.float32), PIXELS) > 0.9
        self._within = with_margin(np.ones_like(meant.wrong)) & self.known
        base = weights_of(len(white)) * self.known
        self.evened = evened = even_out(middles(straight.light, PIXELS), white, self._within, base)
        self.sharpness = float(evened.kernel[MIDDLE] / max(evened.kernel.sum(), 1e-3))
        self.noise = evened.noise / evened.middle
        self.own = evened.own
        self.ratio = np.clip(evened.ink / np.maximum(evened.paper, 1e-3), 0.02, 0.95)[INNER, INNER]
        # Readers compare encoded grays, so their threshold lies below the middle of linear light.
        self.threshold = (reflectance((luma_of(self.ratio) + 1) / 2) - self.ratio) / (1 - self.ratio)
        self.is_dark = true_modules(meant.symbol)
        is_off = np.abs(self.own - white)[INNER, INNER] > LEAST_OFF
        self.wrong = ((self.own[INNER, INNER] < self.threshold) != self.is_dark) & is_off & self.known[INNER, INNER]
        peak = (np.maximum(evened.value, self.own) - np.maximum(white, 1))[INNER, INNER]
        is_bright = (peak > GLARE + 3 * self.noise) & self.known[INNER, INNER]
        self.is_glare = blurred(is_bright.astype(np.float32), 0.8) > 0.25

    def quiet(self, turn: int) -> int | None:
        """Return the light rings at one side, counted from the symbol; None if the photo cuts them off."""
        own, known, white = (np.rot90(of, turn) for of in (self.own, self.known, self._meant.white))
        threshold = float(np.median(self.threshold))
        for ring in range(1, MARGIN):
            row = MARGIN - ring
            here = known[row, INNER]
            if here.mean() < 0.9:
                return None
            broken = (own[row, INNER] < threshold) & (white[row, INNER] > 0.5)
            if broken[here].mean() > MOST_BROKEN:
                return ring - 1
        return MARGIN - 1

    def gain(self) -> float | None:
        """Return how far ink reaches over edges; blur keeps means in linear light, so these tell it."""
        evened, white = self.evened, self._meant.white
        size = np.ones((PIXELS, PIXELS), dtype=np.float32)
        ink, paper = np.kron(evened.ink, size), np.kron(evened.paper, size)
        even = (self._straight.light - ink) / np.maximum(paper - ink, 1e-3)
        if self._meant.is_styled or self._is_styled(even):
            return None
        side = len(white)
        values = even.reshape(side, PIXELS, side, PIXELS).mean(axis=(1, 3))
        near, binary = around(white), white > 0.5
        all_light, all_dark = (values[self._within & (near.sum(-1) == count)] for count in (9, 0))
        if len(all_light) > 3 and len(all_dark) > 3:
            dark = np.median(all_dark)
            values = (values - dark) / max(np.median(all_light) - dark, 0.2)
        edges = ((near > 0.5) != binary[..., None])[..., 1::2].sum(-1) / 2
        damaged = blurred((self.wrong & (edges[INNER, INNER] < 1.5)).astype(np.float32), 1.0) > 0.15
        counted = self._within.copy()
        counted[INNER, INNER] &= ~(self.is_glare | damaged)
        return float((white[counted].sum() - values[counted].sum()) / max(edges[counted].sum(), 1))

    def _is_styled(self, even: Greys) -> bool:
        """Return True if there is light between dark modules that touch."""
        side, edge = len(self.is_dark), MARGIN * PIXELS
        inner = even[edge:-edge, edge:-edge].reshape(side, PIXELS, side * PIXELS)
        rows = inner[:, PIXELS // 4 : -PIXELS // 4].mean(axis=1)
        joints = (rows[:, PIXELS - 1 : -1 : PIXELS] + rows[:, PIXELS::PIXELS]) / 2
        touching = self.is_dark[:, :-1] & self.is_dark[:, 1:]
        return float(np.median(joints[touching])) > STYLED
