"""`Symbol` + `Design` -> `Scene`: where everything lies, in pixels."""

from __future__ import annotations

from qrkit.design import Design
from qrkit.scene import Rectangle, Scene, Squares
from qrkit.symbol import Symbol

__all__ = ["draw"]


def draw(design: Design, symbol: Symbol) -> Scene:
    """Lay a symbol out as a design says: whole pixels per module, the quiet zone all around."""
    side = (symbol.side + 2 * design.padding) * design.size
    edge = design.padding * design.size
    return Scene(
        width=side,
        height=side,
        background=Rectangle(0, 0, side, side, design.background),
        squares=Squares(edge, edge, design.size, symbol.modules, design.foreground),
        symbol=symbol,
        title=design.content,
    )
