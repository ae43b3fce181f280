"""Turns texts into outlines, so that no picture needs a font: letters, kerning and tracking."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from qrkit.design.frames import Caption
from qrkit.design.outline import Outline, rectangle
from qrkit.errors import first_of

if TYPE_CHECKING:
    from qrkit.drawing.letters.fonts.worker import Font


FONT_NAME = "Manrope"
"""Name of the font that comes with qrkit."""

FILES = {
    "regular": "Manrope-Regular.ttf",
    "medium": "Manrope-Medium.ttf",
    "semibold": "Manrope-SemiBold.ttf",
    "bold": "Manrope-Bold.ttf",
    "extrabold": "Manrope-ExtraBold.ttf",
}
"""Weights of the font that comes with qrkit."""
CAPITALS_TRACKING = 0.09
"""Space that is added between capital letters, in capital heights: capitals are cut to stand before small letters."""
BOX_STROKE, BOX_WIDTH = 0.08, 0.7
"""Line and width of the box that stands for a missing letter, in capital heights."""
BOX_ADVANCE = BOX_WIDTH + 4 * BOX_STROKE
MOST_NAMED = 8
"""Missing letters that a sentence names."""


class Letters(NamedTuple):
    """Letters of a font: the advance and outline of each, and the change of the advance between two characters.

    Lengths are in units of the font, of which an em has `units`; y points downwards, with 0 at the baseline.
    """

    units: float
    capital: float
    outlines: dict[str, tuple[float, Outline]]
    kerning: dict[str, float]


class Glyph(NamedTuple):
    """A letter at a place on a line, in capital heights; its advance includes the space to both sides.

    In the outline, y points downwards, and 0, 0 is the left end of the baseline.
    """

    outline: Outline
    x: float
    advance: float


class Words(NamedTuple):
    """A text as outlines on a baseline. All lengths are in heights of capital letters, so a capital has height 1.

    Spaces have no outline and are left out. `left` and `right` are the edges of the ink. Characters that the font
    lacks, `missing`, are drawn as boxes.
    """

    glyphs: tuple[Glyph, ...]
    left: float
    right: float
    missing: tuple[str, ...] = ()

    @property
    def length(self) -> float:
        """Length of the ink."""
        return self.right - self.left

    def on_line(self, x: float, y: float, capital: float) -> Outline:
        """Return the text on a horizontal line; its ink begins at x, and y is the baseline."""
        start = x - self.left * capital
        return Outline.joined(one.outline.placed(start + one.x * capital, y, capital) for one in self.glyphs)

    def on_circle(self, x: float, y: float, radius: float, angle: float, capital: float) -> Outline:
        """Return the text on a circle around x, y, read clockwise from inside.

        The radius is that of the baseline; negative for text that stands on the inner side and is read anticlockwise.
        The angle is that of the text's middle in radians, clockwise from the top.
        """
        middle = (self.left + self.right) / 2
        parts = []
        for one in self.glyphs:
            center = one.x + one.advance / 2
            turn = angle + (center - middle) * capital / radius
            straight = one.outline.placed(-one.advance / 2 * capital, 0, capital)
            parts.append(turned(straight, turn, x + radius * math.sin(turn), y - radius * math.cos(turn)))
        return Outline.joined(parts)


def words_of(caption: Caption, text: str, *, part: str) -> Words:
    """Turn the text of a caption, or of its subtitle, into outlines; errors name the field `part` of the caption."""
    text = normalize("NFC", text)
    if caption.font is None:
        return _own_words(caption.weight, text)
    return _foreign_words(caption.font, text, f"{part}.font")


def missing_letters(characters: Iterable[str]) -> str:
    """Return a sentence about characters that a font lacks."""
    named = [f"{one!r} (U+{ord(one):04X})" for one in characters]
    if len(named) == 1:
        return f"the font has no letter {named[0]}, which is drawn as a box"
    return f"the font has no letters {first_of(named, MOST_NAMED)}, which are drawn as boxes"


@lru_cache(maxsize=64)
def _own_words(weight: str, text: str) -> Words:
    """Turn a text into outlines in the font that comes with qrkit; batches and servers repeat few texts."""
    return _typeset(text, own_letters(weight, text))


@lru_cache(maxsize=8)
def _foreign_words(font: str, text: str, part: str) -> Words:
    """Turn a text into outlines in a font of a user; one picture asks for them several times."""
    from qrkit.drawing.letters.fonts import letters_of_font

    return _typeset(text, _letters(letters_of_font(font, text, part=part)))


@lru_cache(maxsize=8)
def own_letters(weight: str, text: str) -> Letters:
    """Read the letters of a text from a font that comes with qrkit; its weight is one of `FILES`."""
    return _letters(_own_font(weight).letters(text))


@cache
def _own_font(weight: str) -> Font:
    from font_manrope import font_directory

    from qrkit.drawing.letters.fonts.worker import Font

    return Font(Path(font_directory, FILES[weight]).read_bytes())


def _letters(font: dict[str, Any]) -> Letters:
    """Convert what was read from a font, in which y points upwards."""
    outlines = {
        character: (width, Outline.of_strokes(strokes).placed(0, 0, 1, -1))
        for character, (width, strokes) in font["letters"].items()
    }
    return Letters(font["units"], font["capital"], outlines, font["kerning"])


def steps(text: str, font: Letters) -> Iterator[tuple[str, float, float]]:
    """Set characters beside one another: yield each with its place on the line and its advance, in capital heights."""
    scale = 1 / font.capital
    tracking = CAPITALS_TRACKING if text.isupper() else 0.0
    x, before = 0.0, ""
    for character in text:
        x += font.kerning.get(before + character, 0) * scale
        if character in font.outlines:
            advance = font.outlines[character][0] * scale
        else:
            advance = 0.4 if character.isspace() else BOX_ADVANCE
        yield character, x, advance
        x += advance + tracking
        before = character


def outline_of(character: str, font: Letters) -> Outline:
    """Return the shape of a character in capital heights; a box for one that the font lacks."""
    if character in font.outlines:
        return font.outlines[character][1].placed(0, 0, 1 / font.capital)
    return Outline() if character.isspace() else box()


def _typeset(text: str, font: Letters) -> Words:
    """Set letters beside one another."""
    drawn = (Glyph(outline_of(one, font), x, advance) for one, x, advance in steps(text, font))
    glyphs = [one for one in drawn if one.outline.letters]
    missing = dict.fromkeys(one for one in text if one not in font.outlines and not one.isspace())
    if not glyphs:
        return Words((), 0, 0, tuple(missing))
    first, last = glyphs[0], glyphs[-1]
    return Words(tuple(glyphs), first.x + first.outline.box()[0], last.x + last.outline.box()[2], tuple(missing))


def box() -> Outline:
    """Return the box that stands for a missing letter, in capital heights."""
    inner = rectangle(3 * BOX_STROKE, BOX_STROKE - 1, BOX_WIDTH - 2 * BOX_STROKE, 1 - 2 * BOX_STROKE)
    return rectangle(2 * BOX_STROKE, -1, BOX_WIDTH, 1) + inner.hole()


def turned(outline: Outline, turn: float, x: float, y: float) -> Outline:
    """Return an outline turned clockwise about 0, 0, in radians, then moved to the right and down."""
    cos, sin = math.cos(turn), math.sin(turn)
    return outline.transformed((cos, sin, -sin, cos, x, y))
