"""Convert records to DataFrames, and DataFrames with any dtypes to rows of an import.

Columns of exported DataFrames are named like fields (`short_url`); imported ones can also be named like the headings of
files ("Trackable URL").
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from qrkit.errors import InvalidParameter, Problem, collecting, nearest, raise_any
from qrkit.exchange import foreign
from qrkit.exchange.columns import (
    ALL_NAMES,
    CAMPAIGN,
    COLUMN_OF,
    COLUMNS,
    CONTENT,
    COUNTED,
    EVERY,
    KINDS,
    LABELS,
    OVERLOOKED,
    SORTING,
    WRITERS,
    Column,
    Kind,
    field_of,
    named,
)
from qrkit.exchange.marked_cells import marked
from qrkit.exchange.own_columns import KindColumns, OwnColumns
from qrkit.exchange.table_files import (
    MOST_ROWS,
    Table,
    issues_of_chosen,
    places_in,
    rows_of,
    table_of_links,
    table_of_records,
)
from qrkit.late import pd
from qrkit.tracking.records import Campaign, QRCode
from qrkit.tracking.text_columns import field_text, frame_of, text_column, text_of

if TYPE_CHECKING:
    from qrkit.store.copies.arrow_tables import ArrowTable


DTYPES: dict[Kind, str] = {
    "whole": "int64", "count": "int64", "limit": "int64", "degrees": "float64", "flag": "bool", "switch": "bool",
    "mark": "bool", "moment": "datetime64[us, UTC]", "time": "datetime64[us, UTC]",
}  # fmt: skip
"""The dtypes of columns that do not contain text."""
TOGETHER = 250
"""Number of QR Codes whose cells are made at a time: so few that the garbage collector looks through hardly any."""


def whole_frame(
    codes: Iterable[QRCode], campaigns: Callable[[], Sequence[Campaign]], columns: Sequence[Column] = EVERY
) -> pd.DataFrame:
    """Return a DataFrame with one row per QR Code, indexed by ID, with all columns of `exchange.columns` or some.

    Columns are named like fields. Numbers are numeric (NaN for a missing latitude or longitude, -1 for an automatic
    version), timestamps datetime64 in UTC (NaT for a missing end), flags bool. The records are not kept: a million
    would take several times the memory. `campaigns` is called after all of them have been read.
    """
    ids: list[str] = []
    cells: dict[Column, list[Any]] = {column: [] for column in columns}
    codes = iter(codes)
    while part := tuple(islice(codes, TOGETHER)):
        ids += map(attrgetter("id"), part)
        for column, values in cells.items():
            values += _cells(part, column)
    index = pd.Index(ids, name="id", dtype="str")
    names = {one.id: one.name for one in campaigns()}
    cells[CAMPAIGN] = [names.get(id, "") for id in cells[CAMPAIGN]]
    made = {column.label: _column(cells.pop(column), column.kind, index) for column in columns}
    return pd.DataFrame(made, index=index, copy=False)


def _cells(codes: Sequence[QRCode], column: Column) -> Iterable[Any]:
    """Return the values of a column; those other than numbers, timestamps and bools become text."""
    values = map(attrgetter("campaign_id" if column is CAMPAIGN else column.field), codes)
    if column.kind == "whole":
        return (-1 if value is None else value for value in values)
    write = None if column.kind in DTYPES else WRITERS[column.name]
    return map(write, values) if write else values


def _column(cells: list[Any], kind: Kind, index: pd.Index) -> pd.Series:
    """Return a column with the dtype of its kind."""
    column: pd.Series = pd.Series(cells, index=index, dtype=DTYPES.get(kind, "str"))
    # Truncate to whole seconds, as in files.
    return column.dt.floor("s") if kind in ("moment", "time") else column


def qrcodes_frame(
    codes: Iterable[QRCode], campaigns: Callable[[], Sequence[Campaign]], *, fields: bool = False
) -> pd.DataFrame:
    """Return a DataFrame like `whole_frame` with the 16 columns of the interface, tags and fields.

    With `fields`, each own field is a column (str, NaN for codes without it) in place of one with their JSON.
    """
    frame = whole_frame(codes, campaigns, COLUMNS + SORTING)
    if not fields:
        return frame

    own = [json.loads(text) if text else {} for text in frame.pop("fields")]
    names = dict.fromkeys(name for each in own for name in each)
    texts = [text_column([each.get(name) for each in own], index=frame.index, name=name) for name in names]
    return pd.concat([frame, *texts], axis=1)


def campaigns_frame(campaigns: Sequence[Campaign], counts: Mapping[str, tuple[int, int]]) -> pd.DataFrame:
    """Return a DataFrame with one row per campaign, indexed by ID; `counts` holds its numbers of QR Codes and scans."""
    rows = [(one.id, one.name, one.description, one.created, *counts.get(one.id, (0, 0))) for one in campaigns]
    kinds = {"id": "str", "name": "str", "description": "str", "created": DTYPES["moment"]}
    return frame_of(rows, kinds | {"qrcodes": "int64", "scans": "int64"}).set_index("id")


def table_of_frame(frame: pd.DataFrame | ArrowTable, columns: Mapping[str, Hashable] | None = None) -> Table:
    """Convert a DataFrame with any dtypes, or an Arrow table, to a table as returned by the readers of files.

    Rows are counted from 1; the column names are row 0. Empty rows are left out. `columns` maps our column names to
    those of the frame, if they differ; other columns become fields, apart from those with names of ours. Named levels
    of the index are columns, too.
    """
    from qrkit.store.copies.arrow_tables import pandas_frame  # exports do without DuckDB

    chosen = columns.values() if isinstance(columns, Mapping) else ()
    frame = _with_levels(pandas_frame(frame, "frame"), chosen)
    if len(frame) > MOST_ROWS:
        rule = f"must have at most {MOST_ROWS:,} rows; split it"
        raise InvalidParameter(Problem("frame", f"{len(frame):,} rows", rule, "out-of-range"))
    titles = [str(label).strip() for label in frame.columns]
    if tool := None if columns else foreign.tool_of(titles):
        titles = tool.told_apart(titles)
        texts = _texts(frame, titles, {}, KindColumns(()))
        links = ((number, dict(zip(titles, cells, strict=True)), wrong) for number, cells, wrong in texts)
        return table_of_links(tool, links, titles, heading=0)
    kinds = KindColumns(() if columns else titles)
    places = _chosen(list(frame.columns), columns) if columns else _places(titles, kinds)
    own = OwnColumns(LABELS.values())
    rows = rows_of(titles, _texts(frame, titles, places, kinds), own, places, kinds, is_chosen=bool(columns))
    table = table_of_records(rows, own, heading=0, names=LABELS)
    if columns:
        chosen_titles = {name: titles[place] for name, place in places.items()}
        table.issues.extend(issues_of_chosen(titles, chosen_titles, table.rows, 0))
    return table


def _with_levels(frame: pd.DataFrame, chosen: Collection[Hashable]) -> pd.DataFrame:
    """Make columns of named levels of an index, except of those that repeat a column of ours and were not chosen."""
    known = {_ours(label) for label in frame.columns} - {None}
    levels = [
        place
        for place, name in enumerate(frame.index.names)
        if name is not None and name not in frame.columns and str(name).lower() not in OVERLOOKED
        if _ours(name) not in known or name in chosen
    ]
    return frame.reset_index(level=levels, allow_duplicates=True) if levels else frame


def _ours(label: Hashable) -> str | None:
    """Return which of our columns a label names, in any case; None if it names none."""
    return COLUMN_OF.get(str(label).strip().lower())


def _texts(
    frame: pd.DataFrame, titles: Sequence[str], places: Mapping[str, int], kinds: KindColumns
) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number, texts and error of each row with a text in a column that we know, or in any if we know none."""
    known = {place: (titles[place], "text") for place in kinds.places}
    known |= {place: (LABELS[name], KINDS[name]) for name, place in places.items()}
    # Convert column by column: when iterating over rows, pandas casts all columns to a common dtype.
    columns = [frame.iloc[:, place].tolist() for place in range(len(titles))]
    for number, values in enumerate(zip(*columns, strict=True), start=1):
        problems: list[Problem] = []
        texts = [""] * len(titles)
        for place, value in enumerate(values):
            with collecting(problems):
                texts[place] = _text(value, *known[place]) if place in known else _own_text(value)
        if problems or any(texts[place] for place in known or range(len(titles))):
            yield number, texts, "; ".join(map(str, problems))


