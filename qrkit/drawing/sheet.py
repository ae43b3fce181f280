"""`Sheet`: what all parts of a drawing work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from qrkit.design.design import Design
from qrkit.design.outline import Outline
from qrkit.drawing.draw import Pictures
from qrkit.drawing.layout import Layout
from qrkit.drawing.scene import Bitmap, Drawing, Paint
from qrkit.symbol.symbol import Symbol

__all__ = ["ICON_BOX", "MOST_PAINTED", "Cells", "Content", "Sheet"]

ICON_BOX = 24
"""Units per side of the box in which icons are drawn."""

MOST_PAINTED = 400_000_000
"""Pixels that all layers, or all copies of a sprite, may cover together: ten times the largest picture."""

Content: TypeAlias = Bitmap | Drawing | Outline
"""A picture: of pixels, of safe SVG, or an icon, whose outline lies in a box of `ICON_BOX` units."""

Cells: TypeAlias = tuple[bytes, ...]
"""Rows of bytes, 1 for each module that is meant."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is drawn, and where.

    Attributes:
        design: Says how.
        symbol: Says what.
        layout: Says where.
        pictures: That the design names.
        foreground: What fills dark modules.
    """

    design: Design
    symbol: Symbol
    layout: Layout
    pictures: Pictures
    foreground: Paint
