"""Read csv files and workbooks with any column names, such as a list of URLs to generate QR Codes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from qrkit.errors import UnreadableFile
from qrkit.exchange import IMPORT_FORMATS, SHEETS, foreign, sniffed
from qrkit.exchange.archives import gunzipped
from qrkit.exchange.columns import COLUMN_OF, SHORT_URL
from qrkit.exchange.locating import ANYWHERE, MOST_TRIED, Located, Part, Place, Share, locate, place_of, records, tidy
from qrkit.exchange.merge import ImportIssue
from qrkit.exchange.table_files import (
    HARDLY_ANYTHING_ELSE,
    MOST_BYTES,
    NO_TARGETS,
    Table,
    check_number,
    check_size,
    is_of_targets,
    row_of,
    share_of_addresses,
    share_of_ours,
    table_of_rows,
)
from qrkit.files import read_file

MOST_CELLS = 20_000_000
"""Cells that a sheet holds at most: in a dump or JSON, each of many short rows is as wide as the widest."""

File = tuple[str, str, bytes]
"""The name, the format and the bytes of a file."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of a file, each as one text per column, or as an error if the row is invalid.

    Numbers of rows and of the heading are those in the file, counted from 1 without empty rows; 0 is no heading.
    `issues` tell what else there is to know, such as a guessed encoding, or a sheet with another heading.
    """

    heading: tuple[str, ...]
    numbers: tuple[int, ...]
    rows: tuple[tuple[str, ...] | UnreadableFile, ...]
    heading_row: int = 1
    issues: tuple[ImportIssue, ...] = ()

    def column(self, name: str, *, field: str = "column") -> list[str | UnreadableFile]:
        """Return a column, named in any case, as accepted by `generate_many`; an invalid row is its error."""
        place = place_of(self.heading, name, field)
        return [row if isinstance(row, UnreadableFile) else row[place] for row in self.rows]

    @property
    def content_column(self) -> str:
        """The column of what QR Codes say, by its heading or the web addresses in it; "" if there is not just one."""
        tool = foreign.tool_of(self.heading)
        likely = (
            [title for title in self.heading if COLUMN_OF.get(title.lower()) == "Content"],
            [tool.names_in(self.heading).get("Content", "")] if tool else [],
            [title for title in self.heading if is_of_targets(title)],
            columns_of_addresses(self.heading, [row for row in self.rows if isinstance(row, tuple)]),
        )
        return next((found[0] for found in likely if len(found) == 1), "")

    def texts(self) -> list[dict[str, str]]:
        """Return the cells of each row by the names of their columns; none of an invalid row."""
        return [
            {} if isinstance(row, UnreadableFile) else dict(zip(self.heading, row, strict=True)) for row in self.rows
        ]

    def contents(self, name: str, *, field: str) -> tuple[list[str | UnreadableFile], list[tuple[int, str]]]:
        """Return a column as contents (a link is its target, a formula without a value an error), and notes on rows."""
        made: list[str | UnreadableFile] = []
        notes: list[tuple[int, str]] = []
        for number, cell in zip(self.numbers, self.column(name, field=field), strict=True):
            if isinstance(cell, UnreadableFile):
                made.append(cell)
                continue
            row = row_of(number, {"Content": cell}, "")
            made.append(UnreadableFile(row.error, line=number) if row.error else row.cells["Content"])
            notes += [(number, detail) for _, detail in row.notes if not row.error]
        return made, notes


def columns_of_addresses(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the columns that hold hardly anything but addresses, except for those of short URLs and pictures."""
    cells = list(zip(*rows, strict=True)) or [()] * len(heading)
    return [
        title
        for title, texts in zip(heading, cells, strict=True)
        if title and not NO_TARGETS.search(title)
        if share_of_addresses(texts) >= HARDLY_ANYTHING_ELSE
    ]


def read_sheet(source: str | Path | bytes, columns: Iterable[str] | Share = (), place: Place = ANYWHERE) -> Sheet:
    """Read a csv, xlsx, xls or ods file; workbooks are recognized by their first bytes, other files are read as csv.

    A csv file can use commas, semicolons, tabs or |. In a workbook, the first sheet with the heading is read, and all
    sheets with the same one. Text stays text: "007" does not become a number. Apostrophes that keep a spreadsheet from
    running a text as a formula are removed. Rows covered by a merged cell contain the text of that cell.

    The heading has these columns, or most of what a function counts in a row; by default, it is the first row that is
    not blank.
    """
    if isinstance(source, bytes):
        return sheet_of(source, "csv", columns, place)
    file = Path(source)
    return sheet_of(read_file(file), format_of_table(file), columns, place, name=str(file))


def format_of_table(file: Path) -> str:
    """Return the format of a file with a table, which is csv for any unknown suffix, such as .log."""
    suffix = file.suffix[1:].lower()
    return suffix if suffix in IMPORT_FORMATS else "csv"


