"""A scene as rows of packed pixels: what every raster format is written from.

A plain scene has two colours, so a pixel is one bit and a row of modules is computed once for all its pixel rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from qrkit.color import Color
from qrkit.scene import Scene

__all__ = ["opaque_palette", "packed_rows", "palette"]


def palette(scene: Scene) -> tuple[Color, Color]:
    """The colours of the pixels 0 and 1: the background, and the foreground as seen over it."""
    background = scene.background.paint
    return background, scene.squares.paint.over(background)


def opaque_palette(scene: Scene) -> tuple[Color, Color]:
    """The same for formats without alpha: composed on the backdrop (ruling G4)."""
    background, dark = palette(scene)
    return background.over(scene.backdrop).opaque, dark.over(scene.backdrop).opaque


def packed_rows(scene: Scene) -> Iterator[tuple[bytes, int]]:
    """Rows of pixels, eight to a byte, the first in the highest bit, each with how many times it is repeated."""
    squares, width = scene.squares, scene.width
    bytes_a_row = (width + 7) // 8
    blank = bytes(bytes_a_row)
    run = ("0" * squares.size, "1" * squares.size)
    left = "0" * squares.x
    right = "0" * (8 * bytes_a_row - squares.x - squares.size * len(squares.cells[0]))
    if squares.y:
        yield blank, squares.y
    for cells in squares.cells:
        bits = left + "".join([run[cell] for cell in cells]) + right
        yield int(bits, 2).to_bytes(bytes_a_row, "big"), squares.size
    below = scene.height - squares.y - squares.size * len(squares.cells)
    if below:
        yield blank, below
