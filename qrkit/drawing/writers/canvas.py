"""Renders a scene as pixels. Repeated items are drawn once and stamped; the rasterizer draws the rest as SVG.

Stamping is exact because modules have whole pixels: every copy lies on the same fraction of a pixel.
"""

from __future__ import annotations

from itertools import groupby
from math import ceil, floor, isclose
from typing import TYPE_CHECKING

from qrkit.design.color import Color
from qrkit.design.outline import Outline, rectangle
from qrkit.drawing.bitmaps import placed
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
    Scene,
    Shape,
    Squares,
    Stamps,
)
from qrkit.drawing.svg_elements import Definitions, document, elements, path_data, picture, transform
from qrkit.drawing.untrusted.rasteriser import rasterise

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

__all__ = ["painted", "seen"]

WHOLE, WHOLE_SHARE = 1e-6, 1e-9
"""Rounding error allowed in a whole number of pixels: in pixels, or as a share of the number."""

Box = tuple[float, float, float, float]
"""Left, top, width, height in pixels."""


def painted(scene: Scene) -> Image:
    """Render a scene as RGBA, with its size rounded up to whole pixels.

    Raises:
        RenderingFailed: If the rasterizer fails on a part of the scene.
    """
    canvas = _Canvas(ceil(scene.width - WHOLE), ceil(scene.height - WHOLE))
    for (matrix, paint), neighbours in groupby(scene.flat(), lambda pair: (pair[0], _paint(pair[1]))):
        canvas.add(matrix, paint, [item for _, item in neighbours])
    return canvas.finished()


def seen(scene: Scene) -> Image:
    """Render a scene as RGB if nothing is transparent, else as RGBA.

    Raises:
        RenderingFailed: If the rasterizer fails on a part of the scene.
    """
    picture = painted(scene)
    return picture.convert("RGB") if picture.getchannel("A").getextrema() == (255, 255) else picture


