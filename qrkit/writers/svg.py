"""SVG: one `<rect>` a line and module, which line-based readers in the field expect (ruling G5), or one `<path>`."""

from __future__ import annotations

import dataclasses
from xml.sax.saxutils import quoteattr

from qrkit.color import Color
from qrkit.scene import Rectangle, Scene, Squares

__all__ = ["readable", "write", "write_union"]

LONGEST_LABEL = 300
"""Characters of the content that the label for screen readers repeats."""


def write(scene: Scene) -> bytes:
    """Write an SVG in unitless pixels; any alpha is kept."""
    width, height = scene.width, scene.height
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        # Without crispEdges, renderers leave hairlines between neighbouring squares.
        f'shape-rendering="crispEdges" role="img" aria-label={quoteattr(readable(scene.title))}>',
        _rectangle(scene.background),
        *(_union(scene.squares) if scene.squares.union else _separate(scene.squares)),
        "</svg>\n",
    ]
    return "\n".join(lines).encode()


def write_union(scene: Scene) -> bytes:
    """Write the same picture with one path in place of a rect a module: a tenth of the size."""
    return write(dataclasses.replace(scene, squares=dataclasses.replace(scene.squares, union=True)))


def readable(title: str) -> str:
    """What a screen reader says: the content, cut, without the characters that XML forbids."""
    text = title if len(title) <= LONGEST_LABEL else title[: LONGEST_LABEL - 1] + "…"
    return "QR Code: " + "".join(character if _allowed(character) else "\ufffd" for character in text)


def _allowed(character: str) -> bool:
    """Whether XML 1.0 (section 2.2) can hold the character."""
    return character in "\t\n\r" or (character >= " " and character not in "\ufffe\uffff")


def _style(paint: Color) -> str:
    opacity = "" if paint.alpha == 255 else f"fill-opacity:{paint.opacity:.4g};"
    return f"fill:rgb({paint.red},{paint.green},{paint.blue});{opacity}"


def _rectangle(one: Rectangle) -> str:
    return f'<rect x="{one.x}" y="{one.y}" width="{one.width}" height="{one.height}" style="{_style(one.paint)}"/>'


def _separate(squares: Squares) -> list[str]:
    size = squares.size
    end = f'width="{size}" height="{size}" style="{_style(squares.paint)}"/>'
    lefts = [f'<rect x="{squares.x + size * column}" y="' for column in range(len(squares.cells[0]))]
    lines = []
    for row, cells in enumerate(squares.cells):
        rest = f'{squares.y + size * row}" {end}'
        lines += [left + rest for left, cell in zip(lefts, cells, strict=True) if cell]
    return lines


def _union(squares: Squares) -> list[str]:
    size = squares.size
    bars = [
        f"M{squares.x + size * column} {squares.y + size * row}h{size * count}v{size}h-{size * count}z"
        for column, row, count in squares.runs()
    ]
    return [f'<path style="{_style(squares.paint)}" d="{"".join(bars)}"/>']
