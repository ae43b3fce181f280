"""Provides `generate` and `QRImage`, which turn a design into a symbol, a drawing and a file."""

from __future__ import annotations

import os
import sys
import warnings
from functools import cached_property
from inspect import Signature, signature
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from qrkit.design.color import Color
from qrkit.design.formats import TextStyle
from qrkit.design.simple import SimpleDesign, simple_design
from qrkit.drawing.draw import draw_plain, draw_simple, is_plain, picture_size
from qrkit.drawing.layout import lay_out
from qrkit.drawing.plain_picture import Plain, title_of
from qrkit.drawing.writers import Format, format_named, format_of_file
from qrkit.errors import InvalidParameter, Problem, RenderingFailed, ScanWarning
from qrkit.files import write_file
from qrkit.late import Shown
from qrkit.symbol.encode import encode, symbol_of
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from inspect import Parameter
    from types import MappingProxyType

    from qrkit.design.design import Design, DesignFields
    from qrkit.design.frames import Caption
    from qrkit.drawing.decorated import Parts
    from qrkit.drawing.scene import Pictures, Scene
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.pictures.preflight import PrintFinding
    from qrkit.pictures.printing import PrintSize, QRPrint
    from qrkit.scanning.examine import Drawn
    from qrkit.scanning.readers import Engine
    from qrkit.scanning.scan_report import ScanReport


Caller: TypeAlias = tuple[str, int, dict[str, Any]]
"""File, line and global names of the code that called `generate`, to which a warning refers."""

NOTEBOOK_COMPRESSION = 6
"""Compression level of PNG in notebooks, where small files matter more than speed."""


