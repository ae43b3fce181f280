"""Share the daily salt and the request counts between several processes on one server."""

from __future__ import annotations

from qrkit.errors import StoreBusy
from qrkit.store.connection import Store

__all__ = ["add_requests", "salt_of_day"]

SALT = "INSERT INTO salts (day, salt) VALUES (?, ?) ON CONFLICT DO NOTHING"
GET_SALT = "SELECT salt FROM salts WHERE day = ?"
FORGET_SALTS = "DELETE FROM salts WHERE day < ?"
ADD = """
INSERT INTO request_counts AS c (account_id, day, used) VALUES (?, ?, ?)
ON CONFLICT (account_id, day) DO UPDATE SET used = c.used + excluded.used
RETURNING used
"""
FORGET_REQUESTS = "DELETE FROM request_counts WHERE day < ?"


def salt_of_day(store: Store, day: int, proposed: bytes) -> bytes:
    """Return the salt of a UTC day for all processes: the first one proposed. Salts of earlier days are deleted.

    Raises:
        StoreBusy: If the server does not answer, or another process has already started the next day.
    """
    # Each statement runs outside a transaction, so that a visitor does not wait while other visits are stored.
    for sql, values in ((FORGET_SALTS, [day]), (SALT, [day, proposed])):
        store.rows(sql, values)
    row = store.row(GET_SALT, [day])
    if row is None:
        raise StoreBusy(f"{store.path} keeps no salt of this day any more: the next one has begun for another process")
    return bytes(row["salt"])


def add_requests(store: Store, account_id: str, day: int, number: int) -> int:
    """Add requests of an account on a UTC day; return the total over all processes.

    Raises:
        StoreBusy: If the server does not answer.
    """
    store.rows(FORGET_REQUESTS, [day])
    (row,) = store.rows(ADD, [account_id, day, number])
    return int(row["used"])
