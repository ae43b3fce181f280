"""Writes a `Scene` as a file; `FORMATS` maps each format to its writer.

Every writer has the signature `write(scene) -> bytes` and returns the same bytes for the same scene.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from qrkit.design.formats import FORMAT_ALIASES
from qrkit.drawing.plain_picture import Plain
from qrkit.drawing.writers import png
from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.late import on_demand

if TYPE_CHECKING:
    from qrkit.drawing.scene import Scene

__all__ = ["FORMATS", "Format", "format_named", "format_of_file"]

MOST_COMPRESSION = 9


@dataclass(frozen=True, slots=True)
class Format:
    """An output format.

    Attributes:
        name: Its name in the interface, which is also the suffix of its files.
        media_type: The `Content-Type`.
        write: The writer.
        exact: True if module sizes need not be whole pixels.
        write_plain: The writer of plain images, which returns the same bytes without a scene; None if there is none.
    """

    name: str
    media_type: str
    write: Callable[[Scene], bytes]
    exact: bool = False
    write_plain: Callable[[Plain], bytes] | None = None

    def compressed(self, level: int | None) -> Format:
        """Return the format with a compression level of 0..9; None uses the writer's default.

        Raises:
            InvalidParameter: If the level is out of range, or the format has no compression levels.
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


def _lazy_writer(module: str, name: str = "write") -> Callable[..., bytes]:
    """Return a writer that is loaded on first use, because most programs write one format."""
    load_and_write = on_demand(f"drawing.writers.{module}:{name}")

    def write(scene: Scene | Plain) -> bytes:
        picture: bytes = load_and_write(scene)
        return picture

    return write


def _vector_format(name: str, media_type: str) -> Format:
    return Format(name, media_type, _lazy_writer(name), exact=True, write_plain=_lazy_writer(name, "write_plain"))


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("png", "image/png", png.write, write_plain=png.write_plain),
        Format("jpg", "image/jpeg", _lazy_writer("raster", "write_jpg")),
        Format("bmp", "image/bmp", _lazy_writer("raster", "write_bmp")),
        Format("tif", "image/tiff", _lazy_writer("raster", "write_tif")),
        Format("gif", "image/gif", _lazy_writer("raster", "write_gif")),
        Format("webp", "image/webp", _lazy_writer("raster", "write_webp")),
        _vector_format("svg", "image/svg+xml"),
        _vector_format("eps", "application/postscript"),
        _vector_format("pdf", "application/pdf"),
        Format("xaml", "application/xaml+xml", _lazy_writer("xaml"), exact=True),
        Format("txt", "text/plain; charset=utf-8", _lazy_writer("txt")),
        Format("html", "text/html; charset=utf-8", _lazy_writer("html"), exact=True),
        Format("zip", "application/zip", _lazy_writer("zip_all")),
        Format("zpl", "application/zpl", _lazy_writer("zpl")),
    )
}
"""All formats, by name."""


def format_named(name: str) -> Format:
    """Return the format with this name or alias, ignoring case.

    Raises:
        InvalidParameter: If the format is unknown; the error suggests similar names.
    """
    key = name.lower()
    format = FORMATS.get(FORMAT_ALIASES.get(key, key))
    if format is None:
        raise InvalidParameter(Problem("format", name, f"is not a format; {nearest(key, FORMATS)}"))
    return format


def format_of_file(path: PurePath) -> Format:
    """Return the format for the suffix of a file.

    Raises:
        InvalidParameter: If there is no suffix, or it is not that of a format.
    """
    if not path.suffix:
        raise InvalidParameter(Problem("path", str(path), f"must end in one of .{', .'.join(FORMATS)}"))
    return format_named(path.suffix[1:])
