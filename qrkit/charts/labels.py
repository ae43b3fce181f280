"""Names on charts: cut to a width, and fit for a font that does not have every letter of the world."""

from __future__ import annotations

from functools import cache
from unicodedata import category, east_asian_width

from matplotlib.font_manager import findfont, get_font

__all__ = ["FONT", "LETTER", "cut", "drawable", "length", "others"]

FONT = "DejaVu Sans"
"""Comes with matplotlib; a page that inlines a chart shows the text in its own font."""

LETTER = 7.0
"""Width of a letter in pixels, about: the font of a page is not known here."""

JOINER = "\u200d"
CONTROLS = ("Cc", "Cf", "Cs", "Co")


def cut(text: str, most: float = 22) -> str:
    """Text in one line of at most `most` letters (wide ones count twice), the rest as an ellipsis; "none" for none.

    Characters that control lines or the direction of what follows are left out.
    """
    line = "".join(one for one in " ".join(text.split()) if one == JOINER or category(one) not in CONTROLS)
    letters = end = 0
    for index, one in enumerate(line):
        is_start = not _is_mark(one) and JOINER not in line[max(index - 1, 0) : index + 1]
        if is_start and letters < most:
            end = index
        letters += _letters(one)
        if letters > most:
            return line[:end].rstrip() + "…"
    return line or "none"


def length(text: str) -> float:
    """Width in pixels, about."""
    return _letters(text) * LETTER


def others(count: int) -> str:
    """What is left of many: 1 other, 12 others."""
    return f"{count:,} {'other' if count == 1 else 'others'}"


def drawable(text: str) -> str:
    """The text with a box for each character that the font does not have: matplotlib warns of them."""
    return "".join(one if ord(one) in _characters() else "▯" for one in text)


def _letters(text: str) -> int:
    return sum(0 if _is_mark(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def _is_mark(one: str) -> bool:
    """Whether a character belongs to the one before it: an accent, the kind of an emoji, a joiner."""
    return one == JOINER or category(one) in ("Mn", "Me")


@cache
def _characters() -> frozenset[int]:
    return frozenset(get_font(findfont(FONT)).get_charmap())
