"""Convert the rows of a file to a `Table`: text cells under our column names, with an error for each invalid row.

All readers use these functions, so that headings, missing and unknown columns and row limits are handled consistently.

    csv, xls, xlsx, ods      bytes -> lists of texts (`rows` of each module) -> Table (`table_of_rows`)
    xml, json, zip           bytes -> Row -> Table (`table_of_records`)
    DataFrame                cells -> Row -> Table (`frames.table_of_frame`)
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from itertools import islice
from typing import Any

from qrkit.errors import Door, InvalidParameter, UnreadableFile, nearest
from qrkit.exchange import foreign
from qrkit.exchange.columns import COLUMN_OF, CREATED, NAMES, OVERLOOKED, REQUIRED, Row, column_pair, read_row
from qrkit.exchange.kind_columns import KindColumns
from qrkit.exchange.merge import ImportIssue
from qrkit.late import UNSEEN, Watch
from qrkit.tracking.records import QRCode
from qrkit.tracking.times import to_table

__all__ = [
    "MOST_BYTES", "MOST_ROWS", "MOST_UNKNOWN", "Reading", "SheetRows", "Table", "Writing", "cell_text", "check_number",
    "check_size", "codes_of", "described", "heading_of", "is_known", "left_out_issues", "read_sheets", "table_of_links",
    "table_of_records", "table_of_rows", "too_wide", "unread_issues",
]  # fmt: skip

MOST_SHOWN = 8
"""The maximum number of headings to list in an error."""
LIKENESS = 0.8
"""How much a heading must be like `Content` to be that name with a typing mistake: `Contents`, but not `Contact`."""
TARGETS = re.compile(
    r"^url$|^(url|link|leads) to\b|\b(long|destination|target|landing|web ?(site|page|address)|home ?page)\b",
    re.IGNORECASE,
)
"""Headings of columns that hold where a short URL leads."""
NO_TARGETS = re.compile(r"short|bitl|custom|track|image|picture|logo|icon", re.IGNORECASE)
"""Parts of headings of columns that hold other addresses, such as short URLs."""
ADDRESS = re.compile(r"\s*https?://", re.IGNORECASE)
MOST_TRIED = 50
"""The number of rows that show what a column holds."""
MOST_BYTES = 64 * 2**20
MOST_ROWS = 200_000
MOST_COLUMNS = 1_000
MOST_UNKNOWN = 100
"""The maximum number of unknown names to report, and of names per object to check."""

SheetRows = Callable[[bytes, list[str]], Iterator[list[str]]]
"""A function that yields the rows of a csv or a workbook as text, including blank rows and the first sheet's heading.

The arguments are the bytes of the file, and a list to which the function appends the names of sheets that were not read
because their heading differs. The function raises `UnreadableFile` if the file is too large, is damaged, or has another
format.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """Options for reading a file.

    Attributes:
        decode: Returns the text of the QR Code in a picture.
        watch: Shows the progress.
    """

    decode: Callable[[bytes], str]
    watch: Watch = UNSEEN


