"""What only private names can do to an inbox: nothing public makes a disk fail or stand still."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Semaphore
from typing import Self

from qrkit.store import Store
from qrkit.store.recording.recorder import _recorder_of, record_visit
from qrkit.tracking.records import Visit

PATIENCE = 30


@contextmanager
def standing_still(store: Store) -> Iterator[None]:
    """The disk of the inbox stands still meanwhile; one thread has begun to commit an orphan visit to `disk`."""
    inbox = _recorder_of(store.database)._open()
    first = Visit(datetime(2026, 1, 1, tzinfo=UTC), "orphan", "disk")
    with ThreadPoolExecutor(1) as threads:
        with inbox._using:
            waiting = threads.submit(record_visit, store, first, seconds=PATIENCE)
            while not inbox._is_committing:
                time.sleep(0.001)
            yield
        assert waiting.result()


class SlowCommits:
    """Commits to the inbox of a store that begin and then wait; each `let_go` ends one."""

    def __init__(self, store: Store) -> None:
        self._inbox = _recorder_of(store.database)._open()
        self._begun, self._may_end, self._waits = Semaphore(0), Semaphore(0), True

    def __enter__(self) -> Self:
        self._inbox._connection.set_trace_callback(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        self._waits = False
        self._may_end.release(1_000)

    def _trace(self, statement: str) -> None:
        if statement.strip().startswith("INSERT INTO visits") and self._waits:
            self._begun.release()
            self._may_end.acquire(timeout=PATIENCE)

    def begun(self) -> None:
        """Wait until the next commit has begun."""
        assert self._begun.acquire(timeout=PATIENCE)

    def queued(self, number: int) -> None:
        """Wait until so many visits wait for the next commit."""
        until = time.monotonic() + PATIENCE
        while len(self._inbox._queue) < number:
            assert time.monotonic() < until
            time.sleep(0.001)

    def let_go(self) -> None:
        """End the commit that has begun."""
        self._may_end.release()


@contextmanager
def failing(store: Store) -> Iterator[None]:
    """Whatever is written to the inbox is an error meanwhile."""
    recorder = _recorder_of(store.database)
    base, recorder._base = recorder._base, Path(__file__) / "inbox"  # below a file, where nothing can be made
    if recorder._inbox:
        recorder._inbox.has_failed = True
    yield
    recorder._base, recorder._again = base, 0.0
