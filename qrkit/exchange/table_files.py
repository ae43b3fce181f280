"""Convert the rows of a file to a `Table`: text cells under our column names, with an error for each invalid row.

All readers use these functions, so that headings, missing and unknown columns and row limits are handled consistently.

    csv, workbooks, sql      bytes -> lists of texts (`parts` of each module) -> Table (`table_of_rows`)
    xml, json, zip           bytes -> Row -> Table (`table_of_records`)
    DataFrame                cells -> Row -> Table (`data_frames.table_of_frame`)
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from functools import cache, lru_cache, partial
from itertools import chain, islice
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from qrkit.contents.addresses import location_of
from qrkit.contents.suspicious_links import meant_url
from qrkit.errors import Door, InvalidParameter, UnreadableFile, collecting, first_of, raise_any
from qrkit.exchange import foreign
from qrkit.exchange.columns import (
    ALL_NAMES,
    CAMPAIGN,
    COLUMN_OF,
    CONTENT,
    COUNTED,
    CREATED,
    HEADINGS,
    KINDS,
    MOMENTS,
    NAMES,
    OVERLOOKED,
    SHORT_URL,
    TERMS_NAMES,
    Fraction,
    Packed,
    Row,
    Rows,
    column_pair,
    field_of,
    fits,
    named,
    read_row,
    unpacked,
)
from qrkit.exchange.foreign_terms import PASSWORD
from qrkit.exchange.local_dates import UNCLEAR, LocalDates
from qrkit.exchange.locating import (
    ADDRESS,
    ANYWHERE,
    MOST_TRIED,
    Located,
    Part,
    Place,
    Share,
    locate,
    place_of,
    records,
    tidy,
)
from qrkit.exchange.marked_cells import (
    TOTALS,
    Linked,
    Read,
    Unsaved,
    is_total,
    retyped_issues,
    with_damage,
    without_traces,
    without_words,
    words_for_nothing,
)
from qrkit.exchange.merge import ImportIssue, Reason
from qrkit.exchange.own_columns import KindColumns, OwnColumns
from qrkit.late import UNSEEN, Watch
from qrkit.tracking.records import QRCode
from qrkit.tracking.text_columns import field_text
from qrkit.tracking.times import to_table

if TYPE_CHECKING:
    from qrkit.drawing.writers.pdf import PdfFile


MOST_SHOWN = 8
"""The maximum number of headings to list in an error."""
LIKENESS = 0.8
"""How much a heading must be like `Content` to be that name with a typing mistake: `Contents`, but not `Contact`."""
TARGETS, NO_TARGETS = (re.compile(HEADINGS["patterns"][what], re.IGNORECASE) for what in ("targets", "no_targets"))
"""Headings of columns that hold where a short URL leads, and their parts where columns hold other addresses."""
ADDRESSES = {"Content": "content", SHORT_URL: "short URL"}
"""Columns whose cells may show a text that links to an address, and what to call the address."""
KEPT_AS_WRITTEN = frozenset({*ADDRESSES, "Password"})
"""Columns in which a word for no value, such as None, is no empty cell: it would be told, or would open a link."""
NOT_NEEDED: dict[str, tuple[Reason, str]] = {
    CREATED: ("date-unreadable", "the QR Code was added with the date of this import"),
    "Scans": ("count-unreadable", "the QR Code was added without earlier scans"),
}
"""Columns without which a QR Code leads where it should: the reason and what becomes of it if one is unreadable."""
OTHER_SHORT_URL = "leads there, too, but a QR Code has one short URL; codes printed with this one will not work"
VALID_UNTIL = "Valid Until (UTC)"
MOSTLY = 0.5
"""The share of addresses that makes contents, or a column that may hold them, one of addresses."""
HARDLY_ANYTHING_ELSE = 0.8
"""The share of addresses in a column of addresses: in a list that people keep, one may be misspelled or missing."""
_UNDERLINES = re.compile(r"-+ [- ]*")
"""The line below the heading of a table that SQLite and SQL Server print with spaces between the columns."""
_TEXTS = frozenset({str})
MOST_BYTES = 64 * 2**20
MOST_ROWS = 200_000

SheetParts = Callable[[bytes, Place, Share | None], list[Part]]
"""A function that returns the sheets of a workbook, or the one of a text file, whose rows are read when asked for.

