"""The interface between a store and its database: a DuckDB file or a PostgreSQL server.

Records and visits use SQL that both databases support (`FLOAT8`, `unnest`, `ON CONFLICT`, a type for every value that
may be NULL). The few statements that differ are in the `Dialect` of each database. Analytical queries are written for
DuckDB only; for a server, they run on the DuckDB copy that `columns` returns.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

from qrkit.errors import StoreClosed
from qrkit.late import pd
from qrkit.store.places.history_places import Place

Parameters = Sequence[Any] | Mapping[str, Any]
Helper = TypeVar("Helper")
ENGINES: WeakSet[Engine] = WeakSet()
"""The databases that this process has opened; they are closed when the program ends."""


class Cursor(Protocol):
    """A database cursor; `?` and `$name` in a statement stand for values."""

    def execute(self, query: Any, parameters: Any = ..., /) -> Any:
        """Run a statement."""

    @property
    def description(self) -> Sequence[Any] | None:
        """Return a tuple for each column of the result, starting with the column name."""

    def fetchall(self) -> list[Any]:
        """Return the rows of the result, as tuples."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return the next rows of the result, at most this many; none at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The SQL statements that differ between DuckDB and PostgreSQL.

    Attributes:
        begin_writing: Begins a transaction that changes records; waits for other transactions that change records.
        begin_visiting: Begins a transaction that adds visits.
        visit_alone: Gives the open transaction the exclusive right to add visits; may be empty.
        tables: Selects the columns of all existing tables: table_name, column_name.
        migrations: The schema as named steps, in the order they are applied.
        new_tables: Creates in a new store what all migrations together create.
        json_rows: A table from the `{fields}` of the JSON objects `$rows` and the numbers `$numbers`; its columns are
            `{names}`, then `{number}`.
        json_field: One of the fields, given its `{name}` and its type `{kind}`.
        json_array: The function that returns its arguments as a JSON array.
        escape_json: Converts JSON so that the database can store all its characters.
        count: Adds to the `{column}` of the counters of several QR Codes (numbers, scans).
        bring_alone: Gives the open transaction the exclusive right to insert a table of visits; may be empty.
        events_alone: Gives the open transaction, which may add visits, the exclusive right to add events; may be empty.
        history_alone: Tries to give the open transaction the exclusive right to change the history; selects is_free.
            May be empty.
        superseded: Selects the files of the history that no query reads any more.
        keep: Suffix for a query that locks the selected rows until the transaction ends.
        last_place: Selects the end of the storage positions of visits, a growing whole number.
        places_together: Number of storage positions that hold a few hundred thousand visits.
        between: Limits a query for visits to the storage positions from `{since}` to before `{until}`.
        begin_sequence: Sets the next value of the sequence `{name}` to `{number}`.
    """

    begin_writing: str
    begin_visiting: str
    visit_alone: str = ""
    tables: str
    migrations: Mapping[str, str]
    new_tables: str
    json_rows: str
    json_field: str
    json_array: str
    escape_json: Callable[[str], str]
    count: str
    bring_alone: str = ""
    events_alone: str = ""
    history_alone: str = ""
    superseded: str
    keep: str = ""
    last_place: str
    places_together: int
    between: str
    begin_sequence: str

    def rows_of_json(self, kinds: Mapping[str, str], *, number: str) -> str:
        """Return the table of `json_rows`: the types of its fields by name, and the name of the column of numbers."""
        fields = ", ".join(self.json_field.format(name=name, kind=kind) for name, kind in kinds.items())
        return self.json_rows.format(fields=fields, names=", ".join(kinds), number=number)


class Engine:
    """An open database of this process, shared by all stores on that database. Each kind of database is a subclass.

    Attributes:
        path: The path or URL to show, without a password.
        id: The id of the store in this database; empty until a store has been opened.
        read_only: Whether the database refuses changes.
        is_shared: Whether other processes can also change the database.
        is_served: Whether another process has the database, and answers for this one.
        is_file: Whether the database is a file: not in memory, and not on a server.
        reads_frames: Whether statements read DataFrames and NumPy arrays of this process, as `Store.showing` needs.
        is_new: Whether opening the database created it, and no store has made its tables yet.
        inbox: The common beginning of the paths of inboxes; None for a database in memory.
        history: Where the files of archived visits are; None for a database in memory or on a server, and where
            another process archives.
        copies: A folder for files that statements write for other processes, which nobody else may read. It is made by
            those who need it, and deleted when the database closes; a server has none.
        is_broken: Whether the database has failed and must be reopened by `restore`.
        errors: The exceptions that the database library raises.
        value_errors: The subset of `errors` that an invalid value in a row causes.
        writing: Lock held by the thread that changes records.
        visiting: Lock held by the thread that adds visits.
        thread: The state of each thread.
        memory: Cached table data, by cache name.
        remedy: Advice to the user after a failure.
        after_fork: What to know in a process that was forked from the one that opened the database.
    """

    id = ""
    read_only = is_shared = is_served = is_file = reads_frames = is_new = is_broken = False
    inbox: Path | None = None
    history: Place | None = None
    copies: Path
    dialect: Dialect
    errors: tuple[type[Exception], ...]
    value_errors: tuple[type[Exception], ...]
    remedy: str
    after_fork = "open it in each process"

    _opening: threading.RLock
    _users = 0

    def __init__(self, path: str) -> None:
        self.path = path
        self.writing, self.visiting = threading.RLock(), threading.RLock()
        self.thread = Thread()
        self.before_closing: list[Callable[[], None]] = []
        self.memory: dict[str, Any] = {}
        self.helpers: dict[str, Any] = {}
        self._helping = threading.RLock()
        self._process = os.getpid()

    @property
    def is_of_this_process(self) -> bool:
        """Return False in a fork of the process that opened the database."""
        return self._process == os.getpid()

    def check_process(self) -> None:
        """Raise an error in a fork of the process that opened the database."""
        if not self.is_of_this_process:
            raise StoreClosed(f"{self.path} was opened before a fork; {self.after_fork}")

    def helper(self, name: str, make: Callable[[], Helper]) -> Helper:
        """Return the helper with this name; the first thread that asks for it makes it."""
        with self._helping:
            if name not in self.helpers:
                self.helpers[name] = make()
            found: Helper = self.helpers[name]
        return found

    def using(self) -> AbstractContextManager[Cursor]:
        """Context manager: yields this thread's cursor for one statement and its rows."""
        raise NotImplementedError

    def holding(self) -> AbstractContextManager[None]:
        """Context manager: runs all of this thread's statements on one connection, for a transaction."""
        return nullcontext()

    def has_failed(self, error: Exception) -> bool:
        """Return whether the disk or the network caused an error, rather than a statement; may set `is_broken`."""
        raise NotImplementedError

    def restore(self) -> None:
        """Reopen the database after a failure."""

    def interrupt(self) -> None:
        """Make all statements fail that wait for a server, because it does not answer; do nothing for a file."""

    def tell_changed(self, short_codes: Iterable[str]) -> None:
        """Tell the process that serves the database which targets change; do nothing where no other process does."""

    def run_often(self, cursor: Any, sql: str, parameters: Parameters) -> None:
        """Run a long statement that is run repeatedly."""
        cursor.execute(sql, parameters)

    def add_rows(self, cursor: Any, table: str, rows: Any) -> None:
        """Append a DataFrame to a table with the same column order; a file also accepts arrays and an Arrow stream."""
        raise NotImplementedError

    def frame(self, cursor: Any, sql: str, parameters: Parameters) -> pd.DataFrame:
        """Run a query and return the rows as a DataFrame."""
        raise NotImplementedError

    def is_same(self, other: Engine) -> bool:
        """Return whether both objects are the same database."""
        return self is other

    def release(self) -> None:
        """Release one store's use of the database; the last release closes the database, while others wait to open."""
        if self.is_of_this_process:
            with self._opening:
                self._users -= 1
                if self._users < 1:
                    self.close()

    def close(self) -> None:
        """Close the database after pending visits are written."""
        raise NotImplementedError

    def finish(self) -> None:
        """Call what is to be called before the database closes."""
        for act in self.before_closing:
            act()
        self.before_closing.clear()


class Thread(threading.local):
    """The state of one thread that uses a database.

    Attributes:
        cursor: The thread's cursor, created on first use.
        is_holding: Whether the thread reserves a connection, from the next statement on at the latest.
        generation: The generation of the cursor's connection.
        depth: Number of nested transactions.
        written: Number of writing statements so far.
        is_spoilt: Whether the transaction can no longer be committed.
        is_visiting: Whether the transaction holds the lock for visits.
        is_as_remembered: Whether the cached short codes match the transaction's view: the transaction holds the lock
            for records and has not changed any short codes yet.
        afterwards: Functions called after the commit.
    """

    cursor: Any = None
    is_holding = False
    generation = 0
    depth = 0
    is_reading = False
    written = 0
    is_spoilt = False
    is_visiting = False
    is_as_remembered = False

    def __init__(self) -> None:
        self.afterwards: list[Callable[[], None]] = []


@atexit.register
def _close_all() -> None:
    for engine in sorted(ENGINES, key=lambda one: not one.is_shared):  # a server first, which closes its copies
        if engine.is_of_this_process:
            engine.close()
