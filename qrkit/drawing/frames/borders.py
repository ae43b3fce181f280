"""Draws frames that are a line around the symbol, with words on it or beside it."""

from __future__ import annotations

import hashlib
from itertools import product
from math import ceil, hypot

from qrkit.design.outline import circle, rounded
from qrkit.design.shapes.styles import as_modules
from qrkit.drawing.frames.frame_parts import CORNER, Cut, Part, Room, Slot, border, lines, soft, strip_height

ROOT = 2**0.5
LONGEST_RUN = 2
"""Decoys side by side in a row or column; three in a line could be taken for the pupil of a finder pattern."""
FEW, MANY = 130, 220
"""Of 256 places next to the quiet zone, and at the rim of a disc, those that a decoy may take."""
CLEAR = 2.4
"""Modules from the middle of the outermost decoys to the edge of the disc, for a ring and a gap."""


def plain(room: Room) -> Cut:
    """A line on all sides, with words below it."""
    width, strip = room.width, strip_height(room, 0.5)
    first, second = lines(room, width / 2, width + strip / 2, width * 0.94, on_ink=False)
    return Cut(width, width + strip, room.margin, room.margin, border(room), first, second)


def bar(room: Room) -> Cut:
    """A line on three sides, and a bar with words on the fourth."""
    width, line, strip = room.width, room.line, strip_height(room, 0.85)
    top = room.margin + room.side + room.gap
    height = width - line + max(strip, line)
    light = rounded(line, line, width - 2 * line, width - 2 * line, room.radius)
    body = rounded(0, 0, width, height, room.radius + line)
    # The rounded lower corners make the bar look lower than it is.
    first, second = lines(room, width / 2, (top + height) / 2 - 0.04 * strip, width - 2 * room.beside)
    return Cut(width, height, room.margin, room.margin, ((body, "ink"), (light, "paper")), first, second)


def bubble(room: Room) -> Cut:
    """A speech bubble below the border, which points to it."""
    width, line = room.width, room.line
    tall, point, half = strip_height(room, 0.72), ceil(room.capital * 0.75), room.capital * 0.8
    top = width + point
    long = min(width, max((room.longest + 2.4) * room.capital, 5 * half))
    left, right, middle = (width - long) / 2, (width + long) / 2, width / 2
    curve = min(tall / 2.02, room.capital * 1.6)
    shape = soft(
        (left, top, curve),
        (middle - half, top, line / 2),
        (middle, top - point + line * 0.6, line / 3),
        (middle + half, top, line / 2),
        (right, top, curve),
        (right, top + tall, curve),
        (left, top + tall, curve),
    )
    first, second = lines(room, middle, top + tall / 2, long - 1.6 * room.capital)
    return Cut(width, top + tall, room.margin, room.margin, (*border(room), (shape, "ink")), first, second)


def pill(room: Room) -> Cut:
    """A label with round ends in the middle of the lower line."""
    width, tall = room.width, room.capital * 2.2 + room.more
    more = ceil(tall - room.line) / 2
    middle = width + more - room.line / 2
    long = min(width - 2 * room.margin - room.radius, (room.words + 2.4) * room.capital)
    label = rounded((width - long) / 2, middle - tall / 2, long, tall, room.capital * 1.1)
    slot = Slot(width / 2, middle, long - 1.8 * room.capital, room.capital)
    height = width + 2 * more
    return Cut(width, height, room.margin, room.margin, (*border(room, more=more), (label, "ink")), slot)


def plate(room: Room) -> Cut:
    """A light plate on a dark background, with words below the plate."""
    gap = CORNER * room.radius
    margin = ceil(max(room.side * 0.07, room.line * 2) + gap)
    around, width, strip = margin - gap, room.side + 2 * margin, strip_height(room, 0.35)
    ground = rounded(0, 0, width, width + strip, min(room.radius + around, 3 * room.radius))
    light = rounded(around, around, width - 2 * around, width - 2 * around, room.radius)
    first, second = lines(room, width / 2, width + (strip - around) / 2, width - 2 * around)
    return Cut(width, width + strip, margin, margin, ((ground, "ink"), (light, "paper")), first, second)


def legend(room: Room) -> Cut:
    """A line with words in a gap of it, on a light card that has room for their descenders."""
    line, radius, capital = room.line, room.radius, room.capital
    edge = ceil(capital * 0.95 - line / 2)
    more = ceil(capital + room.more - line) / 2
    right, low = edge + room.width, edge + room.width + more
    width, height, outer, end = right + edge, ceil(low + edge + room.more / 2), radius + line, line / 2.01
    long = min(room.width - 2 * (radius + 2 * line), (room.words + 1.4) * capital)
    first, last, over = (width - long) / 2, (width + long) / 2, low - line
    ring = soft(
        *((last, low, end), (right, low, outer), (right, edge, outer), (edge, edge, outer), (edge, low, outer)),
        *((first, low, end), (first, over, end), (edge + line, over, radius), (edge + line, edge + line, radius)),
        *((right - line, edge + line, radius), (right - line, over, radius), (last, over, end)),
    )
    ground = rounded(0, 0, width, height, outer + edge * 0.6)
    slot = Slot(width / 2, low - line / 2, long - capital, capital, on_ink=False)
    start = edge + room.margin
    return Cut(width, height, start, start, ((ground, "paper"), (ring, "ink")), slot)