class _Canvas:
    """An image on which items are painted, one over the other."""

    _shown: dict[tuple[object, ...], Image]

    def __init__(self, width: int, height: int) -> None:
        from PIL import Image

        self._size = (width, height)
        self._picture = Image.new("RGBA", self._size)
        self._opaque = False
        self._waiting: list[str] = []
        self._definitions = Definitions()
        self._shown = {}

    def add(self, matrix: Matrix, paint: Paint | None, items: list[Item]) -> None:
        """Add items with one paint, transformed by a matrix; the paint of images is None."""
        if paint is not None and any(isinstance(item, Squares | Stamps) for item in items):
            self._add_through(_mask(items, matrix, self._size), matrix, paint)
            return
        for item in items:
            match item:
                case Picture(content, x, y, width, height, opacity):
                    self._add_picture(content, matrix.box(x, y, width, height), matrix, opacity)
                case Stamps(Bitmap() | Drawing() as content, width, height, places):
                    for x, y in places:
                        self._add_picture(content, matrix.box(x, y, width, height), matrix)
                case Rectangle(paint=Color() as color) if not self._waiting:
                    self._fill(matrix, item, color)
                case _:
                    self._waiting += elements(Group((item,), matrix), self._definitions)
            self._opaque |= isinstance(item, Rectangle) and self._is_ground(item, matrix)

    def finished(self) -> Image:
        """Return the image with all items."""
        self._draw_waiting()
        return self._picture

    def _is_ground(self, item: Rectangle, matrix: Matrix) -> bool:
        """Return True if a rectangle covers the whole image and is opaque."""
        left, top, width, height = matrix.box(item.x, item.y, item.width, item.height)
        covers = left <= 0 and top <= 0 and left + width >= self._size[0] and top + height >= self._size[1]
        colors = [item.paint] if isinstance(item.paint, Color) else [color for _, color in item.paint.stops]
        return covers and all(color.alpha == 255 for color in colors)

    def _draw_waiting(self) -> None:
        """Draw all waiting elements in one call of the rasterizer."""
        if self._waiting:
            self._picture.alpha_composite(_render("".join(self._waiting), self._definitions, self._size))
            self._waiting, self._definitions = [], Definitions()

    def _fill(self, matrix: Matrix, rectangle: Rectangle, color: Color) -> None:
        from PIL import Image

        box = matrix.box(rectangle.x, rectangle.y, rectangle.width, rectangle.height)
        if not _whole(*box):
            self._waiting += elements(Group((rectangle,), matrix), self._definitions)
            return
        left, top, width, height = map(round, box)
        right, bottom = min(left + width, self._size[0]), min(top + height, self._size[1])
        left, top = max(left, 0), max(top, 0)
        if left < right and top < bottom:
            channels = (color.red, color.green, color.blue, color.alpha)
            if color.alpha == 255:
                self._picture.paste(channels, (left, top, right, bottom))  # same result as below, but faster
            else:
                self._picture.alpha_composite(Image.new("RGBA", (right - left, bottom - top), channels), (left, top))

    def _add_through(self, mask: Image, matrix: Matrix, paint: Paint) -> None:
        """Paint through a mask."""
        from PIL import Image, ImageChops

        self._draw_waiting()
        if isinstance(paint, Color):
            alpha = {paint.alpha}
            colored = Image.new("RGBA", self._size, (paint.red, paint.green, paint.blue, paint.alpha))
        else:
            alpha = {color.alpha for _, color in paint.stops}
            colored = _gradient(paint, matrix, self._size)
        if self._opaque and alpha == {255}:
            self._picture.paste(colored, mask=mask)  # same result as below, but faster
            return
        colored.putalpha(ImageChops.multiply(colored.getchannel("A"), mask))
        self._picture.alpha_composite(colored)

    def _add_picture(self, content: Bitmap | Drawing, box: Box, matrix: Matrix, opacity: float = 1.0) -> None:
        """Paint the part of an image that lies inside the canvas."""
        left, top = max(0, floor(box[0] + WHOLE)), max(0, floor(box[1] + WHOLE))
        right = min(self._size[0], ceil(box[0] + box[2] - WHOLE))
        bottom = min(self._size[1], ceil(box[1] + box[3] - WHOLE))
        if left >= right or top >= bottom:
            return
        self._draw_waiting()
        turned = (matrix.scale_x < 0, matrix.scale_y < 0)
        inner = (round(box[0] - left, 6), round(box[1] - top, 6), box[2], box[3])
        size = (right - left, bottom - top)
        key = (id(content), inner, size, turned, opacity)
        if key not in self._shown:
            draw = _bitmap if isinstance(content, Bitmap) else _drawing
            self._shown[key] = draw(content, inner, turned, opacity, size)  # type: ignore[arg-type]  # each its own
        self._picture.alpha_composite(self._shown[key], (left, top))


def _gradient(paint: Gradient, matrix: Matrix, size: tuple[int, int]) -> Image:
    """Paint an image with a gradient."""
    from PIL import Image

    width, height = size
    if isinstance(paint, Linear):
        # All rows of a horizontal gradient are equal, and all columns of a vertical one.
        height = 1 if paint.start[1] == paint.stop[1] else height
        width = 1 if paint.start[0] == paint.stop[0] else width
    definitions = Definitions()
    everywhere = Rectangle(*_whole_canvas((width, height), matrix), paint)
    painted = _render("".join(elements(Group((everywhere,), matrix), definitions)), definitions, (width, height))
    return painted if painted.size == size else painted.resize(size, Image.Resampling.NEAREST)


def _paint(item: Item) -> Paint | None:
    """Return the paint of an item; None for images, which have their own colors."""
    if isinstance(item, Picture | Group) or (isinstance(item, Stamps) and not isinstance(item.picture, Outline)):
        return None
    return item.paint


