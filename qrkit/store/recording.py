"""A thread that writes visits: waiting visits share a commit, and each caller learns when its visit is durable.

Every commit waits for the disk once, no matter how many visits it contains.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from qrkit.errors import StoreBusy, StoreClosed
from qrkit.store.connection import Store
from qrkit.store.engine import Engine
from qrkit.store.visits import insert_visits, is_kept
from qrkit.tracking.records import Visit

__all__ = ["record_visit"]

MOST_WAITING = 10_000
"""Maximum number of waiting visits; more are rejected, so that a stalled store does not fill the memory."""
MOST_TOGETHER = 1_000
"""Maximum number of visits per commit."""
FILLING_SECONDS = 0.003
"""Maximum time that a commit waits for as many visits as the previous commit had."""

AGAIN_SECONDS = 0.2
"""Time between two attempts to reach a server that does not answer."""
LAST_SECONDS = 5.0
"""Maximum time that visits wait for a server while the store is closing."""

_log = logging.getLogger("qrkit")


class _Waiting:
    """A visit that waits to be written."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self._pending = threading.Lock()  # a plain lock: half the cost of an Event
        self._pending.acquire()
        self._error: BaseException | None = None

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` and return whether the visit is durable; call only once.

        Raises:
            StoreBusy: If the visit could not be written and will not be retried.
        """
        if not self._pending.acquire(timeout=max(0.0, seconds)):
            return False
        if self._error is not None:
            raise StoreBusy(f"a visit could not be written: {self._error}") from self._error
        return True

    def finish(self, error: BaseException | None = None) -> None:
        """Notify the waiting thread."""
        self._error = error
        self._pending.release()


def record_visit(store: Store, visit: Visit, *, seconds: float = 2.0) -> bool:
    """Store a visit, and return whether the visit is durable.

    Inside a transaction, the visit becomes part of that transaction; else it shares a commit with other waiting visits.

    Args:
        store: The store to write to.
        visit: The visit to store.
        seconds: Maximum time to wait. A visit that is not durable by then is stored later.

    Raises:
        StoreBusy: If the visit could not be stored, the store was closed, or too many visits are waiting.
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
    """The writer thread of a database, with its queue of waiting visits."""

    def __init__(self, database: Engine) -> None:
        self._database = database
        self._waiting: list[_Waiting] = []
        self._changed = threading.Condition(threading.Lock())
        self._enough = 1
        self._is_open = True
        # A daemon thread does not keep the program alive; the database stops the thread before closing.
        self._thread = threading.Thread(target=self._run, name=f"visits of {database.path}", daemon=True)
        self._thread.start()
        database.before_closing.append(self.stop)

    def submit(self, visit: Visit) -> _Waiting:
        waiting = _Waiting(visit)
        with self._changed:
            if not self._is_open:
                raise StoreClosed(f"{self._database.path} is closed; open it again")
            if len(self._waiting) >= MOST_WAITING:
                raise StoreBusy(f"{MOST_WAITING} visits wait to be written; the store cannot keep up")
            self._waiting.append(waiting)
            if len(self._waiting) in (1, self._enough):
                self._changed.notify()
        return waiting

    def stop(self) -> None:
        """Write all waiting visits, then stop the thread."""
        with self._changed:
            self._is_open = False
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._batch():
            self._write(batch)

    def _batch(self) -> list[_Waiting]:
        """Wait for the visits of the next commit and return them; return an empty list to stop the thread."""
        with self._changed:
            # Callers of the last commit may submit again, in addition to the visits that are already waiting.
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
            if len(batch) > 1 and not isinstance(error, StoreBusy | StoreClosed):
                # Split the batch, so that one invalid visit does not lose the others.
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
        """Write visits in one transaction; after a database failure, reopen the database and retry.

        A file is retried once. A server may be unreachable for minutes: its visits then wait in memory, and callers
        learn that their visits are not durable yet. While the store is closing, visits wait at most `LAST_SECONDS`.
        """
        store, mark, last = Store.on(self._database), None, False
        while True:
            try:
                # After a failure, wait for the exclusive lock, so that an earlier commit still in progress has ended.
                with store.adding(alone=mark is not None):
                    # A commit that seemed to fail may have succeeded.
                    if mark is None or not is_kept(store, mark, visits):
                        mark = insert_visits(store, visits)
                return
            except (StoreBusy, StoreClosed) as error:
                if last or not (self._database.is_broken or self._database.is_shared):
                    raise
                _log.warning("visits could not be written and are written again: %s", error)
            last = not self._database.is_shared or self._server_stays_away()

    def _server_stays_away(self) -> bool:
        """Wait until a server answers again; return True if this is the last attempt because the store is closing."""
        end = None
        while True:
            with self._changed:
                self._changed.wait_for(lambda: not self._is_open, AGAIN_SECONDS)
                is_open = self._is_open
            with suppress(StoreBusy, StoreClosed):
                self._database.restore()
                return not is_open
            if not is_open:
                end = end or time.monotonic() + LAST_SECONDS
                if time.monotonic() > end:
                    return True
                time.sleep(AGAIN_SECONDS)


_starting = threading.Lock()
