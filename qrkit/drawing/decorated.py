"""Draws a QR Code with all its decoration."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from qrkit.design.color import WHITE, Color
from qrkit.design.decoration import Wrapper
from qrkit.design.design import Design
from qrkit.design.limits import ICON_BOX, Flip
from qrkit.design.outline import Outline
from qrkit.design.shapes.styles import STYLES
from qrkit.drawing.bitmaps import at_most
from qrkit.drawing.frames.framing import Framed, framed, ground
from qrkit.drawing.layout import Layout, flip_axes, flip_matrix, into_placeholder, lay_out
from qrkit.drawing.paints import paint
from qrkit.drawing.parts.layers import draw_layers, left_out
from qrkit.drawing.parts.modules import draw_markers, draw_modules, is_square
from qrkit.drawing.parts.sheet import Cells, Sheet
from qrkit.drawing.plain_picture import title_of
from qrkit.drawing.scene import Group, Item, Matrix, Picture, Pictures, Rectangle, Scene, Shape, Squares
from qrkit.symbol.symbol import FINDER, Role, Symbol, finder_places

SEEN = bytes(role not in (Role.FINDER, Role.SEPARATOR, Role.ALIGNMENT) for role in range(256))
"""For `bytes.translate`: whether light modules of a role get sprites; readers need light in and around patterns."""


class Parts(NamedTuple):
    """The parts of a drawing, the photo, modules, finder patterns and layers, laid out once for all formats.

    The layout may have fractions of a pixel per module. If raster formats shrink the symbol to whole pixels per module,
    everything on the symbol shrinks with it: a layer keeps its place on the symbol and leaves out the same modules in
    every format.
    """

    sheet: Sheet
    items: tuple[Item, ...]

    def scene(self, *, exact: bool) -> Scene:
        """Return the drawing; see `draw` for `exact`."""
        design, symbol, layout, items = self.sheet.design, self.sheet.symbol, self.sheet.layout, self.items
        if not (exact or design.wrapper or design.frame):
            whole = lay_out(design, symbol, exact=False)
            items, layout = _move(items, layout, whole), whole
        items = (Rectangle(0, 0, layout.width, layout.height, self.sheet.background), *items)
        across, down = flip_axes(design.flip)
        scene = Scene(
            width=layout.width,
            height=layout.height,
            items=_flip(items, layout, design.flip),
            symbol=symbol,
            cells=_mirror(symbol.modules, across=across, down=down),
            padding=design.padding,
            title=title_of(design.content, design.part),
            module=layout.module,
            origin=_origin(layout, across=across, down=down),
            paper=_flip((Rectangle(0, 0, layout.width, layout.height, self.sheet.paper),), layout, design.flip),
        )
        if design.frame:
            done = framed(design, design.frame, self.sheet.layout)
            matrix = into_placeholder(self.sheet.layout, done.placeholder, exact=exact)
            return _put_into(scene, done, done.shapes, matrix)
        return _wrap(scene, self.sheet, design.wrapper, exact=exact) if design.wrapper else scene


def draw_parts(design: Design, symbol: Symbol, pictures: Pictures) -> Parts:
    """Lay out all parts of a drawing; see `draw` for the parameters."""
    layout = lay_out(design, symbol, exact=True)
    foreground = paint(design.foreground, layout.width, layout.height)
    background = paint(ground(design), layout.width, layout.height)
    sheet = Sheet(design, symbol, layout, pictures, foreground, background)
    dark, light = _cells(sheet)
    return Parts(sheet, (*_photo(sheet), *_symbol_items(sheet, dark, light), *draw_layers(sheet)))


def _symbol_items(sheet: Sheet, dark: Cells, light: Cells) -> tuple[Item, ...]:
    """Return the modules and finder patterns; those of a style are measured in modules, as short numbers."""
    if sheet.design.modules.type not in STYLES:
        return (*draw_modules(sheet, dark, light), *draw_markers(sheet))
    layout, inside = sheet.layout, sheet.in_modules()
    items = (*draw_modules(inside, dark, light), *draw_markers(inside))
    return (Group(items, Matrix(layout.module, layout.module, layout.x, layout.y)),)


def _photo(sheet: Sheet) -> list[Item]:
    """Return a photo that lies below the modules, and the light grounds on it; nothing for other designs."""
    photo = sheet.design.photo
    if photo is None or photo.place == "inside":
        return []
    from qrkit.drawing.parts.photos import draw_photo  # loads NumPy and Pillow

    return draw_photo(sheet, is_behind=photo.place == "behind")


def _cells(sheet: Sheet) -> tuple[Cells, Cells]:
    """Return the dark modules to draw, and the light ones that may carry sprites."""
    out = left_out(sheet)
    dark = [bytearray(row) for row in sheet.symbol.modules]
    may_be_seen = (roles.translate(SEEN) for roles in sheet.symbol.roles)
    light = [
        bytearray((int.from_bytes(seen) & ~int.from_bytes(row)).to_bytes(len(row)))
        for seen, row in zip(may_be_seen, sheet.symbol.modules, strict=True)
    ]
    for column, row in out:
        dark[row][column] = light[row][column] = 0
    for corner, (row, column) in finder_places(sheet.symbol.side).items():
        if not is_square(sheet.design, corner):
            for line in dark[row : row + FINDER]:
                line[column : column + FINDER] = bytes(FINDER)
    return tuple(map(bytes, dark)), tuple(map(bytes, light))


def _move(items: tuple[Item, ...], layout: Layout, other: Layout) -> tuple[Item, ...]:
    """Move and scale items from one layout to the position and size of the symbol in another."""
    if layout == other:
        return items
    match items:
        case (Squares(paint=Color()) as squares,):
            return (squares._replace(x=other.x, y=other.y, size=other.module),)
    scale = other.module / layout.module
    return (Group(items, Matrix(scale, scale, other.x - layout.x * scale, other.y - layout.y * scale)),)


def _origin(layout: Layout, *, across: bool, down: bool) -> tuple[float, float]:
    """Return the top left corner of the symbol after mirroring."""
    side = layout.module * layout.side
    return layout.width - layout.x - side if across else layout.x, layout.height - layout.y - side if down else layout.y


def _flip(items: tuple[Item, ...], layout: Layout, flip: Flip) -> tuple[Item, ...]:
    """Mirror items."""
    across, down = flip_axes(flip)
    if not (across or down):
        return items
    match items:
        case (Rectangle(paint=Color()),):
            return items
        case (Rectangle(paint=Color()), Squares(paint=Color()) as squares):
            # Squares of one color stay squares, because every format writes those most compactly.
            left, top = _origin(layout, across=across, down=down)
            return items[0], squares._replace(x=left, y=top, cells=_mirror(squares.cells, across=across, down=down))
    return (Group(items, flip_matrix(layout, flip)),)


def _mirror(cells: Cells, *, across: bool, down: bool) -> Cells:
    rows = cells[::-1] if down else cells
    return tuple(row[::-1] for row in rows) if across else rows


def _wrap(scene: Scene, sheet: Sheet, wrapper: Wrapper, *, exact: bool) -> Scene:
    """Place the scene in the placeholder of its wrapper."""
    content = sheet.pictures["wrapper.source"]
    around: Item
    if isinstance(content, Outline):
        scale_x, scale_y = wrapper.width / ICON_BOX, wrapper.height / ICON_BOX
        around = Shape(content.placed(0, 0, scale_x, scale_y), sheet.foreground)
    else:
        shown = at_most(content, wrapper.width, wrapper.height)
        around = Picture(shown, 0, 0, wrapper.width, wrapper.height)
    return _put_into(scene, wrapper, (around,), into_placeholder(sheet.layout, wrapper.placeholder, exact=exact))


def _put_into(scene: Scene, whole: Wrapper | Framed, around: tuple[Item, ...], matrix: Matrix) -> Scene:
    """Place the scene on top of a wrapper or frame."""
    return replace(
        scene,
        width=whole.width,
        height=whole.height,
        items=(*around, Group(scene.items, matrix)),
        paper=(Rectangle(0, 0, whole.width, whole.height, WHITE),),
        module=scene.module * matrix.scale_x,
        origin=matrix.box(*scene.origin, 0, 0)[:2],
    )
