"""Read OpenDocument workbooks (ODF 1.3, part 3, section 9), as written by LibreOffice; they cannot be written.

Such a workbook is an archive (ods), or a single XML file (fods).

A file can declare that a cell or a row is repeated, so a few bytes can stand for millions of cells. Rows are therefore
counted before they are returned, and cells beyond `MOST_COLUMNS` are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import repeat

from qrkit.errors import UnreadableFile
from qrkit.exchange import archives
from qrkit.exchange.locating import MOST_SHEETS, Part, Place, Share
from qrkit.exchange.marked_cells import Unsaved, linked, value_text
from qrkit.exchange.table_files import MOST_BYTES
from qrkit.exchange.workbooks import MOST_COLUMNS, MOST_ROWS, filled, repeats, trimmed, without_apostrophes
from qrkit.exchange.xml_text import check_doctype, events, free
from qrkit.late import etree
from qrkit.tracking.text_columns import cell_text

CONTENT = "content.xml"
MOST_ELEMENTS = 200_000
"""The maximum number of elements in a row, or before the first row, which are in memory at the same time."""
MOST_PART_BYTES = 4 * MOST_BYTES

_OFFICE, _TABLE, _TEXT, _STYLE, _LINK, _CALC = (
    "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}",
    "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}",
    "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}",
    "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}",
    "{http://www.w3.org/1999/xlink}",
    "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}",
)
_SHEET, _ROW = f"{_TABLE}table", f"{_TABLE}table-row"
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_NUMBERS = ("float", "percentage", "currency")
_BLANKS = re.compile(r"[ \t\r\n]+")
_FLAT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?<office:document\s")
_CHARACTERS = {f"{_TEXT}s": " ", f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}
_NO_TEXT = (f"{_OFFICE}annotation", f"{_TEXT}note")


@dataclass(slots=True)
class _Sheet:
    """A sheet: the rows, each with its number of repetitions, and the merged cells."""

    name: str
    is_hidden: bool = False
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    count: int = 0
    merged: dict[tuple[int, int], int] = field(default_factory=dict)
    hidden: list[int] = field(default_factory=list)

    def add(self, times: int, cells: list[str]) -> None:
        """Add a row with its number of repetitions."""
        self.count += times
        if self.count > MOST_ROWS:
            raise UnreadableFile(f"the sheet {self.name[:60]!r} has more than {MOST_ROWS:,} rows, counting empty ones")
        self.rows.append((times, cells))

    def all_rows(self) -> Iterator[list[str]]:
        """Yield all rows up to the last one that is not empty; sheets often end with a million empty rows."""
        while self.rows and not self.rows[-1][1]:
            self.rows.pop()
        every = (cells for times, cells in self.rows for cells in repeat(cells, times))
        return filled(every, self.merged) if self.merged else every


def is_workbook(data: bytes) -> bool:
    """Return whether a zip archive is an OpenDocument workbook or workbook template."""
    archive = archives.opened(data)
    named = next((entry for entry in archive.infolist() if entry.filename == "mimetype"), None)
    if named is None:
        return {CONTENT, "META-INF/manifest.xml"} <= set(archive.namelist())
    if named.file_size > len(archives.OPENDOCUMENT) + len("-template\r\n"):
        return False
    return archives.unpacked(archive, named, MOST_BYTES).startswith(archives.OPENDOCUMENT.encode())


def is_flat(data: bytes) -> bool:
    """Return whether a text is an OpenDocument workbook in one XML file, without an archive around it."""
    return _FLAT.match(data) is not None


def parts(data: bytes, _place: Place, _share: Share | None) -> list[Part]:
    """Return the sheets of a workbook (see `SheetParts`): formulas as their saved values, errors as empty cells."""
    try:
        sheets = _sheets(data if is_flat(data) else _content(data))
    except etree.XMLSyntaxError as error:
        rule = "the file is not an OpenDocument workbook that can be read"
        raise UnreadableFile(f"{rule}: {error.msg}; save it without a password, as ods, xlsx or csv") from error
    every = [Part(sheet.name, sheet.all_rows(), sheet.is_hidden, hidden=sheet.hidden) for sheet in sheets]
    return without_apostrophes(every)


def _content(data: bytes) -> bytes:
    """Return the part of an archive that has the sheets."""
    archive = archives.opened(data)
    entry = next((one for one in archive.infolist() if one.filename == CONTENT), None)
    if entry is None:
        raise UnreadableFile(f"the workbook has no {CONTENT} in it; save it without a password, as ods, xlsx or csv")
    return archives.unpacked(archive, entry, MOST_PART_BYTES)


def _sheets(content: bytes) -> list[_Sheet]:
    """Return the sheets of a workbook; the elements of each row are freed at the end of the row."""
    sheets: list[_Sheet] = []
    hidden: set[str] = set()
    current = None
    elements = 0
    for event, one in events(content, "start", "end"):
        if event == "start":
            if one.getparent() is None:
                check_doctype(one)
            elif one.tag == _SHEET and one.getparent().tag == f"{_OFFICE}spreadsheet":
                if len(sheets) == MOST_SHEETS:
                    break
                current = one
                is_hidden = one.get(f"{_TABLE}style-name") in hidden
                sheets.append(_Sheet(one.get(f"{_TABLE}name", ""), is_hidden))
            continue
        elements += 1
        if elements > MOST_ELEMENTS:
            raise UnreadableFile(f"the workbook has more than {MOST_ELEMENTS:,} elements in a row, or in front of rows")
        if one.tag == f"{_STYLE}style" and len(hidden) < MOST_SHEETS:
            hidden.update({one.get(f"{_STYLE}name", "")} if _is_hiding(one) else ())
        elif one.tag == _ROW and current is not None and next(one.iterancestors(_SHEET), None) is current:
            _add_row(sheets[-1], one)
            elements = 0
            free(one)
    return sheets


def _is_hiding(style: etree._Element) -> bool:
    properties = style.iterchildren(f"{_STYLE}table-properties")
    return any(one.get(f"{_TABLE}display") == "false" for one in properties)


def _add_row(sheet: _Sheet, row: etree._Element) -> None:
    """Add a row and its merged cells to a sheet."""
    cells: list[str] = []
    for one in row:
        if one.tag not in _CELLS or len(cells) == MOST_COLUMNS:
            continue
        below = repeats(one.get(f"{_TABLE}number-rows-spanned", ""))
        if below > 1:
            sheet.merged[sheet.count, len(cells)] = sheet.count + below - 1
        cells += [_text(one)] * min(repeats(one.get(f"{_TABLE}number-columns-repeated", "")), MOST_COLUMNS - len(cells))
    if row.get(f"{_TABLE}visibility") in ("collapse", "filter") and any(cells):
        sheet.hidden.append(sheet.count + 1)
    sheet.add(repeats(row.get(f"{_TABLE}number-rows-repeated", "")), trimmed(cells))


def _text(cell: etree._Element) -> str:
    """Return the text of a cell, formatted by `cell_text` as for all workbooks."""
    kind = cell.get(f"{_OFFICE}value-type")
    if cell.get(f"{_CALC}value-type") == "error":
        return ""
    if kind is None and (formula := cell.get(f"{_TABLE}formula", "").partition(":=")[2]):
        return Unsaved(f"={formula}")
    if kind == "boolean":
        return cell.get(f"{_OFFICE}boolean-value", "")
    text = cell.get(f"{_OFFICE}string-value") or "\n".join(map(_paragraph, cell.iterchildren(f"{_TEXT}p")))
    try:
        if kind in _NUMBERS:
            number = value_text(float(cell.get(f"{_OFFICE}value", "")))
            return text if text.isdecimal() and text.lstrip("0") == number else number  # shown as 0012
        if kind == "date":
            return cell_text(datetime.fromisoformat(cell.get(f"{_OFFICE}date-value", "")))
    except (ValueError, OverflowError):
        pass  # not a valid number or timestamp: use the displayed text of the cell
    link = next(cell.iterfind(f"{_TEXT}p//{_TEXT}a"), None)
    return text if link is None else linked(text, link.get(f"{_LINK}href", ""))


def _paragraph(one: etree._Element) -> str:
    """Return the text of a paragraph; runs of white space collapse to one space unless written as elements."""
    parts = [_BLANKS.sub(" ", one.text or "")]
    for inner in one:
        if inner.tag in _CHARACTERS:
            parts.append(_CHARACTERS[inner.tag] * min(repeats(inner.get(f"{_TEXT}c", "")), MOST_COLUMNS))
        elif inner.tag not in _NO_TEXT:
            parts.append(_paragraph(inner))
        parts.append(_BLANKS.sub(" ", inner.tail or ""))
    return "".join(parts)
