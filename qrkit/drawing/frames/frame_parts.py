"""Provides what all frames are made of: the room around a symbol, places for words, and shapes with soft corners.

All lengths are in modules. The y axis points down, and 0, 0 is the top left corner of the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, ceil, hypot, pi, tan
from typing import Literal, NamedTuple

from qrkit.design.decoration import Modules
from qrkit.design.outline import Outline, Segment, rounded

CORNER = 0.3
"""Distance from the side of a square to the round corner that just contains it, in radii: 1 - 1/√2, rounded up."""
SECOND = 0.58
"""Capital height of a subtitle, in those of its caption."""
LEADING = 0.85
"""Space between caption and subtitle, in capital heights of the caption."""
PITCH = 1.6
"""Distance of the baselines of a text on several lines, in its capital heights."""

Part = tuple[Outline, Literal["ink", "paper"]]
"""A shape in one of the two colors of a frame."""


class Room(NamedTuple):
    """What a frame is drawn around.

    Attributes:
        side: Side of the square that stays light: the symbol with its quiet zone.
        line: Width of lines.
        radius: Corner radius of the light area.
        capital: Height of the caption's capital letters.
        words: Length of the caption's longest line in capital heights; 0 if there is none.
        second: Length of the subtitle's longest line in its own capital heights; 0 if there is none.
        more: Height that further lines of the caption add; `second_more` is the same for the subtitle.
        is_top: Whether the words belong above the symbol.
    """

    side: float
    line: float
    radius: float
    capital: float
    words: float
    second: float
    more: float
    second_more: float
    is_top: bool
    modules: Modules

    @property
    def margin(self) -> int:
        """Whole modules from the edge of a frame to the light square, for a line and round corners."""
        return ceil(self.line + CORNER * self.radius)

    @property
    def gap(self) -> float:
        """Modules between the line and the light square."""
        return self.margin - self.line

    @property
    def beside(self) -> float:
        """Space on either side of words on a strip in the color of the frame."""
        return max(self.margin, 0.95 * self.capital)

    @property
    def longest(self) -> float:
        """Length of the longer line of words, in capital heights of the caption."""
        return max(self.words, self.second * SECOND)

    @property
    def width(self) -> float:
        """Width of the light square with both margins."""
        return self.side + 2 * self.margin


class Slot(NamedTuple):
    """A straight place for words: x and y are the middle of the words and of their capital letters.

    `capital` is the height of these letters if the words are not too long for the width. With `on_ink`, the words stand
    on the color of the frame.
    """

    x: float
    y: float
    width: float
    capital: float
    on_ink: bool = True


class Arc(NamedTuple):
    """A ring for words: its center, the radius of its middle, and the height of capital letters, as in `Slot`."""

    x: float
    y: float
    radius: float
    capital: float


class Cut(NamedTuple):
    """The drawing of a frame: shapes in painting order, around a light square with its top left corner at x, y.

    A subtitle is below the caption, if both have the same middle. On a ring, both share it.
    """

    width: float
    height: float
    x: float
    y: float
    parts: tuple[Part, ...]
    caption: Slot | Arc | None = None
    subtitle: Slot | None = None

    def upside_down(self, side: float) -> Cut:
        """Return the frame with its upper side down; words and the light square of this side stay upright."""
        parts = tuple((shape.placed(0, self.height, 1, -1), color) for shape, color in self.parts)
        caption, subtitle = self.caption, self.subtitle
        if isinstance(caption, Slot):
            caption = caption._replace(y=self.height - caption.y)
        if subtitle:
            subtitle = subtitle._replace(y=self.height - subtitle.y)
        return self._replace(y=self.height - self.y - side, parts=parts, caption=caption, subtitle=subtitle)


def strip_height(room: Room, around: float = 0.8) -> int:
    """Return the whole modules of a strip for a caption, `around` capital heights above and below it; 0 without one."""
    if not room.words:
        return 0
    subtitle = (LEADING + SECOND) * room.capital + room.second_more if room.second else 0
    return ceil(room.capital * (1 + 2 * around) + room.more + subtitle)


def lines(room: Room, x: float, y: float, width: float, *, on_ink: bool = True) -> tuple[Slot | None, Slot | None]:
    """Return the places of caption and subtitle, which have one middle, x and y: the subtitle is below the caption."""
    if not room.words:
        return None, None
    first = Slot(x, y, width, room.capital, on_ink)
    return first, first._replace(capital=room.capital * SECOND) if room.second else None


def border(room: Room, *, more: float = 0) -> tuple[Part, ...]:
    """Return a line around the light square; `more` is added to its height below the square."""
    width, height, line = room.width, room.width + more, room.line
    inner = rounded(line, line, width - 2 * line, height - 2 * line, room.radius)
    return (rounded(0, 0, width, height, room.radius + line), "ink"), (inner, "paper")


def soft(*corners: Sequence[float]) -> Outline:
    """Create a polygon of corners: x, y and, if round, the radius. Neighbors need room for their curves."""
    found: list[Segment] = []
    count = len(corners)
    for index, (x, y, *radius) in enumerate(corners):
        before, after = corners[index - 1], corners[(index + 1) % count]
        letter = "L" if found else "M"
        if not radius or not radius[0]:
            found.append((letter, (x, y)))
            continue
        back, on = (atan2(other[1] - y, other[0] - x) for other in (before, after))
        turn = pi - abs((on - back + pi) % (2 * pi) - pi)
        reach = radius[0] * tan(turn / 2)
        handle = reach - radius[0] * 4 / 3 * tan(turn / 4)
        (in_x, in_y), (out_x, out_y) = (_unit(other[0] - x, other[1] - y) for other in (before, after))
        found.append((letter, (x + in_x * reach, y + in_y * reach)))
        curve = (x + in_x * handle, y + in_y * handle, x + out_x * handle, y + out_y * handle)
        found.append(("C", (*curve, x + out_x * reach, y + out_y * reach)))
    return Outline.of((*found, ("Z", ())))


def _unit(x: float, y: float) -> tuple[float, float]:
    length = hypot(x, y)
    return x / length, y / length
