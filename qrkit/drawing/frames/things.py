"""Draws frames that look like things: a card, a ticket, a phone."""

from __future__ import annotations

from math import ceil

from qrkit.design.outline import Outline, circle, rounded
from qrkit.drawing.frames.frame_parts import CORNER, SECOND, Arc, Cut, Part, Room, Slot, lines, soft, strip_height

ROOT = 2**0.5


def card(room: Room) -> Cut:
    """A card with a title above the light area and a subtitle below it."""
    gap = CORNER * room.radius
    around = max(room.side * 0.11, room.line * 2)
    margin = ceil(around + gap)
    around = margin - gap
    capital = room.capital * 1.08
    width = room.side + 2 * margin
    title = capital * 2 + room.more if room.words else 0
    top = ceil(margin + title)
    foot = ceil(capital * SECOND * 2.6 + room.second_more) if room.second else 0
    height = top + room.side + margin + foot
    light = rounded(around, top - gap, room.side + 2 * gap, room.side + 2 * gap, room.radius)
    body = rounded(0, 0, width, height, room.radius + around * 0.45)
    upper = (top - gap) / 2 + around * 0.08
    low = top + room.side + gap
    first = Slot(width / 2, upper, width - 2 * around, capital) if room.words else None
    second = Slot(width / 2, (low + height) / 2 - around * 0.06, width - 2 * around, capital * SECOND)
    parts: tuple[Part, ...] = ((body, "ink"), (light, "paper"))
    return Cut(width, height, margin, top, parts, first, second if room.second else None)