The arguments are the bytes of the file, where its table is, and how much of what is needed is in a row. The function
raises `UnreadableFile` if the file is damaged, or has another format, and so do its rows. Call `check_size` before.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """Options for reading a file: what returns the text of the QR Code in a picture, and what shows the progress."""

    decode: Callable[[bytes], str]
    watch: Watch = UNSEEN
    place: Place = ANYWHERE


@dataclass(frozen=True, slots=True)
class Writing:
    """Options for writing a file.

    With `safe`, csv texts that a spreadsheet would run as formulas get an apostrophe. `columns` are those of a csv or a
    workbook; other formats have all. `path_of` returns the path of a QR Code's picture in a zip, without suffix;
    `add_page` adds the picture to a PDF.
    """

    draw: Callable[[QRCode, str], bytes]
    safe: bool = True
    image_format: str = "png"
    columns: Sequence[str] = NAMES
    path_of: Callable[[QRCode], PurePosixPath] | None = None
    add_page: Callable[[QRCode, PdfFile], None] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a file without empty rows, as returned by a reader, and issues about what was left out.

    Errors use `names` for columns that have other names in the file. With `of_links`, these are links of another
    service, so that contents are addresses, and no readable tail follows the short code in a short URL.
    """

    rows: Rows
    issues: list[ImportIssue] = field(default_factory=list)
    names: Mapping[str, str] = field(default_factory=dict)
    of_links: bool = False


def check_size(data: bytes) -> None:
    """Check the size of a file."""
    if len(data) > MOST_BYTES:
        raise UnreadableFile(f"the file has {len(data):,} bytes; at most {MOST_BYTES:,}")


def read_sheets(parts: SheetParts) -> Callable[[bytes, Reading], Table]:
    """Return a function that reads a csv or a workbook as a table."""

    def read(data: bytes, how: Reading) -> Table:
        check_size(data)
        located = locate(parts(data, how.place, share_of_ours), how.place, share_of_ours)
        located.rows = iter(how.watch(located.rows, "Reading", None))
        return table_of_rows(located)

    return read


def share_of_ours(cells: Sequence[str]) -> float:
    """Return how many known names are in a heading with our required columns or of another tool; see `Share`."""
    known = {COLUMN_OF.get(tidy(cell).lower()) for cell in cells} - {None}
    if foreign.tool_of(cells):
        return 2
    if CONTENT in known or KindColumns(cells):
        return max(len(known), 1)
    return len(known) / (len(NAMES) + len(cells))


def table_of_rows(located: Located, columns: Mapping[str, str] | None = None) -> Table:
    """Build the table for rows of text; the heading names the columns, in any order and case.

    Headings of other tools' exports (`exchange.foreign`) are also accepted. If `columns` maps our names to those of the
    heading, it must contain Content, and other columns that have our names are listed as left out.
    """
    heading, rows = located.heading, records(located)
    if not heading:
        raise UnreadableFile("the file is empty; its first row must name the columns: " + ", ".join(NAMES), line=1)
    tool, rows = (None, rows) if columns else _tool_of(heading, rows)
    words, rows = words_for_nothing(heading, rows)
    if words:
        rows = without_traces(rows, [tool is not None or is_kept(title, columns or {}) for title in heading], words)
    if tool:
        titles = tool.told_apart(heading)
        links = ((number, dict(zip(titles, cells, strict=True)), error) for number, cells, error in rows)
        table = table_of_links(tool, links, titles, located.line)
    else:
        own, kinds, line = OwnColumns(ALL_NAMES), KindColumns(() if columns else heading), located.line
        places = _chosen_places(heading, columns) if columns else _places(located, kinds, rows)
        read = rows_of(heading, rows, own, places, kinds, is_chosen=columns is not None, is_text=located.is_text)
        if SHORT_URL not in places and (unread := foreign.short_urls_in(heading)):
            rule = f"short URLs were not read from {' or '.join(map(repr, unread))}"
            lost = "codes printed with them will not work; to keep them, say which column is"
            located.say("unknown-column", f"{rule}, so {lost} {SHORT_URL}")
        names = {name: heading[place] for name, place in places.items()} if columns else {}
        table = table_of_records(read, own, heading=max(line, 1) if columns else line, names=names)
        if columns:
            table.issues.extend(issues_of_chosen(heading, names, table.rows, max(line, 1)))
    table.issues.extend(located.issues)
    table.issues.extend(retyped_issues(table.rows) if located.is_sheet else ())
    return table


def _tool_of(heading: Sequence[str], rows: Read) -> tuple[foreign.Tool | None, Read]:
    """Return the tool with this heading, and the rows; short codes and targets may be other things, such as towns."""
    tool = foreign.tool_of(heading)
    if tool is not foreign.CODE_LIST:
        return tool, rows
    first, names = list(islice(rows, MOST_TRIED)), [*map(foreign.plain_name, heading)]
    targets = [cells[names.index(name)] for _, cells, _ in first for name in tool.target_in(names)]
    is_tool = not first or any(_is_address(text) or meant_url(text) for text in targets)
    return (tool if is_tool else None), chain(first, rows)


def is_kept(title: str, columns: Mapping[str, str] = MappingProxyType({}), names: Iterable[str] = ()) -> bool:
    """Return whether a column has contents, short URLs or passwords, or is the security of networks.

    A tool has `names` of its own for these columns.
    """
    chosen = {tidy(str(theirs)).lower(): COLUMN_OF.get(ours.lower()) for ours, theirs in columns.items()}
    known = ("password", "security", *foreign.TARGETS, *foreign.SHORT_URLS, *map(foreign.plain_name, names))
    name = title.lower()
    return not KEPT_AS_WRITTEN.isdisjoint({COLUMN_OF.get(name), chosen.get(name)}) or foreign.plain_name(title) in known


def _described(row: Row, kinds: KindColumns, cells: Sequence[str]) -> Row:
    """Return a row with the content that its cells describe, or with the error of the cells."""
    try:
        content = kinds.content(cells, row.cells.get("Content", ""))
    except InvalidParameter as error:
        return row._replace(error="; ".join(filter(None, (row.error, str(error)))))
    return row._replace(cells={**row.cells, "Content": content})


def issues_of_chosen(heading: Iterable[str], chosen: Mapping[str, str], rows: Rows, line: int) -> Iterator[ImportIssue]:
    """Yield an issue for each column of ours that was left out because others were chosen.

    A column that closes or limits links, but was chosen for a column of ours that does not, is told, too.
    """
    for title in heading:
        if title not in chosen.values() and title.strip().lower() in COLUMN_OF:
            detail = f"{title!r} is not one of the columns to import, and was left out"
            yield ImportIssue(line, "", "", "", "unknown-column", detail)
    for ours, theirs in chosen.items() if SHORT_URL in chosen else ():
        if ours in (CONTENT, SHORT_URL, *TERMS_NAMES) or not foreign.may_close(theirs):
            continue
        if row := next((row for row in rows if foreign.protection({theirs: row.cells.get(ours, "")})), None):
            detail = f"{theirs!r} was chosen as {ours}, which limits no link, so links such as that of row {row.number}"
            rule = "choose it as Valid Until (UTC), Limit, Password, Rules or Active to keep what it says"
            yield ImportIssue(row.number, "", "", "", "limits-unknown", f"{detail} are open to everybody; {rule}")


def rows_of(
    heading: Sequence[str],
    rows: Iterable[tuple[int, Sequence[str], str]],
    own: OwnColumns,
    places: Mapping[str, int],
    kinds: KindColumns,
    *,
    is_chosen: bool = False,
    is_text: bool = False,
) -> Iterator[Row | Packed]:
    """Yield rows with their texts in our columns, and with those in other columns as fields.

    If somebody chose the columns (`is_chosen`), any of the others may hold a limit of a short URL. With `is_text`,
    all cells are plain text.
    """
    columns, taken = tuple(places), tuple(places.values())
    # Beside contents of ours, a short URL under a name of other tools is that of a link of theirs, as a chosen one is.
    of_links = SHORT_URL in places and (is_chosen or not is_known(heading[places[SHORT_URL]]))
    content_at = places.get(CONTENT)
    unread = [(place, one) for place, one in enumerate(heading) if place not in kinds.places and place not in taken]
    others = [(place, one) for place, one in unread if not is_known(one)]
    is_plain, is_all = not kinds and not others, taken == tuple(range(len(heading)))
    for number, cells, wrong in rows:
        content = "" if content_at is None else cells[content_at]
        error = TOTALS if is_total(cells, content) else wrong
        if of_links and not error:
            unsaid = {one: cells[place] for place, one in unread}
            error = foreign.protection(unsaid, "" if is_chosen else content.strip())
        texts = cells if is_all else [cells[place] for place in taken]  # most files have just our columns, in any order
        if is_plain and not error and (is_text or _TEXTS.issuperset(map(type, texts))):
            yield columns, number, *texts
            continue
        row = row_of(number, dict(zip(columns, texts, strict=True)), error)
        if kinds:
            row = _described(row, kinds, cells)
        yield own.row(row, [(one, cells[place]) for place, one in others])


def row_of(number: int, cells: dict[str, str], error: str) -> Row:
    """Return a row with its texts: of cells with a link or a formula without a value, what they stand for."""
    if _TEXTS.issuperset(map(type, cells.values())):
        return Row(number, cells, error)
    notes: list[tuple[Reason, str]] = []
    for name, cell in cells.items():
        if type(cell) is Unsaved:
            cells[name] = ""
            detail = f"{name} is the formula {cell[:80]!r}, whose value is not in the file"
            rule = f"{detail}; open the file in a spreadsheet and save it"
            notes.append(("formula-unsaved", f"{detail}, and was left empty"))
            error = error or (rule if name == CONTENT else "")
        elif type(cell) is Fraction:
            cells[name] = cell if KINDS[name] in COUNTED else str(cell)
        elif type(cell) is Linked:
            cells[name] = str(cell)
            what, target, text = ADDRESSES.get(name), cell.target.rstrip("/"), cell.strip().rstrip("/")
            if name == SHORT_URL and target.partition("://")[2] == text:
                cells[name] = cell.target
                continue
            if not what or target == text or (name == SHORT_URL and target.endswith(f"/{text.lstrip('/')}")):
                continue
            told = f"{str(cell)!r} is the {what}, but the cell leads to {cell.target!r}"
            if not _is_address(cell):
                cells[name], told = cell.target, f"{str(cell)!r} leads to {cell.target!r}, which is the {what}"
            notes.append(("link-target", told))
    return Row(number, cells, error, notes=tuple(notes))


def _is_address(text: str) -> bool:
    """Return whether a text is a whole address; pages shorten long ones: `https://example.com/lon…`."""
    return location_of(text) is not None and " " not in text.strip() and not text.endswith(("\u2026", "..."))


def table_of_records(
    rows: Iterable[Row | Packed],
    own: OwnColumns | None = None,
    *,
    heading: int = 1,
    names: Mapping[str, str] | None = None,
) -> Table:
    """Build the table for rows, with an issue for each column that is not ours; `own` knows them after all rows."""
    found = list(islice(rows, MOST_ROWS + 1))
    if len(found) > MOST_ROWS:
        check_number(MOST_ROWS, unpacked(found[-1]).number)
    return Table(Rows(found), [*own.issues(heading), *_working_issues(found)] if own else [], names or {})


def _working_issues(rows: Iterable[Row | Packed]) -> Iterator[ImportIssue]:
    """Yield an issue for the first link that works although a field says that it is off, and for each unknown state."""
    rule = "becomes a field and switches nothing off, so such QR Codes work; name the column Active to switch them off"
    told: dict[str, ImportIssue] = {}
    for row in rows:
        if not isinstance(row, Row) or row.error or row.cells.get("Active"):
            continue
        state = "" if (off := foreign.off_by(row.own)) else foreign.unknown_state(row.own)
        detail = f"{off} {rule}" if off else f"{state} says neither on nor off, so such links work"
        if off or (state and row.cells.get(SHORT_URL) and len(told) < MOST_SHOWN):
            told.setdefault(state, ImportIssue(row.number, "", "", "", "limits-unknown", detail))
    yield from told.values()


def table_of_links(
    tool: foreign.Tool, links: Iterable[tuple[int, Mapping[str, Any], str]], names: Iterable[str], heading: int = 1
) -> Table:
    """Build the table for another tool's export, whose other fields become fields of the QR Codes."""
    names = [*names]
    target = tool.target_in([*map(foreign.plain_name, names)])
    read, own, places = {"", *OVERLOOKED, *tool.read_names, *target}, OwnColumns((), tool.service), tool.names_in(names)
    shared, keeping, off_by = tool.columns_of_ours(names), list[str](), set[str]()
    alternatives = lru_cache(maxsize=100)(tool.alternatives)  # the names of a table recur in each of its rows
    keeps = cache(partial(is_kept, names=(*tool.url, *tool.code)))

    def rows() -> Iterator[Row]:
        for number, written, error in links:
            link = without_words(written, keeps)
            read_as = row_of(number, {ours: link.get(theirs, "") for ours, theirs in places.items()}, error)
            said = {name: "" if type(value) is Unsaved else value for name, value in link.items() if name not in shared}
            cells, wrong = tool.row(said | {places[ours]: text for ours, text in read_as.cells.items()})
            wrong = TOTALS if is_total(link.values(), cells["Content"]) else wrong
            kept = {name: text for name in shared if fits(text := field_text(link.get(name)), shared[name])}
            # With a column of campaigns, a tag is none.
            cells |= {shared[name]: text for name, text in kept.items() if text or shared[name] == CAMPAIGN.name}
            if not (error or wrong):
                off_by.add(foreign.off_by(link) if cells.get("Active") == "false" else "")
            content = cells["Content"]
            if content[:4].lower() == "http" and "?" in content and cells["Pass Query"].lower() in ("true", "1"):
                keeping.append(content)
            passed = _passed_over(link, alternatives((*link,)))
            # Nothing is lost with fields that are empty, zero or false.
            others = (
                (name, field_text(value))
                for name, value in link.items()
                if value and name not in kept and (name in passed or foreign.plain_name(name) not in read)
            )
            urls = link.get(places.get(SHORT_URL, ""))
            further = dict.fromkeys(map(field_text, urls[1:])) if isinstance(urls, list) else {}
            lost = [url for url in further if ADDRESS.sub("", url) not in ("", ADDRESS.sub("", cells[SHORT_URL]))]
            notes = (*read_as.notes, *(("code-unreadable", f"{url!r} {OTHER_SHORT_URL}") for url in lost))
            yield own.row(Row(number, cells, read_as.error or wrong, notes=notes), others)

    table = table_of_records(rows(), own, heading=heading)
    table.issues.extend(_issues_of_links(tool, heading, names, off_by, keeping))
    return Table(table.rows, table.issues, places, of_links=True)


