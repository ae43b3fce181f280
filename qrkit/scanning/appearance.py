"""Measures what every module of a design looks like if it is dark and if it is light, for any symbol.

Two drawings, one with all changeable modules dark and one with all of them light, determine what any symbol of the
version looks like in this design. Masks, error correction levels and pad codewords can then be compared without
further drawing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qrkit.drawing.draw import draw
from qrkit.drawing.scene import Pictures
from qrkit.scanning.budget import (
    BAND,
    FAINTEST,
    FLATTEST,
    Budget,
    damage,
    errors_of,
    mean_around,
    true_modules,
    with_margin,
    wrong_modules,
)
from qrkit.scanning.module_roles import module_codewords, role_grid
from qrkit.scanning.sampling import MARGIN, Greys, median, sample
from qrkit.symbol.encode.blocks import blocks
from qrkit.symbol.symbol import ErrorCorrectionLevel, Role, Symbol

if TYPE_CHECKING:
    from qrkit.design.design import Design


CHANGING = (Role.DATA, Role.FORMAT)
"""Modules that differ between symbols of a version."""

PIXELS = 4
"""Pixels per module, of which the middle ones are measured."""


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """The lightness of the modules of a version in a design.

    Both arrays hold luma of the middle of each module, including `MARGIN` modules around the symbol: if it is dark, and
    if it is light. Fixed modules have the same luma in both.
    """

    version: int
    if_dark: Greys
    if_light: Greys

    def budget(self, symbol: Symbol) -> Budget:
        """Return the error correction that a symbol of this version uses in this design."""
        dark = with_margin(true_modules(symbol))
        return damage(wrong_modules(np.where(dark, self.if_dark, self.if_light), symbol), symbol)

    def least_used(self, level: ErrorCorrectionLevel) -> float:
        """Return the share of the worst block's error correction that even the best symbol of this level uses."""
        errors = errors_of(self._lost(), self.version, level)
        return max(count / block.correctable for count, block in zip(errors, blocks(self.version, level), strict=True))

    def settled(self) -> np.ndarray:
        """Return the modules that read the same for any symbol, for `qrkit.symbol.encode.free_padding.solve`.

        int8, side x side: 1 for dark, 0 for light, -1 where the symbol decides. Codewords that cannot be saved, because
        one of their modules reads wrong in either case, are also -1.
        """
        reads_dark, reads_light = self._readings()
        wanted = np.full(reads_dark.shape, -1, dtype=np.int8)
        wanted[reads_dark & ~reads_light] = 1
        wanted[reads_light & ~reads_dark] = 0
        codewords = module_codewords(self.version)
        lost = np.unique(codewords[self._lost()])
        wanted[np.isin(codewords, lost) | (role_grid(self.version) != Role.DATA)] = -1
        return wanted

    def _lost(self) -> np.ndarray:
        """Mark the modules that read wrong whether they are dark or light."""
        reads_dark, reads_light = self._readings()
        lost: np.ndarray = ~(reads_dark | reads_light)
        return lost

    def _readings(self) -> tuple[np.ndarray, np.ndarray]:
        """Return whether each module reads dark if it is dark, and light if it is light."""
        inner = slice(MARGIN, -MARGIN)
        changing = with_margin(np.isin(role_grid(self.version), CHANGING))
        least, most = (median(luma[changing]) for luma in (self.if_dark, self.if_light))
        whole = most - least
        if abs(whole) < FAINTEST:
            nothing = np.zeros(changing[inner, inner].shape, dtype=bool)
            return nothing, nothing
        difference = (self.if_light - self.if_dark) / whole
        free = (changing & (difference > 1 - BAND[0])).astype(np.float32)
        low, high = (mean_around(luma, free) for luma in (self.if_dark, self.if_light))
        flat = ~((high - low) / whole >= FLATTEST)
        low, high = np.where(flat, least, low), np.where(flat, most, high)
        dark, light = (((luma - low) / (high - low))[inner, inner] for luma in (self.if_dark, self.if_light))
        return dark <= BAND[0], light >= BAND[1]


def appearance_of(design: Design, pictures: Pictures, symbol: Symbol) -> Appearance:
    """Measure a design by drawing it twice."""
    changing = np.isin(role_grid(symbol.version), CHANGING)
    dark = true_modules(symbol)
    seen = []
    for modules in (dark | changing, dark & ~changing):
        other = replace(symbol, modules=tuple(row.tobytes() for row in modules.astype(np.uint8)))
        seen.append(sample(draw(design, other, pictures, exact=True), PIXELS).modules)
    return Appearance(symbol.version, *seen)