def polaroid(room: Room) -> Cut:
    """A white card with a thin edge and a wide lower border."""
    edge, margin = room.line * 0.5, ceil(room.side * 0.05 + room.line * 0.5)
    width, strip = room.side + 2 * margin, strip_height(room, 0.75)
    height = room.side + 2 * margin + max(strip - margin // 2, 0)
    radius = room.radius * 0.4
    body = rounded(0, 0, width, height, radius + edge)
    light = rounded(edge, edge, width - 2 * edge, height - 2 * edge, radius)
    below = margin + room.side
    first, second = lines(room, width / 2, (below + height) / 2 - edge / 2, room.side * 0.94, on_ink=False)
    return Cut(width, height, margin, margin, ((body, "ink"), (light, "paper")), first, second)


def ticket(room: Room) -> Cut:
    """A ticket with a stub for the words, behind a perforation between two notches."""
    width, outer, notch = room.width, room.radius + room.line, max(room.side * 0.035, 1.0)
    fold = ceil(room.margin + room.side + room.gap + notch + room.line * 0.5)
    height = fold + strip_height(room, 1.0) or fold
    body = soft(
        *((0, 0, outer), (width, 0, outer)),
        *((width, fold - notch), (width - notch, fold - notch, notch), (width - notch, fold + notch, notch)),
        *((width, fold + notch), (width, height, outer), (0, height, outer)),
        *((0, fold + notch), (notch, fold + notch, notch), (notch, fold - notch, notch), (0, fold - notch)),
    )
    inner = width - 2 * room.line
    light = rounded(room.line, room.line, inner, inner, room.radius)
    thin, first_x, last_x = room.line * 0.35, 2.2 * notch, width - 2.2 * notch
    count = max(3, round((last_x - first_x) / (room.line * 2.4)))
    step = (last_x - first_x) / (count - 0.45)
    dashes = Outline.joined(
        rounded(first_x + step * index, fold - thin / 2, step * 0.55, thin, thin / 2) for index in range(count)
    )
    first, second = lines(room, width / 2, (fold + height) / 2, width - 2 * room.beside)
    parts: tuple[Part, ...] = ((body, "ink"), (light, "paper"), (dashes, "paper"))
    return Cut(width, height, room.margin, room.margin, parts, first, second)


def tag(room: Room) -> Cut:
    """A luggage tag with an eyelet."""
    width, outer, cut = room.width, room.radius + room.line, room.width * 0.2
    top = ceil(room.width * 0.17)
    strip = strip_height(room, 0.75) or room.line
    low = top + room.side + room.gap
    height = ceil(low + strip)
    body = soft(
        *((cut, 0, outer), (width - cut, 0, outer), (width, top * 0.85, outer), (width, height, outer)),
        *((0, height, outer), (0, top * 0.85, outer)),
    )
    eyelet = circle(width / 2, (top - room.gap) / 2 + room.line * 0.2, room.side * 0.042)
    inner, down, middle = width - 2 * room.line, 0.0, (low + height) / 2 - 0.04 * strip
    if room.is_top:
        down = height - low - room.line
        middle = top - room.gap + down / 2
    light = rounded(room.line, top - room.gap + down, inner, inner, room.radius)
    first, second = lines(room, width / 2, middle, width - 2 * room.beside)
    parts: tuple[Part, ...] = ((body + eyelet.hole(), "ink"), (light, "paper"))
    return Cut(width, height, room.margin, top + down, parts, first, second)


def bag(room: Room) -> Cut:
    """A shopping bag with a handle."""
    gap = CORNER * room.radius
    margin = ceil(max(room.side * 0.055, room.line * 2) + gap)
    around, width, thick = margin - gap, room.side + 2 * margin, room.line * 1.6
    handle, top = width * 0.2, ceil(width * 0.14)
    left, right = width / 2 - handle, width / 2 + handle
    round_ = min(top * 0.95, handle * 0.9)
    loop = soft(
        *((left, top + 1), (left, 0, round_), (right, 0, round_), (right, top + 1), (right - thick, top + 1)),
        *((right - thick, thick, round_ - thick), (left + thick, thick, round_ - thick), (left + thick, top + 1)),
    )
    low = top + margin + room.side + gap
    strip = strip_height(room, 0.7)
    height = ceil(low + strip)
    body = rounded(0, top, width, height - top, (around / 2, around / 2, around, around))
    inner, down, middle = width - 2 * around, 0.0, (low + height) / 2 - 0.04 * strip
    if room.is_top:
        down = height - low - around
        middle = top + (around + down) / 2
    light = rounded(around, top + around + down, inner, inner, room.radius * 0.6)
    first, second = lines(room, width / 2, middle, width - 2 * room.beside)
    parts: tuple[Part, ...] = ((loop, "ink"), (body, "ink"), (light, "paper"))
    return Cut(width, height, margin, top + margin + down, parts, first, second)


def phone(room: Room) -> Cut:
    """A phone that shows the symbol, with the words below or above it on the screen."""
    bezel = room.line * 1.3
    # A larger one would cut off corners of the quiet zone.
    radius = min(max(room.radius * 1.5, room.line * 2), room.side * 0.15)
    margin = ceil(bezel + room.side * 0.03)
    width = room.side + 2 * margin
    top = ceil(bezel + room.side * 0.13)
    strip = strip_height(room, 0.35)
    height = top + room.side + strip + ceil(bezel + room.side * 0.13)
    body = rounded(0, 0, width, height, radius + bezel)
    screen = rounded(bezel, bezel, width - 2 * bezel, height - 2 * bezel, radius)
    island = room.side * 0.045
    speaker = rounded(width / 2 - 2.4 * island, bezel + island * 0.8, 4.8 * island, island, island / 2)
    thin = room.line * 0.45
    home = rounded(width * 0.34, height - bezel - island * 0.8 - thin, width * 0.32, thin, thin / 2)
    middle = top + strip / 2 + (0 if room.is_top else room.side)
    first, second = lines(room, width / 2, middle, room.side * 0.9, on_ink=False)
    parts: tuple[Part, ...] = ((body, "ink"), (screen, "paper"), (speaker, "ink"), (home, "ink"))
    return Cut(width, height, margin, top + strip * room.is_top, parts, first, second)


def stamp(room: Room) -> Cut:
    """A postage stamp: a perforated edge, and a rule around the symbol and its words."""
    thin, wall = room.line / 2, room.line * 2.5
    margin = ceil(wall + thin + CORNER * room.radius / 2)
    strip = strip_height(room, 0.45)
    width, height = room.side + 2 * margin, room.side + 2 * margin + strip
    rule, light = (
        rounded(edge, edge, width - 2 * edge, height - 2 * edge, room.radius / 2 + wall + thin - edge)
        for edge in (wall, wall + thin)
    )
    edges = [_perforated(width, height, room.line * 2.9, inset) for inset in (0, thin)]
    first, second = lines(room, width / 2, margin + room.side + strip / 2 - thin, room.side * 0.94, on_ink=False)
    parts: tuple[Part, ...] = ((edges[0], "ink"), (edges[1], "paper"), (rule, "ink"), (light, "paper"))
    return Cut(width, height, margin, margin, parts, first, second)


def _perforated(width: float, height: float, pitch: float, inset: float) -> Outline:
    """Draw a rectangle with semicircles cut out of its sides, as far inside its outline as `inset` says."""
    corners: list[tuple[float, ...]] = []
    right, low = width - inset, height - inset
    sides = ((inset, inset, 1, 0, width), (right, inset, 0, 1, height), (right, low, -1, 0, width))
    for x, y, across, down, length in (*sides, (inset, low, 0, -1, height)):
        corners.append((x, y))
        count = max(9, round(length / pitch))
        cut = length / count * 0.3
        half = (cut * (cut + 2 * inset)) ** 0.5
        for index in range(1, count):
            middle = length / count * index - inset
            for along, inside, curve in ((-half, 0.0, 0.0), (-half, cut, cut), (half, cut, cut), (half, 0.0, 0.0)):
                place = middle + along
                corners.append((x + across * place - down * inside, y + down * place + across * inside, curve))
    return soft(*corners)


def seal(room: Room) -> Cut:
    """A ring with words on it: the caption above and the subtitle below, or a long caption all around."""
    inner = room.side / ROOT + room.line * 0.3
    capital = room.capital * 1.15
    band = capital * 2
    margin = ceil(inner + band - room.side / 2)
    middle = margin + room.side / 2
    width = 2 * middle
    disc, light = circle(middle, middle, middle), circle(middle, middle, inner)
    ring = Arc(middle, middle, (middle + inner) / 2, capital)
    return Cut(width, width, margin, margin, ((disc, "ink"), (light, "paper")), ring)
