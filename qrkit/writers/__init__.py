"""`Scene` -> bytes, one writer a format; `FORMATS` is the table of all (interface.md, ruling G4).

Every writer has the signature `write(scene) -> bytes` and gives the same bytes for the same scene (ruling G9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.limits import FORMAT_ALIASES
from qrkit.scene import Scene
from qrkit.writers import eps, html, pdf, png, raster, svg, txt, xaml, zip_all

__all__ = ["FORMATS", "Format", "format_named", "format_of_file"]


@dataclass(frozen=True, slots=True)
class Format:
    """An output format.

    Attributes:
        name: Its name in the interface, which is also the suffix of its files.
        media_type: As sent in `Content-Type`.
        write: The writer.
        exact: Whether modules may have a fraction of a pixel (ruling G8).
    """

    name: str
    media_type: str
    write: Callable[[Scene], bytes]
    exact: bool = False


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("png", "image/png", png.write),
        Format("jpg", "image/jpeg", raster.write_jpg),
        Format("bmp", "image/bmp", raster.write_bmp),
        Format("tif", "image/tiff", raster.write_tif),
        Format("gif", "image/gif", raster.write_gif),
        Format("webp", "image/webp", raster.write_webp),
        Format("svg", "image/svg+xml", svg.write, exact=True),
        Format("eps", "application/postscript", eps.write, exact=True),
        Format("pdf", "application/pdf", pdf.write, exact=True),
        Format("xaml", "application/xaml+xml", xaml.write, exact=True),
        Format("txt", "text/plain; charset=utf-8", txt.write),
        Format("html", "text/html; charset=utf-8", html.write, exact=True),
        Format("zip", "application/zip", zip_all.write),
    )
}


def format_named(name: str) -> Format:
    """The format of this name or alias, in any case.

    Raises:
        InvalidParameter: There is none; near names are proposed.
    """
    key = name.lower()
    found = FORMATS.get(FORMAT_ALIASES.get(key, key))
    if found is None:
        raise InvalidParameter(Problem("format", name, f"is not a format; {nearest(key, FORMATS)}"))
    return found


def format_of_file(path: PurePath) -> Format:
    """The format that the suffix of a file says.

    Raises:
        InvalidParameter: There is no suffix, or no such format.
    """
    if not path.suffix:
        raise InvalidParameter(Problem("path", str(path), f"must end in one of .{', .'.join(FORMATS)}"))
    return format_named(path.suffix[1:])
