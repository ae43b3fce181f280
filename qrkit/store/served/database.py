"""`ServedStore`: a store in a file that another process of this user serves; that process runs the statements."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from qrkit.errors import StoreBusy
from qrkit.late import pd
from qrkit.store.connection import Store
from qrkit.store.copies.sandbox import read_parquet
from qrkit.store.duckdb.database import DISK, DUCKDB, Database
from qrkit.store.engine import Engine, Parameters
from qrkit.store.served.socket_files import connected
from qrkit.store.served.wire import STANDING, TAKE_VISITS, VISITING, WRITING, TooLong, raised, receive, send

TOGETHER = 5_000
"""Rows of a table that are sent at once."""
GONE = (OSError, EOFError)
"""Errors of a connection that cannot be used any more."""
LOST = (
    "does not answer any more: the process that serves it has ended, or waited too long for this one and took back "
    "what this one had not finished; try again"
)


def served_store(path: str | Path) -> ServedStore | None:
    """Return a store that another process of this user serves; None if none does."""
    connection = connected(Path(path).resolve())
    return None if connection is None else ServedStore(path, connection)


class ServedStore(Store):
    """A store in a file that another process serves. Only one statement at a time runs for each thread."""

    database: ServedDatabase

    def __init__(self, path: str | Path, connection: socket.socket) -> None:
        self.database = ServedDatabase(path, connection)
        self.path = str(path)
        self._is_open = True

    @property
    def lasting_path(self) -> str:
        """Return the absolute path of the file."""
        return str(self.database.target)

    @property
    def file(self) -> NoReturn:
        """Raise an error, because the file is open in the other process."""
        raise StoreBusy(f"{self.path} is served by another process; stop it first, because this needs the file itself")

    def call(self, name: str, *arguments: Any) -> dict[str, Any]:
        """Have the other process do one of `qrkit.store.door.CALLS`, and return its answer."""
        self.check_no_transaction()
        return self.database.ask(name, *arguments)

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Context manager: the file is complete and does not change, so that it can be copied."""
        with self.database.writing, self._transaction(STANDING):
            yield


class ServedDatabase(Engine):
    """The database of a file that another process has open. Each thread has a connection of its own."""

    is_file = is_served = True
    dialect = replace(DUCKDB, begin_writing=WRITING, begin_visiting=VISITING, visit_alone=TAKE_VISITS)
    errors, value_errors, remedy = Database.errors, Database.value_errors, Database.remedy

    def __init__(self, path: str | Path, connection: socket.socket) -> None:
        super().__init__(str(path))
        self.target = Path(path).resolve()
        self.helpers["recorder"] = _Recorder(self)
        self._cursors: list[ServedCursor] = []
        self.thread.cursor = self._greeted(connection)

    def _greeted(self, connection: socket.socket) -> ServedCursor:
        """Return a cursor on a new connection, after the other process has described its store."""
        cursor = ServedCursor(connection)
        try:
            told, _ = cursor.received()
            if told["migrations"] != list(self.dialect.migrations):
                raise StoreBusy(f"{self.path} is served by another version of qrkit; restart its server")
        except BaseException as error:
            cursor.close()
            if isinstance(error, GONE):
                raise StoreBusy(f"{self.path} is served by a process that does not answer: {error}") from error
            raise
        self.id = told["id"]
        self._cursors.append(cursor)
        return cursor

    @contextmanager
    def using(self) -> Iterator[ServedCursor]:
        """Context manager: yields this thread's cursor for one statement and its rows."""
        self.check_process()
        if self.thread.cursor is None:
            connection = connected(self.target)
            if connection is None:
                raise StoreBusy(f"{self.path} is no longer served; try again")
            self.thread.cursor = self._greeted(connection)
        try:
            yield self.thread.cursor
        except GONE as error:
            self.thread.is_spoilt = True
            raise StoreBusy(f"{self.path} {LOST}") from error

    def has_failed(self, error: Exception) -> bool:
        """Return whether the disk of the other process caused an error, rather than a statement."""
        return isinstance(error, DISK)

    def tell_changed(self, short_codes: Iterable[str]) -> None:
        """Tell the process that serves the file which short codes get other targets with this transaction."""
        self.ask("changed", list(short_codes))

    def ask(self, *request: Any) -> dict[str, Any]:
        """Send a request that is not a statement, and return the answer."""
        with Store.on(self).statement():  # handles a lost connection as for a statement
            answer: dict[str, Any] = self.thread.cursor.ask(*request)[0]
        return answer

    def run_often(self, cursor: ServedCursor, sql: str, parameters: Parameters) -> None:
        """Run a long statement that is run repeatedly; the other process parses it only once."""
        cursor.run(sql, parameters, is_often=True)

    def add_rows(self, cursor: ServedCursor, table: str, rows: pd.DataFrame) -> None:
        """Append a DataFrame to a table with the same column order, a part at a time, because messages are short."""
        lists = ", ".join("unnest(?)" for _ in rows.columns)
        for start in range(0, len(rows), TOGETHER):
            part = rows.iloc[start : start + TOGETHER].astype("object")
            part = part.where(part.notna(), None)
            cursor.run(f"INSERT INTO {table} SELECT {lists}", [part[name].tolist() for name in part], is_often=False)

    def frame(self, cursor: ServedCursor, sql: str, parameters: Parameters) -> pd.DataFrame:
        """Run a query and return the rows as a DataFrame."""
        answer, data = cursor.ask("frame", sql, parameters)
        return read_parquet(data, dict(zip(answer["columns"], answer["kinds"], strict=True)))

    def is_same(self, other: Engine) -> bool:
        """Return whether both databases are the same file."""
        return isinstance(other, ServedDatabase) and self.target == other.target

    def release(self) -> None:
        """Close the connections."""
        self.finish()
        for cursor in self._cursors:
            cursor.close()


