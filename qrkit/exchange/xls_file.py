"""Excel 97-2003 workbooks (BIFF8, ruling X8): text cells are text, numbers numbers, yes and no booleans."""

from __future__ import annotations

import math
import re
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any, BinaryIO

from qrkit.errors import InvalidParameter, Problem, UnreadableFile
from qrkit.exchange.tables import cell_text, check_size
from qrkit.exchange.workbooks import MOST_SHEETS, filled, joined, table_of_workbook, trimmed
from qrkit.late import UNSEEN, Watch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

__all__ = [
    "MOST_CHARACTERS",
    "MOST_ROWS",
    "SIGNATURE",
    "check_lengths",
    "is_nothing",
    "numbered",
    "read",
    "rows",
    "write",
    "write_parts",
]

SIGNATURE = b"\xd0\xcf\x11\xe0"

MOST_ROWS = 65_535
"""Rows of a sheet below its heading."""
MOST_CHARACTERS = 32_767
"""Of a cell, in units of UTF-16: an emoji is two."""

AT_ONCE = 1_000
"""Rows that are kept as objects before they become bytes."""

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
    file = BytesIO()
    write_parts([frame], file, sheet=sheet)
    return file.getvalue()


def write_parts(frames: Iterable[pd.DataFrame], file: BinaryIO, *, sheet: str) -> None:
    """Write a table that comes in parts, of which there is at least one; nothing else is different from `write`.

    Raises:
        InvalidParameter, TypeError: As of `write`.
    """
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    sheets: list[Any] = []
    row = MOST_ROWS  # of the sheet, as if one were full
    try:
        for part, first in numbered(frames):
            check_lengths(part, first=first)
            done = 0
            while done < len(part) or not sheets:
                if row == MOST_ROWS:
                    sheets.append(_begun(book, f"{sheet} ({len(sheets) + 1})" if sheets else sheet, part.columns))
                    row = 0
                fitting = part.iloc[done : done + MOST_ROWS - row]
                _fill(sheets[-1], fitting, row + 1)
                row += len(fitting)
                done += len(fitting)
        book.save(file)
    finally:
        for made in sheets:
            # xlwt leaves the file that rows wait in to the garbage collector.
            if made.row_tempfile:
                made.row_tempfile.close()


def numbered(frames: Iterable[pd.DataFrame]) -> Iterator[tuple[pd.DataFrame, int]]:
    """Parts of a table, each with the number of its first row; the heading is row 1."""
    first = 2
    for part in frames:
        yield part, first
        first += len(part)


def _begun(book: Any, name: str, headings: Iterable[str]) -> Any:
    """A sheet with its heading."""
    import xlwt

    made = book.add_sheet(name)
    made.set_panes_frozen(True)
    made.set_horz_split_pos(1)
    bold = xlwt.easyxf("font: bold on")
    for place, heading in enumerate(headings):
        made.row(0).set_cell_text(place, heading, bold)
    return made


def read(data: bytes, watch: Watch = UNSEEN) -> pd.DataFrame:
    """Read a workbook: its first sheet, and those behind it with the same heading; rows are counted over all of them.

    Returns:
        The table, as `exchange.tables.table_of_rows` makes it.

    Raises:
        UnreadableFile: The file is too large, is no such workbook, or has no heading.
    """
    unread: list[str] = []
    return table_of_workbook(rows(data, unread), unread, watch)


def rows(data: bytes, unread: list[str]) -> Iterator[list[str]]:
    """The rows of a workbook as texts, the heading of its first sheet in front.

    Args:
        data: The file.
        unread: Takes the names of sheets that have other headings, whose rows are not given.

    Raises:
        UnreadableFile: The file is too large, or is no such workbook.
    """
    import xlrd

    check_size(data)
    try:
        # What it would print goes nowhere; sheets are read one by one, and let go of. Merged cells are its formatting.
        book = xlrd.open_workbook(
            file_contents=data, logfile=StringIO(), on_demand=True, ragged_rows=True, formatting_info=True
        )
        names = book.sheet_names()[:MOST_SHEETS]
        yield from joined(((name, _cells(book, number)) for number, name in enumerate(names)), unread)
    except UnreadableFile:
        raise
    except Exception as error:
        # On damaged files xlrd lets through whatever it stumbles on: struct.error, IndexError, AssertionError, …
        rule = "the file is not an Excel workbook, has a password, or is damaged; save it as xlsx, ods or csv"
        raise UnreadableFile(rule) from error


def _cells(book: Any, number: int) -> Iterator[list[str]]:
    sheet = book.sheet_by_index(number)
    # Of the columns of a range the first has the text.
    merged = {(top, left): below - 1 for top, below, left, _ in sheet.merged_cells if below - top > 1}
    rows = (trimmed([cell_text(_value(cell, book.datemode)) for cell in sheet.row(row)]) for row in range(sheet.nrows))
    yield from filled(rows, merged) if merged else rows
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


def _fill(sheet: Any, part: pd.DataFrame, start: int) -> None:
    """Write rows, from row `start` on."""
    # tolist gives Python's own values, which itertuples does not for all dtypes.
    columns = [part[name].tolist() for name in part.columns]
    for number, cells in enumerate(zip(*columns, strict=True), start=start):
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
    elif is_nothing(cell):
        return
    elif isinstance(cell, int | float):
        row.set_cell_number(place, cell)
    else:
        raise TypeError(f"a cell of a workbook is a str, a bool or a number, not {cell!r}")


def is_nothing(cell: Any) -> bool:
    """Whether a value has no cell: what is missing, and numbers that no workbook can hold."""
    import pandas as pd

    is_missing = cell is None or cell is pd.NA or cell is pd.NaT
    return is_missing or (isinstance(cell, float) and not math.isfinite(cell))


def check_lengths(frame: pd.DataFrame, *, first: int) -> None:
    """Refuse texts that a cell cannot hold: xlwt would only fail at the end.

    Args:
        frame: A part of a table.
        first: The number of its first row.

    Raises:
        InvalidParameter: There are some; each column is named, with its first such row.
    """
    problems = [problem for name in frame.columns if (problem := _too_long(name, frame[name].tolist(), first))]
    if problems:
        raise InvalidParameter(*problems)


def _too_long(name: str, cells: Sequence[Any], first: int) -> Problem | None:
    for number, cell in enumerate(cells, start=first):
        if isinstance(cell, str) and len(cell) > MOST_CHARACTERS // 2:
            length = len(cell.encode("utf-16-le", "surrogatepass")) // 2
            if length > MOST_CHARACTERS:
                rule = f"row {number}: has {length:,} characters, but a cell of a workbook holds {MOST_CHARACTERS:,}"
                return Problem(name, cell, rule, "out-of-range")
    return None
