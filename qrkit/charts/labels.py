"""Fits text on charts: names, and the heading that says what a chart shows, when, and in which time zone.

Text is measured and broken into lines, and characters that the font does not have are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple
from unicodedata import category, east_asian_width

from matplotlib.font_manager import FontProperties, findfont, get_font

from qrkit.languages import say

FONT = "DejaVu Sans"
"""Font that comes with matplotlib; a page that inlines a chart shows the text in its own font, which is narrower."""

BOX = "▯"
"""Stands for a character that the font does not have."""

SIZE = 12
JOINER = "\u200d"
_SPACES = re.compile(r"[^\S\xa0\u202f]+")
"""Matches white space but no-break spaces, which stand within numbers."""
CONTROLS = ("Cc", "Cf", "Cs", "Co")
TITLE, SUBTITLE = 15, 12
"""Sizes of the letters of a heading, in pixels."""
LEADING = 1.35
"""Distance between its lines, as a multiple of the font size."""
EDGE = 6
"""Pixels to the left and right of it, and below."""


def cut(text: str, most: float = 22) -> str:
    """Shorten text to one line of at most `most` letters (wide ones count twice), with an ellipsis; "none" if empty.

    Control characters, including those that change the direction of text, are removed.
    """
    line = _one_line(text)
    letters = end = 0
    for index, char in enumerate(line):
        if _is_start(line, index) and letters < most:
            end = index
        letters += _letters(char)
        if letters > most:
            return line[:end].rstrip() + "…"
    return line or say("none")


def fit(text: str, pixels: float, *, most: int = 1, size: float = SIZE, is_bold: bool = False) -> list[str]:
    """Break text into at most `most` lines that fit into a width, with an ellipsis if it is longer; "none" if empty.

    A word is broken only if it is wider than a line of its own.
    """
    left = _one_line(text) or say("none")
    rows: list[str] = []
    while length(left, size, is_bold=is_bold) > pixels and len(rows) < most - 1:
        end = _end_within(left, pixels, size, is_bold=is_bold)
        space = left.rfind(" ", 1, end + 1)
        word = left[space + 1 :].partition(" ")[0]
        if space > 0 and (space > end / 3 or length(word, size, is_bold=is_bold) <= pixels):
            end = space
        rows.append(left[:end].rstrip())
        left = left[end:].lstrip()
    if length(left, size, is_bold=is_bold) > pixels:
        room = pixels - length("…", size, is_bold=is_bold)
        left = left[: _end_within(left, room, size, is_bold=is_bold)].rstrip() + "…"
    return [*rows, left]


def length(text: str, size: float = SIZE, *, is_bold: bool = False) -> float:
    """Return the width of text in pixels, as the font measures it; characters that it lacks count as wide."""
    return sum(_advance(char, is_bold=is_bold) for char in text) * size / SIZE


def others(count: int) -> str:
    """Format a number of others: 1 other, 12 others."""
    return say(("{count} other", "{count} others"), count)


def quoted(name: str) -> str:
    """Write a name within a sentence, in quotation marks."""
    return say("“{name}”", name=cut(name, 70))


def drawable(text: str) -> str:
    """Replace each character that the font does not have with a box, because matplotlib warns about them."""
    return "".join(char if is_drawable(char) else BOX for char in text)


def is_drawable(char: str) -> bool:
    """Whether the font has a character."""
    return ord(char) in _characters()


class Heading(NamedTuple):
    """Lines of text above a chart."""

    title: tuple[str, ...] = ()
    subtitle: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """Return the height in pixels; 0 if there is no text."""
        rows = [TITLE] * len(self.title) + [SUBTITLE] * len(self.subtitle)
        return round(LEADING * sum(rows)) + EDGE if rows else 0

    def rows(self) -> Iterable[tuple[str, float, int, str]]:
        """Yield each line with its middle in pixels from the top, its size, and its color."""
        top = 2.0
        titles = [(text, TITLE, "ink") for text in self.title]
        for text, size, color in titles + [(text, SUBTITLE, "quiet") for text in self.subtitle]:
            yield text, top + LEADING * size / 2, size, color
            top += LEADING * size


def heading(title: str | None, finding: str, about: Iterable[str], width: int) -> Heading:
    """Return the heading of a chart: its title or, for None, the finding, and below it what is counted, when and where.

    The title "" stands for no heading at all, and "" in `about` for what is not known. The width is in pixels.
    """
    if title == "":
        return Heading()
    room = width - 2 * EDGE
    said = ", ".join(part for part in about if part)
    lines = fit(title or finding, room, most=3, size=TITLE, is_bold=True)
    return Heading(tuple(lines), tuple(fit(said[:1].upper() + said[1:], room, most=2, size=SUBTITLE)) if said else ())


def _one_line(text: str) -> str:
    return "".join(char for char in _SPACES.sub(" ", text).strip() if char == JOINER or category(char) not in CONTROLS)


def _is_start(line: str, index: int) -> bool:
    """Whether a new letter begins here, so that text can be cut before it."""
    return not _is_mark(line[index]) and JOINER not in line[max(index - 1, 0) : index + 1]


def _end_within(line: str, pixels: float, size: float, *, is_bold: bool) -> int:
    """Return how many characters of a line fit into a width, at least one letter."""
    wide, end = 0.0, 0
    for index, char in enumerate(line):
        if _is_start(line, index) and (wide <= pixels or not end):
            end = index
        wide += length(char, size, is_bold=is_bold)
        if wide > pixels and end:
            return end
    return len(line)


def _letters(text: str) -> int:
    return sum(0 if _is_mark(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _is_mark(char: str) -> bool:
    """Whether a character modifies the one before it: an accent, an emoji variation, a joiner."""
    return char == JOINER or category(char) in ("Mn", "Me")


@cache
def _advance(char: str, *, is_bold: bool) -> float:
    """Return the width of a character at the usual size."""
    if _is_mark(char):
        return 0.0
    if not is_drawable(char):
        return SIZE * (1.15 if east_asian_width(char) in "WF" else 0.75)
    font = get_font(findfont(FontProperties(family=FONT, weight="bold" if is_bold else "normal")))
    font.set_size(SIZE, 72)
    return float(font.load_char(ord(char)).linearHoriAdvance) / 65536


@cache
def _characters() -> frozenset[int]:
    return frozenset(get_font(findfont(FONT)).get_charmap())
