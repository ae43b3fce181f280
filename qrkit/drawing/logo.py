"""A picture in the middle of a symbol, or elsewhere on it, in its proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Unpack

from qrkit.design.decoration import Layer
from qrkit.design.outline import Outline
from qrkit.drawing.resizing import layout_of, pinned
from qrkit.drawing.scene import Bitmap
from qrkit.drawing.untrusted.assets import read_asset
from qrkit.errors import InvalidParameter, Problem

if TYPE_CHECKING:
    from qrkit.design.decoration import LogoLook
    from qrkit.design.design import Design
    from qrkit.drawing.untrusted.assets import Fetch

__all__ = ["Logo", "place_problems", "with_logo"]


class Logo(NamedTuple):
    """A picture, and how wide and high it is.

    Attributes:
        content: As `Layer.content` has it.
        width: Of the longer side, 0..1.
        height: Likewise.
    """

    content: str
    width: float
    height: float

    @classmethod
    def read(cls, content: str, fetch: Fetch | None = None) -> Logo:
        """The picture with its proportions.

        Raises:
            AssetError: It is none, or not to be had.
        """
        picture = read_asset(content, fetch=fetch, part="content")
        size: tuple[float, float] = (1, 1)
        if isinstance(picture, Bitmap):
            size = (picture.width, picture.height)
        elif not isinstance(picture, Outline):
            size = picture.box[2:]
        return cls(content, size[0] / max(size), size[1] / max(size))

    def on(self, design: Design, share: float, place: tuple[float, float], **look: Unpack[LogoLook]) -> Design:
        """The design with it as its last layer; see `with_logo`."""
        layout = layout_of(design)
        across, down = layout.place(place[0] * layout.side, place[1] * layout.side)
        longer = share * layout.side * layout.module
        width, height = round(self.width * longer, 2), round(self.height * longer, 2)
        x, y = round(across - width / 2, 2), round(down - height / 2, 2)
        layer = Layer(self.content, x=x, y=y, width=width, height=height, **look)
        return design.replace(layers=[*design.layers, layer])


def with_logo(
    design: Design,
    content: str,
    share: float = 0.2,
    *,
    place: tuple[float, float] = (0.5, 0.5),
    fetch: Fetch | None = None,
    **look: Unpack[LogoLook],
) -> Design:
    """A design with a picture on it; see `Design.with_logo`.

    Raises:
        InvalidParameter: An argument breaks its rule.
        AssetError: The picture is none, or not to be had.
        ContentTooLong: The content of the design does not fit.
    """
    problems = place_problems(place)
    if not 0.01 <= share <= 2:
        problems.append(Problem("share", share, "must be in 0.01..2 of the symbol's width", "out-of-range"))
    if problems:
        raise InvalidParameter(*problems)
    apart: LogoLook = {"display": "pixel-hit-test", **look}
    return Logo.read(content, fetch).on(pinned(design), share, place, **apart)


def place_problems(place: tuple[float, float]) -> list[Problem]:
    """What is wrong with a place on a symbol."""
    if len(place) == 2 and all(0 <= one <= 1 for one in place):
        return []
    return [Problem("place", place, "must be two numbers in 0..1 of the symbol", "out-of-range")]
