"""A separate in-memory database that contains only the rows of given queries.

DuckDB passes rows between databases as Arrow streams, without a full copy and without pyarrow. User-written SQL that
runs in a sandbox therefore cannot reach any other data.
"""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import duckdb

from qrkit.late import pd
from qrkit.store.connection import Store
from qrkit.store.copies.text_enums import create_enums
from qrkit.store.duckdb.database import CONFINED

__all__ = ["ALONE", "ArrowRows", "Config", "Query", "Stream", "arrow_rows", "read_parquet", "sandbox", "write_parquet"]

Config = Mapping[str, str | bool | int | float | list[str]]

ALONE: Config = {
    name: value for name, value in CONFINED.items() if name != "lock_configuration"
} | {
    # Names in SQL refer to tables, never to Python variables.
    "python_enable_replacements": "false",
    "temp_directory": "",
}  # fmt: skip
"""The configuration of an isolated database: no files, no network, no extensions."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query to a store.

    Attributes:
        sql: The statement.
        parameters: Values of the `$names` in the statement.
        texts: A statement with the same parameters that returns `texts_of` its text columns; may be empty.
    """

    sql: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    texts: str = ""

    def only(self, columns: Iterable[str]) -> Query:
        """Return the query with these columns only, as plain text; without any, one column that has no meaning."""
        return Query(f"SELECT {', '.join(columns) or 'true AS row'} FROM ({self.sql})", self.parameters)


class Stream:
    """The rows of a query as an Arrow stream.

    DuckDB opens two or three streams for one statement, and each new stream ends the previous one. A query that sorts
    or joins its rows would therefore run two or three times.

    Attributes:
        has_rows: False while only the columns are needed, as for a view of the stream.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, query: Query) -> None:
        self._cursor, self._query = cursor, query
        self.has_rows = True

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        sql = self._query.sql if self.has_rows else f"FROM ({self._query.sql}) LIMIT 0"
        return self._cursor.sql(sql, params=dict(self._query.parameters)).__arrow_c_stream__()


@contextmanager
def sandbox(
    store: Store, tables: Mapping[str, Query], *, config: Config | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Context manager: yields a database with these tables, which are read on demand from the store's committed data.

    All tables show the same state of the store. A statement can read one table, once.
    """
    with store.further_cursors() as cursor, duckdb.connect(":memory:", config={**ALONE, **(config or {})}) as alone:
        source = cursor()
        source.execute("BEGIN TRANSACTION READ ONLY")
        for name, query in tables.items():
            stream = Stream(source, query)
            stream.has_rows = False
            alone.register(f"rows_of_{name}", stream)
            selected = _enums_of(source, query, alone, name)
            alone.execute(f"CREATE TEMP VIEW {name} AS SELECT {selected} FROM rows_of_{name}")
            stream.has_rows = True
        alone.execute("SET lock_configuration = true")
        yield alone


class ArrowRows:
    """Rows in memory for any Arrow consumer: `pyarrow.table(rows)`, `polars.DataFrame(rows)`, or DuckDB.

    Attributes:
        columns: The column names.
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


def arrow_rows(store: Store, query: Query, *, order: str) -> ArrowRows:
    """Return a copy of a query's rows for any Arrow consumer; later changes to the store do not affect the copy.

    Args:
        query: The query; it need not sort its rows.
    """
    kept = duckdb.connect(":memory:", config={**ALONE})
    with store.further_cursors() as cursor:
        source = cursor()
        source.execute("BEGIN TRANSACTION READ ONLY")
        selected = _enums_of(source, query, kept, "rows")
        kept.register("incoming", Stream(source, query))
        kept.execute(f"CREATE TABLE kept AS SELECT {selected} FROM incoming ORDER BY {order}")
        kept.unregister("incoming")
    found = kept.sql("FROM kept")
    types = zip(found.columns, found.types, strict=True)
    plain = (f"{name}::VARCHAR AS {name}" if type.id == "enum" else name for name, type in types)
    kept.execute(f"CREATE VIEW rows AS SELECT {', '.join(plain)} FROM kept")
    return ArrowRows(kept)


def _enums_of(source: duckdb.DuckDBPyConnection, query: Query, target: duckdb.DuckDBPyConnection, table: str) -> str:
    """Create the ENUMs of a query's text columns in another database; return the SELECT list that converts them."""
    if not query.texts:
        return "*"
    texts = source.sql(query.texts, params=dict(query.parameters))
    return create_enums(target.execute, table, dict(zip(texts.columns, texts.fetchall()[0], strict=True)))


def write_parquet(store: Store, query: Query, file: BinaryIO, *, order: str) -> None:
    """Write the rows of a query to a Parquet file with Zstandard compression.

    Args:
        query: The query; it need not sort its rows.
    """
    with TemporaryDirectory(prefix="qrkit-") as folder:
        made = Path(folder) / "rows.parquet"
        # External access is safe: only the COPY statement below runs here. No lower limit on memory is set: with one,
        # long texts fail, because DuckDB keeps a part of the rows of every thread in memory.
        config: Config = {"enable_external_access": "true", "temp_directory": folder}
        with sandbox(store, {"rows": query}, config=config) as alone:
            alone.execute(f"COPY (FROM rows ORDER BY {order}) TO ? (FORMAT parquet, COMPRESSION zstd)", [str(made)])
        with made.open("rb") as rows:
            shutil.copyfileobj(rows, file)


def read_parquet(data: bytes, kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return the rows of a Parquet file, with DuckDB's dtypes.

    Args:
        kinds: The types of all columns by name; by default those that Parquet knows, which has no ENUMs.
    """
    selected = ", ".join(f'"{name}"::{kind} AS "{name}"' for name, kind in (kinds or {}).items()) or "*"
    with TemporaryDirectory(prefix="qrkit-") as folder:
        file = Path(folder) / "rows.parquet"
        file.write_bytes(data)
        with duckdb.connect(":memory:", config={**ALONE, "enable_external_access": "true"}) as alone:
            return alone.execute(f"SELECT {selected} FROM read_parquet(?)", [str(file)]).df()
