"""Provides `Inbox`, a SQLite file in which visits are durable within a millisecond before they move into the store.

A redirect is answered once its visit is in the inbox. `recorder` moves visits from the inbox into the store, many at a
time, because a commit takes DuckDB twenty times as long as SQLite, and PostgreSQL may be unreachable.

Threads share commits. A thread that finds no commit in progress writes the visits of all waiting threads, then hands
over to a thread that has arrived meanwhile. A single visit is written without waking another thread.

Only one connection at a time can open an inbox (`locking_mode=EXCLUSIVE`). When a process dies, the operating system
releases its lock, and the next process finds all acknowledged visits. SQLite verifies each page of its log, so an
incomplete write at the end loses only visits that were never acknowledged.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from qrkit.errors import StoreBusy, StoreClosed
from qrkit.files import flush, mode_like, new_file

MOST_WAITING = 10_000
"""Maximum number of visits that wait for a commit, so that a stalled disk does not fill the memory."""
MOST_TOGETHER = 1_000
"""Maximum number of visits per commit."""

OPEN = """
PRAGMA locking_mode=EXCLUSIVE;
PRAGMA journal_mode=WAL;
PRAGMA synchronous=FULL;
PRAGMA secure_delete=ON;
"""
# AUTOINCREMENT ensures that the number of a moved and deleted visit is never reused.
TABLES = """
CREATE TABLE IF NOT EXISTS visits (
    number INTEGER PRIMARY KEY AUTOINCREMENT, user_agent TEXT NOT NULL, scanned INTEGER, fields TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS stores (id TEXT NOT NULL);
"""
# One statement adds all visits, because Python's sqlite3 lets other threads run at each step of a statement.
ADD = "INSERT INTO visits (user_agent, scanned, fields) VALUES (?, ?, ?)"
ANOTHER = ", (?, ?, ?)"
READ = """
SELECT number, user_agent, scanned, fields FROM visits WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
"""
# The row of a withdrawn visit stays until the visits before it have moved, so that numbers have no gaps.
WITHDRAW = """
UPDATE visits SET user_agent = '""', scanned = NULL, fields = '' WHERE number IN (SELECT value FROM json_each(?))
"""
DELETE = "DELETE FROM visits WHERE number <= ?"
LAST = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'visits'"
STORE = "SELECT max(id) FROM stores"
SET_STORE = "INSERT INTO stores SELECT ? WHERE NOT EXISTS (SELECT 1 FROM stores)"

_log = logging.getLogger("qrkit")


class WaitingVisit(NamedTuple):
    """A visit on its way to the store, with its user agent cut at 512 characters.

    `scanned` is the number of the QR Code for which it counts as a scan; None if it is not a scan. `fields` is JSON of
    the other columns of the table `visits`; empty if the visit was withdrawn.
    """

    user_agent: str
    scanned: int | None
    fields: str


class NotTried(StoreBusy):
    """The file of an inbox failed before this visit was written, so the visit can go into another inbox."""


class _Entry:
    """A visit to be added, and whether it is durable, failed or still waiting."""

    leads = is_left = is_withdrawn = is_done = False
    error: BaseException | None = None

    def __init__(self, visit: WaitingVisit) -> None:
        self.visit = visit
        self.woken = threading.Lock()  # a plain lock, because an Event costs twice as much
        self.woken.acquire()


class Inbox:
    """An inbox in a file, or in memory (without a path).

    Args:
        path: The file; a new one has the permissions of the store beside it: `shop.duckdb` for `shop.duckdb.inbox-…`.
        store_id: The id of the store for the visits. The file of another store raises StoreBusy.
        on_commit: Called after each commit, with the number of visits that wait to be moved into the store.

    Attributes:
        name: Name of the inbox in the store, unique among all inboxes of the store.
        last: Number of the last visit that is durable.
        moved: Number of the last visit that is in the store; None if unknown, until the store is queried.
        has_failed: Whether a write failed and left the file in an unknown state. Such a file is only read.
    """

    def __init__(
        self, path: Path | None, name: str, store_id: str, on_commit: Callable[[int], None] = lambda _waiting: None
    ) -> None:
        self.name = name
        self.path = path
        self.moved: int | None = None
        self.has_failed = False
        self._on_commit = on_commit
        self._deleted = 0
        self._queue: list[_Entry] = []
        self._is_committing = False
        self._is_open = True
        self._lock = threading.Lock()
        self._is_idle = threading.Condition(self._lock)
        self._using = threading.Lock()
        is_new = path is not None and not path.exists()
        if is_new and path:
            new_file(path, mode_like(path.with_suffix(""))).close()
        self._connection = sqlite3.connect(path or ":memory:", timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._connection.executescript(OPEN + TABLES)
            self._connection.execute(SET_STORE, [store_id])
            (found,) = self._connection.execute(STORE).fetchone()
            if found != store_id:
                raise StoreBusy(f"{path} holds visits of another store; move it away")
            self.last = int(self._connection.execute(LAST).fetchone()[0])
        except BaseException:
            self._connection.close()
            if is_new:
                self._unlink()
            raise
        if is_new and path:
            flush(path.parent)

    @property
    def waiting(self) -> int:
        """Number of visits that are not known to be in the store; the true number may be lower."""
        return self.last - (self.moved or 0)

    def add(self, visit: WaitingVisit, *, seconds: float, keep_late: bool) -> bool:
        """Add a visit, and return whether it is durable; raise `NotTried` if the file failed for an earlier visit.

        It waits `seconds` while other threads commit; a thread that commits itself waits for the disk. With
        `keep_late`, a visit that is not durable in time is added later; otherwise, it is withdrawn, even if it is being
        written.
        """
        entry = self._enqueue(visit)
        is_late = not entry.leads and not entry.woken.acquire(timeout=max(0.0, seconds))
        if is_late and self._leave(entry, keep_late=keep_late):
            return False
        if entry.leads:
            self._lead(entry)
        if isinstance(entry.error, NotTried):
            raise entry.error
        if entry.error is not None:
            raise StoreBusy(f"a visit could not be written: {entry.error}") from entry.error
        return True

    def read(self, after: int, until: int, most: int) -> list[tuple[int, WaitingVisit]]:
        """Return at most `most` visits and their numbers, with numbers above `after` and up to `until`."""
        with self._using:
            rows = self._connection.execute(READ, [after, until, most]).fetchall()
        return [(number, WaitingVisit(json.loads(agent), scanned, fields)) for number, agent, scanned, fields in rows]

    def seal(self) -> None:
        """Accept no more visits, and wait until all commits have ended."""
        with self._lock:
            self._is_open = False
            self._is_idle.wait_for(lambda: not self._is_committing)

    def close(self, *, delete: bool) -> None:
        """Close the inbox; `delete` the file if all its visits are in the store."""
        self.seal()
        with self._using:
            with suppress(sqlite3.Error):
                self._connection.close()
            if delete:
                self._unlink()

    def _unlink(self) -> None:
        for suffix in ("", "-wal", "-journal") if self.path else ():
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _enqueue(self, visit: WaitingVisit) -> _Entry:
        entry = _Entry(visit)
        with self._lock:
            if not self._is_open:
                raise StoreClosed("the store is closed; open it again")
            if len(self._queue) >= MOST_WAITING:
                raise StoreBusy(f"{MOST_WAITING} visits wait to be written; the disk cannot keep up")
            self._queue.append(entry)
            if not self._is_committing:
                self._is_committing = entry.leads = True
        return entry

    def _leave(self, entry: _Entry, *, keep_late: bool) -> bool:
        """Stop waiting for a visit; return False if its commit has just ended, or if this thread has to commit."""
        with self._lock:
            if entry.leads or entry.is_done:
                return False
            entry.is_left = True
            if keep_late:
                return True
            entry.is_withdrawn = True
            if entry in self._queue:
                self._queue.remove(entry)
        raise StoreBusy("the visit was not written in time, and was withdrawn")

    def _lead(self, own: _Entry) -> None:
        """Commit waiting visits, then let the first thread that still waits take over; go on if none still waits."""
        while True:
            with self._lock:
                batch, self._queue = self._queue[:MOST_TOGETHER], self._queue[MOST_TOGETHER:]
            error = self._commit(batch)
            with self._lock:
                for entry in batch:
                    entry.error, entry.is_done = error, True
                    if not entry.leads:
                        entry.woken.release()
                if not own.is_done:
                    continue
                if not self._queue:
                    self._is_committing = False
                    self._is_idle.notify_all()
                    break
                following = next((entry for entry in self._queue if not entry.is_left), None)
                if following:
                    following.leads = True
                    following.woken.release()
                    break
        if not error:
            self._on_commit(self.waiting)

    def _commit(self, batch: list[_Entry]) -> Exception | None:
        """Write visits in one transaction, and delete those that are in the store; return the error, if any."""
        with self._using:
            try:
                if self.has_failed:
                    return NotTried(f"{self.path} could not be written")
                moved = self.moved or 0
                add = ADD + ANOTHER * (len(batch) - 1)
                values = [value for entry in batch for value in _written(entry.visit)]
                if moved == self._deleted:
                    self._connection.execute(add, values)
                else:
                    self._connection.execute("BEGIN")
                    self._connection.execute(add, values)
                    self._connection.execute(DELETE, [moved])
                    self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back(error)
                return error
            self._withdraw(batch)
            self.last += len(batch)
            self._deleted = moved
        return None

    def _withdraw(self, batch: list[_Entry]) -> None:
        """Clear the new rows of visits withdrawn meanwhile; from now on, no visit of the batch can be withdrawn."""
        with self._lock:
            for entry in batch:
                entry.is_done = True
            numbers = [number for number, entry in enumerate(batch, self.last + 1) if entry.is_withdrawn]
        if numbers:
            try:
                self._connection.execute(WITHDRAW, [json.dumps(numbers)])
            except sqlite3.Error as error:
                self._roll_back(error)
                _log.error("%d visits that were answered with 503 could not be withdrawn: %s", len(numbers), error)

    def _roll_back(self, error: sqlite3.Error) -> None:
        """Roll back. If the file may be damaged, never write to it again; a full disk does not damage it."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        self.has_failed |= code != sqlite3.SQLITE_FULL or self._connection.in_transaction


def _written(visit: WaitingVisit) -> tuple[str, int | None, str]:
    """Return the columns of a visit: the user agent as JSON, because SQLite cuts text that it reads at U+0000."""
    return json.dumps(visit.user_agent), visit.scanned, visit.fields
