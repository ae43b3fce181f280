"""Excel 97-2003 workbooks (BIFF8, ruling X8), with text, number and boolean cells."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Any, BinaryIO

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import NAMES
from qrkit.exchange.table_files import cell_text, check_size
from qrkit.exchange.workbooks import MOST_SHEETS, OUR_SHEET, filled, fitting_parts, is_nothing, joined, trimmed, typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from qrkit.exchange.columns import Row
    from qrkit.exchange.table_files import Writing

__all__ = ["MOST_ROWS", "SIGNATURE", "rows", "write", "write_sheet"]

SIGNATURE = b"\xd0\xcf\x11\xe0"

MOST_ROWS = 65_535
"""The maximum number of rows in a sheet below the heading."""
AT_ONCE = 1_000
"""The number of rows to keep in memory as objects before they are converted to bytes."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as a workbook with the columns of the interface.

    Args:
        how: Not used: workbooks have no options.

    Raises:
        InvalidParameter: If a text is too long for a cell.
    """
    write_sheet(file, NAMES, map(typed, rows), sheet=OUR_SHEET)


def write_sheet(file: BinaryIO, names: Sequence[str], rows: Iterable[Sequence[Any]], *, sheet: str) -> None:
    """Write a table as a workbook; the same table always produces the same bytes.

    Args:
        names: The heading.
        rows: The values of each row: str, bool or numbers. Missing and infinite values become empty cells, lone
            surrogates "?".
        sheet: The name of the sheet, at most 25 characters. After every 65,535 rows, another sheet with the same
            heading is started: "Scans (2)".

    Raises:
        InvalidParameter: If a text is too long for a cell; the error names each such column with its first such row,
            where the heading is row 1.
    """
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    sheets: list[Any] = []
    row = MOST_ROWS  # the row within the sheet; start as if a sheet were full, so that the first one is created
    try:
        for part in fitting_parts(names, rows):
            done = 0
            while done < len(part) or not sheets:
                if row == MOST_ROWS:
                    sheets.append(_begun(book, f"{sheet} ({len(sheets) + 1})" if sheets else sheet, names))
                    row = 0
                fitting = part[done : done + MOST_ROWS - row]
                _fill(sheets[-1], fitting, row + 1)
                row += len(fitting)
                done += len(fitting)
        book.save(file)
    finally:
        for made in sheets:
            # xlwt does not close its temporary file for rows; only garbage collection would.
            if made.row_tempfile:
                made.row_tempfile.close()


def _begun(book: Any, name: str, headings: Iterable[str]) -> Any:
    """Add a sheet with the heading to a workbook and return the sheet."""
    import xlwt

    made = book.add_sheet(name)
    made.set_panes_frozen(True)
    made.set_horz_split_pos(1)
    bold = xlwt.easyxf("font: bold on")
    for place, heading in enumerate(headings):
        made.row(0).set_cell_text(place, heading, bold)
    return made


def rows(data: bytes, unread: list[str]) -> Iterator[list[str]]:
    """Yield the rows of a workbook: of the first sheet, and of all sheets with the same heading (see `SheetRows`).

    Args:
        unread: A list to which the names of sheets with other headings are appended; such sheets are not read.
    """
    import xlrd

    check_size(data)
    try:
        # Discard xlrd's log output, and load one sheet at a time. xlrd reads merged cells only with formatting_info.
        book = xlrd.open_workbook(
            file_contents=data, logfile=StringIO(), on_demand=True, ragged_rows=True, formatting_info=True
        )
        names = book.sheet_names()[:MOST_SHEETS]
        yield from joined(((name, _cells(book, number)) for number, name in enumerate(names)), unread)
    except UnreadableFile:
        raise
    except Exception as error:
        # For damaged files, xlrd raises many types of errors: struct.error, IndexError, AssertionError, …
        rule = "the file is not an Excel workbook, has a password, or is damaged; save it as xlsx, ods or csv"
        raise UnreadableFile(rule) from error


def _cells(book: Any, number: int) -> Iterator[list[str]]:
    sheet = book.sheet_by_index(number)
    # Only the first column of a merged range contains the text.
    merged = {(top, left): below - 1 for top, below, left, _ in sheet.merged_cells if below - top > 1}
    rows = (trimmed([cell_text(_value(cell, book.datemode)) for cell in sheet.row(row)]) for row in range(sheet.nrows))
    yield from filled(rows, merged) if merged else rows
    book.unload_sheet(number)


def _value(cell: Any, datemode: int) -> Any:
    """Return the value of a cell as a Python object."""
    import xlrd

    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return bool(cell.value)
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return xlrd.xldate_as_datetime(cell.value, datemode)
        except (OverflowError, ValueError):  # the number is not a valid date
            return cell.value
    return "" if cell.ctype in (xlrd.XL_CELL_ERROR, xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK) else cell.value


def _fill(sheet: Any, part: Iterable[Sequence[Any]], start: int) -> None:
    """Write rows to a sheet, starting at row `start`."""
    for number, cells in enumerate(part, start=start):
        row = sheet.row(number)
        for place, cell in enumerate(cells):
            _write_cell(row, place, cell)
        if number % AT_ONCE == 0:
            sheet.flush_row_data()


def _write_cell(row: Any, place: int, cell: Any) -> None:
    if isinstance(cell, str):
        # Not `row.write`: untrusted text may begin with "=" and must stay text.
        row.set_cell_text(place, _SURROGATE.sub("?", cell))
    elif isinstance(cell, bool):
        row.set_cell_boolean(place, cell)
    elif is_nothing(cell):
        return
    elif isinstance(cell, int | float):
        row.set_cell_number(place, cell)
    else:
        raise TypeError(f"a cell of a workbook is a str, a bool or a number, not {cell!r}")
