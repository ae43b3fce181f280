"""PNG of a plain scene: one bit a pixel and a palette, straight from the modules (W3C PNG, third edition)."""

from __future__ import annotations

import struct
import zlib

from qrkit.scene import Scene
from qrkit.writers.pixels import packed_rows, palette

__all__ = ["write"]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
PALETTE_COLOR = 3
FILTER_NONE, FILTER_UP = b"\x00", b"\x02"
COMPRESSION_LEVEL = 6
"""Level 9 takes five times as long for 5 % less, level 1 a third of the time for 40 % more."""


def write(scene: Scene) -> bytes:
    """Write a PNG; any alpha is kept."""
    colors = palette(scene)
    parts = [
        _chunk(
            b"IHDR",
            struct.pack(">IIBBBBB", scene.width, scene.height, 1, PALETTE_COLOR, 0, 0, 0),
        ),
        _chunk(
            b"PLTE",
            bytes(part for color in colors for part in (color.red, color.green, color.blue)),
        ),
    ]
    if any(color.alpha < 255 for color in colors):
        parts.append(_chunk(b"tRNS", bytes(color.alpha for color in colors)))
    parts += [
        _chunk(b"IDAT", zlib.compress(_scanlines(scene), COMPRESSION_LEVEL)),
        _chunk(b"IEND", b""),
    ]
    return SIGNATURE + b"".join(parts)


def _scanlines(scene: Scene) -> bytes:
    lines = []
    # A row like the one above it is all zeros under the Up filter.
    for row, times in packed_rows(scene):
        lines.append(FILTER_NONE + row)
        lines.append((FILTER_UP + bytes(len(row))) * (times - 1))
    return b"".join(lines)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
