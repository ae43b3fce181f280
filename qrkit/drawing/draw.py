"""Draws a symbol with its design and images as a `Scene`, with all positions in pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.design.color import Color
from qrkit.drawing.layout import into_placeholder, lay_out
from qrkit.drawing.plain_picture import Plain, title_of
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from qrkit.design.decoration import Wrapper
    from qrkit.design.design import Design
    from qrkit.design.simple import SimpleDesign
    from qrkit.drawing.frames.framing import Framed
    from qrkit.drawing.scene import Pictures, Scene


def draw(design: Design, symbol: Symbol, pictures: Pictures | None = None, *, exact: bool = False) -> Scene:
    """Draw a symbol, with its quiet zone.

    `pictures` are the images of sprites, layers, photo and wrapper, by the path of the field (`layers.0.content`). With
    `exact`, modules may have fractions of a pixel, so that they fill the requested size, as vector formats can.
    """
    from qrkit.drawing.decorated import draw_parts  # loads everything that decoration needs

    return draw_parts(design, symbol, pictures or {}).scene(exact=exact)


def draw_plain(design: Design, symbol: Symbol, *, exact: bool = False) -> Plain | None:
    """Draw as `Scene.plain` of `draw`, but faster; None if the design is decorated or modules do not fill pixels."""
    foreground, background = design.foreground, design.background
    if not (isinstance(foreground, Color) and isinstance(background, Color) and is_plain(design)):
        return None
    width, height, left, top, module, _, _ = lay_out(design, symbol, exact=exact)
    place, cells = (width, height, left, top, module), symbol.modules
    title = title_of(design.content, design.part)
    plain = Plain(*place, cells, foreground, background, title, design.modules.joins_squares)
    return plain if plain.is_on_pixels else None


def draw_simple(design: SimpleDesign, symbol: Symbol) -> Plain:
    """Draw a symbol in two colors; equals `draw_plain` of the same design."""
    content, _, module, padding, dark, light, union = design
    side, edge = (symbol.side + 2 * padding) * module, padding * module
    return Plain(side, side, edge, edge, module, symbol.modules, dark, light, title_of(content), union is not False)


def is_plain(design: Design) -> bool:
    """Return True if the modules are plain squares, not flipped, with nothing around or over them."""
    markers = design.markers
    return (
        design.modules.type == "default"
        and design.flip == "none"
        and not design.layers
        and design.photo is None
        and design.wrapper is None
        and design.frame is None
        and markers.top_left is markers.top_right is markers.bottom_left is None
    )


def picture_size(design: Design, symbol: Symbol) -> tuple[float, float, float]:
    """Return width and height of an image and of a module in pixels, without drawing it."""
    layout = lay_out(design, symbol, exact=True)
    around: Wrapper | Framed | None = design.wrapper
    if design.frame:
        from qrkit.drawing.frames.framing import framed  # loads the letters of captions

        around = framed(design, design.frame, layout)
    if around is None:
        return layout.width, layout.height, layout.module
    scale = into_placeholder(layout, around.placeholder, exact=True).scale_x
    return around.width, around.height, layout.module * scale
