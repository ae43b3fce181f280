"""Excel workbooks of today (OOXML), beside those of 1997: no end of rows after 65,535."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from qrkit.errors import UnreadableFile
from qrkit.exchange import archives
from qrkit.exchange.tables import cell_text, check_size, table_of_rows, typed
from qrkit.exchange.xls_file import check_lengths

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read", "write"]

CONTENT_TYPES = "[Content_Types].xml"
"""What makes a zip archive one of OOXML."""
MOST_COLUMNS = 200
"""Of a row that are looked at."""

# ECMA-376, ST_Xstring: characters that XML cannot hold or would change, and what looks like such an escape.
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_SURROGATE = re.compile("[\ud800-\udfff]")


def write(table: pd.DataFrame) -> bytes:
    """Write a table of text as a workbook with one sheet: text as text, numbers as numbers, Created as text.

    Raises:
        InvalidParameter: Texts are longer than a cell can hold.
    """
    import openpyxl
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    frame = typed(table)
    check_lengths(frame)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("QR Codes")
    sheet.freeze_panes = "A2"

    def made(value: Any) -> Any:
        if not isinstance(value, str):
            return None if value != value else value  # nan is no cell
        cell = WriteOnlyCell(sheet, value="x")
        # Set past openpyxl, which would make formulas and errors of some texts.
        cell._value, cell.data_type = _SURROGATE.sub("?", _ESCAPED.sub(_escape, value)), "s"
        return cell

    heading = [made(name) for name in frame.columns]
    for cell in heading:
        cell.font = Font(bold=True)
    sheet.append(heading)
    for row in zip(*(frame[name].tolist() for name in frame.columns), strict=True):
        sheet.append([made(value) for value in row])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _escape(found: re.Match[str]) -> str:
    return f"_x{ord(found[0]):04X}_"


def is_workbook(data: bytes) -> bool:
    """Whether a zip archive is a workbook.

    Raises:
        UnreadableFile: It is no archive that may be read.
    """
    return CONTENT_TYPES in archives.opened(data).namelist()


def read(data: bytes) -> pd.DataFrame:
    """Read the first sheet of a workbook; formulas count as what they showed when they were saved.

    Returns:
        The table, as `exchange.tables.table_of_rows` makes it.

    Raises:
        UnreadableFile: The file is too large, is no such workbook, or has no heading.
    """
    check_size(data)
    archives.opened(data)
    return table_of_rows(_rows(data))


def _rows(data: bytes) -> Iterator[list[str]]:
    import openpyxl

    try:
        book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        try:
            # What a sheet claims of its size need not be so.
            sheet = book.worksheets[0]
            sheet.reset_dimensions()
            for row in sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS):
                yield [_ESCAPE.sub(lambda found: chr(int(found[1], 16)), cell_text(value)) for value in _cut(row)]
        finally:
            book.close()
    except UnreadableFile:
        raise
    except Exception as error:
        # On damaged files openpyxl lets through whatever it stumbles on: KeyError, ParseError, BadZipFile, …
        raise UnreadableFile(f"the file is no Excel workbook that can be read: {type(error).__name__}") from error


def _cut(row: tuple[Any, ...]) -> list[Any]:
    """The cells up to the last one that holds something."""
    cells = list(row)
    while cells and cells[-1] is None:
        cells.pop()
    return cells
