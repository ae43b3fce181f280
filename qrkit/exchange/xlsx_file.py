"""Excel 2007+ workbooks (OOXML), which can contain more than 65,535 rows per sheet.

Reading is in `xlsx_parts`.

Writing: XlsxWriter 3.3 and openpyxl write only 16 digits, which changed 3 of 10 coordinates, and openpyxl turns some
texts into formulas. So openpyxl makes a workbook with the heading's style, and we write the rows of its sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from io import BytesIO
from typing import Any, BinaryIO
from zipfile import ZipFile

from qrkit.exchange import archives
from qrkit.exchange.columns import Row
from qrkit.exchange.locating import Part, Place, Share
from qrkit.exchange.table_files import Writing
from qrkit.exchange.workbooks import OUR_SHEET, fitting_rows, is_nothing, refusing, typed, without_apostrophes
from qrkit.exchange.xlsx_parts import Package, cells_of

BOLD = ' s="1"'
"""The attribute of cells in the only style of our workbooks, that of the heading."""
CONTENT_TYPES = "[Content_Types].xml"
"""The entry that identifies a zip archive as OOXML."""
# ECMA-376, ST_Xstring: characters that XML cannot represent or would change, and texts that look like such an escape.
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHEET_DATA = re.compile(rb"(?<=<sheetData>).*(?=</sheetData>)")


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as a workbook."""
    write_sheet(file, how.columns, (typed(row, how.columns) for row in rows), sheet=OUR_SHEET)


def write_sheet(file: BinaryIO, names: Sequence[str], rows: Iterable[Sequence[Any]], *, sheet: str) -> None:
    """Write a table as a workbook with one sheet; missing and infinite values become empty cells."""
    write_sheets(file, {sheet: (names, rows)})


def write_sheets(file: BinaryIO, sheets: Mapping[str, tuple[Sequence[str], Iterable[Sequence[Any]]]]) -> None:
    """Write tables as a workbook with one sheet each, by its name of at most 31 characters."""
    _save({name: _sheet_data(names, rows) for name, (names, rows) in sheets.items()}, file)


def _sheet_data(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Return the elements of the heading and of all rows."""
    from openpyxl.utils import get_column_letter

    columns = [get_column_letter(place) for place in range(1, len(names) + 1)]
    data = BytesIO()
    data.write(_row(1, columns, names, style=BOLD))
    for number, row in enumerate(fitting_rows(names, rows), start=2):
        data.write(_row(number, columns, row))
    return data.getvalue()


def _row(number: int, columns: Iterable[str], values: Iterable[Any], style: str = "") -> bytes:
    """Return the element of a row, of which the heading is row 1; the style is an attribute of its cells."""
    cells = [_cell(f'r="{column}{number}"{style}', value) for column, value in zip(columns, values, strict=True)]
    return f'<row r="{number}">{"".join(cells)}</row>'.encode("ascii", "xmlcharrefreplace")


def _cell(attributes: str, value: Any) -> str:
    """Return the element of a cell: a text is never a formula or an error, and a number keeps all digits."""
    if isinstance(value, str):
        text = escape(_SURROGATE.sub("?", _ESCAPED.sub(_escape, value)), quote=False)
        space = ' xml:space="preserve"' if text != text.strip() else ""
        return f'<c {attributes} t="inlineStr">{f"<is><t{space}>{text}</t></is>" if text else ""}</c>'
    if isinstance(value, bool):
        return f'<c {attributes} t="b"><v>{value:d}</v></c>'
    return "" if is_nothing(value) else f'<c {attributes} t="n"><v>{repr(value).removesuffix(".0")}</v></c>'


def _save(sheets: Mapping[str, bytes], file: BinaryIO) -> None:
    """Save a workbook with the rows of each sheet, without a timestamp: the same tables give the same bytes."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.writer.excel import ExcelWriter

    book = Workbook(write_only=True)
    book.properties.created = book.properties.modified = datetime(*archives.LONG_AGO)
    for name in sheets:
        empty = book.create_sheet(name)
        empty.freeze_panes = "A2"
        cell = WriteOnlyCell(empty)
        cell.font = Font(bold=True)
        empty.append([cell])
    rows = {f"xl/worksheets/sheet{number}.xml": data for number, data in enumerate(sheets.values(), start=1)}
    dated = BytesIO()
    # Not `book.save`, which stores the current time.
    ExcelWriter(book, ZipFile(dated, "w")).save()
    with ZipFile(dated) as made, ZipFile(file, "w") as archive:
        for entry in made.infolist():
            part = made.read(entry)
            if entry.filename in rows:
                before, after = _SHEET_DATA.split(part)
                part = before + rows[entry.filename] + after
            archives.add(archive, entry.filename, part)


def _escape(found: re.Match[str]) -> str:
    return f"_x{ord(found[0]):04X}_"


def is_workbook(data: bytes) -> bool:
    """Return whether a zip archive is an xlsx workbook."""
    return CONTENT_TYPES in archives.opened(data).namelist()


def parts(data: bytes, _place: Place, _share: Share | None) -> list[Part]:
    """Return the sheets of a workbook (see `SheetParts`), as `xlsx_parts` reads them."""
    with refusing():
        book = Package(archives.opened(data))
        sheets = []
        for name, path, is_hidden in book.sheets():
            hidden, struck = list[int](), list[int]()
            rows = cells_of(book, name, path, hidden, struck)
            sheets.append(Part(name, rows, is_hidden, hidden=hidden, struck=struck))
    return without_apostrophes(sheets)