@dataclass(frozen=True, slots=True)
class Writing:
    """Options for writing a file.

    Attributes:
        draw: Returns the picture of a QR Code in a given format.
        safe: Whether to put an apostrophe in front of csv texts that a spreadsheet would run as formulas.
        image_format: The format of the pictures in a zip: png, eps or svg.
    """

    draw: Callable[[QRCode, str], bytes]
    safe: bool = True
    image_format: str = "png"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a file, as returned by a reader.

    Attributes:
        rows: The rows of the file without empty rows.
        issues: Issues about columns and sheets that were left out.
        names: Column name -> the name to use in errors, if different.
    """

    rows: list[Row]
    issues: list[ImportIssue] = field(default_factory=list)
    names: Mapping[str, str] = field(default_factory=dict)


def check_size(data: bytes) -> None:
    """Check the size of a file."""
    if len(data) > MOST_BYTES:
        raise UnreadableFile(f"the file has {len(data):,} bytes; at most {MOST_BYTES:,}")


def cell_text(value: Any) -> str:
    """Convert the value of a workbook cell to text: 7.0 becomes "7", bools `true` or `false`; None becomes ""."""
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
    """Read rows up to and including the heading, which is the first row that is not blank.

    Args:
        rows: The number and the cells of each row; the rows after the heading remain in the iterator.

    Returns:
        The number and the cells of the heading; 1 and no cells if all rows are blank.
    """
    return next(((number, list(cells)) for number, cells in rows if any(cells)), (1, []))


def read_sheets(rows: SheetRows) -> Callable[[bytes, Reading], Table]:
    """Return a function that reads a csv or a workbook as a table, using the given row reader."""

    def read(data: bytes, how: Reading) -> Table:
        unread: list[str] = []
        return table_of_rows(how.watch(rows(data, unread), "Reading", None), unread)

    return read


def table_of_rows(rows: Iterable[Sequence[str]], unread: Sequence[str] = ()) -> Table:
    """Build the table for rows of text; the heading names the columns, in any order and case.

    Headings of other tools' exports (`exchange.foreign`) are also accepted.

    Args:
        rows: All rows of the file; rows are counted from 1.
        unread: The names of sheets that were not read; complete only after all rows were read.
    """
    numbered = enumerate(rows, start=1)
    line, heading = heading_of(numbered)
    tool = foreign.tool_of(heading)
    if tool:
        table = table_of_links(tool, _links(numbered, heading), heading, line)
    else:
        if len(heading) > MOST_COLUMNS:
            many = f"the heading has {len(heading):,} columns; at most {MOST_COLUMNS:,} are allowed"
            raise UnreadableFile(many, line=line)
        kinds = KindColumns(heading)
        found = _rows(numbered, _places(heading, line, kinds, numbered), len(heading), kinds)
        unknown = [one for place, one in enumerate(heading) if not is_known(one) and place not in kinds.places]
        table = table_of_records(found, unknown=unknown, heading=line)
    table.issues.extend(unread_issues(unread))
    return table


def described(row: Row, kinds: KindColumns, cells: Sequence[str]) -> Row:
    """Return a row with the content that its cells describe, or with the error of the cells."""
    try:
        content = kinds.content(cells, row.cells.get("Content", ""))
    except InvalidParameter as error:
        return row._replace(error="; ".join(filter(None, (row.error, str(error)))))
    return row._replace(cells={**row.cells, "Content": content})


def unread_issues(sheets: Iterable[str]) -> Iterator[ImportIssue]:
    """Yield an issue for each sheet that was not read."""
    for sheet in sheets:
        detail = f"the sheet {sheet!r} has other headings, and was not read"
        yield ImportIssue(1, "", "", "", "unread-sheet", detail)


def left_out_issues(titles: Iterable[str], chosen: Iterable[str], heading: int) -> Iterator[ImportIssue]:
    """Yield an issue for each column that was left out because others were chosen.

    Args:
        chosen: The names of the chosen ones, in any case.
        heading: The row number of the heading.
    """
    known = {"", *OVERLOOKED, *(title.strip().lower() for title in chosen)}
    for title in titles:
        if title.strip().lower() not in known:
            detail = f"{title!r} is not one of the columns to import, and was left out"
            yield ImportIssue(heading, "", "", "", "unknown-column", detail)


def _rows(
    numbered: Iterable[tuple[int, Sequence[str]]], places: Mapping[str, int], width: int, kinds: KindColumns
) -> Iterator[Row]:
    pairs = list(places.items())
    columns, is_whole = tuple(places), list(places.values()) == list(range(width))
    has_kinds = bool(kinds)
    for number, cells in numbered:
        if not any(cells):
            continue
        if len(cells) == width:
            # Most files have just our columns, in any order.
            whole = (
                dict(zip(columns, cells, strict=True)) if is_whole else {name: cells[place] for name, place in pairs}
            )
            row = Row(number, whole)
            yield described(row, kinds, cells) if has_kinds else row
        else:
            whole = {name: cells[place] for name, place in pairs if place < len(cells)}
            yield Row(number, whole, too_wide(cells, width))


def table_of_records(
    rows: Iterable[Row], *, unknown: Iterable[str] = (), known: Iterable[str] = NAMES, heading: int = 1
) -> Table:
    """Build the table for rows, with an issue for each unknown column.

    Args:
        rows: The rows in file order.
        unknown: Names that are not columns; complete only after all rows were read.
        known: Valid column names, from which issues suggest the most similar one.
    """
    found = list(islice(rows, MOST_ROWS + 1))
    if len(found) > MOST_ROWS:
        check_number(MOST_ROWS, found[-1].number)
    told = "{!r} is no column, and was left out; {}"
    details = [told.format(title, nearest(title, known)) for title in unknown]
    return Table(found, [ImportIssue(heading, "", "", "", "unknown-column", detail) for detail in details])


def table_of_links(
    tool: foreign.Tool, links: Iterable[tuple[int, Mapping[str, Any], str]], names: Iterable[str], heading: int = 1
) -> Table:
    """Build the table for another tool's export, with an issue for each field that is not read.

    Args:
        links: The row number, the fields, and the error of each link; the error is "" for a valid link.
    """
    read, unread = {*OVERLOOKED, *tool.read_names}, dict[str, None]()

    def rows() -> Iterator[Row]:
        for number, link, error in links:
            if len(unread) < MOST_UNKNOWN:
                # Nothing is lost with fields that are empty, zero or false in all links.
                filled = (name for name, value in islice(link.items(), MOST_UNKNOWN) if name and value)
                unread.update(dict.fromkeys(name for name in filled if name.strip().lower() not in read))
            cells, wrong = tool.row(link)
            yield Row(number, cells, error or wrong)

    table = table_of_records(rows())
    details = (f"{name!r} is not read from files of {tool.service}, and was left out" for name in unread)
    issues = [ImportIssue(heading, "", "", "", "unknown-column", detail) for detail in details]
    return Table(table.rows, issues, tool.names_in(names))


def _links(
    rows: Iterable[tuple[int, Sequence[str]]], heading: Sequence[str]
) -> Iterator[tuple[int, Mapping[str, str], str]]:
    """Yield the number, the fields and the error of each row below the heading of another tool's export."""
    for number, cells in rows:
        if any(cells):
            yield number, dict(zip(heading, cells, strict=False)), too_wide(cells, len(heading))


