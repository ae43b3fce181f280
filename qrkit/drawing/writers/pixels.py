"""A plain picture as rows of packed pixels: the short way to raster formats.

It has two colors, so a pixel is one bit and a row of modules is computed once for all its pixel rows.
"""

from __future__ import annotations

from functools import lru_cache

from qrkit.drawing.plain_picture import Plain

__all__ = ["packed_rows", "size_in_pixels"]

BITS = 8
WHOLE_BYTES = b"\x00\xff" + bytes(range(2, 256))
"""For `bytes.translate`: modules 0 and 1 as bytes without and full of dark pixels."""
DIGITS = b"01" + bytes(range(2, 256))
"""Likewise, as the digits of a binary number."""
LIGHT = b"\x00"


def size_in_pixels(plain: Plain) -> tuple[int, int]:
    """Width and height."""
    return round(plain.width), round(plain.height)


def packed_rows(plain: Plain) -> list[bytes]:
    """A row of pixels for each row of modules, eight pixels to a byte, the first in the highest bit.

    Each stands for as many rows of pixels as a module has, the first one `plain.top` below the edge.
    """
    width, left, module = round(plain.width), round(plain.left), round(plain.module)
    length = (width + 7) // BITS
    # What lies left of the symbol are light modules, too, and the rest of one, by which all is shifted at the end.
    before, rest = divmod(left, module)
    groups = -(-length // module)
    behind = BITS * groups - before - len(plain.cells)
    lines = LIGHT * before + (LIGHT * (behind + before)).join(plain.cells) + LIGHT * behind
    if module == BITS:
        pixels = lines.translate(WHOLE_BYTES)
    else:
        packed = int(lines.translate(DIGITS), 2).to_bytes(groups * len(plain.cells), "big")
        pixels = b"".join(map(_enlarged(module).__getitem__, packed))
    step = groups * module
    if rest:
        whole = [int.from_bytes(pixels[start : start + step], "big") for start in range(0, len(pixels), step)]
        return [(row >> rest).to_bytes(step, "big")[:length] for row in whole]
    return [pixels[start : start + length] for start in range(0, len(pixels), step)]


@lru_cache(maxsize=32)
def _enlarged(module: int) -> tuple[bytes, ...]:
    """Every byte of eight modules as pixels, which take as many bytes as a module has pixels."""
    found = [0]
    for place in range(BITS):
        dark = (1 << module) - 1 << place * module
        found += [pixels | dark for pixels in found]
    return tuple([pixels.to_bytes(module, "big") for pixels in found])