class QRImage(Shown):
    """A QR Code image. Notebooks show it if it is the last line of a cell.

    Args:
        design: The design.
        fetch: Downloads the images that the design refers to by URL. Without it, such a design raises an error.
        pictures: The images of the design, if they are already loaded.

    Attributes:
        symbol: The encoded modules.
        width: Width in pixels.
        height: Height in pixels.
    """

    def __init__(self, design: Design, *, fetch: Fetch | None = None, pictures: Pictures | None = None) -> None:
        self.design = design
        self.symbol: Symbol = symbol_of(design)
        width, height, _ = picture_size(design, self.symbol)
        self.width: int = ceil(width)
        self.height: int = ceil(height)
        self._pictures = read_pictures(design, fetch) if pictures is None else pictures
        self._caller: Caller | None = None
        self._simple: SimpleDesign | None = None
        if design.pad_codewords == "free" and not is_plain(design):
            from qrkit.scanning.free_pads import fitted_symbol

            self.symbol = fitted_symbol(design, self._pictures, self.symbol)

    @classmethod
    def _of_simple(cls, design: SimpleDesign) -> QRImage:
        """Return the image of a simple design. `Design`, which takes longest to load, is loaded if it is needed."""
        image = cls.__new__(cls)
        image.symbol = encode(design.content, error_correction=design.ec)
        image.width = image.height = (image.symbol.side + 2 * design.padding) * design.size
        image._pictures, image._caller, image._simple = {}, None, design
        return image

    @cached_property
    def design(self) -> Design:
        """The design."""
        from qrkit.design.design import Design

        assert self._simple  # else it was passed
        return Design(**self._simple.fields())

    def on(self, background: Color) -> QRImage:
        """Return the image with another background.

        Args:
            background: The color that is printed below the image.
        """
        return QRImage(self.design.replace(background=background), pictures=self._pictures)

    @property
    def warnings(self) -> list[str]:
        """Sentences about parts of SVG images, and letters of captions, that cannot be drawn as asked."""
        found: list[str] = []
        if not self._simple and self.design.frame:
            from qrkit.drawing.frames.framing import frame_warnings

            found += frame_warnings(self.design, lay_out(self.design, self.symbol, exact=True))
        if not self._pictures:
            return found
        from qrkit.design.outline import Outline

        return found + [
            f"{path}: {warning}"
            for path, picture in self._pictures.items()
            if not isinstance(picture, Outline)
            for warning in picture.warnings
        ]

    @cached_property
    def scan(self) -> ScanReport:
        """The report of a static check, which uses arithmetic instead of readers.

        Raises:
            InvalidParameter: If the design is a Micro QR Code, which has no verdict.
            RenderingFailed: If the renderer fails on a part of the design, or takes too long.
        """
        from qrkit.scanning.arithmetic import reckoned
        from qrkit.scanning.examine import examine

        return reckoned(self.design) or examine(self._drawn, "static")

    @cached_property
    def known_scan(self) -> ScanReport | None:
        """The scan report; None for a Micro QR Code, or if rendering fails: formats without rendering still work."""
        if self.design.micro:
            return None
        try:
            return self.scan
        except RenderingFailed:
            return None

    @cached_property
    def fault(self) -> str | None:
        """One sentence about what makes scanning unreliable; None for a robust design, or without a report."""
        if self._simple:
            return None
        from qrkit.scanning.arithmetic import is_robust

        scan = None if is_robust(self.design) else self.known_scan
        return scan.fault if scan else None

    def check(
        self, level: str = "standard", *, audience: str = "phones", engines: Sequence[Engine] | None = None
    ) -> ScanReport:
        """Check whether the image scans and how much margin it has. The report suggests improvements.

        Args:
            level: `static`, `quick`, `standard` or `full`, as in `qrkit.check`.
            audience: Whose readers must read it: `phones`, or `all`, which adds embedded readers; see `qrkit.check`.
            engines: The readers to use; by default those of the audience or, at level `full`, all that are installed.

        Raises:
            InvalidParameter: If `level` or `audience` is not one of these names, or the design is a Micro QR Code,
                which has no verdict.
            RenderingFailed: If the renderer fails on a part of the design.
        """
        from qrkit.scanning import audience_named, level_named
        from qrkit.scanning.examine import examine

        return examine(self._drawn, level_named(level), engines, audience=audience_named(audience))

    @property
    def _drawn(self) -> Drawn:
        from qrkit.scanning.examine import Drawn

        return Drawn(self.design, self.symbol, self._pictures, self.exact_scene)

    def warn(self) -> None:
        """Warn if phones may fail to scan the image, once, if it was made by `generate` with `warn=True`.

        Showing, saving and printing an image call this. `to_bytes` does not, because checking a decorated design
        takes several times as long as drawing it.
        """
        if self._caller and self.fault:
            file, line, names = self._caller
            registry = names.setdefault("__warningregistry__", {})
            warnings.warn_explicit(self.fault, ScanWarning, file, line, registry=registry)
        self._caller = None

    @cached_property
    def _parts(self) -> Parts:
        """The parts of the drawing, shared by both scenes and the check."""
        from qrkit.drawing.decorated import draw_parts

        return draw_parts(self.design, self.symbol, self._pictures)

    @cached_property
    def scene(self) -> Scene:
        """The drawing, in whole pixels per module."""
        return self._parts.scene(exact=False)

    @cached_property
    def exact_scene(self) -> Scene:
        """The drawing for vector formats, which fill the requested size with fractions of a pixel per module."""
        return self._parts.scene(exact=True)

    def to_bytes(self, format: str = "png", *, compression: int | None = None) -> bytes:
        """Return the image as the bytes of a file; the same design gives the same bytes.

        Args:
            format: One of `qrkit.drawing.writers.FORMATS`.
            compression: PNG compression level, from 0 (fast, large) to 9 (slow, small); the pixels are the same. None
                balances both: level 2 for a plain image, level 4 for others.

        Raises:
            InvalidParameter: If the format is unknown or the level is out of range.
        """
        return self._write(format_named(format).compressed(compression))

    def print_at(
        self,
        size_mm: float,
        *,
        dpi: float = 300,
        key_black: bool = False,
        at_most: bool = False,
        bleed_mm: float = 0,
        profile: str | Path | None = None,
        spots: Mapping[str, str] | None = None,
    ) -> QRPrint:
        """Return the image at a print size: exact in svg, pdf and eps, in whole printer dots per module in others.

        Args:
            size_mm: Width in millimeters, 2..5,000.
            dpi: Dots per inch of the printer, 30..5,000.
            key_black: True to write black with black ink only in EPS and PDF.
            at_most: True to never exceed `size_mm` in formats with pixels, as on a label; False to use the nearest
                possible width.
            bleed_mm: How far the background of a PDF reaches beyond its width, to be cut off; 0..10 millimeters.
            profile: CMYK profile (ICC) of a print shop, as the path of a file or a data URI, for a PDF/X-4 or a TIFF in
                CMYK. Black and grays are printed with black ink only.
            spots: Spot colors of a PDF with a profile, by the color that each replaces:
                `{"#D20F39": "PANTONE 186 C"}`. Gradients and pictures have none.

        Raises:
            InvalidParameter: If a number is out of range, modules would be smaller than one dot, or the profile is not
                one of a CMYK printer.

        Example:
            >>> generate("https://example.com").print_at(40)
            <QRPrint 39.12 x 39.12 mm, 14 dots per 1.19 mm module at 300 dpi>
        """
        from qrkit.pictures.printing import PrintSize

        self.warn()
        inks = {"key_black": key_black, "profile": profile, "spots": spots or {}}
        return self.printed(PrintSize(size_mm=size_mm, dpi=dpi, at_most=at_most, bleed_mm=bleed_mm, **inks))

    def least_width_mm(self, distance_m: float | None = None) -> float:
        """Return the least width in millimeters, with quiet zone and frame, at which most phones read a print.

        Args:
            distance_m: Distance of the phone in meters, up to 1,000; None for one that is held close.

        Raises:
            InvalidParameter: If the distance is out of range.

        Example:
            >>> image = generate("https://example.com")
            >>> round(image.least_width_mm(), 1), round(image.least_width_mm(distance_m=2))
            (13.2, 264)
        """
        from qrkit.design.print_width import least_width_mm

        return least_width_mm(self.scene.width / self.scene.module, distance_m)

    def preflight(
        self, size_mm: float, *, dpi: float | None = None, distance_m: float | None = None, material: str | None = None,
        key_black: bool = False,
    ) -> list[PrintFinding]:  # fmt: skip
        """Return what to change before the image is printed; an empty list means that it is ready.

        Modules are held against the distance and the printer's dots, the quiet zone against the standard, letters
        against 5 points, and colors, converted to CMYK, against what phones need and the stock takes.

        Args:
            size_mm: Width on paper in millimeters, 2..5,000.
            dpi: Dots per inch of the printer, 30..5,000; None for one whose dots do not matter.
            distance_m: Distance of the phone in meters, up to 1,000; None for one that is held close.
            material: What a press prints on: `coated`, `uncoated`, `newsprint`, `kraft` or `dark`. None leaves out
                what concerns presses alone: the sum of the inks, mixed black and white ink.
            key_black: True if black is printed with black ink only, as in `print_at`.

        Raises:
            InvalidParameter: If a number is out of range, or the material is unknown.
            RenderingFailed: If the renderer fails on a part of the design.

        Example:
            >>> for finding in generate("https://example.com").preflight(20, distance_m=2):
            ...     print(finding.code, finding.severity, finding, sep=": ")
            module-size: error: modules are 0.61 mm wide, and phones at 2 m need 8 mm; print it at least 264 mm wide
        """
        from qrkit.pictures.preflight import preflight
        from qrkit.pictures.printing import PrintSize

        size = PrintSize(size_mm=size_mm, key_black=key_black, dpi=300 if dpi is None else dpi)
        return preflight(self, size, dpi, distance_m, material)

    def printed(self, size: PrintSize) -> QRPrint:
        """Return the image at a print size; see `print_at`.

        Raises:
            InvalidParameter: If modules would be smaller than one dot.
        """
        from qrkit.pictures.printing import QRPrint

        printed = QRPrint(self.scene, size)
        is_fine = printed.has_too_many_dots or printed.dots_per_module <= self.scene.module
        if self.design.photo is None or is_fine:
            return printed

        # A photo gets as many pixels as its image has, so it is drawn anew for more of them.
        drawn = self.design.replace(width=round(printed.scene.width), height=round(printed.scene.height))
        return QRPrint(QRImage(drawn, pictures=self._pictures).scene, size)

    def to_text(self, style: TextStyle = "blocks") -> str:
        """Return the symbol as text, including its quiet zone: `blocks` (██), `ascii` (xx) or `binary` (1 and 0).

        Raises:
            InvalidParameter: If the style is unknown.
        """
        from qrkit.drawing.writers import txt

        simple = self._simple
        drawn = (self.symbol.modules, simple.padding) if simple else (self.scene.cells, self.scene.padding)
        return txt.text(*drawn, style)

    def save(self, path: str | Path, format: str | None = None, *, compression: int | None = None) -> Path:
        """Write the image to a file and return its path.

        Args:
            path: The path of the file.
            format: One of `qrkit.drawing.writers.FORMATS`; by default the format for the suffix of the path.
            compression: PNG compression level; see `to_bytes`.

        Raises:
            InvalidParameter: If the format is unknown or the compression level is out of range; see `to_bytes`.
            CannotWrite: If the file cannot be written.
        """
        if not isinstance(path, str | os.PathLike):
            rule = "must be the path of a file; for a file object, use file.write(image.to_bytes('png'))"
            raise InvalidParameter(Problem("path", path, rule, "wrong-type"))
        file = Path(path)
        chosen = format_named(format) if format else format_of_file(file)
        write_file(file, self._write(chosen.compressed(compression)))
        self.warn()
        return file

    def _write(self, format: Format) -> bytes:
        if format.write_plain and (plain := self._plain(exact=format.exact)):
            return format.write_plain(plain)
        from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, within

        with within(LONGEST_SECONDS):
            return format.write(self.exact_scene if format.exact else self.scene)

    def _plain(self, *, exact: bool) -> Plain | None:
        simple = self._simple
        return draw_simple(simple, self.symbol) if simple else draw_plain(self.design, self.symbol, exact=exact)

    @property
    def title(self) -> str:
        """What the symbol says, in one line without secrets: the title of files, and the text for screen readers."""
        return title_of(self._simple.content) if self._simple else title_of(self.design.content, self.design.part)

    def __repr__(self) -> str:
        shown = self.title if len(self.title) <= 60 else self.title[:59] + "…"
        return f"<QRImage {shown!r}, {self.symbol.name}, {self.width} x {self.height} px>"

    def small_svg(self) -> str:
        """Return the SVG for notebooks: modules are one path, so it has a fifteenth of the size of `to_bytes`."""
        from qrkit.drawing.writers import svg

        plain = self._plain(exact=True)
        drawn = svg.write_plain(plain._replace(union=True)) if plain else svg.write_union(self.exact_scene)
        return drawn.decode()


