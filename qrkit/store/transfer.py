"""Rows on their way between a file and a server, as CSV: the one form that both write and read by themselves.

Texts are in quotes, and where there is no value there is nothing at all, so that an empty text is not taken for none.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from qrkit.store.connection import Store
from qrkit.store.postgresql.cursor import ESCAPE
from qrkit.store.sandbox import Query, sandbox

__all__ = ["Checksum", "Kinds", "add_rows", "checksum", "csv_of"]

Kinds = Mapping[str, str]
"""Columns by name, with their types in DuckDB."""
TOGETHER = 64_000_000
"""Bytes that are on the disk, and in the memory of their parser, as text at once; more only where one row is larger."""
ESCAPE_BYTES = ESCAPE.encode()
ESCAPED = f"replace(replace({{0}}, '{ESCAPE}', '{ESCAPE}1'), chr(0), '{ESCAPE}0') AS {{0}}"
UNESCAPED = f"replace(replace({{0}}, '{ESCAPE}0', chr(0)), '{ESCAPE}1', '{ESCAPE}') AS {{0}}"
WRITE = "COPY ({select}) TO ? (FORMAT csv, HEADER false, NULLSTR ''{quoted})"
READ = """
FROM read_csv($file, header = false, auto_detect = false, columns = {{{columns}}}, delim = ',', quote = '"',
    escape = '"', nullstr = '', allow_quoted_nulls = false, new_line = '\\n', parallel = false,
    max_line_size = $size, buffer_size = $size)
"""
PARSER = "reads CSV"
SUMMED = "SELECT count(*) AS rows, coalesce(sum(hash({columns})), 0)::VARCHAR AS sum"


class Checksum(NamedTuple):
    """How many rows there are, and a sum over all their values that does not depend on their order."""

    rows: int
    sum: int


@contextmanager
def csv_of(store: Store, select: str, kinds: Kinds) -> Iterator[Iterator[bytes]]:
    """The rows of a query as lines of CSV, as a server takes them.

    Args:
        store: A file or a server.
        select: What is asked; the rows of a file as far as they are committed.
        kinds: Its columns.
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
        # The statements that run here are ours.
        with sandbox(store, {"rows": Query(select)}, config={"enable_external_access": "true"}) as alone:
            alone.execute(WRITE.format(select=f"SELECT {escaped} FROM rows", quoted=quoted), [str(made)])
        with made.open("rb") as lines:
            yield lines


def add_rows(store: Store, table: str, lines: Iterator[bytes], kinds: Kinds) -> None:
    """Add lines of CSV to a table, in the transaction that is open."""
    names = ", ".join(kinds)
    if store.database.is_shared:
        store.add_csv(f"{table} ({names})", lines)
        return
    for rows in _parts(store, lines, kinds):
        store.add_rows(f"{table} ({names})", rows)


def checksum(store: Store, select: str, kinds: Kinds) -> Checksum:
    """The checksum of the rows of a query; equal rows have equal ones on either engine."""
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
    """Lines of CSV as rows, so many at a time; each part is gone when the next is asked for."""
    with tempfile.TemporaryDirectory(prefix="qrkit-") as folder, _parser(store).cursor() as connection:
        rows = _Rows(connection, Path(folder) / "rows.csv", kinds)
        while rows.read(lines):
            yield rows


def _parser(store: Store) -> duckdb.DuckDBPyConnection:
    """What reads CSV for a store: it may touch files, which the store itself must not. Making one is half the work."""
    helpers = store.database.helpers
    if PARSER not in helpers:
        made = duckdb.connect(":memory:")
        if helpers.setdefault(PARSER, made) is made:
            store.database.before_closing.append(made.close)
    found: duckdb.DuckDBPyConnection = helpers[PARSER]
    return found


class _Rows:
    """Lines of CSV, read by the parser of DuckDB: a stream of Arrow each time somebody asks."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, file: Path, kinds: Kinds) -> None:
        self._connection = connection
        self._file = file
        self._plain = READ.format(columns=", ".join(f"'{name}': '{kind}'" for name, kind in kinds.items()))
        names = (UNESCAPED.format(name) if kind == "VARCHAR" else name for name, kind in kinds.items())
        self._unescaped = f"SELECT {', '.join(names)} {self._plain}"
        self._select = self._plain
        self._size = 0

    def read(self, lines: Iterator[bytes]) -> int:
        """Be the next lines, as many as are good at once; their size, which is 0 where there are no more."""
        size = quotes = 0
        has_escapes = False
        with self._file.open("wb") as file:
            for line in lines:
                size += file.write(line)
                quotes += line.count(b'"')
                has_escapes = has_escapes or ESCAPE_BYTES in line
                if size >= TOGETHER and quotes % 2 == 0:  # else a text goes on in the next line
                    break
        self._select = self._unescaped if has_escapes else self._plain
        self._size = size
        return size

    def asked(self, select: str) -> list[tuple[Any, ...]]:
        """The answer to a question to them."""
        return self._connection.execute(f"{select} FROM ({self._select})", self._values()).fetchall()

    def _values(self) -> dict[str, Any]:
        return {"file": str(self._file), "size": self._size + 1}

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        rows = self._connection.cursor().sql(self._select, params=self._values())
        return rows.__arrow_c_stream__()
