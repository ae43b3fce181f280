"""`Plain`: a picture of two colors on a grid of whole pixels, which formats write the short way."""

from __future__ import annotations

from typing import NamedTuple

from qrkit.design.color import Color

__all__ = ["Plain", "runs"]


class Plain(NamedTuple):
    """One color under everything, and square modules of one color.

    Attributes:
        width: Pixels.
        height: Pixels.
        left: Left edge of the symbol in pixels, without its quiet zone.
        top: Top edge of the symbol.
        module: Pixels per module.
        cells: Rows of bytes, 1 for a dark module, 0 for a light one, as they are seen.
        color: Of dark modules.
        background: Of everything else.
        title: What the code says, for people who cannot see it.
        union: Whether vector formats write the modules as one shape.
        dots_per_inch: How large a pixel is printed; None where nobody said.
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
        """Whether no pixel is cut: only then the picture is plain."""
        return not (self.left % 1 or self.top % 1 or self.module % 1 or self.width % 1)

    @property
    def palette(self) -> tuple[Color, Color]:
        """The colors of light and of dark pixels: the background, and the foreground as seen over it."""
        return self.background, self.color.over(self.background)


def runs(cells: tuple[bytes, ...]) -> list[tuple[int, int, int]]:
    """The cells that are 1 as horizontal bars: (column, row, number of cells)."""
    found = []
    for row, line in enumerate(cells):
        start = line.find(1)
        while start >= 0:
            end = line.find(0, start)
            end = len(line) if end < 0 else end
            found.append((start, row, end - start))
            start = line.find(1, end)
    return found
