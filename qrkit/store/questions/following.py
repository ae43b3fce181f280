"""Follows the events of an account as they come."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from time import sleep
from typing import Any

from qrkit.store.connection import Store
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.receivers import keep_for_streams, last_event, newer_events
from qrkit.tracking.times import Clock
from qrkit.tracking.webhook import EventFilter

__all__ = ["LOOK_SECONDS", "MOST", "follow"]

MOST = 1_000
"""Events that are read at a time."""
LOOK_SECONDS = 0.5
"""Time between two looks for new events."""
KEEP_LOOKS = 1_000
"""After how many looks it is said again that there is a stream."""


def follow(
    store: Store, account_id: str, wanted: EventFilter, clock: Clock, after: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the events of an account as they come, forever.

    Args:
        wanted: Which events.
        after: ID of the last event before them; by default, they begin now.
    """
    position = last_event(store) if after is None else after
    for looks in count():
        if looks % KEEP_LOOKS == 0:
            keep_for_streams(store, account_id, clock())
        include_waiting(store)
        for number, event in newer_events(store, account_id, after=position, most=MOST):
            position = number
            if wanted.wants(event):
                yield event
        sleep(LOOK_SECONDS)
