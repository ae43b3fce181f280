"""Renders parts of a scene as pixels, for vector formats that cannot express them otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import ceil, floor, sqrt
from typing import NamedTuple, TypeAlias, TypeGuard

from qrkit.design.color import Color
from qrkit.design.outline import Outline
from qrkit.drawing.scene import Bitmap, Drawing, Group, Item, Matrix, Picture, Rectangle, Scene, Shape, Squares, Stamps

OPAQUE = (255, 255)
FINEST, COARSEST = 4, 2
"""Largest and smallest number of pixels, per side, for one pixel of the scene."""
DOTS_PER_INCH = 300
"""Print resolution beyond which hardly anyone sees a difference."""
ENOUGH_PIXELS = 4_000_000
"""Pixels beyond which an image is not made finer."""
MOST_PIXELS = 16_000_000
"""Pixels of one image."""
MOST_COLORS = 64
WITH_ALPHA = 2
"""Pillow's number of the method that quantizes colors together with their alpha."""
MEAN = 4
"""Pillow's number of the box filter, which gives all pixels the same weight."""

Box = tuple[float, float, float, float]
"""Left, top, width, height."""

Placed = tuple[Matrix, Item]
"""An item with its transform."""

Painted: TypeAlias = Rectangle | Squares | Shape | Stamps
"""Items with a paint; stamps of images ignore theirs."""


class Pixels(NamedTuple):
    """A decoded image: red, green, blue of each pixel, and the alpha of each; None if all are opaque."""

    width: int
    height: int
    rgb: bytes
    alpha: bytes | None


class Reduced(NamedTuple):
    """An image of few colors: the index of each pixel's color by row; `pixel` is its side in pixels of the scene."""

    pixel: int
    colors: list[Color]
    rows: list[bytes]


def is_painted(item: Item) -> TypeGuard[Painted]:
    """Return True if an item is filled by its paint."""
    return isinstance(item, Rectangle | Squares | Shape) or (
        isinstance(item, Stamps) and isinstance(item.picture, Outline)
    )


def box_of(placed: Placed) -> Box:
    """Return the bounding box of an item."""
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


def fineness(scene: Scene, width: float, height: float) -> float:
    """Return how many times finer than the scene an image in a box of this size should be.

    Without a print resolution, the pixels of the scene are taken for those of a screen.
    """
    area = width * height
    wanted = DOTS_PER_INCH / scene.dots_per_inch if scene.dots_per_inch else FINEST
    return min(max(COARSEST, min(FINEST, wanted, sqrt(ENOUGH_PIXELS / area))), sqrt(MOST_PIXELS / area))


def part_of(scene: Scene, placed: Iterable[Placed], box: Box, scale: float | None = None) -> tuple[Scene, Box] | None:
    """Cut a box out of a scene, as a scene of its own that is enlarged by a factor, `fineness` by default.

    Returns the part and the box that it covers, in whole pixels within the scene; None if the box lies outside.
    """
    left, top = max(0, floor(box[0])), max(0, floor(box[1]))
    width = ceil(min(scene.width, box[0] + box[2])) - left
    height = ceil(min(scene.height, box[1] + box[3])) - top
    if width <= 0 or height <= 0:
        return None
    scale = min(scale or fineness(scene, width, height), sqrt(MOST_PIXELS / (width * height)))
    across, down = max(1, floor(width * scale)), max(1, floor(height * scale))
    to_part = Matrix(across / width, down / height, -left * across / width, -top * down / height)
    inside: Box = (left, top, width, height)
    items = tuple(_move_to_part(one, inside, to_part) for one in placed)
    return replace(scene, width=across, height=down, items=items, paper=()), inside


def own_pixels(scene: Scene, bitmap: Bitmap) -> Pixels:
    """Decode a bitmap."""
    return _picture_pixels(scene, bitmap, bitmap.width, bitmap.height)


def drawn_pixels(scene: Scene, content: Bitmap | Drawing, width: float, height: float) -> Pixels:
    """Render an image with as many pixels as a box of this size needs."""
    scale = fineness(scene, width, height)
    return _picture_pixels(scene, content, ceil(width * scale), ceil(height * scale))


def _picture_pixels(scene: Scene, content: Bitmap | Drawing, width: int, height: int) -> Pixels:
    picture = Picture(content, 0, 0, width, height)
    return pixels_of(replace(scene, width=width, height=height, items=(picture,), paper=()))


def pixels_of(part: Scene) -> Pixels:
    """Render a scene as decoded pixels."""
    from qrkit.drawing.writers.canvas import painted  # loads Pillow, which most drawings do without

    picture = painted(part)
    alpha, colors = picture.getchannel("A"), picture.convert("RGB")
    if alpha.getextrema() == OPAQUE:
        return Pixels(*picture.size, colors.tobytes(), None)
    # Programs that scale colors and alpha separately show the color of transparent pixels at edges, so these get the
    # mean color instead of black.
    mean = picture.resize((1, 1), MEAN).getpixel((0, 0))
    if isinstance(mean, tuple):
        colors.paste(mean[:3], mask=alpha.point(lambda value: 0 if value else 255))
    return Pixels(*picture.size, colors.tobytes(), alpha.tobytes())


def reduced(part: Scene, most: int) -> Reduced:
    """Render a scene with few colors and at most `most` pixels, which are enlarged if necessary."""
    from qrkit.drawing.writers.canvas import painted

    pixel = ceil(sqrt(part.width * part.height / most))
    picture = painted(part).reduce(pixel)
    extrema = picture.getchannel("A").getextrema()
    if extrema == OPAQUE:
        few = picture.convert("RGB").quantize(MOST_COLORS)
    else:
        few = picture.quantize(MOST_COLORS, WITH_ALPHA)
    parts = few.getpalette("RGBA") or []
    colors = [Color(*parts[start : start + 4]) for start in range(0, len(parts), 4)]
    numbers, width = few.tobytes(), few.width
    return Reduced(pixel, colors, [numbers[start : start + width] for start in range(0, len(numbers), width)])


def _move_to_part(placed: Placed, box: Box, to_part: Matrix) -> Group:
    """Transform an item for a part of the scene."""
    matrix, item = placed
    if isinstance(item, Rectangle) and isinstance(item.paint, Color):
        # The rectangle may be as large as the scene, so it is cut to the small part.
        left, top, width, height = box_of(placed)
        right, bottom = min(left + width, box[0] + box[2]), min(top + height, box[1] + box[3])
        left, top = max(left, box[0]), max(top, box[1])
        matrix, item = Matrix(), Rectangle(left, top, max(0.0, right - left), max(0.0, bottom - top), item.paint)
    matrix = matrix.then(to_part)
    if isinstance(item, Stamps) and not isinstance(item.picture, Outline):
        # On whole pixels, all stamps are equal and are drawn only once.
        places = tuple(
            (_snap(x, matrix.scale_x, matrix.move_x), _snap(y, matrix.scale_y, matrix.move_y)) for x, y in item.places
        )
        item = item._replace(places=places)
    return Group((item,), matrix)


def _snap(place: float, scale: float, move: float) -> float:
    """Return the nearest position that falls on a whole pixel."""
    return (round(place * scale + move) - move) / scale
