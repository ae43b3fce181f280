"""Records <-> DataFrame: typed for people, text for files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from numbers import Number
from typing import TYPE_CHECKING, Any

from qrkit.design.color import Color
from qrkit.errors import InvalidParameter, Problem, collecting, nearest
from qrkit.exchange.columns import (
    ALL_NAMES,
    KINDS,
    NAMES,
    OVERLOOKED,
    REQUIRED,
    Entry,
    Kind,
    named,
    read_row,
    write_row,
)
from qrkit.exchange.merge import ImportIssue
from qrkit.exchange.tables import ERROR, HEADING, KNOWN, MOST_ROWS, REASON, cell_text, numbers, table_of_records
from qrkit.store.text_columns import with_dtypes
from qrkit.tracking.records import Campaign, QRCode

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["campaigns_frame", "entries_of", "qrcodes_frame", "table_of_frame", "text_of", "text_table", "whole_frame"]

TOGETHER = 5_000
"""Rows that are Python's own texts at a time."""


def text_table(codes: Sequence[QRCode], campaign_names: Mapping[str | None, str]) -> pd.DataFrame:
    """The table of a file: a row of text a QR Code, all columns of `exchange.columns`, indexed by id."""
    import pandas as pd

    rows = [write_row(code, campaign_names[code.campaign_id]) for code in codes]
    index = pd.Index([code.id for code in codes], name="id", dtype="str")
    return pd.DataFrame(rows, columns=list(ALL_NAMES), index=index, dtype="str")


def whole_frame(codes: Sequence[QRCode], campaign_names: Mapping[str | None, str]) -> pd.DataFrame:
    """The same for people: numbers as numbers (NaN for no place), Created as datetime64 UTC, yes and no as bool."""
    import pandas as pd

    frame = text_table(codes, campaign_names)
    for name, kind in KINDS.items():
        if kind == "whole":
            frame[name] = pd.to_numeric(frame[name]).astype("int64")
        elif kind == "degrees":
            frame[name] = numbers(frame[name])
        elif kind == "moment":
            # Not to_datetime, whose years end in 2262 with pandas 2.
            frame[name] = frame[name].astype("datetime64[us]").dt.tz_localize("UTC")
        elif kind == "flag":
            frame[name] = frame[name] == "true"
    return frame


def qrcodes_frame(codes: Sequence[QRCode], campaign_names: Mapping[str | None, str]) -> pd.DataFrame:
    """The same in the 16 columns of the interface."""
    return whole_frame(codes, campaign_names)[list(NAMES)]


def campaigns_frame(campaigns: Sequence[Campaign], codes: Iterable[QRCode]) -> pd.DataFrame:
    """A row a campaign, indexed by id: name, description (str), created (datetime64 UTC), qrcodes, scans (int64)."""
    import pandas as pd

    scans = defaultdict[str | None, list[int]](list)
    for code in codes:
        scans[code.campaign_id].append(code.scans)
    rows = [(one.name, one.description, one.created, len(scans[one.id]), sum(scans[one.id])) for one in campaigns]
    index = pd.Index([one.id for one in campaigns], name="id", dtype="str")
    frame = pd.DataFrame(rows, columns=["name", "description", "created", "qrcodes", "scans"], index=index)
    frame["created"] = pd.to_datetime(frame["created"], utc=True).dt.as_unit("us")
    return with_dtypes(frame, {"name": "str", "description": "str", "qrcodes": "int64", "scans": "int64"})


def entries_of(table: pd.DataFrame) -> Iterator[Entry | ImportIssue]:
    """What the rows of a file's table say, or why not; before them, which columns nobody knows."""
    for title in table.attrs.get("unknown", []):
        detail = f"{title!r} is no column, and was left out; {nearest(title, table.attrs.get(KNOWN, NAMES))}"
        yield ImportIssue(table.attrs.get(HEADING, 1), "", "", "", "unknown-column", detail)
    names = table.columns.tolist()
    for sheet in table.attrs.get("unread", []):
        yield ImportIssue(1, "", "", "", "unread-sheet", f"the sheet {sheet!r} has other headings, and was not read")
    for start in range(0, len(table), TOGETHER):
        part = table.iloc[start : start + TOGETHER]
        # Not itertuples, which makes an object of each cell anew.
        rows = zip(*(part[name].to_numpy().tolist() for name in names), strict=True)
        for row, texts in zip(part.index.tolist(), rows, strict=True):
            yield _entry(row, dict(zip(names, texts, strict=True)))


def _entry(row: int, cells: dict[str, str]) -> Entry | ImportIssue:
    detail = cells[ERROR]
    if not detail:
        try:
            return read_row(row, cells)
        except InvalidParameter as error:
            detail = str(error)
    whose = (cells["Campaign Name"], cells["QR Code Name"], cells["Content"])
    return ImportIssue(row, *whose, cells[REASON] or "invalid", detail)  # type: ignore[arg-type]  # REASON says which


