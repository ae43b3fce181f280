"""Writes numbers, colors, texts and squares as SVG, which every drawing needs."""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil

from qrkit.design.color import Color
from qrkit.design.shapes.contours import contours


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


def quoted(text: str) -> str:
    """Write a text as the value of an attribute, with quotation marks."""
    if _SIMPLE(text):
        return f'"{text}"'
    from xml.sax.saxutils import quoteattr  # most texts do without it

    return quoteattr(text)


def union_data(left: float, top: float, size: float, cells: tuple[bytes, ...]) -> str:
    """Write squares as the `d` of a path: the contours of connected squares, and of the holes in them."""
    across, down = numbers(left, size, len(cells[0]) + 1), numbers(top, size, len(cells) + 1)
    steps_across, steps_down = _steps("h", size, len(cells[0])), _steps("v", size, len(cells))
    parts = []
    for contour in contours(cells):
        x, y = first_x, _ = contour[0]
        parts.append(f"M{across[x]} {down[y]}")
        # Steps are shorter than places, but the rounding of fractions would add up.
        if size == int(size):
            for next_x, next_y in contour[1:]:
                parts += (steps_across[next_x - x], steps_down[next_y - y])
                x, y = next_x, next_y
            parts += (steps_across[first_x - x], "z")
        else:
            parts += [f"H{across[next_x]}V{down[next_y]}" for next_x, next_y in contour[1:]]
            parts.append(f"H{across[first_x]}z")
    return "".join(parts)


@lru_cache(maxsize=64)
def _steps(letter: str, size: float, count: int) -> list[str]:
    """Return the path data of steps by 0 to `count` squares; negative indexes give steps back."""
    return [f"{letter}{number(size * squares)}" for squares in (*range(count + 1), *range(-count, 0))]
