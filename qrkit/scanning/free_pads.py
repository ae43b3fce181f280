"""The symbol of a design with free pad codewords: that which its drawing damages least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qrkit.drawing.draw import Pictures, is_plain
from qrkit.scanning.appearance import Appearance, appearance_of
from qrkit.symbol import encode
from qrkit.symbol.encode.free_padding import solve

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.symbol.symbol import Symbol

__all__ = ["fitted", "fitted_symbol", "symbol_of"]


def symbol_of(design: Design, pictures: Pictures) -> Symbol:
    """The symbol of a design.

    Raises:
        ContentTooLong: The content does not fit.
        RenderingFailed: The renderer broke down on a part of the drawing that pad codewords are to follow.
    """
    symbol = encode.symbol_of(design)
    return fitted_symbol(design, pictures, symbol) if design.pad_codewords == "free" else symbol


def fitted_symbol(design: Design, pictures: Pictures, symbol: Symbol) -> Symbol:
    """The symbol with pad codewords that follow the drawing.

    Args:
        design: What is drawn; where it says no mask, all are tried.
        pictures: That it names.
        symbol: Of the design with standard pad codewords.

    Raises:
        RenderingFailed: The renderer broke down on a part of the drawing.
    """
    if is_plain(design):
        return symbol
    return fitted(design, symbol, appearance_of(design, pictures, symbol))


def fitted(design: Design, symbol: Symbol, appearance: Appearance) -> Symbol:
    """The same for a drawing that is known."""
    budget = appearance.budget(symbol)
    if not any(budget.errors):
        return symbol
    wanted = appearance.settled().tolist()
    best, least = symbol, (budget.used, sum(budget.errors))
    asked: dict[str, Any] = {
        "version": symbol.version,
        "error_correction": symbol.error_correction,
        "mode": design.em,
    }
    for mask in range(8) if design.mask is None else (design.mask,):
        pads = solve(design.content, **asked, mask=mask, wanted=wanted)
        other = encode.encode(design.content, **asked, mask=mask, pad_codewords=pads)
        found = appearance.budget(other)
        if (used := (found.used, sum(found.errors))) < least:
            best, least = other, used
    return best
