"""Marks clients in the log: a client has the same mark all day, and its address is not logged."""

from __future__ import annotations

import secrets
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

from qrkit.server.clients.shares import network_of
from qrkit.tracking.times import utc

__all__ = ["client_mark"]


def client_mark(address: str, moment: datetime) -> str:
    """Return 12 hex digits that stand for an IPv4 address, or for the /64 network of an IPv6 address, on one UTC day.

    Each process creates a random salt for each day and never stores it, so nobody can compute the address from the
    mark, or recognize a client on the next day.
    """
    salt = _salt(utc(moment).toordinal())
    return blake2b(network_of(address).encode(), key=salt, digest_size=6).hexdigest()


@lru_cache(maxsize=1)  # yesterday's salt is forgotten
def _salt(_day: int) -> bytes:
    return secrets.token_bytes(32)
