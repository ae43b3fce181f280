"""Provides daily salts and daily request counts, which the processes that use one server share."""

from __future__ import annotations

import logging
import secrets
import threading
from time import monotonic

from qrkit.errors import StoreBusy
from qrkit.store.connection import Store

SALT_SECONDS = 0.25
"""Maximum time that the first visitor of a day waits for the salt."""
AGAIN_SECONDS = 5.0
"""Time between two attempts to get the salt of a day."""

SALT = "INSERT INTO salts (day, salt) VALUES (?, ?) ON CONFLICT DO NOTHING"
FORGET_SALTS = "DELETE FROM salts WHERE day < ?"
ADD = """
INSERT INTO request_counts AS c (account_id, day, used) VALUES (?, ?, ?)
ON CONFLICT (account_id, day) DO UPDATE SET used = c.used + excluded.used
RETURNING used
"""


_log = logging.getLogger("qrkit")


def salts_of(store: Store) -> Salts:
    """Return the source of a store's salts: this process for a file; for a server, the server that processes share."""
    return SharedSalts(store) if store.database.is_shared else Salts()


class Salts:
    """Random salts, one for each UTC day; only the salt of the latest day is kept."""

    def __init__(self) -> None:
        self._day = 0
        self._salt = b""

    def of(self, day: int) -> bytes:
        """Return the salt of a day, given by its ordinal."""
        if day != self._day:
            self._day, self._salt = day, secrets.token_bytes(32)
        return self._salt


class SharedSalts(Salts):
    """The salts that all processes of a server share, so that a visitor has the same key in each of them.

    Visitors do not wait for an unresponsive server: until it answers, this process uses its own salt.
    """

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._shared: tuple[int, bytes] = (0, b"")
        self._tried = -AGAIN_SECONDS

    def of(self, day: int) -> bytes:
        """Return the salt of a day, given by its ordinal."""
        own = super().of(day)
        if self._shared[0] != day and monotonic() - self._tried >= AGAIN_SECONDS:
            self._tried = monotonic()
            asking = threading.Thread(target=self._ask, args=[day, own], name="gets the salt of the day", daemon=True)
            asking.start()
            asking.join(SALT_SECONDS)
        shared_day, shared = self._shared
        return shared if shared_day == day else own

    def _ask(self, day: int, own: bytes) -> None:
        try:
            self._shared = (day, salt_of_day(self._store, day, own))
        except Exception as error:  # any error, because none may delay a visitor
            _log.warning("until this works, a visitor of several processes counts as several visitors: %s", error)


def salt_of_day(store: Store, day: int, proposed: bytes) -> bytes:
    """Return the salt of a UTC day for all processes: the first one proposed. Salts of earlier days are deleted."""
    # Each statement runs outside a transaction, so that a visitor does not wait while other visits are stored.
    for sql, values in ((FORGET_SALTS, [day]), (SALT, [day, proposed])):
        store.rows(sql, values)
    row = store.row("SELECT salt FROM salts WHERE day = ?", [day])
    if row is None:
        reason = "because another process has already begun the next day"
        raise StoreBusy(f"{store.path} no longer has the salt of this day, {reason}")
    return bytes(row["salt"])


def add_requests(store: Store, account_id: str, day: int, number: int) -> int:
    """Add requests of an account on a UTC day, given by its ordinal; return the total over all processes."""
    store.rows("DELETE FROM request_counts WHERE day < ?", [day])
    return int(store.value(ADD, [account_id, day, number]) or 0)
