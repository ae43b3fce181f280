"""Shares the work of a server fairly among its clients, by concurrent requests, by time spent, and by rate.

A client is the account of an API key or, without a key, a network address (`network_of`). `connections` limits
connections by the same addresses.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from threading import Event, Lock
from typing import NamedTuple, Protocol, TypeVar

from qrkit.errors import TooManyRequests

CONNECTIONS = 512
"""Once there are this many connections, each new one replaces a connection that waits for its client."""
MOST_OF_NETWORK = 100
"""Maximum number of simultaneous connections from one network (`shares.network_of`)."""

CUSTOMER = 64
"""Length in bits of the IPv6 prefix of one customer, who can use any number of addresses with this prefix."""
MOST_CLIENTS = 50_000
"""Maximum number of clients to remember; beyond it, the client idle for longest is dropped."""
HALF_LIFE = 60.0
"""Half-life in seconds of the time that counts against a client."""


def network_of(address: str) -> str:
    """Return the network that counts as one client: an IPv4 address, or the /64 network of an IPv6 address."""
    if ":" not in address:
        return address
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, CUSTOMER), strict=False))


class Client(NamedTuple):
    """The client that a request counts against: the ID of an account with a key, or a network address."""

    name: str
    has_key: bool = False


ANYBODY = Client("")
"""Stands for all clients where they are not distinguished."""


class Spent:
    """Adds up the seconds of work for each client; the sum halves every minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds: OrderedDict[Client, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def of(self, client: Client) -> float:
        """Return the seconds that currently count against a client."""
        seconds, since = self._seconds.get(client, (0.0, 0.0))
        return seconds and float(seconds * 0.5 ** ((self._clock() - since) / HALF_LIFE))

    def add(self, client: Client, seconds: float) -> None:
        """Count seconds of work for a client."""
        with self._lock:
            self._seconds[client] = self.of(client) + seconds, self._clock()
            self._seconds.move_to_end(client)
            if len(self._seconds) > MOST_CLIENTS:
                self._seconds.popitem(last=False)

    def __len__(self) -> int:
        return len(self._seconds)


@dataclass(slots=True, eq=False)
class _Caller:
    """A request that has passed a gate or waits for it."""

    client: Client
    decided: Event = field(default_factory=Event)
    began: float = 0.0


class Gate:
    """Limits the number of requests that are worked on at once. Some may wait; the rest are rejected.

    The next request is that of the client with the fewest places, where a client without a key counts as having one
    more; among equals, that of the client that has spent less time. If too many requests wait, the one that would be
    last is rejected, so no client can fill the queue.

    Args:
        most_each: Maximum number of concurrent requests per client; by default all places.
        spent: The time that clients have spent here and in other gates.

    Attributes:
        worked: Number of requests that have passed and ended.
        worked_seconds: Seconds that they held their places, in all.
        refused: Number of requests that were rejected.
    """

    def __init__(
        self,
        places: int,
        *,
        waiting: int,
        seconds: float,
        message: str,
        most_each: int | None = None,
        spent: Spent | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most_inside, self._most_waiting, self._most_each = places, waiting, most_each or places
        self._seconds = seconds
        self._message = message
        self._spent = Spent(clock) if spent is None else spent
        self._clock = clock
        self.worked = self.refused = 0
        self.worked_seconds = 0.0
        self._inside: list[_Caller] = []
        self._waiting: list[_Caller] = []
        self._lock = Lock()

    @contextmanager
    def passing(self, client: Client = ANYBODY) -> Iterator[None]:
        """Context manager: waits for a place and holds it."""
        caller = _Caller(client)
        try:
            self._join(caller)
            caller.decided.wait(self._seconds)
            with self._lock:
                if caller not in self._inside:
                    self.refused += 1
                    raise TooManyRequests(self._message, retry_after=int(self._seconds) + 1)
            yield
        finally:
            self._leave(caller)

    @property
    def inside(self) -> int:
        """Number of requests that hold a place."""
        return len(self._inside)

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a place."""
        return len(self._waiting)

    def __len__(self) -> int:
        """Return the number of requests that hold a place or wait."""
        with self._lock:  # for a moment, one more waits than may
            return len(self._inside) + len(self._waiting)

    def _join(self, caller: _Caller) -> None:
        with self._lock:
            self._waiting.append(caller)
            self._admit()
            if len(self._waiting) > self._most_waiting:
                last = self._in_turn()[-1]
                self._waiting.remove(last)
                last.decided.set()

    def _leave(self, caller: _Caller) -> None:
        with self._lock:
            if caller in self._inside:
                self._inside.remove(caller)
                seconds = self._clock() - caller.began
                self.worked, self.worked_seconds = self.worked + 1, self.worked_seconds + seconds
                self._spent.add(caller.client, seconds)
                self._admit()
            elif caller in self._waiting:
                self._waiting.remove(caller)

    def _admit(self) -> None:
        """Admit the next requests, as long as there are free places."""
        held = Counter(caller.client for caller in self._inside)
        for caller in self._in_turn():
            if len(self._inside) == self._most_inside:
                return
            if held[caller.client] < self._most_each:
                held[caller.client] += 1
                self._waiting.remove(caller)
                self._inside.append(caller)
                caller.began = self._clock()
                caller.decided.set()

    def _in_turn(self) -> list[_Caller]:
        """Return the waiting requests in the order of their turn."""
        held = Counter(caller.client for caller in self._inside)
        turns: dict[_Caller, tuple[int, float]] = {}
        for caller in self._waiting:
            turns[caller] = held[caller.client] + (not caller.client.has_key), self._spent.of(caller.client)
            held[caller.client] += 1
        return sorted(self._waiting, key=turns.__getitem__)


# ---- requests per minute


class Buckets:
    """Limits the requests per minute of each address with a token bucket.

    `a_minute` is also the largest burst; 0 means no limit.
    """

    def __init__(self, a_minute: int, message: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = a_minute
        self._message = message
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, address: str) -> None:
        """Count one request."""
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


# ---- connections


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
