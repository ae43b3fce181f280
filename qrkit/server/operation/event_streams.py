"""Sends events to the clients of streams as server-sent events, all from one thread: a stream holds no other."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from qrkit.store import Store
from qrkit.store.records.receivers import newer_events
from qrkit.tracking.webhook import EventFilter

MOST = 50
"""Events that are read at a time."""


@dataclass(eq=False, slots=True)
class Stream:
    """A client that gets events; its position is the number of the last one that it has.

    `is_allowed` returns whether its API key is still valid. `push` sends bytes without waiting, or ends the stream if
    there are none; it returns False if the client has not read what it was sent before, and raises ConnectionError
    after the end.
    """

    account_id: str
    wanted: EventFilter
    position: int
    is_allowed: Callable[[], bool]
    push: Callable[[bytes], bool]


def push_events(store: Store, streams: list[Stream], sign: bytes) -> None:
    """Send clients what is new, or else a sign of life, and remove those that have gone.

    The events are read once for all clients that are equally far. With each sign of life, the keys are checked.
    """
    groups = defaultdict[tuple[str, int], list[Stream]](list)
    for stream in streams:
        groups[stream.account_id, stream.position].append(stream)
    for (account_id, after), members in groups.items():
        events = newer_events(store, account_id, after=after, most=MOST)
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
