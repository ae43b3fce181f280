"""Looks once a day for events, in a process of its own at a low priority, so that no redirect waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from qrkit.server.operation.logs import operations
from qrkit.store.upkeep.background_threads import in_background
from qrkit.tracking.times import Clock, now, zone_of

COMMAND = ("-m", "qrkit", "webhook", "daily", "--time-zone")


@contextmanager
def looking_daily(place: str, time_zone: str, clock: Clock = now, seconds: float = 60.0) -> Iterator[None]:
    """Context manager: runs `qrkit webhook daily` after each midnight of a time zone.

    `place` is the store, which other processes can work with; `seconds` pass between two looks at the clock.
    """
    zone = zone_of(time_zone)

    def go_on(ended: Event) -> None:
        day = clock().astimezone(zone).date()
        while not ended.wait(seconds):
            if (today := clock().astimezone(zone).date()) != day:
                day = today
                # The place may contain a password, which a command line would show to others.
                environment = os.environ | {"QRKIT_STORE": place}
                command = [sys.executable, *COMMAND, time_zone]
                done = subprocess.run(command, env=environment, capture_output=True, text=True)
                if done.returncode:
                    operations.warning("no search for silent codes and unusual days until tomorrow: %s", done.stderr)

    with in_background(go_on, "qrkit-daily", patience=0):
        yield
