"""Writes numbers, colors, texts and squares as SVG, which every drawing needs."""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil

from qrkit.design.color import Color
from qrkit.drawing.plain_picture import runs

__all__ = ["fill", "number", "numbers", "quoted", "side", "union_data"]


def number(value: float) -> str:
    """Write a number to a thousandth, in as few characters as possible."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@lru_cache(maxsize=64)
def numbers(start: float, step: float, count: int) -> tuple[str, ...]:
    """Write `count` numbers, beginning at `start`, `step` apart."""
    return tuple([number(start + step * index) for index in range(count)])


def side(size: float) -> str:
    """Write the side of a square, rounded up so that it leaves no gap to its neighbors, whose positions are rounded."""
    return number(size) if size == int(size) else number(ceil(size * 1000 + 1) / 1000)


def fill(color: Color) -> str:
    """Write a color as the `style` of an element."""
    opacity = "" if color.alpha == 255 else f"fill-opacity:{color.opacity:.4g};"
    return f"fill:rgb({color.red},{color.green},{color.blue});{opacity}"


_SIMPLE = re.compile("[ !#-%'-;=?-~]*").fullmatch
_WRITTEN = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def quoted(text: str) -> str:
    """Write a text as the value of an attribute, with quotation marks."""
    if _SIMPLE(text):
        return f'"{text}"'
    safe = text.translate(_WRITTEN)
    if '"' not in safe:
        return f'"{safe}"'
    return '"' + safe.replace('"', "&quot;") + '"' if "'" in safe else f"'{safe}'"


def union_data(left: float, top: float, size: float, cells: tuple[bytes, ...]) -> str:
    """Write squares as the `d` of a path, with one bar per horizontal run."""
    across, down, bars = _bars(left, top, size, max(len(cells), len(cells[0])))
    return "".join([across[column] + down[row] + bars[count] for column, row, count in runs(cells)])


@lru_cache(maxsize=64)
def _bars(left: float, top: float, size: float, count: int) -> tuple[tuple[str, ...], ...]:
    """Return the path data for the positions of bars, across and down, and for each length."""
    across = [f"M{x} " for x in numbers(left, size, count)]
    down = side(size)
    bars = [f"h{length}v{down}h-{length}z" for length in numbers(0, size, count + 1)]
    return tuple(across), numbers(top, size, count), tuple(bars)
