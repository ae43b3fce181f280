"""How often and how much at once: buckets of requests by address, and a gate for work that fills the machine."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address, ip_network
from threading import BoundedSemaphore, Lock

from qrkit.errors import TooManyRequests

__all__ = ["Buckets", "Gate"]

MOST_ADDRESSES = 50_000
"""Of a table of buckets; the one that was idle for longest makes room."""
HOUSEHOLD = 64
"""Bits of an IPv6 address that one customer shares; below, addresses cost nothing."""


class Buckets:
    """Lets each address do something so many times a minute: a bucket that fills steadily and is emptied by use.

    Args:
        a_minute: How many; 0 is without limit. So many may come at once, too.
        message: What is said to those who come more often.
        clock: Seconds that never go back.
    """

    def __init__(self, a_minute: int, message: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = a_minute
        self._message = message
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, address: str) -> None:
        """Count one use.

        Raises:
            TooManyRequests: The bucket of this address is empty.
        """
        if not self._most:
            return
        now, key = self._clock(), _household(address)
        with self._lock:
            level, since = self._levels.get(key, (float(self._most), now))
            level = min(self._most, level + (now - since) * self._most / 60)
            if level < 1:
                wait = int((1 - level) * 60 / self._most) + 1
                raise TooManyRequests(self._message, retry_after=wait)
            self._levels[key] = level - 1, now
            self._levels.move_to_end(key)
            if len(self._levels) > MOST_ADDRESSES:
                self._levels.popitem(last=False)

    def __len__(self) -> int:
        return len(self._levels)


def _household(address: str) -> str:
    """Who is counted as one: an IPv4 address, or the network of an IPv6 address."""
    if ":" not in address:
        return address
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((found, HOUSEHOLD), strict=False))


class Gate:
    """Lets so many through at once; some wait, and more are sent away.

    Args:
        places: How many may be inside.
        waiting: How many may wait.
        seconds: How long they wait.
        message: What is said to those who are sent away.
    """

    def __init__(self, places: int, *, waiting: int, seconds: float, message: str) -> None:
        self._inside = BoundedSemaphore(places)
        self._places = BoundedSemaphore(places + waiting)
        self._seconds = seconds
        self._message = message

    @contextmanager
    def passing(self) -> Iterator[None]:
        """The time inside.

        Raises:
            TooManyRequests: Too many wait, or it took too long.
        """
        if not self._places.acquire(blocking=False):
            raise self._full()
        try:
            if not self._inside.acquire(timeout=self._seconds):
                raise self._full()
            try:
                yield
            finally:
                self._inside.release()
        finally:
            self._places.release()

    def _full(self) -> TooManyRequests:
        return TooManyRequests(self._message, retry_after=int(self._seconds) + 1)
