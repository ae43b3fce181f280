"""Converts plain images to rows of packed pixels, the fast path of raster formats.

A plain image has two colors, so a pixel is one bit, and a row of modules is computed once for all its pixel rows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from qrkit.drawing.plain_picture import Plain

BITS = 8
WHOLE_BYTES = b"\x00\xff" + bytes(range(2, 256))
"""For `bytes.translate`: modules 0 and 1 as bytes of light and of dark pixels."""
DIGITS = b"01" + bytes(range(2, 256))
"""For `bytes.translate`: modules 0 and 1 as the digits of a binary number."""
LIGHT = b"\x00"


class Tones(NamedTuple):
    """A picture of one color on another: how far each pixel is covered, and the 256 mixtures in RGB.

    Each row starts with a 0, which in PNG means no filter.
    """

    width: int
    height: int
    lines: bytes
    palette: bytes


def size_in_pixels(plain: Plain) -> tuple[int, int]:
    """Return width and height in pixels."""
    return round(plain.width), round(plain.height)


def packed_rows(plain: Plain) -> list[bytes]:
    """Return one row of pixels per row of modules, eight pixels per byte, the first in the highest bit.

    Repeat each row for all pixel rows of a module; the first is `plain.top` pixels below the edge.
    """
    width, left, module = round(plain.width), round(plain.left), round(plain.module)
    length = (width + 7) // BITS
    # The area left of the symbol is filled with light modules; the rest is added by a shift at the end.
    before, rest = divmod(left, module)
    groups = -(-length // module)
    behind = BITS * groups - before - len(plain.cells)
    lines = LIGHT * before + (LIGHT * (behind + before)).join(plain.cells) + LIGHT * behind
    if module == BITS:
        pixels = lines.translate(WHOLE_BYTES)
    else:
        packed = int(lines.translate(DIGITS), 2).to_bytes(groups * len(plain.cells), "big")
        pixels = b"".join(map(_enlarge(module).__getitem__, packed))
    step = groups * module
    if rest:
        whole = [int.from_bytes(pixels[start : start + step], "big") for start in range(0, len(pixels), step)]
        return [(row >> rest).to_bytes(step, "big")[:length] for row in whole]
    return [pixels[start : start + length] for start in range(0, len(pixels), step)]


@lru_cache(maxsize=32)
def _enlarge(module: int) -> tuple[bytes, ...]:
    """Return a table from a byte (eight modules) to its row of pixels: as many bytes as a module is pixels wide."""
    rows = [0]
    for place in range(BITS):
        dark = (1 << module) - 1 << place * module
        rows += [pixels | dark for pixels in rows]
    return tuple([pixels.to_bytes(module, "big") for pixels in rows])
