"""Provides initial values for optional fields that a user switches on, and for new list items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from qrkit.design.color import Color
from qrkit.design.gradient import Gradient
from qrkit.errors import InvalidParameter, Problem
from qrkit.pictures.image import QRImage

Path = tuple[str | int, ...]

LAYER_SHARE = 0.13
"""Width of a new layer relative to the image: the smallest symbols tolerate this at error correction level M."""
DOT = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5" fill="{}"/></svg>'
CARD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 118">'
    '<rect width="100" height="118" rx="9" fill="{}"/><rect x="6" y="6" width="88" height="88" rx="4" fill="#fff"/>'
    '<path d="M44 102h-5v5M56 102h5v5M44 113h-5v-5M56 113h5v-5M43 107.5h14" fill="none" stroke="#fff" '
    'stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/></svg>'
)
"""A card with a white field, and the scan sign below it."""


def _color(image: QRImage, name: str, stop: int = 0) -> Color:
    """Return the color of a fill; of a gradient, that of its first stop or of another."""
    fill: Color | Gradient = getattr(image.design, name)
    return fill.stops[stop].color if isinstance(fill, Gradient) else fill


def _ink(image: QRImage) -> Color:
    """Return the color of dark modules."""
    return _color(image, "foreground").opaque


def _gradient(image: QRImage, name: str) -> Gradient:
    """Return a gradient from the current color to a matching one: a lighter background, a related foreground."""
    first = _color(image, name)
    if name == "background":
        return Gradient.linear(first, first.over(Color(255, 255, 255)) if first.alpha < 255 else "#FFF4D6")
    return Gradient.linear("#0B3D91" if first == Color(0, 0, 0) else first, "#0A5F78")


def _layer(image: QRImage) -> dict[str, Any]:
    side = round(min(image.width, image.height) * LAYER_SHARE)
    place = {"x": (image.width - side) / 2, "y": (image.height - side) / 2, "width": side, "height": side}
    return {"content": "icon:heart", "display": "box-hit-test", **place}


def _sprite(image: QRImage) -> dict[str, Any]:
    size = image.design.size
    return {"name": "dot", "width": size, "height": size, "content": _svg(DOT, _ink(image))}


def _wrapper(image: QRImage) -> dict[str, Any]:
    """Return a card whose white field contains the image as it is."""
    side = max(image.width, image.height)
    width = side / 0.84
    hole = {"x": width * 0.08, "y": width * 0.08, "width": side, "height": side}
    return {"source": _svg(CARD, _ink(image)), "width": width, "height": width * 1.18, "placeholder": hole}


def _svg(text: str, color: Color) -> str:
    return "data:image/svg+xml," + quote(text.format(color.rgb))


STARTS: Mapping[str, Callable[[QRImage], Any]] = {
    "version": lambda image: max(image.symbol.version, 1),
    "mask": lambda image: image.symbol.mask,
    "width": lambda image: image.width,
    "height": lambda image: image.height,
    "modules.sprites": _sprite,
    "modules.union": lambda _image: True,
    "modules.sizes": lambda _image: [0.8, 1],
    "modules.palette": lambda image: _ink(image).argb,
    "layers": _layer,
    "wrapper": _wrapper,
}
"""Path of a field that has a box, or of a list, without the indexes of list items -> its initial value."""

IN_FILLS: Mapping[str, Callable[[QRImage, str], Any]] = {
    **dict.fromkeys(("", "color"), lambda image, name: _color(image, name).argb),
    "gradient": _gradient,
    "stops": lambda image, name: {"offset": 1, "color": _color(image, name, -1).argb},
    "direction": lambda _image, _name: {"start": {"x": 0, "y": 0}, "stop": {"x": 1, "y": 0}},
    **dict.fromkeys(("cx", "cy", "fx", "fy", "radius"), lambda _image, _name: 0.5),
}
"""Initial values inside a fill; `color` and `gradient` are what the fill itself can become."""


def start(path: Path, image: QRImage, branch: str = "") -> Any:
    """Return the initial value of a field or list item; `branch` is what a fill becomes: `color` or `gradient`."""
    first, *rest = [step for step in path if isinstance(step, str)]
    name = ".".join([first, *rest])
    if first in ("foreground", "background") and (branch or ".".join(rest)) in IN_FILLS:
        return IN_FILLS[branch or ".".join(rest)](image, first)
    if name not in STARTS:
        raise InvalidParameter(Problem(name, None, "cannot be switched on or off"))
    return STARTS[name](image)