def heading_in(data: bytes, format: str, share: Share | None = share_of_ours) -> list[str]:
    """Return the names of the columns of a file as an import finds them; [] if it is empty or unreadable.

    Without a share, the heading is the first row that is not blank, as in a table of visits.
    """
    with suppress(UnreadableFile):
        return list(_located_in([("", format, data)], ANYWHERE, share).heading)
    return []


def offered_columns(data: bytes, format: str) -> tuple[list[str], dict[str, str]]:
    """Return the names of the columns of a file that may be mapped, and which of them to offer for which of ours.

    These are the ones that are named as ours are. If an import finds no content with them, `Sheet.content_column` of
    the first rows is offered, too, together with a column that is known to hold short URLs. Neither is offered if the
    file seems to be of another tool and has no such column, because its codes would get new short URLs. A file of a
    known tool has no columns to map.
    """
    try:
        located = _located_in([("", format, data)], ANYWHERE, share_of_ours)
    except UnreadableFile:
        return [], {}
    if foreign.tool_of(located.heading):
        return [], {}
    offered = {COLUMN_OF[title.lower()]: title for title in located.heading if title.lower() in COLUMN_OF}
    short_urls = "" if SHORT_URL in offered else foreign.short_url_in(located.heading)
    if share_of_ours(located.heading) < 1 and (short_urls or not foreign.similar_tool(located.heading)):
        with suppress(UnreadableFile):  # the import says why
            first = tuple(tuple(cells) for _, cells, wrong in islice(records(located), MOST_TRIED) if not wrong)
            if content := Sheet(located.heading, (), first).content_column:
                offered["Content"] = content
    if short_urls and "Content" in offered:
        offered[SHORT_URL] = short_urls
    return [title for title in located.heading if title], offered


def _located_in(files: Iterable[File], place: Place, share: Share | None, name: str = "the file") -> Located:
    """Find the table of files; objects, and lines of a log, are counted from 1, as they have no heading.

    Of several files, those that cannot be read are told.
    """
    parts: list[Part] = []
    formats: set[str] = set()
    unread: list[str] = []
    for file, format, data in files:
        try:
            data = data if file else gunzipped(data, MOST_BYTES)  # `tables_in` has unpacked those of an archive
            chosen = sniffed(data, format).name
            if chosen not in SHEETS:
                raise UnreadableFile(f"{file or name}: {chosen} files have no rows to read; use {', '.join(SHEETS)}")
            check_size(data)
            parts += [part._replace(file=file) for part in SHEETS[chosen](data, place, share)]
            formats.add(chosen)
        except UnreadableFile as error:
            if not file:
                raise
            unread.append(f"{file!r} was not read: {error}")
    if unread and not parts:
        raise UnreadableFile("; ".join(unread))
    located = locate(parts, place, share)
    for detail in unread:
        located.say("unread-file", detail)
    if formats <= {"json", "log"} and not located.is_sheet:  # rows of cells in JSON have a heading
        located.rows, located.line = ((number - 1, cells) for number, cells in located.rows), 0
    return located


def table_of_files(files: Iterable[File], columns: Mapping[str, str], place: Place) -> Table:
    """Read files as the sheets of one workbook, of which those with the same heading are one table."""
    share = _share_of(map(str, columns.values())) if columns else share_of_ours
    return table_of_rows(_located_in(files, place, share), columns or None)


def sheet_of(
    data: bytes, format: str, columns: Iterable[str] | Share = (), place: Place = ANYWHERE, *, name: str = "the file"
) -> Sheet:
    """Read the rows of a file, found as in `read_sheet`; the format counts if the first bytes do not show it."""
    share = columns if callable(columns) else _share_of(columns)
    located = _located_in([("", format, data)], place, share, name)
    found: dict[int, tuple[str, ...] | UnreadableFile] = {}
    for number, cells, wrong in records(located):
        check_number(len(found), number)
        if len(found) * len(cells) > MOST_CELLS:
            rule = f"the table has more than {MOST_CELLS:,} cells; leave out columns that are not needed, or split it"
            raise UnreadableFile(rule, line=number)
        found[number] = UnreadableFile(wrong, line=number) if wrong else tuple(cells)
    if not located.heading:
        raise UnreadableFile(f"{name} is empty; its first row must name the columns", line=1)
    return Sheet(located.heading, tuple(found), tuple(found.values()), located.line, tuple(located.issues))


def _share_of(columns: Iterable[str]) -> Share | None:
    """Return a function that returns how many of these columns are in a row; None without columns; see `Share`."""
    wanted = {tidy(str(name)).lower() for name in columns} - {""}

    def share(cells: Sequence[str]) -> float:
        found = {tidy(cell).lower() for cell in cells}
        known = sum(name in found for name in wanted)
        return known if known == len(wanted) else known / len(wanted)

    return share if wanted else None
