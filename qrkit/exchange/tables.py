"""Rows of a file -> the `Table` that every reader gives: texts by the names of our columns, one verdict a row.

Every reader ends here, so that headings, missing and unknown columns and numbers of rows are treated alike.

    csv, xls, xlsx, ods      bytes -> lists of texts (`rows` of each module) -> Table (`table_of_rows`)
    xml, json, zip           bytes -> Row -> Table (`table_of_records`)
    DataFrame                cells -> Row -> Table (`frames.table_of_frame`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from qrkit.errors import InvalidParameter, UnreadableFile, nearest
from qrkit.exchange import foreign
from qrkit.exchange.columns import COLUMN_OF, NAMES, OVERLOOKED, REQUIRED, Row, read_row
from qrkit.exchange.merge import ImportIssue
from qrkit.late import UNSEEN, Watch
from qrkit.tracking.records import QRCode
from qrkit.tracking.times import to_table

__all__ = [
    "MOST_BYTES",
    "MOST_ROWS",
    "Reading",
    "SheetRows",
    "Table",
    "Writing",
    "cell_text",
    "check_number",
    "check_size",
    "codes_of",
    "heading_of",
    "is_known",
    "read_sheets",
    "table_of_links",
    "table_of_records",
    "table_of_rows",
    "too_wide",
    "unread_issues",
]

MOST_SHOWN = 8
"""Headings that an error names."""
MOST_BYTES = 64 * 2**20
MOST_ROWS = 200_000
MOST_COLUMNS = 1_000

SheetRows = Callable[[bytes, list[str]], Iterator[list[str]]]
"""What reads the rows of a csv or of a workbook as texts, blank rows and the heading of its first sheet included.

Its arguments are the bytes of a file, and a list that takes the names of sheets with other headings, whose rows are
left out. It raises `UnreadableFile` if the file is too large, or is damaged or of another format.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read.

    Attributes:
        decode: A picture -> the text of the QR Code in it.
        watch: Shows how far it has come.
    """

    decode: Callable[[bytes], str]
    watch: Watch = UNSEEN


@dataclass(frozen=True, slots=True)
class Writing:
    """How a file is written.

    Attributes:
        draw: A QR Code and a format -> its picture.
        safe: Whether texts in csv that a spreadsheet would run get an apostrophe (ruling X7).
        image_format: Of the pictures in a zip: png, eps or svg.
    """

    draw: Callable[[QRCode, str], bytes]
    safe: bool = True
    image_format: str = "png"


@dataclass(frozen=True, slots=True)
class Table:
    """What a reader gives.

    Attributes:
        rows: The rows of the file; empty ones are left out.
        issues: Columns and sheets that were left out.
        names: What errors call columns that they do not call by their headings.
    """

    rows: list[Row]
    issues: list[ImportIssue] = field(default_factory=list)
    names: Mapping[str, str] = field(default_factory=dict)


def check_size(data: bytes) -> None:
    """Refuse a file that is too large.

    Raises:
        UnreadableFile: It is.
    """
    if len(data) > MOST_BYTES:
        raise UnreadableFile(f"the file has {len(data):,} bytes; at most {MOST_BYTES:,}")


def cell_text(value: Any) -> str:
    """The text of a workbook's cell: 7.0 is "7", a moment as tables have it, yes and no as `true` and `false`."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return to_table(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return "" if value is None else str(value)


def heading_of(rows: Iterator[tuple[int, Sequence[str]]]) -> tuple[int, list[str]]:
    """Take the rows of a file or a sheet up to its heading: the first that is not blank.

    Args:
        rows: The number of each, and its cells; those behind the heading stay there.

    Returns:
        Its number and its cells; 1 and no cells where all rows are blank.
    """
    return next(((number, list(cells)) for number, cells in rows if any(cells)), (1, []))


def read_sheets(rows: SheetRows) -> Callable[[bytes, Reading], Table]:
    """What reads a csv or a workbook as a table, by what reads its rows."""

    def read(data: bytes, how: Reading) -> Table:
        unread: list[str] = []
        return table_of_rows(how.watch(rows(data, unread), "Reading", None), unread)

    return read


def table_of_rows(rows: Iterable[Sequence[str]], unread: Sequence[str] = ()) -> Table:
    """The table of rows of text; the heading (`heading_of`) names the columns, in any order and case.

    A heading that another tool wrote (`exchange.foreign`) is read as ours.

    Args:
        rows: All rows of the file; they are counted from 1.
        unread: Names of sheets that were not read; complete when all rows were taken.

    Raises:
        UnreadableFile: If there is no heading, if it names a column twice or lacks a required one, or if there are too
            many rows.
    """
    numbered = enumerate(rows, start=1)
    line, heading = heading_of(numbered)
    tool = foreign.tool_of(heading)
    if tool:
        table = table_of_links(tool, _links(numbered, heading))
    else:
        if len(heading) > MOST_COLUMNS:
            raise UnreadableFile(f"the heading has {len(heading):,} columns; at most {MOST_COLUMNS:,}", line=line)
        found = _rows(numbered, _places(heading, line), len(heading))
        table = table_of_records(found, unknown=[title for title in heading if not is_known(title)], heading=line)
    table.issues.extend(unread_issues(unread))
    return table


