"""Fits names on charts: shortens them, and replaces characters that the font does not have."""

from __future__ import annotations

from functools import cache
from unicodedata import category, east_asian_width

from matplotlib.font_manager import findfont, get_font

__all__ = ["FONT", "LETTER", "cut", "drawable", "length", "others"]

FONT = "DejaVu Sans"
"""Font that comes with matplotlib; a page that inlines a chart shows the text in its own font."""

LETTER = 7.0
"""Approximate width of a letter in pixels; the font of the page is not known here."""

JOINER = "\u200d"
CONTROLS = ("Cc", "Cf", "Cs", "Co")


def cut(text: str, most: float = 22) -> str:
    """Shorten text to one line of at most `most` letters (wide ones count twice), with an ellipsis; "none" if empty.

    Control characters, including those that change the direction of text, are removed.
    """
    line = "".join(char for char in " ".join(text.split()) if char == JOINER or category(char) not in CONTROLS)
    letters = end = 0
    for index, char in enumerate(line):
        is_start = not _is_mark(char) and JOINER not in line[max(index - 1, 0) : index + 1]
        if is_start and letters < most:
            end = index
        letters += _letters(char)
        if letters > most:
            return line[:end].rstrip() + "…"
    return line or "none"


def length(text: str) -> float:
    """Return the approximate width of text in pixels."""
    return _letters(text) * LETTER


def others(count: int) -> str:
    """Format a number of others: 1 other, 12 others."""
    return f"{count:,} {'other' if count == 1 else 'others'}"


def drawable(text: str) -> str:
    """Replace each character that the font does not have with a box, because matplotlib warns about them."""
    return "".join(char if ord(char) in _characters() else "▯" for char in text)


def _letters(text: str) -> int:
    return sum(0 if _is_mark(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _is_mark(char: str) -> bool:
    """Whether a character modifies the one before it: an accent, an emoji variation, a joiner."""
    return char == JOINER or category(char) in ("Mn", "Me")


@cache
def _characters() -> frozenset[int]:
    return frozenset(get_font(findfont(FONT)).get_charmap())