def _mask(items: list[Item], matrix: Matrix, size: tuple[int, int]) -> Image:
    """Return a mask of the area that items cover, 255 for full coverage."""
    from PIL import Image

    mask = Image.new("L", size)
    for item in items:
        match item:
            case Squares() if _add_squares(mask, item, matrix):
                pass
            case Stamps() if _add_stamps(mask, item, matrix):
                pass
            case _:
                _add_outline(mask, _outline(item), matrix)
    return mask


def _outline(item: Item) -> Outline:
    """Return the outline of an item.

    Raises:
        TypeError: If the item has no outline.
    """
    match item:
        case Shape(outline):
            return outline
        case Stamps():
            return item.outline()
        case Squares(x, y, size):
            bars = (
                rectangle(x + size * column, y + size * row, size * count, size) for column, row, count in item.runs()
            )
            return Outline.joined(bars)
        case Rectangle(x, y, width, height):
            return rectangle(x, y, width, height)
    raise TypeError(f"{type(item).__name__} has no outline")


def _add_squares(mask: Image, squares: Squares, matrix: Matrix) -> bool:
    """Add squares to a mask; returns False if they do not lie on whole pixels."""
    from PIL import Image

    across, down = len(squares.cells[0]), len(squares.cells)
    box = matrix.box(squares.x, squares.y, squares.size * across, squares.size * down)
    if not _whole(*box, squares.size * matrix.scale_x):
        return False
    small = Image.frombytes("L", (across, down), b"".join(squares.cells).replace(b"\x01", b"\xff"))
    left, top, width, height = map(round, box)
    large = _mirror(small, (matrix.scale_x < 0, matrix.scale_y < 0)).resize((width, height), Image.Resampling.NEAREST)
    mask.paste(255, (left, top), large)
    return True


def _add_stamps(mask: Image, stamps: Stamps, matrix: Matrix) -> bool:
    """Add stamps to a mask; return False if their subpixel offsets differ."""
    if not isinstance(stamps.picture, Outline) or not stamps.places:
        return True
    import numpy as np

    form = stamps.picture.placed(0, 0, matrix.scale_x, matrix.scale_y)
    left, top, right, bottom = form.box()
    places = np.array(stamps.places) * (matrix.scale_x, matrix.scale_y) + (matrix.move_x, matrix.move_y) + (left, top)
    over_x, over_y = (_fraction(place) for place in places[0].tolist())
    places -= (over_x, over_y)
    whole = np.rint(places).astype(int)
    if (abs(places - whole) > np.maximum(WHOLE, abs(places) * WHOLE_SHARE)).any():
        return False
    size = (max(1, ceil(right - left + over_x)), max(1, ceil(bottom - top + over_y)))
    body = f'<path d="{path_data(form.placed(over_x - left, over_y - top))}"/>'
    stamp = _render(body, Definitions(), size).getchannel("A")
    layers = _stamp_layers(stamp, whole, mask.size)
    for layer in layers:
        mask.paste(255, (0, 0), layer)
    if not layers:
        for x, y in whole.tolist():
            mask.paste(255, (x, y), stamp)
    return True


