"""Rotates the image of a layer: as an SVG that holds the image, so that other programs draw it rotated, too.

A layer of the interface has no angle. The SVG contains the image as it was, and its root says by how much it is turned,
so that it can be rotated again, or back, without loss. Only qrkit draws an icon without a color of its own in the
foreground color; in other programs it is black.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple
from urllib.parse import quote, unquote

from qrkit.design.color import Color
from qrkit.design.limits import EXTENT, ICON, ICON_BOX
from qrkit.design.outline import Outline
from qrkit.late import html

_BEGINNING = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20data-rotated='"
_ROOT = re.compile(
    r"<svg xmlns='[^']+' data-rotated='(?P<degrees>-?[\d.]+) (?P<width>[\d.]+) (?P<height>[\d.]+)'"
    r"(?: data-color='(?P<color>#[0-9A-F]{8})' color='[^']+'(?: fill-opacity='[^']+')?)? viewBox='[^']+'>"
    r"<g transform='[^']+'><(?:image|svg) [^>]*?(?:href|data-icon)='(?P<content>[^']+)'"
)
_MOST_ROTATIONS = 8
"""Rotations of one image in a row, each in an SVG of its own. With more, its innermost images are not drawn."""
_PLACES = 4
"""Decimals of degrees and lengths, so that a layer that is turned back has the numbers it had."""


class Rotated(NamedTuple):
    """An image that is rotated about its center, clockwise by degrees above -180 and up to 180; lengths are in pixels.

    The content is that before, as in `Layer.content`. The color is that of an icon; None for the foreground, and for
    other images.
    """

    content: str
    width: float
    height: float
    degrees: float
    color: Color | None = None

    @property
    def box(self) -> tuple[float, float]:
        """Width and height of the smallest upright box around the rotated image."""
        across, down = abs(math.cos(self._radians)), abs(math.sin(self._radians))
        width = self.width * across + self.height * down
        return round(width, _PLACES), round(self.width * down + self.height * across, _PLACES)

    @property
    def transform(self) -> str:
        """The SVG transform that moves the image from 0, 0 to its place in the box, and rotates it there."""
        width, height = self.box
        middle = f"{_number(width / 2)} {_number(height / 2)}"
        return (
            f"rotate({_number(self.degrees)} {middle}) "
            f"translate({_number((width - self.width) / 2)} {_number((height - self.height) / 2)})"
        )

    def outline(self, icon: Outline) -> Outline:
        """Return the outline of an icon rotated, in a box of `ICON_BOX` units that stands for the whole `box`."""
        width, height = self.box
        cos, sin = math.cos(self._radians), math.sin(self._radians)
        to_box = ICON_BOX / width, ICON_BOX / height
        # Columns of the matrix: from the icon's units to pixels, rotated, to units of the box.
        a, b = cos * self.width / ICON_BOX * to_box[0], sin * self.width / ICON_BOX * to_box[1]
        c, d = -sin * self.height / ICON_BOX * to_box[0], cos * self.height / ICON_BOX * to_box[1]
        half = ICON_BOX / 2
        return icon.transformed((a, b, c, d, half - (a + c) * half, half - (b + d) * half))

    def as_content(self) -> str:
        """Return the rotated image as a data URI, for `Layer.content`."""
        mark = " ".join(map(_number, (self.degrees, self.width, self.height)))
        color = ""
        if self.color:
            color = f" data-color='{self.color.argb}' color='{self.color.rgb}'"
        if self.color and self.color.alpha < 255:
            color += f" fill-opacity='{self.color.opacity:.4g}'"
        view = f"viewBox='0 0 {' '.join(map(_number, self.box))}'"
        root = f"<svg xmlns='http://www.w3.org/2000/svg' data-rotated='{mark}'{color} {view}>"
        svg = f"{root}<g transform='{self.transform}'>{self._image()}</g></svg>"
        return f"data:image/svg+xml,{quote(svg, safe=_UNQUOTED)}"

    def _image(self) -> str:
        size = f"width='{_number(self.width)}' height='{_number(self.height)}' preserveAspectRatio='none'"
        name = html.escape(self.content)
        if not self.content.lower().startswith(ICON):
            return f"<image {size} href='{name}'/>"
        from qrkit.design.shapes.icons import icon_path

        path = icon_path(self.content[len(ICON) :])
        return (
            f"<svg {size} viewBox='0 0 {ICON_BOX} {ICON_BOX}' data-icon='{name}'>"
            f"<path fill='currentColor' d='{path}'/></svg>"
        )

    @property
    def _radians(self) -> float:
        return math.radians(self.degrees)


_UNQUOTED = "/:;,=+'()"
"""Characters of a data URI, and of the data URI in it, that may stay as they are."""


def read_rotated(content: str) -> Rotated | None:
    """Return what `as_content` wrote, if a layer can have its size and color; None for any other content."""
    if not content.startswith(_BEGINNING):
        return None
    found = _ROOT.match(unquote(content.partition(",")[2]))
    if not found:
        return None
    try:
        degrees, width, height = (float(found[name]) for name in ("degrees", "width", "height"))
    except ValueError:  # such as 1.2.3
        return None
    if abs(degrees) > 180 or not EXTENT.low <= min(width, height) <= max(width, height) <= EXTENT.high:
        return None
    image, color = html.unescape(found["content"]), found["color"]
    if color and not image.lower().startswith(ICON):
        return None
    return Rotated(image, width, height, degrees, Color.parse(color) if color else None)


def read_rotations(content: str) -> list[Rotated]:
    """Return all rotations of an image, from the last to the first; several if it was stretched between them."""
    rotations: list[Rotated] = []
    while len(rotations) < _MOST_ROTATIONS and (image := read_rotated(content)):
        rotations.append(image)
        content = image.content
    return rotations


def _number(value: float) -> str:
    return f"{value:.{_PLACES}f}".rstrip("0").rstrip(".") if value else "0"
