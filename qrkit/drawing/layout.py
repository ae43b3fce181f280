"""Computes the module size and the position of the symbol, in the pixels of the QR Code image."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, NamedTuple

from qrkit.errors import InvalidParameter, Problem
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from qrkit.design.decoration import Placeholder
    from qrkit.design.design import Design
    from qrkit.design.limits import Flip
    from qrkit.drawing.scene import Matrix


ROUNDING = 1e-9
"""Rounding error allowed in sums and quotients of pixels."""


class Layout(NamedTuple):
    """Sizes and positions in a QR Code image, in pixels, before a wrapper is put around it.

    x and y are the top left corner of the symbol without its quiet zone, and `module` is the width of a module. `side`
    and `padding`, the quiet zone, are in modules.
    """

    width: float
    height: float
    x: float
    y: float
    module: float
    side: int
    padding: int

    def place(self, column: float, row: float) -> tuple[float, float]:
        """Return the top left corner of a module in pixels; the quiet zone also has negative columns and rows."""
        return self.x + column * self.module, self.y + row * self.module


def lay_out(design: Design, symbol: Symbol, *, exact: bool) -> Layout:
    """Compute the layout of an image; if `exact`, modules may have fractions of a pixel, as in vector formats."""
    return lay_out_side(design, symbol.side, exact=exact)


def lay_out_side(design: Design, side: int, *, exact: bool) -> Layout:
    """Compute the layout of a QR Code image with `side` modules on a side; see `lay_out`."""
    padding = design.padding
    across = side + 2 * padding
    if design.width is None and design.height is None:
        whole, quiet = across * design.size, padding * design.size
        return Layout(whole, whole, quiet, quiet, design.size, side, padding)
    width = design.width or design.height or 0
    height = design.height or design.width or 0
    if design.frame:
        # Width and height are those of the frame, and the image inside of it is square.
        width = height = min(width, height)
    module = min(width, height) / across
    if module < 1:
        name = "width" if width <= height and design.width else "height"
        rule = (
            f"leaves less than a pixel for each of {across} modules (quiet zone included); at least {across} is needed"
        )
        raise InvalidParameter(Problem(name, min(width, height), rule, "out-of-range"))
    left, top = (width - across * module) / 2, (height - across * module) / 2
    if not exact:
        module = floor(module)
        left, top = (width - across * module) // 2, (height - across * module) // 2
    edge = padding * module
    return Layout(width, height, left + edge, top + edge, module, side, padding)


def flip_axes(flip: Flip) -> tuple[bool, bool]:
    """Whether a flip mirrors a picture from left to right, and from top to bottom."""
    return flip in ("horizontal", "both"), flip in ("vertical", "both")


def flip_matrix(layout: Layout, flip: Flip) -> Matrix:
    """The transformation that mirrors a picture of this layout in place."""
    from qrkit.drawing.scene import Matrix

    across, down = flip_axes(flip)
    return Matrix(-1 if across else 1, -1 if down else 1, layout.width if across else 0, layout.height if down else 0)


def into_placeholder(layout: Layout, hole: Placeholder, *, exact: bool) -> Matrix:
    """Return the matrix that fits the image into the placeholder of a wrapper or frame and centers it there."""
    from qrkit.drawing.scene import Matrix

    scale = min(hole.width / layout.width, hole.height / layout.height)
    module = layout.module * scale
    if module < 1:
        rule = f"leaves less than a pixel for each of {layout.side + 2 * layout.padding} modules (quiet zone included)"
        raise InvalidParameter(Problem("wrapper.placeholder", None, rule, "out-of-range"))
    if not exact:
        scale = floor(module + ROUNDING) / layout.module
    left = hole.x + (hole.width - layout.width * scale) / 2
    top = hole.y + (hole.height - layout.height * scale) / 2
    if not exact:
        # The symbol itself begins on a whole pixel.
        left = round(left + layout.x * scale) - layout.x * scale
        top = round(top + layout.y * scale) - layout.y * scale
    return Matrix(scale, scale, left, top)
