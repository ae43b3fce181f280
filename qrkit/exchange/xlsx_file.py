"""Excel 2007+ workbooks (OOXML), which can contain more than 65,535 rows per sheet.

Reading: python-calamine 0.9 reads 20,000 rows in 0.2 s instead of 3.9 s. But of 1,500 damaged xls files, nine crashed
the process and 30 caused a panic; a 7 kB xlsx file with a cell in the last row and column also crashed the process.
None of 4,500 damaged xls, xlsx and ods files crashed our readers or took longer than 0.2 s, so we keep openpyxl.

Writing: XlsxWriter 3.3 and openpyxl write only 16 digits, which changed 3 of 10 coordinates, and openpyxl turns some
texts into formulas. So openpyxl makes a workbook with the heading's style, and we write the rows of its sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO
from xml.sax.saxutils import escape
from zipfile import ZipFile

from qrkit.errors import UnreadableFile
from qrkit.exchange import archives
from qrkit.exchange.columns import NAMES, Row
from qrkit.exchange.table_files import Writing, cell_text, check_size, heading_of
from qrkit.exchange.workbooks import (
    MOST_COLUMNS,
    MOST_ROWS,
    MOST_SHEETS,
    OUR_SHEET,
    Merged,
    filled,
    fitting_parts,
    is_nothing,
    joined,
    trimmed,
    typed,
)

__all__ = ["MEDIA_TYPE", "is_workbook", "rows", "write", "write_sheet", "write_sheets"]

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BOLD = ' s="1"'
"""The attribute of cells in the only style of our workbooks, that of the heading."""
CONTENT_TYPES = "[Content_Types].xml"
"""The entry that identifies a zip archive as OOXML."""
MOST_ELEMENTS = 200_000
"""The maximum number of elements in parts without rows, such as styles, which openpyxl loads into memory first."""
MOST_MERGED = 100_000
"""The maximum number of merged cells in a sheet."""

# ECMA-376, ST_Xstring: characters that XML cannot represent or would change, and texts that look like such an escape.
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_SURROGATE = re.compile("[\ud800-\udfff]")
# openpyxl removes "x005F_" from shared strings. An equivalent escape is left in, so that `_text` can decode it.
_DROPPED = re.compile(rb"(_?)x005F_")
_MERGED_CELL = re.compile(
    rb"<(?:\w{1,20}:)?mergeCell\s[^>]{0,200}?ref=[\"']([A-Z]{1,3})([1-9][0-9]{0,6}):([A-Z]{1,3})([1-9][0-9]{0,6})[\"']"
)
_SHEET_DATA = re.compile(rb"(?<=<sheetData>).*(?=</sheetData>)")
_DOCTYPE = re.compile(rb"<\0?!\0?D\0?O\0?C\0?T\0?Y\0?P\0?E")


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as a workbook with the columns of the interface.

    Args:
        how: Not used: workbooks have no options.

    Raises:
        InvalidParameter: If a text is too long for a cell.
    """
    write_sheet(file, NAMES, map(typed, rows), sheet=OUR_SHEET)


def write_sheet(file: BinaryIO, names: Sequence[str], rows: Iterable[Sequence[Any]], *, sheet: str) -> None:
    """Write a table as a workbook with one sheet.

    Args:
        names: The heading.
        rows: The values of each row: str, bool or numbers. Missing and infinite values become empty cells.
    """
    write_sheets(file, {sheet: (names, rows)})


def write_sheets(file: BinaryIO, sheets: Mapping[str, tuple[Sequence[str], Iterable[Sequence[Any]]]]) -> None:
    """Write tables as a workbook with one sheet each.

    Args:
        sheets: The heading and the rows of each sheet by its name, of at most 31 characters; values as in
            `write_sheet`.
    """
    _save({name: _sheet_data(names, rows) for name, (names, rows) in sheets.items()}, file)


