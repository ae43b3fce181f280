"""Records when a server runs, so that days on which nothing could be scanned are told from days without visitors.

Once a minute, a heartbeat makes the last span of the table `uptime` longer. If that span ended some minutes ago, a new
one begins, and the time between both is an outage (`store.questions.outages`). So a year takes one row, and another one
for each outage, and all processes of a server share them. No redirect waits for a heartbeat: it is a transaction of its
own, in a thread of its own, which an archive that takes long does not hold up.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event

from qrkit.store.connection import Store
from qrkit.store.upkeep.background_threads import in_background
from qrkit.tracking.times import Clock, naive, now

HEARTBEAT = 60.0
"""Seconds between two heartbeats."""
LONGEST_PAUSE = timedelta(minutes=3)
"""A longer time without a heartbeat is an outage. A restart and a busy machine take less."""

CONTINUE = "UPDATE uptime SET ended = greatest(ended, ?::TIMESTAMP) WHERE ended >= ?::TIMESTAMP RETURNING ended"

_log = logging.getLogger("qrkit")


@contextmanager
def recording_uptime(store: Store, *, clock: Clock = now, seconds: float = HEARTBEAT) -> Iterator[None]:
    """Context manager: records that a server runs, at once, every `seconds` in a background thread, and at the end."""
    heart = _Heart(store, clock)

    def go_on(ended: Event) -> None:
        while not ended.wait(seconds):
            heart.beat()
        heart.beat()

    heart.beat()
    with in_background(go_on, f"uptime of {store.path}"):
        yield


class _Heart:
    """Records heartbeats. If the store is busy, a heartbeat is recorded later."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._recorded: datetime | None = None
        self._awake: datetime | None = None

    def beat(self) -> None:
        moment = naive(self._clock())
        since = moment - LONGEST_PAUSE
        # A process that was awake a moment ago has run since its last heartbeat; one that was not was suspended.
        if self._recorded and self._awake and self._awake >= since:
            since = min(since, self._recorded)
        try:
            with self._store.adding():
                if not self._store.rows(CONTINUE, [moment, since]):
                    self._store.execute("INSERT INTO uptime (began, ended) VALUES (?, ?)", [moment, moment])
        except Exception as error:  # any error, such as a full disk, because the thread must not end
            _log.warning("it could not be recorded that the server runs: %s", error)
        else:
            self._recorded = moment
        self._awake = naive(self._clock())
