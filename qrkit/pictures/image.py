"""`generate`: the whole chain Design -> Symbol -> Scene -> bytes in one call."""

from __future__ import annotations

import sys
import warnings
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from qrkit.contents.cards import summary
from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.design.limits import TextStyle
from qrkit.drawing.draw import draw_plain, is_plain, picture_size
from qrkit.drawing.writers import Format, format_named, format_of_file
from qrkit.errors import RenderingFailed, ScanWarning
from qrkit.files import write_file
from qrkit.late import Shown
from qrkit.symbol.encode import symbol_of
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qrkit.drawing.decorated import Parts
    from qrkit.drawing.scene import Pictures, Scene
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.pictures.printing import QRPrint
    from qrkit.scanning.examine import Drawn
    from qrkit.scanning.readers import Engine
    from qrkit.scanning.scan_report import ScanReport

__all__ = ["QRImage", "generate"]

Caller: TypeAlias = tuple[str, int, dict[str, Any]]
"""File, line and names of the program that asked for a picture: where a warning points to."""

NOTEBOOK_COMPRESSION = 6
"""Of png in notebooks, which are kept: there, small counts for more than fast."""


class QRImage(Shown):
    """A QR Code picture. In a notebook the last line of a cell shows it.

    Args:
        design: What it looks like.
        fetch: What reads pictures that the design names by their URL; without it, none is read.
        pictures: Those pictures, where they are read already.

    Attributes:
        design: What was asked for.
        symbol: The encoded modules.
        width: Pixels.
        height: Pixels.
    """

    def __init__(self, design: Design, *, fetch: Fetch | None = None, pictures: Pictures | None = None) -> None:
        self.design = design
        self.symbol: Symbol = symbol_of(design)
        self.width, self.height = map(ceil, picture_size(design, self.symbol))
        self._pictures = _read(design, fetch) if pictures is None else pictures
        self._caller: Caller | None = None
        if design.pad_codewords == "free" and not is_plain(design):
            from qrkit.scanning.free_pads import fitted_symbol

            self.symbol = fitted_symbol(design, self._pictures, self.symbol)

    @property
    def warnings(self) -> list[str]:
        """What is not drawn as its author meant it: a sentence for each picture."""
        if not self._pictures:
            return []
        from qrkit.drawing.scene import Drawing

        return [
            f"{path}: {', '.join(picture.lost)} of the SVG cannot be drawn and is left out; turn it into paths"
            for path, picture in self._pictures.items()
            if isinstance(picture, Drawing) and picture.lost
        ]

    @cached_property
    def scan(self) -> ScanReport:
        """Whether it scans, by arithmetic alone: the report of a static check.

        Its budget names causes only where it uses too much; `check("static")` always does.

        Raises:
            RenderingFailed: The renderer broke down on a part of it, or all parts together took too long.
        """
        from qrkit.scanning.arithmetic import reckoned
        from qrkit.scanning.examine import examine

        return reckoned(self.design) or examine(self._drawn, "static", is_sparing=True)

    @cached_property
    def known_scan(self) -> ScanReport | None:
        """`scan`; None where the renderer breaks down on the drawing, which is no reason to refuse what needs none."""
        try:
            return self.scan
        except RenderingFailed:
            return None

    @cached_property
    def fault(self) -> str | None:
        """What is in the way of readers, in a sentence; None for what is robust, and where `known_scan` is None."""
        from qrkit.scanning.arithmetic import is_robust

        scan = None if is_robust(self.design) else self.known_scan
        return scan.fault if scan else None

    def check(self, level: str = "standard", *, engines: Sequence[Engine] | None = None) -> ScanReport:
        """Whether it scans, with how much room, and what would help.

        Args:
            level: `static`, `quick`, `standard` or `full`, as `qrkit.check` has them.
            engines: Who reads; where nothing is said, the three of `qrkit.scanning.readers.STANDARD`, and all
                that are installed at level full.

        Raises:
            InvalidParameter: There is no such level.
            RenderingFailed: The renderer broke down on a part of the design.
        """
        from qrkit.scanning import level_named
        from qrkit.scanning.examine import examine

        return examine(self._drawn, level_named(level), engines)

    @property
    def _drawn(self) -> Drawn:
        from qrkit.scanning.examine import Drawn

        return Drawn(self.design, self.symbol, self._pictures, self.exact_scene)

    def warn(self) -> None:
        """Warn of what readers may fail on, if `generate` made this picture and has not warned yet.

        Showing, saving and printing a picture do this. Checking a decorated design takes several times as long as
        drawing it, so that `to_bytes` does not.
        """
        if self._caller and self.fault:
            file, line, names = self._caller
            registry = names.setdefault("__warningregistry__", {})
            warnings.warn_explicit(self.fault, ScanWarning, file, line, registry=registry)
        self._caller = None

    @cached_property
    def _parts(self) -> Parts:
        """What both scenes, and the check, are made of."""
        from qrkit.drawing.decorated import draw_parts

        return draw_parts(self.design, self.symbol, self._pictures)

    @cached_property
    def scene(self) -> Scene:
        """The drawing, in whole pixels per module."""
        return self._parts.scene(exact=False)

    @cached_property
    def exact_scene(self) -> Scene:
        """The drawing for vector formats, which fill the size asked for to a fraction of a pixel."""
        return self._parts.scene(exact=True)

    def to_bytes(self, format: str = "png", *, compression: int | None = None) -> bytes:
        """The picture as a file of one of `qrkit.drawing.writers.FORMATS`; the same design gives the same bytes.

        Args:
            format: Its name.
            compression: Of png: from 0, fast and large, to 9, slow and small. The pixels are the same. None is a
                level that loses little of either: 2 for a plain picture, else what its encoder takes for good.

        Raises:
            InvalidParameter: There is no such format or level.
        """
        return self._written(format_named(format).compressed(compression))

    def print_at(self, size_mm: float, *, dpi: float = 300, key_black: bool = False, at_most: bool = False) -> QRPrint:
        """The picture with a size on paper; it comes as near to it as whole dots a module allow.

        Args:
            size_mm: Width in millimeters, 2..5,000.
            dpi: Dots per inch of the printer, 30..5,000.
            key_black: Whether eps and pdf write black with the black ink alone.
            at_most: Whether it must not be wider than `size_mm`, as on a label.

        Raises:
            InvalidParameter: A number is out of its range, or the two leave less than a dot for a module.

        Example:
            >>> generate("https://example.com").print_at(40)
            <QRPrint 39.12 x 39.12 mm, 14 dots a module of 1.19 mm at 300 dpi>
        """
        from qrkit.pictures.printing import PrintSize, QRPrint

        self.warn()
        return QRPrint(self.scene, PrintSize(size_mm=size_mm, dpi=dpi, key_black=key_black, at_most=at_most))

    def to_text(self, style: TextStyle = "blocks") -> str:
        """The symbol as text: `blocks` (██), `ascii` (xx) or `binary` (rows of 1 and 0), quiet zone included.

        Raises:
            InvalidParameter: There is no such style.
        """
        from qrkit.drawing.writers import txt

        return txt.text(self.scene, style)

    def save(self, path: str | Path, format: str | None = None, *, compression: int | None = None) -> Path:
        """Write the picture to a file; gives the path back.

        Args:
            path: Where to.
            format: One of `qrkit.drawing.writers.FORMATS`; that of the suffix where nothing is said.
            compression: Of png, as `to_bytes` has it.

        Raises:
            InvalidParameter: Neither names a format, or there is no such level of compression; see `to_bytes`.
            CannotWrite: The file cannot be written there.
        """
        file = Path(path)
        chosen = format_named(format) if format else format_of_file(file)
        write_file(file, self._written(chosen.compressed(compression)))
        self.warn()
        return file

    def _written(self, format: Format) -> bytes:
        if format.write_plain and (plain := draw_plain(self.design, self.symbol, exact=format.exact)):
            return format.write_plain(plain)
        from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, within

        with within(LONGEST_SECONDS):
            return format.write(self.exact_scene if format.exact else self.scene)

    def __repr__(self) -> str:
        content = summary(self.design.content)
        shown = content if len(content) <= 60 else content[:59] + "…"
        symbol = f"{self.symbol.version}-{self.symbol.error_correction}"
        return f"<QRImage {shown!r}, {symbol}, {self.width} x {self.height} px>"

    def small_svg(self) -> str:
        """The picture as notebooks show it: the modules as one path, a tenth of the svg that `to_bytes` writes."""
        from qrkit.drawing.writers import svg

        plain = draw_plain(self.design, self.symbol, exact=True)
        drawn = svg.write_plain(plain._replace(union=True)) if plain else svg.write_union(self.exact_scene)
        return drawn.decode()


