"""`Database`: an open DuckDB file of this process, shared by all stores on that file.

DuckDB allows one process to open a file. A thread that changes records holds the lock `writing`, a thread that adds
visits holds `visiting`, and a thread that needs both locks acquires them in this order. A long change of records, such
as an import, therefore does not delay scans: the two kinds of transactions change different tables, and DuckDB commits
them concurrently.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import Any, BinaryIO

import duckdb

from qrkit.errors import QrkitError, StoreBusy, StoreClosed, StoreReadOnly, UnreadableFile
from qrkit.files import mode_like, new_file
from qrkit.late import pd
from qrkit.store.duckdb.damage import HISTORY_FILE, bucket_failure, damaged, first_line, is_damage, unreadable_history
from qrkit.store.duckdb.log import check_log, logs_of
from qrkit.store.engine import ENGINES, Dialect, Engine, Parameters
from qrkit.store.migrations import MIGRATIONS, at_once
from qrkit.store.places.history_folder import Folder
from qrkit.store.places.history_places import Place
from qrkit.store.quoting import quoted

if os.name != "nt":
    import fcntl


MEMORY = ":memory:"
MOST_STATEMENTS = 100
"""How many parsed statements a database keeps: those that were run last."""
MISREAD = "has a question mark, after which DuckDB expects options; use a path without one"
"""What is wrong with a path that `is_misread`."""
CONFINED: dict[str, str | bool | int | float | list[str]] = {
    # SQL can access this database file, the folder of its history, that of its copies, and nothing else.
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "lock_configuration": "true",
}
MORE_THREADS = """SET VARIABLE more = greatest(4 - current_setting('threads'), 0);
SET threads = current_setting('threads') + getvariable('more'); SET external_threads = getvariable('more') + 1"""
"""Splits work among at least four threads: with one or two, DuckDB counts distinct values in tables that outgrow the
cache, in twice the time. It starts no more of them than there are processors.
"""

FATAL = (duckdb.FatalException, duckdb.InternalException)
"""Errors after which DuckDB refuses all work on a file until the file is reopened."""
DISK = (*FATAL, duckdb.IOException, duckdb.OutOfMemoryException)
"""Errors caused by the environment rather than by a statement."""

# What gives a transaction an exclusive right, or locks rows, is not needed: the lock for visits of the process is
# exclusive, and a transaction reads one snapshot of the tables.
DUCKDB = Dialect(
    begin_writing="BEGIN",
    begin_visiting="BEGIN",
    tables="SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal",
    migrations=MIGRATIONS,
    new_tables=at_once(MIGRATIONS),
    json_rows="""(
        SELECT unnest(from_json_strict($rows, '[{{{fields}}}]'), recursive := true),
            unnest($numbers::INTEGER[]) AS {number}
    )""",
    json_field='"{name}": "{kind}"',
    json_array="json_array",
    escape_json=str,
    count="""
