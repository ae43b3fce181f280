"""One thread that writes visits: those that wait share a commit, and each caller is told when its own is durable.

A commit costs a wait for the disk, whatever is in it. Two requests at once wait once; a hundred too.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from qrkit.errors import StoreBusy
from qrkit.store.connection import Store
from qrkit.store.engine import Engine
from qrkit.store.visits import insert_visits, is_kept
from qrkit.tracking.records import Visit

__all__ = ["record_visit"]

MOST_WAITING = 10_000
"""Visits that may wait; more are refused, so that a store that stands still does not fill the memory."""
MOST_TOGETHER = 1_000
"""Visits in one commit."""
FILLING_SECONDS = 0.003
"""How long a commit waits at most until as many visits are there as were in the last one."""

AGAIN_SECONDS = 0.2
"""How long a server is left alone that does not answer."""
LAST_SECONDS = 5.0
"""How long visits wait for it when the store is closing."""

_log = logging.getLogger("qrkit")


class _Waiting:
    """A visit on its way into the store."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self._pending = threading.Lock()  # a plain lock: half the cost of an Event
        self._pending.acquire()
        self._error: BaseException | None = None

    def wait(self, seconds: float) -> bool:
        """Whether the visit is durable after so many seconds; asked once.

        Raises:
            StoreBusy: It could not be written and never will be.
        """
        if not self._pending.acquire(timeout=max(0.0, seconds)):
            return False
        if self._error is not None:
            raise StoreBusy(f"a visit could not be written: {self._error}") from self._error
        return True

    def finish(self, error: BaseException | None = None) -> None:
        """Tell who waits."""
        self._error = error
        self._pending.release()


def record_visit(store: Store, visit: Visit, *, seconds: float = 2.0) -> bool:
    """Store a visit, and say whether it is durable.

    Inside a transaction of this thread it becomes a part of that; else it shares a commit with those that wait too.

    Args:
        store: Where it goes.
        visit: What happened.
        seconds: How long to wait. A visit that is not durable by then is stored later.

    Raises:
        StoreBusy: It could not be stored, the store was closed, or so many wait that there was no place for this one.
    """
    store.check_writable()
    if store.is_in_transaction:
        insert_visits(store, [visit])
        return True
    return _writer_of(store.database).submit(visit).wait(seconds)


def _writer_of(database: Engine) -> _Writer:
    with _starting:
        writer: _Writer | None = database.helpers.get("writer")
        if writer is None:
            writer = database.helpers["writer"] = _Writer(database)
    return writer


class _Writer:
    """The thread of one database, and the visits that wait for it."""

    def __init__(self, database: Engine) -> None:
        self._database = database
        self._waiting: list[_Waiting] = []
        self._changed = threading.Condition(threading.Lock())
        self._enough = 1
        self._is_open = True
        # A daemon, so that it does not keep a program alive; the database stops it in order before it closes.
        self._thread = threading.Thread(target=self._run, name=f"visits of {database.path}", daemon=True)
        self._thread.start()
        database.before_closing.append(self.stop)

    def submit(self, visit: Visit) -> _Waiting:
        waiting = _Waiting(visit)
        with self._changed:
            if not self._is_open:
                raise StoreBusy(f"{self._database.path} is closed; open it again")
            if len(self._waiting) >= MOST_WAITING:
                raise StoreBusy(f"{MOST_WAITING} visits wait to be written; the store cannot keep up")
            self._waiting.append(waiting)
            if len(self._waiting) in (1, self._enough):
                self._changed.notify()
        return waiting

    def stop(self) -> None:
        """Write what waits, then end."""
        with self._changed:
            self._is_open = False
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._batch():
            self._write(batch)

    def _batch(self) -> list[_Waiting]:
        """The visits of the next commit; none when it is time to stop."""
        with self._changed:
            # Whoever was answered just now may come again, beside those who wait already.
            self._enough += len(self._waiting)
            self._changed.wait_for(lambda: self._waiting or not self._is_open)
            self._changed.wait_for(lambda: len(self._waiting) >= self._enough or not self._is_open, FILLING_SECONDS)
            batch = self._waiting[:MOST_TOGETHER]
            del self._waiting[:MOST_TOGETHER]
            self._enough = max(1, len(batch))
        return batch

    def _write(self, batch: list[_Waiting]) -> None:
        try:
            self._commit([one.visit for one in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, StoreBusy):
                # One of them may be at fault, which is no reason to lose the others.
                half = len(batch) // 2
                self._write(batch[:half])
                self._write(batch[half:])
                return
            for one in batch:
                one.finish(error)
            return
        for one in batch:
            one.finish()

    def _commit(self, visits: Sequence[Visit]) -> None:
        """Write visits in one transaction; where the database fails meanwhile it is reached anew.

        A file either opens again at once, or not. A server may be away for minutes: its visits wait in memory, and who
        waits for them is told that they are late. Once the store is closing they wait no longer than `LAST_SECONDS`.
        """
        store, mark, last = Store.on(self._database), None, False
        while True:
            try:
                # Alone once it has failed: then a transaction that is still being committed has an end, too.
                with store.adding(alone=mark is not None):
                    # A commit that seemed to fail may have happened.
                    if mark is None or not is_kept(store, mark, visits):
                        mark = insert_visits(store, visits)
                return
            except StoreBusy as error:
                if last or not (self._database.is_broken or self._database.is_shared):
                    raise
                _log.warning("visits could not be written and are written again: %s", error)
            last = not self._database.is_shared or self._server_stays_away()

    def _server_stays_away(self) -> bool:
        """Wait until a server answers again; whether it does not, and the store is closing."""
        end = None
        while True:
            with self._changed:
                self._changed.wait_for(lambda: not self._is_open, AGAIN_SECONDS)
                is_open = self._is_open
            with suppress(StoreBusy):
                self._database.restore()
                return not is_open
            if not is_open:
                end = end or time.monotonic() + LAST_SECONDS
                if time.monotonic() > end:
                    return True
                time.sleep(AGAIN_SECONDS)


_starting = threading.Lock()