def codes_of(table: Table, now: datetime, seen: Watch = UNSEEN) -> Iterator[tuple[Row, QRCode] | ImportIssue]:
    """Yield the issues of a table, then each row with its QR Code, or an issue if the row is invalid.

    Args:
        now: The creation timestamp for rows that have none.
    """
    yield from table.issues
    for row in seen(table.rows, "Importing", len(table.rows)):
        yield _unreadable(row, row.error) if row.error else _code_of(row, now, table.names)


def _code_of(row: Row, now: datetime, names: Mapping[str, str]) -> tuple[Row, QRCode] | ImportIssue:
    """Return a row with its QR Code, or an issue; only because of its date, no printed code is lost."""
    try:
        return row, read_row(row, now)
    except InvalidParameter as error:
        detail = str(InvalidParameter(*(replace(one, name=names.get(one.name, one.name)) for one in error.problems)))
        if row.cells.get(CREATED) and all(one.name == CREATED for one in error.problems):
            return _code_of(row._replace(cells={**row.cells, CREATED: ""}, undated=detail), now, names)
        return _unreadable(row, detail)


def _unreadable(row: Row, detail: str) -> ImportIssue:
    campaign, name, content = (row.cells.get(name, "") for name in ("Campaign Name", "QR Code Name", "Content"))
    return ImportIssue(row.number, campaign, name, content, row.reason, detail)