def unread_issues(sheets: Iterable[str]) -> Iterator[ImportIssue]:
    """What is said of sheets that were not read, by their names."""
    for sheet in sheets:
        detail = f"the sheet {sheet!r} has other headings, and was not read"
        yield ImportIssue(1, "", "", "", "unread-sheet", detail)


def _rows(numbered: Iterable[tuple[int, Sequence[str]]], places: Mapping[str, int], width: int) -> Iterator[Row]:
    pairs = list(places.items())
    for number, cells in numbered:
        if not any(cells):
            continue
        if len(cells) == width:
            yield Row(number, {name: cells[place] for name, place in pairs})
        else:
            whole = {name: cells[place] for name, place in pairs if place < len(cells)}
            yield Row(number, whole, too_wide(cells, width))


def table_of_records(
    rows: Iterable[Row], *, unknown: Iterable[str] = (), known: Iterable[str] = NAMES, heading: int = 1
) -> Table:
    """The table of rows.

    Args:
        rows: In their order.
        unknown: Names that are no column; complete when all rows were taken.
        known: The names that columns may have, of which an issue shows the nearest.
        heading: The number of the row of these names.

    Raises:
        UnreadableFile: If there are too many rows.
    """
    found: list[Row] = []
    for row in rows:
        check_number(len(found), row.number)
        found.append(row)
    told = "{!r} is no column, and was left out; {}"
    details = [told.format(title, nearest(title, known)) for title in unknown]
    return Table(found, [ImportIssue(heading, "", "", "", "unknown-column", detail) for detail in details])


def table_of_links(tool: foreign.Tool, links: Iterable[tuple[int, Mapping[str, Any], str]]) -> Table:
    """The table of what another tool wrote.

    Args:
        tool: What wrote it.
        links: The number of each in its file, its members, and what is wrong with it, "" where nothing is.

    Raises:
        UnreadableFile: If there are too many.
    """

    def rows() -> Iterator[Row]:
        for number, link, error in links:
            cells, wrong = tool.row(link)
            yield Row(number, cells, error or wrong)

    return table_of_records(rows())


def _links(
    rows: Iterable[tuple[int, Sequence[str]]], heading: Sequence[str]
) -> Iterator[tuple[int, Mapping[str, str], str]]:
    """The rows by the names of a foreign heading, with the numbers they have in the file."""
    for number, cells in rows:
        if any(cells):
            yield number, dict(zip(heading, cells, strict=False)), too_wide(cells, len(heading))


def codes_of(table: Table, now: datetime, seen: Watch = UNSEEN) -> Iterator[tuple[Row, QRCode] | ImportIssue]:
    """Each row with the QR Code that it says, or why it says none; before them, what was left out of the table.

    Args:
        table: What a reader gave.
        now: The moment of creation of codes whose row says none.
        seen: Shows how far it has come.
    """
    yield from table.issues
    for row in seen(table.rows, "Importing", len(table.rows)):
        detail = row.error
        if not detail:
            try:
                yield row, read_row(row, now)
                continue
            except InvalidParameter as error:
                problems = (replace(one, name=table.names.get(one.name, one.name)) for one in error.problems)
                detail = str(InvalidParameter(*problems))
        campaign, name, content = (row.cells.get(name, "") for name in ("Campaign Name", "QR Code Name", "Content"))
        yield ImportIssue(row.number, campaign, name, content, row.reason, detail)


def check_number(count: int, line: int) -> None:
    """Refuse the first row beyond the limit.

    Args:
        count: How many rows were read before it.
        line: Its number in the file, for the error.

    Raises:
        UnreadableFile: If there are as many rows as may be.
    """
    if count == MOST_ROWS:
        raise UnreadableFile(f"the file has more than {MOST_ROWS:,} rows; split it", line=line)


def is_known(title: str) -> bool:
    """Whether a heading is a column, or is passed over without a word."""
    name = title.strip().lower()
    return not name or name in COLUMN_OF or name in OVERLOOKED


def too_wide(cells: Sequence[str], width: int) -> str:
    """What is wrong with a row that has more cells than the heading; "" where it has not."""
    if len(cells) <= width:
        return ""
    return f"has {len(cells)} cells, but the heading has {width}; a text with a comma needs double quotes around it"


def _places(heading: Sequence[str], line: int) -> dict[str, int]:
    """Where each column stands: found by its name, in any order and case; missing columns are empty."""
    if not heading:
        raise UnreadableFile("the file is empty; its first row must name the columns: " + ", ".join(NAMES), line=line)
    places: dict[str, int] = {}
    for place, title in enumerate(heading):
        name = COLUMN_OF.get(title.strip().lower())
        if name in places:
            raise UnreadableFile(f"the column {name!r} stands twice in the heading", line=line)
        if name:
            places[name] = place
    for name in REQUIRED:
        if name not in places:
            near = [
                title for title in heading if not is_known(title) and get_close_matches(title.lower(), [name.lower()])
            ]
            shown = [title[:60] for title in heading if title][:MOST_SHOWN]
            example = (near or shown or ["landing page"])[0]
            hint = f"{near[0]!r}: did you mean {name!r}?" if near else f"it has {', '.join(map(repr, shown))}"
            raise UnreadableFile(f"the heading has no column {name!r}; {hint}", line=line).advising(
                {
                    "python": f"Say which column it is: columns={{{name!r}: {example!r}}}.",
                    "command": f"say which column it is with --{name.lower()}-column NAME",
                    "http": f"name the column that holds it {name!r}",
                }
            )
    return places
