"""Places a logo on a symbol, keeping its proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qrkit.design.decoration import Layer
from qrkit.design.outline import Outline
from qrkit.drawing.resizing import layout_of, pinned
from qrkit.drawing.scene import Bitmap
from qrkit.drawing.untrusted.assets import read_asset
from qrkit.errors import InvalidParameter, Problem

if TYPE_CHECKING:
    from qrkit.design.color import Color
    from qrkit.design.design import Design
    from qrkit.design.limits import Display
    from qrkit.drawing.untrusted.assets import Fetch

__all__ = ["Logo", "place_problems", "with_logo"]


class Logo(NamedTuple):
    """A logo with its proportions.

    Attributes:
        content: The image, as in `Layer.content`.
        width: Width as a share of the longer side, 0..1.
        height: Height as a share of the longer side, 0..1.
    """

    content: str
    width: float
    height: float

    @classmethod
    def read(cls, content: str, fetch: Fetch | None = None) -> Logo:
        """Read an image and compute its proportions.

        Raises:
            AssetError: If the image is invalid or cannot be fetched.
        """
        picture = read_asset(content, fetch=fetch, part="content")
        size: tuple[float, float] = (1, 1)
        if isinstance(picture, Bitmap):
            size = (picture.width, picture.height)
        elif not isinstance(picture, Outline):
            size = picture.box[2:]
        return cls(content, size[0] / max(size), size[1] / max(size))

    def layer_on(self, design: Design, share: float, place: tuple[float, float]) -> Layer:
        """Return the logo as a layer of a design; see `with_logo`."""
        layout = layout_of(design)
        across, down = layout.place(place[0] * layout.side, place[1] * layout.side)
        longer = share * layout.side * layout.module
        width, height = round(self.width * longer, 2), round(self.height * longer, 2)
        x, y = round(across - width / 2, 2), round(down - height / 2, 2)
        return Layer(self.content, x=x, y=y, width=width, height=height)


def with_logo(
    design: Design,
    content: str,
    share: float = 0.2,
    *,
    place: tuple[float, float] = (0.5, 0.5),
    name: str = "",
    opacity: float = 1.0,
    color: str | Color | None = None,
    display: Display = "pixel-hit-test",
    tolerance: float = 0.0,
    fetch: Fetch | None = None,
) -> Design:
    """Return a design with a logo; see `Design.with_logo`.

    Raises:
        InvalidParameter: If an argument breaks its rule.
        AssetError: If the image is invalid or cannot be fetched.
        ContentTooLong: If the content of the design does not fit.
    """
    problems = place_problems(place)
    if not 0.01 <= share <= 2:
        problems.append(Problem("share", share, "must be in 0.01..2 of the symbol's width", "out-of-range"))
    if problems:
        raise InvalidParameter(*problems)
    design = pinned(design)
    layer = Logo.read(content, fetch).layer_on(design, share, place)
    look = {"name": name, "opacity": opacity, "color": color, "display": display, "tolerance": tolerance}
    return design.replace(layers=[*design.layers, layer.replace(**look)])


def place_problems(place: tuple[float, float]) -> list[Problem]:
    """Return the problems of a place on a symbol; empty if it is valid."""
    if len(place) == 2 and all(0 <= one <= 1 for one in place):
        return []
    return [Problem("place", place, "must be two numbers in 0..1 of the symbol", "out-of-range")]
