"""Renders a scene as pixels. Repeated items are drawn once and stamped; the rasterizer draws the rest as SVG.

Stamping is exact because modules have whole pixels: every copy lies on the same fraction of a pixel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, partial
from itertools import groupby
from math import ceil, floor, isclose
from typing import NamedTuple

from PIL import Image, ImageChops

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
from qrkit.drawing.svg.svg_elements import Definitions, document, elements, path_data, picture, transform
from qrkit.drawing.untrusted.rasteriser import Step, compress_png, is_in_two_colors, paint_png
from qrkit.drawing.untrusted.rasteriser.kept import rasterise_new
from qrkit.drawing.untrusted.rasteriser.worker import COVER, DRAW_OVER, FILL, STENCIL

Masked = Callable[[Image.Image], None]
"""Adds the area of an item to a mask."""

WHOLE, WHOLE_SHARE = 1e-6, 1e-9
"""Rounding error allowed in a whole number of pixels: in pixels, or as a share of the number."""

MOST_TOGETHER = 4_000_000
"""Pixels of the drawings that are rendered in one request; larger ones are rendered, and freed, one after the other."""

COMPRESSION = 4
"""Level of compression of a PNG: level 6 saves 11% and takes as long as drawing does; level 2 adds 9%."""
COMPRESSION_OF_TWO_COLORS = 3
"""Level 4 takes nearly twice as long, and the file is as large."""

NOWHERE = (1 << 30, 1 << 30, 0, 0)
"""Left, top, right and bottom of no pixels."""

Box = tuple[float, float, float, float]
"""Left, top, width, height in pixels."""


def painted(scene: Scene) -> Image.Image:
    """Render a scene as RGBA, with its size rounded up to whole pixels.

    Raises:
        RenderingFailed: If the rasterizer fails on a part of the scene.
    """
    return _canvas_of(scene).finished()


def seen(scene: Scene) -> Image.Image:
    """Render a scene as RGB if nothing is transparent, else as RGBA.

    Raises:
        RenderingFailed: If the rasterizer fails on a part of the scene.
    """
    return _without_alpha(painted(scene))


def png(scene: Scene, level: int | None = None) -> bytes:
    """Render a scene as PNG: with a palette if it has one color on another, else as RGB if nothing is transparent.

    Args:
        scene: The drawing.
        level: Compression level, 0..9, from fast and large to slow and small; None for one that suits the drawing.

    Raises:
        RenderingFailed: If the rasterizer fails on a part of the scene.
    """
    canvas, default = _canvas_of(scene), COMPRESSION
    if steps := canvas.steps():
        if is_in_two_colors(steps, *canvas.size):
            default = COMPRESSION_OF_TWO_COLORS
        return paint_png(steps, *canvas.size, default if level is None else level)
    picture = _without_alpha(canvas.finished())
    return compress_png(picture.tobytes(), picture.width, picture.height, default if level is None else level)


def _canvas_of(scene: Scene) -> _Canvas:
    canvas = _Canvas(ceil(scene.width - WHOLE), ceil(scene.height - WHOLE))
    for (matrix, paint), neighbours in groupby(scene.flat(), lambda pair: (pair[0], _paint(pair[1]))):
        canvas.add(matrix, paint, [item for _, item in neighbours])
    return canvas


def _without_alpha(picture: Image.Image) -> Image.Image:
    """Return an image as RGB if nothing is transparent."""
    return picture.convert("RGB") if _is_opaque(picture) else picture


def _is_opaque(picture: Image.Image) -> bool:
    return picture.getchannel("A").getextrema() == (255, 255)


class _Painting(NamedTuple):
    """A step of a canvas: how to paint it here, and the same step for the process that draws, if that can do it."""

    paint: Callable[[Image.Image], None]
    step: Callable[[], Step] | None


class _Canvas:
    """An image on which items are painted, one over the other.

    Items are only prepared when they are added, so that most drawings can be rendered in one request at the end.
    """

    _shown: dict[tuple[object, ...], Callable[[], Image.Image]]

    def __init__(self, width: int, height: int) -> None:
        self.size = (width, height)
        self._paintings: list[_Painting] = []
        self._drawings = _Drawings()
        self._waiting: list[str] = []
        self._waiting_box = NOWHERE
        self._definitions = Definitions()
        self._inks: set[Color | None] = set()
        self._shown = {}

    def add(self, matrix: Matrix, paint: Paint | None, items: list[Item]) -> None:
        """Add items with one paint, transformed by a matrix; the paint of images is None."""
        if paint is not None and any(isinstance(item, Squares | Stamps) for item in items):
            self._add_through([self._masked(item, matrix) for item in items], matrix, paint)
            return
        for item in items:
            match item:
                case Picture(Bitmap() as content, x, y, width, height, opacity):
                    self._add_picture(content, matrix.box(x, y, width, height), matrix, opacity)
                case Stamps(Bitmap() | Drawing() as content, width, height, places):
                    for x, y in places:
                        self._add_picture(content, matrix.box(x, y, width, height), matrix)
                case Rectangle(paint=Color() as color) if not self._waiting:
                    self._fill(matrix, item, color)
                case _:
                    self._wait(item, matrix)

    def steps(self) -> list[Step]:
        """Return the steps that paint all items in the process that draws; nothing if some need this process."""
        self._draw_waiting()
        steps = [painting.step for painting in self._paintings if painting.step]
        return [step() for step in steps] if len(steps) == len(self._paintings) else []

    def finished(self) -> Image.Image:
        """Return the image with all items."""
        self._draw_waiting()
        picture = Image.new("RGBA", self.size)
        self._paintings.reverse()
        while self._paintings:
            self._paintings.pop().paint(picture)  # and frees the drawings of this step
        return picture

    def _paint(self, paint: Callable[[Image.Image], None], step: Callable[[], Step] | None = None) -> None:
        self._paintings.append(_Painting(paint, step))

    def _drawings_for(self, size: tuple[int, int]) -> _Drawings:
        """Return the drawings of this canvas that are rendered together, with room for another of this size."""
        if not self._drawings.have_room(size):
            self._drawings = _Drawings()
        return self._drawings

    def _wait(self, item: Item, matrix: Matrix) -> None:
        """Add an item to the elements that are drawn together."""
        self._waiting += elements(Group((item,), matrix), self._definitions)
        ink = _paint(item)
        self._inks.add(ink.opaque if isinstance(ink, Color) else None)
        match item:
            case Shape(outline, Color()):
                box = self._pixels_of(outline, matrix)
            case Picture(_, x, y, width, height):
                box = self._pixels_in(matrix.box(x, y, width, height))
            case _:  # renderers round gradients differently elsewhere
                box = (0, 0, *self.size)
        (left, top, right, bottom), before = box, self._waiting_box
        self._waiting_box = (min(left, before[0]), min(top, before[1]), max(right, before[2]), max(bottom, before[3]))

    def _draw_waiting(self) -> None:
        """Draw all waiting elements as one drawing, which is only as large as necessary."""
        left, top, right, bottom = self._waiting_box
        if left < right and top < bottom:
            body = f'<g transform="translate({-left} {-top})">{"".join(self._waiting)}</g>'
            size = (right - left, bottom - top)
            svg = document(*size, body, self._definitions)
            drawn, is_first = self._drawings_for(size).add(svg, size), not self._paintings
            # In one color, the coverage says it all, and colors of pixels that are nearly clear are not rounded.
            color = self._inks.pop() if len(self._inks) == 1 else None
            kind = COVER if color else DRAW_OVER

            def paint(picture: Image.Image) -> None:
                if color:
                    _paint_through(picture, (left, top), drawn().getchannel("A"), color)
                else:
                    put = picture.paste if is_first else picture.alpha_composite  # on nothing, both are the same
                    put(drawn(), (left, top))

            self._paint(paint, lambda: Step(kind, left, top, *size, _rgb(color) if color else (), svg))
        self._waiting, self._waiting_box, self._definitions, self._inks = [], NOWHERE, Definitions(), set()

    def _pixels_of(self, outline: Outline, matrix: Matrix) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom of the pixels that an outline may cover; empty if left >= right."""
        left, top, right, bottom = outline.box()
        return self._pixels_in(matrix.box(left, top, right - left, bottom - top))

    def _pixels_in(self, box: Box) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom of the pixels that a box touches; empty if left >= right."""
        (x, y, width, height), (across, down) = box, self.size
        return max(0, floor(x)), max(0, floor(y)), min(across, ceil(x + width)), min(down, ceil(y + height))

    def _fill(self, matrix: Matrix, rectangle: Rectangle, color: Color) -> None:
        box = matrix.box(rectangle.x, rectangle.y, rectangle.width, rectangle.height)
        if not _whole(*box):
            self._wait(rectangle, matrix)
            return
        left, top, width, height = map(round, box)
        right, bottom = min(left + width, self.size[0]), min(top + height, self.size[1])
        left, top = max(left, 0), max(top, 0)
        if left < right and top < bottom:
            channels = (*_rgb(color), color.alpha)
            size = (right - left, bottom - top)
            if color.alpha == 255:  # same result as below, but faster
                step = Step(FILL, left, top, *size, _rgb(color))
                self._paint(lambda picture: picture.paste(channels, (left, top, right, bottom)), lambda: step)
            elif color.alpha:
                colored = partial(Image.new, "RGBA", size, channels)
                self._paint(lambda picture: picture.alpha_composite(colored(), (left, top)))

    def _add_through(self, masked: list[Masked], matrix: Matrix, paint: Paint) -> None:
        """Paint through a mask."""
        self._draw_waiting()
        ink = paint if isinstance(paint, Color) else self._gradient(paint, matrix)

        def shown() -> tuple[tuple[int, int, int, int], Image.Image]:
            """Return the box of the mask that is not empty, and what it contains."""
            mask = Image.new("L", self.size)
            for add_to in masked:
                add_to(mask)
            box = mask.getbbox() or (0, 0, 1, 1)
            return box, mask.crop(box)

        def paint_through(picture: Image.Image) -> None:
            box, mask = shown()
            _paint_through(picture, box[:2], mask, ink if isinstance(ink, Color) else ink().crop(box))

        def step(color: Color) -> Step:
            (left, top, right, bottom), mask = shown()
            return Step(STENCIL, left, top, right - left, bottom - top, _rgb(color), mask.tobytes())

        self._paint(paint_through, partial(step, ink) if isinstance(ink, Color) and ink.alpha == 255 else None)

    def _gradient(self, paint: Gradient, matrix: Matrix) -> Callable[[], Image.Image]:
        """Return a function that paints an image with a gradient."""
        width, height = self.size
        if isinstance(paint, Linear):
            # All rows of a horizontal gradient are equal, and all columns of a vertical one.
            height = 1 if paint.start[1] == paint.stop[1] else height
            width = 1 if paint.start[0] == paint.stop[0] else width
        definitions = Definitions()
        everywhere = Rectangle(*_whole_canvas((width, height), matrix), paint)
        body = "".join(elements(Group((everywhere,), matrix), definitions))
        size = (width, height)
        drawn = self._drawings_for(size).add(document(*size, body, definitions), size)
        if size == self.size:
            return drawn
        return lambda: drawn().resize(self.size, Image.Resampling.NEAREST)

    def _add_picture(self, content: Bitmap | Drawing, box: Box, matrix: Matrix, opacity: float = 1.0) -> None:
        """Paint the part of an image that lies inside the canvas."""
        left, top = max(0, floor(box[0] + WHOLE)), max(0, floor(box[1] + WHOLE))
        right = min(self.size[0], ceil(box[0] + box[2] - WHOLE))
        bottom = min(self.size[1], ceil(box[1] + box[3] - WHOLE))
        if left >= right or top >= bottom:
            return
        self._draw_waiting()
        turned = (matrix.scale_x < 0, matrix.scale_y < 0)
        inner = (round(box[0] - left, 6), round(box[1] - top, 6), box[2], box[3])
        size = (right - left, bottom - top)
        key = (id(content), inner, size, turned, opacity)
        if key not in self._shown:
            if isinstance(content, Bitmap):
                self._shown[key] = cache(partial(_bitmap, content, inner, turned, opacity, size))
            else:
                body, definitions = _drawing(content, inner, turned)
                self._shown[key] = cache(self._drawings_for(size).add(document(*size, body, definitions), size))
        shown = self._shown[key]
        self._paint(lambda picture: picture.alpha_composite(shown(), (left, top)))

    def _masked(self, item: Item, matrix: Matrix) -> Masked:
        """Return a function that adds the area of an item to a mask, 255 for full coverage."""
        masked = None
        if isinstance(item, Squares):
            masked = _squares(item, matrix)
        elif isinstance(item, Stamps):
            masked = self._stamps(item, matrix)
        return masked or self._outline(_outline(item), matrix)

    def _stamps(self, stamps: Stamps, matrix: Matrix) -> Masked | None:
        """Return a function that adds stamps to a mask; None if their subpixel offsets differ."""
        if not isinstance(stamps.picture, Outline) or not stamps.places:
            return _nothing
        form = stamps.picture.placed(0, 0, matrix.scale_x, matrix.scale_y)
        left, top, right, bottom = form.box()
        across, down = map(set, zip(*stamps.places, strict=True))  # thousands of stamps share the columns of a grid
        columns = {x: x * matrix.scale_x + matrix.move_x + left for x in across}
        rows = {y: y * matrix.scale_y + matrix.move_y + top for y in down}
        x, y = stamps.places[0]
        over_x, over_y = _fraction(columns[x]), _fraction(rows[y])
        pixels_x, pixels_y = _pixels(columns, over_x), _pixels(rows, over_y)
        if pixels_x is None or pixels_y is None:
            return None
        whole = [(pixels_x[x], pixels_y[y]) for x, y in stamps.places]
        size = (max(1, ceil(right - left + over_x)), max(1, ceil(bottom - top + over_y)))
        body = f'<path d="{path_data(form.placed(over_x - left, over_y - top))}"/>'
        drawn = self._drawings_for(size).add_cover(body, size)

        def add(mask: Image.Image) -> None:
            stamp = drawn()
            for place in whole:
                mask.paste(255, place, stamp)

        return add

    def _outline(self, outline: Outline, matrix: Matrix) -> Masked:
        """Return a function that adds any outline to a mask, drawing only the part of the image that it covers."""
        left, top, right, bottom = self._pixels_of(outline, matrix)
        if left >= right or top >= bottom:
            return _nothing
        there = matrix.then(Matrix(move_x=-left, move_y=-top))
        body = f'<path transform="{transform(there)}" d="{path_data(outline)}"/>'
        size = (right - left, bottom - top)
        drawn = self._drawings_for(size).add_cover(body, size)
        return lambda mask: mask.paste(255, (left, top), drawn())


class _Drawings:
    """Drawings that are rendered in one request, when the first of them is needed.

    Drawings of which only the coverage is needed are parts of one document, one below the other, because each document
    takes as long as several small shapes.
    """

    def __init__(self) -> None:
        self._documents: list[tuple[bytes, int, int]] = []
        self._covers: list[str] = []
        self._width, self._height = 0, 0
        self._pixels = 0

    def have_room(self, size: tuple[int, int]) -> bool:
        """Return True if another drawing of this size may be rendered together with these."""
        column = max(self._width, size[0]) * (self._height + size[1])
        return self._pixels + column <= MOST_TOGETHER

    def add(self, svg: bytes, size: tuple[int, int]) -> Callable[[], Image.Image]:
        """Add a document, and return a function that returns it as an image."""
        self._documents.append((svg, *size))
        self._pixels += size[0] * size[1]
        number = len(self._documents) - 1
        return lambda: Image.frombuffer("RGBA", size, self._rendered[number], "raw", "RGBA", 0, 1)

    def add_cover(self, body: str, size: tuple[int, int]) -> Callable[[], Image.Image]:
        """Add elements, and return a function that returns their coverage as an image, 255 for full coverage."""
        (width, height), top = size, self._height
        self._covers.append(f'<svg y="{top}" width="{width}" height="{height}">{body}</svg>')
        self._width, self._height = max(self._width, width), top + height
        return lambda: self._covered.crop((0, top, width, top + height))

    @cached_property
    def _rendered(self) -> list[bytes]:
        return rasterise_new(self._documents)

    @cached_property
    def _covered(self) -> Image.Image:
        column = self._width, self._height
        covers = document(*column, "".join(self._covers), Definitions())
        return Image.frombytes("RGBA", column, rasterise_new([(covers, *column)])[0]).getchannel("A")


def _paint(item: Item) -> Paint | None:
    """Return the paint of an item; None for images, which have their own colors."""
    if isinstance(item, Picture | Group) or (isinstance(item, Stamps) and not isinstance(item.picture, Outline)):
        return None
    return item.paint


def _paint_through(picture: Image.Image, place: tuple[int, int], mask: Image.Image, paint: Image.Image | Color) -> None:
    """Paint an image or a color through a mask of the same size."""
    over = Image.new("RGBA", mask.size, (*_rgb(paint), paint.alpha)) if isinstance(paint, Color) else paint
    if _is_opaque(over) and _is_opaque(picture.crop((*place, place[0] + mask.width, place[1] + mask.height))):
        picture.paste(over, place, mask)  # same result as below, but faster
        return
    over.putalpha(ImageChops.multiply(over.getchannel("A"), mask))
    picture.alpha_composite(over, place)


def _rgb(color: Color) -> tuple[int, int, int]:
    return color.red, color.green, color.blue


def _nothing(_mask: Image.Image) -> None:
    """Add nothing to a mask."""


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


def _squares(squares: Squares, matrix: Matrix) -> Masked | None:
    """Return a function that adds squares to a mask; None if they do not lie on whole pixels."""
    across, down = len(squares.cells[0]), len(squares.cells)
    box = matrix.box(squares.x, squares.y, squares.size * across, squares.size * down)
    if not _whole(*box, squares.size * matrix.scale_x):
        return None
    small = Image.frombytes("L", (across, down), b"".join(squares.cells).replace(b"\x01", b"\xff"))
    left, top, width, height = map(round, box)
    large = _mirror(small, (matrix.scale_x < 0, matrix.scale_y < 0)).resize((width, height), Image.Resampling.NEAREST)
    return lambda mask: mask.paste(255, (left, top), large)


def _pixels(places: dict[float, float], over: float) -> dict[float, int] | None:
    """Return where stamps begin that lie the same fraction over a pixel; None if some do not."""
    whole = [place - over for place in places.values()]
    return dict(zip(places, map(round, whole), strict=True)) if _whole(*whole) else None


def _bitmap(bitmap: Bitmap, box: Box, turned: tuple[bool, bool], opacity: float, size: tuple[int, int]) -> Image.Image:
    """Draw a bitmap in a box of an otherwise transparent image of this size."""
    left, top, width, height = box
    # The image is mirrored at the end, so the box is placed at the mirrored position first.
    there = (size[0] - left - width if turned[0] else left, size[1] - top - height if turned[1] else top, width, height)
    picture = placed(bitmap, there, size)
    if opacity < 1:
        picture.putalpha(picture.getchannel("A").point(lambda alpha: round(alpha * opacity)))
    return _mirror(picture, turned)


def _drawing(drawing: Drawing, box: Box, turned: tuple[bool, bool]) -> tuple[str, Definitions]:
    """Return the elements that draw an SVG in a box, and what they refer to."""
    definitions = Definitions()
    left, top, width, height = box
    body = picture(drawing, (0, 0, width, height), definitions)
    there = Matrix(-1 if turned[0] else 1, -1 if turned[1] else 1, left + width * turned[0], top + height * turned[1])
    return f'<g transform="{transform(there)}">{body}</g>', definitions


def _mirror(picture: Image.Image, turned: tuple[bool, bool]) -> Image.Image:
    """Mirror an image horizontally, vertically or both."""
    if turned[0]:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM) if turned[1] else picture


def _whole(*numbers: float) -> bool:
    return all(isclose(one, round(one), rel_tol=WHOLE_SHARE, abs_tol=WHOLE) for one in numbers)


def _fraction(value: float) -> float:
    """Return the fractional part of a number; 0 if it is nearly whole."""
    return 0.0 if _whole(value) else value - floor(value)


def _whole_canvas(size: tuple[int, int], matrix: Matrix) -> Box:
    """Return the box that a matrix transforms into the whole canvas."""
    scale_x, scale_y, move_x, move_y = matrix
    return Matrix(1 / scale_x, 1 / scale_y, -move_x / scale_x, -move_y / scale_y).box(0, 0, *size)
