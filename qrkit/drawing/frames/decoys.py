"""Draws the frame that makes a code round: modules without a meaning outside the quiet zone."""

from __future__ import annotations

import hashlib
from math import ceil

from qrkit.design.outline import circle
from qrkit.design.shapes.styles import as_modules
from qrkit.drawing.frames.frame_parts import Cut, Part, Room, lines, strip_height

__all__ = ["disc"]

ROOT = 2**0.5
LONGEST_RUN = 2
"""Decoys side by side in a row or column; three in a line could be taken for the pupil of a finder pattern."""


def disc(room: Room) -> Cut:
    """A disc of decoys around the light square; words stand below it."""
    margin = ceil(room.side * (ROOT - 1) / 2 + 1)
    width, strip = room.side + 2 * margin, strip_height(room, 0.5)
    ground = circle(width / 2, width / 2, width / 2)
    decoys = as_modules(room.modules, _decoys(room, margin))
    parts: tuple[Part, ...] = ((ground, "paper"), (decoys, "ink"))
    first, second = lines(room, width / 2, width + strip / 2, width * 0.9, on_ink=False)
    return Cut(width, width + strip, margin, margin, parts, first, second)


def _decoys(room: Room, margin: int) -> list[bytes]:
    """Return rows of cells with a decoy in half of those in the disc, the same for every symbol of a size."""
    count = round(room.side) + 2 * margin
    chance = hashlib.shake_256(f"{room.modules.seed} decoys {count}".encode()).digest(count * count)
    cells = [bytearray(count) for _ in range(count)]
    for row in range(count):
        for column in range(count):
            is_inside = (column + 0.5 - count / 2) ** 2 + (row + 0.5 - count / 2) ** 2 < (count / 2 - 0.7) ** 2
            is_quiet = margin <= column < count - margin and margin <= row < count - margin
            if is_inside and not is_quiet and chance[row * count + column] < 144:
                cells[row][column] = not (_run(cells[row], column) or _run([line[column] for line in cells], row))
    return [bytes(row) for row in cells]


def _run(cells: bytearray | list[int], place: int) -> bool:
    """Return True if a decoy at this place would make a run too long."""
    return place >= LONGEST_RUN and all(cells[place - LONGEST_RUN : place])