def _passed_over(link: Mapping[str, Any], alternatives: Iterable[Iterable[str]]) -> set[str]:
    """Return the names whose texts are not read, as the text of an alternative is, and is another one.

    Short.io lists each short URL with http:// and with https://.
    """
    passed: set[str] = set()
    for names in alternatives:
        texts = {name: ADDRESS.sub("", text) for name in names if (text := field_text(link[name]))}
        passed.update(name for name, text in texts.items() if text != next(iter(texts.values())))
    return passed


def _issues_of_links(
    tool: foreign.Tool, heading: int, names: Iterable[str], off_by: Collection[str], keeping: Sequence[str]
) -> Iterator[ImportIssue]:
    """Yield what may differ from the service: of limits, of links that are off by 0, and of links with parameters.

    A file with a column of passwords has the ends and limits, too.
    """
    if tool.limits_in and PASSWORD.isdisjoint(map(foreign.plain_name, names)):
        rule = "links with a password, an end or a limit that is not in the file are open now"
        detail = f"{rule}; look them up in {tool.limits_in}"
        yield ImportIssue(heading, "", "", "", "limits-unknown", detail)
    if len(off_by) == 1 and (off := next(iter(off_by))).endswith("='0'"):
        rule = "if 0 does not mean off in this file, leave the column out"
        detail = f"all links are switched off by {off}; {rule}"
        yield ImportIssue(heading, "", "", "", "limits-unknown", detail)
    if keeping and tool.service in foreign.VISITORS_WIN:
        rule = f"links with parameters of their own also take those of visitors: {len(keeping)}, such as {keeping[0]!r}"
        difference = f"if both have a parameter, {tool.service} uses the visitor's, and qrkit the link's own"
        yield ImportIssue(heading, "", "", "", "own-parameters", f"{rule}; {difference}")


