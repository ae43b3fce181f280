"""Displays designs, their parts, symbols and scenes as images."""

from __future__ import annotations

from typing import Any

from qrkit.design.brand import Brand
from qrkit.design.color import BLACK, WHITE
from qrkit.design.decoration import Marker, Markers, Modules, Photo
from qrkit.design.design import Design
from qrkit.design.frames import Frame
from qrkit.design.gradient import Gradient
from qrkit.drawing.plain_picture import Plain
from qrkit.drawing.scene import Scene
from qrkit.drawing.writers import FORMATS, svg
from qrkit.errors import QrkitError
from qrkit.notebook.views.html import card, details, media, page_text, picture, pictures_of, png_picture, shown
from qrkit.pictures.image import QRImage
from qrkit.symbol.symbol import Symbol

SAMPLE = "QRKIT"
"""Content of the image of a part; it fits the smallest symbol."""
FIELDS = {Frame: "frame", Gradient: "foreground", Markers: "markers", Modules: "modules", Photo: "photo"}
"""The field of a design that a part is for."""
SIZE, QUIET = 8, 4
"""Pixels per module, and quiet zone in modules, of a symbol without a design."""


@media.register
def _(scene: Scene) -> dict[str, Any]:
    return {"image/svg+xml": svg.write_union(scene).decode(), "image/png": FORMATS["png"].write(scene)}


@media.register(Brand)
@media.register(Design)
@media.register(Frame)
@media.register(Gradient)
@media.register(Marker)
@media.register(Markers)
@media.register(Modules)
@media.register(Photo)
def _(subject: Brand | Design | Frame | Gradient | Marker | Markers | Modules | Photo) -> dict[str, Any]:
    """Show the image with the fields next to it."""
    title, pairs = page_text(type(subject).__name__), shown(subject)
    try:
        design = subject if isinstance(subject, Design) else _sample(subject)
        image = QRImage(design)
        drawn, beside = pictures_of(image), picture(image, f"QR Code: {image.title}")
    except QrkitError as error:
        # The design may be valid all the same, for example if it needs an image from a URL.
        return {"text/html": card(title, details([*pairs, ("not drawn", page_text(error))]))}
    return {"text/html": card(title, details(pairs), beside=[beside])} | drawn


def _sample(part: Brand | Frame | Gradient | Marker | Markers | Modules | Photo) -> Design:
    """Return a plain design with this one part, or a design in the look of a brand."""
    if isinstance(part, Brand):
        return part.design(SAMPLE)
    if isinstance(part, Marker):
        part = Markers(top_left=part, top_right=part, bottom_left=part)
    fields: dict[str, Any] = {FIELDS[type(part)]: part}
    return Design(content=SAMPLE, ec="H" if isinstance(part, Photo) else "M", **fields)


@media.register
def _(symbol: Symbol) -> dict[str, Any]:
    """Show the modules of a symbol, black on white."""
    side, edge = SIZE * (symbol.side + 2 * QUIET), SIZE * QUIET
    title = f"version {symbol.name}"
    plain = Plain(side, side, edge, edge, SIZE, symbol.modules, BLACK, WHITE, title, union=True)
    write_png = FORMATS["png"].write_plain
    assert write_png, "png has a short way"
    png = write_png(plain)
    pairs = [
        ("version", f"{symbol.name.partition('-')[0]}, {symbol.side} x {symbol.side} modules"),
        ("error correction", symbol.error_correction),
        ("mode", page_text(symbol.mode)),
        ("mask", f"{symbol.mask}"),
    ]
    html = card(f"Symbol {symbol.name}", details(pairs), beside=[png_picture(png, (side, side), f"QR Code: {title}")])
    return {"text/html": html, "image/svg+xml": svg.write_plain(plain).decode(), "image/png": png}