UPDATE scan_counts SET {column} = scan_counts.{column} + new.scans
FROM (SELECT unnest(?::INTEGER[]) AS qrcode, unnest(?::BIGINT[]) AS scans) new WHERE scan_counts.qrcode = new.qrcode
""",
    superseded="SELECT file FROM superseded",
    last_place="SELECT coalesce(max(rowid) + 1, 0) AS place FROM visits",
    places_together=500_000,
    between=" WHERE rowid >= {since} AND rowid < {until} ORDER BY rowid",
    begin_sequence="CREATE OR REPLACE SEQUENCE {name} START {number}",
)

_open_files: dict[str, Database] = {}


class Database(Engine):
    """An open DuckDB database: a file, or in memory."""

    reads_frames = True
    after_fork = "one process holds a store at a time"
    remedy = "check the disk and the room that is left on it"
    dialect = DUCKDB
    errors: tuple[type[Exception], ...] = (duckdb.Error,)
    value_errors: tuple[type[Exception], ...] = (duckdb.DataError, duckdb.IntegrityError, duckdb.InvalidInputException)
    _opening = threading.RLock()

    def __init__(self, path: str, *, read_only: bool = False, history: Place | None = None) -> None:
        super().__init__(path)
        self.read_only = read_only
        self.is_new = path == MEMORY or not Path(path).exists()
        self._key = _key(path)
        self.is_file = path != MEMORY
        self.inbox = None if path == MEMORY else Path(f"{self._key}.inbox")
        self.history = history or (None if path == MEMORY else Folder(history_folder(Path(self._key)), Path(self._key)))
        self.copies = Path(gettempdir(), f"qrkit-{token_hex(16)}")
        self._uses = 0
        self._transactions = 0
        self._is_changing = False
        self._use = threading.Condition()
        self._cursors: list[tuple[threading.Thread, duckdb.DuckDBPyConnection]] = []
        self._reader: BinaryIO | None = None
        self._reading = threading.Lock()
        self._generation = 0
        self._connection: duckdb.DuckDBPyConnection | None = self._connected(path)
        ENGINES.add(self)

    @classmethod
    def opened(cls, path: str | Path, *, read_only: bool = False, history: Place | None = None) -> Database:
        """Open the database of a file or `:memory:`, or return the database that this process already has open.

        By default, the history is in the folder beside the file.
        """
        if str(path) == MEMORY:
            found = cls(MEMORY, history=history)
        else:
            with cls._opening:
                found = _open_files.get(_key(path)) or cls(str(path), read_only=read_only, history=history)
                _open_files[found._key] = found
                found._users += 1
        return found

    @property
    def file(self) -> Path:
        """Return the absolute path of the file, unaffected by later changes of the working directory."""
        return Path(self._key)

    @classmethod
    def is_open_here(cls, path: Path) -> bool:
        """Return whether this process has the file open."""
        return _key(path) in _open_files

    @contextmanager
    def using(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Context manager: yields this thread's cursor for a statement and its rows; the file stays open meanwhile."""
        self.check_process()
        with self._use:
            self._use.wait_for(lambda: not self._is_changing)
            self._uses += 1
        try:
            yield self._cursor()
        except duckdb.Error as error:
            if self.history and (reason := bucket_failure(error)):
                self.thread.is_spoilt = True
                message = f"{self.path} has its history at {self.history.address}, which does not answer: {reason}"
                raise StoreBusy(message) from error
            if not is_damage(error):
                raise
            self.has_failed(error)
            self.thread.is_spoilt = True
            if self.history and HISTORY_FILE in str(error):
                raise unreadable_history(self.path, self.history, error) from error
            raise damaged(self.path, f"cannot be read: {first_line(error)}") from error
        finally:
            with self._use:
                self._uses -= 1
                self._use.notify_all()

    def guard_log(self) -> None:
        """Give the log the mode of the file, before DuckDB writes to it or makes one that others can read."""
        if self._key == MEMORY:
            return
        log, _ = logs_of(self.file)
        with suppress(OSError):  # the file of another user, for example; DuckDB tells of a failing disk
            mode = mode_like(self.file)
            if not log.exists():
                new_file(log, mode).close()
            elif mode_like(log) != mode:
                log.chmod(mode)

    def _forget_empty_log(self) -> None:
        """Delete the log that `guard_log` has made for a transaction that wrote nothing."""
        log, _ = logs_of(self.file)
        with suppress(OSError):
            if self._key != MEMORY and not self.read_only and not log.stat().st_size:
                log.unlink()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Context manager: counts the transaction; a thread always uses the same DuckDB cursor."""
        with self._use:
            self._transactions += 1
        try:
            yield
        finally:
            with self._use:
                self._transactions -= 1
                self._use.notify_all()

    @contextmanager
    def standing_still(self, seconds: float) -> Iterator[bool]:
        """Context manager: waits until no thread reads, and lets none begin; yields False if that takes too long."""
        with self._use:
            yield self._use.wait_for(lambda: not self._uses and not self._transactions, seconds)

    def has_failed(self, error: Exception) -> bool:
        """Return whether the disk caused an error; set `is_broken` if DuckDB refuses all further work on the file."""
        self.is_broken |= isinstance(error, FATAL)
        return isinstance(error, DISK)

    def run_often(self, cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Parameters) -> None:
        """Run a long statement that is run repeatedly; parse it only once, because parsing takes as long as running."""
        parsed = self.parsed(sql)
        cursor.execute(parsed[0] if len(parsed) == 1 else sql, parameters)  # DuckDB explains why several are refused

    def add_rows(self, cursor: duckdb.DuckDBPyConnection, table: str, rows: Any) -> None:
        """Append a DataFrame, arrays by name, or an Arrow stream to a table with the same column order."""
        cursor.register("added_rows", rows)
        try:
            cursor.execute(f"INSERT INTO {table} SELECT * FROM added_rows")
        finally:
            # After a failed transaction, unregistering fails too; the first error is more informative.
            with suppress(duckdb.Error):
                cursor.unregister("added_rows")

    def frame(self, cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Parameters) -> pd.DataFrame:
        """Run a query, parsed once, and return the rows as a DataFrame."""
        self.run_often(cursor, sql, parameters)
        return cursor.df()

    @contextmanager
    def reading(self) -> Iterator[BinaryIO]:
        """Context manager: yields the open file for reading its bytes.

        When a process closes any descriptor of a file, POSIX drops all locks of the process on that file: another
        process could then open the store and both would write. The descriptor therefore stays open until DuckDB closes
        the file.
        """
        with self._reading:
            if self._reader is None:
                self._reader = self.file.open("rb", buffering=0)
            self._reader.seek(0)
            yield self._reader

    def is_same(self, other: Engine) -> bool:
        """Return whether both databases are the same file."""
        return isinstance(other, Database) and (self is other or (self.path != MEMORY and self.file == other.file))

    def _connected(self, path: str) -> duckdb.DuckDBPyConnection:
        if path == MEMORY:
            return self._confined(path)
        file = Path(path)
        if not self.read_only:
            _prepare(file)
        mode = mode_like(file)
        try:
            connection = self._confined(path)
        except duckdb.Error as error:
            raise _opening_error(path, error) from error
        if mode_like(file) != mode:  # DuckDB has made it
            file.chmod(mode)
        return connection

    def _confined(self, path: str) -> duckdb.DuckDBPyConnection:
        later = ("enable_external_access", "lock_configuration")  # DuckDB takes a place only once a file is open
        config = {name: value for name, value in CONFINED.items() if name not in later}
        connection = duckdb.connect(path, read_only=self.read_only, config=config)
        allowed = [str(self.copies), *([self.history.admit(connection)] if self.history else [])]
        connection.execute(f"SET allowed_directories = [{', '.join(map(quoted, allowed))}]; {MORE_THREADS}")
        for name in later:
            connection.execute(f"SET {name} = {CONFINED[name]}")
        self.parsed = lru_cache(MOST_STATEMENTS)(connection.extract_statements)
        return connection

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        if self._connection is None:
            raise StoreClosed(f"{self.path} is closed; open it again")
        if self.thread.cursor is None or self.thread.generation != self._generation:
            cursor = self.thread.cursor = self._connection.cursor()
            self.thread.generation = self._generation
            with self._use:
                # The file stays open until every cursor is closed, so drop the cursors of threads that have ended.
                self._cursors = [(thread, one) for thread, one in self._cursors if thread.is_alive()]
                self._cursors.append((threading.current_thread(), cursor))
        found: duckdb.DuckDBPyConnection = self.thread.cursor
        return found

    def close(self) -> None:
        """Close the file after pending visits are written."""
        self.finish()
        with self.writing, self.visiting, self._changing():
            self._disconnect()
        shutil.rmtree(self.copies, ignore_errors=True)
        with self._opening:
            if _open_files.get(self._key) is self:
                del _open_files[self._key]

    def restore(self) -> None:
        """Reopen the file after a failure; no committed data is lost. After StoreBusy, the next call tries again."""
        with self.writing, self.visiting:
            if not self.is_broken:
                return
            try:
                self.reopen()
            except UnreadableFile as error:
                raise StoreBusy(f"{self.path} failed and cannot be opened again yet: {error}") from error
            self.is_broken = False

    def use_history(self, place: Place) -> None:
        """Reopen the file with another place for its history."""
        with self.writing, self.visiting:
            if self.history is None or self.history.address != place.address:
                self.history = place
                self.reopen()

    def reopen(self, replace: Callable[[], None] | None = None) -> None:
        """Close and reopen the file, as DuckDB requires after a disk failure; the caller must hold both locks.

        `replace` is called while the file is closed. Raises `UnreadableFile` if the file can no longer be opened.
        """
        with self._changing():
            self._disconnect()
            try:
                if replace:
                    replace()
            finally:
                self._generation += 1
                # A commit that seemed to fail may have succeeded, so clear the caches.
                self.memory = {}
                self.is_broken = True  # until the next line succeeds
                self._connection = self._connected(self._key)
                self.is_broken = False

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Context manager: blocks all statements; the caller must hold both locks, which block transactions."""
        with self._use:
            self._is_changing = True
            self._use.wait_for(lambda: not self._uses)
        try:
            yield
        finally:
            with self._use:
                self._is_changing = False
                self._use.notify_all()

    def _disconnect(self) -> None:
        self.parsed.cache_clear()  # DuckDB reports as leaks what outlives it
        cursors, self._cursors = self._cursors, []
        for _, cursor in cursors:
            cursor.close()
        if self._connection is not None:
            self._forget_empty_log()
            self._connection.close()
            self._connection = None
        if self._reader is not None:
            self._reader.close()
            self._reader = None


