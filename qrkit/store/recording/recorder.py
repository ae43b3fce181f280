"""Records visits: a visit is durable in an inbox at once, and moves into the store later, together with many others.

Some facts are determined from memory when a visitor is answered: the QR Code, its content, the kind of the visit,
whether it repeats a visit within two seconds, the visitor's key and place. The rest happens when the visit moves:
numbering and parsing the user agent, updating the counters, and adding the row to the store.

Visits move when a thousand are waiting, before a query (`include_waiting`), or after some seconds. For each inbox, the
store keeps the number of the last visit it received, and updates it in the transaction that adds the visits. Whatever
fails, the next attempt therefore adds each visit exactly once.

If a crash leaves an inbox behind, the next process that opens the store moves its visits: for a file, the process that
has the file open; for a server, a process on the same machine.
"""

from __future__ import annotations

import logging
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from uuid import uuid4

from qrkit.errors import StoreBusy, StoreClosed
from qrkit.store.connection import Store
from qrkit.store.engine import Engine
from qrkit.store.recording.inbox import Inbox, NotTried, WaitingVisit
from qrkit.store.recording.visit_rows import insert_visits, insert_waiting, waiting_visit
from qrkit.tracking.records import Visit

MOVE_AT = 1_000
"""Number of waiting visits that triggers an immediate move."""
MOST_TOGETHER = 10_000
"""Number of visits moved in one transaction."""
FILE_SECONDS, SERVER_SECONDS = 10.0, 1.0
"""Maximum time a visit waits. It is shorter for a server, because other processes see only visits that have moved."""
REST_SECONDS = 0.5
"""Minimum time between two moves: under load, fewer and larger moves leave more processor time for redirects."""
LAST_SECONDS = 5.0
"""How long closing waits for a server that does not answer; its visits then stay in the inbox."""
AGAIN_SECONDS = 1.0
"""Time between two attempts while the store cannot be written."""
NAMES = 3
"""How many names a new inbox gets while other processes, which start as well, lock its file first."""

ADD_INBOX = "INSERT INTO inboxes (name, moved) VALUES (?, 0) ON CONFLICT (name) DO NOTHING"
MOVED = "SELECT moved FROM inboxes WHERE name = ?"
# If a transaction that seemed to fail was committed after all, the number differs, and no row is changed.
MOVE = "UPDATE inboxes SET moved = ? WHERE name = ? AND moved = ? RETURNING moved"

_log = logging.getLogger("qrkit")


def record_visit(store: Store, visit: Visit, *, seconds: float = 2.0, keep_late: bool = True) -> bool:
    """Record a visit, and return whether it is durable.

    Inside a transaction, the visit becomes part of that transaction. Otherwise, it goes into the inbox of this process,
    and `seconds` and `keep_late` mean what they do for `Inbox.add`.
    """
    store.check_writable()
    try:
        waiting = waiting_visit(visit)
    except ValueError as error:
        raise StoreBusy(f"a visit could not be written: {error}") from error
    if store.is_in_transaction:
        insert_visits(store, [visit])
        return True
    return _recorder_of(store.database).add(waiting, seconds=seconds, keep_late=keep_late)


def drain(store: Store) -> None:
    """Move all visits recorded so far into the store, except inside a transaction or for a read-only store."""
    if not store.database.read_only and not store.is_in_transaction:
        store.check_open()
        _recorder_of(store.database).drain()


def include_waiting(store: Store) -> None:
    """Move all visits into the store before a query; if the store cannot be written, the query runs without them."""
    try:
        drain(store)
    except StoreBusy as error:
        _log.warning("a question does not include the visits that wait in the inbox: %s", error)


def waiting_visits(store: Store) -> int:
    """Return the number of visits that wait in the inboxes of this process; does not use the store."""
    recorder: _Recorder | None = store.database.helpers.get("recorder")
    return recorder.waiting if recorder else 0


def inbox_files(base: Path) -> list[Path]:
    """Return the files of the inboxes whose paths begin with `base`."""
    pattern = re.compile(re.escape(base.name) + r"-[0-9a-f]{32}")
    with suppress(FileNotFoundError, NotADirectoryError):
        return sorted(path for path in base.parent.iterdir() if pattern.fullmatch(path.name))
    return []