def _sheet_data(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Return the elements of the heading and of all rows."""
    from openpyxl.utils import get_column_letter

    columns = [get_column_letter(place) for place in range(1, len(names) + 1)]
    data = BytesIO()
    data.write(_row(1, columns, names, style=BOLD))
    for number, row in enumerate(chain.from_iterable(fitting_parts(names, rows)), start=2):
        data.write(_row(number, columns, row))
    return data.getvalue()


def _row(number: int, columns: Iterable[str], values: Iterable[Any], style: str = "") -> bytes:
    """Return the element of a row.

    Args:
        number: The row number; the heading is row 1.
        style: The attribute with the style of the cells.
    """
    cells = [_cell(f'r="{column}{number}"{style}', value) for column, value in zip(columns, values, strict=True)]
    return f'<row r="{number}">{"".join(cells)}</row>'.encode("ascii", "xmlcharrefreplace")


def _cell(attributes: str, value: Any) -> str:
    """Return the element of a cell: a text is never a formula or an error, and a number keeps all digits."""
    if isinstance(value, str):
        text = escape(_SURROGATE.sub("?", _ESCAPED.sub(_escape, value)))
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


def _checked(data: bytes) -> BytesIO:
    """Return a copy of the workbook with all parts unpacked and checked for sizes, elements and document types."""
    archive = archives.opened(data)
    file = BytesIO()
    with ZipFile(file, "w") as checked:
        for entry in archive.infolist():
            part = archives.unpacked(archive, entry, archives.MOST_UNPACKED)
            is_of_rows = entry.filename.startswith("xl/worksheets/") or entry.filename.endswith("sharedStrings.xml")
            if not is_of_rows and part.count(b"<") > MOST_ELEMENTS:
                raise UnreadableFile(f"{entry.filename[:100]!r} has more than {MOST_ELEMENTS:,} elements")
            if _DOCTYPE.search(part) and entry.filename.endswith((".xml", ".rels")):
                raise UnreadableFile("the workbook has a document type declaration (DOCTYPE), which is not allowed")
            if entry.filename.endswith("sharedStrings.xml"):
                part = _DROPPED.sub(lambda found: b"_x005f_" if found[1] else b"x005_x0046__", part)
            checked.writestr(entry.filename, part)
    file.seek(0)
    return file


def rows(data: bytes, unread: list[str]) -> Iterator[list[str]]:
    """Yield the rows of a workbook: of the first sheet, and of all sheets with the same heading (see `SheetRows`).

    Formulas are read as the value that was saved with the file, errors as empty cells.

    Args:
        unread: A list to which the names of sheets with other headings are appended; such sheets are not read.
    """
    import openpyxl

    check_size(data)
    file = _checked(data)
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            sheets = ((sheet.title, _cells(sheet, _merged(file, sheet))) for sheet in book.worksheets[:MOST_SHEETS])
            for number, row in enumerate(joined(sheets, unread)):
                if number == MOST_ROWS:
                    raise UnreadableFile(f"the workbook has more than {MOST_ROWS:,} rows, counting empty ones")
                yield row
        finally:
            book.close()
    except UnreadableFile:
        raise
    except Exception as error:
        # For damaged files, openpyxl raises many types of errors: KeyError, ParseError, BadZipFile, …
        rule = "the file is not an Excel workbook, has a password, or is damaged; save it as xlsx, ods or csv"
        raise UnreadableFile(rule) from error


def _merged(file: BytesIO, sheet: Any) -> Merged:
    """Return the cells of a sheet merged across rows, which openpyxl does not report in read-only mode."""
    with ZipFile(file) as archive:
        part = archive.read(sheet._worksheet_path)
    found = {}
    for count, match in enumerate(_MERGED_CELL.finditer(part)):
        if count == MOST_MERGED:
            raise UnreadableFile(f"the sheet {sheet.title[:60]!r} has more than {MOST_MERGED:,} merged cells")
        letters, top, _, below = (one.decode() for one in match.groups())
        if top != below:
            found[int(top) - 1, _column(letters)] = int(below) - 1
    return found


def _column(letters: str) -> int:
    """Convert column letters to an index counted from 0: A is 0, AA is 26."""
    place = 0
    for letter in letters:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def _cells(sheet: Any, merged: Merged) -> Iterator[list[str]]:
    rows = _all_rows(sheet)
    yield from filled(rows, merged) if merged else rows


def _all_rows(sheet: Any) -> Iterator[list[str]]:
    # Ignore the declared size of the sheet, which may be wrong.
    sheet.reset_dimensions()
    rows = sheet.iter_rows(max_row=MOST_ROWS, max_col=MOST_COLUMNS)
    line, heading = heading_of(enumerate(_rows(rows), start=1))
    yield from ([] for _ in range(1, line))
    yield heading
    # Read one cell more than the heading has, to detect rows that are too long.
    yield from _rows(sheet.iter_rows(min_row=line + 1, max_row=MOST_ROWS, max_col=len(heading) + 1))


def _rows(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[str]]:
    """Yield the texts of rows; openpyxl repeats one object for skipped empty rows, which is converted only once."""
    last, texts = None, []
    for row in rows:
        if row is not last:
            last, texts = row, _texts(row)
        yield texts


def _texts(row: Iterable[Any]) -> list[str]:
    return trimmed([_text(cell) for cell in row])


def _text(cell: Any) -> str:
    value = cell.value
    if value is None or cell.data_type == "e":
        return ""
    text = cell_text(value)
    if "_x" not in text:
        return text
    # Two escapes can form a surrogate pair, which UTF-16 decodes to one character; a lone surrogate is replaced.
    units = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace")