def tab(room: Room) -> Cut:
    """A tab with words that grows out of the lower line."""
    width, line, outer = room.width, room.line, room.radius + room.line
    tall = strip_height(room, 0.6)
    fillet, curve = room.capital * 0.5, room.capital * 0.9
    long = min(width - 2 * outer - 2 * fillet, (room.longest + 2.2) * room.capital)
    left, right = (width - long) / 2, (width + long) / 2
    body = soft(
        *((0, 0, outer), (width, 0, outer), (width, width, outer), (right, width, fillet)),
        *((right, width + tall, curve), (left, width + tall, curve), (left, width, fillet), (0, width, outer)),
    )
    light = rounded(line, line, width - 2 * line, width - 2 * line, room.radius)
    first, second = lines(room, width / 2, width + (tall - line) / 2, long - 1.4 * room.capital)
    parts: tuple[Part, ...] = ((body, "ink"), (light, "paper"))
    return Cut(width, width + tall, room.margin, room.margin, parts, first, second)


def ribbon(room: Room) -> Cut:
    """A ribbon across the lower end of the border."""
    line, radius, over = room.line, room.radius, ceil(room.capital * 1.1)
    left, right = over, over + room.width
    tall = strip_height(room, 0.65)
    bottom = ceil(room.margin + room.side + room.gap + line * 0.7 + tall)
    wide, notch = room.width + 2 * over, over * 0.75
    # The border and the light area end below the ribbon, so that nothing shows between them and the ribbon.
    top, low = bottom - tall, bottom - 1
    arch = soft(
        *((left, low), (left, 0, radius + line), (right, 0, radius + line), (right, low)),
        *((right - line, low), (right - line, line, radius), (left + line, line, radius), (left + line, low)),
    )
    ground = soft((left, low), (left, 0, radius + line), (right, 0, radius + line), (right, low))
    band = soft(
        *((0, top), (wide, top), (wide - notch, (top + bottom) / 2), (wide, bottom)),
        *((0, bottom), (notch, (top + bottom) / 2)),
    )
    slot = Slot(wide / 2, (top + bottom) / 2, room.width - room.capital, room.capital)
    parts: tuple[Part, ...] = ((ground, "paper"), (arch, "ink"), (band, "ink"))
    return Cut(wide, bottom, left + room.margin, room.margin, parts, slot)


def viewfinder(room: Room) -> Cut:
    """Four corners, with words below them."""
    line, strip = room.line * 1.2, strip_height(room, 0.55)
    margin = ceil(line + 0.5 + 0.3 * room.radius)
    width = room.side + 2 * margin
    outer = room.radius + line
    arm = max(width * 0.2, outer + line)
    corner = soft(
        *((arm, 0, line / 2.01), (0, 0, outer), (0, arm, line / 2.01), (line, arm, line / 2.01)),
        *((line, line, outer - line), (arm, line, line / 2.01)),
    )
    turns = [(0, 0, 1, 1), (width, 0, -1, 1), (width, width, -1, -1), (0, width, 1, -1)]
    ground = rounded(0, 0, width, width + strip, outer)
    first, second = lines(room, width / 2, width + strip / 2, width * 0.9, on_ink=False)
    parts: tuple[Part, ...] = ((ground, "paper"), *((corner.placed(*turn), "ink") for turn in turns))
    return Cut(width, width + strip, margin, margin, parts, first, second)


# ---- a disc of decoys


def disc(room: Room) -> Cut:
    """A ring around decoys around the light square, with words below it."""
    rim = 0.7 * room.line
    margin = ceil(room.side * (ROOT - 1) / 2 + rim + 0.3)
    width, strip = room.side + 2 * margin, strip_height(room, 0.5)
    middle = width / 2
    ground, light = circle(middle, middle, middle), circle(middle, middle, middle - rim)
    decoys = as_modules(room.modules, _decoys(room, margin))
    parts: tuple[Part, ...] = ((ground, "ink"), (light, "paper"), (decoys, "ink"))
    first, second = lines(room, middle, width + strip / 2, width * 0.9, on_ink=False)
    return Cut(width, width + strip, margin, margin, parts, first, second)


def _decoys(room: Room, margin: int) -> list[bytes]:
    """Return rows of cells with decoys in the disc around the light square, the same for every symbol of a size."""
    count = round(room.side) + 2 * margin
    chance = hashlib.shake_256(f"{room.modules.seed} decoys {count}".encode()).digest(count * count)
    cells, middle = [bytearray(count) for _ in range(count)], count / 2
    for row, column in product(range(count), repeat=2):
        across, down = abs(column + 0.5 - middle), abs(row + 0.5 - middle)
        beside = max(across, down) - middle + margin
        if beside < 0 or hypot(across, down) > middle - CLEAR:
            continue
        # Few next to the quiet zone and many at the rim: a sharp square would be seen before the circle.
        if chance[row * count + column] < FEW + (MANY - FEW) * beside / margin:
            cells[row][column] = not (_run(cells[row], column) or _run([line[column] for line in cells], row))
    return [bytes(row) for row in cells]


def _run(cells: bytearray | list[int], place: int) -> bool:
    """Return True if a decoy at this place would make a run too long."""
    return place >= LONGEST_RUN and all(cells[place - LONGEST_RUN : place])
