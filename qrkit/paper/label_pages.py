"""Paints pages of labels, arranged and corrected for a printer by `SheetSettings`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from qrkit.design.bounds import MILLIMETRES_PER_INCH
from qrkit.design.brand import OpaqueColor
from qrkit.design.color import BLACK
from qrkit.design.limits import Number, Whole, Within
from qrkit.design.print_width import SMALLEST_MODULE_MM
from qrkit.drawing.letters.lettering import outline_of, steps
from qrkit.drawing.scene import Matrix
from qrkit.drawing.writers import postscript
from qrkit.drawing.writers.pdf import Contents, PdfFile
from qrkit.paper.placing import Lettering, Line, Placed
from qrkit.paper.stocks import CARD, Point, Stock
from qrkit.pictures.inks import Inks

POINTS_PER_MM = postscript.POINTS_PER_INCH / MILLIMETRES_PER_INCH
HAIRLINE = 0.1
"""Width of marks in millimeters."""
MARK, MARK_GAP = 4.0, 1.0
"""Length of a mark for a cut or a fold, and its distance from the bleed, in millimeters."""
GLYPH_UNITS = 1000
"""Height of capital letters, in the units in which letters are written."""


Move = Annotated[Number, Within(-20, 20, "millimeters")]


class SheetSettings(Inks):
    """How labels are arranged, printed and cut."""

    stock: str = Field(
        description="Part number of a label stock, such as `L7160`, or a card: `business-card`, `us-business-card`, "
        "`table-tent`, `a6`, `sticker`, `ticket`, `hang-tag`; or a `poster`, whose first line of text stands above the "
        "code."
    )
    paper: str | None = Field(
        default=None,
        description="Paper of a card: `A4` by default, `Letter`, `A3` and others, or `card`, which puts each card on a "
        "page of its own, as print shops want. A poster is as large as its paper.",
    )
    lines: tuple[str, ...] = Field(
        default=(), description="Lines of text on a label, with fields such as `{name}` in braces."
    )
    start: Annotated[Whole, Within(1, 1_000, "(the place on the first page)")] = Field(
        default=1, description="Number of the first label to print, for a page of which some labels are used."
    )
    copies: Annotated[Whole, Within(1, 10_000, "labels")] = Field(default=1, description="Labels of each QR Code.")
    marks: Literal["none", "cut", "crop"] = Field(
        default="none",
        description="`cut` draws the outline of each label, `crop` marks the cuts outside of the labels. Both "
        "mark folds outside.",
    )
    bleed: Annotated[Number, Within(0, 10, "millimeters")] = Field(
        default=0.0, description="How far the color of the labels reaches beyond the label."
    )
    label_color: OpaqueColor | None = Field(
        default=None,
        description="Color of the labels; by default, that of the paper. A code without its own background is printed "
        "directly on this color, or on white if phones may fail to read it.",
    )
    text_color: OpaqueColor = Field(default=BLACK, description="Color of the text.")
    offset_x: Move = Field(default=0.0, description="How far your printer has to move everything to the right.")
    offset_y: Move = Field(default=0.0, description="How far your printer has to move everything down.")
    scale: Annotated[Number, Within(0.9, 1.1, "(1 is exact)")] = Field(
        default=1.0, description="Factor that corrects the size that your printer prints."
    )
    dpi: Annotated[Number, Within(30, 5_000, "dots per inch")] | None = Field(
        default=None, description="Resolution of the printer: each module is a whole number of dots."
    )
    least_module: Annotated[Number, Within(0.1, 10, "millimeters")] = Field(
        default=SMALLEST_MODULE_MM, description="Least width of a module. Most phones need 0.4 mm."
    )


class Pages:
    """Pages in millimeters from the top left corner, moved and scaled for the printer."""

    def __init__(self, pdf: PdfFile, stock: Stock, settings: SheetSettings, lettering: Lettering) -> None:
        self._pdf, self._stock, self._settings, self._lettering = pdf, stock, settings, lettering
        scale = POINTS_PER_MM * settings.scale
        moved = settings.offset_x * POINTS_PER_MM, (stock.page[1] - settings.offset_y) * POINTS_PER_MM
        self._matrix = Matrix(scale, -scale, *moved)
        self._letters: dict[tuple[str, str], str] = {}
        self.count = 0

    def turn(self) -> None:
        """End the page, if there is one, and begin another."""
        if self.count:
            self.end()
        self._contents = Contents(self._pdf, self._matrix, key_black=self._settings.key_black)
        self._above_grounds = len(self._contents.operators)
        self.count += 1

    def end(self) -> None:
        """Add the marks and end the page."""
        stock, marks = self._stock, self._settings.marks
        if marks == "cut":
            self.outlines()
        elif marks == "crop":
            xs = {x + side for x, _ in stock.places for side in (0, stock.width)}
            self._marks(xs, {y + side for _, y in stock.places for side in (0, stock.height)})
        if stock.panels > 1 and marks != "none":
            self._paint("[1 1] 0 d")
            self._marks((), {y + stock.height / 2 for _, y in stock.places})
        width, height = (side * POINTS_PER_MM for side in stock.page)
        trim, bleed = None, 0.0
        if stock.is_poster or (self._settings.paper or "").lower() == CARD:
            trim = self._matrix.box(*stock.places[0], stock.width, stock.height)
            bleed = self._settings.bleed * self._matrix.scale_x
        self._pdf.add_page(self._contents, width, height, trim=trim, bleed=bleed)

    def label(self, at: Point, placed: Placed, form: str, scale: float) -> None:
        """Paint a label: a code and lines of text on each panel, within its outline and bleed.

        The code is a form of the file, whose pixels are `scale` millimeters large.
        """
        stock, ground = self._stock, self._settings.label_color
        begun = ["q", f"{postscript.exact(1, 0, 0, 1, *at)} cm", *postscript.path(stock.outline(self._settings.bleed))]
        if ground:  # below all labels of the page, because the bleed of a label reaches over its neighbors
            painted = [*begun, self._contents.fill(ground, key_black=True), "f Q"]
            self._contents.operators[self._above_grounds : self._above_grounds] = painted
            self._above_grounds += len(painted)
        self._paint(*begun, "W n")
        name = self._contents.resource_name("XObject", form)
        panel = stock.height / stock.panels
        for number in range(stock.panels):
            is_back = number < stock.panels - 1
            turned = (-1, 0, 0, -1, stock.width, panel) if is_back else (1, 0, 0, 1, 0, number * panel)
            code = postscript.exact(scale, 0, 0, scale, placed.code.x, placed.code.y)
            self._paint("q", f"{postscript.exact(*turned)} cm", f"q {code} cm /{name} Do Q")
            for line in placed.lines:
                self.text(line)
            self._paint("Q")
        self._paint("Q")

    def text(self, line: Line) -> None:
        """Paint a line of text; each letter is a form that all pages share."""
        scale = line.capital / GLYPH_UNITS
        self._paint("q", self._contents.fill(self._settings.text_color, key_black=True, overprint=True))
        for character, x, _ in steps(line.text, self._lettering.fonts[line.weight]):
            if not character.isspace():
                name = self._contents.resource_name("XObject", self._letter(character, line.weight))
                at = postscript.exact(scale, 0, 0, scale, line.x + x * line.capital, line.y)
                self._paint(f"q {at} cm /{name} Do Q")
        self._paint("Q")

    def outlines(self) -> None:
        """Paint the outline of each label."""
        path = postscript.path(self._stock.outline())
        self._paint(f"{HAIRLINE} w 0 G")
        for x, y in self._stock.places:
            self._paint(f"q 1 0 0 1 {postscript.exact(x, y)} cm", *path, "S Q")

    def stroke(self, lines: Iterable[tuple[float, float, float, float]], width: float = HAIRLINE) -> None:
        """Paint lines, each from x, y to x, y."""
        self._paint(f"{width} w 0 G")
        for left, top, right, bottom in lines:
            self._paint(f"{postscript.exact(left, top)} m {postscript.exact(right, bottom)} l S")

    def _marks(self, xs: Iterable[float], ys: Iterable[float]) -> None:
        """Paint marks for cutting or folding at both ends of these lines, outside of all labels and their bleed."""
        stock, gap = self._stock, self._settings.bleed + MARK_GAP
        lefts, tops = zip(*stock.places, strict=True)
        left, right = min(lefts) - gap, max(lefts) + stock.width + gap
        top, bottom = min(tops) - gap, max(tops) + stock.height + gap
        self.stroke((x, at, x, at + end) for x in sorted(xs) for at, end in ((top, -MARK), (bottom, MARK)))
        self.stroke((at, y, at + end, y) for y in sorted(ys) for at, end in ((left, -MARK), (right, MARK)))

    def _letter(self, character: str, weight: str) -> str:
        """Return the name of a letter's outline, a PDF form in which capitals are `GLYPH_UNITS` high."""
        key = (character, weight)
        if key not in self._letters:
            outline = outline_of(character, self._lettering.fonts[weight]).placed(0, 0, GLYPH_UNITS)
            box = postscript.exact(*outline.box())
            data = "\n".join([*postscript.path(outline), "f"]).encode("ascii")
            self._letters[key] = self._pdf.add(f"/Type/XObject/Subtype/Form/BBox[{box}]", data)
        return self._letters[key]

    def _paint(self, *operators: str) -> None:
        self._contents.operators += operators
