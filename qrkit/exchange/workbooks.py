"""What workbooks of all kinds have in common when they are read: sheets, merged cells, apostrophes of ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from qrkit.exchange.formulas import taken_off
from qrkit.exchange.tables import heading_of, table_of_rows, with_unread
from qrkit.late import Watch

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MOST_COLUMNS",
    "MOST_ROWS",
    "MOST_SHEETS",
    "OUR_SHEET",
    "Merged",
    "filled",
    "joined",
    "table_of_workbook",
    "trimmed",
]

OUR_SHEET = "QR Codes"
"""The first sheet of a workbook that we wrote, in which no text has an apostrophe of ours; people rename files, not it.

A spreadsheet that opens a csv names its sheet after the file, and carries the apostrophes of that over (ruling X13).
"""
MOST_SHEETS = 20
"""That are looked at in a file: damaged ones may name the same sheet thousands of times."""
MOST_COLUMNS = 200
"""Of a heading that are looked at."""
MOST_ROWS = 2**20
"""Of a sheet, as Excel has it; what files claim may be more."""

Merged = Mapping[tuple[int, int], int]
"""Cells that reach over rows: row and column of each, from 0, and the last row that it covers."""


def table_of_workbook(rows: Iterator[list[str]], unread: list[str], watch: Watch) -> pd.DataFrame:
    """The table of a workbook's rows, as `exchange.tables.table_of_rows` makes it.

    Args:
        rows: The rows of its sheets, `joined`.
        unread: Names of sheets that were not read; filled by the time the rows have been.
        watch: Shows how far the reading has come.

    Raises:
        UnreadableFile: There is no heading, it names a column twice or lacks a required one, or there are too many
            rows.
    """
    return with_unread(table_of_rows(watch(rows, "Reading", None)), unread)


def joined(sheets: Iterable[tuple[str, Iterator[list[str]]]], unread: list[str]) -> Iterator[list[str]]:
    """The rows of the first sheet, and of the others with its heading, without that: rows went on there (ruling X8).

    Blank rows in front of a heading stay in the first sheet, whose rows keep their numbers, and are left out of others.
    Where that is not ours, a csv of ours may have become the workbook: its apostrophes are taken off.

    Args:
        sheets: The name and the rows of each.
        unread: Takes the names of those that have other headings.
    """
    first: list[str] | None = None
    is_ours = False
    for name, cells_of in sheets:
        is_ours = is_ours or (first is None and name == OUR_SHEET)
        rows = cells_of if is_ours else map(_without_apostrophes, cells_of)
        numbered = enumerate(rows, start=1)
        line, heading = heading_of(numbered)
        if first is None:
            first = heading
            yield from ([] for _ in range(1, line))
            yield heading
        if heading == first:
            yield from (cells for _, cells in numbered)
        elif heading:
            unread.append(name)


def _without_apostrophes(cells: list[str]) -> list[str]:
    return [taken_off(cell) if cell[:1] == "'" else cell for cell in cells]


def trimmed(cells: list[str]) -> list[str]:
    """The cells of a row up to the last one that holds something."""
    while cells and not cells[-1]:
        cells.pop()
    return cells


def filled(rows: Iterable[list[str]], merged: Merged) -> Iterator[list[str]]:
    """The same rows; those below the first row of a merged cell have its text, where they hold anything else."""
    reaching: dict[int, tuple[int, str]] = {}
    for number, cells in enumerate(rows):
        if not any(cells):
            yield cells
            continue
        reaching = {place: (last, text) for place, (last, text) in reaching.items() if last >= number}
        yield _with_texts(cells, {place: text for place, (_, text) in reaching.items()})
        begun = ((place, merged.get((number, place))) for place in range(len(cells)))
        reaching |= {place: (last, cells[place]) for place, last in begun if last is not None}


def _with_texts(cells: list[str], texts: Mapping[int, str]) -> list[str]:
    """A row with texts in cells that are empty."""
    if not texts:
        return cells
    whole = [*cells, *[""] * (max(texts) + 1 - len(cells))]
    return [cell or texts.get(place, "") for place, cell in enumerate(whole)]
