"""Turns simple SVG images into shapes, so that PDF and EPS show logos as vectors: `with_shapes`.

Simple are images of paths, rectangles, circles, ellipses and polygons in opaque colors, within their box. Outlines have
a stroke only around rectangles and circles, as the plates of logos do. All other images are drawn as pixels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import radians
from typing import TYPE_CHECKING

from qrkit.design.color import Color, expanded_hex
from qrkit.design.outline import Outline, circle, polygon, rounded
from qrkit.drawing.scene import Drawing, Item, Matrix, Picture, Scene, Shape
from qrkit.drawing.untrusted.svg_values import floats, transforms

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from fontTools.misc.transform import Transform


INHERITED = ("fill", "stroke", "stroke-width", "fill-rule", "fill-opacity", "stroke-opacity")
KNOWN = frozenset(
    {*INHERITED, "transform", "opacity", "d", "points", "x", "y", "width", "height", "rx", "ry", "cx", "cy", "r"}
)
"""Attributes that are understood. An image with others is not simple."""
INITIAL = {"fill": "black", "stroke": "none", "stroke-width": "1"}
BEYOND = 0.001
"""How far a shape may reach out of its image, in sides of the image; the rest would have to be cut off."""
_RGB = re.compile(r"rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


class _NotSimple(Exception):
    """An image has something that is not turned into shapes."""


def with_shapes(scene: Scene) -> Iterator[tuple[Matrix, Item]]:
    """Yield the items of a scene as `Scene.flat` does, but simple SVG images as shapes."""
    for matrix, item in scene.flat():
        match item:
            case Picture(Drawing() as drawing, x, y, width, height, 1) if shapes := _shapes_of(drawing):
                left, top, across, down = drawing.box
                to_box = Matrix(width / across, height / down, x - left * width / across, y - top * height / down)
                yield from ((to_box.then(matrix), shape) for shape in shapes)
            case _:
                yield matrix, item


@lru_cache(maxsize=8)
def _shapes_of(drawing: Drawing) -> tuple[Shape, ...]:
    """Return the shapes of an image, in its own units; nothing if it is not simple."""
    from xml.etree import ElementTree

    from fontTools.misc.transform import Identity

    try:
        # The markup is what qrkit wrote itself, after it had reduced the file of a stranger.
        root = ElementTree.fromstring(f'<svg xmlns:xlink="http://www.w3.org/1999/xlink">{drawing.markup}</svg>')
        shapes = tuple(_read(root, INITIAL, Identity))
    except (_NotSimple, ValueError, IndexError, ElementTree.ParseError):
        return ()
    x, y, width, height = drawing.box
    boxes = [shape.outline.box() for shape in shapes]
    is_inside = all(
        left >= x - BEYOND * width
        and top >= y - BEYOND * height
        and right <= x + (1 + BEYOND) * width
        and bottom <= y + (1 + BEYOND) * height
        for left, top, right, bottom in boxes
    )
    return shapes if is_inside else ()


def _read(element: Element, inherited: Mapping[str, str], matrix: Transform) -> Iterator[Shape]:
    """Yield the shapes of an element and of those in it."""
    if not KNOWN.issuperset(element.keys()):
        raise _NotSimple
    own = dict(inherited) | {name: value for name, value in element.items() if name in INHERITED}
    if any(float(one) != 1 for one in (element.get("opacity", "1"), *(own.get(name, "1") for name in INHERITED[4:]))):
        raise _NotSimple
    for name, numbers in transforms(element.get("transform", "")):
        matrix = _transformed(matrix, name, numbers)
    if element.tag in ("svg", "g"):
        for child in element:
            yield from _read(child, own, matrix)
        return
    outline, stroked = _outlines(element, float(own["stroke-width"]) if own["stroke"] != "none" else 0.0)
    # By the even-odd rule, an outline that crosses itself has holes. Only these elements never do.
    if own.get("fill-rule", "nonzero") != "nonzero" and element.tag not in ("rect", "circle", "ellipse"):
        raise _NotSimple
    for paint, shape in ((own["fill"], outline), (own["stroke"], stroked)):
        if paint != "none" and shape.letters:
            yield Shape(shape.transformed(matrix), _color(paint))


def _outlines(element: Element, stroke: float) -> tuple[Outline, Outline]:
    """Return the shape of an element, and its stroke of this width."""
    if stroke:
        return _stroked(element, stroke)
    number = {
        name: float(element.get(name, "0")) for name in ("x", "y", "width", "height", "cx", "cy", "r", "rx", "ry")
    }
    match element.tag:
        case "path":
            outline = Outline.parse(element.get("d", ""))
        case "polygon":
            points = floats(element.get("points", ""))
            outline = polygon(*zip(points[::2], points[1::2], strict=True))
        case "ellipse" if {"rx", "ry"}.issubset(element.keys()):  # a missing one is that of the other axis
            outline = circle(0, 0, 1).placed(number["cx"], number["cy"], number["rx"], number["ry"])
        case "circle":
            outline = circle(number["cx"], number["cy"], number["r"])
        case "rect":
            outline = rounded(number["x"], number["y"], number["width"], number["height"], _radius(element))
        case _:
            raise _NotSimple
    return outline, Outline()


def _stroked(element: Element, stroke: float) -> tuple[Outline, Outline]:
    """Return a rectangle or a circle, and its stroke as a ring."""
    if element.tag not in ("circle", "rect"):
        raise _NotSimple
    if element.tag == "circle":
        radius = float(element.get("r", "0"))
        x, y = (float(element.get(name, "0")) - radius for name in ("cx", "cy"))
        width = height = 2 * radius
    else:
        radius = _radius(element)
        x, y, width, height = (float(element.get(name, "0")) for name in ("x", "y", "width", "height"))
    if stroke >= min(width, height):
        raise _NotSimple
    half = stroke / 2
    edge = rounded(x - half, y - half, width + stroke, height + stroke, radius + half if radius else 0.0)
    hole = rounded(x + half, y + half, width - stroke, height - stroke, max(0.0, radius - half))
    return rounded(x, y, width, height, radius), edge + hole.hole()


def _radius(rectangle: Element) -> float:
    """Return the radius of the corners of a rectangle."""
    across = float(rectangle.get("rx", rectangle.get("ry", "0")))
    if float(rectangle.get("ry", across)) != across:
        raise _NotSimple
    return min(across, float(rectangle.get("width", "0")) / 2, float(rectangle.get("height", "0")) / 2)


def _transformed(matrix: Transform, name: str, numbers: list[float]) -> Transform:
    """Return a transform after one that SVG names."""
    match name, numbers:
        case "matrix", [_, _, _, _, _, _]:
            return matrix.transform(numbers)
        case "translate", [x, *rest]:
            return matrix.translate(x, rest[0] if rest else 0)
        case "scale", [x, *rest]:
            return matrix.scale(x, rest[0] if rest else x)
        case "rotate", [angle, *center]:
            x, y = center or (0.0, 0.0)
            return matrix.translate(x, y).rotate(radians(angle)).translate(-x, -y)
        case "skewX", [angle]:
            return matrix.skew(radians(angle))
        case "skewY", [angle]:
            return matrix.skew(0, radians(angle))
    raise _NotSimple


def _color(text: str) -> Color:
    """Return an opaque color."""
    if found := _RGB.fullmatch(text):
        return Color(*(min(255, int(part)) for part in found.groups()))
    text = expanded_hex(text) or text
    if not (_HEX.fullmatch(text) or text.isalpha()):
        raise _NotSimple
    color = Color.parse(text)
    if color.alpha < 255:
        raise _NotSimple
    return color
