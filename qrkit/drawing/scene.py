"""Provides `Scene`, a drawing in pixels (x to the right, y down) that is independent of file formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qrkit.design.color import WHITE, Color
from qrkit.design.outline import Outline, Scattered
from qrkit.design.runs import runs
from qrkit.drawing.plain_picture import Plain
from qrkit.errors import InvalidParameter, Problem
from qrkit.late import Shown
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from qrkit.drawing.writers.press import Press

__all__ = [
    "Bitmap", "Drawing", "Gradient", "Group", "Item", "Linear", "Matrix", "Paint", "Picture", "Pictures", "Radial",
    "Rectangle", "Scene", "Shape", "Squares", "Stamps",
]  # fmt: skip


class Linear(NamedTuple):
    """A gradient along a line, in the pixels of the item that it fills.

    Attributes:
        start: x, y of the first color.
        stop: x, y of the last color.
        stops: Pairs of offset (0..1) and color, sorted by offset.
    """

    start: tuple[float, float]
    stop: tuple[float, float]
    stops: tuple[tuple[float, Color], ...]


class Radial(NamedTuple):
    """A gradient from a focal point to a circle, in the pixels of the item that it fills.

    Attributes:
        centre: x, y of the circle's center.
        radius: Radius of the circle.
        focus: x, y of the first color; inside the circle.
        stops: Pairs of offset (0..1) and color, sorted by offset.
    """

    centre: tuple[float, float]
    radius: float
    focus: tuple[float, float]
    stops: tuple[tuple[float, Color], ...]


Gradient: TypeAlias = Linear | Radial
"""A gradient in pixels; a gradient of a `Design` may be in shares of the image."""

Paint: TypeAlias = Color | Gradient
"""The fill of an item."""


class Bitmap(NamedTuple):
    """A raster image, decoded and encoded again by qrkit.

    Attributes:
        png: The image as PNG.
        width: Width of the PNG in pixels.
        height: Height of the PNG in pixels.
        warnings: Sentences about what is lost, if it was an SVG.
    """

    png: bytes
    width: int
    height: int
    warnings: tuple[str, ...] = ()


class Drawing(NamedTuple):
    """An untrusted SVG, reduced to a safe static subset.

    Attributes:
        markup: The content of its `<svg>` element; ids begin with `name`, references stay inside the markup.
        name: Prefix of its ids, derived from its bytes.
        box: Its viewBox: x, y, width and height.
        warnings: Sentences about what was left out of the SVG, or is drawn in another way than it asks for.
    """

    markup: str
    name: str
    box: tuple[float, float, float, float]
    warnings: tuple[str, ...] = ()


Pictures: TypeAlias = Mapping[str, Bitmap | Drawing | Outline]
"""The images of a design, by the path of the field: `layers.0.content`."""


class Rectangle(NamedTuple):
    """A filled rectangle, in pixels.

    Attributes:
        x: Left edge.
        y: Top edge.
        width: Width.
        height: Height.
        paint: A color or a gradient.
    """

    x: float
    y: float
    width: float
    height: float
    paint: Paint


class Squares(NamedTuple):
    """Equal squares on a grid, one for each cell that is 1.

    Attributes:
        x: Left edge of the grid in pixels.
        y: Top edge of the grid in pixels.
        size: Side of a square in pixels.
        cells: Rows of bytes, 1 for a square, 0 for an empty cell.
        paint: A color or a gradient.
        union: True if the squares form one shape; False if each is a shape of its own.
    """

    x: float
    y: float
    size: float
    cells: tuple[bytes, ...]
    paint: Paint
    union: bool = False

    def runs(self) -> list[tuple[int, int, int]]:
        """Return the squares as horizontal bars: (column, row, number of squares), in cells."""
        return runs(self.cells)


class Shape(NamedTuple):
    """An outline, filled by the non-zero rule.

    Attributes:
        outline: The outline, in pixels.
        paint: A color or a gradient.
    """

    outline: Outline
    paint: Paint


class Stamps(NamedTuple):
    """One small image at many places.

    Attributes:
        picture: An outline in pixels from its own 0, 0, filled with `paint`; or an image with its own colors.
        width: Width of one stamp, in pixels.
        height: Height of one stamp, in pixels.
        places: x, y of the top left corner of each stamp, in pixels.
        paint: The fill of outlines; a gradient covers all stamps together.
        union: True if the outlines form one shape; False if each is a shape of its own.
    """

    picture: Outline | Bitmap | Drawing
    width: float
    height: float
    places: tuple[tuple[float, float], ...]
    paint: Paint
    union: bool = False

    def outline(self) -> Outline:
        """Return all stamped outlines as one.

        Raises:
            TypeError: If the image is not an outline.
        """
        if not isinstance(self.picture, Outline):
            raise TypeError("a bitmap or a drawing has no outline")
        return Scattered((self.picture, x, y) for x, y in self.places)


class Picture(NamedTuple):
    """An image in a box of the scene, stretched to fill it.

    Attributes:
        content: The image.
        x: Left edge, in pixels.
        y: Top edge, in pixels.
        width: Width, in pixels.
        height: Height, in pixels.
        opacity: 0..1.
    """

    content: Bitmap | Drawing
    x: float
    y: float
    width: float
    height: float
    opacity: float = 1.0


class Matrix(NamedTuple):
    """A transform that scales, then moves: x becomes scale_x · x + move_x, y becomes scale_y · y + move_y.

    Attributes:
        scale_x: Horizontal factor; a negative one mirrors.
        scale_y: Vertical factor; a negative one mirrors.
        move_x: Pixels to the right.
        move_y: Pixels down.
    """

    scale_x: float = 1.0
    scale_y: float = 1.0
    move_x: float = 0.0
    move_y: float = 0.0

    def then(self, outer: Matrix) -> Matrix:
        """Combine two transforms: apply this one first, then the outer one."""
        return Matrix(
            self.scale_x * outer.scale_x,
            self.scale_y * outer.scale_y,
            self.move_x * outer.scale_x + outer.move_x,
            self.move_y * outer.scale_y + outer.move_y,
        )

    def inverse(self) -> Matrix:
        """Return the transform that undoes this one, whose factors are not 0."""
        return Matrix(1 / self.scale_x, 1 / self.scale_y, -self.move_x / self.scale_x, -self.move_y / self.scale_y)

    def box(self, x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
        """Transform a box and return its left, top, width and height, in pixels.

        Args:
            x: Left edge.
            y: Top edge.
            width: Width.
            height: Height.
        """
        left, right = sorted((x * self.scale_x + self.move_x, (x + width) * self.scale_x + self.move_x))
        top, bottom = sorted((y * self.scale_y + self.move_y, (y + height) * self.scale_y + self.move_y))
        return left, top, right - left, bottom - top


class Group(NamedTuple):
    """Items that are scaled, mirrored and moved together.

    Attributes:
        items: The items, in painting order.
        matrix: The transform to apply.
    """

    items: tuple[Item, ...]
    matrix: Matrix


Item: TypeAlias = Rectangle | Squares | Shape | Stamps | Picture | Group
"""An element of a drawing."""


@dataclass(frozen=True, slots=True)
class Scene(Shown):
    """A drawing in pixels.

    Attributes:
        width: Width in pixels.
        height: Height in pixels.
        items: The items, in painting order.
        symbol: The encoded symbol, for formats that write modules instead of an image.
        cells: Rows of modules as drawn; a flip mirrors them.
        padding: Quiet zone in modules.
        title: A description of the content, for screen readers.
        paper: The items that formats without transparency paint first: the opaque background, else white.
        module: Pixels per module as drawn.
        origin: x, y of the top left corner of the symbol as drawn.
        dots_per_inch: Print resolution; None if unknown.
        key_black: True to write black with black ink only in print formats.
        press: What a PDF or a TIFF is printed with; None for colors in RGB.
        bleed: Pixels at each side of a PDF that are cut off after it was printed.
    """

    width: float
    height: float
    items: tuple[Item, ...]
    symbol: Symbol
    cells: tuple[bytes, ...]
    padding: int
    title: str
    paper: tuple[Item, ...] = ()
    module: float = 1.0
    origin: tuple[float, float] = (0.0, 0.0)
    dots_per_inch: float | None = None
    key_black: bool = False
    press: Press | None = None
    bleed: float = 0.0

    @property
    def backdrop(self) -> Color:
        """The color of the paper if it is a single color; else white."""
        match self.paper:
            case (Rectangle(paint=Color() as color),):
                return color
        return WHITE

    def __repr__(self) -> str:
        return f"<Scene {self.width:g} x {self.height:g} px, {len(self.items)} items>"

    @property
    def plain(self) -> Plain | None:
        """The scene as two colors on a grid of whole pixels; None if it contains more than that."""
        match self.items:
            case (
                Rectangle(0, 0, width, height, Color() as background),
                Squares(left, top, module, cells, Color() as color, union),
            ) if (width, height) == (self.width, self.height):
                place = (width, height, left, top, module)
                plain = Plain(*place, cells, color, background, self.title, union, self.dots_per_inch)
                return plain if plain.is_on_pixels else None
        return None

    def on_paper(self) -> Scene:
        """Return the scene without transparency."""
        return replace(self, items=self.paper + self.items)

    def united(self) -> Scene:
        """Return the scene with its squares and its stamped outlines as single shapes."""
        return replace(self, items=tuple(map(_unite, self.items)))

    def scaled(self, factor: float, *, snapped: bool = False) -> Scene:
        """Return the scene at another size; a plain scene stays plain.

        Args:
            factor: The factor by which all sizes are multiplied.
            snapped: True to move the symbol to a whole pixel, and to round the size to whole pixels.
        """
        (x, y), (width, height) = self.origin, (self.width * factor, self.height * factor)
        left, top = x * factor, y * factor
        if snapped:
            left, top, width, height = round(left), round(top), round(width), round(height)
        matrix = Matrix(factor, factor, left - x * factor, top - y * factor)
        is_plain = self.plain is not None

        def larger(items: tuple[Item, ...]) -> tuple[Item, ...]:
            if is_plain:
                return tuple(_scale_item(item, matrix, width, height) for item in items)
            return (Group(_enlarge_background(items, 1 / factor), matrix),) if items else ()

        return replace(
            self,
            width=width,
            height=height,
            items=larger(self.items),
            paper=larger(self.paper),
            module=self.module * factor,
            origin=(left, top),
        )

    def with_bleed(self, bleed: float) -> Scene:
        """Return the scene with its background continued at all sides.

        Args:
            bleed: Pixels at each side.

        Raises:
            InvalidParameter: If it has neither a background of a color or a gradient, nor a frame whose ground
                reaches all edges and has no hole.
        """
        width, height, moved = self.width + 2 * bleed, self.height + 2 * bleed, Matrix(1, 1, bleed, bleed)
        items: tuple[Item, ...] = (Group(_enlarge_background(self.items, bleed), moved),)
        matrix, ground = next(self.flat(), (Matrix(), Group((), Matrix())))
        filled, x, y, across, down = ground, 0.0, 0.0, 0.0, 0.0
        if isinstance(ground, Shape) and ground.outline.letters.count("M") == 1:
            left, top, right, bottom = ground.outline.box()
            filled = Rectangle(left, top, right - left, bottom - top, ground.paint)
            x, y, across, down = matrix.box(left, top, filled.width, filled.height)
        if max(abs(x), abs(y), abs(x + across - self.width), abs(y + down - self.height)) <= self.module / 2:
            # The color of the frame fills the bleed and the corners, which a straight cut would leave light.
            larger = Matrix(width / across, height / down, -x * width / across, -y * height / down)
            items = (Group((filled,), matrix.then(larger)), Group(self.items, moved))
        elif not isinstance(ground, Rectangle):
            rule = "needs a background, or a frame whose ground reaches all edges and has no hole, such as bar or card"
            raise InvalidParameter(Problem("bleed_mm", None, rule))
        return replace(self, width=width, height=height, items=items, bleed=bleed)

    def flat(self) -> Iterator[tuple[Matrix, Item]]:
        """Yield the items in painting order with their transforms, resolving groups."""
        yield from _resolve_groups(self.items, Matrix())


def _unite(item: Item) -> Item:
    match item:
        case Group(items, matrix):
            return Group(tuple(map(_unite, items)), matrix)
        case Squares() | Stamps(picture=Outline()):
            return item._replace(union=True)
    return item


def _enlarge_background(items: tuple[Item, ...], margin: float) -> tuple[Item, ...]:
    """Enlarge the background slightly, so that it still reaches the edges after rounding."""
    match items:
        case (Rectangle(x, y, width, height) as ground, *rest):
            larger = ground._replace(x=x - margin, y=y - margin, width=width + 2 * margin, height=height + 2 * margin)
            return (larger, *rest)
        case (Group(inner, matrix), *rest):
            return (Group(_enlarge_background(inner, margin / matrix.scale_x), matrix), *rest)
    return items


def _scale_item(item: Item, matrix: Matrix, width: float, height: float) -> Item:
    """Transform an item of a plain scene; the background covers the whole scene regardless of rounding."""
    match item:
        case Rectangle(x, y, paint=paint):
            return Rectangle(x, y, width, height, paint)
        case Squares(x, y, size):
            left, top, _, _ = matrix.box(x, y, 0, 0)
            return item._replace(x=left, y=top, size=size * matrix.scale_x)
    return Group((item,), matrix)


def _resolve_groups(items: tuple[Item, ...], matrix: Matrix) -> Iterator[tuple[Matrix, Item]]:
    for item in items:
        if isinstance(item, Group):
            yield from _resolve_groups(item.items, item.matrix.then(matrix))
        else:
            yield matrix, item