@contextmanager
def reading_file(path: Path) -> Iterator[BinaryIO]:
    """Context manager: yields a database file for reading its bytes, whether or not this process has it open."""
    database = _open_files.get(_key(path))
    with path.open("rb") if database is None else database.reading() as file:
        yield file


def is_locked(error: duckdb.Error) -> bool:
    """Return whether DuckDB reports that another process has a file open."""
    return "lock on file" in str(error) or "being used by another process" in str(error)


def _opening_error(path: str, error: duckdb.Error) -> QrkitError:
    """Return the error that says why a file cannot be opened, and what to do."""
    if is_locked(error):
        message = f"{path} is open in another process; close that one, or use its HTTP interface"
        copy = f"To look at a copy of it meanwhile: open_portfolio(snapshot_of={path!r})."
        reading = "meanwhile, `qrkit list`, `show`, `scans` and `report` read a copy of it"
        return StoreBusy(message).advising({"python": copy, "command": reading})
    what = f"cannot be opened as a store: {first_line(error)}"
    return damaged(path, what) if is_damage(error) else UnreadableFile(f"{path} {what}")


def history_folder(path: Path) -> Path:
    """Return the folder of the archived visits of a store's file: shop.history for shop.duckdb."""
    return path.with_name(f"{path.name.removesuffix('.duckdb')}.history")


