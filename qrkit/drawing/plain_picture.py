"""Provides `Plain`, an image of two colors on a grid of whole pixels, which formats can write quickly."""

from __future__ import annotations

from functools import lru_cache
from operator import add, sub
from typing import TYPE_CHECKING, NamedTuple

from qrkit.design.color import Color
from qrkit.design.runs import run_ends

if TYPE_CHECKING:
    from qrkit.design.message_part import MessagePart

__all__ = ["Plain", "title_of", "written_runs"]


def title_of(content: str, part: MessagePart | None = None) -> str:
    """Return the title of a picture: its content without secrets, or the number of the part of a message."""
    if part:
        return f"Part {part.number} of {part.of}"
    if content.startswith("https:"):
        return content  # most contents are links, for which the module that knows all other kinds is not loaded
    from qrkit.contents.cards import summary

    return summary(content)


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


def written_runs(cells: tuple[bytes, ...], operator: str) -> list[str]:
    """Write each run of a symbol's cells as its numbers and an operator: `column row number operator`."""
    starts, ends = run_ends(cells)
    width = len(cells[0]) + 1
    places, lengths = _written_places(width, len(cells)), _written_lengths(width, operator)
    return list(map(add, map(places.__getitem__, starts), map(lengths.__getitem__, map(sub, ends, starts))))


@lru_cache(maxsize=4)  # of the largest symbols, 2 MB each
def _written_places(width: int, height: int) -> list[str]:
    """Write column and row of each cell, row by row."""
    columns = [f"{column} " for column in range(width)]
    return [column + row for row in [f"{row} " for row in range(height)] for column in columns]


@lru_cache(maxsize=64)
def _written_lengths(width: int, operator: str) -> list[str]:
    """Write each number of cells that fits a row, and the operator."""
    return [f"{length} {operator}" for length in range(width)]
