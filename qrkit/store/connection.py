"""`Store`: the database file, its connections and its transactions.

One process can open the file at a time; each thread of the process has its own cursor. `atomic` begins a transaction.
The library never commits a transaction that you began: `with store.atomic():` commits all changes or none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from qrkit.errors import InvalidParameter, Problem, StoreBusy, StoreClosed, StoreDamaged, StoreReadOnly, UnreadableFile
from qrkit.store.all_visits import view_of
from qrkit.store.duckdb.damage import damaged
from qrkit.store.duckdb.database import Database
from qrkit.store.engine import Cursor, Engine, Parameters
from qrkit.store.places.history_folder import Folder, misnamed
from qrkit.store.places.history_places import Place, place_at
from qrkit.store.postgresql.database import Server, is_server

if TYPE_CHECKING:
    import duckdb
    import pandas as pd


TABLE_OF_MIGRATIONS = "CREATE TABLE IF NOT EXISTS migrations (name VARCHAR PRIMARY KEY, applied TIMESTAMP NOT NULL)"
RECORD_APPLIED = "INSERT INTO migrations SELECT unnest(?::VARCHAR[]), now() AT TIME ZONE 'UTC'"
ID = "SELECT value FROM settings WHERE name = 'id'"
FILES = "SELECT file, version, last::DATE + 1 AS until FROM history ORDER BY file"
PLACE = "SELECT value FROM settings WHERE name = 'history'"
SET_PLACE = "INSERT OR REPLACE INTO settings (name, value) VALUES ('history', ?)"

SHOWS_FILES = "SELECT 1 AS one FROM duckdb_views() WHERE view_name = 'all_visits' AND contains(sql, 'read_parquet')"
"""Whether the view has the archived visits, which a migration takes out of it."""

_history_log = logging.getLogger("qrkit.history")
"""A log of its own, because commands that need the archived visits say themselves what is missing."""

ROWS_AT_ONCE = 10_000
"""Rows of a long result that are in memory at a time."""


class Store:
    """A tracking store: a DuckDB file, a PostgreSQL database or, with `:memory:`, a database in memory.

    Args:
        path: The file, which is created if it does not exist, or the URL of an existing database,
            `postgresql://user@host/name`.
        read_only: Whether to reject all changes.
        history: Where a file has its archived visits; by default, in the folder beside it.

    Attributes:
        path: The path as you gave it; a URL is shown without its password and options.
        database: The open database, shared with other stores of this process on the same file or server.

    Raises:
        StoreBusy: If another process has the file open, or the server does not answer.
        UnreadableFile: If the file is not a store, its folder does not exist, or a newer qrkit wrote it.
        InvalidParameter: If the URL is not a PostgreSQL URL.
        MissingProgram: If `path` is a PostgreSQL URL and psycopg is not installed.
    """

    database: Engine

    def __init__(self, path: str | Path = ":memory:", *, read_only: bool = False, history: Place | None = None) -> None:
        if is_server(path):
            if read_only:
                rule = "is only for files; on a database server, use an account that may not change the store"
                raise InvalidParameter(Problem("read_only", read_only, rule))
            self.database = Server.opened(str(path))
        else:
            self.database = Database.opened(path, read_only=read_only, history=history)
        self.path = self.database.path if self.database.is_shared else str(path)
        self._is_open = True
        try:
            self._migrate()
            self.database.id = self._id()
            self.find_history()
        except BaseException as error:
            self.close()
            if isinstance(error, self.database.errors):
                told = str(error).splitlines()[0]
                raise UnreadableFile(f"{self.path} cannot be opened as a store: {told}") from error
            raise

    @classmethod
    def on(cls, database: Engine) -> Self:
        """Return another store on an open database; this store does not keep the database open."""
        store = cls.__new__(cls)
        store.path, store.database, store._is_open = database.path, database, True
        return store

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Context manager: runs the block in a transaction, and rolls the transaction back if the block raises.

        A nested `atomic` of the same thread joins the outer transaction. Other threads wait to write, but not to read.

        Raises:
            StoreBusy: If the store was closed or cannot be written; the transaction is then rolled back. If a server
                becomes unreachable during the commit, the whole transaction may still have been committed.
            RuntimeError: If a nested `atomic` raised after a write and the block caught the error. The nested changes
                cannot be rolled back separately, so the whole transaction is rolled back.
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
    def adding(self) -> Iterator[None]:
        """Context manager: runs a transaction that only adds visits and does not wait for changes to records.

        Inside `atomic`, it joins that transaction, which then keeps the lock for visits until the transaction ends.
        """
        dialect = self.database.dialect
        if self.is_in_transaction:
            if self.take_visits() and dialect.visit_alone:
                self.rows(dialect.visit_alone)
            with self._joined():
                yield
        else:
            self._get_ready()
            with self.database.visiting, self._transaction(dialect.begin_visiting):
                self.take_visits()
                yield

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Context manager: runs a transaction on a server that waits for no other transaction of this process."""
        self._get_ready()
        with self._transaction("BEGIN"):
            yield

    def take_visits(self) -> bool:
        """Acquire the lock for visits until this thread's transaction ends; return False if it is already held."""
        thread = self.database.thread
        if thread.is_visiting:
            return False
        self.database.visiting.acquire()
        thread.is_visiting = True
        return True

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        thread = self.database.thread
        if isinstance(self.database, Database) and begin == self.database.dialect.begin_writing:
            self.database.guard_log()
        with self.database.holding():
            with self.statement() as cursor:
                cursor.execute(begin)
            thread.is_spoilt = False
            thread.depth = 1
            try:
                yield
                if thread.is_spoilt:
                    raise RuntimeError("an error inside this transaction was caught; nothing was kept")
            except BaseException:
                self._end("ROLLBACK")
                raise
            else:
                self._end("COMMIT")

    @contextmanager
    def _joined(self) -> Iterator[None]:
        """Context manager: joins the open transaction, which cannot be committed if the block fails after a write."""
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
        """Commit or roll back, call the `afterwards` functions after a commit, and release the lock for visits."""
        thread = self.database.thread
        afterwards, thread.afterwards = thread.afterwards, []
        thread.depth, thread.is_reading, thread.is_as_remembered = 0, False, False
        try:
            if how == "COMMIT":
                self._commit()
                for act in afterwards:
                    act()
            else:
                # If the file has failed, there is nothing to roll back, and the first error is more informative.
                with suppress(*self.database.errors, StoreBusy, StoreClosed), self.statement() as cursor:
                    cursor.execute(how)
        finally:
            if thread.is_visiting:
                thread.is_visiting = False
                self.database.visiting.release()

    def _commit(self) -> None:
        try:
            with self.statement() as cursor:
                cursor.execute("COMMIT")
        except self.database.errors as error:
            raise StoreBusy(f"{self.path} could not be written, and nothing was changed: {error}") from error

    @property
    def is_in_transaction(self) -> bool:
        """Return whether this thread has an open transaction."""
        return self.database.thread.depth > 0

    def check_no_transaction(self) -> None:
        """Raise an error if this thread has an open transaction, which would wait for itself."""
        if self.is_in_transaction:
            raise StoreBusy(f"this thread has an open transaction in {self.path}; end it first")

    def afterwards(self, act: Callable[[], None]) -> None:
        """Call a function after this thread's transaction is committed, before another transaction can write."""
        self.database.thread.afterwards.append(act)

    def execute(self, sql: str, parameters: Parameters = ()) -> None:
        """Run a statement that writes; without an open transaction, the statement runs in a new one.

        Raises:
            StoreClosed: If the store is closed.
        """
        with self._writing() as cursor:
            cursor.execute(sql, parameters)

    def execute_often(self, sql: str, parameters: Parameters) -> None:
        """Run a long statement that is run repeatedly; DuckDB parses it only once."""
        with self._writing() as cursor:
            self.database.run_often(cursor, sql, parameters)

    @contextmanager
    def _writing(self) -> Iterator[Cursor]:
        """Context manager: yields a cursor for a statement that writes; without an open transaction, in a new one."""
        self.check_writable()
        with self.atomic():
            self.database.thread.written += 1
            with self.statement() as cursor:
                yield cursor

    def check_writable(self) -> None:
        """Raise an error if the store cannot be changed."""
        self.check_open()
        if self.database.read_only:
            raise StoreReadOnly(
                f"{self.path} is a snapshot, in which nothing can be changed; make the change where the store is served"
            )

    def rows(self, sql: str, parameters: Parameters = ()) -> list[dict[str, Any]]:
        """Run a query and return the rows as dictionaries by column name."""
        with self.statement() as cursor:
            cursor.execute(sql, parameters)
            names = [column[0] for column in cursor.description or ()]
            found = cursor.fetchall()
        return [dict(zip(names, row, strict=True)) for row in found]

    def each_row(self, sql: str, parameters: Parameters = ()) -> Generator[tuple[Any, ...], None, None]:
        """Run a query, parsed once, that returns many rows, and yield them as tuples; few are in memory at a time.

        The statement ends with the generator, so nothing else may run on this store until then. A caller that may fail
        on a row must close the generator: the error would keep it alive, and closing the store waits for it.
        """
        with self.statement() as cursor:
            self.database.run_often(cursor, sql, parameters)
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                yield from rows

    def arrays(self, sql: str, parameters: Parameters = ()) -> dict[str, Any]:
        """Run a query on a file and return its columns by name as NumPy arrays; text columns have dtype object.

        No value may be NULL. For many rows, this takes a third of the time of `rows`, and loads no pandas.
        """
        with self._file_statement() as cursor:
            found: dict[str, Any] = cursor.execute(sql, parameters).fetchnumpy()
        return found

    def row(self, sql: str, parameters: Parameters = ()) -> dict[str, Any] | None:
        """Run a query and return the first row, or None."""
        found = self.rows(sql, parameters)
        return found[0] if found else None

    def value(self, sql: str, parameters: Parameters = ()) -> Any | None:
        """Run a query and return the first value of the first row; None if there is no row."""
        row = self.row(sql, parameters)
        return next(iter(row.values())) if row else None

    def frame(self, sql: str, parameters: Parameters = ()) -> pd.DataFrame:
        """Run a query and return the rows as a DataFrame."""
        with self.statement() as cursor:
            return self.database.frame(cursor, sql, parameters)

    @contextmanager
    def further_cursors(self) -> Iterator[Callable[[], duckdb.DuckDBPyConnection]]:
        """Context manager: yields a factory for cursors that see committed data, for other threads; closes them."""
        with self._file_statement() as cursor, ExitStack() as made:
            yield lambda: made.enter_context(closing(cursor.cursor()))

    @contextmanager
    def showing(self, name: str, rows: Any) -> Iterator[None]:
        """Context manager: lets this thread's statements on a file read a DataFrame as a table, without a copy."""
        with self._file_statement() as cursor:
            cursor.register(name, rows)
        try:
            yield
        finally:
            # After a failed transaction, unregistering fails too; the first error is more informative.
            with suppress(*self.database.errors), self._file_statement() as cursor:
                cursor.unregister(name)

    def add_rows(self, table: str, rows: Any) -> None:
        """Append a DataFrame to a table with the same column order; a file also accepts arrays and an Arrow stream."""
        with self._writing() as cursor:
            self.database.add_rows(cursor, table, rows)

    @contextmanager
    def reading(self, begin: str) -> Iterator[None]:
        """Context manager: runs a read-only transaction that blocks no others; `begin` is the BEGIN statement."""
        self._get_ready()
        with self._transaction(begin):
            self.database.thread.is_reading = True
            yield

    @contextmanager
    def csv(self, query: str, *, deleted: str = "") -> Iterator[Iterator[bytes]]:
        """Context manager: yields a server's query result as CSV lines; text is quoted, NULL is an empty field.

        `deleted` is a DELETE that returns the same columns; it runs in the open transaction, and its rows are yielded.
        """
        assert isinstance(self.database, Server)
        self.database.thread.written += bool(deleted)
        with self.statement() as cursor, self.database.csv(cursor, query, deleted or query) as lines:
            yield lines

    def add_csv(self, table: str, lines: Iterator[bytes]) -> None:
        """Append CSV lines to a table on a server; without an open transaction, in a new one."""
        assert isinstance(self.database, Server)
        with self._writing() as cursor:
            self.database.add_csv(cursor, table, lines)

    def checkpoint(self) -> None:
        """Checkpoint: move all committed data from the log into the database file.

        Raises:
            InvalidParameter: If the store is on a server.
            StoreBusy: If the file cannot be written.
            StoreClosed: If the store was closed.
        """
        self._get_ready()
        with self.database.writing, self.database.visiting, self._file_statement() as cursor:
            # FORCE waits for reads in other threads; without FORCE, DuckDB would raise an error.
            cursor.execute("FORCE CHECKPOINT")

    def close(self) -> None:
        """Close the store after pending visits are written; this or another process can then open the store again."""
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
        """Raise an error if the store is closed."""
        if not self._is_open:
            raise StoreClosed(f"{self.path} was closed; open it again")
        self.database.check_process()

    def _get_ready(self) -> None:
        """Reopen a failed database, unless this thread has an open transaction."""
        self.check_open()
        if self.database.is_broken and not self.is_in_transaction:
            self.database.restore()

    @property
    def own_memory(self) -> dict[str, Any]:
        """Return what is cached of tables; a new dictionary on a server, where other processes may change them."""
        return {} if self.database.is_shared else self.database.memory

    @property
    def lasting_path(self) -> str:
        """Return a path that stays valid when the working directory changes: absolute for a file, else `path`."""
        return str(self.database.file) if isinstance(self.database, Database) else self.path

    @property
    def file(self) -> Database:
        """Return the DuckDB database, for operations that only a file supports.

        Raises:
            InvalidParameter: If the store is on a server.
        """
        if isinstance(self.database, Database):
            return self.database
        rule = "is on a server; use the tools of the server instead (pg_dump, VACUUM)"
        raise InvalidParameter(Problem("store", self.path, rule))

    @contextmanager
    def _file_statement(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Context manager: yields a DuckDB cursor."""
        assert self.file
        with self.statement() as cursor:
            yield cursor  # type: ignore[misc]

    @contextmanager
    def statement(self) -> Iterator[Cursor]:
        """Context manager: yields a cursor. A failed statement fails the transaction: COMMIT might not report it."""
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

    def show_history(self) -> None:
        """Make the view `all_visits` read the files that the table `history` lists, from the next commit on.

        Raises:
            StoreDamaged: If a row of the table does not name an archived file.
        """
        place = self.database.history
        listed = self.rows(FILES) if place else []
        if wrong := misnamed("archived", [row["file"] for row in listed]):
            raise damaged(self.path, f"cannot read its archived visits: {'; '.join(wrong)}")
        versions = {place.address_of(row["file"]): row["version"] for row in listed} if place else {}
        with self.atomic():
            self.execute(view_of(versions, max((row["until"] for row in listed), default=None)))
            if place:
                self.execute(SET_PLACE, [place.address])

    def find_history(self) -> None:
        """Use the bucket that a store in a file names, or the folder beside it, which may have moved with the file.

        Without the bucket or the folder, the store opens, because short URLs must work; questions then name what is
        missing.
        """
        database, place = self.database, self.database.history
        if place is None:
            return
        kept = self.rows(PLACE)
        if kept and "://" in str(kept[0]["value"]):
            place = place_at(kept[0]["value"])
            self.file.use_history(place)
        is_shown = kept == [{"value": place.address}] and bool(self.rows(SHOWS_FILES))
        if not database.read_only and not is_shown and self.rows(FILES):
            if isinstance(place, Folder) and not place.is_used():
                _history_log.warning("the folder %s is missing, which has archived visits", place.address)
                return
            try:
                self.show_history()
            except (StoreBusy, StoreDamaged) as error:
                _history_log.warning("the archived visits of %s cannot be read: %s", self.path, error)

    def _migrate(self) -> None:
        """Apply all missing migrations and record them, in one transaction."""
        dialect = self.database.dialect
        applied = self._applied_before()
        if applied is None:
            columns = [] if self.database.is_new else self.rows(dialect.tables)
            if columns and {"table_name": "migrations", "column_name": "applied"} not in columns:
                raise UnreadableFile(f"{self.path} holds tables of another program, not a store of qrkit")
            applied = self._applied() if columns else self._created()
        if applied - dialect.migrations.keys() and dialect.migrations.keys() - applied:
            raise damaged(self.path, "is damaged: the table migrations does not hold what qrkit writes into it")
        if newer := ", ".join(sorted(applied - dialect.migrations.keys())):
            raise UnreadableFile(f"{self.path} was written by a newer qrkit (it has {newer}); update qrkit")
        if dialect.migrations.keys() - applied:
            with self.atomic():
                applied = self._applied()  # all of them, if another process was faster
                missing = [name for name in dialect.migrations if name not in applied]
                for name in missing:
                    self.execute(dialect.migrations[name])
                self.execute(RECORD_APPLIED, [missing])
        self.database.is_new = False

    def _created(self) -> set[str]:
        """Create today's tables in one transaction, and return the names of the migrations that they stand for."""
        dialect = self.database.dialect
        with self.atomic():  # only one process at a time runs this, even if several start at once
            self.execute(TABLE_OF_MIGRATIONS)
            applied = self._applied()
            if not applied:
                self.execute(dialect.new_tables)
                self.execute(RECORD_APPLIED, [list(dialect.migrations)])
        return applied or set(dialect.migrations)

    def _id(self) -> str:
        """Return the id of the store."""
        if id := self.value(ID):
            return str(id)
        raise damaged(self.path, "is damaged: the table settings lacks the ID of the store")

    def _applied(self) -> set[str]:
        """Return the names of the migrations that the store has."""
        return {row["name"] for row in self.rows("SELECT name, applied FROM migrations")}

    def _applied_before(self) -> set[str] | None:
        """Return the migrations that the store has, or None if their table is missing.

        Listing all tables takes DuckDB as long as opening the file, so `_migrate` does it only if this returns None. On
        a server, where another schema may have a table of this name, it always does.
        """
        if self.database.is_new or self.database.is_shared:
            return None
        with suppress(*self.database.errors):
            return self._applied()
        return None
