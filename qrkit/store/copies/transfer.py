"""Transfers rows between a file and a server as CSV, which both databases read and write natively.

Text is quoted and NULL is an empty field, so that empty text differs from NULL.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from qrkit.store.connection import Store
from qrkit.store.copies.sandbox import Query, sandbox
from qrkit.store.postgresql.cursor import ESCAPE

Kinds = Mapping[str, str]
"""DuckDB column types, by column name."""
TOGETHER = 64_000_000
"""Bytes of CSV on disk and in the parser's memory at once; more only if a single row is larger."""
ESCAPE_BYTES = ESCAPE.encode()
ESCAPED = f"replace(replace({{0}}, '{ESCAPE}', '{ESCAPE}1'), chr(0), '{ESCAPE}0') AS {{0}}"
UNESCAPED = f"replace(replace({{0}}, '{ESCAPE}0', chr(0)), '{ESCAPE}1', '{ESCAPE}') AS {{0}}"
WRITE = "COPY ({select}) TO ? (FORMAT csv, HEADER false, NULLSTR ''{quoted})"
READ = """
FROM read_csv($file, header = false, auto_detect = false, columns = {{{columns}}}, delim = ',', quote = '"',
    escape = '"', nullstr = '', allow_quoted_nulls = false, new_line = '\\n', parallel = false,
    max_line_size = $size, buffer_size = $size)
"""
SUMMED = "SELECT count(*) AS rows, coalesce(sum(hash({columns})), 0)::VARCHAR AS sum"


class Checksum(NamedTuple):
    """The number of rows, and a sum over all values that does not depend on the row order."""

    rows: int
    sum: int


@contextmanager
def csv_of(store: Store, select: str, kinds: Kinds) -> Iterator[Iterator[bytes]]:
    """Context manager: yields the rows of a query as CSV lines, in the format that a server accepts.

    In a file, the query sees committed data only.
    """
    if store.database.is_shared:
        with store.csv(select) as lines:
            yield lines
        return
    texts = [name for name, kind in kinds.items() if kind == "VARCHAR"]
    escaped = ", ".join(ESCAPED.format(name) if name in texts else name for name in kinds)
    quoted = f", FORCE_QUOTE ({', '.join(texts)})" if texts else ""
    with tempfile.TemporaryDirectory(prefix="qrkit-") as folder:
        made = Path(folder) / "rows.csv"
        # External access is safe: no user-written SQL runs here.
        with sandbox(store, {"rows": Query(select)}, config={"enable_external_access": "true"}) as alone:
            alone.execute(WRITE.format(select=f"SELECT {escaped} FROM rows", quoted=quoted), [str(made)])
        with made.open("rb") as lines:
            yield lines


def add_rows(store: Store, table: str, lines: Iterator[bytes], kinds: Kinds) -> None:
    """Append CSV lines to a table, in the open transaction."""
    names = ", ".join(kinds)
    if store.database.is_shared:
        store.add_csv(f"{table} ({names})", lines)
        return
    for rows in _parts(store, lines, kinds):
        store.add_rows(f"{table} ({names})", rows)


def checksum(store: Store, select: str, kinds: Kinds) -> Checksum:
    """Return the checksum of the rows of a query; equal rows have equal checksums in both databases."""
    summed = SUMMED.format(columns=", ".join(kinds))
    if not store.database.is_shared:
        (row,) = store.rows(f"{summed} FROM ({select})")
        return Checksum(row["rows"], int(row["sum"]))
    total = Checksum(0, 0)
    with store.csv(select) as lines:
        for rows in _parts(store, lines, kinds):
            ((number, part),) = rows.asked(summed)
            total = Checksum(total.rows + number, total.sum + int(part))
    return total


def _parts(store: Store, lines: Iterator[bytes], kinds: Kinds) -> Iterator[_Rows]:
    """Yield CSV lines as rows, in batches; each batch is valid only until the next one."""
    with tempfile.TemporaryDirectory(prefix="qrkit-") as folder, _parser(store).cursor() as connection:
        rows = _Rows(connection, Path(folder) / "rows.csv", kinds)
        while rows.read(lines):
            yield rows


def _parser(store: Store) -> duckdb.DuckDBPyConnection:
    """Return the CSV parser of a store, which may read files; it is reused, because opening one takes half the time."""

    def make() -> duckdb.DuckDBPyConnection:
        made = duckdb.connect(":memory:")
        store.database.before_closing.append(made.close)
        return made

    return store.database.helper("reads CSV", make)


class _Rows:
    """CSV lines, parsed by DuckDB; each request for an Arrow stream parses the lines again."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, file: Path, kinds: Kinds) -> None:
        self._connection = connection
        self._file = file
        self._plain = READ.format(columns=", ".join(f"'{name}': '{kind}'" for name, kind in kinds.items()))
        names = (UNESCAPED.format(name) if kind == "VARCHAR" else name for name, kind in kinds.items())
        self._unescaped = f"SELECT {', '.join(names)} {self._plain}"
        self._select = self._plain
        self._size = 0

    def read(self, lines: Iterator[bytes]) -> int:
        """Load the next batch of lines; return the size in bytes, 0 at the end."""
        size = quotes = 0
        has_escapes = False
        with self._file.open("wb") as file:
            for line in lines:
                size += file.write(line)
                quotes += line.count(b'"')
                has_escapes = has_escapes or ESCAPE_BYTES in line
                if size >= TOGETHER and quotes % 2 == 0:  # an odd number means that a value continues
                    break
        self._select = self._unescaped if has_escapes else self._plain
        self._size = size
        return size

    def asked(self, select: str) -> list[tuple[Any, ...]]:
        """Run a SELECT on the current batch and return the rows."""
        return self._connection.execute(f"{select} FROM ({self._select})", self._values()).fetchall()

    def _values(self) -> dict[str, Any]:
        return {"file": str(self._file), "size": self._size + 1}

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        rows = self._connection.cursor().sql(self._select, params=self._values())
        return rows.__arrow_c_stream__()