def codes_of(table: Table, now: datetime, seen: Watch = UNSEEN) -> Iterator[tuple[Row, QRCode] | ImportIssue]:
    """Yield the issues of a table, then each row with its QR Code, or an issue if the row is invalid."""
    yield from table.issues
    dates = LocalDates(lambda: (row.cells.get(name, "") for row in table.rows for name in MOMENTS))
    # Files of ours have exact times, so a date alone means midnight there.
    ends = frozenset({VALID_UNTIL} if table.of_links else ())
    for row in seen(table.rows, "Importing", len(table.rows)):
        yield _unreadable(row, row.error) if row.error else _code_of(with_damage(row), now, table.names, dates, ends)


def _code_of(
    row: Row, now: datetime, names: Mapping[str, str], dates: LocalDates, ends: Collection[str]
) -> tuple[Row, QRCode] | ImportIssue:
    """Return a row with its QR Code, or an issue; only because of its date or its count, no printed code is lost."""
    try:
        return row, read_row(row, now)
    except InvalidParameter as error:
        problems = error.problems
    wrong = {one.name for one in problems}
    texts = {name: row.cells[name] for name in MOMENTS & wrong & row.cells.keys()}
    moments = {name: (dates.read_end if name in ends else dates.read)(text) for name, text in texts.items()}
    if cells := {name: to_table(moment) for name, moment in moments.items() if moment}:
        return _code_of(row._replace(cells={**row.cells, **cells}), now, names, dates, ends)
    unclear = {name for name, text in texts.items() if dates.is_unclear(text)}
    problems = tuple(replace(one, rule=UNCLEAR) if one.name in unclear else one for one in problems)
    told = [(one.name, str(InvalidParameter(replace(one, name=names.get(one.name, one.name))))) for one in problems]
    if all(row.cells.get(name) and name in NOT_NEEDED for name in wrong):
        notes = [(NOT_NEEDED[name][0], f"{detail}; {NOT_NEEDED[name][1]}") for name, detail in told]
        cells = {**row.cells, **dict.fromkeys(wrong, "")}
        return _code_of(row._replace(cells=cells, notes=(*row.notes, *notes)), now, names, dates, ends)
    return _unreadable(row, "; ".join(detail for _, detail in told))


