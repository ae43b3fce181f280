"""Places a QR Code and lines of text on a label, in millimeters from the top left corner of the label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from qrkit.design.outline import Outline
from qrkit.design.print_width import SMALLEST_CAPITAL_MM
from qrkit.drawing.letters.lettering import Letters, outline_of, own_letters, steps
from qrkit.paper.stocks import Stock

MARGIN, LEAST_MARGIN, MOST_MARGIN = 0.05, 1.0, 5.0
"""Light edge of a label as a share of its shorter side, and in millimeters."""
CAPITAL = 0.055
"""Usual height of the first line's capitals, as a share of a label's mean side."""
FURTHER = 0.78
"""Height of the further lines, as a share of that of the first."""
PITCH, PARAGRAPH = 1.7, 0.5
"""Distance of baselines in heights of capitals, and more before a further text, in the usual height of its capitals."""
DESCENT = 0.3
"""How far letters reach below their baseline, in heights of capitals."""
WIDE = 1.3
"""Width of a box, in heights, from which the text stands beside the code instead of below it."""
BESIDE, BELOW = 0.58, 0.4
"""The most of a box that a code takes beside text, and that text takes above and below a code."""
POSTER_MARGIN, POSTER_FURTHER = 0.08, 0.45
"""Of a poster: its light edge as a share of its shorter side, and the height of further lines as a share of that of the
title."""
SMALLER = 0.93
"""Step from one size of text to the next."""
LONG = 500
"""Length from which a text is tried in the smallest size first: measuring it in every size would take a second."""
ROUNDING = 1e-9
"""Rounding error allowed in a size or a length of text."""
BREAKS = (re.compile(r"(?<=[/?&=@])(?![/?&=@])"), re.compile(r"(?<=[-/._?&=@])"))
"""Where a word may end a line if it is too long for one: rather between the parts of a URL than inside of them."""


class Box(NamedTuple):
    """A rectangle: left, top, width and height."""

    x: float
    y: float
    width: float
    height: float


class Line(NamedTuple):
    """A line of text: its weight, its left end, its baseline, and the height of its capitals."""

    text: str
    weight: str
    x: float
    y: float
    capital: float


class TextSize(NamedTuple):
    """How large text may be; the labels of a sheet share one size, so that they look alike.

    `first` and `further` are the heights of the capitals of the first line and of the others. The gap is between the
    text and the code.
    """

    first: float
    further: float
    gap: float
    height: float = 0.0

    @classmethod
    def usual(cls, stock: Stock) -> TextSize:
        """Return the size of text that has enough room."""
        capital = CAPITAL * sqrt(stock.width * stock.height / stock.panels)
        further = capital * (POSTER_FURTHER if stock.is_poster else FURTHER)
        return cls(capital, max(further, SMALLEST_CAPITAL_MM), capital)


class Placed(NamedTuple):
    """The box of a code, and lines of text of one size."""

    code: Box
    lines: tuple[Line, ...]
    size: TextSize


class Lettering:
    """The letters of all texts of a sheet by weight, read once, and the characters that the font lacks."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        joined = "\n".join(dict.fromkeys(text for one in texts for text in one))
        self.fonts: dict[str, Letters] = {weight: own_letters(weight, joined) for weight in ("bold", "medium")}
        self.missing = sorted({one for one in joined if not one.isspace()} - self.fonts["bold"].outlines.keys())

    def width(self, text: str, weight: str) -> float:
        """Return the length of a text in heights of capitals."""
        *_, (_, x, advance) = steps(text, self.fonts[weight])
        return x + advance

    def outline(self, line: Line, scale: float) -> Outline:
        """Return the letters of a line, in units of which a millimeter has `scale`."""
        font, capital = self.fonts[line.weight], line.capital
        return Outline.joined(
            outline_of(character, font).placed((line.x + x * capital) * scale, line.y * scale, capital * scale)
            for character, x, _ in steps(line.text, font)
            if not character.isspace()
        )

    def fitted(self, texts: Sequence[str], width: float, height: float, most: TextSize) -> Block | None:
        """Return texts in the largest size up to `most` at which they fit; None if they never do."""
        if not texts:
            return Block((), most)
        if sum(map(len, texts)) > LONG:
            smallest = self._block(texts, width, most._replace(first=SMALLEST_CAPITAL_MM))
            if smallest is None or smallest.size.height > height:
                return None
        size = most.first
        while size >= SMALLEST_CAPITAL_MM - ROUNDING:
            block = self._block(texts, width, most._replace(first=size))
            if block and block.size.height <= height:
                return block
            size *= SMALLER
        return None

    def _block(self, texts: Sequence[str], width: float, most: TextSize) -> Block | None:
        lines: list[Line] = []
        bottom = y = 0.0
        paragraph = PARAGRAPH * max(most.first * FURTHER, SMALLEST_CAPITAL_MM)
        first = self._unbroken(texts[:1], "bold", width, most.first)
        further = max(min(most.further, first * FURTHER), SMALLEST_CAPITAL_MM)
        further = self._unbroken(texts[1:], "medium", width, further)
        for number, text in enumerate(texts):
            weight, capital = ("medium", further) if number else ("bold", first)
            wrapped = self._wrapped(text, weight, width / capital)
            if wrapped is None:
                return None
            for place, line in enumerate(wrapped):
                y += capital * (PITCH if lines else 1) + (paragraph if lines and not place else 0)
                lines.append(Line(line, weight, self.width(line, weight) * capital, y, capital))
                bottom = y + DESCENT * capital
        return Block(tuple(lines), TextSize(first, further, most.gap, bottom))

    def _unbroken(self, texts: Sequence[str], weight: str, width: float, size: float) -> float:
        """Return the largest size up to `size` that breaks no word which fits on a line at the smallest size."""
        sizes = (width / self.width(word, weight) for text in texts for word in text.split())
        return min([size, *(one for one in sizes if one >= SMALLEST_CAPITAL_MM)])

    def _wrapped(self, text: str, weight: str, most: float) -> list[str] | None:
        """Return a text as lines of at most `most` heights of capitals; None if a piece of a word is too long."""
        lines = [""]
        for word in text.split():
            gap = " " if lines[-1] else ""
            if self.width(lines[-1] + gap + word, weight) <= most + ROUNDING:
                lines[-1] += gap + word
                continue
            lines += [""] if lines[-1] else []
            for piece in self._pieces(word, weight, most):
                if self.width(piece, weight) > most + ROUNDING:
                    return None
                if self.width(lines[-1] + piece, weight) > most + ROUNDING:
                    lines.append("")
                lines[-1] += piece
        return [line for line in lines if line]

    def _pieces(self, word: str, weight: str, most: float) -> list[str]:
        """Return the pieces of a word between which lines may end; as large as fit a line, if any do."""
        split = [[*filter(None, one.split(word))] for one in BREAKS]
        return next((one for one in split if all(self.width(piece, weight) <= most for piece in one)), split[-1])


