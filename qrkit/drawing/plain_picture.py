"""Provides `Plain`, an image of two colors on a grid of whole pixels, which formats can write quickly."""

from __future__ import annotations

from typing import NamedTuple

from qrkit.design.color import Color

__all__ = ["Plain", "runs"]


class Plain(NamedTuple):
    """A background of one color with square modules of another.

    Attributes:
        width: Pixels.
        height: Pixels.
        left: Left edge of the symbol in pixels, without its quiet zone.
        top: Top edge of the symbol.
        module: Pixels per module.
        cells: Rows of bytes as drawn, 1 for a dark module, 0 for a light one.
        color: Color of dark modules.
        background: Color of the rest of the image.
        title: A description of the content, for screen readers.
        union: True to write the modules as one shape in vector formats.
        dots_per_inch: Print resolution; None if unknown.
    """

    width: float
    height: float
    left: float
    top: float
    module: float
    cells: tuple[bytes, ...]
    color: Color
    background: Color
    title: str
    union: bool = False
    dots_per_inch: float | None = None

    @property
    def is_on_pixels(self) -> bool:
        """True if all edges lie on whole pixels, which a plain image requires."""
        return not (self.left % 1 or self.top % 1 or self.module % 1 or self.width % 1)

    @property
    def palette(self) -> tuple[Color, Color]:
        """The colors of light and of dark pixels: the background, and the foreground as seen over it."""
        return self.background, self.color.over(self.background)


def runs(cells: tuple[bytes, ...]) -> list[tuple[int, int, int]]:
    """Return the horizontal runs of cells that are 1: (column, row, number of cells)."""
    bars = []
    for row, line in enumerate(cells):
        start = line.find(1)
        while start >= 0:
            end = line.find(0, start)
            end = len(line) if end < 0 else end
            bars.append((start, row, end - start))
            start = line.find(1, end)
    return bars
