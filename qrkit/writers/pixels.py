"""A plain scene as rows of packed pixels: the short way to raster formats.

It has two colours, so a pixel is one bit and a row of modules is computed once for all its pixel rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from qrkit.color import Color
from qrkit.scene import Plain, Scene, Squares

__all__ = ["opaque_palette", "packed_rows", "palette"]


def palette(plain: Plain) -> tuple[Color, Color]:
    """The colours of the pixels 0 and 1: the background, and the foreground as seen over it."""
    return plain.background, plain.color.over(plain.background)


def opaque_palette(scene: Scene, plain: Plain) -> tuple[Color, Color]:
    """The same for formats without alpha: composed on the backdrop (ruling G4)."""
    background, dark = palette(plain)
    return background.over(scene.backdrop).opaque, dark.over(scene.backdrop).opaque


def packed_rows(scene: Scene, squares: Squares) -> Iterator[tuple[bytes, int]]:
    """Rows of pixels, eight to a byte, the first in the highest bit, each with how many times it is repeated."""
    width, height, left, top, size = map(round, (scene.width, scene.height, squares.x, squares.y, squares.size))
    bytes_a_row = (width + 7) // 8
    blank = bytes(bytes_a_row)
    run = ("0" * size, "1" * size)
    before = "0" * left
    after = "0" * (8 * bytes_a_row - left - size * len(squares.cells[0]))
    if top:
        yield blank, top
    for cells in squares.cells:
        bits = before + "".join([run[cell] for cell in cells]) + after
        yield int(bits, 2).to_bytes(bytes_a_row, "big"), size
    below = height - top - size * len(squares.cells)
    if below:
        yield blank, below