def check_number(count: int, line: int) -> None:
    """Check that another row is within the row limit.

    Args:
        count: The number of rows read before this row.
        line: The number of this row in the file, for the error.
    """
    if count == MOST_ROWS:
        raise UnreadableFile(f"the file has more than {MOST_ROWS:,} rows; split it", line=line)


def is_known(title: str) -> bool:
    """Return whether a heading names one of our columns, or can be ignored without an issue."""
    name = title.strip().lower()
    return not name or name in COLUMN_OF or name in OVERLOOKED


def too_wide(cells: Sequence[str], width: int) -> str:
    """Return an error message for a row with more cells than the heading, or "" for any other row."""
    if len(cells) <= width:
        return ""
    return f"has {len(cells)} cells, but the heading has {width}; a text with a comma needs double quotes around it"


def _places(
    heading: Sequence[str], line: int, kinds: KindColumns, rows: Iterator[tuple[int, Sequence[str]]]
) -> dict[str, int]:
    """Return the position of each of our columns in the heading; columns can have any order and case.

    The rows below the heading are read only for an error that suggests a column.
    """
    if not heading:
        raise UnreadableFile("the file is empty; its first row must name the columns: " + ", ".join(NAMES), line=line)
    places: dict[str, int] = {}
    for place, title in enumerate(heading):
        name = COLUMN_OF.get(title.strip().lower())
        if name in places:
            raise UnreadableFile(f"the column {name!r} appears twice in the heading", line=line)
        if name:
            places[name] = place
    for name in () if kinds else REQUIRED:
        if name not in places:
            raise _missing_column(name, heading, line, [cells for _, cells in islice(rows, MOST_TRIED)])
    return places


def _missing_column(name: str, heading: Sequence[str], line: int, rows: Sequence[Sequence[str]]) -> UnreadableFile:
    """Return the error for a heading without a required column.

    It names a column only if there is no doubt: imported from another column, such as that of the old short URLs, all
    QR Codes would lead to the wrong address.
    """
    near = [
        title
        for title in heading
        if not is_known(title) and get_close_matches(title.lower(), [name.lower()], cutoff=LIKENESS)
    ]
    shown = [title[:60] for title in heading if title]
    more = f" and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    there = f"it has {', '.join(map(repr, shown[:MOST_SHOWN]))}{more}"
    hint = f"{near[0]!r}: did you mean {name!r}?" if near else there
    tool = None if near else foreign.similar_tool(heading)
    if tool:
        hint += f"; qrkit reads a file of {tool.service} if it has {', '.join(map(repr, tool.known_by))}"
    likely = near or [title for place, title in enumerate(heading) if _holds_targets(title, place, rows)]
    theirs = likely[0] if len(likely) == 1 else ""
    pair = column_pair(name.lower(), theirs)
    advice: dict[Door, str] = {
        "python": f"Say which column it is: columns={{{name!r}: {repr(theirs) if theirs else '…'}}}",
        "command": f"say which column it is: --columns {shlex.quote(pair) if theirs else f'{pair}…'}",
        "http": f"say which column it is in the parameter columns, as {pair if theirs else f'{pair}NAME'}",
    }
    if tool:
        # Without them, all QR Codes would get new short codes.
        short_urls: dict[Door, str] = {
            "python": "'Trackable URL': …",
            "command": "Trackable URL=…",
            "http": "Trackable URL=NAME",
        }
        for door, words in short_urls.items():
            advice[door] += f"; to keep printed codes, also say which has their short URLs: {words}"
    advice["python"] += "."
    return UnreadableFile(f"the heading has no column {name!r}; {hint}", line=line).advising(advice)


def _holds_targets(title: str, place: int, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a column holds where short URLs lead: by its name, and because most of its cells are addresses."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_|-", " ", title).strip()
    if not TARGETS.search(words) or NO_TARGETS.search(words):
        return False
    cells = [row[place] for row in rows if place < len(row) and row[place]]
    addresses = sum(ADDRESS.match(cell) is not None for cell in cells)
    return addresses > 0 and addresses >= len(cells) / 2
