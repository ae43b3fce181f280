"""Computes exactly how much of its error correction a drawn symbol uses, without a reader.

Codewords are corrected, not modules: one wrong module makes a codeword wrong, and seven more in it do no further harm.
Each Reed-Solomon block corrects a number of its own wrong codewords (ISO/IEC 18004:2015, 7.5.1), and the worst block
decides. Function patterns have no error correction; damage to them is counted separately.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from qrkit.late import Shown
from qrkit.scanning.measures import json_fields
from qrkit.scanning.module_roles import module_codewords, role_grid
from qrkit.scanning.sampling import MARGIN, Greys, Sampled, median
from qrkit.symbol.encode.blocks import blocks, codeword_blocks
from qrkit.symbol.symbol import FINDER, Role, Symbol, finder_places

QUIET = 2
"""Modules around the symbol. Two are enough, because the heat map is a chart and not meant to be scanned."""

DARK, LIGHT, PAPER = "#B9C0C9", "#F4F5F7", "#FFFFFF"
DARK_TINTED = 0.72
"""Factor that darkens a tint on dark modules, so that the symbol stays visible."""
WRONG, FIXED = "#9F1239", "#6D28D9"
RAMP = ((0.0, (254, 240, 170)), (0.5, (251, 176, 59)), (1.0, (220, 38, 38)))
"""Tints of codewords by the share of correction that their block uses."""

BAND = (0.35, 0.65)
"""Range of values, in shares of the local contrast, in which a module counts as wrong."""

CLEAR = 0.2
"""Largest deviation, as a share of the local contrast, of modules that define dark and light around them."""

WINDOW = 5
"""Modules per side of the area from which readers take their threshold."""

FLATTEST = 0.15
"""Local contrast, as a share of the symbol's, from which it is used to tell dark from light."""

FAINTEST = 1e-3
"""Contrast of an invisible symbol."""

Flags = np.ndarray
"""bool, side x side."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The damage that one part of a design does to the symbol.

    Attributes:
        path: Field of the design: `layers.0`, `modules`, `markers.top_left`, `photo`, `wrapper`, `frame`,
            `foreground`.
        modules: Modules that read wrong only because of this part.
        codewords: Codewords that are wrong only because of this part.
        share: These codewords as a share of all wrong codewords, 0..1.
    """

    path: str
    modules: int
    codewords: int
    share: float