def _unreadable(row: Row, detail: str) -> ImportIssue:
    campaign, name, content = (row.cells.get(name, "") for name in ("Campaign Name", "QR Code Name", "Content"))
    return ImportIssue(row.number, campaign, name, content, row.reason, detail)


def check_number(count: int, line: int) -> None:
    """Check that a row after `count` others is within the limit; `line` is its number in the file, for the error."""
    if count == MOST_ROWS:
        raise UnreadableFile(f"the file has more than {MOST_ROWS:,} rows; split it", line=line)


def is_known(title: str) -> bool:
    """Return whether a heading names one of our columns, or can be ignored without an issue."""
    name = title.strip().lower()
    return not name or name in COLUMN_OF or name in OVERLOOKED


def places_in(titles: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """Return the position of each of our columns in a heading, and the columns that it names twice."""
    names = [COLUMN_OF.get(title.lower()) for title in titles]
    places = {name: names.index(name) for name in names if name}
    twice = [name for name in places if names.count(name) > 1]
    if SHORT_URL not in places and (short := foreign.short_url_in(titles)):
        places[SHORT_URL] = titles.index(short)
    return places, twice


def _places(located: Located, kinds: KindColumns, rows: Iterator[tuple[int, Sequence[str], str]]) -> dict[str, int]:
    """Return the position of each of our columns; the rows are read only for an error that suggests a column."""
    places, twice = places_in(located.heading)
    if twice:
        raise UnreadableFile(f"the column {twice[0]!r} appears twice in the heading", line=located.line)
    if not kinds and CONTENT not in places:
        raise missing_column(located, [cells for _, cells, _ in islice(rows, MOST_TRIED)])
    return places


def _chosen_places(heading: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    """Return the position of each of our columns that is mapped to a name in the heading."""
    names, problems = named(columns)
    places: dict[str, int] = {}
    for name, theirs in names.items():
        with collecting(problems):
            places[name] = place_of(heading, str(theirs), field_of(columns, name))
    raise_any(problems)
    return places


def missing_column(located: Located, rows: Sequence[Sequence[str]], lack: str = "the heading has no") -> UnreadableFile:
    """Return the error for a heading without a column of contents.

    It names a column only if there is no doubt: imported from another column, such as that of the old short URLs, all
    QR Codes would lead to the wrong address.
    """
    heading = located.heading
    if len(heading) == 1 and any(_UNDERLINES.fullmatch(row[0]) for row in rows[:1]):
        return UnreadableFile("only spaces separate the columns of the table; write it as csv, json or Markdown")
    near = [
        title
        for title in heading
        if not is_known(title) and get_close_matches(title.lower(), [CONTENT.lower()], cutoff=LIKENESS)
    ]
    there = f"it has {first_of([repr(title[:60]) for title in heading if title], MOST_SHOWN)}"
    hint = f"{near[0]!r}: did you mean {CONTENT!r}?" if near else there
    tool = None if near else foreign.similar_tool(heading)
    if tool:
        hint += f"; qrkit reads a file of {tool.service} if it has {', '.join(map(repr, tool.known_by))}"
    likely = near or [
        title
        for place, title in enumerate(heading)
        if not located.line or is_of_targets(title)
        if share_of_addresses([row[place] for row in rows if row[place]]) >= MOSTLY
    ]
    theirs = likely[0] if len(likely) == 1 else ""
    if located.unread:
        hint += f"; there is none in these sheets, either: {', '.join(map(repr, located.unread[:MOST_SHOWN]))}"
    has_short_urls = tool is not None or bool(foreign.short_urls_in(heading))
    advice = _column_advice(theirs, has_short_urls=has_short_urls, is_data=any(map(ADDRESS.match, heading)))
    return UnreadableFile(f"{lack} column {CONTENT!r}; {hint}", line=located.line).advising(advice)


def _column_advice(theirs: str, *, has_short_urls: bool, is_data: bool) -> dict[Door, str]:
    """Return how to say which column of a file has the contents, by the door that the file came through."""
    pair = column_pair(CONTENT.lower(), theirs)
    advice: dict[Door, str] = {
        "python": f"Say which column it is: columns={{{CONTENT!r}: {repr(theirs) if theirs else '…'}}}",
        "command": f"say which column it is: --columns {shlex.quote(pair) if theirs else f'{pair}…'}",
        "http": f"say which column it is in the parameter columns, as {pair if theirs else f'{pair}NAME'}",
    }
    # Without the short URLs, all QR Codes would get new short codes.
    further = {
        "; to keep printed codes, also say which has their short URLs: ": (
            has_short_urls, ("'Trackable URL': …", "Trackable URL=…", "Trackable URL=NAME"),
        ),
        "; if the first row is data, and no heading: ": (is_data, ("header_row=0", "--no-header", "headerRow=0")),
    }  # fmt: skip
    for sentence, (is_needed, words) in further.items():
        for door, option in zip(advice, words, strict=True) if is_needed else ():
            advice[door] += f"{sentence}{option}"
    advice["python"] += "."
    return advice | {"page": f"choose below which column is {CONTENT}"}


def is_of_targets(title: str) -> bool:
    """Return whether a column has a name for where short URLs lead."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_|-", " ", title).strip()
    return TARGETS.search(words) is not None and not NO_TARGETS.search(words)


def share_of_addresses(texts: Sequence[str]) -> float:
    """Return which share of texts are addresses; 0 without any text."""
    return sum(ADDRESS.match(text) is not None for text in texts) / max(len(texts), 1)
