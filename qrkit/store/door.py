"""`Door`: lets other processes of the same user work with a store that this process serves.

A thread for each caller runs the caller's statements, with its own cursor and its own transactions, and keeps the
caches of this process up to date. A caller that ends in the middle of a transaction leaves nothing behind.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from typing import Any, Self

import duckdb

from qrkit.errors import QrkitError, StoreBusy
from qrkit.store.connection import Store
from qrkit.store.copies.sandbox import ALONE, Query, Stream
from qrkit.store.history.archiving import archive
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.recording.user_agents import forget_numbers
from qrkit.store.records.drawing_templates import forget_looks
from qrkit.store.records.short_codes import remember_changed
from qrkit.store.served.socket_files import has_sockets, is_trusted, listening
from qrkit.store.served.wire import STANDING, TAKE_VISITS, VISITING, WRITING, TooLong, failure, receive, send
from qrkit.store.upkeep.maintenance import compact, forget_visits, standing

ROWS_AT_ONCE = 2_000
"""Rows of an answer: while Python writes these, no redirect is answered."""
CALLS: dict[str, Callable[..., Any]] = {
    "changed": remember_changed, "include waiting": include_waiting,
    "compact": lambda store: {"bytes": compact(store)},
    "archive": lambda *asked: asdict(archive(*asked)),
    "forget visits": lambda *asked: {"visits": forget_visits(*asked)},
}  # fmt: skip
"""What a caller may request besides statements: functions of the store and of what the caller sends."""

_log = logging.getLogger("qrkit")


class _RolledBack(Exception):
    """The caller has asked for its transaction to be rolled back."""


class Door:
    """A socket beside a store's file; while the `with` block runs, other processes can work with the store.

    Does nothing for a store that several processes can open, or that is in memory. If no socket can be made, the log
    says so.

    Args:
        most_callers: Maximum number of connections; a command uses one for each of its threads that need the store.
        idle_seconds: How long a caller may be silent.
        transaction_seconds: How long it may be silent where others wait for it: in a transaction that writes, or before
            it has read all rows of a statement. Well below the 20 seconds for which a request waits for its turn; the
            longest silence of a command that imports 100,000 rows was one second.
    """

    def __init__(
        self, store: Store, *, most_callers: int = 16, idle_seconds: float = 600.0, transaction_seconds: float = 10.0
    ) -> None:
        self._store = store
        self._idle_seconds, self._transaction_seconds = idle_seconds, transaction_seconds
        self._places = threading.BoundedSemaphore(most_callers)
        self._callers: dict[threading.Thread, socket.socket] = {}
        self._changing = threading.Lock()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if has_sockets() and self._store.database.is_file:
            try:
                listener = self._open.enter_context(listening(self._store.file.file))
            except OSError as error:
                text = "no socket can be made beside %s, so commands cannot work with it while it is served: %s"
                _log.warning(text, self._store.path, error)
            else:
                self._open.callback(self._begin(listener))
        return self

    def __exit__(self, *_: object) -> None:
        """Close the socket, and end what callers are doing; transactions that are not complete are rolled back."""
        self._open.close()
        with self._changing:
            callers = list(self._callers.items())
        for thread, connection in callers:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()

    def _begin(self, listener: socket.socket) -> Callable[[], None]:
        """Start to accept callers, and return a function that ends this."""
        ending, told = socket.socketpair()
        accepting = threading.Thread(target=self._accept, args=(listener, told), name="accepts commands", daemon=True)
        accepting.start()

        def end() -> None:
            ending.close()
            accepting.join()
            told.close()

        return end

    def _accept(self, listener: socket.socket, told: socket.socket) -> None:
        while told not in (ready := select([listener, told], [], [])[0]):
            if listener in ready:
                with suppress(OSError):  # the caller has gone already
                    connection, _ = listener.accept()
                    thread = threading.Thread(target=self._attend, args=(connection,), name="command", daemon=True)
                    with self._changing:
                        self._callers[thread] = connection
                    thread.start()

    def _attend(self, connection: socket.socket) -> None:
        try:
            with connection, suppress(OSError, EOFError, ValueError):
                self._admit(connection)
        finally:
            with self._changing:
                del self._callers[threading.current_thread()]

    def _admit(self, connection: socket.socket) -> None:
        if not is_trusted(connection, {0, os.geteuid()}):
            send(connection, failure(StoreBusy(f"{self._store.path} is served by another user")))
        elif not self._places.acquire(blocking=False):
            text = f"too many commands are using {self._store.path} at once; try again when one has finished"
            send(connection, failure(StoreBusy(text)))
        else:
            try:
                _Caller(self._store, connection, self._idle_seconds, self._transaction_seconds).attend()
            finally:
                self._places.release()


class _Caller:
    """A connection to a process that asks."""

    def __init__(
        self, store: Store, connection: socket.socket, idle_seconds: float, transaction_seconds: float
    ) -> None:
        self._store, self._connection = store, connection
        self._idle_seconds, self._transaction_seconds = idle_seconds, transaction_seconds
        self._is_writing = self._has_rows = False
        self._statement = ExitStack()
        self._rows: Iterator[Sequence[Any]] = iter(())

    def attend(self) -> None:
        """Answer requests until the caller is done."""
        database = self._store.database
        send(self._connection, {"id": database.id, "migrations": list(database.dialect.migrations)})
        try:
            while True:
                word, arguments = self._request()
                if word == "run" and str(*arguments[:1]).startswith("BEGIN"):
                    self._transact(arguments[0])
                else:
                    self._answer(word, arguments)
        finally:
            self._statement.close()

    def _request(self) -> tuple[str, list[Any]]:
        do_others_wait = self._is_writing or self._has_rows
        self._connection.settimeout(self._transaction_seconds if do_others_wait else self._idle_seconds)
        message, _ = receive(self._connection)
        if not isinstance(message, list) or not message:
            raise ValueError("a request is a list that begins with a word")
        return message[0], message[1:]

    def _transact(self, begin: str) -> None:
        """Begin a transaction, answer the requests in it, and commit it or roll it back."""
        try:
            with suppress(_RolledBack), self._begun(begin):
                send(self._connection, {})
                while (request := self._request())[1][:1] not in (["COMMIT"], ["ROLLBACK"]):
                    self._answer(*request)
                self._statement.close()
                if request[1][0] == "ROLLBACK":
                    raise _RolledBack
        except (QrkitError, RuntimeError, duckdb.Error) as error:
            send(self._connection, failure(error))
        else:
            send(self._connection, {})

    @contextmanager
    def _begun(self, begin: str) -> Iterator[None]:
        store = self._store
        if begin == STANDING:
            with standing(store):
                yield
        elif begin in (WRITING, VISITING):
            with store.atomic() if begin == WRITING else store.adding():
                self._is_writing = True
                try:
                    yield
                finally:
                    self._is_writing = False
                # The caller may have changed anything, and does not say what.
                store.afterwards(lambda: forget_looks(store))
                store.afterwards(lambda: forget_numbers(store))
        else:
            with store.reading(begin):
                yield

    def _answer(self, word: str, arguments: list[Any]) -> None:
        data = b""
        try:
            answer = self._done(word, arguments)
            data = answer.pop("data", data)
        except Exception as error:
            if not isinstance(error, duckdb.Error):
                _log.debug("a command was refused", exc_info=True)
            answer = failure(error)
        try:
            send(self._connection, answer, data)
        except (TooLong, TypeError) as error:
            send(self._connection, failure(StoreBusy(f"the answer cannot be sent: {error}")))

    def _done(self, word: str, arguments: list[Any]) -> dict[str, Any]:
        """Run a request, and return the answer."""
        if word == "more":
            return self._part()
        self._statement.close()
        self._has_rows = False
        if word in ("run", "run often"):
            return self._run(*arguments, is_often=word == "run often")
        if word == "frame":
            return self._frame(*arguments)
        if word not in CALLS:
            raise ValueError(f"{word!r} is no request")
        return CALLS[word](self._store, *arguments) or {}

    def _run(self, sql: str, parameters: Any, *, is_often: bool) -> dict[str, Any]:
        if sql == TAKE_VISITS:
            self._store.take_visits()
            return {}
        with ExitStack() as statement:
            cursor = statement.enter_context(self._store.statement())
            if is_often:
                self._store.database.run_often(cursor, sql, parameters)
            else:
                cursor.execute(sql, parameters)
            self._rows = chain.from_iterable(iter(lambda: cursor.fetchmany(ROWS_AT_ONCE), []))
            columns = [column[0] for column in cursor.description or ()]
            self._statement = statement.pop_all()
        return {"columns": columns} | self._part()

    def _part(self) -> dict[str, Any]:
        """Return the next rows of the statement, and close it after its last row."""
        rows = list(islice(self._rows, ROWS_AT_ONCE))
        self._has_rows = len(rows) == ROWS_AT_ONCE
        if not self._has_rows:
            self._statement.close()
        return {"rows": rows, "more": self._has_rows}

    def _frame(self, sql: str, parameters: Any) -> dict[str, Any]:
        """Run a query, and return its rows as Parquet, which DuckDB writes while other threads run Python."""
        with (
            self._store.statement() as cursor,
            TemporaryDirectory(prefix="qrkit-") as folder,
            duckdb.connect(":memory:", config={**ALONE, "enable_external_access": "true"}) as alone,
        ):
            assert isinstance(cursor, duckdb.DuckDBPyConnection)
            found = cursor.sql(sql, params=parameters)
            columns, kinds = list(found.columns), [str(kind) for kind in found.types]
            file = Path(folder) / "rows.parquet"
            alone.register("incoming", Stream(cursor, Query(sql, parameters)))
            alone.execute("COPY (FROM incoming) TO ? (FORMAT parquet)", [str(file)])
            return {"columns": columns, "kinds": kinds, "data": file.read_bytes()}
