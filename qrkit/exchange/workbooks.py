"""What workbooks of all kinds have in common: sheets, merged cells, apostrophes of ours, and what a cell can hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from qrkit.errors import InvalidParameter, Problem
from qrkit.exchange.columns import KINDS, NAMES, Row
from qrkit.exchange.formulas import taken_off
from qrkit.exchange.tables import heading_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MOST_CHARACTERS",
    "MOST_COLUMNS",
    "MOST_ROWS",
    "MOST_SHEETS",
    "OUR_SHEET",
    "Merged",
    "filled",
    "fitting_parts",
    "frame_values",
    "is_nothing",
    "joined",
    "trimmed",
    "typed",
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

MOST_CHARACTERS = 32_767
"""Of a cell, in units of UTF-16: an emoji is two."""
TOGETHER = 5_000
"""Rows that are looked at before one of them is written."""

Merged = Mapping[tuple[int, int], int]
"""Cells that reach over rows: row and column of each, from 0, and the last row that it covers."""


def typed(row: Row) -> list[str | bool | float | None]:
    """The cells of a row in the columns of the interface: numbers as numbers, yes and no as bool."""
    return [_typed(row.cells.get(name, ""), KINDS[name]) for name in NAMES]


def _typed(text: str, kind: str) -> str | bool | float | None:
    if kind in ("whole", "count", "degrees"):
        return float(text) if text else None
    return text == "true" if kind == "flag" else text


def frame_values(frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """The rows of a DataFrame as values of Python, which `itertuples` does not give for all dtypes."""
    return zip(*(frame[name].tolist() for name in frame.columns), strict=True)


def is_nothing(cell: Any) -> bool:
    """Whether a value has no cell: what is missing, and numbers that no workbook can hold."""
    import pandas as pd

    is_missing = cell is None or cell is pd.NA or cell is pd.NaT
    return is_missing or (isinstance(cell, float) and not math.isfinite(cell))


def fitting_parts(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    """The rows in parts, at least one; texts that a cell cannot hold are refused before their part is written.

    Args:
        names: Of the columns.
        rows: The values of each row; the first is row 2 of its file, below the heading.

    Raises:
        InvalidParameter: If texts are too long; each column is named, with its first such row.
    """
    waiting = iter(rows)
    first = 2
    while True:
        part = list(islice(waiting, TOGETHER))
        columns = zip(names, zip(*part, strict=True), strict=False)
        problems = [problem for name, cells in columns if (problem := _too_long(name, cells, first))]
        if problems:
            raise InvalidParameter(*problems)
        if part or first == 2:
            yield part
        first += len(part)
        if len(part) < TOGETHER:
            return


def _too_long(name: str, cells: Iterable[Any], first: int) -> Problem | None:
    for number, cell in enumerate(cells, start=first):
        if isinstance(cell, str) and len(cell) > MOST_CHARACTERS // 2:
            length = len(cell.encode("utf-16-le", "surrogatepass")) // 2
            if length > MOST_CHARACTERS:
                rule = f"row {number}: has {length:,} characters, but a cell of a workbook holds {MOST_CHARACTERS:,}"
                return Problem(name, cell, rule, "out-of-range")
    return None


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
