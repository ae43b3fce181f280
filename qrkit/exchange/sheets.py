"""Read csv files and workbooks with any column names, such as a list of URLs to generate QR Codes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from qrkit.errors import InvalidParameter, Problem, UnreadableFile, collecting, nearest
from qrkit.exchange import IMPORT_FORMATS, SHEETS, foreign, sniffed
from qrkit.exchange.columns import Row, named
from qrkit.exchange.table_files import (
    Table,
    check_number,
    heading_of,
    left_out_issues,
    table_of_records,
    too_wide,
    unread_issues,
)
from qrkit.files import read_file

__all__ = ["Sheet", "heading_in", "read_sheet", "sheet_of", "table_of_sheet"]


SHORT_URL = "Trackable URL"
"""The column that says that a row is a link which was printed."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of a file, each as text.

    Attributes:
        heading: The column names.
        numbers: The number of each row in the file, counted from 1; empty rows are left out.
        rows: The cells of each row, one per column; or an error if the row is invalid.
        unread: The names of workbook sheets that were not read because their heading differs.
        heading_row: The number of the heading in the file, counted from 1.
    """

    heading: tuple[str, ...]
    numbers: tuple[int, ...]
    rows: tuple[tuple[str, ...] | UnreadableFile, ...]
    unread: tuple[str, ...] = ()
    heading_row: int = 1

    def column(self, name: str, *, field: str = "column") -> list[str | UnreadableFile]:
        """Return the cells of a column, as accepted by `generate_many`; invalid rows are represented by their error.

        Args:
            name: The name of the column; case is ignored.

        Raises:
            InvalidParameter: If no column or more than one column has this name.
        """
        titles, title = [title.lower() for title in self.heading], name.strip().lower()
        found = titles.count(title) if title else 0
        if found != 1:
            rule = f"is not a column of the file; {nearest(name, filter(None, self.heading))}"
            raise InvalidParameter(Problem(field, name, "appears twice in the heading" if found else rule))
        place = titles.index(title)
        return [row if isinstance(row, UnreadableFile) else row[place] for row in self.rows]


def table_of_sheet(sheet: Sheet, columns: Mapping[str, str]) -> Table:
    """Convert the chosen columns of a sheet to a table for an import.

    Args:
        columns: Our column name, as in files or DataFrames and in any case -> the sheet's column name. Content is
            required. The table lists the other columns as left out.
    """
    names, problems = named(columns)
    cells: dict[str, list[str | UnreadableFile]] = {}
    for name, theirs in names.items():
        with collecting(problems):
            cells[name] = sheet.column(str(theirs), field=f"columns.{name}")
    if problems:
        raise InvalidParameter(*problems)
    rows = []
    for place, number in enumerate(sheet.numbers):
        row = {name: found[place] for name, found in cells.items()}
        wrong = next((cell for cell in row.values() if isinstance(cell, UnreadableFile)), None)
        texts = {} if wrong else {name: str(cell) for name, cell in row.items()}
        rows.append(Row(number, texts, str(wrong or (_protection(sheet, place) if SHORT_URL in names else ""))))
    table = table_of_records(rows)
    table.issues.extend(left_out_issues(sheet.heading, map(str, names.values()), sheet.heading_row))
    table.issues.extend(unread_issues(sheet.unread))
    return table


def _protection(sheet: Sheet, place: int) -> str:
    """Return the error of a row of links that has a password, an end, a limit or rules; "" for any other."""
    cells = sheet.rows[place]
    return "" if isinstance(cells, UnreadableFile) else foreign.protection(dict(zip(sheet.heading, cells, strict=True)))


def read_sheet(source: str | Path | bytes) -> Sheet:
    """Read a csv, xlsx, xls or ods file; workbooks are recognized by their first bytes, other files are read as csv.

    A csv file can use commas, semicolons or tabs. In a workbook, the first sheet and all sheets with the same heading
    are read. Text stays text: "007" does not become a number. Apostrophes that keep a spreadsheet from running a text
    as a formula are removed. Rows covered by a merged cell contain the text of that cell.
    """
    if isinstance(source, bytes):
        return sheet_of(source, "csv")
    file = Path(source)
    suffix = file.suffix[1:].lower()
    return sheet_of(read_file(file), suffix if suffix in IMPORT_FORMATS else "csv", name=str(file))


def heading_in(data: bytes, format: str) -> list[str]:
    """Return the names of the columns of a file; none if it has no rows, or cannot be read."""
    try:
        chosen = sniffed(data, format).name
        rows = SHEETS[chosen](data, []) if chosen in SHEETS else iter(())
        return heading_of(enumerate(rows))[1]
    except UnreadableFile:
        return []


def sheet_of(data: bytes, format: str, *, name: str = "the file") -> Sheet:
    """Read the rows of a file; the format is used if the first bytes do not identify the file.

    Args:
        format: One of `IMPORT_FORMATS`.
    """
    unread: list[str] = []
    chosen = sniffed(data, format).name
    if chosen not in SHEETS:
        raise UnreadableFile(f"{name}: of {chosen} no rows are read; {', '.join(SHEETS)} are")
    numbered = enumerate(SHEETS[chosen](data, unread), start=0 if chosen == "json" else 1)  # objects have no heading
    line, titles = heading_of(numbered)
    heading = tuple(title.strip() for title in titles)
    found: dict[int, tuple[str, ...] | UnreadableFile] = {}
    for number, cells in numbered:
        if not any(cells):
            continue
        check_number(len(found), number)
        wrong = too_wide(cells, len(heading))
        missing = [""] * (len(heading) - len(cells))
        found[number] = UnreadableFile(wrong, line=number) if wrong else (*cells, *missing)
    if not heading:
        raise UnreadableFile(f"{name} is empty; its first row must name the columns", line=1)
    return Sheet(heading, tuple(found), tuple(found.values()), tuple(unread), line)
