"""`Store`: the database file, its connections and its transactions.

One process holds the file; each of its threads works on a cursor of its own. A transaction is opened by `atomic`, and
the library never commits a transaction you opened: inside `with store.atomic():` everything is kept or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from qrkit.errors import InvalidParameter, Problem, StoreBusy, StoreReadOnly, UnreadableFile
from qrkit.store.duckdb.database import Database
from qrkit.store.engine import Cursor, Engine, Parameters
from qrkit.store.postgresql.database import Server, is_server

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

__all__ = ["Store"]

APPLIED = "SELECT name FROM migrations"


class Store:
    """A tracking store in one DuckDB file, or in a PostgreSQL database; `:memory:` keeps it in memory.

    Args:
        path: The file, which is made when it does not exist; or the URL of a database that is there,
            `postgresql://user@host/name`.
        read_only: Whether nothing may be changed.

    Attributes:
        path: Where it is, as it is shown: as it was given, but a URL without its password and options.
        database: What it shares with other stores of this process on the same file or database.

    Raises:
        StoreBusy: Another process has the file open, or the server does not answer.
        UnreadableFile: The file is not a store, its folder does not exist, or a newer qrkit wrote it.
        InvalidParameter: The URL cannot be read, or the package that reaches PostgreSQL is missing.
    """

    database: Engine

    def __init__(self, path: str | Path = ":memory:", *, read_only: bool = False) -> None:
        if is_server(path):
            if read_only:
                rule = "is for files; give the user of the database no right to change it"
                raise InvalidParameter(Problem("read_only", read_only, rule))
            self.database = Server.opened(str(path))
        else:
            self.database = Database.opened(path, read_only=read_only)
        self.path = self.database.path if self.database.is_shared else str(path)
        self._is_open = True
        try:
            self._migrate()
        except BaseException as error:
            self.close()
            if isinstance(error, self.database.errors):
                told = str(error).splitlines()[0]
                raise UnreadableFile(f"{self.path} cannot be opened as a store: {told}") from error
            raise

    @classmethod
    def on(cls, database: Engine) -> Self:
        """One more store on a database that is open, which does not keep it open."""
        store = cls.__new__(cls)
        store.path, store.database, store._is_open = database.path, database, True
        return store

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """A transaction: what is written inside is kept as a whole, or not at all when an error leaves it.

        Inside another `atomic` of the same thread it joins that one. Other threads wait with their writing, not with
        their reading.

        Raises:
            StoreBusy: The store was closed, or cannot be written; nothing of the transaction is kept. Only a server
                that vanished while it committed may have kept it, as a whole.
            RuntimeError: An error left an inner `atomic` that had written something, and was caught on its way: what
                it had written cannot be taken back alone, so nothing of the whole is kept.
        """
        if self.is_in_transaction:
            with self._joined():
                yield
        else:
            self._get_ready()
            with self.database.writing, self._transaction(self.database.dialect.begin_writing):
                self.database.thread.is_as_remembered = not self.database.is_shared
                yield

    @contextmanager
    def adding(self, *, alone: bool = False) -> Iterator[None]:
        """A transaction for visits alone, which does not wait for those that change records.

        Inside `atomic` it joins that transaction, which then has the visits for itself until it ends.

        Args:
            alone: Whether other processes, too, wait with their visits; threads of this one always do.
        """
        dialect = self.database.dialect
        if self.is_in_transaction:
            if self._take_visits() and dialect.visit_alone:
                self.rows(dialect.visit_alone)
            with self._joined():
                yield
        else:
            self._get_ready()
            begin = dialect.begin_visiting_alone if alone else dialect.begin_visiting
            with self.database.visiting, self._transaction(begin):
                self._take_visits()
                yield

    def _take_visits(self) -> bool:
        """Have the transaction of this thread hold the lock for visits until it ends; whether it did not yet."""
        thread = self.database.thread
        if thread.is_visiting:
            return False
        self.database.visiting.acquire()
        thread.is_visiting = True
        return True

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        thread = self.database.thread
        with self.database.holding():
            with self._statement() as cursor:
                cursor.execute(begin)
            thread.is_spoilt = False
            thread.depth = 1
            try:
                yield
                if thread.is_spoilt:
                    raise RuntimeError("an error inside this transaction was caught on its way; nothing of it was kept")
            except BaseException:
                self._end("ROLLBACK")
                raise
            else:
                self._end("COMMIT")

    @contextmanager
    def _joined(self) -> Iterator[None]:
        """A part of a transaction; when it fails after it wrote, the whole cannot be kept."""
        thread = self.database.thread
        written = thread.written
        thread.depth += 1
        try:
            yield
        except BaseException:
            thread.is_spoilt |= thread.written > written
            raise
        finally:
            thread.depth -= 1

    def _end(self, how: str) -> None:
        """Commit or roll back, then do what waited for it, and let the visits go."""
        thread = self.database.thread
        afterwards, thread.afterwards = thread.afterwards, []
        thread.depth, thread.is_reading, thread.is_as_remembered = 0, False, False
        try:
            if how == "COMMIT":
                self._commit()
                for act in afterwards:
                    act()
            else:
                # Where the file has failed there is nothing left to take back, and the first error says more.
                with suppress(*self.database.errors, StoreBusy), self._statement() as cursor:
                    cursor.execute(how)
        finally:
            if thread.is_visiting:
                thread.is_visiting = False
                self.database.visiting.release()

    def _commit(self) -> None:
        try:
            with self._statement() as cursor:
                cursor.execute("COMMIT")
        except self.database.errors as error:
            raise StoreBusy(f"{self.path} could not be written, and nothing of this was kept: {error}") from error

    @property
    def is_in_transaction(self) -> bool:
        """Whether this thread has a transaction open."""
        return self.database.thread.depth > 0

    def afterwards(self, act: Callable[[], None]) -> None:
        """Do something once the transaction of this thread is committed, before any other may begin to write."""
        self.database.thread.afterwards.append(act)

    def execute(self, sql: str, parameters: Parameters = ()) -> None:
        """Run a statement that writes, in a transaction of its own where none is open.

        Raises:
            StoreBusy: Nothing can be changed here.
        """
        self.check_writable()
        with self.atomic():
            self.database.thread.written += 1
            with self._statement() as cursor:
                cursor.execute(sql, parameters)

    def execute_often(self, sql: str, parameters: Parameters) -> None:
        """Run a long statement that is run again and again.

        Raises:
            StoreBusy: Nothing can be changed here.
        """
        self.check_writable()
        with self.atomic():
            self.database.thread.written += 1
            with self._statement() as cursor:
                self.database.run_often(cursor, sql, parameters)

    def check_writable(self) -> None:
        """Refuse to change a store that is closed or a snapshot.

        Raises:
            StoreBusy: It is closed.
            StoreReadOnly: It is a snapshot.
        """
        self.check_open()
        if self.database.read_only:
            raise StoreReadOnly(
                f"{self.path} is a snapshot, in which nothing can be changed; make the change where the store is served"
            )

    def rows(self, sql: str, parameters: Parameters = ()) -> list[dict[str, Any]]:
        """Run a query and give its rows as dictionaries by column name."""
        with self._statement() as cursor:
            cursor.execute(sql, parameters)
            names = [column[0] for column in cursor.description or ()]
            found = cursor.fetchall()
        return [dict(zip(names, row, strict=True)) for row in found]

    def row(self, sql: str, parameters: Parameters = ()) -> dict[str, Any] | None:
        """The first row of a query, or None."""
        found = self.rows(sql, parameters)
        return found[0] if found else None

    def frame(self, sql: str, parameters: Parameters = ()) -> pd.DataFrame:
        """Run a query and give its rows as a DataFrame."""
        with self._statement() as cursor:
            return self.database.frame(cursor, sql, parameters)

    @contextmanager
    def further_cursors(self) -> Iterator[Callable[[], duckdb.DuckDBPyConnection]]:
        """What makes cursors that see what is committed, for reading in other threads; at the end they are closed."""
        with self._file_statement() as cursor, ExitStack() as made:
            yield lambda: made.enter_context(closing(cursor.cursor()))

    def add_rows(self, table: str, rows: Any) -> None:
        """Add a DataFrame to a table that has its columns in this order; of a file it may be a stream of Arrow.

        Raises:
            StoreBusy: Nothing can be changed here.
        """
        self.check_writable()
        with self.atomic():
            self.database.thread.written += 1
            with self._statement() as cursor:
                self.database.add_rows(cursor, table, rows)

    @contextmanager
    def reading(self, begin: str) -> Iterator[None]:
        """A transaction that reads one state and keeps nobody waiting; how it begins is for who knows its engine."""
        self._get_ready()
        with self._transaction(begin):
            self.database.thread.is_reading = True
            yield

    @contextmanager
    def csv(self, select: str) -> Iterator[Iterator[bytes]]:
        """The rows of a query to a server as lines of CSV: texts in quotes, nothing at all where there is no value."""
        assert isinstance(self.database, Server)
        with self._statement() as cursor, self.database.copied(cursor, select) as lines:
            yield lines

    def add_csv(self, table: str, lines: Iterator[bytes]) -> None:
        """Add such lines to a table of a server, in a transaction of its own where none is open."""
        assert isinstance(self.database, Server)
        self.check_writable()
        with self.atomic():
            self.database.thread.written += 1
            with self._statement() as cursor:
                self.database.add_csv(cursor, table, lines)

    def checkpoint(self) -> None:
        """Have everything that is committed in the file itself, and nothing in its log.

        Raises:
            InvalidParameter: The store is on a server.
            StoreBusy: The store was closed, or its file cannot be written.
        """
        self._get_ready()
        with self.database.writing, self.database.visiting, self._file_statement() as cursor:
            # FORCE: statements of other threads that read are waited for; without it they would be an error.
            cursor.execute("FORCE CHECKPOINT")

    def close(self) -> None:
        """Let the file go, once what waits is written; it can be opened again, by this or another process."""
        if self._is_open:
            self._is_open = False
            self.database.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.path}>"

    def check_open(self) -> None:
        """Refuse to work on.

        Raises:
            StoreBusy: The store was closed, or this process is a fork of the one that opened it.
        """
        if not self._is_open:
            raise StoreBusy(f"{self.path} was closed; open it again")
        self.database.check_process()

    def _get_ready(self) -> None:
        """Open a file that has failed anew, where no transaction is lost by it."""
        self.check_open()
        if self.database.is_broken and not self.is_in_transaction:
            self.database.restore()

    @property
    def lasting_path(self) -> str:
        """What another process opens, or this one later, wherever it goes: of a file the absolute path; else `path`."""
        return str(self.database.file) if isinstance(self.database, Database) else self.path

    @property
    def file(self) -> Database:
        """The database of a store that is a file, for what only files need or can.

        Raises:
            InvalidParameter: It is on a server.
        """
        if isinstance(self.database, Database):
            return self.database
        rule = "is on a server, whose own tools do this (pg_dump, VACUUM)"
        raise InvalidParameter(Problem("store", self.path, rule))

    @contextmanager
    def _file_statement(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of DuckDB."""
        assert self.file
        with self._statement() as cursor:
            yield cursor  # type: ignore[misc]

    @contextmanager
    def _statement(self) -> Iterator[Cursor]:
        """A cursor for a statement. A transaction is given up at the first that fails, and COMMIT does not say so.

        Raises:
            StoreBusy: The store cannot be used, or the disk or the network failed.
        """
        self._get_ready()
        try:
            with self.database.using() as cursor:
                yield cursor
        except self.database.errors as error:
            self.database.thread.is_spoilt = True
            if self.database.has_failed(error):
                message = f"{self.path} could not be read or written: {error}; {self.database.remedy}"
                raise StoreBusy(message) from error
            raise

    def _migrate(self) -> None:
        """Apply what is missing, each migration in one transaction with its record."""
        dialect = self.database.dialect
        if not self.rows(dialect.tables):
            with self.atomic():  # which only one of several processes that start at once has
                self.execute(
                    "CREATE TABLE IF NOT EXISTS migrations (name VARCHAR PRIMARY KEY, applied TIMESTAMP NOT NULL)"
                )
        if {"table_name": "migrations", "column_name": "applied"} not in self.rows(dialect.tables):
            raise UnreadableFile(f"{self.path} holds tables of something else, but no store of qrkit")
        applied = {row["name"] for row in self.rows(APPLIED)}
        if newer := ", ".join(sorted(applied - dialect.migrations.keys())):
            raise UnreadableFile(f"{self.path} was written by a newer qrkit (it has {newer}); update qrkit")
        for name in [name for name in dialect.migrations if name not in applied]:
            with self.atomic():
                if {"name": name} not in self.rows(APPLIED):  # unless another process was faster
                    self.execute(dialect.migrations[name])
                    self.execute("INSERT INTO migrations VALUES (?, now() AT TIME ZONE 'UTC')", [name])
