"""Numbers, colors, texts and squares as SVG spells them: what is needed for every drawing."""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil

from qrkit.design.color import Color
from qrkit.drawing.plain_picture import runs

__all__ = ["fill", "number", "numbers", "quoted", "side", "union_data"]


def number(value: float) -> str:
    """A number in as few characters as a thousandth of a pixel needs."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@lru_cache(maxsize=64)
def numbers(start: float, step: float, count: int) -> tuple[str, ...]:
    """So many numbers, each a step after the one before."""
    return tuple([number(start + step * index) for index in range(count)])


def side(size: float) -> str:
    """The side of a square that leaves no gap to its neighbors, whose places are rounded to a thousandth, too."""
    return number(size) if size == int(size) else number(ceil(size * 1000 + 1) / 1000)


def fill(color: Color) -> str:
    """A color as the `style` of an element."""
    opacity = "" if color.alpha == 255 else f"fill-opacity:{color.opacity:.4g};"
    return f"fill:rgb({color.red},{color.green},{color.blue});{opacity}"


_SIMPLE = re.compile("[ !#-%'-;=?-~]*").fullmatch
_WRITTEN = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def quoted(text: str) -> str:
    """A text as the value of an attribute, with its quotation marks."""
    if _SIMPLE(text):
        return f'"{text}"'
    safe = text.translate(_WRITTEN)
    if '"' not in safe:
        return f'"{safe}"'
    return '"' + safe.replace('"', "&quot;") + '"' if "'" in safe else f"'{safe}'"


def union_data(left: float, top: float, size: float, cells: tuple[bytes, ...]) -> str:
    """Squares as the `d` of a path: a bar for each run of them."""
    across, down, bars = _bars(left, top, size, max(len(cells), len(cells[0])))
    return "".join([across[column] + down[row] + bars[count] for column, row, count in runs(cells)])


@lru_cache(maxsize=64)
def _bars(left: float, top: float, size: float, count: int) -> tuple[tuple[str, ...], ...]:
    """Where bars begin, across and down, and what follows for each length."""
    across = [f"M{x} " for x in numbers(left, size, count)]
    down = side(size)
    bars = [f"h{length}v{down}h-{length}z" for length in numbers(0, size, count + 1)]
    return tuple(across), numbers(top, size, count), tuple(bars)
