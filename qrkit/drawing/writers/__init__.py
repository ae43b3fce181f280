"""`Scene` -> bytes, one writer a format; `FORMATS` is the table of all (interface.md, ruling G4).

Every writer has the signature `write(scene) -> bytes` and gives the same bytes for the same scene.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING

from qrkit.design.limits import FORMAT_ALIASES
from qrkit.drawing.plain_picture import Plain
from qrkit.drawing.writers import png
from qrkit.errors import InvalidParameter, Problem, nearest

if TYPE_CHECKING:
    from qrkit.drawing.scene import Scene

__all__ = ["FORMATS", "Format", "format_named", "format_of_file"]

MOST_COMPRESSION = 9


@dataclass(frozen=True, slots=True)
class Format:
    """An output format.

    Attributes:
        name: Its name in the interface, which is also the suffix of its files.
        media_type: As sent in `Content-Type`.
        write: The writer.
        exact: Whether modules may have a fraction of a pixel.
        write_plain: The writer of plain pictures, the same bytes without a scene; None where there is none.
    """

    name: str
    media_type: str
    write: Callable[[Scene], bytes]
    exact: bool = False
    write_plain: Callable[[Plain], bytes] | None = None

    def compressed(self, level: int | None) -> Format:
        """The same format with files compressed by a level of 0..9; None leaves it to the writer.

        Raises:
            InvalidParameter: There is no such level, or the format has none.
        """
        if level is None:
            return self
        if self.name != "png":
            raise InvalidParameter(Problem("compression", level, "is only for the format png"))
        if isinstance(level, bool) or level not in range(MOST_COMPRESSION + 1):
            rule = f"must be a whole number in 0..{MOST_COMPRESSION}, from fast and large to slow and small"
            raise InvalidParameter(Problem("compression", level, rule, "out-of-range"))
        write, write_plain = (partial(one, compression=int(level)) for one in (png.write_compressed, png.write_plain))
        return replace(self, write=write, write_plain=write_plain)


def _late(module: str, name: str = "write") -> Callable[..., bytes]:
    """A writer that is loaded when it is asked for: most programs write one format."""

    @cache
    def loaded() -> Callable[..., bytes]:
        found: Callable[..., bytes] = getattr(import_module(f"{__name__}.{module}"), name)
        return found

    def write(scene: Scene | Plain) -> bytes:
        return loaded()(scene)

    return write


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("png", "image/png", png.write, write_plain=png.write_plain),
        Format("jpg", "image/jpeg", _late("raster", "write_jpg")),
        Format("bmp", "image/bmp", _late("raster", "write_bmp")),
        Format("tif", "image/tiff", _late("raster", "write_tif")),
        Format("gif", "image/gif", _late("raster", "write_gif")),
        Format("webp", "image/webp", _late("raster", "write_webp")),
        Format("svg", "image/svg+xml", _late("svg"), exact=True, write_plain=_late("svg", "write_plain")),
        Format("eps", "application/postscript", _late("eps"), exact=True),
        Format("pdf", "application/pdf", _late("pdf"), exact=True),
        Format("xaml", "application/xaml+xml", _late("xaml"), exact=True),
        Format("txt", "text/plain; charset=utf-8", _late("txt")),
        Format("html", "text/html; charset=utf-8", _late("html"), exact=True),
        Format("zip", "application/zip", _late("zip_all")),
    )
}
"""All formats, by name."""


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
