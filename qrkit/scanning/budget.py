"""How much of its error correction a drawn symbol uses, exactly and without a reader.

Codewords are corrected, not modules: one wrong module makes a codeword wrong, seven more in the same codeword cost
nothing. Each Reed-Solomon block corrects so many wrong codewords of its own (ISO/IEC 18004:2015, 7.5.1), and the worst
block decides. Function patterns have no such help; damage to them is told apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from qrkit.late import Shown
from qrkit.scanning.sampling import MARGIN, Sampled
from qrkit.symbol.encode.blocks import MISDECODE_PROTECTION, blocks, codeword_blocks
from qrkit.symbol.symbol import FINDER, Role, Symbol, bit_numbers, finder_places, roles

if TYPE_CHECKING:
    from qrkit.scanning.sampling import Greys

__all__ = [
    "BAND",
    "Budget",
    "Cause",
    "budget_of",
    "damage",
    "errors_of",
    "mean_around",
    "true_modules",
    "wrong_modules",
]

BAND = (0.35, 0.65)
"""Of the local contrast: a module whose value lies between counts as wrong, whatever it should be."""

CLEAR = 0.2
"""Of the local contrast: what a module may be off by and still say what dark and light are around it."""

WINDOW = 5
"""Modules across from which readers take their threshold."""

FLATTEST = 0.15
"""Local contrast, as a share of the symbol's, from which on the surroundings say what is dark and what light."""

FAINTEST = 1e-3
"""Contrast of a symbol of which nothing is seen."""

