"""SVG: one `<rect>` a line and module, which line-based readers in the field expect (ruling G5), or one `<path>`."""

from __future__ import annotations

from dataclasses import replace
from xml.sax.saxutils import quoteattr

from qrkit.limits import MILLIMETRES_PER_INCH
from qrkit.markup import NAMESPACES, Definitions, elements, number, squares
from qrkit.outline import Outline
from qrkit.scene import Group, Item, Scene, Squares, Stamps

__all__ = ["readable", "write", "write_union"]

LONGEST_LABEL = 300
"""Characters of the content that the label for screen readers repeats."""


def write(scene: Scene) -> bytes:
    """Write an SVG in unitless pixels, or in millimetres where the scene says how large a pixel is."""
    definitions = Definitions()
    if scene.plain:
        # One element a line, each with its own style and nothing around them: readers in the field expect it (G5).
        # Without crispEdges, renderers leave hairlines between neighbouring squares.
        spaces, rendering = 'xmlns="http://www.w3.org/2000/svg"', 'shape-rendering="crispEdges" '
        lines = [*elements(scene.items[0], definitions), *squares(scene.plain.squares, definitions)]
    else:
        spaces, rendering = NAMESPACES, ""
        lines = [line for item in scene.items for line in elements(item, definitions)]
    width, height = number(scene.width), number(scene.height)
    head = (
        f'<svg {spaces} {_size(scene)} viewBox="0 0 {width} {height}" {rendering}'
        f'role="img" aria-label={quoteattr(readable(scene.title))}>'
    )
    return "\n".join([head, f"{definitions}" + lines[0], *lines[1:], "</svg>\n"]).encode()


def write_union(scene: Scene) -> bytes:
    """Write the same picture with one path in place of a rect a module: a tenth of the size."""
    return write(replace(scene, items=tuple(_united(item) for item in scene.items)))


def _united(item: Item) -> Item:
    match item:
        case Group(items, matrix):
            return Group(tuple(_united(one) for one in items), matrix)
        case Squares() | Stamps(picture=Outline()):
            return replace(item, union=True)
    return item


def _size(scene: Scene) -> str:
    """Width and height as attributes: pixels without a unit (ruling G5), or the size on paper."""
    unit, factor = "", 1.0
    if scene.dots_per_inch:
        unit, factor = "mm", MILLIMETRES_PER_INCH / scene.dots_per_inch
    return f'width="{number(scene.width * factor)}{unit}" height="{number(scene.height * factor)}{unit}"'


def readable(title: str) -> str:
    """What a screen reader says: the content, cut, without the characters that XML forbids."""
    text = title if len(title) <= LONGEST_LABEL else title[: LONGEST_LABEL - 1] + "…"
    return "QR Code: " + "".join(character if _allowed(character) else "\ufffd" for character in text)


def _allowed(character: str) -> bool:
    """Whether XML 1.0 (section 2.2) can hold the character."""
    return character in "\t\n\r" or (character >= " " and character not in "\ufffe\uffff")
