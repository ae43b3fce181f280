"""Excel 97-2003 workbooks (BIFF8, ruling X8): text cells are text, numbers numbers, yes and no booleans."""

from __future__ import annotations

import math
import re
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

from qrkit.errors import InvalidParameter, Problem, UnreadableFile
from qrkit.exchange.tables import cell_text, check_size, table_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

__all__ = ["MOST_CHARACTERS", "MOST_ROWS", "MOST_SHEETS", "SIGNATURE", "check_lengths", "joined", "read", "write"]

SIGNATURE = b"\xd0\xcf\x11\xe0"

MOST_ROWS = 65_535
"""Rows of a sheet below its heading."""
MOST_CHARACTERS = 32_767
"""Of a cell, in units of UTF-16: an emoji is two."""

AT_ONCE = 1_000
"""Rows that are kept as objects before they become bytes."""
MOST_SHEETS = 20
"""That are looked at in a file: damaged ones may name the same sheet thousands of times."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def write(frame: pd.DataFrame, *, sheet: str) -> bytes:
    """Write a table as a workbook; the same table gives the same bytes.

    Args:
        frame: Columns of str, bool or numbers; what is missing or infinite becomes an empty cell, a half of a
            character (a lone surrogate) "?". The index is left out.
        sheet: Name of the sheet, at most 25 characters. Each 65,535 rows there is a further one, with the heading
            again: "Scans (2)".

    Raises:
        InvalidParameter: Texts are longer than a cell can hold; each column is named, with its first such row as the
            heading being row 1.
        TypeError: A cell is something else, like a moment.
    """
    import xlwt

    check_lengths(frame)
    book = xlwt.Workbook(encoding="utf-8")
    bold = xlwt.easyxf("font: bold on")
    sheets = []
    try:
        for number, start in enumerate(range(0, max(len(frame), 1), MOST_ROWS), start=1):
            made = book.add_sheet(sheet if number == 1 else f"{sheet} ({number})")
            sheets.append(made)
            made.set_panes_frozen(True)
            made.set_horz_split_pos(1)
            for place, name in enumerate(frame.columns):
                made.row(0).set_cell_text(place, name, bold)
            _fill(made, frame.iloc[start : start + MOST_ROWS])
        file = BytesIO()
        book.save(file)
    finally:
        for made in sheets:
            # xlwt leaves the file that rows wait in to the garbage collector.
            if made.row_tempfile:
                made.row_tempfile.close()
    return file.getvalue()


def read(data: bytes) -> pd.DataFrame:
    """Read a workbook: its first sheet, and those behind it with the same heading; rows are counted over all of them.

    Returns:
        The table, as `exchange.tables.table_of_rows` makes it.

    Raises:
        UnreadableFile: The file is too large, is no such workbook, or has no heading.
    """
    check_size(data)
    return table_of_rows(_rows(data))


def _rows(data: bytes) -> Iterator[list[str]]:
    import xlrd

    try:
        # What it would print goes nowhere; sheets are read one by one, and let go of.
        book = xlrd.open_workbook(file_contents=data, logfile=StringIO(), on_demand=True, ragged_rows=True)
        yield from joined(_cells(book, number) for number in range(min(book.nsheets, MOST_SHEETS)))
    except UnreadableFile:
        raise
    except Exception as error:
        # On damaged files xlrd lets through whatever it stumbles on: struct.error, IndexError, AssertionError, …
        raise UnreadableFile(f"the file is no Excel workbook that can be read: {type(error).__name__}") from error


def joined(sheets: Iterable[Iterator[list[str]]]) -> Iterator[list[str]]:
    """The rows of the first sheet, and of the others with its heading, without that: rows went on there (ruling X8)."""
    first: list[str] | None = None
    for rows in sheets:
        heading = next(rows, [])
        if first is None:
            first = heading
            yield heading
        if heading == first:
            yield from rows


def _cells(book: Any, number: int) -> Iterator[list[str]]:
    sheet = book.sheet_by_index(number)
    for row in range(sheet.nrows):
        yield [cell_text(_value(cell, book.datemode)) for cell in sheet.row(row)]
    book.unload_sheet(number)


def _value(cell: Any, datemode: int) -> Any:
    """What a cell holds, as Python has it."""
    import xlrd

    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return bool(cell.value)
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return xlrd.xldate_as_datetime(cell.value, datemode)
        except (OverflowError, ValueError):  # no day that there is
            return cell.value
    return "" if cell.ctype in (xlrd.XL_CELL_ERROR, xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK) else cell.value


def _fill(sheet: Any, part: pd.DataFrame) -> None:
    """Write the rows below the heading."""
    # tolist gives Python's own values, which itertuples does not for all dtypes.
    columns = [part[name].tolist() for name in part.columns]
    for number, cells in enumerate(zip(*columns, strict=True), start=1):
        row = sheet.row(number)
        for place, cell in enumerate(cells):
            _write_cell(row, place, cell)
        if number % AT_ONCE == 0:
            sheet.flush_row_data()


def _write_cell(row: Any, place: int, cell: Any) -> None:
    if isinstance(cell, str):
        # Not row.write: the text of a stranger may begin with "=", and must be a text whatever xlwt makes of that.
        row.set_cell_text(place, _SURROGATE.sub("?", cell))
    elif isinstance(cell, bool):
        row.set_cell_boolean(place, cell)
    elif isinstance(cell, int | float):
        if math.isfinite(cell):
            row.set_cell_number(place, cell)
    elif not _is_missing(cell):
        raise TypeError(f"a cell of a workbook is a str, a bool or a number, not {cell!r}")


def _is_missing(cell: Any) -> bool:
    import pandas as pd

    return cell is None or cell is pd.NA or cell is pd.NaT


def check_lengths(frame: pd.DataFrame) -> None:
    """Refuse texts that a cell cannot hold, before anything is written: xlwt would only fail at the end.

    Raises:
        InvalidParameter: There are some; each column is named, with its first such row.
    """
    problems = [problem for name in frame.columns if (problem := _too_long(name, frame[name].tolist()))]
    if problems:
        raise InvalidParameter(*problems)


def _too_long(name: str, cells: Sequence[Any]) -> Problem | None:
    for number, cell in enumerate(cells, start=2):
        if isinstance(cell, str) and len(cell) > MOST_CHARACTERS // 2:
            length = len(cell.encode("utf-16-le", "surrogatepass")) // 2
            if length > MOST_CHARACTERS:
                rule = f"row {number}: has {length:,} characters, but a cell of an xls file holds {MOST_CHARACTERS:,}"
                return Problem(name, cell, rule, "out-of-range")
    return None
