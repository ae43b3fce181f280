"""Sends events in the background of a server: to webhooks, a few at a time, so that a slow one holds up no other."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from itertools import count
from threading import Event, Thread

from qrkit.portfolio.delivering import deliver
from qrkit.server.operation.event_streams import Stream, push_events
from qrkit.server.operation.logs import operations
from qrkit.store import Store
from qrkit.store.recording.event_log import is_anybody_waiting
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.receivers import due_webhooks, keep_for_streams, sweep_events
from qrkit.store.upkeep.background_threads import in_background
from qrkit.tracking.times import Clock

LOOK_SECONDS = 0.5
"""How often it is looked for events: the longest time that a scan waits in the inbox while somebody waits for it."""
ALIVE_LOOKS, SWEEP_LOOKS = 20, 120
"""How many looks until streams get a sign of life, and until what all receivers have is deleted."""
MOST_AT_ONCE = 8
"""Webhooks that are sent events at a time."""
MOST_OF_ACCOUNT = 2
"""How many of them may belong to one account, so that its slow receivers hold up no other account."""
ENDING_SECONDS = 1.0
"""Seconds to wait for requests under way when the server stops; their events are otherwise sent again."""


class Deliveries:
    """Sends events to webhooks and streams while `running` runs; a thread for each webhook ends after its turn."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._ended = Event()
        self._busy: dict[tuple[str, str], Thread] = {}
        self.streams: list[Stream] = []

    def running(self) -> AbstractContextManager[None]:
        """Return a context manager that sends events in background threads, unless the store is a snapshot."""
        if self._store.database.read_only:
            return nullcontext()
        return in_background(self._run, "qrkit-events", ENDING_SECONDS)

    def _run(self, ended: Event) -> None:
        self._ended = ended
        for looks in count(1):
            if ended.wait(LOOK_SECONDS):
                break
            try:
                if is_anybody_waiting(self._store):
                    self.look(b": alive\n\n" if looks % ALIVE_LOOKS == 0 else b"")
                if looks % SWEEP_LOOKS == 0:
                    self.sweep()
            except Exception as error:  # any error, because the thread must not end
                operations.warning("events wait until the store answers: %s", error)
        for one in self._busy.values():
            one.join()

    def sweep(self) -> None:
        """Delete events that all receivers have; those that open streams may need are kept for a day."""
        for account_id in {stream.account_id for stream in self.streams}:
            keep_for_streams(self._store, account_id, self._clock())
        sweep_events(self._store, self._clock())

    def look(self, sign: bytes) -> None:
        """Send what is new to streams, which otherwise get a sign of life, and begin to send it to webhooks."""
        include_waiting(self._store)
        push_events(self._store, self.streams, sign)
        self._busy = {one: thread for one, thread in self._busy.items() if thread.is_alive()}
        for id, account_id in due_webhooks(self._store, self._clock()).items():
            busy = sum(account_id == other for other, _ in self._busy)
            if (account_id, id) in self._busy or busy >= MOST_OF_ACCOUNT or len(self._busy) >= MOST_AT_ONCE:
                continue
            thread = Thread(target=self._send, args=(id,), name=f"webhook {id}", daemon=True)
            self._busy[account_id, id] = thread
            thread.start()

    def _send(self, id: str) -> None:
        try:
            deliver(self._store, id, self._clock)
        except Exception as error:  # any error: the events are kept, and the next attempt sends them
            if not self._ended.is_set():
                operations.warning("events wait for the webhook %s: %s", id, error)
