"""Parts of a scene as pixels, for vector formats that cannot say them otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import ceil, floor, sqrt
from typing import NamedTuple

from qrkit.color import Color
from qrkit.outline import Outline
from qrkit.scene import Bitmap, Drawing, Group, Item, Matrix, Picture, Rectangle, Scene, Shape, Squares, Stamps
from qrkit.writers.canvas import painted

__all__ = [
    "Box",
    "Pixels",
    "Placed",
    "Reduced",
    "box_of",
    "fineness",
    "part_of",
    "picture_of",
    "pixels_of",
    "reduced",
]

OPAQUE = (255, 255)
FINEST, COARSEST = 4, 2
"""How many pixels stand for a pixel of the scene."""
DOTS_PER_INCH = 300
"""More of them hardly anybody sees on paper."""
MOST_PIXELS = 16_000_000
"""Of one picture."""
MOST_COLORS = 64
WITH_ALPHA = 2
"""Pillow's number of the one method that reduces colours together with their alpha."""

Box = tuple[float, float, float, float]
"""Left, top, width, height."""

Placed = tuple[Matrix, Item]
"""An item, and where it goes."""


class Pixels(NamedTuple):
    """A picture, decoded.

    Attributes:
        width: Pixels.
        height: Pixels.
        rgb: Red, green, blue of each.
        alpha: Of each; None where all are opaque.
    """

    width: int
    height: int
    rgb: bytes
    alpha: bytes | None


class Reduced(NamedTuple):
    """A picture of few colours.

    Attributes:
        width: Pixels.
        colors: Of the picture.
        rows: For each row the number of each pixel's colour.
    """

    width: int
    colors: list[Color]
    rows: list[bytes]


def box_of(placed: Placed) -> Box:
    """What an item covers at most.

    Raises:
        TypeError: The item is a group.
    """
    matrix, item = placed
    match item:
        case Rectangle(x, y, width, height) | Picture(_, x, y, width, height):
            return matrix.box(x, y, width, height)
        case Squares(x, y, size, cells):
            return matrix.box(x, y, size * len(cells[0]), size * len(cells))
        case Shape(outline):
            left, top, right, bottom = outline.box()
        case Stamps(picture, width, height, places):
            left, top, right, bottom = picture.box() if isinstance(picture, Outline) else (0.0, 0.0, width, height)
            left, right = left + min(x for x, _ in places), right + max(x for x, _ in places)
            top, bottom = top + min(y for _, y in places), bottom + max(y for _, y in places)
        case Group():
            raise TypeError("groups are resolved before their items are looked at")
    return matrix.box(left, top, right - left, bottom - top)


def fineness(scene: Scene) -> float:
    """How many times finer than the scene its pictures are: it has a screen's pixels where nobody said how large."""
    return min(FINEST, max(COARSEST, DOTS_PER_INCH / scene.dots_per_inch)) if scene.dots_per_inch else FINEST


def part_of(
    scene: Scene, placed: Iterable[Placed], box: Box, scale: float, most: int = MOST_PIXELS
) -> tuple[Scene, Box] | None:
    """What lies in a box of a scene, as a scene of its own.

    Args:
        scene: Says how far the box can reach.
        placed: What is painted, of that scene or other.
        box: Grown to whole pixels of the scene.
        scale: How much larger it is to be.
        most: Pixels that it may have, at a smaller scale if need be.

    Returns:
        The part, and the box that it covers of the scene; None where the box lies outside.
    """
    left, top = max(0, floor(box[0])), max(0, floor(box[1]))
    width = ceil(min(scene.width, box[0] + box[2])) - left
    height = ceil(min(scene.height, box[1] + box[3])) - top
    if width <= 0 or height <= 0:
        return None
    scale = min(scale, sqrt(most / (width * height)))
    across, down = max(1, floor(width * scale)), max(1, floor(height * scale))
    to_part = Matrix(across / width, down / height, -left * across / width, -top * down / height)
    inside: Box = (left, top, width, height)
    items = tuple(Group((item,), matrix) for matrix, item in (_clipped(one, inside) for one in placed))
    part = replace(scene, width=across, height=down, items=(Group(items, to_part),), paper=())
    return part, inside


def picture_of(scene: Scene, content: Bitmap | Drawing, width: float, height: float) -> Scene:
    """A picture as a scene of its own: a bitmap in its own pixels, a drawing in enough for a box of this size."""
    if isinstance(content, Bitmap):
        across, down = content.width, content.height
    else:
        scale = min(fineness(scene), sqrt(MOST_PIXELS / (width * height)))
        across, down = ceil(width * scale), ceil(height * scale)
    return replace(scene, width=across, height=down, items=(Picture(content, 0, 0, across, down),), paper=())


def pixels_of(part: Scene) -> Pixels:
    """A scene as decoded pixels."""
    picture = painted(part)
    alpha, colors = picture.getchannel("A"), picture.convert("RGB")
    if alpha.getextrema() == OPAQUE:
        return Pixels(*picture.size, colors.tobytes(), None)
    # Programs that scale colours and alpha apart from each other let the colour of what is not seen shine through at
    # edges, so it has the mean one instead of black.
    mean = picture.resize((1, 1), 4).getpixel((0, 0))
    if isinstance(mean, tuple):
        colors.paste(mean[:3], mask=alpha.point(lambda value: 0 if value else 255))
    return Pixels(*picture.size, colors.tobytes(), alpha.tobytes())


def reduced(part: Scene) -> Reduced:
    """A scene as pixels of few colours."""
    picture = painted(part)
    extrema = picture.getchannel("A").getextrema()
    if extrema == OPAQUE:
        few = picture.convert("RGB").quantize(MOST_COLORS)
    else:
        few = picture.quantize(MOST_COLORS, WITH_ALPHA)
    parts = few.getpalette("RGBA") or []
    colors = [Color(*parts[start : start + 4]) for start in range(0, len(parts), 4)]
    numbers, width = few.tobytes(), few.width
    return Reduced(width, colors, [numbers[start : start + width] for start in range(0, len(numbers), width)])


def _clipped(placed: Placed, box: Box) -> Placed:
    """A rectangle of one colour without what lies outside of a box; other items as they are."""
    item = placed[1]
    if not (isinstance(item, Rectangle) and isinstance(item.paint, Color)):
        return placed
    left, top, width, height = box_of(placed)
    right, bottom = min(left + width, box[0] + box[2]), min(top + height, box[1] + box[3])
    left, top = max(left, box[0]), max(top, box[1])
    return Matrix(), Rectangle(left, top, max(0.0, right - left), max(0.0, bottom - top), item.paint)