def _stamp_layers(stamp: Image, places: np.ndarray, size: tuple[int, int]) -> list[Image]:
    """Distribute stamps over few layers so that those of one layer do not overlap, and can be copied.

    Pasting the layers gives the same pixels as pasting the stamps in turn, because the order of two does not matter.

    Args:
        stamp: The mask of one stamp.
        places: int, n x 2: x, y of the top left corner of each stamp.
        size: Width and height of the layers.

    Returns:
        The layers; an empty list if the stamps are not on a grid, or more than two overlap at a pixel.
    """
    import numpy as np
    from PIL import Image

    (width, height), first = stamp.size, places.min(axis=0)
    across, down = (_step(numbers) for numbers in places.T)
    apart = -(-width // across), -(-height // down)  # columns and rows between stamps that do not overlap
    if max(apart) > 2 or ((places - first) % (across, down)).any():
        return []
    # A border of the size of a stamp takes the parts outside of the canvas.
    layers = np.zeros((*apart, size[1] + 2 * height, size[0] + 2 * width), dtype=np.uint8)
    inside = ((places > (-width, -height)) & (places < size)).all(axis=1)
    numbers = ((places - first) // (across, down) % apart)[inside]
    form = np.asarray(stamp)
    for (column, row), (x, y) in zip(numbers.tolist(), (places[inside] + stamp.size).tolist(), strict=True):
        layers[column, row, y : y + height, x : x + width] = form
    flat = layers[:, :, height:-height, width:-width].reshape(-1, size[1], size[0])
    if len(flat) > 2 and np.count_nonzero(flat, axis=0).max() > 2:
        return []
    return [Image.fromarray(layer) for layer in flat]


def _step(numbers: np.ndarray) -> int:
    """Return the smallest distance between two different numbers; a very large one if all are equal."""
    import numpy as np

    unique = np.unique(numbers)
    return int(np.diff(unique).min()) if len(unique) > 1 else 1 << 30


def _add_outline(mask: Image, outline: Outline, matrix: Matrix) -> None:
    """Add any outline to a mask, drawing only the part of the image that it covers."""
    left, top, right, bottom = outline.box()
    box = matrix.box(left, top, right - left, bottom - top)
    x, y = max(0, floor(box[0])), max(0, floor(box[1]))
    size = (min(mask.width, ceil(box[0] + box[2])) - x, min(mask.height, ceil(box[1] + box[3])) - y)
    if min(size) > 0:
        there = matrix.then(Matrix(move_x=-x, move_y=-y))
        body = f'<path transform="{transform(there)}" d="{path_data(outline)}"/>'
        mask.paste(255, (x, y), _render(body, Definitions(), size).getchannel("A"))


def _bitmap(bitmap: Bitmap, box: Box, turned: tuple[bool, bool], opacity: float, size: tuple[int, int]) -> Image:
    """Draw a bitmap in a box of an otherwise transparent image of this size."""
    left, top, width, height = box
    # The image is mirrored at the end, so the box is placed at the mirrored position first.
    there = (
        size[0] - left - width if turned[0] else left,
        size[1] - top - height if turned[1] else top,
        width,
        height,
    )
    picture = placed(bitmap, there, size)
    if opacity < 1:
        picture.putalpha(picture.getchannel("A").point(lambda alpha: round(alpha * opacity)))
    return _mirror(picture, turned)


def _drawing(drawing: Drawing, box: Box, turned: tuple[bool, bool], opacity: float, size: tuple[int, int]) -> Image:
    """Draw an SVG in a box of an otherwise transparent image of this size."""
    definitions = Definitions()
    left, top, width, height = box
    body = picture(drawing, (0, 0, width, height), definitions, opacity)
    there = Matrix(-1 if turned[0] else 1, -1 if turned[1] else 1, left + width * turned[0], top + height * turned[1])
    return _render(f'<g transform="{transform(there)}">{body}</g>', definitions, size)


def _mirror(picture: Image, turned: tuple[bool, bool]) -> Image:
    """Mirror an image horizontally, vertically or both."""
    from PIL import Image

    if turned[0]:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM) if turned[1] else picture


def _render(body: str, definitions: Definitions, size: tuple[int, int]) -> Image:
    """Render SVG elements with the rasterizer."""
    from PIL import Image

    return Image.frombytes("RGBA", size, rasterise(document(*size, body, definitions), *size))


def _whole(*numbers: float) -> bool:
    return all(isclose(one, round(one), rel_tol=WHOLE_SHARE, abs_tol=WHOLE) for one in numbers)


def _fraction(value: float) -> float:
    """Return the fractional part of a number; 0 if it is nearly whole."""
    return 0.0 if _whole(value) else value - floor(value)


def _whole_canvas(size: tuple[int, int], matrix: Matrix) -> Box:
    """Return the box that a matrix transforms into the whole canvas."""
    scale_x, scale_y, move_x, move_y = matrix
    return Matrix(1 / scale_x, 1 / scale_y, -move_x / scale_x, -move_y / scale_y).box(0, 0, *size)
