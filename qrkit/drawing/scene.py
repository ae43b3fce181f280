"""`Scene`: a drawing in pixels, x to the right and y down, before it is a file of some format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from qrkit.design.color import WHITE, Color
from qrkit.design.outline import Outline
from qrkit.drawing.plain_picture import Plain, runs
from qrkit.late import Shown
from qrkit.symbol.symbol import Symbol

__all__ = [
    "Bitmap",
    "Drawing",
    "Gradient",
    "Group",
    "Item",
    "Linear",
    "Matrix",
    "Paint",
    "Picture",
    "Pictures",
    "Radial",
    "Rectangle",
    "Scene",
    "Shape",
    "Squares",
    "Stamps",
]


@dataclass(frozen=True, slots=True)
class Linear:
    """A gradient along a line, in the pixels of what it paints.

    Attributes:
        start: x, y of the first color.
        stop: x, y of the last color.
        stops: Offset 0..1 and color, by rising offset.
    """

    start: tuple[float, float]
    stop: tuple[float, float]
    stops: tuple[tuple[float, Color], ...]


@dataclass(frozen=True, slots=True)
class Radial:
    """A gradient from a focal point to a circle, in the pixels of what it paints.

    Attributes:
        centre: x, y of the circle.
        radius: Of the circle.
        focus: x, y where the first color is; inside the circle.
        stops: Offset 0..1 and color, by rising offset.
    """

    centre: tuple[float, float]
    radius: float
    focus: tuple[float, float]
    stops: tuple[tuple[float, Color], ...]


Gradient: TypeAlias = Linear | Radial
"""A gradient in pixels: that of a `Design` may be in parts of the picture."""

Paint: TypeAlias = Color | Gradient
"""What fills something."""


@dataclass(frozen=True, slots=True)
class Bitmap:
    """A picture of pixels, decoded and written anew by us.

    Attributes:
        png: The picture as PNG.
        width: Pixels of its own.
        height: Pixels of its own.
    """

    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """A stranger's SVG reduced to a safe static subset.

    Attributes:
        markup: What stands inside its `<svg>` element; ids begin with `name`, references stay inside the markup.
        name: Prefix of its ids, made from its bytes.
        box: Its viewBox: x, y, width and height.
        lost: What could be seen of the SVG and is not in it: `text`, `image`, …
    """

    markup: str
    name: str
    box: tuple[float, float, float, float]
    lost: tuple[str, ...] = ()


Pictures: TypeAlias = Mapping[str, Bitmap | Drawing | Outline]
"""The pictures that a design names, by the path of the field: `layers.0.content`."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """One filled rectangle, in pixels.

    Attributes:
        x: Left edge.
        y: Top edge.
        width: To the right.
        height: Downwards.
        paint: A color or a gradient.
    """

    x: float
    y: float
    width: float
    height: float
    paint: Paint


@dataclass(frozen=True, slots=True)
class Squares:
    """Equal squares on a grid: the cells that are 1.

    Attributes:
        x: Left edge of the grid in pixels.
        y: Top edge of the grid in pixels.
        size: Side of a square in pixels.
        cells: Rows of bytes, 1 for a square, 0 for none.
        paint: What fills them.
        union: Whether the squares are one shape; else each is its own.
    """

    x: float
    y: float
    size: float
    cells: tuple[bytes, ...]
    paint: Paint
    union: bool = False

    def runs(self) -> list[tuple[int, int, int]]:
        """The squares as horizontal bars: (column, row, number of squares), in cells."""
        return runs(self.cells)


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled outline, by the non-zero rule.

    Attributes:
        outline: In pixels.
        paint: A color or a gradient.
    """

    outline: Outline
    paint: Paint


