"""Counts the connections that were refused because a client had too many, and logs them once a minute."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from qrkit.server.clients.proxies import client_address, client_mark
from qrkit.server.operation.logs import operations
from qrkit.server.settings import Settings
from qrkit.tracking.times import now

LOG_SECONDS = 60.0
"""Time between two log lines."""
MOST_CLIENTS = 9
"""Maximum number of clients in a log line, those with the most connections."""


class RefusedConnections:
    """Counts refused connections by client mark, the same mark as in the access log."""

    def __init__(self, settings: Settings, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._seconds = seconds
        self._numbers: Counter[str] = Counter()
        self._logged_at: float | None = None

    def count(self, address: str) -> None:
        """Count a refused connection from an address."""
        self._numbers[client_mark(client_address({"REMOTE_ADDR": address}, self._settings), now())] += 1

    def log(self) -> None:
        """Log the number of refused connections, if there are any, at most once a minute."""
        moment = self._seconds()
        if self._numbers and (self._logged_at is None or moment - self._logged_at >= LOG_SECONDS):
            self._logged_at = moment
            most = dict(self._numbers.most_common(MOST_CLIENTS))
            operations.warning("%d connections of clients with too many were refused: %s", self._numbers.total(), most)
            self._numbers.clear()
