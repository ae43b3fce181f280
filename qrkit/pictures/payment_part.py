"""Provides `SwissPaymentPart`, the printed part of a Swiss QR-bill: receipt and payment part with the Swiss QR Code."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from qrkit.contents.cards import summary
from qrkit.contents.payments.swiss_bills import PostalAddress
from qrkit.contents.reading import read
from qrkit.design.bounds import MILLIMETRES_PER_INCH
from qrkit.design.color import BLACK, WHITE
from qrkit.design.frames import Caption
from qrkit.design.outline import Outline, rectangle
from qrkit.drawing.letters.lettering import Glyph, Words, missing_letters, words_of
from qrkit.drawing.scene import Item, Rectangle, Scene, Shape, Squares
from qrkit.drawing.writers import format_named, format_of_file
from qrkit.drawing.writers.postscript import POINTS_PER_INCH
from qrkit.errors import InvalidParameter, Problem, one_of
from qrkit.files import write_file
from qrkit.late import Shown
from qrkit.symbol.encode import encode

__all__ = ["Language", "SwissPaymentPart"]

Language = Literal["de", "fr", "it", "en"]
"""The languages of Swiss bills."""

WORDS = tomllib.loads(files("qrkit.pictures").joinpath("payment_words.toml").read_text(encoding="utf-8"))
"""The words of the guidelines, by language."""

DPI = 600
UNIT = DPI / MILLIMETRES_PER_INCH
"""Pixels of a millimeter."""
POINT = MILLIMETRES_PER_INCH / POINTS_PER_INCH
CAPITAL = 0.716
"""Height of capital letters of Arial, in sizes of the font: other fonts are set as large as it."""

WIDTH, HEIGHT = 210.0, 105.0
ABOVE = 5.0
"""Millimeters above the part, for the words that stand in for scissors."""
RECEIPT, PART, DETAILS = 5.0, 67.0, 118.0
"""Left edges of the three columns, in millimeters."""
SYMBOL = 46.0
LINE = 0.2
"""Width of the lines along which the bill is cut, in millimeters."""
CORNER, CORNER_LINE = 3.0, 0.75 * POINT
"""Length and width of the marks around a field that the payer fills in, in millimeters."""
CROSS = 7.0
CROSS_PARTS = ((0.7, 0.7, 18.4, 18.4), (8.25, 4.4, 3.3, 11.0), (4.4, 8.25, 11.0, 3.3))
"""The black square of the Swiss cross, and the two bars of the cross, in a square of 19.8."""


class Size(NamedTuple):
    """Sizes of letters and the distance of lines, in points."""

    heading: float
    value: float
    line: float


SIZES = {"receipt": (Size(6, 8, 9), Size(6, 8, 8.2)), "part": (Size(8, 10, 11), Size(7, 9, 10), Size(6, 8, 8.5))}
"""The sizes of the guidelines, with smaller ones for bills with long names."""


class Block(NamedTuple):
    """A heading with lines below; without lines, the payer fills in a field of this width and height."""

    heading: str
    lines: Sequence[str]
    field: tuple[float, float] | None = None


class SwissPaymentPart(Shown):
    """The receipt and payment part of a Swiss QR-bill, as SIX prescribes it: 210 mm wide, for the bottom of a page.

    It is 105 mm high, with 5 mm above for the words that ask to separate it. Print it in its own size on perforated
    or plain paper. The guidelines allow Arial, Frutiger, Helvetica and Liberation Sans only; the letters are in Manrope
    unless you pass one of these fonts, and become outlines.

    Args:
        bill: What `qrkit.contents.swiss_bill` returns, or its text.
        language: `de`, `fr`, `it` or `en`.
        font: Data URI of a TrueType or OpenType font, such as `qrkit.data_uri("LiberationSans-Regular.ttf")`.
        bold_font: Data URI of its bold letters, for headings.

    Raises:
        InvalidParameter: If the text is not a Swiss bill, or the language is unknown.
        AssetError: If a font cannot be used.

    Example:
        >>> from qrkit import contents
        >>> from qrkit.pictures.payment_part import SwissPaymentPart
        >>> baker = contents.PostalAddress(name="Bäckerei Meier", postcode="8000", town="Zürich")
        >>> part = SwissPaymentPart(contents.swiss_bill(baker, "CH93 0076 2011 6238 5295 7", "12.30"))
        >>> part.to_bytes("pdf")[:5]
        b'%PDF-'
    """

    def __init__(
        self, bill: str, *, language: Language = "de", font: str | None = None, bold_font: str | None = None
    ) -> None:
        found = read(str(bill))
        if found.kind != "swiss_bill":
            raise InvalidParameter(
                Problem("bill", found.kind, "must be a Swiss QR-bill, as contents.swiss_bill returns it")
            )
        one_of("language", language, get_args(Language), "is not a language of Swiss bills")
        self.bill, self.language = found, language
        self._fonts = (font, bold_font or font)

    @cached_property
    def scene(self) -> Scene:
        """The drawing, in dots of 600 per inch."""
        symbol = encode(str(self.bill), error_correction="M")
        sheet = _Sheet(self._fonts)
        self._draw_lines(sheet)
        self._draw_receipt(sheet)
        self._draw_part(sheet)
        if sheet.missing:
            warnings.warn(missing_letters(sheet.missing), UserWarning, stacklevel=3)
        size = SYMBOL / len(symbol.modules)
        place = (PART * UNIT, (ABOVE + 17) * UNIT)
        items: list[Item] = [Rectangle(0, 0, WIDTH * UNIT, (HEIGHT + ABOVE) * UNIT, WHITE)]
        items += [Squares(*place, size * UNIT, symbol.modules, BLACK, union=True), *_cross(PART, ABOVE + 17)]
        items += [Shape(Outline.joined(sheet.parts), BLACK)]
        return Scene(
            WIDTH * UNIT,
            (HEIGHT + ABOVE) * UNIT,
            tuple(items),
            symbol,
            symbol.modules,
            0,
            summary(self.bill),
            module=size * UNIT,
            origin=place,
            dots_per_inch=DPI,
            key_black=True,
        )

    def to_bytes(self, format: str) -> bytes:
        """Return the part as the bytes of a file.

        Args:
            format: `pdf`, `svg`, `eps`, `png` or another of `qrkit.drawing.writers.FORMATS`.

        Raises:
            InvalidParameter: If the format is unknown.
        """
        return format_named(format).write(self.scene)

    def save(self, path: str | Path) -> Path:
        """Write the part to a file in the format of its suffix, and return its path.

        Raises:
            InvalidParameter: If no format has this suffix.
            CannotWrite: If the file cannot be written.
        """
        file = Path(path)
        write_file(file, format_of_file(file).write(self.scene))
        return file

    def __repr__(self) -> str:
        return f"<SwissPaymentPart {summary(self.bill)!r}>"

    def _word(self, name: str) -> str:
        return str(WORDS[self.language][name])

    def _draw_lines(self, sheet: _Sheet) -> None:
        sheet.add(rectangle(0, 0, WIDTH, LINE), rectangle(PART - 5 - LINE / 2, 0, LINE, HEIGHT))
        words = sheet.words(self._word("separate"))
        sheet.write(words, (WIDTH - words.right * _capital(8)) / 2, -1.5, 8)

    def _draw_receipt(self, sheet: _Sheet) -> None:
        sheet.write(sheet.words(self._word("receipt"), bold=True), RECEIPT, 5 + _capital(11), 11)
        blocks = [self._account(), *self._reference(), self._debtor((52, 20))]
        sheet.write_blocks(blocks, RECEIPT, 12, (52, 56), SIZES["receipt"])
        self._draw_amount(sheet, RECEIPT, 13, SIZES["receipt"][0], (RECEIPT + 22, 69, 30, 10))
        words = sheet.words(self._word("acceptance"), bold=True)
        sheet.write(words, RECEIPT + 52 - words.right * _capital(6), 82 + _capital(6), 6)

    def _draw_part(self, sheet: _Sheet) -> None:
        fields = self.bill.fields
        sheet.write(sheet.words(self._word("part"), bold=True), PART, 5 + _capital(11), 11)
        notes = [one for one in (fields.get("message"), fields.get("billing_information")) if one]
        information = [Block(self._word("information"), notes)] if notes else []
        blocks = [self._account(), *self._reference(), *information, self._debtor((65, 25))]
        sheet.write_blocks(blocks, DETAILS, 5, (87, 85), SIZES["part"])
        self._draw_amount(sheet, PART, 16, SIZES["part"][0], (PART + 9, 72.5, 40, 15))
        for row, scheme in enumerate(fields.get("alternative_schemes", ())):
            sheet.write(sheet.words(scheme), PART, 91 + row * 8 * POINT + _capital(7), 7)

    def _draw_amount(self, sheet: _Sheet, x: float, across: float, size: Size, box: tuple[float, ...]) -> None:
        """Write currency and amount side by side; without an amount, mark a field for it."""
        amount = self.bill.fields.get("amount")
        values = [
            self.bill.fields.get("currency", "CHF"),
            f"{amount:,.2f}".replace(",", " ") if amount is not None else "",
        ]
        for place, name, value in zip((x, x + across), ("currency", "amount"), values, strict=True):
            baseline = 68 + _capital(size.heading)
            sheet.write(sheet.words(self._word(name), bold=True), place, baseline, size.heading)
            sheet.write(sheet.words(value), place, baseline + size.line * POINT * 1.15, size.value)
        if amount is None:
            sheet.mark(*box)

    def _account(self) -> Block:
        number = self.bill.fields["iban"]
        return Block(self._word("account"), [_grouped(number, 4), *_lines(self.bill.fields["creditor"])])

    def _reference(self) -> Iterator[Block]:
        reference = self.bill.fields.get("reference")
        if reference:
            is_qr = reference.isdigit()
            shown = f"{reference[:2]} {_grouped(reference[2:], 5)}" if is_qr else _grouped(reference, 4)
            yield Block(self._word("reference"), [shown])

    def _debtor(self, field: tuple[float, float]) -> Block:
        debtor = self.bill.fields.get("debtor")
        if debtor:
            return Block(self._word("payable by"), _lines(debtor))
        return Block(self._word("name/address"), (), field)


class _Sheet:
    """Collects outlines, in pixels; all places are in millimeters below the line above the part."""

    def __init__(self, fonts: tuple[str | None, str | None]) -> None:
        self.parts: list[Outline] = []
        self.missing: dict[str, None] = {}
        self._fonts = fonts
        self._words: dict[tuple[str, bool], Words] = {}

    def add(self, *outlines: Outline) -> None:
        """Add outlines in millimeters."""
        self.parts += [one.placed(0, ABOVE * UNIT, UNIT) for one in outlines]

    def words(self, text: str, *, bold: bool = False) -> Words:
        """Return a text as outlines; each text is set once."""
        if (text, bold) not in self._words:
            caption = Caption("x", weight="bold" if bold else "regular", font=self._fonts[bold])
            self._words[text, bold] = words_of(caption, text, part="bold_font" if bold else "font")
            self.missing |= dict.fromkeys(self._words[text, bold].missing)
        return self._words[text, bold]

    def write(self, words: Words, x: float, baseline: float, points: float) -> None:
        """Write a text on a line."""
        self.parts.append(words.on_line(x * UNIT, (baseline + ABOVE) * UNIT, _capital(points) * UNIT))

    def mark(self, x: float, y: float, width: float, height: float) -> None:
        """Mark the corners of a field that the payer fills in."""
        for across, down in ((CORNER, CORNER_LINE), (CORNER_LINE, CORNER)):
            for left, top in product((x, x + width - across), (y, y + height - down)):
                self.add(rectangle(left, top, across, down))

    def write_blocks(
        self, blocks: Sequence[Block], x: float, y: float, most: tuple[float, float], sizes: Sequence[Size]
    ) -> None:
        """Write blocks below one another, in the largest letters with which they fit."""
        for size in sizes:
            wrapped = [(one, list(self._wrapped(one.lines, most[0], size.value))) for one in blocks]
            rows = sum(2 + len(lines) for _, lines in wrapped) - 1
            marks = sum(one.field[1] for one in blocks if one.field)
            if rows * size.line * POINT + marks <= most[1]:
                break
        top = y
        for block, lines in wrapped:
            self.write(self.words(block.heading, bold=True), x, top + _capital(size.heading), size.heading)
            top += size.line * POINT
            for line in lines:
                self.write(line, x, top + _capital(size.value), size.value)
                top += size.line * POINT
            if block.field:
                self.mark(x, top, *block.field)
                top += block.field[1]
            top += size.line * POINT

    def _wrapped(self, lines: Iterable[str], width: float, points: float) -> Iterator[Words]:
        """Break lines between words, or inside words that are longer than a line."""
        for line in lines:
            letters = self.words(line).glyphs  # without the spaces
            starts = {len("".join(line[: one.start()].split())) for one in re.finditer(r"\S+", line)}
            first, end = 0, width / _capital(points)
            while first < len(letters):
                right = letters[first].x + end
                last = max(n for n, one in enumerate(letters) if n == first or one.x + one.advance <= right) + 1
                if last < len(letters):
                    last = max((n for n in starts if first < n <= last), default=last)
                yield _part_of(letters[first:last])
                first = last


def _part_of(glyphs: Sequence[Glyph]) -> Words:
    left, right = glyphs[0], glyphs[-1]
    return Words(tuple(glyphs), left.x + left.outline.box()[0], right.x + right.outline.box()[2])


def _capital(points: float) -> float:
    """Return the height of capital letters in millimeters."""
    return points * POINT * CAPITAL


def _grouped(text: str, count: int) -> str:
    return " ".join(text[place : place + count] for place in range(0, len(text), count))


def _lines(address: PostalAddress) -> list[str]:
    street = " ".join(filter(None, (address.street, address.number)))
    country = "" if address.country in ("CH", "LI") else f"{address.country}-"
    return [address.name, *([street] if street else []), f"{country}{address.postcode} {address.town}"]


def _cross(x: float, y: float) -> Iterator[Rectangle]:
    """Yield the Swiss cross in the middle of the symbol, in pixels."""
    left, top, scale = x + (SYMBOL - CROSS) / 2, y + (SYMBOL - CROSS) / 2, CROSS / 19.8
    yield Rectangle(left * UNIT, top * UNIT, CROSS * UNIT, CROSS * UNIT, WHITE)
    for number, (across, down, width, height) in enumerate(CROSS_PARTS):
        place = (left + across * scale) * UNIT, (top + down * scale) * UNIT
        yield Rectangle(*place, width * scale * UNIT, height * scale * UNIT, WHITE if number else BLACK)
