"""Functions shared by all workbook formats: sheets, merged cells, apostrophes that qrkit adds, and cell limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count, islice
from typing import Any

from qrkit.errors import Problem, UnreadableFile, raise_any
from qrkit.exchange.columns import KINDS, Row
from qrkit.exchange.csv_file import has_our_names, taken_off
from qrkit.exchange.locating import Cells, Part
from qrkit.late import pd

OUR_SHEET = "QR Codes"
"""The name of the first sheet of our own workbooks, which contain no added apostrophes.

A spreadsheet that opens one of our csv files names the sheet after the file and keeps the added apostrophes (ruling
X13). So the name of the sheet tells the two apart: users rename files, but rarely sheets.
"""
MOST_COLUMNS = 1_001
"""The maximum number of columns to read: one more than an import takes, so that a table with more is refused."""
MOST_LISTED = 200
"""The maximum number of sheets to list, of which an import reads some."""
MOST_ROWS = 2**20
"""The maximum number of rows in a sheet, as in Excel; a file may declare more."""

MOST_CHARACTERS = 32_767
"""The maximum length of a cell in UTF-16 code units: an emoji counts as two."""
TOGETHER = 5_000
"""The number of rows per batch; a batch is checked before it is written."""

Merged = Mapping[tuple[int, int], int]
"""Cells merged across rows: row and column of the first cell, counted from 0 -> the last row covered."""


def typed(row: Row, columns: Iterable[str]) -> list[str | bool | float | None]:
    """Return the cells of a row in some columns, with numbers as float and flags as bool."""
    return [_typed(row.cells.get(name, ""), KINDS[name]) for name in columns]


def _typed(text: str, kind: str) -> str | bool | float | None:
    if kind in ("whole", "count", "degrees"):
        return float(text) if text else None
    return text == "true" if kind == "flag" else text


def frame_values(frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a DataFrame as Python values; `itertuples` returns NumPy values for some dtypes."""
    return zip(*(frame[name].tolist() for name in frame.columns), strict=True)


def is_nothing(cell: Any) -> bool:
    """Return whether a value becomes an empty cell: missing values, and numbers that are not finite."""
    is_missing = cell is None or cell is pd.NA or cell is pd.NaT
    return is_missing or (isinstance(cell, float) and not math.isfinite(cell))


def fitting_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield the rows of a sheet, after checking that the texts of a batch of them fit into cells.

    The first row is row 2 of the file, below the heading. An error names each column with a text that is too long, and
    its first such row.
    """
    waiting = iter(rows)
    for first in count(2, TOGETHER):
        part = list(islice(waiting, TOGETHER))
        if not part:
            return
        columns = zip(names, zip(*part, strict=True), strict=True)
        raise_any([problem for name, cells in columns if (problem := _too_long(name, cells, first))])
        yield from part


def _too_long(name: str, cells: Iterable[Any], first: int) -> Problem | None:
    for number, cell in enumerate(cells, start=first):
        if isinstance(cell, str) and len(cell) > MOST_CHARACTERS // 2:
            length = len(cell.encode("utf-16-le", "surrogatepass")) // 2
            if length > MOST_CHARACTERS:
                rule = f"row {number}: has {length:,} characters, but a cell of a workbook holds {MOST_CHARACTERS:,}"
                return Problem(name, cell, rule, "out-of-range")
    return None


def without_apostrophes(parts: Sequence[Part]) -> list[Part]:
    """Remove apostrophes of a csv of ours from the workbook it was saved as; a workbook of ours keeps its own."""
    if parts and parts[0].name == OUR_SHEET:
        return list(parts)
    return [part._replace(rows=map(_without_apostrophes, part.rows)) for part in parts]


def without_those_of_csv(rows: Iterable[Cells]) -> Iterator[Cells]:
    """Remove apostrophes of a csv of ours from the rows that another program made of it."""
    is_ours = False
    for cells in rows:
        is_ours = is_ours or (not isinstance(cells, UnreadableFile) and has_our_names(cells))
        yield _without_apostrophes(cells) if is_ours else cells


def _without_apostrophes(cells: Cells) -> Cells:
    if isinstance(cells, UnreadableFile) or not any(cell[:1] == "'" for cell in cells):
        return cells
    return [taken_off(cell) if cell[:1] == "'" else cell for cell in cells]


@contextmanager
def refusing() -> Iterator[None]:
    """Refuse a workbook of Excel that cannot be read: any error of the block becomes an UnreadableFile."""
    try:
        yield
    except UnreadableFile:
        raise
    except Exception as error:
        # Damaged files raise many types of errors: struct.error, IndexError, XMLSyntaxError, …
        if isinstance(error, AssertionError):  # xlrd does not know what others read
            raise UnreadableFile("the workbook has a part that is not read; save it as xlsx, ods or csv") from error
        if "encrypted" in str(error):
            raise UnreadableFile("the workbook has a password; save it without one") from error
        rule = "the file is not an Excel workbook, has a password, or is damaged; save it as xlsx, ods or csv"
        raise UnreadableFile(rule) from error


def trimmed(cells: list[str]) -> list[str]:
    """Remove the empty cells at the end of a row and return the row."""
    while cells and not cells[-1]:
        cells.pop()
    return cells


def repeats(text: str) -> int:
    """Return how often an attribute repeats something; 1 if it is missing or not a number."""
    return max(int(text), 1) if text.isdecimal() and len(text) < 10 else 1


def filled(rows: Iterable[list[str]], merged: Merged) -> Iterator[list[str]]:
    """Copy the text of merged cells into the rows below that they cover; rows that are entirely empty stay empty."""
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
    """Return a row with the given texts in its empty cells."""
    if not texts:
        return cells
    whole = [*cells, *[""] * (max(texts) + 1 - len(cells))]
    return [cell or texts.get(place, "") for place, cell in enumerate(whole)]
