"""One thread that writes visits: those that wait share a commit, and each caller is told when its own is durable.

A commit costs a wait for the disk, whatever is in it. Two requests at once wait once; a hundred too.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Sequence
from time import monotonic

import duckdb

from qrkit.errors import StoreBusy
from qrkit.records import Visit
from qrkit.store.connection import Store
from qrkit.store.database import Database
from qrkit.store.visits import insert_visits

__all__ = ["record_visit"]

MOST_WAITING = 10_000
"""Visits that may wait; more are refused, so that a store that stands still does not fill the memory."""
MOST_TOGETHER = 1_000
"""Visits in one commit."""
FILLING_SECONDS = 0.002
"""How long a batch waits for company, once there was any."""

_DISK = (duckdb.IOException, duckdb.FatalException, duckdb.InternalException)
"""What DuckDB raises when a file cannot be written; after the last two it wants to be opened anew."""
_log = logging.getLogger("qrkit")


class _Waiting:
    """A visit on its way into the store."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self._done = threading.Event()
        self._error: BaseException | None = None

    def wait(self, seconds: float | None = None) -> bool:
        """Whether the visit is durable after so many seconds; without a limit, wait until it is.

        Raises:
            StoreBusy: It could not be written and never will be.
        """
        if not self._done.wait(seconds):
            return False
        if self._error is not None:
            raise StoreBusy(f"a visit could not be written: {self._error}") from self._error
        return True

    def finish(self, error: BaseException | None = None) -> None:
        """Tell who waits."""
        self._error = error
        self._done.set()


def record_visit(store: Store, visit: Visit, *, seconds: float = 2.0) -> bool:
    """Store a visit, and say whether it is durable.

    Inside a transaction of this thread it becomes a part of that; else it shares a commit with those that wait too.

    Args:
        store: Where it goes.
        visit: What happened.
        seconds: How long to wait. A visit that is not durable by then is stored later.

    Raises:
        StoreBusy: It could not be stored, or so many wait that there was no place for this one.
    """
    if store.is_in_transaction:
        insert_visits(store, [visit])
        return True
    return _writer_of(store.database).submit(visit, seconds).wait(seconds)


def _writer_of(database: Database) -> _Writer:
    with _starting:
        writer: _Writer | None = database.memory.get("writer")
        if writer is None:
            writer = database.memory["writer"] = _Writer(database)
    return writer


class _Writer:
    """The thread of one database, and the queue it takes visits from."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue: queue.Queue[_Waiting | None] = queue.Queue(MOST_WAITING)
        self._gate = threading.Lock()
        self._is_open = True
        # A daemon, so that it does not keep a program alive; the database stops it in order before it closes.
        self._thread = threading.Thread(target=self._run, name=f"visits of {database.path}", daemon=True)
        self._thread.start()
        database.before_closing.append(self.stop)

    def submit(self, visit: Visit, seconds: float) -> _Waiting:
        waiting = _Waiting(visit)
        with self._gate:
            if not self._is_open:
                raise StoreBusy(f"{self._database.path} is closed; open it again")
            try:
                self._queue.put(waiting, timeout=seconds)
            except queue.Full as error:
                raise StoreBusy(f"{MOST_WAITING} visits wait to be written; the store cannot keep up") from error
        return waiting

    def stop(self) -> None:
        """Write what waits, then end."""
        with self._gate:
            self._is_open = False
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        together = 1
        while batch := self._batch(company=together > 1):
            together = len(batch)
            self._write(batch)

    def _batch(self, *, company: bool) -> list[_Waiting]:
        """The visits of the next commit; none when it is time to stop."""
        first = self._queue.get()
        if first is None:
            return []
        batch, until = [first], monotonic() + FILLING_SECONDS
        while len(batch) < MOST_TOGETHER:
            try:
                one = self._queue.get(timeout=max(0.0, until - monotonic())) if company else self._queue.get_nowait()
            except queue.Empty:
                break
            if one is None:
                self._queue.put(None)  # for the next time
                break
            batch.append(one)
        return batch

    def _write(self, batch: list[_Waiting]) -> None:
        try:
            _commit(self._database, [one.visit for one in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, (*_DISK, StoreBusy)):
                # One of them may be at fault, which is no reason to lose the others.
                for one in batch:
                    self._write([one])
                return
            for one in batch:
                one.finish(error)
            return
        for one in batch:
            one.finish()


def _commit(database: Database, visits: Sequence[Visit]) -> None:
    """Write visits in one transaction; a failure of the disk is answered by opening the file anew, once."""
    store, last = Store.on(database), None
    try:
        last = _last_batch(store)
        insert_visits(store, visits)
        return
    except _DISK as error:
        _log.warning("the store failed and is opened anew: %s", error)
    with database.writing, database.visiting:
        database.reopen()
        if last is None or _last_batch(store) == last:
            insert_visits(store, visits)


def _last_batch(store: Store) -> int:
    """Number of the last commit of visits: when it has grown, a commit that seemed to fail has happened."""
    row = store.row("SELECT number FROM batches")
    return int(row["number"]) if row else 0


_starting = threading.Lock()
