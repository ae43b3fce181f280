"""`Scene`: a drawing in pixels, x to the right and y down, before it is a file of some format."""

from __future__ import annotations

from dataclasses import dataclass

from qrkit.color import WHITE, Color
from qrkit.symbol import Symbol

__all__ = ["Rectangle", "Scene", "Squares"]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """One filled rectangle, in pixels."""

    x: int
    y: int
    width: int
    height: int
    paint: Color


@dataclass(frozen=True, slots=True)
class Squares:
    """Equal squares on a grid: the cells that are 1.

    Attributes:
        x: Left edge of the grid in pixels.
        y: Top edge of the grid in pixels.
        size: Side of a square in pixels.
        cells: Rows of bytes, 1 for a square, 0 for none.
        paint: Their colour.
        union: Whether the squares are one shape; else each is its own.
    """

    x: int
    y: int
    size: int
    cells: tuple[bytes, ...]
    paint: Color
    union: bool = False

    def runs(self) -> list[tuple[int, int, int]]:
        """The squares as horizontal bars: (column, row, number of squares), in cells."""
        found = []
        for row, cells in enumerate(self.cells):
            start = cells.find(1)
            while start >= 0:
                end = cells.find(0, start)
                end = len(cells) if end < 0 else end
                found.append((start, row, end - start))
                start = cells.find(1, end)
        return found


@dataclass(frozen=True, slots=True)
class Scene:
    """A drawing, its items painted in order.

    Attributes:
        width: Pixels.
        height: Pixels.
        background: The rectangle under everything, as large as the scene.
        squares: The dark modules.
        symbol: What is drawn, for formats that write modules instead of a picture.
        title: What the code says, for people who cannot see it.
    """

    width: int
    height: int
    background: Rectangle
    squares: Squares
    symbol: Symbol
    title: str

    @property
    def backdrop(self) -> Color:
        """What formats without transparency compose the picture on: the background's opaque form, else white (G4)."""
        color = self.background.paint
        return color.opaque if color.alpha else WHITE
