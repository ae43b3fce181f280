"""Takes tables of other libraries, such as polars and pyarrow: whatever speaks Arrow, or converts itself to pandas."""

from __future__ import annotations

from typing import Any, Protocol

import duckdb

from qrkit.errors import InvalidParameter, Problem
from qrkit.late import pd
from qrkit.store.copies.sandbox import ALONE

TABLE_RULE = "must be a DataFrame of pandas or polars, or an Arrow table"


MOMENT = 'make_timestamp(epoch_us("{0}")) AS "{0}"'
"""Converts a timestamp with a time zone to UTC without one. DuckDB converts zones with a library that it may lack."""


class ArrowTable(Protocol):
    """A table of any library that speaks Arrow (the PyCapsule interface), such as polars or pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as an Arrow stream."""


class _Stream:
    """The Arrow stream of a table and nothing else, because DuckDB imports pyarrow for the tables that it knows."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def is_table(given: object) -> bool:
    """Whether this is a DataFrame or another table that `pandas_frame` converts."""
    if isinstance(given, type | pd.Series):
        return False
    return isinstance(given, pd.DataFrame) or hasattr(given, "__arrow_c_stream__") or hasattr(given, "to_pandas")


def pandas_frame(given: Any, name: str) -> pd.DataFrame:
    """Return a table as a DataFrame of pandas, without pyarrow; Arrow's timestamps are then UTC without a time zone.

    Anything but a table raises InvalidParameter, which calls it `name`.
    """
    if not is_table(given):
        raise InvalidParameter(Problem(name, given, f"{TABLE_RULE}{_hint(given)}", "wrong-type"))
    if isinstance(given, pd.DataFrame):
        return given
    if not hasattr(given, "__arrow_c_stream__"):
        frame = given.to_pandas()
        if not isinstance(frame, pd.DataFrame):
            raise InvalidParameter(Problem(name, given, f"{TABLE_RULE}, with named columns", "wrong-type"))
        return frame
    with duckdb.connect(":memory:", config=dict(ALONE)) as alone:
        try:
            alone.register("given", _Stream(given))
            found, _ = frame_in_utc(alone.sql("FROM given"))
        except duckdb.Error as error:
            raise InvalidParameter(Problem(name, given, f"{TABLE_RULE}: {error}", "wrong-type")) from error
    return found


def frame_in_utc(rows: duckdb.DuckDBPyRelation) -> tuple[pd.DataFrame, list[str]]:
    """Return rows as a DataFrame, and the names of timestamps that had a time zone; they are UTC without one."""
    kinds = zip(rows.columns, rows.types, strict=True)
    names = [name for name, kind in kinds if str(kind) == "TIMESTAMP WITH TIME ZONE"]
    moments = ", ".join(MOMENT.format(name.replace('"', '""')) for name in names)
    return rows.project(f"* REPLACE ({moments})" if moments else "*").df(), names


def _hint(given: object) -> str:
    return "; call collect() first" if hasattr(given, "collect") else ""
