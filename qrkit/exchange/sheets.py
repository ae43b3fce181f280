"""Files of rows whose columns may have any names: a list of gates and addresses, say, of which pictures are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from qrkit.errors import InvalidParameter, Problem, UnreadableFile, collecting, nearest
from qrkit.exchange import IMPORT_FORMATS, SHEETS, sniffed
from qrkit.exchange.columns import Row, named
from qrkit.exchange.tables import Table, check_number, heading_of, table_of_records, too_wide, unread_issues

__all__ = ["Sheet", "read_sheet", "sheet_of", "table_of_sheet"]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of a file, each as text.

    Attributes:
        heading: The names of its columns.
        numbers: The number of each row in the file, from 1; empty rows are left out.
        rows: The cells of each row, as many as there are names; or what is wrong with it.
        unread: Names of sheets of a workbook that have another heading, and were not read.
    """

    heading: tuple[str, ...]
    numbers: tuple[int, ...]
    rows: tuple[tuple[str, ...] | UnreadableFile, ...]
    unread: tuple[str, ...] = ()

    def column(self, name: str, *, field: str = "column") -> list[str | UnreadableFile]:
        """The cells of a column, as `generate_many` takes them: of a row that is wrong, what is wrong with it.

        Args:
            name: Of the column, in any case.
            field: What an error calls it.

        Raises:
            InvalidParameter: No column has this name, or two have.
        """
        titles, title = [title.lower() for title in self.heading], name.strip().lower()
        found = titles.count(title) if title else 0
        if found != 1:
            rule = f"is no column of the file; {nearest(name, filter(None, self.heading))}"
            raise InvalidParameter(Problem(field, name, "stands twice in the heading" if found else rule))
        place = titles.index(title)
        return [row if isinstance(row, UnreadableFile) else row[place] for row in self.rows]


def table_of_sheet(sheet: Sheet, columns: Mapping[str, str]) -> Table:
    """The table of an import that says what some columns of a sheet do, under names of their own.

    Args:
        sheet: The rows.
        columns: By the name of a column in files or in DataFrames, in any case, what the sheet calls it; Content is
            among them.

    Raises:
        InvalidParameter: Content is missing, or a name is none of ours, or none of the sheet.
    """
    names, problems = named(columns)
    cells: dict[str, list[str | UnreadableFile]] = {}
    for name, theirs in names.items():
        with collecting(problems):
            cells[name] = sheet.column(str(theirs), field=f"columns[{name!r}]")
    if problems:
        raise InvalidParameter(*problems)
    rows = []
    for place, number in enumerate(sheet.numbers):
        row = {name: found[place] for name, found in cells.items()}
        wrong = next((cell for cell in row.values() if isinstance(cell, UnreadableFile)), None)
        texts = {} if wrong else {name: str(cell) for name, cell in row.items()}
        rows.append(Row(number, texts, str(wrong or "")))
    table = table_of_records(rows)
    table.issues.extend(unread_issues(sheet.unread))
    return table


def read_sheet(source: str | Path | bytes) -> Sheet:
    """Read a csv, xlsx, xls or ods file: what it is its first bytes say, and csv is what says nothing.

    A csv may have commas, semicolons or tabs; of a workbook the first sheet is read, and those with the same heading.
    Texts stay texts: "007" is no number. An apostrophe that keeps a spreadsheet from running a text of a csv is taken
    off (rulings X7, X13). Rows below a merged cell have its text.

    Args:
        source: The file's path, or its bytes.

    Raises:
        UnreadableFile: It cannot be read, is empty, is of another format, or has more than 200,000 rows.
    """
    if isinstance(source, bytes):
        return sheet_of(source, "csv")
    file = Path(source)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{file}: {error.strerror}") from error
    suffix = file.suffix[1:].lower()
    return sheet_of(data, suffix if suffix in IMPORT_FORMATS else "csv", name=str(file))


def sheet_of(data: bytes, format: str, *, name: str = "the file") -> Sheet:
    """The rows of a file of this format, where its first bytes say nothing else.

    Args:
        data: The file.
        format: A name of `IMPORT_FORMATS`.
        name: What an error calls the file.

    Raises:
        UnreadableFile: As of `read_sheet`.
    """
    unread: list[str] = []
    chosen = sniffed(data, format).name
    if chosen not in SHEETS:
        raise UnreadableFile(f"{name}: of {chosen} no rows are read; {', '.join(SHEETS)} are")
    numbered = enumerate(SHEETS[chosen](data, unread), start=1)
    heading = tuple(cell.strip() for cell in heading_of(numbered)[1])
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
    return Sheet(heading, tuple(found), tuple(found.values()), tuple(unread))
