"""Shares the connections of a server among networks, so that no number of slow clients can block the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

__all__ = ["CONNECTIONS", "MOST_OF_NETWORK", "Connection", "has_its_share", "makes_room"]

CONNECTIONS = 512
"""Once there are this many connections, each new one replaces a connection that waits for its client."""
MOST_OF_NETWORK = 100
"""Maximum number of simultaneous connections from one network (`shares.network_of`)."""


class Connection(Protocol):
    """The parts of a connection that matter for sharing."""

    @property
    def network(self) -> str:
        """The network that the connection counts for."""

    def idle_seconds(self) -> float | None:
        """Return how long the server has been waiting for the client; None if it is not waiting."""


C = TypeVar("C", bound=Connection)


def has_its_share(network: str, connections: Sequence[Connection]) -> bool:
    """Whether a network already has as many connections as one network may have."""
    return sum(one.network == network for one in connections) >= MOST_OF_NETWORK


def makes_room(connections: Sequence[C]) -> C | None:
    """Return the connection to close for a new one: the longest waiting one of the network with most waiting ones."""
    waiting = [(one, seconds) for one in connections if (seconds := one.idle_seconds()) is not None]
    held = Counter(one.network for one, _ in waiting)
    return max(waiting, key=lambda pair: (held[pair[0].network], pair[1]), default=(None, 0))[0]