Flags = np.ndarray
"""bool, side x side."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What one part of a design does to the symbol.

    Attributes:
        path: Field of the design: `layers.0`, `modules`, `markers.top_left`, `wrapper`, `foreground`.
        modules: Modules that read wrong only because of it.
        codewords: Codewords that are wrong only because of it.
        share: Of all wrong codewords, 0..1.
    """

    path: str
    modules: int
    codewords: int
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Budget(Shown):
    """The error correction that a symbol has, and what of it a drawing uses.

    Attributes:
        wrong: bool, side x side: the modules that read wrong, as rows of the symbol as it was encoded.
        errors: Wrong codewords of each block.
        correctable: Wrong codewords that each block corrects: floor((correction codewords - p) / 2).
        unused: Share of error correction that the worst block has left, as print grades have it; below 0 is none.
        fixed: Wrong modules of function patterns: finder_top_left, finder_top_right, finder_bottom_left, separator,
            timing, alignment, format, version, dark_module; only those with any.
        causes: What each part of the design does, the worst first.
        least_errors: Codewords of each block that are wrong to the best of readers, too; empty where nobody asked.
    """

    symbol: Symbol
    wrong: Flags
    errors: tuple[int, ...]
    correctable: tuple[int, ...]
    unused: float
    fixed: dict[str, int]
    causes: tuple[Cause, ...] = field(default=())
    least_errors: tuple[int, ...] = field(default=())

    @property
    def used(self) -> float:
        """Of the worst block: errors / correctable; above 1 readers cannot be relied on."""
        return max(errors / correctable for errors, correctable in zip(self.errors, self.correctable, strict=True))

    @property
    def is_lost(self) -> bool:
        """Whether a block has more wrong codewords than any reader can correct, whatever its threshold is."""
        shares = blocks(self.symbol.version, self.symbol.error_correction)
        return any(errors > share.correction // 2 for errors, share in zip(self.least_errors, shares, strict=False))

    @property
    def worst_block(self) -> int:
        """The number of the block with the least left."""
        return max(range(len(self.errors)), key=lambda number: self.errors[number] / self.correctable[number])

    def __str__(self) -> str:
        """What is used, and of which block where there are several."""
        return f"{self.used:.0%}" + (f" of the worst of {len(self.errors)} blocks" if len(self.errors) > 1 else "")

    def __repr__(self) -> str:
        symbol = f"{self.symbol.version}-{self.symbol.error_correction}"
        return f"<Budget of {symbol}, {min(self.used, 9.99):.0%} used>"

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return {
            "used": round(self.used, 4),
            "unused": round(self.unused, 4),
            "blocks": [
                {"errors": errors, "correctable": most}
                for errors, most in zip(self.errors, self.correctable, strict=True)
            ],
            "isLost": self.is_lost,
            "wrongModules": int(self.wrong.sum()),
            "fixed": self.fixed,
            "causes": [
                {"path": one.path, "modules": one.modules, "codewords": one.codewords, "share": round(one.share, 4)}
                for one in self.causes
            ],
        }

    def heat_map(self) -> str:
        """The symbol as SVG with what reads wrong; see `qrkit.scanning.heat_map`."""
        from qrkit.scanning.heat_map import heat_map

        return heat_map(self)


def budget_of(sampled: Sampled, symbol: Symbol, *, page: float = 1.0) -> Budget:
    """What a drawing of a symbol uses of its error correction, on a page of this luma."""
    luma = sampled.modules(page)
    least = errors_of(lost_modules(luma, symbol), symbol.version, symbol.error_correction)
    return replace(damage(wrong_modules(luma, symbol), symbol), least_errors=least)


def damage(wrong: Flags, symbol: Symbol) -> Budget:
    """What these wrong modules use of a symbol's error correction."""
    shares = blocks(symbol.version, symbol.error_correction)
    errors = errors_of(wrong, symbol.version, symbol.error_correction)
    protected = [share.correction - misdecode_protection(symbol) for share in shares]
    unused = min(1 - 2 * count / most for count, most in zip(errors, protected, strict=True))
    correctable = tuple(share.correctable for share in shares)
    return Budget(symbol, wrong, errors, correctable, unused, fixed_damage(wrong, symbol.version))


def true_modules(symbol: Symbol) -> Flags:
    """The symbol as an array: True where a module is dark."""
    return np.frombuffer(b"".join(symbol.modules), dtype=np.uint8).reshape(symbol.side, symbol.side) > 0


def wrong_modules(luma: Greys, symbol: Symbol) -> Flags:
    """Which modules read wrong.

    Args:
        luma: Of the middle of each module, `MARGIN` modules around the symbol included.
        symbol: What was meant.
    """
    dark = true_modules(symbol)
    value = relative(1 - luma if is_inverted(luma, dark) else luma, dark)
    return np.where(dark, value > BAND[0], value < BAND[1])


def lost_modules(luma: Greys, symbol: Symbol) -> Flags:
    """Which modules read wrong to readers that take the middle between dark and light around them for their threshold.

    So far goes the best of readers; how far the others go, nobody can promise. The parameters are those of
    `wrong_modules`.
    """
    dark = true_modules(symbol)
    value = relative(1 - luma if is_inverted(luma, dark) else luma, dark, is_careful=False)
    return np.where(dark, value > 0.5, value < 0.5)


def is_inverted(luma: Greys, dark: Flags) -> bool:
    """Whether what is dark in the symbol is drawn lighter than the rest."""
    inner = luma[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return bool(np.median(inner[dark]) > np.median(inner[~dark]))


def relative(luma: Greys, dark: Flags, *, is_careful: bool = True) -> Greys:
    """Where the value of each module lies between those around it that should be dark, 0, and light, 1.

    Args:
        luma: As for `wrong_modules`.
        dark: bool, side x side: which modules should be dark.
        is_careful: Whether modules under a logo, which say nothing of dark and light, are left out of what is around.
    """
    is_dark = np.pad(dark, MARGIN)
    least, most = (float(np.median(luma[of])) for of in (is_dark, ~is_dark))
    whole = max(most - least, FAINTEST)
    low, high = _around(luma, is_dark, np.ones_like(is_dark))
    if is_careful:
        with np.errstate(invalid="ignore", divide="ignore"):
            off_here = np.where(is_dark, luma - low, high - luma) / (high - low)
        off_in_all = np.where(is_dark, luma - least, most - luma) / whole
        sure = _around(luma, is_dark, (off_here < CLEAR) & (off_in_all < BAND[0]))
        low, high = (np.where(np.isnan(of), first, of) for of, first in zip(sure, (low, high), strict=True))
    contrast = high - low
    # Under a logo there is no contrast, nor far from dark modules: there, that of the whole symbol counts.
    flat = ~(contrast >= FLATTEST * whole)
    low, contrast = np.where(flat, least, low), np.where(flat, whole, contrast)
    inner = slice(MARGIN, -MARGIN)
    found: Greys = ((luma - low) / contrast)[inner, inner]
    return found


def _around(luma: Greys, is_dark: Flags, counted: Flags) -> tuple[Greys, Greys]:
    """What dark and light are around each module, by those that are counted; nan where there are none."""
    low, high = (mean_around(luma, (of & counted).astype(np.float32)) for of in (is_dark, ~is_dark))
    return low, high


def mean_around(luma: Greys, of: Greys) -> Greys:
    """The mean within `WINDOW` modules across and down of the modules that are 1 in `of`; nan where there is none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Greys = _sum_around(luma * of) / _sum_around(of)
    return found


def _sum_around(values: Greys) -> Greys:
    edge, side = WINDOW // 2, len(values)
    padded = np.zeros((side + 2 * edge, side + 2 * edge))
    padded[edge:-edge, edge:-edge] = values
    # First down, then across: ten sums of whole arrays, which is faster than one of windows.
    rows = np.sum([padded[at : at + side] for at in range(WINDOW)], axis=0)
    sums: Greys = np.sum([rows[:, at : at + side] for at in range(WINDOW)], axis=0)
    return sums


def errors_of(wrong: Flags, version: int, level: str) -> tuple[int, ...]:
    """How many codewords of each block have a wrong module."""
    codewords, block_of = module_codewords(version), np.frombuffer(codeword_blocks(version, level), dtype=np.uint8)
    hit = np.zeros(len(block_of) + 1, dtype=bool)  # the last place is for modules that belong to no codeword
    hit[codewords[wrong]] = True
    counts = np.bincount(block_of[hit[:-1]], minlength=len(blocks(version, level)))
    return tuple(int(count) for count in counts)


@cache
def module_codewords(version: int) -> np.ndarray:
    """int32, side x side: the codeword of each module, in the order of placement; -1 where there is none."""
    numbers = np.asarray(bit_numbers(version)).astype(np.int32)
    codewords = numbers // 8
    codewords[codewords >= len(codeword_blocks(version, "L"))] = -1  # remainder bits
    codewords[numbers < 0] = -1
    return codewords


def misdecode_protection(symbol: Symbol) -> int:
    """Correction codewords that only notice wrong corrections (p of ISO/IEC 18004:2015, 7.5.1)."""
    return MISDECODE_PROTECTION.get((symbol.version, symbol.error_correction), 0)


def fixed_damage(wrong: Flags, version: int) -> dict[str, int]:
    """Wrong modules of each function pattern, where there are any."""
    grid = role_grid(version)
    found = {
        f"finder_{corner}": int(wrong[row : row + FINDER, column : column + FINDER].sum())
        for corner, (row, column) in finder_places(wrong.shape[0]).items()
    }
    for role in (Role.SEPARATOR, Role.TIMING, Role.ALIGNMENT, Role.FORMAT, Role.VERSION, Role.DARK_MODULE):
        found[role.name.lower()] = int((wrong & (grid == role)).sum())
    return {name: count for name, count in found.items() if count}


@cache
def role_grid(version: int) -> np.ndarray:
    """uint8, side x side: the `Role` of each module."""
    rows = roles(version)
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), len(rows))
