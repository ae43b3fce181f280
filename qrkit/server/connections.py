"""Shares the connections of a server among networks, so that slow clients, however many, keep nobody out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

__all__ = ["CONNECTIONS", "MOST_OF_NETWORK", "Connection", "has_its_share", "makes_room"]

CONNECTIONS = 512
"""Connections beyond which one that waits for its client makes room for another."""
MOST_OF_NETWORK = 100
"""Maximum number of simultaneous connections from one network (`shares.network_of`)."""


class Connection(Protocol):
    """A connection, as far as it is shared."""

    @property
    def network(self) -> str:
        """What the connections of a client are counted by."""

    def idle_seconds(self) -> float | None:
        """Return how long the server has waited for the client; None if it does not."""


C = TypeVar("C", bound=Connection)


def has_its_share(network: str, connections: Sequence[Connection]) -> bool:
    """Whether a network already has as many connections as one network may have."""
    return sum(one.network == network for one in connections) >= MOST_OF_NETWORK


def makes_room(connections: Sequence[C]) -> C | None:
    """Return the connection that makes room for another: the oldest that waits, of the network with most of them."""
    waiting = [(one, seconds) for one in connections if (seconds := one.idle_seconds()) is not None]
    held = Counter(one.network for one, _ in waiting)
    return max(waiting, key=lambda pair: (held[pair[0].network], pair[1]), default=(None, 0))[0]