def is_misread(path: Path) -> bool:
    """Return whether DuckDB takes a part of a path for options, so that it writes its log beside another file."""
    return "?" in str(path.absolute()) and os.name != "nt"  # no name on Windows has a question mark


def _prepare(path: Path) -> None:
    """Check that a file can be made or written, and check its log before DuckDB replays it."""
    if is_misread(path):
        raise UnreadableFile(f"{path} cannot be opened as a store: {str(path.absolute())!r} {MISREAD}")
    if not path.parent.is_dir():
        remedy = f"make the folder {str(path.parent)!r} first"
        raise UnreadableFile(f"{path} cannot be opened as a store: No such file or directory; {remedy}")
    if path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        copy = f"To look at a copy of it: open_portfolio(snapshot_of={str(path)!r})."
        rule = "cannot be written: the file, its folder or its file system allows reading only"
        raise StoreReadOnly(f"{path} {rule}").advising({"python": copy, "command": "copy it to a place of your own"})
    if path.is_file() and any(log.exists() for log in logs_of(path)):
        with suppress(OSError), path.open("r+b") as file:  # DuckDB reports the error if another process has the file
            if os.name != "nt":
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            check_log(path)


def _key(path: str | Path) -> str:
    """Return a key that is the same for all spellings of a path, in any working directory."""
    return MEMORY if str(path) == MEMORY else str(Path(path).resolve())


def _leave_to_parent() -> None:
    """Keep a forked process from closing the parent's files, because closing a file writes to it."""
    Database._opening = threading.RLock()
    for database in [one for one in ENGINES if isinstance(one, Database)]:
        for one in (database._connection, *(cursor for _, cursor in database._cursors)):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