def _recorder_of(database: Engine) -> _Recorder:
    return database.helper("recorder", lambda: _Recorder(database))


class _Recorder:
    """The inboxes of a database: the one that this process writes to, and those left behind by other processes."""

    def __init__(self, database: Engine) -> None:
        self._database = database
        self._base = database.inbox
        self._inbox: Inbox | None = None
        self._left = list(self._adopt(inbox_files(self._base) if self._base else []))
        self._again = 0.0
        self._is_open = True
        self._thread: threading.Thread | None = None
        self._opening = threading.Lock()
        self._moving = threading.RLock()
        self._changed = threading.Condition(threading.Lock())
        self._has_visits = self._is_urgent = False
        database.before_closing.append(self.stop)

    @property
    def waiting(self) -> int:
        inboxes = [*self._left, self._inbox]
        return sum(inbox.waiting for inbox in inboxes if inbox is not None)

    def add(self, visit: WaitingVisit, *, seconds: float, keep_late: bool) -> bool:
        inbox = self._inbox
        if inbox is None or inbox.has_failed:
            inbox = self._open()
        try:
            return inbox.add(visit, seconds=seconds, keep_late=keep_late)
        except NotTried:
            return self._open().add(visit, seconds=seconds, keep_late=keep_late)

    def drain(self) -> None:
        """Move the visits recorded so far into the store."""
        if not self._left and (self._inbox is None or not self._inbox.waiting):
            return
        try:
            self._drain()
        except StoreBusy:
            if not self._database.is_broken:
                raise
            self._drain()  # the first statement opens the database again

    def _drain(self) -> None:
        with self._moving:
            for inbox in list(self._left):
                self._end(inbox)
            if self._inbox is not None:
                try:
                    self._move_all(self._inbox)
                except sqlite3.Error as error:
                    raise StoreBusy(f"the visits in {self._inbox.path} cannot be read: {error}") from error

    def stop(self) -> None:
        """Move all visits, then close the inboxes; visits that cannot be moved stay in their file."""
        with self._changed:
            self._is_open = False
            self._changed.notify()
        answers = True
        if self._thread:
            self._thread.join(LAST_SECONDS)
            if self._thread.is_alive():
                self._database.interrupt()
                answers = not self._database.is_shared
                self._thread.join()
        with self._opening, self._moving:
            if self._inbox is not None:
                self._inbox.seal()
                self._left.append(self._inbox)
                self._inbox = None
            try:
                if not answers:
                    raise StoreBusy(f"{self._database.path} does not answer")
                self.drain()
            except Exception as error:  # any error is fine, because the visits are safe in the inbox
                self._leave(error)
            self._left.clear()

    def _leave(self, error: Exception) -> None:
        for inbox in self._left:
            if inbox.waiting:
                text = "%d visits wait in %s until the store is opened again: %s"
                _log.warning(text, inbox.waiting, inbox.path, error)
            inbox.close(delete=not inbox.waiting)

    def _open(self) -> Inbox:
        """Return the inbox to write to; create one if there is none or the last one has failed."""
        with self._opening:
            if not self._is_open:
                raise StoreClosed(f"{self._database.path} is closed; open it again")
            if self._inbox is None or self._inbox.has_failed:
                failed, self._inbox = self._inbox, self._new()
                if failed is not None and failed.path:
                    _log.error("%s could not be written; visits now go to %s", failed.path, self._inbox.path)
                    failed.close(delete=False)
                    self._left.extend(self._adopt([failed.path]))
                if self._thread is None:
                    # A daemon thread does not keep the program alive; the database stops it before closing.
                    self._thread = threading.Thread(target=self._run, name="moves visits", daemon=True)
                    self._thread.start()
            return self._inbox

    def _new(self) -> Inbox:
        """Return a new inbox; after a failure, do not even try for a second, so that visitors are answered at once."""
        if monotonic() < self._again:
            raise StoreBusy(f"could not create an inbox for visits at {self._base}; the next attempt follows soon")
        try:
            if self._base:
                self._base.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._made(NAMES)
        except (sqlite3.Error, OSError) as error:
            self._again = monotonic() + AGAIN_SECONDS
            raise StoreBusy(f"no inbox for visits can be made at {self._base}: {error}") from error

    def _made(self, names: int) -> Inbox:
        """Return an inbox in a new file, trying several file names.

        Another process that starts at this moment may take the new file for one that was left, and lock it first.
        """
        name = uuid4().hex
        try:
            return Inbox(Path(f"{self._base}-{name}") if self._base else None, name, self._database.id, self._note)
        except sqlite3.OperationalError as error:
            if names == 1 or error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            return self._made(names - 1)

    def _adopt(self, paths: list[Path]) -> Iterator[Inbox]:
        """Yield the inboxes in files that were left; one that is in use by another process is locked."""
        for path in paths:
            try:
                yield Inbox(path, path.name.rpartition("-")[2], self._database.id)
            except (sqlite3.Error, StoreBusy) as error:
                if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                    _log.warning("the visits in %s cannot be read: %s", path, error)

    def _move_all(self, inbox: Inbox) -> None:
        """Move all visits that are in an inbox at the start; later visits are not included, so that the loop ends."""
        store, until = Store.on(self._database), inbox.last
        while True:
            if inbox.moved is None:
                with store.adding():
                    store.execute(ADD_INBOX, [inbox.name])
                    inbox.moved = int(store.rows(MOVED, [inbox.name])[0]["moved"])
            rows = inbox.read(inbox.moved, until, MOST_TOGETHER)
            if not rows:
                return
            self._move(store, inbox, rows)

    def _move(self, store: Store, inbox: Inbox, rows: list[tuple[int, WaitingVisit]]) -> None:
        last, before, inbox.moved = rows[-1][0], inbox.moved, None  # None in case the outcome stays unknown
        try:
            with store.adding():
                if not store.rows(MOVE, [last, inbox.name, before]):
                    return
                if kept := [visit for _, visit in rows if visit.fields]:
                    insert_waiting(store, kept)
        except self._database.value_errors:
            inbox.moved = before
            if len(rows) > 1:
                # Split the rows, so that one invalid visit does not hold up the others.
                half = len(rows) // 2
                self._move(store, inbox, rows[:half])
                self._move(store, inbox, rows[half:])
                return
            _log.exception("the store refused a visit, which is dropped")
            with store.adding():
                store.execute(MOVE, [last, inbox.name, before])
        inbox.moved = last

    def _end(self, inbox: Inbox) -> None:
        """Move all visits of an abandoned inbox, then delete the inbox. An unreadable inbox is kept."""
        try:
            self._move_all(inbox)
        except sqlite3.Error as error:
            _log.error("the visits in %s cannot be read: %s", inbox.path, error)
            inbox.close(delete=False)
            self._left.remove(inbox)
        else:
            inbox.close(delete=True)
            self._left.remove(inbox)
            store = Store.on(self._database)
            with store.adding():
                store.execute("DELETE FROM inboxes WHERE name = ?", [inbox.name])

    def _note(self, waiting: int) -> None:
        """Wake the thread when the first visit waits, and when many visits wait."""
        if not self._has_visits or (waiting >= MOVE_AT and not self._is_urgent):
            with self._changed:
                self._has_visits, self._is_urgent = True, waiting >= MOVE_AT
                self._changed.notify()

    def _run(self) -> None:
        """Move visits until the store is closed."""
        seconds = SERVER_SECONDS if self._database.is_shared else FILE_SECONDS
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._has_visits or not self._is_open)
                self._changed.wait_for(lambda: not self._is_open, REST_SECONDS)
                self._changed.wait_for(lambda: self._is_urgent or not self._is_open, seconds - REST_SECONDS)
                if not self._is_open:
                    return
                self._has_visits = self._is_urgent = False
            try:
                self.drain()
            except Exception as error:  # any error, because the thread must not end; the visits are safe
                _log.warning("visits wait in the inbox until the store can be written: %s", error)
                with self._changed:
                    self._has_visits = True
                    self._changed.wait_for(lambda: not self._is_open, AGAIN_SECONDS)