def _text(value: Any, label: str, kind: str) -> str:
    text = text_of(value, label, kind)
    return marked(value, text) if kind in COUNTED else text


def _own_text(value: Any) -> str:
    """Convert a cell in a column that is not ours to text; of an object that is no cell, what Python prints of it."""
    try:
        return marked(value, text_of(value, ""))
    except InvalidParameter:
        return field_text(value) if isinstance(value, dict | list) else str(value)


def _chosen(labels: list[Hashable], columns: Mapping[str, Hashable]) -> dict[str, int]:
    """Return the position of each of our columns that is mapped to a column of a DataFrame."""
    names, problems = named(columns)
    for name, label in names.items():
        if labels.count(label) != 1:
            near = nearest(str(label), [str(one) for one in labels])
            rule = "appears twice in the frame" if label in labels else f"is not a column of the frame; {near}"
            problems.append(Problem(field_of(columns, name), label, rule))
    raise_any(problems)
    return {name: labels.index(label) for name, label in names.items()}


def _places(titles: list[str], kinds: KindColumns) -> dict[str, int]:
    """Return the position of each of our columns in a DataFrame; columns can have any order and case."""
    places, twice = places_in(titles)
    problems = [Problem(LABELS[name], None, "appears twice in the frame", "duplicate-parameter") for name in twice]
    if CONTENT not in places and not kinds:
        label = LABELS[CONTENT]
        near = [title for title in titles if get_close_matches(title.lower(), [label])]
        hint = f"{near[0]!r}: did you mean {label!r}? " if near else ""
        others = ", ".join(LABELS[one] for one in ALL_NAMES if one != CONTENT)
        rule = f"is a required column, and the frame has no column of this name. {hint}Other columns may be {others}"
        problems.append(Problem(label, None, rule, "missing-parameter"))
    raise_any(problems)
    return places
