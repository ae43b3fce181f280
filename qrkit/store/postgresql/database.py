"""`Server`: a PostgreSQL database, reached from this process over some connections that its threads share.

Several processes may work on one database: what they change they change one after the other (`postgresql_tables`).
"""

from __future__ import annotations

import atexit
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from qrkit.errors import InvalidParameter, Problem, StoreBusy
from qrkit.store.engine import Cursor, Engine, Parameters, Thread
from qrkit.store.postgresql.cursor import ServerCursor, adapt
from qrkit.store.postgresql.tables import POSTGRESQL

if TYPE_CHECKING:
    import pandas as pd
    from psycopg import Connection

__all__ = ["Server", "is_server", "shown_url"]

_URL = re.compile(r"postgres(?:ql)?://(?:(?P<user>[^:@/?#]*)(?::[^@/?#]*)?@)?(?P<place>[^@?#]*)(?:\?[^@#]*)?")
"""Stricter than PostgreSQL's own reading, which takes the rest of a password with an @ in it for a part of the host."""
MOST_CONNECTIONS = 8
"""Of a process: one adds visits, one may change records, one follows what others change, the rest ask."""
LONGEST_WAIT = 5.0
"""Seconds that a thread waits for a connection: where a server stands still, threads must be left for redirects."""
OPTIONS = {
    "application_name": "qrkit",
    "connect_timeout": "5",
    # Who vanishes without a word, a server or a process, must not hold the others up for longer than a minute.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "options": "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 -c lock_timeout=60s"
    " -c idle_in_transaction_session_timeout=10min -c timezone=UTC -c datestyle=ISO",
}
NOT_NOW = ("25006", "25P03")
"""The server stands in for another and may only be read from; or it ended a transaction that did nothing for long."""
TEXTS = (25, 1043)
"""Numbers of the types TEXT and VARCHAR."""
TOGETHER = 10_000
"""Rows of a DataFrame that are on their way at once."""

_servers: dict[str, Server] = {}
_all: WeakSet[Server] = WeakSet()
_opening = threading.RLock()


def is_server(path: str | Path) -> bool:
    """Whether it is a URL, and no file; `Server` tells whether it is one of a PostgreSQL database."""
    return "://" in str(path)


def shown_url(url: str) -> str:
    """A URL without what must not be shown: password and options."""
    found = _URL.fullmatch(url)
    if not found:
        return "postgresql://…"
    user = f"{found['user']}@" if found["user"] else ""
    return f"postgresql://{user}{found['place']}"


