"""Writes sheets of labels as PDF, and rolls of labels as ZPL.

A PDF has vectors, letters as outlines, and each code drawn once and placed as often as asked; ZPL has whole dots.

All rows are checked before a page is drawn: what cannot be kept is one error that names each row, and no file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, cycle, islice
from math import ceil, floor
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from qrkit.design.bounds import MILLIMETRES_PER_INCH, STANDARD_PADDING
from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.frames import unset_rule
from qrkit.drawing.draw import picture_size
from qrkit.drawing.frames.framing import LEAST_CONTRAST
from qrkit.drawing.letters.lettering import missing_letters
from qrkit.drawing.scene import Group, Item, Matrix, Rectangle, Scene, Shape
from qrkit.drawing.writers import svg, zpl
from qrkit.drawing.writers.pdf import PdfFile
from qrkit.errors import SHOWN_VALUE, InvalidParameter, Problem, QrkitError, RenderingFailed, counted, either, raise_any
from qrkit.files import complete_file
from qrkit.paper.label_pages import MARK, MARK_GAP, Pages, SheetSettings
from qrkit.paper.placing import LEAST_MARGIN, Box, Lettering, Line, Placed, TextSize, place, place_on_poster, room_of
from qrkit.paper.stocks import Stock, stock_named
from qrkit.pictures.batch_files import MOST_LOOKS, look_of
from qrkit.pictures.image import QRImage
from qrkit.pictures.inks import press_of
from qrkit.pictures.patterns import check_pattern, filled
from qrkit.pictures.preflight import known_findings, preflight
from qrkit.pictures.printing import PrintSize

MOST_PROBLEMS = 20
"""Labels that an error names."""
ONLY_PDF = (
    "start", "marks", "bleed", "label_color", "text_color", "offset_x", "offset_y", "scale", "key_black", "profile",
    "spots",
)  # fmt: skip
"""Settings that a label printer has no use for, or that are set on the printer."""
PALE = ("contrast", "reversed")
"""Findings because of which a code stands on white and not on the color of its label."""
MOST_KEPT = 1_000
"""Codes that are kept from the check until they are drawn; others are made twice, so that memory stays flat."""
RULER, SHORT_RULER = 100, 10
"""Millimeters of the lines on a test page, and on one that is too small for them."""
PAPER, EDGE, HALF_EDGE = Color.parse("#E4E7EB"), Color.parse("#C3C9D1"), 0.2
"""In a picture of a page: the colors of the paper and of the edges of labels, and half the width of an edge in mm."""
SHOWN_WIDTH = 840
"""Pixels of the width of a page that is written as a picture."""
ROUNDING = 1e-9
"""Rounding error allowed in a number of dots, or in the width of a module."""


class Labels(NamedTuple):
    """What goes on labels.

    Attributes:
        rows: A row for each QR Code.
        image: Draws the QR Code of a row.
        fields: Returns the texts of a row by the names that lines may have in braces.
        numbers: The number of each row in its file or its label in a frame, for errors; by default, rows are counted
            from 1.
    """

    rows: Sequence[Any]
    image: Callable[[Any], QRImage]
    fields: Callable[[Any], Mapping[str, str]]
    numbers: Sequence[Any] = ()


class SheetFile(NamedTuple):
    """A sheet that was written.

    Attributes:
        path: The file.
        labels: Number of labels.
        pages: Number of pages.
        unit: What one of them is called, such as label, ticket or poster.
    """

    path: Path
    labels: int
    pages: int
    unit: str = "label"

    def __str__(self) -> str:
        labels = counted(self.labels, self.unit)
        return labels if self.unit == "poster" else f"{labels} on {counted(self.pages, 'page')}"


def write_sheet(path: str | Path, labels: Labels, settings: SheetSettings) -> SheetFile:
    """Write labels to a PDF, or as ZPL for a label printer. If one label cannot be made, nothing is written.

    Args:
        path: The file, which ends in .pdf or .zpl, or in .svg for a picture of the first page (`first_page`); an
            existing one is replaced.
        labels: What goes on the labels.
        settings: How they are arranged, printed and cut.

    Raises:
        InvalidParameter: If there is no row or no such stock, a text does not fit, or a QR Code is too dense for its
            label; the error names up to 20 rows. If a .zpl has no `dpi`, or settings that are only for a PDF.
        CannotWrite: If the file cannot be written.

    Warns:
        UserWarning: If the font lacks letters, which are drawn as boxes; and, before a page is drawn, of what to change
            before printing (`QRImage.preflight`): the first label of each kind of finding.
    """
    suffix = Path(path).suffix.lower()
    is_zpl, file = suffix == ".zpl", _with_suffix(path, ".pdf", ".zpl", ".svg")
    sheet = _Sheet(labels, settings)
    if is_zpl:
        sheet.check_roll()
    sheet.check()
    with complete_file(file) as opened, PdfFile(opened) if suffix == ".pdf" else nullcontext() as pdf:
        pages = sheet.write(pdf) if pdf else sheet.write_roll(opened) if is_zpl else sheet.write_picture(opened)
    if sheet.lettering.missing:
        warnings.warn(missing_letters(sheet.lettering.missing), stacklevel=3)
    return SheetFile(file, len(labels.rows) * settings.copies, pages, stock_of(settings).unit)


def first_page(labels: Labels, settings: SheetSettings, *, width: float) -> Scene:
    """Return a picture of the first page of a sheet, with white labels on gray paper.

    Args:
        labels: What goes on the labels; rows that do not fit the page are neither checked nor drawn.
        settings: How they are arranged.
        width: Width of the page in pixels.

    Raises:
        InvalidParameter: As `write_sheet`, but for the labels of this page.

    Warns:
        UserWarning: As `write_sheet`, of what to change before printing.
    """
    most = len(stock_of(settings).places)
    sheet = _Sheet(labels._replace(rows=labels.rows[:most], numbers=labels.numbers[:most]), settings)
    sheet.check()
    return sheet.first_page(width)


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
    file = _with_suffix(path, ".pdf")
    stock = stock_of(settings)
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


def _with_suffix(path: str | Path, *suffixes: str) -> Path:
    file = Path(path)
    if file.suffix.lower() not in suffixes:
        raise InvalidParameter(Problem("path", str(file), f"must end in {either(suffixes)}"))
    return file


def stock_of(settings: SheetSettings) -> Stock:
    """Return the stock, whose cards lie apart by their bleed and marks, and check where labels begin."""
    is_marked = settings.marks == "crop" or (settings.marks == "cut" and stock_named(settings.stock).panels > 1)
    marks = MARK + MARK_GAP if is_marked else 0
    stock = stock_named(settings.stock, paper=settings.paper, gap=2 * settings.bleed, edge=settings.bleed + marks)
    if settings.start > len(stock.places):
        rule = f"must be in 1..{len(stock.places)}, the labels on a page of {stock.name}"
        raise InvalidParameter(Problem("start", settings.start, rule, "out-of-range"))
    return stock


class _Sheet:
    """Checks labels and writes their pages."""

    def __init__(self, labels: Labels, settings: SheetSettings) -> None:
        self._labels, self._settings = labels, settings
        self._stock = stock_of(settings)
        self._room = room_of(self._stock)
        if not labels.rows:
            raise InvalidParameter(Problem("rows", None, "must not be empty: there is no QR Code to print"))
        known = dict.fromkeys(name for row in labels.rows for name in labels.fields(row))
        for line in settings.lines:
            check_pattern("lines", line, known)
        self._pictures: dict[int, tuple[float, float, float]] = {}
        self._smallest = TextSize.usual(self._stock)
        self._is_read: dict[tuple[object, ...], bool] = {}
        self._kept: dict[int, QRImage] = {}
        self._looks: dict[tuple[object, ...], tuple[str, int, Any, QRImage]] = {}
        self._findings: dict[str, str] = {}
        self.lettering = Lettering(map(self._texts, labels.rows))

    def _texts(self, row: Any) -> list[str]:
        """Return the lines of a label that are not empty, without line breaks."""
        fields = self._labels.fields(row)
        return [line for one in self._settings.lines if (line := " ".join(filled(one, fields).split()))]

    def check(self) -> None:
        """Check each label, before anything is drawn; one error has a problem for each that cannot be printed."""
        steps = map(self._problems, (self._measure, self._check_modules))
        raise_any(islice(chain.from_iterable(steps), MOST_PROBLEMS))
        settings, ground = self._settings, self._settings.label_color or WHITE
        for name, index, row, image in self._looks.values():
            self._preflight(name, image, self._placed(index, row))
        if settings.lines and (contrast := settings.text_color.contrast(ground)) < LEAST_CONTRAST:
            told = f"text in {settings.text_color.rgb} on {ground.rgb} has a contrast of {contrast:.1f}"
            self._findings["text"] = f"{told}, and people need {LEAST_CONTRAST:g} or more to read it"
        for finding in self._findings.values():
            warnings.warn(finding, stacklevel=4)

    def _problems(self, check: Callable[[str, int, Any], None]) -> Iterator[Problem]:
        """Yield the problems that a check finds, one of a label. What would help is said once."""
        told = set[str]()
        numbers = self._labels.numbers or range(1, len(self._labels.rows) + 1)
        for index, (row, number) in enumerate(zip(self._labels.rows, numbers, strict=True)):
            name = self._labels.fields(row).get("name") or f"row {number!r}"
            try:
                check(name, index, row)
            except QrkitError as error:
                rule = error.problems[0].rule if isinstance(error, InvalidParameter) else str(error)
                what, _, help = rule.partition("; ")
                yield Problem("label", name, what if help in told else rule, "does-not-fit")
                told.add(help)

    def _measure(self, name: str, index: int, row: Any) -> None:
        """Keep the size of a code and that of its texts. Of each look, up to 20, the first code is kept, too."""
        image, texts = self._image(row), self._texts(row)
        if rule := next(filter(None, map(unset_rule, texts)), None):
            raise InvalidParameter(Problem("lines", None, rule))
        picture = picture_size(image.design, image.symbol)
        placed = self._place(picture, texts, TextSize.usual(self._stock))
        if placed is None:
            text = max(texts, key=len)[:SHOWN_VALUE]
            rule = f"the text does not fit {self._stock.name}, even in letters of 5 points: {text!r}"
            raise InvalidParameter(Problem("lines", None, rule, "out-of-range"))
        self._pictures[index] = picture
        self._smallest = TextSize(*map(min, self._smallest, placed.size))
        if index < MOST_KEPT:
            self._kept[index] = image
        if len(self._looks) < MOST_LOOKS:
            self._looks.setdefault(look_of(image, "content"), (name, index, row, image))

    def _image(self, row: Any) -> QRImage:
        """Return the code of a label; on a colored one without a field of its own, unless phones may need one."""
        image, ground = self._labels.image(row), self._settings.label_color
        if ground is None or "background" in image.design.model_fields_set or image.design.micro:
            return image
        on_label, look = image.on(ground), look_of(image, "content")
        if look not in self._is_read:
            size = PrintSize(size_mm=self._room.width)
            is_pale = any(one.code in PALE for one in known_findings(on_label, size))
            self._is_read[look] = on_label.fault in (None, image.fault) and not is_pale
        return on_label if self._is_read[look] else image

    def _check_modules(self, _name: str, index: int, row: Any) -> None:
        if index in self._pictures:
            self._placed(index, row)

    @cached_property
    def _text_size(self) -> TextSize:
        """The size of the texts of all labels: the smallest that one needs, and the height of the tallest."""
        rows = ((picture, self._texts(self._labels.rows[index])) for index, picture in self._pictures.items())
        placed = filter(None, (self._place(picture, texts, self._smallest) for picture, texts in rows if texts))
        return self._smallest._replace(height=max((one.size.height for one in placed), default=0))

    def _preflight(self, name: str, image: QRImage, placed: Placed) -> None:
        """Keep the first finding of each kind."""
        size, ground = PrintSize(size_mm=placed.code.width), self._settings.label_color or WHITE
        with suppress(RenderingFailed):  # a PDF needs no rendering
            for finding in preflight(image, size, self._settings.dpi, ground=ground, free_mm=LEAST_MARGIN):
                if finding.code != "module-size":  # which `least_module` decides
                    self._findings.setdefault(finding.code, f"label {name!r}: {finding}")

    def _place(self, picture: tuple[float, float, float], texts: Sequence[str], most: TextSize) -> Placed | None:
        """Return where a code and texts of at most a size lie; None if the texts do not fit."""
        width, height, _ = picture
        put = place_on_poster if self._stock.is_poster else place
        return put(self._room, height / width, texts, most, self.lettering)

    def _placed(self, index: int, row: Any) -> Placed:
        """Return where the code and the texts of a label lie."""
        width, _, module = picture = self._pictures[index]
        placed = self._place(picture, self._texts(row), self._text_size)
        assert placed  # in the size of all labels, because it was in a larger one
        return placed._replace(code=self._in_dots(placed.code, width / module))

    def _in_dots(self, code: Box, modules: float) -> Box:
        """Return the box of a code whose modules are whole dots of the printer, if it has dots."""
        dpi = self._settings.dpi
        dot = MILLIMETRES_PER_INCH / dpi if dpi else 0.0
        module = code.width / modules
        module = floor(module / dot + ROUNDING) * dot if dot else module
        least = ceil(self._settings.least_module / dot - ROUNDING) * dot if dot else self._settings.least_module
        if module < least - ROUNDING:
            version = min(40, (floor(code.width / least + ROUNDING) - 2 * STANDARD_PADDING - 17) // 4)
            fits = f"version {version} is the largest that fits" if version > 0 else "no QR Code fits"
            dots = f", whole dots at {dpi:g} dpi" if dpi else ""
            rule = (
                f"the QR Code does not fit {self._stock.name}: its modules would be {module:.2f} mm wide{dots}, and "
                f"phones need {least:.2g} mm; {fits}. Shorten the content, leave out lines, or use a larger label"
            )
            raise InvalidParameter(Problem("stock", self._stock.name, rule, "too-dense"))
        width, height = module * modules, module * modules * code.height / code.width
        return Box(code.x + (code.width - width) / 2, code.y + (code.height - height) / 2, width, height)

    def check_roll(self) -> None:
        """Check that all settings are for a label printer."""
        settings, stock = self._settings, self._stock
        given = [name for name in ONLY_PDF if name in settings.model_fields_set]
        problems = [Problem(name, getattr(settings, name), "is only for a .pdf") for name in given]
        if settings.dpi is None:
            problems.append(Problem("dpi", None, "is required for a .zpl: 203, 300 or 600, as your label printer has"))
        if stock.panels > 1:
            problems.append(Problem("stock", stock.name, "is a folded card, which needs a .pdf"))
        raise_any(problems)

    def _each(self) -> Iterator[tuple[QRImage, Placed]]:
        """Yield the code of each label, and where it and the texts lie."""
        for index, row in enumerate(self._labels.rows):
            image = self._kept.pop(index, None)
            yield image or self._image(row), self._placed(index, row)

    def write_roll(self, file: BinaryIO) -> int:
        """Write all labels as ZPL, and return how many are printed."""
        stock, dpi = self._stock, self._settings.dpi or 0.0
        dots = dpi / MILLIMETRES_PER_INCH
        width, height = round(stock.width * dots), round(stock.height * dots)
        for image, placed in self._each():
            scene = image.printed(PrintSize(size_mm=placed.code.width, dpi=dpi)).scene
            moved = Group(scene.items, Matrix(1, 1, round(placed.code.x * dots), round(placed.code.y * dots)))
            letters = [Shape(self.lettering.outline(line, dots), BLACK) for line in placed.lines]
            blank = Rectangle(0, 0, width, height, WHITE)
            label = replace(scene, width=width, height=height, items=(blank, moved, *letters), paper=())
            file.write(zpl.write(label, self._settings.copies))
        return len(self._labels.rows) * self._settings.copies

    def write_picture(self, file: BinaryIO) -> int:
        """Write a picture of the first page, and return 1."""
        file.write(svg.write_union(self.first_page(SHOWN_WIDTH)))
        return 1

    def first_page(self, width: float) -> Scene:
        """Return a picture of the first page, `width` pixels wide."""
        stock = self._stock
        label = Shape(stock.outline(), EDGE), Shape(stock.outline(-HALF_EDGE), self._settings.label_color or WHITE)
        painted: list[Item] = [Group(label, Matrix(1, 1, *at)) for at in stock.places]
        slots = iter(stock.places[self._settings.start - 1 :])
        for image, placed in self._each():
            scene, panel = image.exact_scene, stock.height / stock.panels
            scale = placed.code.width / scene.width
            code = Group(scene.items, Matrix(scale, scale, placed.code.x, placed.code.y))
            letters = [Shape(self.lettering.outline(line, 1), self._settings.text_color) for line in placed.lines]
            front = Group((code, *letters), Matrix(move_y=stock.height - panel))
            back = [Group((code, *letters), Matrix(-1, -1, stock.width, panel))] * (stock.panels - 1)
            painted += [Group((*back, front), Matrix(1, 1, *at)) for at in islice(slots, self._settings.copies)]
        size = width / stock.page[0]
        paper = Rectangle(0, 0, *stock.page, PAPER)
        page = Group((paper, *painted), Matrix(size, size))
        height, title = stock.page[1] * size, f"First page, {stock.name}"
        return replace(scene, width=width, height=height, items=(page,), paper=(), title=title)

    def write(self, pdf: PdfFile) -> int:
        """Write all pages, and return how many there are."""
        pdf.press = press_of(self._settings)
        pages = Pages(pdf, self._stock, self._settings, self.lettering)
        slots = islice(cycle(enumerate(self._stock.places)), self._settings.start - 1, None)
        for image, placed in self._each():
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