def _read(design: Design, fetch: Fetch | None) -> Pictures:
    """The pictures that a design names; most name none."""
    wanted = design.pictures
    if not wanted:
        return {}
    from qrkit.drawing.untrusted.assets import read_assets

    return read_assets(wanted, fetch)


@lists_fields(DesignFields)
def generate(
    content: str | Design, /, *, fetch: Fetch | None = None, warn: bool = True, **fields: Unpack[DesignFields]
) -> QRImage:
    """Make a QR Code picture.

    Args:
        content: The text to encode, or a whole `Design`.
        fetch: What reads pictures that the design names by their URL; without it, none is read.
        warn: Whether to warn of a picture that readers may fail on: at once where that is known without drawing it,
            else when the picture is shown, saved or printed.
        **fields: Fields of `Design` (version, size, padding, em, ec, foreground, background, modules, …); with a
            design, they replace its own.

    Raises:
        InvalidParameter: A field breaks its rule; all that do are named.
        ContentTooLong: The content does not fit; the message says what would.

    Warns:
        UserWarning: An SVG holds something that cannot be drawn, as text.
        ScanWarning: Readers may fail on it; `QRImage.scan` says why.

    Example:
        >>> generate("https://example.com", ec="H", size=10)
        <QRImage 'https://example.com', 3-H, 370 x 370 px>
    """
    if isinstance(content, Design):
        design = content.replace(**fields) if fields else content
    else:
        design = Design(content=content, **fields)
    image = QRImage(design, fetch=fetch)
    for warning in image.warnings:
        warnings.warn(warning, stacklevel=2)
    if warn:
        from qrkit.scanning.arithmetic import is_robust, reckoned

        if not is_robust(design):
            frame = sys._getframe(1)
            image._caller = (frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
            if reckoned(design):
                image.warn()
    return image
