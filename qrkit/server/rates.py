"""Limits how often and how much at once: buckets of requests per address, and a gate for expensive work."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address, ip_network
from threading import BoundedSemaphore, Lock

from qrkit.errors import TooManyRequests

__all__ = ["Buckets", "Gate", "rate_limit_key"]

MOST_ADDRESSES = 50_000
"""Maximum number of addresses in a table of buckets; the one idle for longest is dropped."""
HOUSEHOLD = 64
"""Bits of an IPv6 address that identify one customer; a customer can use any number of addresses below."""


class Buckets:
    """Limits the requests per minute of each address: a bucket that fills steadily and is emptied by use.

    Args:
        a_minute: Requests per minute, which may also come all at once; 0 means no limit.
        message: The error message when the limit is reached.
        clock: Returns seconds that never go back.
    """

    def __init__(self, a_minute: int, message: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = a_minute
        self._message = message
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, address: str) -> None:
        """Count one request.

        Raises:
            TooManyRequests: If the address has reached its limit.
        """
        if not self._most:
            return
        now, key = self._clock(), rate_limit_key(address)
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


def rate_limit_key(address: str) -> str:
    """Return what is counted as one client: an IPv4 address, or the network of an IPv6 address."""
    if ":" not in address:
        return address
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, HOUSEHOLD), strict=False))


class Gate:
    """Lets a limited number of callers through at once; some may wait, and the others are rejected.

    Args:
        places: Maximum concurrent callers.
        waiting: Maximum waiting callers.
        seconds: Maximum wait.
        message: The error message for rejected callers.
    """

    def __init__(self, places: int, *, waiting: int, seconds: float, message: str) -> None:
        self._inside = BoundedSemaphore(places)
        self._places = BoundedSemaphore(places + waiting)
        self._seconds = seconds
        self._message = message

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Context manager: waits for a free slot and holds it.

        Raises:
            TooManyRequests: If too many callers wait, or if waiting takes too long.
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
