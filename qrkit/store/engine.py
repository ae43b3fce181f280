"""What a store asks of the database it is in; there are two, a DuckDB file and a PostgreSQL server.

The SQL of records and visits is the same for both: it keeps to what both understand (`FLOAT8`, `unnest`, `ON CONFLICT`,
a type for every value that may be NULL). The few statements that cannot be are in the `Dialect` of each. Questions to
many rows are written in DuckDB's SQL alone; `columns` is where a server's rows are asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cursor", "Dialect", "Engine", "Parameters", "Thread"]

Parameters = Sequence[Any] | Mapping[str, Any]


class Cursor(Protocol):
    """What runs a statement: values are `?` or `$name` in it."""

    def execute(self, query: Any, parameters: Any = ..., /) -> Any:
        """Run it."""

    @property
    def description(self) -> Sequence[Any] | None:
        """Of each column of the answer a tuple that begins with its name."""

    def fetchall(self) -> list[Any]:
        """The rows of the answer, as tuples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What the engines say differently.

    Attributes:
        begin_writing: Begins a transaction that changes records; it waits for others that do.
        begin_visiting: Begins a transaction that adds visits.
        begin_visiting_alone: The same, without any other beside it.
        visit_alone: Has a transaction that changes records be the only one that adds visits; may be nothing.
        tables: A query of the columns that are there: table_name, column_name.
        migrations: The tables as named steps, in the order they are applied.
        count: Adds to the counters of several QR Codes (numbers, scans); the first row is its mark (qrcode, scans).
        count_one: The same for one of them (scans, number).
        count_frame: The same for the table `incoming`.
        bring_alone: Has a transaction be the only one that brings a table of visits; may be nothing.
        count_nothing: The mark of a transaction without scans.
        is_kept: Whether the transaction of a mark (qrcode, scans) was committed, and a visit with it (time, short
            code, visitor): a row, or none.
        forget: Notes in the counters that the scans before a moment are forgotten.
        keep: What ends a query whose rows must be there until its transaction ends.
        last_place: The end of the places that visits stand at, a whole number that grows.
        places_together: How many such places have some hundred thousand visits.
        between: What narrows a query for visits to places from `{since}` to before `{until}`.
        begin_sequence: Has the sequence `{name}` give `{number}` next.
    """

    begin_writing: str
    begin_visiting: str
    begin_visiting_alone: str
    visit_alone: str
    tables: str
    migrations: Mapping[str, str]
    count: str
    count_one: str
    count_frame: str
    bring_alone: str
    count_nothing: str
    is_kept: str
    forget: str
    keep: str
    last_place: str
    places_together: int
    between: str
    begin_sequence: str


class Engine(Protocol):
    """A database that is open in this process, shared by all stores on it.

    Attributes:
        path: Where it is, as it may be shown.
        read_only: Whether nothing may be changed.
        is_shared: Whether other processes may change it, too.
        is_broken: Whether it has failed, and must be opened or reached anew by `restore`.
        dialect: What it says in its own way.
        errors: What its library raises.
        writing: Held by the thread that changes records.
        visiting: Held by the thread that adds visits.
        thread: What each thread knows of its work here.
        before_closing: Called when the last store on it closes, or the program ends.
        memory: What the modules of the store remember of its tables, by their own names.
        helpers: What works for it, by name.
        remedy: What to do when it has failed.
    """

    path: str
    read_only: bool
    is_shared: bool
    is_broken: bool
    dialect: Dialect
    errors: tuple[type[Exception], ...]
    writing: threading.RLock
    visiting: threading.RLock
    thread: Thread
    before_closing: list[Callable[[], None]]
    memory: dict[str, Any]
    helpers: dict[str, Any]
    remedy: str

    def check_process(self) -> None:
        """Refuse to work in a fork."""

    def using(self) -> AbstractContextManager[Cursor]:
        """The cursor of this thread, for one statement and its rows."""

    def holding(self) -> AbstractContextManager[None]:
        """The time of a transaction, in which all statements of a thread belong together."""

    def has_failed(self, error: Exception) -> bool:
        """Whether no statement is to blame for an error, but the disk or the network; `is_broken` is set by it."""

    def restore(self) -> None:
        """Open it anew after a failure."""

    def run_often(self, cursor: Any, sql: str, parameters: Parameters) -> None:
        """Run a long statement that is run again and again."""

    def add_rows(self, cursor: Any, table: str, rows: Any) -> None:
        """Add a DataFrame to a table that has its columns in this order; of a file it may be a stream of Arrow."""

    def frame(self, cursor: Any, sql: str, parameters: Parameters) -> pd.DataFrame:
        """Run a query and give its rows as a DataFrame."""

    def is_same(self, other: Engine) -> bool:
        """Whether both are the same database."""

    def release(self) -> None:
        """One store less; the last one closes it."""


class Thread(threading.local):
    """What a thread knows of its work on a database.

    Attributes:
        cursor: Its cursor, made when it is first needed.
        is_holding: Whether it has a connection for itself, or will from its next statement on.
        generation: Of the connection that the cursor belongs to.
        depth: How many transactions, one inside the other, it has open.
        is_reading: Whether its transaction only reads.
        written: Statements that write, so far.
        is_spoilt: Whether its transaction can no longer be committed.
        is_visiting: Whether its transaction holds the lock for visits.
        is_as_remembered: Whether its transaction sees the short codes that are in memory: it changes records, which
            nobody else can meanwhile, and has changed none of these yet.
        afterwards: What is done when its transaction is committed.
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
