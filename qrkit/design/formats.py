"""Lists the output formats and their names; needs no library, because readers of pictures import it, too."""

from __future__ import annotations

from typing import Literal, get_args

FormatName = Literal[
    "png", "jpg", "bmp", "tif", "gif", "webp", "svg", "eps", "pdf", "xaml", "txt", "html", "zip", "zpl"
]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)
"""Output formats, named by their file suffix; zip contains png, svg and eps."""

RASTER_FORMATS = ("png", "jpg", "bmp", "tif", "gif", "webp")
"""Raster formats; they use whole pixels per module."""

WITHOUT_ALPHA = ("jpg", "bmp")
"""Raster formats without transparency; a transparent background becomes white."""

GET_ONLY_FORMATS = ("xaml", "eps", "txt", "html", "zip", "zpl")
"""Formats that only `GET /generate` offers."""
FORMAT_ALIASES = {"jpeg": "jpg", "tiff": "tif", "htm": "html"}
"""Alternative names of formats."""

TextStyle = Literal["blocks", "ascii", "binary"]
TEXT_STYLES: tuple[TextStyle, ...] = get_args(TextStyle)
"""Styles of the txt format: blocks (██), ascii (xx) or binary (rows of 1 and 0)."""
