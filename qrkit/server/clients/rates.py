"""Limits the rate of requests per address with token buckets."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from qrkit.errors import TooManyRequests
from qrkit.server.clients.shares import MOST_CLIENTS, network_of

__all__ = ["Buckets"]


class Buckets:
    """Limits the requests per minute of each address with a token bucket.

    Args:
        a_minute: Requests per minute, also the largest burst; 0 means no limit.
        message: The error message when the limit is reached.
        clock: A monotonic clock, in seconds.
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
        now, key = self._clock(), network_of(address)
        with self._lock:
            level, since = self._levels.get(key, (float(self._most), now))
            level = min(self._most, level + (now - since) * self._most / 60)
            if level < 1:
                wait = int((1 - level) * 60 / self._most) + 1
                raise TooManyRequests(self._message, retry_after=wait)
            self._levels[key] = level - 1, now
            self._levels.move_to_end(key)
            if len(self._levels) > MOST_CLIENTS:
                self._levels.popitem(last=False)

    def __len__(self) -> int:
        return len(self._levels)
