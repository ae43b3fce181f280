"""Writes QR Codes to a file of any format, with their pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from qrkit.errors import ContentTooLong, InvalidParameter, Problem, RemoteContentDisabled, RenderingFailed
from qrkit.exchange import IMAGE_FORMATS, IN_SIZE, ExchangeFormat, Writing
from qrkit.exchange.columns import NAMES, SORTING_NAMES, TERMS_NAMES, write_row
from qrkit.pictures.generate_request import choice, in_format
from qrkit.pictures.image import QRImage
from qrkit.pictures.patterns import check_pattern, path_in
from qrkit.pictures.printing import PrintSize, QRPrint
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.portfolio.code_sets import FIELDS, texts_of
from qrkit.tracking.records import Campaign, QRCode

if TYPE_CHECKING:
    from qrkit.drawing.writers.pdf import PdfFile


Result = TypeVar("Result")

MOST_FAILED = 10
"""The number of QR Codes that cannot be drawn after which an export stops, instead of drawing hundreds in vain."""


def write_codes(
    format: ExchangeFormat,
    file: BinaryIO,
    codes: Iterable[QRCode],
    campaigns: Iterable[Campaign],
    designs: CodeDesigns,
    *,
    image_format: str = "png",
    print_size: PrintSize | None = None,
    names: str = "",
    safe: bool = True,
    has_tags: bool = False,
    has_terms: bool = False,
    drawn: Callable[[QRCode, QRImage], None] | None = None,
) -> None:
    """Write QR Codes, all of them available under the plan, to a file.

    Pictures in a zip have `names`, a pattern of paths (see `code_sets.FIELDS`); by default, campaigns are folders.
    Pictures in a zip or a PDF have the print size, by default a size in pixels. `has_tags` adds the columns Tags and
    Fields to a csv or a workbook, `has_terms` those of rules, limits and times. `drawn` is called with each QR Code
    whose picture was written. An error names all QR Codes that cannot be drawn, and their template.
    """
    choice("image_format", image_format, IMAGE_FORMATS)
    if print_size and format.name in IN_SIZE:
        print_size.check_format(image_format.lower() if format.name == "zip" else "pdf")
    if names:
        check_pattern("names", names, (*FIELDS, *designs.field_names()))
    called: dict[str | None, str] = {None: ""} | {one.id: one.name for one in campaigns}
    rows = (write_row(code, called[code.campaign_id]) for code in codes)
    numbers = count(1)

    def path_of(code: QRCode) -> PurePosixPath:
        return path_in(names or "{campaign}/{name}", texts_of(code, called[code.campaign_id], next(numbers)))

    pictures = _Pictures(designs, drawn, print_size)
    columns = (*NAMES, *(SORTING_NAMES if has_tags else ()), *(TERMS_NAMES if has_terms else ()))
    how = Writing(pictures.draw, safe, image_format.lower(), columns, path_of, add_page=pictures.add_page)
    format.write(rows, file, how)
    pictures.check()


class _Pictures:
    """Draws pictures, and collects QR Codes that cannot be drawn, so that one error names them all."""

    def __init__(
        self,
        designs: CodeDesigns,
        drawn: Callable[[QRCode, QRImage], None] | None,
        print_size: PrintSize | None,
    ) -> None:
        self._designs, self._drawn, self._print_size = designs, drawn, print_size
        self._names: dict[tuple[str, str], list[str]] = {}
        """The QR Codes that cannot be drawn, by their template and the reason."""

    def draw(self, code: QRCode, picture_format: str) -> bytes:
        """Return the picture of a QR Code; no bytes if it cannot be drawn."""
        return self._drawn_as(code, picture_format, lambda picture: picture.to_bytes(picture_format)) or b""

    def add_page(self, code: QRCode, pdf: PdfFile) -> None:
        """Add the picture of a QR Code to a PDF, unless it cannot be drawn."""
        self._drawn_as(code, "pdf", lambda picture: pdf.add_picture(picture.exact_scene))

    def _drawn_as(self, code: QRCode, format: str, write: Callable[[QRImage | QRPrint], Result]) -> Result | None:
        """Draw a QR Code and return what `write` returns for its picture; None if it cannot be drawn."""
        try:
            image = QRImage(in_format(self._designs.design(code), format))
            written = write(image.printed(self._print_size) if self._print_size else image)
        except (InvalidParameter, ContentTooLong, RemoteContentDisabled, RenderingFailed) as error:
            self._names.setdefault((self._designs.template_of(code), str(error)), []).append(code.name)
        else:
            if self._drawn:
                self._drawn(code, image)
            return written
        if sum(map(len, self._names.values())) == MOST_FAILED:
            self.check(more=" and perhaps more")
        return None

    def check(self, more: str = "") -> None:
        """Check that all pictures were drawn; a problem for each template and reason names the QR Codes."""
        if self._names:
            problems = (_not_drawn(*cause, names, more) for cause, names in self._names.items())
            raise InvalidParameter(*problems)


def _not_drawn(template: str, reason: str, names: Sequence[str], more: str) -> Problem:
    codes = f"QR Code{'' if len(names) == 1 and not more else 's'} {', '.join(map(repr, names))}{more}"
    field, value = ("template", template) if template else ("properties", None)
    return Problem(field, value, f"cannot draw the {codes}: {reason}", "not-drawn")
