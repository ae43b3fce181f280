"""Writes SVG with one `<rect>` per line and module, which some line-based readers expect, or with one `<path>`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING

from qrkit.design.bounds import MILLIMETRES_PER_INCH
from qrkit.design.color import BLACK, Color
from qrkit.drawing.plain_picture import Plain
from qrkit.drawing.svg.svg_text import fill, number, numbers, quoted, union_data

if TYPE_CHECKING:
    from qrkit.drawing.scene import Scene


LONGEST_LABEL = 300
"""Characters of the content in the label for screen readers."""

LARGEST_KEPT = 65
"""Modules per side of the largest symbols (version 12) whose rects are cached."""


def write(scene: Scene) -> bytes:
    """Write an SVG in unitless pixels, or in millimeters if the scene has a print resolution."""
    if plain := scene.plain:
        return write_plain(plain)
    from qrkit.drawing.svg.svg_elements import NAMESPACES, Definitions, elements

    definitions = Definitions()
    lines = [line for item in scene.items for line in elements(item, definitions)]
    head = f"<svg {NAMESPACES} {_size(scene.width, scene.height, scene.dots_per_inch)} {_label(scene.title)}>"
    return "\n".join([head, f"{definitions}" + lines[0], *lines[1:], "</svg>\n"]).encode()


def write_plain(plain: Plain) -> bytes:
    """Write a plain image as SVG: one element per line, each with its own style and outside any group."""
    if plain.union:
        return _write_one_path(plain)
    before, after = _frame(plain.width, plain.height, plain.background, plain.dots_per_inch)
    return b"".join([before, _label(plain.title).encode(), after, *_modules(plain), b"</svg>\n"])


def _modules(plain: Plain) -> Iterable[bytes]:
    """Return the modules of a plain image as lines."""
    left, top, module, cells, color = plain.left, plain.top, plain.module, plain.cells, plain.color
    if len(cells) <= LARGEST_KEPT:
        return compress(_rects(left, top, module, len(cells), color), b"".join(cells))
    lefts, rests = _halves(left, top, module, len(cells), color)
    return [rest.join([*compress(lefts, row), b""]) for rest, row in zip(rests, cells, strict=True)]


def _write_one_path(plain: Plain) -> bytes:
    """Write a plain image with one path, in modules: numbers of one or two digits are a fifth of the text."""
    module = plain.module
    sides = f"{number(plain.width / module)} {number(plain.height / module)}"
    size = _sides(plain.width, plain.height, plain.dots_per_inch)
    data = union_data(plain.left / module, plain.top / module, 1, plain.cells)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {sides}" {_label(plain.title)}>',
        f'<rect width="100%" height="100%"{_paint(plain.background)}/>',
        f'<path{_paint(plain.color)} d="{data}"/>',
        "</svg>\n",
    ]
    return "\n".join(lines).encode()


def _paint(color: Color) -> str:
    """Write a color as attributes; black is the default."""
    shown = "" if color == BLACK else f' fill="#{color.red:02x}{color.green:02x}{color.blue:02x}"'
    return shown + ("" if color.alpha == 255 else f' fill-opacity="{color.opacity:.4g}"')


def write_union(scene: Scene) -> bytes:
    """Write the SVG with one path instead of one rect per module, in a fifteenth of the size."""
    return write(scene.united())


@lru_cache(maxsize=64)
def _frame(width: float, height: float, background: Color, dots_per_inch: float | None) -> tuple[bytes, bytes]:
    """Return the text before and after the label of a plain image, up to its background."""
    # Without crispEdges, renderers leave hairlines between neighboring squares.
    size = _size(width, height, dots_per_inch)
    before = f'<svg xmlns="http://www.w3.org/2000/svg" {size} shape-rendering="crispEdges" '
    whole = f'width="{number(width)}" height="{number(height)}"'
    return before.encode(), f'>\n<rect x="0" y="0" {whole} style="{fill(background)}"/>\n'.encode()


@lru_cache(maxsize=16)
def _rects(left: float, top: float, module: float, side: int, color: Color) -> tuple[bytes, ...]:
    """Return the rect of every module, row by row, one per line."""
    lefts, rests = _halves(left, top, module, side, color)
    return tuple([half + rest for rest in rests for half in lefts])


@lru_cache(maxsize=64)
def _halves(left: float, top: float, module: float, side: int, color: Color) -> tuple[list[bytes], list[bytes]]:
    """Return how the rects of each column begin, and how the rects of each row end."""
    size = number(module)
    end = f'" width="{size}" height="{size}" style="{fill(color)}"/>\n'
    lefts = [f'<rect x="{x}" y="'.encode() for x in numbers(left, module, side)]
    return lefts, [f"{y}{end}".encode() for y in numbers(top, module, side)]


def _size(width: float, height: float, dots_per_inch: float | None) -> str:
    """Return the size attributes, and a viewBox in pixels."""
    return f'{_sides(width, height, dots_per_inch)} viewBox="0 0 {number(width)} {number(height)}"'


def _sides(width: float, height: float, dots_per_inch: float | None) -> str:
    """Return the size attributes: unitless pixels or the print size."""
    unit, factor = "", 1.0
    if dots_per_inch:
        unit, factor = "mm", MILLIMETRES_PER_INCH / dots_per_inch
    return f'width="{number(width * factor)}{unit}" height="{number(height * factor)}{unit}"'


def _label(title: str) -> str:
    return f'role="img" aria-label={quoted(readable(title))}'


_FORBIDDEN = re.compile("[^\t\n\r -\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 (section 2.2) cannot hold."""


def readable(title: str) -> str:
    """Return the label for screen readers: the shortened content without characters that XML forbids."""
    text = title if len(title) <= LONGEST_LABEL else title[: LONGEST_LABEL - 1] + "…"
    return "QR Code: " + (text if text.isprintable() else _FORBIDDEN.sub("\ufffd", text))
