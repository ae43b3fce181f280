"""A database in memory beside the store, in which the rows of some queries are all there is.

DuckDB hands rows from one database to another as Arrow streams, without a copy of the whole and without pyarrow. So
whoever gets such a database, as the one who writes SQL of his own, cannot reach anything else, whatever he writes.
"""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import duckdb

from qrkit.store.connection import Store
from qrkit.store.duckdb.database import CONFINED

__all__ = ["ArrowRows", "Query", "arrow_rows", "sandbox", "write_parquet"]

Config = Mapping[str, str | bool | int | float | list[str]]

ALONE: Config = {
    name: value for name, value in CONFINED.items() if name != "lock_configuration"
} | {
    # Names in SQL are tables, never variables of the program.
    "python_enable_replacements": "false",
    "temp_directory": "",
}  # fmt: skip
"""With nothing but itself: no file, no network, no extension."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query to a store.

    Attributes:
        sql: The statement.
        parameters: Values of the `$names` in it.
    """

    sql: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


class _Stream:
    """The rows of a query, as a stream each time somebody asks."""

    def __init__(self, cursor: Callable[[], duckdb.DuckDBPyConnection], query: Query) -> None:
        self._cursor, self._query = cursor, query

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._cursor().sql(self._query.sql, params=dict(self._query.parameters)).__arrow_c_stream__()


@contextmanager
def sandbox(
    store: Store, tables: Mapping[str, Query], *, config: Config | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with these tables, which are read from the store when they are asked for, as far as it is committed.

    Args:
        store: Where the rows are.
        tables: Queries by the names that their rows are found under.
        config: Of the database, beside that it is alone.
    """
    with store.further_cursors() as cursor, duckdb.connect(":memory:", config={**ALONE, **(config or {})}) as alone:
        for name, query in tables.items():
            alone.register(name, _Stream(cursor, query))
        alone.execute("SET lock_configuration = true")
        yield alone


class ArrowRows:
    """Rows in memory for whatever takes Arrow: `pyarrow.table(rows)`, `polars.DataFrame(rows)`, and DuckDB by its name.

    Attributes:
        columns: Their names.
    """

    columns: tuple[str, ...]

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        found = connection.sql("FROM rows")
        self._connection, self.columns, self._length = connection, tuple(found.columns), len(found)
        weakref.finalize(self, connection.close)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._connection.cursor().sql("FROM rows").__arrow_c_stream__()

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"<ArrowRows, {self._length:,} rows of {', '.join(self.columns)}>"


def arrow_rows(store: Store, query: Query) -> ArrowRows:
    """The rows of a query, for whatever takes Arrow; they are copied, and stay when the store changes or closes."""
    kept = duckdb.connect(":memory:", config={**ALONE})
    with store.further_cursors() as cursor:
        kept.register("incoming", _Stream(cursor, query))
        kept.execute("CREATE TABLE rows AS FROM incoming")
        kept.unregister("incoming")
    return ArrowRows(kept)


def write_parquet(store: Store, query: Query, file: BinaryIO) -> None:
    """Write the rows of a query to a file in the format Parquet, compressed by Zstandard."""
    with TemporaryDirectory(prefix="qrkit-") as folder:
        made = Path(folder) / "rows.parquet"
        # The one statement that runs here is ours.
        with sandbox(store, {"rows": query}, config={"enable_external_access": "true"}) as alone:
            alone.execute("COPY (FROM rows) TO ? (FORMAT parquet, COMPRESSION zstd)", [str(made)])
        with made.open("rb") as rows:
            shutil.copyfileobj(rows, file)
