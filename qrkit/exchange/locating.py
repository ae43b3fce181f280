"""Find the table of a file: its sheet and its heading, with title rows, other sheets and surplus cells around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple, TypedDict

from qrkit.errors import InvalidParameter, Problem, UnreadableFile, nearest, raise_any
from qrkit.exchange.merge import ImportIssue, Reason

MOST_TRIED = 50
"""The number of rows of a sheet in which the heading is looked for, and that show what a column holds."""
MOST_COLUMNS = 1_000
MOST_OF_TEXT = 16_384
"""The maximum number of columns in a text file, where each takes a byte or more: those of a spreadsheet program."""
MOST_SHEETS = 20
"""The maximum number of sheets to read: damaged files may list the same sheet thousands of times."""
MOST_HEADING_ROWS = 5
ADDRESS = re.compile(r"\s*https?://", re.IGNORECASE)
_UNSEEN = dict.fromkeys(map(ord, "\ufeff\u200b\u200e\u200f\u2060\xad"))
_ROWS = re.compile(r"([0-9]{1,7})(?:-([0-9]{1,7}))?")

Cells = list[str] | UnreadableFile
"""The texts of a row, or why the row cannot be read."""
Share = Callable[[Sequence[str]], float]
"""Returns how many known names are in a row that has all that is needed, and a share below 1 for any other row."""


class Part(NamedTuple):
    """The rows of a sheet, or of a file without sheets, which has the name "".

    Rows are counted from 1, with blank ones, and come from an iterator, so that a sheet that nobody reads costs
    nothing; `note` says what was assumed to read them. `hidden` and `struck` are the numbers of hidden rows and of
    those with text that is struck out, as far as rows were read. `file` is the path in an archive with several files.
    With `is_text`, each cell is plain text, without a link or a formula.
    """

    name: str
    rows: Iterator[Cells]
    is_hidden: bool = False
    note: str = ""
    hidden: Sequence[int] = ()
    struck: Sequence[int] = ()
    file: str = ""
    is_text: bool = False

    @property
    def title(self) -> str:
        """The name of the sheet, behind the path of its file, if it is one of several files."""
        return ": ".join(filter(None, (self.file, self.name)))

    def __str__(self) -> str:
        return f"the {'sheet' if self.name else 'file'} {self.title!r}"


class PlaceFields(TypedDict, total=False):
    """The fields of `Place`, as functions accept them."""

    sheet: str
    header_row: int | str | None
    encoding: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where the table of a file is, and how its text is encoded; what is not set is found.

    By default, it is in the first sheet that has the heading, and in all sheets with the same one. The row of the
    heading is counted from 1; "3-4" is a heading of two rows, 0 a file without one, whose columns are then A, B, ….
    """

    sheet: str = ""
    header_row: int | str | None = None
    encoding: str = ""

    def check(self, other: str) -> None:
        """Check that nothing is set for a file of another format, which has no rows."""
        rule = f"is for csv, workbooks, HTML tables and dumps of databases, not for {other}"
        given = [name for name in ("sheet", "header_row", "encoding") if getattr(self, name) not in ("", None)]
        raise_any(Problem(name, None, rule) for name in given if other)

    def heading_rows(self) -> tuple[int, int] | None:
        """Return the first and last row of the heading, from 1; (0, 0) if there is none, None if it is to be found."""
        if self.header_row in (None, ""):
            return None
        match = _ROWS.fullmatch(str(self.header_row).strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (-1, -1)
        if not (first == last == 0 or 1 <= first <= last < first + MOST_HEADING_ROWS):
            rule = "must be the row of the headings, such as 3, or their rows, such as 3-4, or 0 for no headings"
            raise InvalidParameter(Problem("header_row", self.header_row, rule))
        return first, last


ANYWHERE = Place()


@dataclass(slots=True)
class Located:
    """A table in a file; `issues`, `unread` and `parts` are complete only after all rows were read.

    `line` is the row of the heading, 0 if the file has none. In a workbook (`is_sheet`), a text beyond the heading is
    in a column of its own. `unread` are the names of sheets with other headings; `parts` has what each part that is
    read is called, the part, and the row of its heading. With `is_text`, each cell is plain text.
    """

    heading: tuple[str, ...]
    line: int
    is_sheet: bool = False
    is_text: bool = False
    rows: Iterator[tuple[int, Cells]] = field(default_factory=lambda: iter(()))
    issues: list[ImportIssue] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    parts: list[tuple[str, Part, int]] = field(default_factory=list)

    def say(self, reason: Reason, detail: str) -> None:
        """Add an issue about the file as a whole."""
        self.issues.append(ImportIssue(max(self.line, 1), "", "", "", reason, detail))


class _Start(NamedTuple):
    """The first rows of a part, and the rows that make up its heading."""

    part: Part
    rows: list[Cells]
    first: int
    last: int

    @property
    def heading(self) -> tuple[str, ...]:
        return _joined(self.rows[self.first : self.last + 1])


def locate(parts: Iterable[Part], place: Place = ANYWHERE, share: Share | None = None) -> Located:
    """Find the table of a file; the share is None if any heading will do.

    Without a place, the heading is the first row that has everything that is needed, within the first 50 rows of the
    first sheet that has such a row. Two rows can make up a heading together. If there is none, the row that has most of
    it stands for the heading, so that errors can name what is missing.
    """
    found, every = place.heading_rows(), list(parts) or [Part("", iter(()))]
    chosen = _chosen(every, place.sheet)
    starts, start = _searched(chosen, found, share)
    located = _located(start, found)
    located.is_sheet = all(part.name for part in chosen)
    located.is_text = all(part.is_text for part in chosen)
    located.parts = [("the sheet", start.part, located.line)]
    most = MOST_COLUMNS if located.is_sheet else MOST_OF_TEXT
    if len(located.heading) > most:
        many = f"the heading has {len(located.heading):,} columns; at most {most:,} are allowed"
        raise UnreadableFile(many, line=located.line)
    if start.part.note:
        located.say("encoding-guessed", start.part.note)
    for part in every if not place.sheet else ():
        if part.is_hidden and part not in chosen:
            located.say("unread-sheet", f"{part} is hidden, and was not read")
    for before in starts:
        if before.part is not start.part and any(map(_is_filled, before.rows)):
            _leave(located, before.part)
    if found is None:
        _tell_of_heading(located, start, chosen[0] if place.sheet else every[0])
    begun = {one.part.title for one in starts}
    further = [part for part in chosen if part.title not in begun] if len(chosen) > 1 else []
    located.rows = _numbered(located, start, further, located.line, share if located.line else None)
    return located


def _chosen(parts: list[Part], sheet: str) -> list[Part]:
    """Return the sheets to look into: that with this name, or the visible ones."""
    if not sheet:
        return [part for part in parts if not part.is_hidden] or parts
    found = [part for part in parts if part.title == sheet] or [
        part for part in parts if tidy(part.title).lower() == tidy(sheet).lower()
    ]
    if not found:
        names = [part.title for part in parts if part.title]
        rule = (
            f"is not a sheet of the file; {nearest(sheet, names)}" if names else "is given, but the file has no sheets"
        )
        raise InvalidParameter(Problem("sheet", sheet, rule))
    return found[:1]


def _searched(parts: Sequence[Part], found: tuple[int, int] | None, share: Share | None) -> tuple[list[_Start], _Start]:
    """Return the parts that were looked into, and that with the heading."""
    starts: list[_Start] = []
    for part in parts[:MOST_SHEETS]:
        rows = _beginning(part, max(MOST_TRIED, found[1] if found else 0))
        if found:
            start = _Start(part, rows, max(found[0] - 1, 0), found[1] - 1)
            return [start], start
        place = _heading_of(rows, share)
        starts.append(_Start(part, rows, *(place or (0, 0))))
        if place:
            return starts, starts[-1]
    filled = [start for start in starts if any(map(_is_filled, start.rows))]
    rated = share or (lambda _: 0.0)
    # Among equals, the widest: a cover sheet is narrower than a table.
    best = max(
        filled or starts,
        key=lambda one: max(((rated(row), sum(map(bool, row))) for row in map(_texts, one.rows)), default=(0.0, 0)),
    )
    likely = _likely(best, share)
    return starts, best._replace(first=likely, last=likely)


def _beginning(part: Part, size: int) -> list[Cells]:
    """Return the first rows of a part, up to the first that is not blank at least."""
    rows = list(islice(part.rows, size))
    if not any(map(_is_filled, rows)):
        for cells in part.rows:
            rows.append(cells)
            if _is_filled(cells):
                break
    return rows


def _heading_of(rows: Sequence[Cells], share: Share | None) -> tuple[int, int] | None:
    """Return the first and the last row of the heading, counted from 0; None if there is none."""
    if share is None:
        return next(((number, number) for number, cells in enumerate(rows) if _is_filled(cells)), None)
    for size in (1, 2):
        widest = 0
        for first in range(len(rows) - size + 1):
            together = rows[first : first + size]
            names = _joined(together)
            width = sum(map(bool, names))
            # A single name may as well be a text in a row of data, which is as wide as the rows above it.
            if all(map(_is_filled, together)) and share(names) >= (1 if width > widest else 2):
                return first, first + size - 1
            widest = max(widest, sum(map(bool, _texts(rows[first]))))
    return None


def _likely(start: _Start, share: Share | None) -> int:
    """Return the row that stands for a heading if none has what is needed: no title, which is alone in its row."""
    texts = [_texts(cells) for cells in start.rows]
    shares = [share(cells) % 1 if share and not any(map(ADDRESS.match, cells)) else 0.0 for cells in texts]
    if shares and max(shares) > 0:
        return shares.index(max(shares))
    several = (number for number, cells in enumerate(texts) if sum(map(bool, cells)) > 1)
    filled = (number for number, cells in enumerate(texts) if any(cells))
    return next(several, next(filled, 0))


def _located(start: _Start, found: tuple[int, int] | None) -> Located:
    """Return the table without its rows."""
    if found == (0, 0):
        width = max(map(len, map(_texts, start.rows)), default=0)
        return Located(tuple(column_letters(place) for place in range(width)), 0)
    if found and len(start.rows) < found[1]:
        raise UnreadableFile(f"the file has {len(start.rows)} rows, so the heading cannot be in row {found[1]}")
    return Located(start.heading, start.last + 1)


def column_letters(place: int) -> str:
    """Return the name of a column in a spreadsheet: 0 is A, 26 is AA."""
    letters = ""
    while place >= 0:
        place, letter = divmod(place, 26)
        letters, place = chr(ord("A") + letter) + letters, place - 1
    return letters


def _tell_of_heading(located: Located, start: _Start, first: Part) -> None:
    """Add an issue if the heading is not where people expect it, or looks like data."""
    above = any(map(_is_filled, start.rows[: start.first]))
    where = f" of {start.part}" if start.part.title and start.part is not first else ""
    rows = f"row {start.last + 1}" if start.first == start.last else f"rows {start.first + 1} and {start.last + 1}"
    if above or where or start.first < start.last:
        left = ", and the rows above it were not read" if above else ""
        located.say("heading-row", f"the heading is in {rows}{where}{left}")
    data = next(filter(ADDRESS.match, located.heading), "")
    if data:
        rule = "if that is data, import the file as one without a heading"
        located.say("heading-row", f"the heading in {rows} holds an address, {data[:80]!r}; {rule}")


def _leave(located: Located, part: Part) -> None:
    """Note that a sheet was not read."""
    located.unread.append(part.title)
    located.issues.append(ImportIssue(1, "", "", "", "unread-sheet", f"{part} has other headings, and was not read"))


def _of_one_table(rows: Iterable[Cells], heading: Sequence[str], share: Share) -> Iterator[Cells]:
    """Yield the rows of a sheet; those below the heading of another table are refused, as it has other columns."""
    titles, names = _lower(heading), frozenset(heading)
    is_other = False
    for cells in rows:
        # Tables in one sheet have a heading in common, and a row of data hardly ever consists of two headings.
        if (
            type(cells) is list
            and not names.isdisjoint(cells)
            and share(cells) >= 2
            and not any(map(ADDRESS.match, cells))
        ):
            is_other = _lower(map(tidy, cells)) != titles
            yield UnreadableFile("is the heading of another table; import that table separately") if is_other else []
        elif is_other and _is_filled(cells):
            yield UnreadableFile("is below the heading of another table; import that table separately")
        else:
            yield cells


def _numbered(
    located: Located, start: _Start, further: Sequence[Part], line: int, share: Share | None
) -> Iterator[tuple[int, Cells]]:
    """Yield the rows of all parts with their numbers, and note from which number on those of a further file are."""
    number = line
    tables = chain([chain(start.rows[number:], start.part.rows)], _further_rows(located, start, further))
    for place, rows in enumerate(tables):
        part = located.parts[-1][1]
        if place and part.file:
            located.say("heading-row", f"{part} was read as the rows from {number + 1} on")
        checked = _of_one_table(rows, located.heading, share) if share else rows
        for number, cells in enumerate(checked, start=number + 1):  # noqa: B020 - each part goes on counting
            yield number, cells


def _further_rows(located: Located, start: _Start, further: Sequence[Part]) -> Iterator[Iterable[Cells]]:
    """Yield the rows below the same heading in each further sheet, and note those with other headings."""
    size, heading = start.last - start.first + 1, _lower(located.heading)
    for place, part in enumerate(further):
        rows = _beginning(part, MOST_TRIED) if place < MOST_SHEETS else []
        ends = (end for end in range(size, len(rows) + 1) if _lower(_joined(rows[end - size : end])) == heading)
        end = next(ends, None)
        if end is not None:
            located.parts.append((str(part), part, end))
            yield chain(rows[end:], part.rows)
        elif any(map(_is_filled, rows)) or place >= MOST_SHEETS:
            _leave(located, part)


def records(located: Located) -> Iterator[tuple[int, Sequence[str], str]]:
    """Yield the number, the cells and the error of each row that is not blank; the error is "" for a valid row.

    Rows have as many cells as the heading: missing cells are empty, and empty surplus cells are left out. A column
    without a name that holds a text is told; in a csv, cells beyond the heading are of a text with a separator in it.
    """
    titles, width = _lower(located.heading) if located.line else (), len(located.heading)
    nameless = {place for place, title in enumerate(located.heading) if not title}
    if located.is_sheet:
        nameless.update(range(width, MOST_COLUMNS))
    for number, cells in located.rows:
        if type(cells) is not list:
            yield number, [""] * width, str(cells)
            continue
        if not any(cells) or _repeats(cells, titles):
            continue
        if nameless:
            filled = nameless.intersection(place for place, cell in enumerate(cells) if cell)
            nameless -= filled
            for name in map(column_letters, sorted(filled)):
                located.say("unknown-column", f"the column {name} has no heading, and was left out")
        if len(cells) == width:
            yield number, cells, ""
        else:
            error = "" if located.is_sheet else _what_is_wide(cells, width)
            yield number, [*cells[:width], *[""] * (width - len(cells))], error
    _tell_of_marks(located)


def _tell_of_marks(located: Located) -> None:
    """Add an issue for the rows of each sheet that people have hidden, and for those in which they struck out text."""
    for sheet, part, heading in located.parts:
        marks: tuple[tuple[Reason, Sequence[int], str], ...] = (
            ("hidden-row", part.hidden, "is hidden|are hidden"),
            ("struck-row", part.struck, "has struck-out text|have struck-out text"),
        )
        for reason, numbers, words in marks:
            if found := [number for number in numbers if number > heading]:
                one, several = words.split("|")
                first = f"row {found[0]}"
                marked = f"{first} {one} in {sheet}"
                if len(found) > 1:
                    marked = f"{len(found):,} rows {several} in {sheet}, the first is {first}"
                located.say(reason, f"{marked}; all rows were read")


def _repeats(cells: Sequence[str], titles: Sequence[str]) -> bool:
    """Return whether a row is the heading, in lowercase, once more, as between the pages of a list or joined files."""
    if len(titles) < 2 or titles[0] not in cells[0].lower():  # most rows are done with here
        return False
    return tidy(cells[0]).lower() == titles[0] and _lower(map(tidy, cells)) == titles


def _lower(titles: Iterable[str]) -> tuple[str, ...]:
    """Return headings in lowercase, without empty ones at the end: the last comma of a line names no column."""
    lower = [title.lower() for title in titles]
    while lower and not lower[-1]:
        lower.pop()
    return tuple(lower)


def _what_is_wide(cells: Sequence[str], width: int) -> str:
    """Return an error message for a row with texts beyond the heading, or "" for any other row."""
    filled = max((place for place, cell in enumerate(cells, start=1) if cell), default=0)
    if filled <= width:
        return ""
    hint = "in a csv, a text with a separator in it needs double quotes around it"
    return f"has {filled} cells, but the heading has {width}; {hint}"


def place_of(heading: Sequence[str], name: str, field: str) -> int:
    """Return the position of the only column with a name in any case; an error names the field."""
    titles, title = [title.lower() for title in heading], tidy(name).lower()
    found = titles.count(title) if title else 0
    if found != 1:
        rule = f"is not a column of the file; {nearest(name, filter(None, heading))}"
        raise InvalidParameter(Problem(field, name, "appears twice in the heading" if found else rule))
    return titles.index(title)


def tidy(title: str) -> str:
    """Return a heading on one line, without spaces around it and without invisible characters."""
    return " ".join(title.translate(_UNSEEN).split())


def _texts(cells: Cells) -> list[str]:
    return cells if isinstance(cells, list) else []


def _is_filled(cells: Cells) -> bool:
    return isinstance(cells, list) and any(cells)


def _joined(rows: Sequence[Cells]) -> tuple[str, ...]:
    """Return the heading that rows make up; a name of a group of columns stands above the first of them."""
    if len(rows) == 1:
        return tuple(map(tidy, _texts(rows[0])))
    width = max(map(len, map(_texts, rows)), default=0)
    parts: list[list[str]] = [[] for _ in range(width)]
    for row in rows:
        group = ""
        cells = [*map(tidy, _texts(row)), *[""] * (width - len(_texts(row)))]
        for words, cell in zip(parts, cells, strict=True):
            group = cell or (group if row is not rows[-1] else "")
            if group and group not in words:
                words.append(group)
    return tuple(map(" ".join, parts))