@dataclass(frozen=True, eq=False)
class Budget(Shown):
    """The error correction of a symbol, and how much of it a drawing uses.

    Attributes:
        wrong: bool, side x side: the modules that read wrong, in the orientation of the encoded symbol.
        errors: Wrong codewords per block.
        correctable: Wrong codewords that each block corrects: floor((correction codewords - p) / 2).
        unused: Share of error correction that the worst block has left, as in print grades; negative if it has none.
        fixed: Wrong modules per function pattern: finder_top_left, finder_top_right, finder_bottom_left, separator,
            timing, alignment, format, version, dark_module; without patterns that are intact.
        least_errors: Codewords per block that even the best reader gets wrong; empty if not measured.
        find_causes: Finds `causes`; None if the design is unknown.
    """

    symbol: Symbol
    wrong: Flags
    errors: tuple[int, ...]
    correctable: tuple[int, ...]
    unused: float
    fixed: dict[str, int]
    least_errors: tuple[int, ...] = field(default=())
    find_causes: Callable[[Budget], tuple[Cause, ...]] | None = field(default=None, repr=False)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The damage by each part of the design, the worst first.

        Found when first asked for: the design is drawn again without each of its parts, which takes several times as
        long as the rest of a static check.
        """
        return self.find_causes(self) if self.find_causes else ()

    @property
    def used(self) -> float:
        """Errors / correctable in the worst block; above 1, readers may fail."""
        return max(errors / correctable for errors, correctable in zip(self.errors, self.correctable, strict=True))

    @property
    def is_lost(self) -> bool:
        """True if a block has more wrong codewords than any reader can correct, whatever its threshold."""
        shares = blocks(self.symbol.version, self.symbol.error_correction)
        return any(errors > share.correction // 2 for errors, share in zip(self.least_errors, shares, strict=False))

    def as_read(self) -> Budget:
        """Return the budget of a symbol that readers read: its message is not lost, whatever was measured."""
        return replace(self, least_errors=())

    @property
    def worst_block(self) -> int:
        """Number of the block with the least error correction left."""
        return max(range(len(self.errors)), key=lambda number: self.errors[number] / self.correctable[number])

    def __str__(self) -> str:
        """Return the share that is used, naming the number of blocks if there are several."""
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
            "causes": [json_fields(one, 4) for one in self.causes],
        }

    def heat_map(self) -> str:
        """Return an SVG of the symbol with the modules that read wrong, and codewords by the correction they use."""
        return _heat_map(self)


def budget_of(sampled: Sampled, symbol: Symbol) -> Budget:
    """Compute the error correction that a drawing uses on white paper."""
    luma = sampled.modules
    least = errors_of(lost_modules(luma, symbol), symbol.version, symbol.error_correction)
    return replace(damage(wrong_modules(luma, symbol), symbol), least_errors=least)


def damage(wrong: Flags, symbol: Symbol) -> Budget:
    """Compute the error correction that these wrong modules use."""
    shares = blocks(symbol.version, symbol.error_correction)
    errors = errors_of(wrong, symbol.version, symbol.error_correction)
    correctable = tuple(share.correctable for share in shares)  # without the codewords that detect miscorrections
    unused = min(1 - count / most for count, most in zip(errors, correctable, strict=True))
    return Budget(symbol, wrong, errors, correctable, unused, fixed_damage(wrong, symbol.version))


def true_modules(symbol: Symbol) -> Flags:
    """Return the symbol as an array with True for dark modules."""
    return np.frombuffer(b"".join(symbol.modules), dtype=np.uint8).reshape(symbol.side, symbol.side) > 0


def with_margin(modules: Flags) -> Flags:
    """Surround modules with `MARGIN` modules that are False."""
    wide = np.zeros([side + 2 * MARGIN for side in modules.shape], dtype=bool)
    wide[MARGIN:-MARGIN, MARGIN:-MARGIN] = modules
    return wide


def wrong_modules(luma: Greys, symbol: Symbol) -> Flags:
    """Mark the modules that read wrong; `luma` is of the middle of each, with `MARGIN` modules around the symbol."""
    dark = true_modules(symbol)
    value = relative(1 - luma if is_inverted(luma, dark) else luma, dark)
    return np.where(dark, value > BAND[0], value < BAND[1])


def lost_modules(luma: Greys, symbol: Symbol) -> Flags:
    """Mark the modules that even the best reader gets wrong, with a threshold halfway between local dark and light."""
    dark = true_modules(symbol)
    value = relative(1 - luma if is_inverted(luma, dark) else luma, dark, is_careful=False)
    return np.where(dark, value > 0.5, value < 0.5)


def is_inverted(luma: Greys, dark: Flags) -> bool:
    """Return True if the symbol is drawn light on dark."""
    inner = luma[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return median(inner[dark]) > median(inner[~dark])


def relative(luma: Greys, dark: Flags, *, is_careful: bool = True) -> Greys:
    """Return the value of each module relative to the modules around it that should be dark (0) and light (1).

    The luma is that of `wrong_modules`. `is_careful` ignores modules under a logo, which do not show what dark and
    light are.
    """
    is_dark = with_margin(dark)
    least, most = (median(luma[of]) for of in (is_dark, ~is_dark))
    whole = max(most - least, FAINTEST)
    low, high = _around(luma, is_dark, np.ones_like(is_dark))
    if is_careful:
        with np.errstate(invalid="ignore", divide="ignore"):
            off_here = np.where(is_dark, luma - low, high - luma) / (high - low)
        off_in_all = np.where(is_dark, luma - least, most - luma) / whole
        sure = _around(luma, is_dark, (off_here < CLEAR) & (off_in_all < BAND[0]))
        low, high = (np.where(np.isnan(of), first, of) for of, first in zip(sure, (low, high), strict=True))
    contrast = high - low
    # Under a logo and far from dark modules there is no local contrast, so that of the whole symbol is used.
    flat = ~(contrast >= FLATTEST * whole)
    low, contrast = np.where(flat, least, low), np.where(flat, whole, contrast)
    inner = slice(MARGIN, -MARGIN)
    return ((luma - low) / contrast)[inner, inner]


def _around(luma: Greys, is_dark: Flags, counted: Flags) -> Greys:
    """Return the mean luma of counted dark and of light modules around each module; NaN if there are none."""
    return mean_around(luma, np.stack([is_dark & counted, ~is_dark & counted]).astype(np.float32))


def mean_around(luma: Greys, of: Greys) -> Greys:
    """Return the mean of the modules that are 1 in `of` within `WINDOW` modules per side; NaN if there are none.

    `of` is float32, 0 or 1, side x side as the luma; or several such arrays, for a mean of each.
    """
    total, count = _sum_around(np.stack([luma * of, of]))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Greys = total / count
    return mean


def _sum_around(values: np.ndarray) -> np.ndarray:
    """Return the sums of the modules within `WINDOW` modules per side; the last two axes are rows and columns."""
    edge, side = WINDOW // 2, values.shape[-1]
    padded = np.zeros((*values.shape[:-2], side + 2 * edge, side + 2 * edge))
    padded[..., edge:-edge, edge:-edge] = values
    # Sums of whole arrays, first down, then across, are faster than sums of windows.
    rows, sums = padded[..., :side, :].copy(), np.zeros(values.shape)
    for at in range(1, WINDOW):
        rows += padded[..., at : at + side, :]
    for at in range(WINDOW):
        sums += rows[..., at : at + side]
    return sums


def errors_of(wrong: Flags, version: int, level: str) -> tuple[int, ...]:
    """Count the codewords of each block that have a wrong module."""
    codewords, block_of = module_codewords(version), np.frombuffer(codeword_blocks(version, level), dtype=np.uint8)
    hit = np.zeros(len(block_of) + 1, dtype=bool)  # the last item is for modules without a codeword
    hit[codewords[wrong]] = True
    return tuple(np.bincount(block_of[hit[:-1]], minlength=len(blocks(version, level))).tolist())


def fixed_damage(wrong: Flags, version: int) -> dict[str, int]:
    """Count the wrong modules of each function pattern, leaving out intact patterns."""
    grid = role_grid(version)
    found = {
        f"finder_{corner}": int(np.count_nonzero(wrong[row : row + FINDER, column : column + FINDER]))
        for corner, (row, column) in finder_places(wrong.shape[0]).items()
    }
    counts = np.bincount(grid[wrong], minlength=len(Role)).tolist()
    for role in (Role.SEPARATOR, Role.TIMING, Role.ALIGNMENT, Role.FORMAT, Role.VERSION, Role.DARK_MODULE):
        found[role.name.lower()] = counts[role]
    return {name: count for name, count in found.items() if count}


# ---- the map of damage
#
# The symbol is drawn in pale grays. Wrong codewords are tinted from yellow to red by the share of correction that
# their block uses. Modules that read wrong are dark red, or violet in function patterns, which have no error
# correction.


def _heat_map(budget: Budget) -> str:
    """Return the SVG with 10 pixels per module, in the orientation of the encoded symbol."""
    symbol, wrong = budget.symbol, budget.wrong
    side = symbol.side
    dark, damaged = true_modules(symbol), _damaged_blocks(budget)
    parts = [_path(dark, DARK)]
    for number, (errors, most) in enumerate(zip(budget.errors, budget.correctable, strict=True)):
        cells = damaged == number
        if cells.any():
            color = _tint(errors / most)
            parts.append(_path(cells & ~dark, _hex(color)))
            parts.append(_path(cells & dark, _hex(tuple(round(part * DARK_TINTED) for part in color))))
    is_fixed = role_grid(symbol.version) > 0
    parts += [_path(wrong & ~is_fixed, WRONG, inset=0.2), _path(wrong & is_fixed, FIXED, inset=0.2)]
    across = side + 2 * QUIET
    label = (
        f"Heat map of a version {symbol.version}-{symbol.error_correction} symbol: {int(wrong.sum())} modules read "
        f"wrong, the worst block uses {min(budget.used, 9.99):.0%} of its error correction"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-QUIET} {-QUIET} {across} {across}" '
        f'width="{across * 10}" height="{across * 10}" role="img" aria-label="{label}" shape-rendering="crispEdges">'
        f'<rect x="{-QUIET}" y="{-QUIET}" width="{across}" height="{across}" fill="{PAPER}"/>'
        f'<rect width="{side}" height="{side}" fill="{LIGHT}"/>{"".join(parts)}</svg>'
    )


def _damaged_blocks(budget: Budget) -> np.ndarray:
    """Return the block of each module whose codeword is wrong, else -1, as int, side x side."""
    codewords = module_codewords(budget.symbol.version)
    block_of = np.frombuffer(codeword_blocks(budget.symbol.version, budget.symbol.error_correction), dtype=np.uint8)
    is_wrong = np.isin(codewords, codewords[budget.wrong & (codewords >= 0)])
    return np.where(is_wrong, block_of[codewords].astype(int), -1)


def _hex(color: tuple[int, ...]) -> str:
    return "#{:02X}{:02X}{:02X}".format(*color)


def _tint(used: float) -> tuple[int, ...]:
    used = min(used, 1.0)
    for (low, first), (high, second) in pairwise(RAMP):
        if used <= high:
            share = (used - low) / (high - low)
            return tuple(round(one + (other - one) * share) for one, other in zip(first, second, strict=True))
    return RAMP[-1][1]


def _path(cells: np.ndarray, color: str, inset: float = 0) -> str:
    """Draw cells in one color; with an inset, each is a separate, smaller square."""
    if not cells.any():
        return ""
    if inset:
        size = round(1 - 2 * inset, 2)
        drawn = "".join(
            f"M{column + inset:g} {row + inset:g}h{size:g}v{size:g}h-{size:g}z" for row, column in np.argwhere(cells)
        )
    else:
        from qrkit.design.runs import runs

        rows = tuple(row.astype(np.uint8).tobytes() for row in cells)
        drawn = "".join(f"M{column} {row}h{count}v1h-{count}z" for column, row, count in runs(rows))
    return f'<path fill="{color}" d="{drawn}"/>'
