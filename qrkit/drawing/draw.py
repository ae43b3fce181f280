"""`Design` + `Symbol` + the pictures it names -> `Scene`: where everything lies, in pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.contents.cards import summary
from qrkit.design.color import Color
from qrkit.design.design import Design
from qrkit.drawing.layout import into_placeholder, lay_out
from qrkit.drawing.plain_picture import Plain
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from qrkit.drawing.scene import Pictures, Scene

__all__ = ["draw", "draw_plain", "is_plain", "picture_size"]


def draw(design: Design, symbol: Symbol, pictures: Pictures | None = None, *, exact: bool = False) -> Scene:
    """Lay a symbol out as a design says, the quiet zone all around.

    Args:
        design: What it looks like.
        symbol: Its modules.
        pictures: What its sprites, layers and wrapper show, by the path of the field (`layers.0.content`).
        exact: Whether modules may have a fraction of a pixel to fill the size asked for, as vector formats allow
           .

    Raises:
        InvalidParameter: The size asked for leaves less than a pixel for a module.
    """
    from qrkit.drawing.decorated import draw_parts  # with all that decoration needs

    return draw_parts(design, symbol, pictures or {}).scene(exact=exact)


def draw_plain(design: Design, symbol: Symbol, *, exact: bool = False) -> Plain | None:
    """The same drawing the short way, where there is nothing to it but modules; `Scene.plain` of the long way.

    Args:
        design: What it looks like.
        symbol: Its modules.
        exact: As for `draw`.

    Returns:
        None where the design is not plain, or its modules do not lie on whole pixels.

    Raises:
        InvalidParameter: The size asked for leaves less than a pixel for a module.
    """
    foreground, background = design.foreground, design.background
    if not (isinstance(foreground, Color) and isinstance(background, Color) and is_plain(design)):
        return None
    width, height, left, top, module, _, _ = lay_out(design, symbol, exact=exact)
    place, cells = (width, height, left, top, module), symbol.modules
    plain = Plain(*place, cells, foreground, background, summary(design.content), design.modules.union)
    return plain if plain.is_on_pixels else None


def is_plain(design: Design) -> bool:
    """Whether its modules are squares as they were encoded, and nothing is around or over them."""
    markers = design.markers
    return (
        design.modules.type == "default"
        and design.flip == "none"
        and not design.layers
        and design.wrapper is None
        and markers.top_left is markers.top_right is markers.bottom_left is None
    )


def picture_size(design: Design, symbol: Symbol) -> tuple[float, float]:
    """Width and height of a picture in pixels, without the work of drawing it.

    Raises:
        InvalidParameter: The size asked for, or the placeholder, leaves less than a pixel for a module.
    """
    layout = lay_out(design, symbol, exact=True)
    if design.wrapper:
        into_placeholder(layout, design.wrapper, exact=True)
        return design.wrapper.width, design.wrapper.height
    return layout.width, layout.height
