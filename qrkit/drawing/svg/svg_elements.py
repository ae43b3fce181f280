"""Writes parts of a scene as SVG elements, for the SVG writer and the rasterizer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress

from qrkit.design.color import Color
from qrkit.design.outline import NUMBERS, Outline, Scattered
from qrkit.drawing.scene import (
    Bitmap,
    Drawing,
    Gradient,
    Group,
    Item,
    Linear,
    Matrix,
    Paint,
    Picture,
    Rectangle,
    Shape,
    Squares,
    Stamps,
)
from qrkit.drawing.svg.svg_text import fill, number, numbers, side, union_data

NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


_SEGMENTS = {"M": "M%s %s", "L": "L%s %s", "C": "C%s %s %s %s %s %s", "Z": "Z"}
_ACROSS, _DOWN = re.compile(r"l(\S+) 0(?![.\d])"), re.compile(r"l0 (-?[.\d]+)")
"""Horizontal and vertical lines."""

DECIMALS, DECIMALS_OF_MODULES = 3, 5
"""Decimals of numbers in pixels and in modules, which are several pixels wide."""


def path_data(outline: Outline) -> str:
    """Write an outline as the `d` of a path, with numbers as `number` writes them, but without zeros before points.

    A scattered outline is measured in modules. Each part of it begins at its own place, and all its other points are
    relative to the point before, so their text is the same in every place.
    """
    if not isinstance(outline, Scattered):
        return _written(_form(outline.letters), outline.numbers, DECIMALS)
    numbers = list[float]()
    for part, right, down in outline.parts:
        numbers += (part.numbers[0] + right, part.numbers[1] + down)
    return _written("".join([_from_first_point(part) for part, _, _ in outline.parts]), numbers, DECIMALS_OF_MODULES)


@lru_cache(maxsize=4096)  # symbols share most parts
def _from_first_point(part: Outline) -> str:
    """Return the text of a part, with %s in place of the numbers of its first point."""
    # Differences of rounded numbers add up to a rounded number.
    rounded = [round(one, DECIMALS_OF_MODULES) for one in part.numbers]
    numbers, here, start, end = list[float](), 0, 0, 0
    for letter in part.letters:
        begin, end = end, end + NUMBERS[letter]
        numbers += [rounded[at] - rounded[here + at % 2] for at in range(begin, end)]
        start = begin if letter == "M" else start
        here = start if letter == "Z" else end - 2
    rest = _written(_form(part.letters[1:]).lower(), numbers[2:], DECIMALS_OF_MODULES)
    rest = rest.replace("l0 0", "")  # between round corners, sides may have no length
    return _form(part.letters[0]) + _DOWN.sub(r"v\1", _ACROSS.sub(r"h\1", rest)).replace(" -", "-")


def _form(letters: str) -> str:
    """Return the text of segments, with %s in place of each number."""
    return "".join(map(_SEGMENTS.__getitem__, letters))


def _written(form: str, numbers: Sequence[float], decimals: int) -> str:
    """Write numbers in place of the %s of a text, without needless zeros; each different one is formatted once."""
    different = dict.fromkeys(numbers)
    text = " " + f"%.{decimals}f " * len(different) % tuple(different)
    for _ in range(decimals):
        text = text.replace("0 ", " ")
    text = text.replace(". ", " ").replace("-0 ", "0 ").replace(" 0.", " .").replace("-0.", "-.")
    written = dict(zip(different, text.split(), strict=True))
    return form % tuple(map(written.__getitem__, numbers))


def transform(matrix: Matrix) -> str:
    """Write a matrix as the `transform` of an element; factors need more digits than positions."""
    scale_x, scale_y = f"{matrix.scale_x:.9g}", f"{matrix.scale_y:.9g}"
    return f"matrix({scale_x} 0 0 {scale_y} {number(matrix.move_x)} {number(matrix.move_y)})"


class Definitions:
    """The elements that others refer to: gradients, and images that are drawn more than once.

    An id comes from the content of its element, so that images on one page never share an id for different elements.
    """

    def __init__(self) -> None:
        self._elements: dict[str, str] = {}

    def __str__(self) -> str:
        return "\n".join(["<defs>", *self._elements.values(), "</defs>\n"]) if self._elements else ""

    def style(self, paint: Paint) -> str:
        """Return the `style` that fills an element."""
        if not isinstance(paint, Color):
            return f"fill:url(#{self.gradient(paint)});"
        return fill(paint)

    def gradient(self, paint: Gradient) -> str:
        """Add a gradient and return its id."""
        stops = "".join(
            f'<stop offset="{offset:.6g}" stop-color="{color.rgb}"'
            + (f' stop-opacity="{color.opacity:.4g}"' if color.alpha < 255 else "")
            + "/>"
            for offset, color in paint.stops
        )
        if isinstance(paint, Linear):
            name = "linearGradient"
            (x1, y1), (x2, y2) = paint.start, paint.stop
            where = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        else:
            name = "radialGradient"
            (cx, cy), (fx, fy), radius = paint.centre, paint.focus, paint.radius
            where = f'cx="{number(cx)}" cy="{number(cy)}" r="{number(radius)}" fx="{number(fx)}" fy="{number(fy)}"'
        return self.add(f"{name}", f'gradientUnits="userSpaceOnUse" {where}', stops)

    def picture(self, content: Bitmap | Drawing, width: float, height: float) -> str:
        """Add an image of this size, to be drawn with `<use>`, and return its id."""
        if isinstance(content, Drawing):
            x, y, across, down = content.box
            box = f'viewBox="{number(x)} {number(y)} {number(across)} {number(down)}" preserveAspectRatio="none"'
            return self.add("symbol", box, content.markup)
        size = f'width="{number(width)}" height="{number(height)}"'
        return self.add("image", f'{size} preserveAspectRatio="none" xlink:href="{_data_uri(content)}"')

    def outline(self, outline: Outline) -> str:
        """Add an outline, to be drawn with `<use>`, and return its id."""
        return self.add("path", f'd="{path_data(outline)}"')

    def add(self, element: str, attributes: str, inside: str = "") -> str:
        """Add an element if it is new, and return its id."""
        import hashlib  # most drawings do without it

        text = f"{attributes}>{inside}</{element}>"
        id = f"{element[0]}{hashlib.blake2b(text.encode(), digest_size=5).hexdigest()}"
        self._elements[id] = f'<{element} id="{id}" {text}'
        return id


def elements(item: Item, definitions: Definitions) -> list[str]:
    """Write an item as SVG elements, one per line."""
    match item:
        case Rectangle():
            return [_rectangle(item, definitions)]
        case Squares():
            # Without crispEdges, renderers leave hairlines between neighboring squares.
            return ['<g shape-rendering="crispEdges">', *squares(item, definitions), "</g>"]
        case Shape(outline, paint):
            return [f'<path style="{definitions.style(paint)}" d="{path_data(outline)}"/>']
        case Stamps():
            return _stamps(item, definitions)
        case Picture(content, x, y, width, height, opacity):
            return [picture(content, (x, y, width, height), definitions, opacity)]
        case Group(items, matrix):
            inside = [line for one in items for line in elements(one, definitions)]
            return [f'<g transform="{transform(matrix)}">', *inside, "</g>"]


def _rectangle(one: Rectangle, definitions: Definitions) -> str:
    x, y, width, height = map(number, (one.x, one.y, one.width, one.height))
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" style="{definitions.style(one.paint)}"/>'


def squares(one: Squares, definitions: Definitions) -> list[str]:
    """Write one rect per square, or one path for all."""
    style, size = definitions.style(one.paint), side(one.size)
    if one.union:
        return [f'<path style="{style}" d="{union_data(one.x, one.y, one.size, one.cells)}"/>']
    end = f'width="{size}" height="{size}" style="{style}"/>'
    lefts = [f'<rect x="{x}" y="' for x in numbers(one.x, one.size, len(one.cells[0]))]
    lines = []
    for y, cells in zip(numbers(one.y, one.size, len(one.cells)), one.cells, strict=True):
        rest = f'{y}" {end}'
        lines += [left + rest for left in compress(lefts, cells)]
    return lines


def _stamps(one: Stamps, definitions: Definitions) -> list[str]:
    content, style = one.picture, ""
    if isinstance(content, Outline):
        # `<use>` has its own coordinate system, so a gradient would start again in each copy.
        if one.union or not isinstance(one.paint, Color):
            return [f'<path style="{definitions.style(one.paint)}" d="{path_data(one.outline())}"/>']
        id, size = definitions.outline(content), ""
        style = f' style="{definitions.style(one.paint)}"'
    else:
        id = definitions.picture(content, one.width, one.height)
        size = f'width="{number(one.width)}" height="{number(one.height)}" ' if isinstance(content, Drawing) else ""
    uses = [f'<use x="{number(x)}" y="{number(y)}" {size}xlink:href="#{id}"/>' for x, y in one.places]
    return [f"<g{style}>", *uses, "</g>"]


def picture(
    content: Bitmap | Drawing, box: tuple[float, float, float, float], definitions: Definitions, opacity: float = 1.0
) -> str:
    """Write an image that fills a box: left, top, width, height."""
    left, top, width, height = box
    where = f'x="{number(left)}" y="{number(top)}"'
    size = f'width="{number(width)}" height="{number(height)}"'
    faint = "" if opacity == 1 else f' opacity="{opacity:.4g}"'
    if isinstance(content, Bitmap):
        return f'<image {where} {size}{faint} preserveAspectRatio="none" xlink:href="{_data_uri(content)}"/>'
    id = definitions.picture(content, width, height)
    return f'<use {where} {size}{faint} xlink:href="#{id}"/>'


def document(width: int, height: int, body: str, definitions: Definitions) -> bytes:
    """Write a complete drawing with a size in whole pixels, for the rasterizer."""
    return f'<svg {NAMESPACES} width="{width}" height="{height}">{definitions}{body}</svg>'.encode()


def _data_uri(bitmap: Bitmap) -> str:
    from base64 import b64encode

    return "data:image/png;base64," + b64encode(bitmap.png).decode("ascii")
