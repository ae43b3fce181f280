"""CSV: UTF-8, comma, RFC 4180, CRLF; text cells that a spreadsheet would run as formulas get an apostrophe (ruling X7).

Python's own csv module reads and writes it: it gives every row its own verdict and guesses nothing about the cells.
"""

from __future__ import annotations

import codecs
import csv
import re
from difflib import get_close_matches
from io import StringIO
from typing import TYPE_CHECKING

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import NAMES, REQUIRED, TEXT_COLUMNS
from qrkit.exchange.formulas import made_safe, taken_off

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

__all__ = ["ERROR", "read", "write"]

ERROR = "Error"
"""The column of a table that was read which says why a row is unusable; empty for a good row."""

MOST_BYTES = 64 * 2**20
MOST_ROWS = 200_000


def write(table: pd.DataFrame, *, safe: bool = True) -> bytes:
    """Write a table of text as CSV.

    Args:
        table: DataFrame of str with the columns of `exchange.columns`.
        safe: Whether text cells that look like formulas get an apostrophe in front, which `read` takes off again.
    """
    file = StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(table.columns)
    quoted = [safe and name in TEXT_COLUMNS for name in table.columns]
    for row in table.itertuples(index=False, name=None):
        writer.writerow([made_safe(cell) if quote else cell for cell, quote in zip(row, quoted, strict=True)])
    return file.getvalue().encode()


def read(data: bytes) -> pd.DataFrame:
    """Read a CSV file: comma, semicolon or tab, any line ends, UTF-8 or UTF-16 with a byte order mark.

    Returns:
        DataFrame of str with the columns of `exchange.columns` and `Error`; the index, `row`, counts the rows of the
        file, the heading being row 1. Empty rows are left out. Headings that are no column stand in
        `attrs["unknown"]`, a list of str.

    Raises:
        UnreadableFile: The file is too large, not in these encodings, without a heading or without a required column.
    """
    import pandas as pd

    text = _text(data)
    rows = _rows(text)
    heading = next(rows, [])
    places = _places(heading)
    numbers: list[int] = []
    table: list[list[str]] = []
    for number, cells in enumerate(rows, start=2):
        if not any(cells):
            continue
        if len(table) == MOST_ROWS:
            raise UnreadableFile(f"the file has more than {MOST_ROWS:,} rows; split it", line=number)
        numbers.append(number)
        table.append(_row(cells, places, len(heading)))
    index = pd.Index(numbers, name="row", dtype="int64")
    found = pd.DataFrame(table, columns=[*NAMES, ERROR], index=index, dtype="str")
    found.attrs["unknown"] = _unknown(heading)
    return found


def _unknown(heading: list[str]) -> list[str]:
    known = {name.lower() for name in NAMES}
    return [title for title in heading if title.strip() and title.strip().lower() not in known]


def _row(cells: list[str], places: dict[str, int], width: int) -> list[str]:
    """The cells in the order of the columns, and what is wrong with the row."""
    error = ""
    if len(cells) > width:
        error = (
            f"has {len(cells)} cells, but the heading has {width}; a text with a comma needs double quotes around it"
        )
    found = [cells[places[name]] if name in places and places[name] < len(cells) else "" for name in NAMES]
    return [
        *(taken_off(cell) if name in TEXT_COLUMNS else cell for name, cell in zip(NAMES, found, strict=True)),
        error,
    ]


def _text(data: bytes) -> str:
    if len(data) > MOST_BYTES:
        raise UnreadableFile(f"the file has {len(data):,} bytes; at most {MOST_BYTES:,}")
    utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if utf_16 else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", data[: error.start])) + 1
        wanted = "UTF-16, as its beginning says" if utf_16 else "UTF-8: in a spreadsheet, save the file as 'CSV UTF-8'"
        raise UnreadableFile(f"line {line} is not {wanted}", line=line) from error


def _rows(text: str) -> Iterator[list[str]]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    line = 1
    try:
        for row in reader:
            yield row
            line = reader.line_num + 1
    except csv.Error as error:
        hint = "is its last double quote missing?"
        raise UnreadableFile(f"the row that begins in line {line} is not CSV: {error}; {hint}", line=line) from error


def _delimiter(text: str) -> str:
    """Comma, or what the heading has more of: spreadsheets of many countries write semicolons."""
    heading = re.split(r"[\r\n]", text, maxsplit=1)[0]
    return max(",;\t", key=heading.count)


def _places(heading: list[str]) -> dict[str, int]:
    """Where each column stands: found by its name, in any order and case; missing columns are empty."""
    if not heading:
        raise UnreadableFile("the file is empty; its first row must name the columns: " + ", ".join(NAMES), line=1)
    known = {name.lower(): name for name in NAMES}
    places: dict[str, int] = {}
    for place, title in enumerate(heading):
        name = known.get(title.strip().lower())
        if name in places:
            raise UnreadableFile(f"the column {name!r} stands twice in the heading", line=1)
        if name:
            places[name] = place
    for name in REQUIRED:
        if name not in places:
            near = [title for title in _unknown(heading) if get_close_matches(title.lower(), [name.lower()])]
            hint = f"{near[0]!r}: did you mean {name!r}?" if near else "the columns are " + ", ".join(NAMES)
            raise UnreadableFile(f"the heading has no column {name!r}; {hint}", line=1)
    return places
