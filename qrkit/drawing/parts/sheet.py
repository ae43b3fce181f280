"""Provides `Sheet`, the data that all parts of a drawing share."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from qrkit.design.color import WHITE
from qrkit.design.design import Design
from qrkit.design.outline import Outline
from qrkit.drawing.layout import Layout
from qrkit.drawing.paints import moved, opaque
from qrkit.drawing.scene import Bitmap, Drawing, Matrix, Paint, Pictures
from qrkit.symbol.symbol import Symbol

MOST_PAINTED = 400_000_000
"""Pixels that all layers, or all copies of a sprite, may cover together: ten times the largest image."""

Content: TypeAlias = Bitmap | Drawing | Outline
"""An image: a bitmap, a safe SVG, or an icon, whose outline lies in a box of `ICON_BOX` units."""

Cells: TypeAlias = tuple[bytes, ...]
"""Rows of bytes, 1 for each selected module."""


class Sheet(NamedTuple):
    """What all parts of a drawing share; `foreground` paints dark modules, and `background` lies below all items."""

    design: Design
    symbol: Symbol
    layout: Layout
    pictures: Pictures
    foreground: Paint
    background: Paint

    def in_modules(self) -> Sheet:
        """Return the sheet measured in modules from the top left corner of the symbol."""
        width, height, x, y, module, side, padding = self.layout
        to_modules = Matrix(module, module, x, y).inverse()
        paints = moved(self.foreground, to_modules), moved(self.background, to_modules)
        layout = Layout(width / module, height / module, 0, 0, 1, side, padding)
        return Sheet(self.design, self.symbol, layout, self.pictures, *paints)

    @property
    def paper(self) -> Paint:
        """The opaque background, which lies under whatever must stay light; white if there is none."""
        return opaque(self.background) or WHITE

    @property
    def ink(self) -> Paint:
        """The paint of finder and alignment patterns: the first color of the palette, or else the foreground."""
        palette = self.design.modules.palette
        return palette[0] if palette else self.foreground