def read_pictures(design: Design, fetch: Fetch | None) -> Pictures:
    """Read the images of a design; most designs have none."""
    wanted = design.pictures
    if not wanted:
        return {}
    from qrkit.drawing.untrusted.assets import read_assets

    return read_assets(wanted, fetch)


def generate(
    content: str | bytes | Design,
    /,
    *,
    preset: str | None = None,
    colorway: str | None = None,
    logo: str | Path | bytes | None = None,
    caption: str | Caption | None = None,
    fetch: Fetch | None = None,
    warn: bool = True,
    **fields: Unpack[DesignFields],
) -> QRImage:
    """Generate a QR Code.

    Args:
        content: The text to encode, bytes to encode as they are, or a whole `Design`.
        preset: A look from `qrkit.presets`, such as `bubble`; `fields` win over it.
        colorway: Colors of the preset; by default, its first.
        logo: A picture for the middle: the path of a file, its bytes, `icon:NAME`, a data URI or a URL. It uses error
            correction level H, unless you pass `ec`. `Design.with_logo` has more choices.
        caption: Words on the frame. Without a `frame`, that of the preset or the design is used, or a `bar`.
        fetch: Downloads the images that the design refers to by URL. Without it, such a design raises an error.
        warn: True to warn if phones may fail to scan the image: immediately if that is known without drawing it, else
            when the image is shown, saved or printed.
        **fields: Fields of `Design` (version, size, padding, em, ec, foreground, background, modules, …); with a
            design, they replace its fields.

    Raises:
        InvalidParameter: If a field breaks its rule; the error lists every invalid field.
        ContentTooLong: If the content does not fit; the message says what would fit.

    Warns:
        UserWarning: If an SVG becomes pixels, or a browser may draw it in another way.
        ScanWarning: If phones may fail to scan the image; `QRImage.scan` says why.

    Example:
        >>> generate("https://example.com", ec="H", size=10)
        <QRImage 'https://example.com', 3-H, 370 x 370 px>
    """
    decoration = {"preset": preset, "colorway": colorway, "logo": logo, "caption": caption}
    if all(part is None for part in decoration.values()):
        if simple := simple_design(content, fields):
            return QRImage._of_simple(simple)
        image = QRImage(_design(content, fields), fetch=fetch)
    else:
        image = _decorated(content, decoration, fields, fetch)
    design = image.design
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


