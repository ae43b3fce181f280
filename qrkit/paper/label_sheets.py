"""Writes sheets of labels as PDF: vectors, letters as outlines, each code drawn once and placed as often as asked.

All rows are checked before a page is drawn: what cannot be kept is one error that names each row, and no file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from math import ceil, floor, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from qrkit.design.bounds import MILLIMETRES_PER_INCH, STANDARD_PADDING
from qrkit.design.frames import unset_rule
from qrkit.drawing.draw import picture_size
from qrkit.drawing.letters.lettering import missing_letters
from qrkit.drawing.writers.pdf import PdfFile
from qrkit.errors import SHOWN_VALUE, InvalidParameter, Problem, QrkitError
from qrkit.files import complete_file
from qrkit.paper.label_pages import MARK, MARK_GAP, Pages, SheetSettings
from qrkit.paper.placing import CAPITAL, Box, Lettering, Line, Placed, place, room_of
from qrkit.paper.stocks import Stock, stock_named
from qrkit.pictures.image import QRImage
from qrkit.pictures.patterns import check_pattern, filled

__all__ = ["Labels", "SheetFile", "write_sheet", "write_test_page"]

MOST_PROBLEMS = 20
"""Labels that an error names."""
MOST_KEPT = 1_000
"""Images that are kept from the check until they are drawn; others are made twice, so that memory stays flat."""
RULER, SHORT_RULER = 100, 10
"""Millimeters of the lines on a test page, and on one that is too small for them."""
ROUNDING = 1e-9
"""Rounding error allowed in a number of dots, or in the width of a module."""


class Labels(NamedTuple):
    """What goes on labels.

    Attributes:
        rows: A row for each QR Code.
        image: Draws the QR Code of a row.
        fields: Returns the texts of a row by the names that lines may have in braces.
    """

    rows: Sequence[Any]
    image: Callable[[Any], QRImage]
    fields: Callable[[Any], Mapping[str, str]]


class SheetFile(NamedTuple):
    """A sheet that was written.

    Attributes:
        path: The file.
        labels: Number of labels.
        pages: Number of pages.
    """

    path: Path
    labels: int
    pages: int

    def __str__(self) -> str:
        labels, pages = (f"{n:,} {what}{'' if n == 1 else 's'}" for n, what in ((self[1], "label"), (self[2], "page")))
        return f"{labels} on {pages}"


def write_sheet(path: str | Path, labels: Labels, settings: SheetSettings) -> SheetFile:
    """Write labels to a PDF. Nothing is written unless all of them can be.

    Args:
        path: The file, which ends in .pdf; an existing one is replaced.
        labels: What goes on the labels.
        settings: How they are arranged, printed and cut.

    Raises:
        InvalidParameter: If there is no row or no such stock, a text does not fit, or a QR Code is too dense for its
            label; the error names up to 20 rows.
        CannotWrite: If the file cannot be written.

    Warns:
        UserWarning: If the font lacks letters, which are drawn as boxes.
    """
    file = _pdf(path)
    sheet = _Sheet(labels, settings)
    sheet.check()
    with complete_file(file) as opened, PdfFile(opened) as pdf:
        pages = sheet.write(pdf)
    if sheet.lettering.missing:
        warnings.warn(missing_letters(sheet.lettering.missing), stacklevel=3)
    return SheetFile(file, len(labels.rows) * settings.copies, pages)


def write_test_page(path: str | Path, settings: SheetSettings) -> Path:
    """Write a page with the outlines and numbers of all labels, and two lines of 100 mm, to print on plain paper.

    Hold it against a sheet of labels to read the offsets, and measure the lines to know the scale.

    Args:
        path: The file, which ends in .pdf; an existing one is replaced.
        settings: The stock, and the corrections for the printer that were found before.

    Raises:
        InvalidParameter: If there is no such stock, or the file does not end in .pdf.
        CannotWrite: If the file cannot be written.
    """
    file = _pdf(path)
    stock = _stock(settings)
    texts = [str(number) for number in range(1, len(stock.places) + 1)]
    ruler = RULER if min(stock.page) > RULER else SHORT_RULER
    says = f"{stock.name}: both lines are {ruler} mm long"
    lettering = Lettering([(says, *texts)])
    with complete_file(file) as opened, PdfFile(opened) as pdf:
        page = Pages(pdf, stock, settings, lettering)
        page.turn()
        page.outlines()
        for text, (x, y) in zip(texts, stock.places, strict=True):
            page.text(Line(text, "medium", x + stock.width / 2 - 1, y + stock.height / 2 + 1, 2))
        left, top = ((side - ruler) / 2 for side in stock.page)
        page.stroke([(left, top, left + ruler, top), (left, top, left, top + ruler)], 0.3)
        page.text(Line(says, "bold", left + 3, top + 6, 2))
        page.end()
    return file


def _pdf(path: str | Path) -> Path:
    file = Path(path)
    if file.suffix.lower() != ".pdf":
        raise InvalidParameter(Problem("path", str(file), "must end in .pdf: a sheet is a PDF"))
    return file


def _stock(settings: SheetSettings) -> Stock:
    """Return the stock, whose cards lie apart by their bleed and marks, and check where labels begin."""
    marks = MARK + MARK_GAP if settings.marks == "crop" else 0
    stock = stock_named(settings.stock, paper=settings.paper, gap=2 * settings.bleed, edge=settings.bleed + marks)
    if settings.start > len(stock.places):
        rule = f"must be in 1..{len(stock.places)}, the labels on a page of {stock.name}"
        raise InvalidParameter(Problem("start", settings.start, rule, "out-of-range"))
    return stock


class _Sheet:
    """Checks labels and writes their pages."""

    def __init__(self, labels: Labels, settings: SheetSettings) -> None:
        self._labels, self._settings = labels, settings
        self._stock = _stock(settings)
        self._room = room_of(self._stock)
        if not labels.rows:
            raise InvalidParameter(Problem("rows", None, "are none: there is no QR Code to print"))
        known = dict.fromkeys(name for row in labels.rows for name in labels.fields(row))
        for line in settings.lines:
            check_pattern("lines", line, known)
        self._images: dict[int, QRImage] = {}
        self.lettering = Lettering(map(self._texts, labels.rows))

    def _texts(self, row: Any) -> list[str]:
        """Return the lines of a label that are not empty, without line breaks."""
        fields = self._labels.fields(row)
        return [line for one in self._settings.lines if (line := " ".join(filled(one, fields).split()))]

    def check(self) -> None:
        """Check each label, before anything is drawn.

        Raises:
            InvalidParameter: If labels cannot be printed; a problem for each.
        """
        problems: list[Problem] = []
        for number, row in enumerate(self._labels.rows, 1):
            try:
                image = self._labels.image(row)
                self._placed(row, image)
                if number <= MOST_KEPT:
                    self._images[number] = image
            except QrkitError as error:
                name = self._labels.fields(row).get("name") or f"row {number}"
                rule = error.problems[0].rule if isinstance(error, InvalidParameter) else str(error)
                problems.append(Problem("label", name, rule, "does-not-fit"))
                if len(problems) == MOST_PROBLEMS:
                    break
        if problems:
            raise InvalidParameter(*problems)

    def _placed(self, row: Any, image: QRImage) -> Placed:
        """Return where the code and the texts of a label lie.

        Raises:
            InvalidParameter: If the texts do not fit, or the modules of the code are too small.
        """
        texts = self._texts(row)
        if rule := next(filter(None, map(unset_rule, texts)), None):
            raise InvalidParameter(Problem("lines", None, rule))
        width, height, module = picture_size(image.design, image.symbol)
        capital = CAPITAL * sqrt(self._stock.width * self._stock.height / self._stock.panels)
        placed = place(self._room, height / width, texts, capital, self.lettering)
        if placed is None:
            text = max(texts, key=len)[:SHOWN_VALUE]
            rule = f"the text does not fit {self._stock.name}, even in letters of 5 points: {text!r}"
            raise InvalidParameter(Problem("lines", None, rule, "out-of-range"))
        return placed._replace(code=self._in_dots(placed.code, width / module))

    def _in_dots(self, code: Box, modules: float) -> Box:
        """Return the box of a code whose modules are whole dots of the printer, if it has dots.

        Raises:
            InvalidParameter: If modules are too small.
        """
        dpi = self._settings.dpi
        dot = MILLIMETRES_PER_INCH / dpi if dpi else 0.0
        module = code.width / modules
        module = floor(module / dot + ROUNDING) * dot if dot else module
        least = ceil(self._settings.least_module / dot - ROUNDING) * dot if dot else self._settings.least_module
        if module < least - ROUNDING:
            version = min(40, (floor(code.width / least + ROUNDING) - 2 * STANDARD_PADDING - 17) // 4)
            fits = f"version {version} is the largest that does" if version > 0 else "no QR Code does"
            dots = f", whole dots at {dpi:g} dpi" if dpi else ""
            rule = (
                f"the QR Code does not fit {self._stock.name}: its modules would be {module:.2f} mm wide{dots}, and "
                f"phones need {least:.2g} mm; {fits}. Shorten the content, leave out lines, or use a larger label"
            )
            raise InvalidParameter(Problem("stock", self._stock.name, rule, "too-dense"))
        width, height = module * modules, module * modules * code.height / code.width
        return Box(code.x + (code.width - width) / 2, code.y + (code.height - height) / 2, width, height)

    def write(self, pdf: PdfFile) -> int:
        """Write all pages, and return how many there are."""
        pages = Pages(pdf, self._stock, self._settings, self.lettering)
        slots = islice(cycle(enumerate(self._stock.places)), self._settings.start - 1, None)
        for number, row in enumerate(self._labels.rows, 1):
            image = self._images.pop(number, None) or self._labels.image(row)
            placed = self._placed(row, image)
            scene = image.exact_scene
            scale = placed.code.width / scene.width
            dots_per_inch = MILLIMETRES_PER_INCH / scale
            form = pdf.add_form(replace(scene, dots_per_inch=dots_per_inch, key_black=self._settings.key_black))
            for slot, at in islice(slots, self._settings.copies):
                if not (slot and pages.count):
                    pages.turn()
                pages.label(at, placed, form, scale)
        pages.end()
        return pages.count
