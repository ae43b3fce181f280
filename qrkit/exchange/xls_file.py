"""Excel 97-2003 workbooks (BIFF8, ruling X8), with text, number and boolean cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from io import StringIO
from typing import Any, BinaryIO

from qrkit.exchange.columns import Row
from qrkit.exchange.locating import Part, Place, Share
from qrkit.exchange.marked_cells import linked, number_text
from qrkit.exchange.table_files import Writing
from qrkit.exchange.workbooks import (
    MOST_LISTED,
    OUR_SHEET,
    filled,
    fitting_rows,
    is_nothing,
    refusing,
    trimmed,
    typed,
    without_apostrophes,
)
from qrkit.tracking.text_columns import cell_text

SIGNATURE = b"\xd0\xcf\x11\xe0"

MOST_ROWS = 65_535
"""The maximum number of rows in a sheet below the heading."""
AT_ONCE = 1_000
"""The number of rows to keep in memory as objects before they are converted to bytes."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as a workbook."""
    write_sheet(file, how.columns, (typed(row, how.columns) for row in rows), sheet=OUR_SHEET)


def write_sheet(file: BinaryIO, names: Sequence[str], rows: Iterable[Sequence[Any]], *, sheet: str) -> None:
    """Write a table as a workbook; the same table always produces the same bytes.

    Missing and infinite values become empty cells, lone surrogates "?". After every 65,535 rows, another sheet with the
    same heading is started ("Scans (2)"), so the name of a sheet has at most 25 characters. Rows of errors count the
    heading as row 1.
    """
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    sheets: list[Any] = []
    try:
        for number, cells in enumerate(fitting_rows(names, rows)):
            if number % MOST_ROWS == 0:
                sheets.append(_begun(book, f"{sheet} ({len(sheets) + 1})" if sheets else sheet, names))
            _write_row(sheets[-1], number % MOST_ROWS + 1, cells)
        if not sheets:
            _begun(book, sheet, names)
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


def parts(data: bytes, _place: Place, _share: Share | None) -> list[Part]:
    """Return the sheets of a workbook (see `SheetParts`)."""
    with refusing():
        book = _opened(data)
        sheets = list(zip(book.sheet_names()[:MOST_LISTED], book._sheet_visibility, strict=False))
    marks = [(list[int](), list[int]()) for _ in sheets]
    every = [Part(name, _cells(book, n, *marks[n]), bool(off), "", *marks[n]) for n, (name, off) in enumerate(sheets)]
    return without_apostrophes(every)


def _opened(data: bytes) -> Any:
    import xlrd

    # Discard xlrd's log output, and load one sheet at a time. xlrd reads merged cells and links only with
    # formatting_info, for which it refuses some files that others read.
    options = {"file_contents": data, "logfile": StringIO(), "on_demand": True, "ragged_rows": True}
    try:
        return xlrd.open_workbook(**options, formatting_info=True)
    except Exception:
        return xlrd.open_workbook(**options, ignore_workbook_corruption=True)


def _cells(book: Any, number: int, hidden: list[int], struck: list[int]) -> Iterator[list[str]]:
    """Yield the rows of a sheet; the numbers of hidden rows, and of those with struck-out text, are added to lists."""
    with refusing():
        sheet = book.sheet_by_index(number)
        # Only the first column of a merged range contains the text.
        merged = {(top, left): below - 1 for top, below, left, _ in sheet.merged_cells if below - top > 1}
        links = {place: link.url_or_path or "" for place, link in sheet.hyperlink_map.items()}
        rows = (trimmed(_texts(sheet.row(row), row, links, book)) for row in range(sheet.nrows))
        seen = (row for row, info in sheet.rowinfo_map.items() if info.hidden and row < sheet.nrows)
        hidden += [row + 1 for row in seen if any(sheet.row_values(row))]
        # If the file was read without formats, there are no fonts.
        fonts = {number for number, font in enumerate(book.font_list) if font.struck_out}
        styles = {one.xf_index for one in book.xf_list if one.font_index in fonts}
        marked = (any(cell.value and cell.xf_index in styles for cell in row) for row in sheet.get_rows() if styles)
        struck += [number for number, is_struck in enumerate(marked, start=1) if is_struck]
        yield from filled(rows, merged) if merged else rows
        book.unload_sheet(number)


def _texts(row: Sequence[Any], number: int, links: Mapping[tuple[int, int], Any], book: Any) -> list[str]:
    texts = [cell_text(_value(cell, book)) for cell in row]
    if not links:
        return texts
    found = ((text, links.get((number, place))) for place, text in enumerate(texts))
    return [linked(text, target) if isinstance(target, str) else text for text, target in found]


def _value(cell: Any, book: Any) -> Any:
    """Return the value of a cell as a Python object."""
    import xlrd

    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return bool(cell.value)
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            # Below 1 there is no day: a time, such as 10:30.
            is_duration = 0 <= cell.value < 1 or _is_duration(cell, book)
            return timedelta(days=cell.value) if is_duration else xlrd.xldate_as_datetime(cell.value, book.datemode)
        except (OverflowError, ValueError):  # the number is not a valid date
            return cell.value
    if cell.ctype == xlrd.XL_CELL_NUMBER:
        return number_text(cell.value, _format_of(cell, book))
    return "" if cell.ctype in (xlrd.XL_CELL_ERROR, xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK) else cell.value


def _is_duration(cell: Any, book: Any) -> bool:
    """Return whether a cell counts hours beyond a day, as the format [h]:mm does."""
    from openpyxl.styles.numbers import is_timedelta_format

    return bool(is_timedelta_format(_format_of(cell, book)))


def _format_of(cell: Any, book: Any) -> str:
    """Return the format in which a cell shows its number; "" if the file was read without formats."""
    return "" if cell.xf_index is None else str(book.format_map[book.xf_list[cell.xf_index].format_key].format_str)


def _write_row(sheet: Any, number: int, cells: Iterable[Any]) -> None:
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
