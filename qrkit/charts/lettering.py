"""Names on charts: cut to a width, and fit for a font that does not have every letter of the world."""

from __future__ import annotations

from functools import cache
from unicodedata import category, combining, east_asian_width

from matplotlib.font_manager import findfont, get_font

__all__ = ["FONT", "LETTER", "cut", "drawable", "length"]

FONT = "DejaVu Sans"
"""Comes with matplotlib; a page that inlines a chart shows the text in its own font."""

LETTER = 7.0
"""Width of a letter in pixels, about: the font of a page is not known here."""

JOINER = "\u200d"


def cut(text: str, most: float = 22) -> str:
    """Text in one line of at most `most` letters (wide ones count twice), the rest as an ellipsis; "none" for none.

    Characters that control lines or the direction of what follows are left out.
    """
    line = "".join(
        one for one in " ".join(text.split()) if category(one) not in ("Cc", "Cf", "Cs", "Co") or one == JOINER
    )
    if _letters(line) <= most:
        return line or "none"
    while _letters(line) > most - 1 or line[-1] in (" ", JOINER) or combining(line[-1]):
        line = line[:-1]
    return line + "…"


def length(text: str) -> float:
    """Width in pixels, about."""
    return _letters(text) * LETTER


def drawable(text: str) -> str:
    """The text with a box for each character that the font does not have: matplotlib warns of them."""
    return "".join(one if ord(one) in _characters() else "▯" for one in text)


def _letters(text: str) -> int:
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


@cache
def _characters() -> frozenset[int]:
    return frozenset(get_font(findfont(FONT)).get_charmap())
