"""`Server`: a PostgreSQL database, with a pool of connections that the threads of this process share.

Several processes can use one database; they change records one after the other (`qrkit.store.postgresql.tables`).
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from qrkit.errors import InvalidParameter, Problem, StoreBusy, StoreClosed, extra
from qrkit.late import pd
from qrkit.store.duckdb.damage import first_line
from qrkit.store.engine import ENGINES, Cursor, Engine, Parameters
from qrkit.store.postgresql.cursor import ServerCursor, adapt
from qrkit.store.postgresql.tables import POSTGRESQL
from qrkit.store.state_folder import state_folder

if TYPE_CHECKING:
    from psycopg import Connection


_URL = re.compile(r"postgres(?:ql)?://(?:(?P<user>[^:@/?#]*)(?::[^@/?#]*)?@)?(?P<place>[^@?#]*)(?:\?[^@#]*)?")
"""Stricter than PostgreSQL, which would treat the rest of a password after an @ as part of the host."""
MOST_CONNECTIONS = 8
"""Per process: one adds visits, one changes records, one reads changes of other processes, the rest run queries."""
LONGEST_WAIT = 5.0
"""Seconds that a thread waits for a connection: if a server hangs, some threads must stay free for redirects."""
OPTIONS = {
    "application_name": "qrkit",
    "connect_timeout": "5",
    # A server or process that disappears must not block other processes for longer than a minute.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "options": "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 -c lock_timeout=60s"
    " -c idle_in_transaction_session_timeout=10min -c timezone=UTC -c datestyle=ISO",
}
NOT_NOW = ("25006", "25P03")
"""SQLSTATE codes: the server is a read-only standby, or it ended a transaction that was idle for too long."""
TEXTS = (25, 1043)
"""OIDs of the types TEXT and VARCHAR."""
TOGETHER = 10_000
"""Number of DataFrame rows sent at once."""

_servers: dict[str, Server] = {}


def is_server(path: str | Path) -> bool:
    """Return whether a path is a URL rather than a file; `Server` checks that the URL is a PostgreSQL URL."""
    return "://" in str(path)


def shown_url(url: str) -> str:
    """Return a URL without the secrets: password and options."""
    found = _URL.fullmatch(url)
    if not found:
        return "postgresql://…"
    user = f"{found['user']}@" if found["user"] else ""
    return f"postgresql://{user}{found['place']}"


class Server(Engine):
    """A PostgreSQL database. Its inboxes are in the state folder of this machine."""

    is_shared = True
    dialect = POSTGRESQL
    remedy = "check that the server runs, and what it allows this user"
    _opening = threading.RLock()

    def __init__(self, url: str) -> None:
        psycopg = _psycopg()
        super().__init__(shown_url(url))
        self.errors, self.value_errors = (psycopg.Error,), (psycopg.DataError, psycopg.IntegrityError)
        self.inbox = state_folder() / f"{hashlib.sha256(self.path.encode()).hexdigest()[:16]}.inbox"
        self._url = url
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._idle: list[Connection[Any]] = []
        self._connections: WeakSet[Connection[Any]] = WeakSet()
        self._outdated: WeakSet[Connection[Any]] = WeakSet()
        self._is_open = True
        ENGINES.add(self)

    @classmethod
    def opened(cls, url: str) -> Server:
        """Open the database of a URL, or return the database that this process already has open."""
        _checked(url)
        with cls._opening:
            found = _servers.get(url)
            if found is None or not found.is_of_this_process:  # a fork cannot use the connections of its parent
                found = _servers[url] = cls(url)
            found._users += 1
        return found

    @contextmanager
    def using(self) -> Iterator[ServerCursor]:
        """Context manager: yields a cursor for a statement and its rows; a transaction always uses the same cursor."""
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
        """Context manager: runs all of this thread's statements on one connection, for a transaction."""
        if self.thread.is_holding:
            yield
            return
        self.thread.is_holding = True
        try:
            yield
        finally:
            self.thread.is_holding = False
            cursor, self.thread.cursor = self.thread.cursor, None
            if cursor is not None:
                self._put_back(cursor.connection)

    def has_failed(self, error: Exception) -> bool:
        """Return whether the server or the network caused an error; may set `is_broken`."""
        psycopg = _psycopg()
        state: str = getattr(error, "sqlstate", None) or ""
        failed = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) or state in NOT_NOW
        # A lock timeout is not a reason to reconnect.
        if failed and not state.startswith(("55", "40")):
            self.is_broken = True
            self._outdated = self._connections.copy()  # they may lead to a server that is no longer the primary
        return failed

    def restore(self) -> None:
        """Reconnect, as the server may now be another machine. After StoreBusy, the next call tries again."""
        with suppress(IndexError):
            while self._idle:
                self._idle.pop().close()
        try:
            self._put_back(self._taken())
        except _psycopg().Error as error:
            raise StoreBusy(f"{self.path} does not answer: {first_line(error)}; {self.remedy}") from error
        self.is_broken = False

    def interrupt(self) -> None:
        """Make all statements fail that wait for the server, because it does not answer."""
        for connection in list(self._connections):
            # A copy of the descriptor of the same socket, which the other thread goes on using.
            with suppress(OSError, _psycopg().Error), socket.socket(fileno=os.dup(connection.fileno())) as waiting:
                waiting.shutdown(socket.SHUT_RDWR)

    def add_rows(self, cursor: ServerCursor, table: str, rows: pd.DataFrame) -> None:
        """Append a DataFrame to a table with the same column order."""
        with cursor.connection.cursor() as writing, writing.copy(f"COPY {table} FROM STDIN") as copy:
            for start in range(0, len(rows), TOGETHER):
                part = rows.iloc[start : start + TOGETHER].astype("object")
                part = part.where(part.notna(), None)
                for row in part.itertuples(index=False, name=None):
                    copy.write_row(row)
        cursor.execute(f"ANALYZE {table}")  # the server does not analyze temporary tables automatically

    def frame(self, cursor: ServerCursor, sql: str, parameters: Parameters) -> pd.DataFrame:
        """Run a query and return the rows as a DataFrame; for many rows, use `columns`."""
        cursor.execute(sql, parameters)
        return pd.DataFrame(cursor.fetchall(), columns=[column[0] for column in cursor.description or ()])

    @contextmanager
    def csv(self, cursor: Cursor, query: str, statement: str) -> Iterator[Iterator[bytes]]:
        """Context manager: yields the rows of a statement as CSV lines; the query has the same columns."""
        assert isinstance(cursor, ServerCursor)
        cursor.execute(f"SELECT * FROM ({query}) found LIMIT 0")
        texts = [column[0] for column in cursor.description if column.type_code in TEXTS]
        quoted = f", FORCE_QUOTE ({', '.join(texts)})" if texts else ""
        asked = f"COPY ({statement}) TO STDOUT (FORMAT csv{quoted})"
        with cursor.connection.cursor() as reading, reading.copy(asked) as copy:
            yield (bytes(line) for line in copy)

    def add_csv(self, cursor: Cursor, table: str, lines: Iterator[bytes]) -> None:
        """Append CSV lines to a table."""
        assert isinstance(cursor, ServerCursor)
        with (
            cursor.connection.cursor() as writing,
            writing.copy(f"COPY {table} FROM STDIN (FORMAT csv, NULL '')") as copy,
        ):
            for line in lines:
                copy.write(line)

    def close(self) -> None:
        """Close the connections after pending visits are written."""
        self.finish()
        with self.writing, self.visiting:
            self._is_open = False
            while self._idle:
                self._idle.pop().close()
        with self._opening:
            if _servers.get(self._url) is self:
                del _servers[self._url]

    def _taken(self) -> Connection[Any]:
        """Return a connection for this thread only: an idle connection that still works, or a new one."""
        if not self._is_open:
            raise StoreClosed(f"{self.path} is closed; open it again")
        if not self._places.acquire(timeout=LONGEST_WAIT):
            raise StoreBusy(f"{self.path}: all {MOST_CONNECTIONS} connections of this process are in use")
        try:
            with suppress(IndexError):  # if another thread takes the last idle connection
                while self._idle:
                    found = self._idle.pop()
                    if _is_quiet(found) and found not in self._outdated:
                        return found
                    found.close()
            found = _connected(self._url)
            self._connections.add(found)
            return found
        except BaseException:
            self._places.release()
            raise

    def _put_back(self, connection: Connection[Any]) -> None:
        from psycopg.pq import TransactionStatus

        is_idle = connection.info.transaction_status is TransactionStatus.IDLE
        if is_idle and self._is_open and connection not in self._outdated:
            self._idle.append(connection)
        else:
            connection.close()
        self._places.release()


def _psycopg() -> Any:
    with extra("postgresql"):
        import psycopg
    return psycopg


def _checked(url: str) -> None:
    psycopg = _psycopg()
    try:
        is_good = bool(_URL.fullmatch(url) and psycopg.conninfo.conninfo_to_dict(url))
    except psycopg.Error:  # the message may contain the password
        is_good = False
    if not is_good:
        rule = "is not the URL of a PostgreSQL database, such as postgresql://user@host/name; in a password, write"
        raise InvalidParameter(Problem("store", shown_url(url), f"{rule} @ / ? # as %40 %2F %3F %23"))


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
    """Return whether an idle connection still works; unexpected data means that the server closed the connection."""
    try:
        return not connection.closed and not select([connection.fileno()], [], [], 0)[0]
    except (OSError, ValueError, _psycopg().Error):
        return False