def _design(content: str | bytes | Design, fields: Mapping[str, Any]) -> Design:
    from qrkit.design.design import Design

    if isinstance(content, Design):
        return content.replace(**fields) if fields else content
    return Design(content=content, **fields)


def _decorated(
    content: str | bytes | Design, decoration: Mapping[str, Any], fields: Mapping[str, Any], fetch: Fetch | None
) -> QRImage:
    """Return the image of a decorated design; a frame is a part of its decoration."""
    from qrkit.design.design import Design
    from qrkit.pictures.decorating import Decoration, parts_by_name

    given = Design.by_field(fields)
    frame = given.pop("frame", None)
    with parts_by_name():
        design = Decoration(**decoration, frame=frame).on(_design(content, given), given, fetch)
        return QRImage(design, fetch=fetch)


class _LateSignature(Signature):
    """A signature whose parameters take long to find out: `complete` returns it when `help()` asks for them."""

    __slots__ = ("_complete", "_own")

    def __init__(self, function: Callable[..., Any], complete: Callable[[Signature], Signature]) -> None:
        self._own, self._complete = signature(function), complete

    @property
    def parameters(self) -> MappingProxyType[str, Parameter]:
        """The parameters, by name."""
        return self._complete(self._own).parameters

    @property
    def return_annotation(self) -> Any:
        """The annotation of what the function returns."""
        return self._complete(self._own).return_annotation

    def replace(self, **changes: Any) -> Signature:  # type: ignore[override]  # the complete signature is of the base
        """Return a copy with other parameters, or another annotation of what is returned."""
        return self._complete(self._own).replace(**changes)

    def __reduce__(self) -> Any:
        return self._complete(self._own).__reduce__()


def _signature_with_fields(own: Signature) -> Signature:
    from qrkit.design.design import DesignFields, with_fields

    return with_fields(own, DesignFields)


generate.__signature__ = _LateSignature(generate, _signature_with_fields)  # type: ignore[attr-defined]
