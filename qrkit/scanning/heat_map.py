"""Provides `heat_map`, an SVG that shows where a drawing uses up error correction.

The symbol is drawn in pale grays. Wrong codewords are tinted from yellow to red by the share of correction that their
block uses. Modules that read wrong are dark red, or violet in function patterns, which have no error correction.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from qrkit.drawing.plain_picture import runs
from qrkit.scanning.module_roles import module_codewords, role_grid
from qrkit.symbol.encode.blocks import codeword_blocks

if TYPE_CHECKING:
    from qrkit.scanning.budget import Budget

__all__ = ["heat_map"]

QUIET = 2
"""Modules around the symbol. Two are enough, because the heat map is a chart and not meant to be scanned."""

DARK, LIGHT, PAPER = "#B9C0C9", "#F4F5F7", "#FFFFFF"
DARK_TINTED = 0.72
"""Factor that darkens a tint on dark modules, so that the symbol stays visible."""
WRONG, FIXED = "#9F1239", "#6D28D9"
RAMP = ((0.0, (254, 240, 170)), (0.5, (251, 176, 59)), (1.0, (220, 38, 38)))
"""Tints of codewords by the share of correction that their block uses."""


def heat_map(budget: Budget) -> str:
    """Return the SVG with 10 pixels per module, in the orientation of the encoded symbol."""
    symbol, wrong = budget.symbol, budget.wrong
    side = symbol.side
    dark = np.frombuffer(b"".join(symbol.modules), dtype=np.uint8).reshape(side, side)
    damaged = _damaged_blocks(budget)
    parts = [_path(dark, DARK)]
    for number, (errors, most) in enumerate(zip(budget.errors, budget.correctable, strict=True)):
        cells = damaged == number
        if cells.any():
            color = _tint(errors / most)
            parts.append(_path(cells & (dark == 0), _hex(color)))
            parts.append(_path(cells & (dark == 1), _hex(tuple(round(part * DARK_TINTED) for part in color))))
    is_fixed = _fixed(budget)
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
    is_wrong = np.zeros(len(block_of), dtype=bool)
    is_wrong[codewords[budget.wrong & (codewords >= 0)]] = True
    shown: np.ndarray = np.where((codewords >= 0) & is_wrong[codewords], block_of[codewords].astype(int), -1)
    return shown


def _fixed(budget: Budget) -> np.ndarray:
    is_fixed: np.ndarray = role_grid(budget.symbol.version) > 0
    return is_fixed


def _tint(used: float) -> tuple[int, ...]:
    used = min(used, 1.0)
    for (low, first), (high, second) in pairwise(RAMP):
        if used <= high:
            share = (used - low) / (high - low)
            return tuple(round(one + (other - one) * share) for one, other in zip(first, second, strict=True))
    return RAMP[-1][1]


def _hex(color: tuple[int, ...]) -> str:
    return "#{:02X}{:02X}{:02X}".format(*color)


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
        rows = tuple(row.astype(np.uint8).tobytes() for row in cells)
        drawn = "".join(f"M{column} {row}h{count}v1h-{count}z" for column, row, count in runs(rows))
    return f'<path fill="{color}" d="{drawn}"/>'