def table_of_frame(frame: pd.DataFrame, columns: Mapping[str, Hashable] | None = None) -> pd.DataFrame:
    """The table of a file (as `exchange.tables` makes it) that says what a DataFrame of any dtypes says.

    The index counts the rows of the frame from 1; its columns are row 0. Rows without a value are left out.

    Args:
        frame: The rows.
        columns: By the names of ours, what the frame calls them, where it has names of its own; others are not read.

    Raises:
        InvalidParameter: It is no DataFrame, lacks a required column, has a column twice, or has too many rows. Or
            `columns` names one that is none of ours, or none of the frame.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise InvalidParameter(Problem("frame", frame, "must be a pandas DataFrame", "wrong-type"))
    if columns:
        frame = _chosen(frame, columns)
    if len(frame) > MOST_ROWS:
        rule = f"must have at most {MOST_ROWS:,} rows; split it"
        raise InvalidParameter(Problem("frame", f"{len(frame):,} rows", rule, "out-of-range"))
    titles = [str(label).strip() for label in frame.columns]
    places = _places(titles)
    # One list a column: of a frame's rows, pandas makes one dtype of all columns.
    values_of = [frame.iloc[:, place].tolist() for place in places.values()]
    records = []
    for number, values in enumerate(zip(*values_of, strict=True), start=1):
        cells = _cells(dict(zip(places, values, strict=True)))
        if any(cells.values()):
            records.append((number, cells))
    known = {name.lower() for name in (*ALL_NAMES, *OVERLOOKED)}
    table = table_of_records(records, unknown=[title for title in titles if title.lower() not in known])
    table.attrs[HEADING] = 0
    return table


def _chosen(frame: pd.DataFrame, columns: Mapping[str, Hashable]) -> pd.DataFrame:
    """These columns of a frame, under the names of ours."""
    names, problems = named(columns)
    labels: list[Hashable] = list(frame.columns)
    for name, label in names.items():
        if labels.count(label) != 1:
            near = nearest(str(label), [str(one) for one in labels])
            rule = "is a column of the frame twice" if label in labels else f"is no column of the frame; {near}"
            problems.append(Problem(f"columns[{name!r}]", label, rule))
    if problems:
        raise InvalidParameter(*problems)
    return frame[list(names.values())].set_axis(list(names), axis=1)


def _places(titles: list[str]) -> dict[str, int]:
    """Where each column of `exchange.columns` stands in a frame: in any order and case."""
    lowered = [title.lower() for title in titles]
    problems = [
        Problem(name, None, "is a column of the frame twice", "duplicate-parameter")
        for name in ALL_NAMES
        if lowered.count(name.lower()) > 1
    ]
    for name in (name for name in REQUIRED if name.lower() not in lowered):
        near = [title for title in titles if get_close_matches(title.lower(), [name.lower()])]
        hint = f"{near[0]!r}: did you mean {name!r}? " if near else ""
        others = ", ".join(one for one in ALL_NAMES if one not in REQUIRED)
        rule = f"is a required column, and the frame has none of this name. {hint}Further columns may be {others}"
        problems.append(Problem(name, None, rule, "missing-parameter"))
    if problems:
        raise InvalidParameter(*problems)
    return {name: lowered.index(name.lower()) for name in ALL_NAMES if name.lower() in lowered}


def _cells(values: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a row by their columns, with what is wrong with it."""
    cells: dict[str, str] = {}
    problems: list[Problem] = []
    for name, value in values.items():
        with collecting(problems):
            cells[name] = text_of(value, name, KINDS[name])
    return cells | {ERROR: "; ".join(map(str, problems))} if problems else cells


def text_of(value: Any, column: Hashable, kind: Kind = "text") -> str:
    """The text that a cell of a DataFrame stands for: text as it is, NaN, NaT, NA and None as "".

    Numbers are written as in a workbook (7.0 is "7"), yes and no as `true` and `false`, moments as `yyyy-MM-dd
    HH:mm:ss` in UTC; those without a zone are taken as UTC, days begin at midnight.

    Raises:
        InvalidParameter: The cell holds neither text, number, moment, colour nor nothing; the column is named.
    """
    import pandas as pd

    if isinstance(value, str):
        return str.__str__(value)
    if pd.api.types.is_scalar(value):
        if pd.isna(value):
            return ""
        if hasattr(value, "dtype"):
            value = pd.Series([value]).tolist()[0]  # a scalar of numpy as one of Python
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, Number | datetime | Color):
        try:
            return repr(value) if kind == "degrees" and isinstance(value, float) else cell_text(value)
        except (ValueError, OverflowError) as error:
            raise InvalidParameter(Problem(str(column), None, f"cannot be written: {error}", "out-of-range")) from error
    rule = f"must be text, a number, a moment or nothing, not {type(value).__name__}"
    raise InvalidParameter(Problem(str(column), value, rule, "wrong-type"))
