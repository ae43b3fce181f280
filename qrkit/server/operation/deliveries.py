"""Sends events in the background of a server: to webhooks, and to the clients of streams as server-sent events.

Webhooks are sent to a few at a time, so that a slow one holds up no other. All streams are sent to from one thread.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Event, Thread
from time import monotonic

from qrkit.portfolio.delivering import deliver
from qrkit.server.operation.logs import OPERATIONS
from qrkit.store import Store
from qrkit.store.recording.event_log import is_anybody_waiting
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.receivers import due_webhooks, keep_for_streams, newer_events, sweep_events
from qrkit.tracking.times import Clock, now, zone_of
from qrkit.tracking.webhook import EventFilter

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

MOST_OF_STREAM = 50
"""Events for streams that are read at a time."""

COMMAND = ("-m", "qrkit", "webhook", "daily", "--time-zone")

_log = logging.getLogger(OPERATIONS)


class Deliveries:
    """Sends events to webhooks and streams while `running` runs; a thread for each webhook ends after its turn.

    Attributes:
        streams: The clients of streams.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._ended = Event()
        self._busy: dict[tuple[str, str], Thread] = {}
        self.streams: list[Stream] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Context manager: sends events in background threads, unless the store is a snapshot."""
        if self._store.database.read_only:
            yield
            return
        self._ended.clear()
        thread = Thread(target=self._run, name="qrkit-events", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            end = monotonic() + ENDING_SECONDS
            for one in (thread, *self._busy.values()):
                one.join(max(0.0, end - monotonic()))

    def _run(self) -> None:
        for looks in count(1):
            if self._ended.wait(LOOK_SECONDS):
                return
            try:
                if is_anybody_waiting(self._store):
                    self.look(b": alive\n\n" if looks % ALIVE_LOOKS == 0 else b"")
                if looks % SWEEP_LOOKS == 0:
                    self.sweep()
            except Exception as error:  # any error, because the thread must not end
                _log.warning("events wait until the store answers: %s", error)

    def sweep(self) -> None:
        """Delete events that all receivers have; those that open streams may need are kept for a day."""
        for account_id in {stream.account_id for stream in self.streams}:
            keep_for_streams(self._store, account_id, self._clock())
        sweep_events(self._store, self._clock())

    def look(self, sign: bytes) -> None:
        """Send what is new to streams, which otherwise get a sign of life, and begin to send it to webhooks."""
        include_waiting(self._store)
        _push_events(self._store, self.streams, sign)
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
                _log.warning("events wait for the webhook %s: %s", id, error)


@dataclass(eq=False, slots=True)
class Stream:
    """A client that gets events.

    Attributes:
        account_id: The account whose events it gets.
        wanted: Which of them.
        position: Number of the last event that it has.
        is_allowed: Returns whether its API key is still valid.
        push: Sends bytes without waiting, or ends the stream if there are none. Returns False if the client has not
            read what it was sent before, and raises ConnectionError after the end.
    """

    account_id: str
    wanted: EventFilter
    position: int
    is_allowed: Callable[[], bool]
    push: Callable[[bytes], bool]


def _push_events(store: Store, streams: list[Stream], sign: bytes) -> None:
    """Send clients what is new, or else a sign of life, and remove those that have gone.

    The events are read once for all clients that are equally far. With each sign of life, the keys are checked.
    """
    groups = defaultdict[tuple[str, int], list[Stream]](list)
    for stream in streams:
        groups[stream.account_id, stream.position].append(stream)
    for (account_id, after), members in groups.items():
        events = newer_events(store, account_id, after=after, most=MOST_OF_STREAM)
        for stream in members:
            wanted = (event for _, event in events if stream.wanted.wants(event))
            text = "".join(f"id: {one['id']}\nevent: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in wanted)
            is_over = bool(sign) and not stream.is_allowed()
            data = b"" if is_over else text.encode() or sign
            try:
                if not (data or is_over) or stream.push(data):
                    stream.position = events[-1][0] if events else after
            except ConnectionError:
                streams.remove(stream)


# ---- what is looked for once a day, in a process of its own at a low priority, so that no redirect waits for it


@contextmanager
def looking_daily(place: str, time_zone: str, clock: Clock = now, seconds: float = 60.0) -> Iterator[None]:
    """Context manager: runs `qrkit webhook daily` after each midnight of a time zone.

    Args:
        place: The store, which other processes can work with.
        seconds: Time between two looks at the clock.
    """
    ended, zone = Event(), zone_of(time_zone)

    def go_on() -> None:
        day = clock().astimezone(zone).date()
        while not ended.wait(seconds):
            if (today := clock().astimezone(zone).date()) != day:
                day = today
                # The place may contain a password, which a command line would show to others.
                environment = os.environ | {"QRKIT_STORE": place}
                command = [sys.executable, *COMMAND, time_zone]
                done = subprocess.run(command, env=environment, capture_output=True, text=True)
                if done.returncode:
                    _log.warning("silent codes and unusual days are looked for tomorrow again: %s", done.stderr)

    Thread(target=go_on, name="qrkit-daily", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
