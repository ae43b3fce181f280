"""What every module of a design looks like where it is dark, and where it is light: the look without the symbol.

Two drawings, one with all modules dark that a content may change and one with all of them light, tell what any symbol
of the version looks like in this design. Then masks, error correction levels and pad codewords are compared by
arithmetic alone.
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
    wrong_modules,
)
from qrkit.scanning.module_roles import module_codewords, role_grid
from qrkit.scanning.sampling import MARGIN, sample
from qrkit.symbol.encode.blocks import blocks
from qrkit.symbol.symbol import ErrorCorrectionLevel, Role, Symbol

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.scanning.sampling import Greys

__all__ = ["Appearance", "appearance_of"]

CHANGING = (Role.DATA, Role.FORMAT)
"""Modules that differ between symbols of a version."""

PIXELS = 4
"""Of a module, of which the middle is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """How a design draws the modules of a version.

    Attributes:
        version: 1..40.
        if_dark: Luma of the middle of each module, `MARGIN` modules around the symbol included, where it is dark.
        if_light: The same where it is light. Modules that no content changes have one luma, that of their color.
    """

    version: int
    if_dark: Greys
    if_light: Greys

    def budget(self, symbol: Symbol) -> Budget:
        """What a symbol of this version would use of its error correction, drawn so."""
        dark = np.pad(true_modules(symbol), MARGIN)
        return damage(wrong_modules(np.where(dark, self.if_dark, self.if_light), symbol), symbol)

    def least_used(self, level: ErrorCorrectionLevel) -> float:
        """Of the worst block's error correction, what even the best symbol of this level would use."""
        errors = errors_of(self._lost(), self.version, level)
        return max(count / block.correctable for count, block in zip(errors, blocks(self.version, level), strict=True))

    def settled(self) -> np.ndarray:
        """What each module reads as whatever its symbol says, as `qrkit.symbol.encode.free_padding.solve` takes it.

        Returns:
            int8, side x side: 1 for dark, 0 for light, and -1 where the symbol decides. So it is, too, in codewords
            with a module that reads wrong whatever it is, as it does between dark and light: they cannot be saved.
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
        """Which modules read wrong whatever they are."""
        reads_dark, reads_light = self._readings()
        lost: np.ndarray = ~(reads_dark | reads_light)
        return lost

    def _readings(self) -> tuple[np.ndarray, np.ndarray]:
        """Whether each module would read dark if it were dark, and light if it were light."""
        inner = slice(MARGIN, -MARGIN)
        changing = np.pad(np.isin(role_grid(self.version), CHANGING), MARGIN)
        least, most = (float(np.median(luma[changing])) for luma in (self.if_dark, self.if_light))
        whole = most - least
        if abs(whole) < FAINTEST:
            nothing = np.zeros(changing[inner, inner].shape, dtype=bool)
            return nothing, nothing
        difference = (self.if_light - self.if_dark) / whole
        free = (changing & (difference > 1 - BAND[0])).astype(np.float32)
        low, high = mean_around(self.if_dark, free), mean_around(self.if_light, free)
        flat = ~((high - low) / whole >= FLATTEST)
        low, high = np.where(flat, least, low), np.where(flat, most, high)
        dark, light = (((luma - low) / (high - low))[inner, inner] for luma in (self.if_dark, self.if_light))
        return dark <= BAND[0], light >= BAND[1]


def appearance_of(design: Design, pictures: Pictures, symbol: Symbol) -> Appearance:
    """Draw a design twice.

    Args:
        design: Says how.
        pictures: That it names.
        symbol: Any of the version.

    Raises:
        RenderingFailed: The renderer broke down on a part of it.
    """
    changing = np.isin(role_grid(symbol.version), CHANGING)
    dark = true_modules(symbol)
    seen = []
    for modules in (dark | changing, dark & ~changing):
        other = replace(symbol, modules=tuple(row.tobytes() for row in modules.astype(np.uint8)))
        seen.append(sample(draw(design, other, pictures, exact=True), PIXELS).modules())
    return Appearance(symbol.version, *seen)