class Server:
    """A PostgreSQL database.

    Attributes:
        path: Its URL, without password and options.
    """

    read_only = False
    is_shared = True
    dialect = POSTGRESQL
    remedy = "check that the server runs, and what it allows this user"

    def __init__(self, url: str) -> None:
        psycopg = _psycopg()
        self.path = shown_url(url)
        self.errors: tuple[type[Exception], ...] = (psycopg.Error,)
        self.writing = threading.RLock()
        self.visiting = threading.RLock()
        self.thread = Thread()
        self.before_closing: list[Callable[[], None]] = []
        self.memory: dict[str, Any] = {}
        self.helpers: dict[str, Any] = {}
        self.is_broken = False
        self._url = url
        self._users = 0
        self._process = os.getpid()
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._idle: list[Connection[Any]] = []
        self._is_open = True
        _all.add(self)

    @classmethod
    def opened(cls, url: str) -> Server:
        """The database of a URL; one that is open in this process already is shared.

        Raises:
            InvalidParameter: The URL cannot be read, or the package that reaches PostgreSQL is missing.
        """
        _checked(url)
        with _opening:
            found = _servers.get(url)
            if found is None or found._process != os.getpid():  # that of a parent is of no use to a fork
                found = _servers[url] = cls(url)
            found._users += 1
        return found

    def check_process(self) -> None:
        """Refuse to work in a process that is a fork of the one that opened it.

        Raises:
            StoreBusy: It is.
        """
        if self._process != os.getpid():
            raise StoreBusy(f"{self.path} was opened before a fork; open it in each process")

    @contextmanager
    def using(self) -> Iterator[ServerCursor]:
        """A cursor for one statement and its rows; in a transaction always that of its connection.

        Raises:
            StoreBusy: The store was closed, or all connections are in use for a long time.
        """
        self.check_process()
        if self.thread.cursor is not None:
            yield self.thread.cursor
            return
        connection = self._taken()
        cursor = ServerCursor(connection)
        if self.thread.is_holding:
            self.thread.cursor = cursor
            yield cursor
            return
        try:
            yield cursor
        finally:
            self._put_back(connection)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """The time of a transaction, in which all statements of this thread are of one connection."""
        self.thread.is_holding = True
        try:
            yield
        finally:
            self.thread.is_holding = False
            cursor, self.thread.cursor = self.thread.cursor, None
            if cursor is not None:
                self._put_back(cursor.connection)

    def has_failed(self, error: Exception) -> bool:
        """Whether the server or the way to it is to blame for an error."""
        psycopg = _psycopg()
        state: str = getattr(error, "sqlstate", None) or ""
        failed = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) or state in NOT_NOW
        # Locks that were waited for too long are no reason to reach it anew.
        self.is_broken |= failed and not state.startswith(("55", "40"))
        return failed

    def restore(self) -> None:
        """Reach the server anew, by another connection: it may be another machine now.

        Raises:
            StoreBusy: It does not answer; the next one tries again.
        """
        with suppress(IndexError):
            while self._idle:
                self._idle.pop().close()
        try:
            self._put_back(self._taken())
        except _psycopg().Error as error:
            raise StoreBusy(f"{self.path} does not answer: {_first_line(error)}; {self.remedy}") from error
        self.is_broken = False

    def run_often(self, cursor: ServerCursor, sql: str, parameters: Parameters) -> None:
        """Run a statement that is run again and again; connections remember those by themselves."""
        cursor.execute(sql, parameters)

    def add_rows(self, cursor: ServerCursor, table: str, rows: pd.DataFrame) -> None:
        """Add a DataFrame to a table that has its columns in this order."""
        with cursor.connection.cursor() as writing, writing.copy(f"COPY {table} FROM STDIN") as copy:
            for start in range(0, len(rows), TOGETHER):
                part = rows.iloc[start : start + TOGETHER].astype("object")
                part = part.where(part.notna(), None)
                for row in part.itertuples(index=False, name=None):
                    copy.write_row(row)
        cursor.execute(f"ANALYZE {table}")  # of a temporary table, the server counts nothing by itself

    def frame(self, cursor: ServerCursor, sql: str, parameters: Parameters) -> pd.DataFrame:
        """Run a query and give its rows as a DataFrame; for many rows there are `columns`."""
        import pandas as pd

        cursor.execute(sql, parameters)
        return pd.DataFrame(cursor.fetchall(), columns=[column[0] for column in cursor.description or ()])

    @contextmanager
    def copied(self, cursor: Cursor, select: str) -> Iterator[Iterator[bytes]]:
        """The rows of a query as lines of CSV: texts in quotes, nothing at all where there is no value."""
        assert isinstance(cursor, ServerCursor)
        cursor.execute(f"SELECT * FROM ({select}) found LIMIT 0")
        texts = [column[0] for column in cursor.description if column.type_code in TEXTS]
        quoted = f", FORCE_QUOTE ({', '.join(texts)})" if texts else ""
        asked = f"COPY ({select}) TO STDOUT (FORMAT csv{quoted})"
        with cursor.connection.cursor() as reading, reading.copy(asked) as copy:
            yield (bytes(line) for line in copy)

    def add_csv(self, cursor: Cursor, table: str, lines: Iterator[bytes]) -> None:
        """Add such lines to a table."""
        assert isinstance(cursor, ServerCursor)
        with (
            cursor.connection.cursor() as writing,
            writing.copy(f"COPY {table} FROM STDIN (FORMAT csv, NULL '')") as copy,
        ):
            for line in lines:
                copy.write(line)

    def is_same(self, other: Engine) -> bool:
        """Whether both are the same database."""
        return isinstance(other, Server) and self is other

    def release(self) -> None:
        """One store less; the last one lets the connections go."""
        if self._process != os.getpid():
            return
        with _opening:
            self._users -= 1
            if self._users < 1:
                self.close()

    def close(self) -> None:
        """Let the connections go, after what waits was written."""
        for finish in self.before_closing:
            finish()
        self.before_closing.clear()
        with self.writing, self.visiting:
            self._is_open = False
            while self._idle:
                self._idle.pop().close()
        with _opening:
            if _servers.get(self._url) is self:
                del _servers[self._url]

    def _taken(self) -> Connection[Any]:
        """A connection for this thread alone, one that is known to work where there is one."""
        if not self._is_open:
            raise StoreBusy(f"{self.path} is closed; open it again")
        if not self._places.acquire(timeout=LONGEST_WAIT):
            raise StoreBusy(f"{self.path}: all {MOST_CONNECTIONS} connections of this process are in use")
        try:
            with suppress(IndexError):  # of another thread that was faster
                while self._idle:
                    found = self._idle.pop()
                    if _is_quiet(found):
                        return found
                    found.close()
            return _connected(self._url)
        except BaseException:
            self._places.release()
            raise

    def _put_back(self, connection: Connection[Any]) -> None:
        from psycopg.pq import TransactionStatus

        if connection.info.transaction_status is TransactionStatus.IDLE and self._is_open:
            self._idle.append(connection)
        else:
            connection.close()
        self._places.release()


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError as error:
        rule = "needs a package that is not there; run: pip install 'qrkit-studio[postgresql]'"
        raise InvalidParameter(Problem("store", "postgresql://…", rule)) from error
    return psycopg


def _checked(url: str) -> None:
    psycopg = _psycopg()
    try:
        is_good = bool(_URL.fullmatch(url) and psycopg.conninfo.conninfo_to_dict(url))
    except psycopg.Error:  # its own words may hold the password
        is_good = False
    if not is_good:
        rule = "is no URL of a PostgreSQL database, as postgresql://user@host/name is; write @ / ? # in a password as"
        raise InvalidParameter(Problem("store", shown_url(url), f"{rule} %40 %2F %3F %23"))


def _connected(url: str) -> Connection[Any]:
    from psycopg import RawCursor, connect
    from psycopg.conninfo import conninfo_to_dict

    given = conninfo_to_dict(url)
    asked: dict[str, Any] = OPTIONS | given
    if "options" in given:
        asked["options"] = f"{OPTIONS['options']} {given['options']}"
    connection: Connection[Any] = connect(**asked, autocommit=True, cursor_factory=RawCursor)
    adapt(connection)
    return connection


def _is_quiet(connection: Connection[Any]) -> bool:
    """Whether the server has not said anything since the last answer: what it says then is that it is gone."""
    try:
        return not connection.closed and not select([connection.fileno()], [], [], 0)[0]
    except (OSError, ValueError, _psycopg().Error):
        return False


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


@atexit.register
def _close_all() -> None:
    for server in list(_all):
        if server._process == os.getpid():
            server.close()