class Block(NamedTuple):
    """Lines of text and their size. Baselines are measured from the top; `x` is a line's length until it is placed."""

    lines: tuple[Line, ...]
    size: TextSize


def room_of(stock: Stock) -> Box:
    """Return the part of a panel that may be printed, without its edge and its hole."""
    width, height = stock.width, stock.height / stock.panels
    margin = min(max(MARGIN * min(width, height), LEAST_MARGIN), MOST_MARGIN)
    if stock.is_poster:
        margin = POSTER_MARGIN * min(width, height)
    if stock.shape == "disc":
        # The largest square below the hole of a disc whose lower corners lie on the edge.
        start, radius = stock.hole + margin, width / 2 - margin
        side = (sqrt(start**2 + 1.25 * (radius**2 - start**2)) - start) / 1.25
        return Box((width - side) / 2, height / 2 + start, side, side)
    if stock.shape != "rectangle":
        across, down = (width - 2 * margin) / sqrt(2), (height - 2 * margin) / sqrt(2)
        return Box((width - across) / 2, (height - down) / 2, across, down)
    margin = max(margin, stock.radius * (1 - 1 / sqrt(2)))
    top = max(margin, stock.punch + stock.hole + 2 if stock.hole else 0)
    return Box(margin, top, width - 2 * margin, height - top - margin)


def place(box: Box, shape: float, texts: Sequence[str], most: TextSize, lettering: Lettering) -> Placed | None:
    """Place a code and texts, of which the first is set larger, in a box; None if the texts do not fit.

    The shape is the height of the code in widths. `most` is the largest size of the texts, and the room that is kept
    for those of other labels below a code.
    """
    if not (texts or most.height):
        return Placed(_inside(box, shape), (), most)
    is_wide = box.width > WIDE * box.height
    code = _inside(Box(box.x, box.y, min(box.height / min(shape, 1), box.width * BESIDE), box.height), shape)
    left = box.x + code.width + most.gap
    width, height = (box.x + box.width - left, box.height) if is_wide else (box.width, box.height * BELOW)
    block = lettering.fitted(texts, width, height, most)
    if block is None:
        return None
    if is_wide:
        descent = DESCENT * block.lines[-1].capital if block.lines else 0
        top = box.y + (box.height - block.size.height + descent) / 2
        lines = (line._replace(x=left, y=top + line.y) for line in block.lines)
        return Placed(code._replace(x=box.x), tuple(lines), block.size)
    below = max(most.height, block.size.height)
    code = _inside(box._replace(height=box.height - below - most.gap), shape)
    code = code._replace(y=box.y + (box.height - code.height - most.gap - below) / 2)
    return Placed(code, _centered(block.lines, box, code.y + code.height + most.gap), block.size)


def place_on_poster(
    box: Box, shape: float, texts: Sequence[str], most: TextSize, lettering: Lettering
) -> Placed | None:
    """Place a title above a code and further texts below it; the arguments are those of `place`."""
    block = lettering.fitted(texts, box.width, box.height * BELOW, most)
    if block is None:
        return None
    title = [line for line in block.lines if line.weight == "bold"]
    others = block.lines[len(title) :]
    above = title[-1].y + DESCENT * title[-1].capital if title else 0
    begin = others[0].y - others[0].capital if others else 0
    below = block.size.height - begin if others else 0
    code = _inside(box._replace(height=box.height - max(most.height, above + below) - 2 * most.gap), shape)
    space = (box.height - above - code.height - below) / (2 + bool(title) + bool(others))
    top = box.y + space
    code = code._replace(y=top + (above + space if title else 0))
    below_code = _centered(others, box, code.y + code.height + space - begin)
    return Placed(code, _centered(title, box, top) + below_code, block.size)


def _centered(lines: Iterable[Line], box: Box, top: float) -> tuple[Line, ...]:
    """Return lines of a block in the middle of a box, from a top edge."""
    return tuple(line._replace(x=box.x + (box.width - line.x) / 2, y=top + line.y) for line in lines)


def _inside(box: Box, shape: float) -> Box:
    """Return the largest box of a shape in the middle of another box."""
    width = min(box.width, box.height / shape)
    return Box(box.x + (box.width - width) / 2, box.y + (box.height - width * shape) / 2, width, width * shape)
