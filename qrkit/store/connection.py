"""`Store`: the database file, its connections and its transactions.

One process holds the file; each of its threads works on a cursor of its own. A transaction is opened by `atomic`, and
the library never commits a transaction you opened: inside `with store.atomic():` everything is kept or nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakValueDictionary

import duckdb

from qrkit.errors import StoreBusy, UnreadableFile
from qrkit.store.migrations import MIGRATIONS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Store"]

CONFINED: dict[str, str | bool | int | float | list[str]] = {
    # SQL can touch this file and nothing else, whatever it says.
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "lock_configuration": "true",
}

_locks: WeakValueDictionary[str, threading.RLock] = WeakValueDictionary()
"""The writing lock of each file, shared by all stores of this process that have it open."""

Parameters = Sequence[Any] | Mapping[str, Any]


class Store:
    """A tracking store in one DuckDB file; `:memory:` keeps it in memory.

    Args:
        path: The file; it is made when it does not exist.

    Raises:
        StoreBusy: Another process has the file open.
        UnreadableFile: The file is not a store, its folder does not exist, or a newer qrkit wrote it.
    """

    def __init__(self, path: str | Path = ":memory:") -> None:
        self.path = str(path)
        self._connection = _connected(self.path)
        self._cursors: list[duckdb.DuckDBPyConnection] = []
        self._thread = _Thread()
        self._writing = threading.RLock()
        if self.path != ":memory:":
            self._writing = _locks.setdefault(str(Path(path).resolve()), self._writing)
        try:
            self._migrate()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """A transaction: what is written inside is kept as a whole, or not at all when an error leaves it.

        Inside another `atomic` of the same thread it joins that one. Other threads wait with their writing, not with
        their reading.

        Raises:
            RuntimeError: An error left an inner `atomic` that had written something, and was caught on its way: what
                it had written cannot be taken back alone, so nothing of the whole is kept.
        """
        with self._writing:
            thread = self._thread
            outermost, written = thread.depth == 0, thread.written
            if outermost:
                self._cursor().execute("BEGIN")
                thread.is_spoilt = False
            thread.depth += 1
            try:
                yield
                if outermost and thread.is_spoilt:
                    raise RuntimeError("an error inside this transaction was caught on its way; nothing of it was kept")
            except BaseException:
                thread.is_spoilt |= thread.written > written
                if outermost:
                    self._cursor().execute("ROLLBACK")
                raise
            else:
                if outermost:
                    self._cursor().execute("COMMIT")
            finally:
                thread.depth -= 1

    def execute(self, sql: str, parameters: Parameters = ()) -> None:
        """Run a statement that writes, in a transaction of its own where none is open."""
        with self.atomic():
            self._thread.written += 1
            self._run(sql, parameters)

    def rows(self, sql: str, parameters: Parameters = ()) -> list[dict[str, Any]]:
        """Run a query and give its rows as dictionaries by column name."""
        cursor = self._run(sql, parameters)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def row(self, sql: str, parameters: Parameters = ()) -> dict[str, Any] | None:
        """The first row of a query, or None."""
        found = self.rows(sql, parameters)
        return found[0] if found else None

    def frame(self, sql: str, parameters: Parameters = ()) -> pd.DataFrame:
        """Run a query and give its rows as a DataFrame."""
        return self._run(sql, parameters).df()

    def insert_frame(self, sql: str, frame: pd.DataFrame) -> None:
        """Run a statement in which the table `incoming` is the DataFrame."""
        with self.atomic():
            cursor = self._cursor()
            cursor.register("incoming", frame)
            try:
                self.execute(sql)
            finally:
                cursor.unregister("incoming")

    def close(self) -> None:
        """Close the file; it can be opened again, by this or another process."""
        for cursor in self._cursors:
            cursor.close()
        self._cursors.clear()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.path}>"

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        if self._thread.cursor is None:
            self._thread.cursor = self._connection.cursor()
            self._cursors.append(self._thread.cursor)
        return self._thread.cursor

    def _run(self, sql: str, parameters: Parameters) -> duckdb.DuckDBPyConnection:
        """Run a statement. DuckDB gives a transaction up at the first that fails, and its COMMIT would not say so."""
        try:
            return self._cursor().execute(sql, parameters)
        except duckdb.Error:
            self._thread.is_spoilt = True
            raise

    def _migrate(self) -> None:
        """Apply what is missing, each migration in one transaction with its record."""
        columns = self.rows("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal")
        if columns and {"table_name": "migrations", "column_name": "applied"} not in columns:
            raise UnreadableFile(f"{self.path} holds tables of something else, but no store of qrkit")
        self.execute("CREATE TABLE IF NOT EXISTS migrations (name VARCHAR PRIMARY KEY, applied TIMESTAMP NOT NULL)")
        applied = {row["name"] for row in self.rows("SELECT name FROM migrations")}
        unknown = sorted(applied - MIGRATIONS.keys())
        if unknown:
            raise UnreadableFile(
                f"{self.path} was written by a newer qrkit (it has {', '.join(unknown)}); update qrkit"
            )
        for name, sql in MIGRATIONS.items():
            if name not in applied:
                with self.atomic():
                    self.execute(sql)
                    self.execute("INSERT INTO migrations VALUES (?, now() AT TIME ZONE 'UTC')", [name])


class _Thread(threading.local):
    """What a thread knows of its work on a store.

    Attributes:
        cursor: Its cursor, made when it is first needed.
        depth: How many `atomic` it is inside of.
        written: Statements that write, so far.
        is_spoilt: Whether its transaction can no longer be committed.
    """

    cursor: duckdb.DuckDBPyConnection | None = None
    depth = 0
    written = 0
    is_spoilt = False


def _connected(path: str) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(path, config=CONFINED)
    except duckdb.IOException as error:
        if "lock on file" in str(error) or "being used by another process" in str(error):
            raise StoreBusy(
                f"{path} is open in another process: close that one, or let it serve and use its HTTP interface"
            ) from error
        raise UnreadableFile(f"{path} cannot be opened as a store: {_first_line(error)}") from error
    except duckdb.Error as error:
        raise UnreadableFile(f"{path} cannot be opened as a store: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
