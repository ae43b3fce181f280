"""Chooses the symbol of a design with free pad codewords that its drawing damages least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qrkit.drawing.draw import is_plain
from qrkit.drawing.scene import Pictures
from qrkit.scanning.appearance import Appearance, appearance_of
from qrkit.symbol import encode
from qrkit.symbol.encode.free_padding import solve
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from qrkit.design.design import Design


def fitted_symbol(design: Design, pictures: Pictures, symbol: Symbol) -> Symbol:
    """Return the symbol of a design; if its pad codewords are free, with those that fit the drawing.

    `symbol` has standard ones. If the design has no mask, all masks are tried.
    """
    if design.pad_codewords != "free" or is_plain(design):
        return symbol
    return fitted(design, symbol, appearance_of(design, pictures, symbol))


def fitted(design: Design, symbol: Symbol, appearance: Appearance) -> Symbol:
    """Return the symbol with pad codewords that fit a drawing that has been measured."""
    budget = appearance.budget(symbol)
    if not any(budget.errors):
        return symbol
    wanted = appearance.settled().tolist()
    best, least = symbol, (budget.used, sum(budget.errors))
    asked: dict[str, Any] = {
        "version": symbol.version,
        "error_correction": symbol.error_correction,
        **encode.encoding_of(design),
    }
    for mask in range(8) if design.mask is None else (design.mask,):
        pads = solve(design.content, **asked, mask=mask, wanted=wanted)
        other = encode.encode(design.content, **asked, mask=mask, pad_codewords=pads)
        found = appearance.budget(other)
        if (used := (found.used, sum(found.errors))) < least:
            best, least = other, used
    return best
