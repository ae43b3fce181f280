"""What only private names can do to an inbox: nothing public makes a disk fail or stand still."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from qrkit.store import Store
from qrkit.store.recording import _recorder_of, record_visit
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


@contextmanager
def failing(store: Store) -> Iterator[None]:
    """Whatever is written to the inbox is an error meanwhile."""
    recorder = _recorder_of(store.database)
    base, recorder._base = recorder._base, Path(__file__) / "inbox"  # below a file, where nothing can be made
    if recorder._inbox:
        recorder._inbox.has_failed = True
    yield
    recorder._base, recorder._again = base, 0.0
