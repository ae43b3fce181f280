"""Rows of a file -> the DataFrame in the middle of every import: text, one verdict a row.

Every reader ends here, so that headings, missing and unknown columns and numbers of rows are treated alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from math import nan
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from qrkit.errors import UnreadableFile
from qrkit.exchange import foreign
from qrkit.exchange.columns import ALL_NAMES, KINDS, NAMES, OVERLOOKED, REQUIRED
from qrkit.tracking.times import to_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ERROR",
    "HEADING",
    "KNOWN",
    "MOST_BYTES",
    "MOST_ROWS",
    "REASON",
    "cell_text",
    "check_number",
    "check_size",
    "heading_of",
    "numbers",
    "table_of_links",
    "table_of_records",
    "table_of_rows",
    "too_wide",
    "typed",
    "with_unread",
]

MOST_SHOWN = 8
"""Headings that an error names."""
ERROR = "Error"
"""The column of a table that was read which says why a row is unusable; empty for a good row."""
REASON = "Reason"
"""And the stable word of that reason; empty for `invalid`."""
KNOWN = "known"
"""The attribute of a table that says which names its columns may have; those of the interface where it says nothing."""
HEADING = "heading"
"""The attribute of a table that says which number the row of its headings has; 1 where it says nothing."""

MOST_BYTES = 64 * 2**20
MOST_ROWS = 200_000
MOST_COLUMNS = 1_000


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


def table_of_rows(rows: Iterable[Sequence[str]]) -> pd.DataFrame:
    """The table of rows of text; the heading (`heading_of`) names the columns, in any order and case.

    A heading that another tool wrote (`exchange.foreign`) is read as ours.

    Returns:
        DataFrame of str with all columns of `exchange.columns`, `Error` and `Reason`; the index, `row`, counts the rows
        of the file, from 1. Empty rows are left out. Headings that are no column stand in `attrs["unknown"]`, a list
        of str, and the number of their row in `attrs[HEADING]`.

    Raises:
        UnreadableFile: There is no heading, it names a column twice or lacks a required one, or there are too many
            rows.
    """
    numbered = enumerate(rows, start=1)
    line, heading = heading_of(numbered)
    tool = foreign.tool_of(heading)
    if tool:
        return table_of_links(tool, _links(numbered, heading))
    if len(heading) > MOST_COLUMNS:
        raise UnreadableFile(f"the heading has {len(heading):,} columns; at most {MOST_COLUMNS:,}", line=line)
    places, width = _places(heading, line), len(heading)
    # A column that the file lacks is the empty cell behind the last.
    in_order = itemgetter(*(places.get(name, width) for name in ALL_NAMES))
    numbers: list[int] = []
    table: list[tuple[str, ...]] = []
    for number, cells in numbered:
        if not any(cells):
            continue
        check_number(len(table), number)
        numbers.append(number)
        if len(cells) == width:
            table.append((*in_order([*cells, ""]), "", ""))
        else:
            whole = [*cells[:width], *[""] * (width - len(cells)), ""]
            table.append((*in_order(whole), too_wide(cells, width), ""))
    found = _frame(numbers, table, _unknown(heading))
    found.attrs[HEADING] = line
    return found


def table_of_records(records: Iterable[tuple[int, Mapping[str, str]]], *, unknown: Sequence[str] = ()) -> pd.DataFrame:
    """The table of rows that name their cells themselves, as those of xml and json do.

    Args:
        records: The number of each in its file, and its cells by the name of their column; `Error` and `Reason` may be
            among them.
        unknown: Names that are no column.

    Raises:
        UnreadableFile: There are too many.
    """
    numbers: list[int] = []
    names = (*ALL_NAMES, ERROR, REASON)
    table: list[tuple[str, ...]] = []
    for number, cells in records:
        check_number(len(table), number)
        numbers.append(number)
        table.append(tuple([cells.get(name, "") for name in names]))
    return _frame(numbers, table, unknown)


def table_of_links(tool: foreign.Tool, links: Iterable[tuple[int, Mapping[str, Any], str]]) -> pd.DataFrame:
    """The table of what another tool wrote.

    Args:
        tool: What wrote it.
        links: The number of each in its file, its members, and what is wrong with it, "" where nothing is.

    Raises:
        UnreadableFile: There are too many.
    """

    def cells(link: Mapping[str, Any], error: str) -> Mapping[str, str]:
        found, wrong = tool.row(link)
        return found | {ERROR: error or wrong}

    return table_of_records((number, cells(link, error)) for number, link, error in links)


def _links(
    rows: Iterable[tuple[int, Sequence[str]]], heading: Sequence[str]
) -> Iterator[tuple[int, Mapping[str, str], str]]:
    """The rows by the names of a foreign heading, with the numbers they have in the file."""
    for number, cells in rows:
        if any(cells):
            yield number, dict(zip(heading, cells, strict=False)), too_wide(cells, len(heading))


def with_unread(table: pd.DataFrame, sheets: Sequence[str]) -> pd.DataFrame:
    """The same table, which tells of sheets of its file that were not read: `attrs["unread"]`, a list of str."""
    table.attrs["unread"] = list(sheets)
    return table


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """A table of text for a workbook: the columns of the interface, numbers as float64, yes and no as bool."""
    found = table[list(NAMES)].copy()
    for name in NAMES:
        if KINDS[name] in ("whole", "degrees"):
            found[name] = numbers(found[name])
        elif KINDS[name] == "flag":
            found[name] = found[name] == "true"
    return found


def numbers(texts: pd.Series) -> pd.Series:
    """The numbers that texts write, to the last digit, which pandas 2 misses; NaN where there is none."""
    return texts.map(lambda text: float(text) if text else nan).astype("float64")


def _frame(rows: list[int], table: list[tuple[str, ...]], unknown: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    index = pd.Index(rows, name="row", dtype="int64")
    found = pd.DataFrame(table, columns=[*ALL_NAMES, ERROR, REASON], index=index, dtype="str")
    found.attrs["unknown"] = list(unknown)
    return found


def check_number(count: int, line: int) -> None:
    """Refuse one row more than there may be, the one of this line, after so many.

    Raises:
        UnreadableFile: There are too many.
    """
    if count == MOST_ROWS:
        raise UnreadableFile(f"the file has more than {MOST_ROWS:,} rows; split it", line=line)


def _unknown(heading: Sequence[str]) -> list[str]:
    known = {name.lower() for name in (*ALL_NAMES, *OVERLOOKED)}
    return [title for title in heading if title.strip() and title.strip().lower() not in known]


def too_wide(cells: Sequence[str], width: int) -> str:
    """What is wrong with a row that has more cells than the heading; "" where it has not."""
    if len(cells) <= width:
        return ""
    return f"has {len(cells)} cells, but the heading has {width}; a text with a comma needs double quotes around it"


def _places(heading: Sequence[str], line: int) -> dict[str, int]:
    """Where each column stands: found by its name, in any order and case; missing columns are empty."""
    if not heading:
        raise UnreadableFile("the file is empty; its first row must name the columns: " + ", ".join(NAMES), line=line)
    known = {name.lower(): name for name in ALL_NAMES}
    places: dict[str, int] = {}
    for place, title in enumerate(heading):
        name = known.get(title.strip().lower())
        if name in places:
            raise UnreadableFile(f"the column {name!r} stands twice in the heading", line=line)
        if name:
            places[name] = place
    for name in REQUIRED:
        if name not in places:
            near = [title for title in _unknown(heading) if get_close_matches(title.lower(), [name.lower()])]
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
