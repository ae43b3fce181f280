"""Renders a scene as pixels. Repeated items are drawn once and stamped; the rasterizer draws the rest as SVG.

Stamping is exact because modules have whole pixels: every copy lies on the same fraction of a pixel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, partial
from itertools import chain, groupby
from math import ceil, floor, isclose
from typing import NamedTuple

from PIL import Image, ImageChops

from qrkit.design.color import Color
from qrkit.design.outline import Outline, Placed, Scattered, rectangle
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
from qrkit.drawing.untrusted.rasteriser import Step, compress_png, paint_png
from qrkit.drawing.untrusted.rasteriser.kept import rasterise_new
from qrkit.drawing.untrusted.rasteriser.worker import (
    DRAW_OVER,
    FILL,
    STENCIL,
    Layer,
    layer_of,
    paint_over,
    without_alpha,
)
from qrkit.drawing.writers.pixels import Tones
from qrkit.drawing.writers.repeated_forms import forms_of, is_in_cells

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

Grid = tuple[int, int, int]
"""Left, top and the size of a cell, in pixels."""
Box = tuple[float, float, float, float]
"""Left, top, width, height in pixels."""
Stamp = tuple[tuple[int, int, int, int], list[tuple[int, int]]]
"""Left, top, right and bottom of a part of a drawing, and left and top of each of its copies, in pixels."""


def painted(scene: Scene) -> Image.Image:
    """Render a scene as RGBA, with its size rounded up to whole pixels."""
    return _canvas_of(scene).finished().convert("RGBA")


def seen(scene: Scene) -> Image.Image:
    """Render a scene as RGB if nothing is transparent, else as RGBA."""
    return without_alpha(_canvas_of(scene).finished())


def png(scene: Scene, write_tones: Callable[[Tones, int], bytes], level: int | None = None) -> bytes:
    """Render a scene as PNG: with a palette if it has one color on another, else as RGB if nothing is transparent.

    `write_tones` writes one color on another at a compression level: 0..9, from fast and large to slow and small; None
    for one that suits the drawing.
    """
    canvas = _canvas_of(scene)
    if tones := canvas.tones():
        return write_tones(tones, COMPRESSION_OF_TWO_COLORS if level is None else level)
    level = COMPRESSION if level is None else level
    if steps := canvas.steps():
        return paint_png(steps, *canvas.size, level)
    picture = without_alpha(canvas.finished())
    return compress_png(picture.tobytes(), picture.width, picture.height, level)


def _canvas_of(scene: Scene) -> _Canvas:
    canvas = _Canvas(ceil(scene.width - WHOLE), ceil(scene.height - WHOLE))
    for (matrix, paint), neighbours in groupby(scene.flat(), lambda pair: (pair[0], _paint(pair[1]))):
        canvas.add(matrix, paint, [item for _, item in neighbours])
    return canvas


class _Painting(NamedTuple):
    """What is painted at one point of a canvas; `step` returns its layer, or is None if only this process can make it.

    `ground` is its color, if it is opaque and covers all pixels; `ink` is its color without alpha, if it is one color
    through a stencil.
    """

    layer: Callable[[], Layer]
    step: Callable[[], Step] | None = None
    ground: Color | None = None
    ink: Color | None = None


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
        grids = [_grid(item, matrix) for item in items]
        if paint is not None and (any(grids) or any(isinstance(item, Squares | Stamps) for item in items)):
            masked = [self._masked(item, matrix, grid) for item, grid in zip(items, grids, strict=True)]
            self._draw_waiting()
            ink = paint if isinstance(paint, Color) else self._gradient(paint, matrix)
            # Translucent shapes shine through each other.
            apart = isinstance(ink, Color) and ink.alpha < 255 and all(isinstance(item, Shape) for item in items)
            for together in masked if apart else [list(chain.from_iterable(masked))]:
                self._add_through(together, ink)
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

    def tones(self) -> Tones | None:
        """Return the whole image if it has one color on a background of another; else None."""
        self._draw_waiting()
        ground = self._paintings[0].ground if self._paintings else None
        inks = {one.ink for one in self._paintings[1:]}
        if not ground or len(inks) != 1 or not (ink := inks.pop()):
            return None
        width, height = self.size
        lines, palette = Image.new("L", (width + 1, height)), Image.new("RGB", (256, 1), ground.channels)
        for one in self._paintings[1:]:
            left, top, shape, _ = one.layer()
            lines.paste(255, (left + 1, top), shape)
        palette.paste(ink.channels, (0, 0), Image.frombytes("L", palette.size, bytes(range(256))))
        return Tones(width, height, lines.tobytes(), palette.tobytes())

    def steps(self) -> list[Step]:
        """Return the steps that paint all items in the process that draws; nothing if some need this process."""
        steps = [painting.step for painting in self._paintings if painting.step]
        return [step() for step in steps] if len(steps) == len(self._paintings) else []

    def finished(self) -> Image.Image:
        """Return the image with all items, in RGB or RGBA."""
        self._draw_waiting()
        picture = None
        if self._paintings and not self._paintings[0].step:  # an image may have colors where it is transparent
            picture = Image.new("RGBA", self.size)
        self._paintings.reverse()
        while self._paintings:
            picture = paint_over(picture, self.size, self._paintings.pop().layer())  # and frees the drawings of it
        return picture or Image.new("RGBA", self.size)

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
            size, place = (right - left, bottom - top), (left, top)
            drawings = self._drawings_for(size)
            # In one color, the coverage says it all, and colors of pixels that are nearly clear are not rounded.
            if len(self._inks) == 1 and (color := self._inks.pop()):
                cover = drawings.add_cover(body, size)
                self._add_through([lambda mask: mask.paste(255, place, cover())], color)
            else:
                svg = document(*size, body, self._definitions)
                drawn, step = drawings.add(svg, size), Step(DRAW_OVER, *place, *size, (), svg)
                self._paintings.append(_Painting(lambda: Layer(*place, drawn()), lambda: step))
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
            size, channels = (right - left, bottom - top), (*color.channels, color.alpha)
            is_opaque = color.alpha == 255
            step = Step(FILL, left, top, *size, channels[:3] if is_opaque else channels)
            if color.alpha:
                ground = color if is_opaque and size == self.size else None
                layer = partial(layer_of, step.kind, step[1:5], step.color, step.shape)
                self._paintings.append(_Painting(layer, lambda: step, ground))

    def _add_through(self, masked: list[Masked], ink: Color | Callable[[], Image.Image]) -> None:
        """Paint a color or an image through a mask."""

        def shown() -> tuple[tuple[int, int, int, int], Image.Image]:
            """Return the box of the mask that is not empty, and what it contains."""
            mask = Image.new("L", self.size)
            for add_to in masked:
                add_to(mask)
            box = mask.getbbox() or (0, 0, 1, 1)
            return box, mask.crop(box)

        if isinstance(ink, Color):

            def layer() -> Layer:
                (left, top, _, _), mask = shown()
                if ink.alpha < 255:
                    mask = mask.point([round(one * ink.opacity) for one in range(256)])
                return Layer(left, top, mask, ink.channels)

            def step() -> Step:
                left, top, mask, color = layer()
                return Step(STENCIL, left, top, *mask.size, color, mask.tobytes())

            self._paintings.append(_Painting(layer, step, ink=ink.opaque))
        else:

            def layer() -> Layer:
                box, mask = shown()
                over = ink().crop(box)
                over.putalpha(ImageChops.multiply(over.getchannel("A"), mask))
                return Layer(box[0], box[1], over)

            self._paintings.append(_Painting(layer))

    def _gradient(self, paint: Gradient, matrix: Matrix) -> Callable[[], Image.Image]:
        """Return a function that paints an image with a gradient."""
        width, height = self.size
        if isinstance(paint, Linear):
            # All rows of a horizontal gradient are equal, and all columns of a vertical one.
            height = 1 if paint.start[1] == paint.stop[1] else height
            width = 1 if paint.start[0] == paint.stop[0] else width
        definitions = Definitions()
        everywhere = Rectangle(*matrix.inverse().box(0, 0, width, height), paint)
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
        self._paintings.append(_Painting(lambda: Layer(left, top, shown())))

    def _masked(self, item: Item, matrix: Matrix, grid: Grid | None) -> list[Masked]:
        """Return functions that draw an item into a mask, where 255 is full coverage; `grid` comes from `_grid`."""
        masked = None
        if isinstance(item, Squares):
            masked = _squares(item, matrix)
        elif isinstance(item, Stamps):
            masked = self._stamps(item, matrix)
        elif grid and isinstance(item, Shape) and isinstance(item.outline, Scattered):
            masked = self._copies(item.outline, matrix, grid)
        return self._outline(_outline(item), matrix) if masked is None else masked

    def _stamps(self, stamps: Stamps, matrix: Matrix) -> list[Masked] | None:
        """Return functions that add stamps to a mask; None if their subpixel offsets differ."""
        if not isinstance(stamps.picture, Outline) or not stamps.places:
            return []
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
        return [self._pasted(body, size, [((0, 0, *size), whole)])]

    def _copies(self, outline: Scattered, matrix: Matrix, grid: Grid) -> list[Masked]:
        """Return functions that add outlines in cells to a mask; those that are alike are drawn once."""
        left, top, size = grid
        forms, others = forms_of(outline.parts)
        column, stamps, across, height = list[Placed](), list[Stamp](), 0, 0
        for form in forms:
            (first, top_row), (last, bottom_row) = form.cells[0], form.cells[-1]
            column.append((form.outline, -first, height - top_row))
            below = height + bottom_row + 1 - top_row
            box = (0, size * height, size * (last + 1 - first), size * below)
            x, y = left + size * first, top + size * top_row
            stamps.append((box, [(x + size * int(right), y + size * int(down)) for right, down in form.places]))
            across, height = max(across, box[2]), below
        body = f'<path d="{path_data(Scattered(column))}" transform="scale({size})"/>'
        rest = self._outline(Scattered(others), matrix) if others else []
        return [*rest, self._pasted(body, (across, size * height), stamps)]

    def _pasted(self, body: str, size: tuple[int, int], stamps: list[Stamp]) -> Masked:
        """Return a function that draws `body` once, and copies each box of it to several places of a mask."""
        drawn = self._drawings_for(size).add_cover(body, size)

        def add(mask: Image.Image) -> None:
            picture = drawn()
            for box, places in stamps:
                stamp = picture.crop(box)
                for place in places:
                    mask.paste(255, place, stamp)

        return add

    def _outline(self, outline: Outline, matrix: Matrix) -> list[Masked]:
        """Return functions that add any outline to a mask, drawing only the part of the image that it covers."""
        left, top, right, bottom = self._pixels_of(outline, matrix)
        if left >= right or top >= bottom:
            return []
        there = matrix.then(Matrix(move_x=-left, move_y=-top))
        body = f'<path transform="{transform(there)}" d="{path_data(outline)}"/>'
        size = (right - left, bottom - top)
        drawn = self._drawings_for(size).add_cover(body, size)
        return [lambda mask: mask.paste(255, (left, top), drawn())]


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
        return Image.frombuffer("L", column, rasterise_new([(covers, *column)], covers=True)[0], "raw", "L", 0, 1)


def _paint(item: Item) -> Paint | None:
    """Return the paint of an item; None for images, which have their own colors."""
    if isinstance(item, Picture | Group) or (isinstance(item, Stamps) and not isinstance(item.picture, Outline)):
        return None
    return item.paint


def _outline(item: Item) -> Outline:
    """Return the outline of an item."""
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


def _grid(item: Item, matrix: Matrix) -> Grid | None:
    """Return left, top and the size of a cell in pixels, of outlines in the cells of a grid, in a color.

    No two parts cover the same pixel in part, so they may be copied; the renderer would round edges differently, by at
    most 17 of 255.
    """
    match item:
        case Shape(Scattered(parts=parts), Color()) if all(map(is_in_cells, parts)):
            left, top, width, height = matrix.box(0, 0, 1, 1)
            if width == height and matrix.scale_x > 0 < matrix.scale_y and _whole(left, top, width):
                return round(left), round(top), round(width)
    return None


def _squares(squares: Squares, matrix: Matrix) -> list[Masked] | None:
    """Return functions that add squares to a mask; None if they do not lie on whole pixels."""
    across, down = len(squares.cells[0]), len(squares.cells)
    box = matrix.box(squares.x, squares.y, squares.size * across, squares.size * down)
    if not _whole(*box, squares.size * matrix.scale_x):
        return None
    small = Image.frombytes("L", (across, down), b"".join(squares.cells).replace(b"\x01", b"\xff"))
    left, top, width, height = map(round, box)
    large = _mirror(small, (matrix.scale_x < 0, matrix.scale_y < 0)).resize((width, height), Image.Resampling.NEAREST)
    return [lambda mask: mask.paste(255, (left, top), large)]


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
