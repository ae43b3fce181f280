"""Follows the events of an account as they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from time import sleep
from typing import TYPE_CHECKING, Any

from qrkit.late import Shown
from qrkit.store.connection import Store
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.receivers import keep_for_streams, last_event, newer_events
from qrkit.tracking.webhook import EventFilter

if TYPE_CHECKING:
    from qrkit.store.questions.scans import Scans


MOST = 1_000
"""Events that are read at a time."""
LOOK_SECONDS = 0.5
"""Time between two looks for new events."""
KEEP_LOOKS = 1_000
"""After how many looks it is said again that there is a stream."""


def begin_stream(store: Store, account_id: str, now: datetime) -> int:
    """Have the events of an account kept for streams from now on; return the number of the last event before."""
    include_waiting(store)  # otherwise the stream would get scans from before
    keep_for_streams(store, account_id, now)
    return last_event(store)


@dataclass(frozen=True, slots=True)
class Following(Shown):
    """Events as they come, without an end. A notebook shows a live chart of the scans instead.

    They come after the event with the ID `after`; by default, they begin now.
    """

    view: Scans
    wanted: EventFilter
    after: int | None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield events forever."""
        store, account_id, clock = self.view.store, self.view.account_id, self.view.clock
        begun = begin_stream(store, account_id, clock())
        position = begun if self.after is None else self.after
        for looks in count(1):
            if looks % KEEP_LOOKS == 0:
                keep_for_streams(store, account_id, clock())
            include_waiting(store)
            for number, event in newer_events(store, account_id, after=position, most=MOST):
                position = number
                if self.wanted.wants(event):
                    yield event
            sleep(LOOK_SECONDS)