class ServedCursor:
    """Sends the statements of a thread, one after the other; tuples of `description` start with a column name."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.description: Sequence[Any] = ()
        self._rows: list[Any] = []
        self._has_more = False

    def execute(self, query: str, parameters: Parameters = (), /) -> None:
        """Run a statement."""
        self.run(query, parameters)

    def run(self, sql: str, parameters: Parameters, *, is_often: bool = False) -> None:
        """Run a statement, and read the first rows of its result."""
        self._rows, self._has_more = [], False
        answer, _ = self.ask("run often" if is_often else "run", sql, parameters)
        self.description = [(name,) for name in answer.get("columns", ())]
        self._add(answer)

    def _add(self, answer: dict[str, Any]) -> None:
        self._rows += [tuple(row) for row in answer.get("rows", ())]
        self._has_more = answer.get("more", False)

    def fetchall(self) -> list[Any]:
        """Return the remaining rows of the result, as tuples."""
        while self._has_more:
            self._add(self.ask("more")[0])
        return self.fetchmany(len(self._rows))

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return the next rows of the result, at most this many; none at its end."""
        while len(self._rows) < size and self._has_more:
            self._add(self.ask("more")[0])
        found, self._rows = self._rows[:size], self._rows[size:]
        return found

    def ask(self, *request: Any) -> tuple[dict[str, Any], bytes]:
        """Send a request, and return the answer and the bytes that follow it."""
        try:
            send(self._connection, request)
        except TooLong as error:
            raise StoreBusy(f"too much is to be written at once: {error}") from error
        except BaseException:
            self.close()
            raise
        return self.received()

    def received(self) -> tuple[dict[str, Any], bytes]:
        """Return the next answer and the bytes that follow it; OSError or EOFError if the other process has gone."""
        try:
            answer, data = receive(self._connection)
        except BaseException:
            # Ctrl-C may come in the middle of an answer; what follows would be taken for another answer.
            self.close()
            raise
        raised(answer)
        return answer, data

    def close(self) -> None:
        """Close the connection; the other process rolls back a transaction that is not complete."""
        self._connection.close()


class _Recorder:
    """Stands in for the recorder of visits, which runs in the other process."""

    def __init__(self, database: ServedDatabase) -> None:
        self._database = database

    def drain(self) -> None:
        """Move the waiting visits into the store."""
        self._database.ask("include waiting")

    def add(self, *_: Any, **__: Any) -> NoReturn:
        """Raise an error."""
        raise StoreBusy(f"{self._database.path} is served by another process, which alone records visits")
