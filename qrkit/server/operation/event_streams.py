"""Sends events to the clients of streams as server-sent events, all from one thread: a stream holds no other."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from qrkit.store import Store
from qrkit.store.records.receivers import newer_events
from qrkit.tracking.webhook import EventFilter

__all__ = ["Stream", "push_events"]

MOST = 1_000
"""Events that are read at a time."""


@dataclass(eq=False, slots=True)
class Stream:
    """A client that gets events.

    Attributes:
        account_id: The account whose events it gets.
        wanted: Which of them.
        position: Number of the last event that it has.
        push: Sends bytes without waiting; returns whether the client still reads.
    """

    account_id: str
    wanted: EventFilter
    position: int
    push: Callable[[bytes], bool]


def push_events(store: Store, streams: list[Stream], sign: bytes) -> None:
    """Send clients what is new, or else a sign of life, and remove those that do not read.

    The events are read once for all clients that are equally far.
    """
    groups = defaultdict[tuple[str, int], list[Stream]](list)
    for stream in streams:
        groups[stream.account_id, stream.position].append(stream)
    for (account_id, after), members in groups.items():
        events = newer_events(store, account_id, after=after, most=MOST)
        for stream in members:
            wanted = (event for _, event in events if stream.wanted.wants(event))
            text = "".join(f"id: {one['id']}\nevent: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in wanted)
            stream.position = events[-1][0] if events else after
            if (data := text.encode() or sign) and not stream.push(data):
                streams.remove(stream)