@dataclass(frozen=True, slots=True)
class Stamps:
    """One small picture at many places.

    Attributes:
        picture: An outline in pixels from its own 0, 0, filled with `paint`; or a picture that has its own colors.
        width: Of one stamp, in pixels.
        height: Of one stamp, in pixels.
        places: x, y of the top left corner of each, in pixels.
        paint: What fills outlines; a gradient runs over all of them together.
        union: Whether the outlines are one shape; else each is its own.
    """

    picture: Outline | Bitmap | Drawing
    width: float
    height: float
    places: tuple[tuple[float, float], ...]
    paint: Paint
    union: bool = False

    def outline(self) -> Outline:
        """All stamped outlines as one.

        Raises:
            TypeError: The picture is no outline.
        """
        if not isinstance(self.picture, Outline):
            raise TypeError("a bitmap or a drawing has no outline")
        return Outline.joined(self.picture.placed(x, y) for x, y in self.places)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a box of the scene, stretched to fill it.

    Attributes:
        content: Its pixels, or the drawing that an SVG holds.
        x: Left edge, in pixels.
        y: Top edge, in pixels.
        width: In pixels.
        height: In pixels.
        opacity: 0..1.
    """

    content: Bitmap | Drawing
    x: float
    y: float
    width: float
    height: float
    opacity: float = 1.0


class Matrix(NamedTuple):
    """Scale, then move: x becomes scale_x · x + move_x, y likewise. A negative scale mirrors.

    Attributes:
        scale_x: 1 is the same width.
        scale_y: 1 is the same height.
        move_x: Pixels to the right.
        move_y: Pixels down.
    """

    scale_x: float = 1.0
    scale_y: float = 1.0
    move_x: float = 0.0
    move_y: float = 0.0

    def then(self, outer: Matrix) -> Matrix:
        """This one first, then the outer one."""
        return Matrix(
            self.scale_x * outer.scale_x,
            self.scale_y * outer.scale_y,
            self.move_x * outer.scale_x + outer.move_x,
            self.move_y * outer.scale_y + outer.move_y,
        )

    def box(self, x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
        """Where a box comes to lie: left, top, width, height, in pixels.

        Args:
            x: Its left side.
            y: Its top.
            width: To the right of it.
            height: Below it.
        """
        left, right = sorted((x * self.scale_x + self.move_x, (x + width) * self.scale_x + self.move_x))
        top, bottom = sorted((y * self.scale_y + self.move_y, (y + height) * self.scale_y + self.move_y))
        return left, top, right - left, bottom - top


@dataclass(frozen=True, slots=True)
class Group:
    """Items that are scaled, mirrored and moved together.

    Attributes:
        items: What is drawn, in order.
        matrix: Where it comes to lie.
    """

    items: tuple[Item, ...]
    matrix: Matrix


Item: TypeAlias = Rectangle | Squares | Shape | Stamps | Picture | Group
"""What a drawing is made of."""


@dataclass(frozen=True, slots=True)
class Scene(Shown):
    """A drawing, its items painted in order.

    Attributes:
        width: Pixels.
        height: Pixels.
        items: What is painted.
        symbol: What is drawn, for formats that write modules instead of a picture.
        cells: Its rows of modules as they are seen, which a flip has mirrored.
        padding: Quiet zone in modules.
        title: What the code says, for people who cannot see it.
        paper: What formats without transparency paint first: the background's opaque form, else white.
        module: Pixels per module as they are seen.
        origin: x, y of the top left module of the symbol as it is seen.
        dots_per_inch: How large a pixel is printed; None where nobody said.
        key_black: Whether formats for print write black with the black ink alone.
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

    @property
    def backdrop(self) -> Color:
        """The color of the paper, where it has one; else white."""
        match self.paper:
            case (Rectangle(paint=Color() as color),):
                return color
        return WHITE

    def __repr__(self) -> str:
        return f"<Scene {self.width:g} x {self.height:g} px, {len(self.items)} items>"

    @property
    def plain(self) -> Plain | None:
        """The scene as two colors on a grid of whole pixels, where it is no more than that."""
        match self.items:
            case (
                Rectangle(0, 0, width, height, Color() as background),
                Squares(left, top, module, cells, Color() as color, union),
            ) if (width, height) == (self.width, self.height):
                place = (width, height, left, top, module)
                found = Plain(*place, cells, color, background, self.title, union, self.dots_per_inch)
                return found if found.is_on_pixels else None
        return None

    def on_paper(self) -> Scene:
        """The scene without transparency."""
        return replace(self, items=self.paper + self.items)

    def scaled(self, factor: float, *, snapped: bool = False) -> Scene:
        """The scene larger or smaller; a plain one stays plain.

        Args:
            factor: By which everything grows.
            snapped: Whether the symbol is moved to begin on a whole pixel, and the size rounded to whole ones.
        """
        (x, y), (width, height) = self.origin, (self.width * factor, self.height * factor)
        left, top = x * factor, y * factor
        if snapped:
            left, top, width, height = round(left), round(top), round(width), round(height)
        matrix = Matrix(factor, factor, left - x * factor, top - y * factor)
        is_plain = self.plain is not None

        def larger(items: tuple[Item, ...]) -> tuple[Item, ...]:
            if is_plain:
                return tuple(_scaled(item, matrix, width, height) for item in items)
            return (Group(_grown(items, 1 / factor), matrix),) if items else ()

        return replace(
            self,
            width=width,
            height=height,
            items=larger(self.items),
            paper=larger(self.paper),
            module=self.module * factor,
            origin=(left, top),
        )

    def flat(self) -> Iterator[tuple[Matrix, Item]]:
        """The items in painting order, groups resolved: each with where it goes."""
        yield from _flat(self.items, Matrix())


def _grown(items: tuple[Item, ...], margin: float) -> tuple[Item, ...]:
    """The items with their ground a little larger, so that it reaches the edge wherever rounding moves it."""
    match items:
        case (Rectangle(x, y, width, height) as ground, *rest):
            larger = replace(ground, x=x - margin, y=y - margin, width=width + 2 * margin, height=height + 2 * margin)
            return (larger, *rest)
        case (Group(inner, matrix), *rest):
            return (Group(_grown(inner, margin), matrix), *rest)
    return items


def _scaled(item: Item, matrix: Matrix, width: float, height: float) -> Item:
    """An item of a plain scene in its new place; the ground covers all of it, whatever was rounded."""
    match item:
        case Rectangle(x, y, paint=paint):
            return Rectangle(x, y, width, height, paint)
        case Squares(x, y, size):
            left, top, _, _ = matrix.box(x, y, 0, 0)
            return replace(item, x=left, y=top, size=size * matrix.scale_x)
    return Group((item,), matrix)


def _flat(items: tuple[Item, ...], matrix: Matrix) -> Iterator[tuple[Matrix, Item]]:
    for item in items:
        if isinstance(item, Group):
            yield from _flat(item.items, item.matrix.then(matrix))
        else:
            yield matrix, item
