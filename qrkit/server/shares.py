"""Shares what a server has among its clients: places for work at once, and the time that they spend there.

A client is the account of an API key or, without a key, a network address (`network_of`). Connections are shared by the
same addresses in `qrkit.server.http_server`, and rates in `qrkit.server.rates`.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from threading import Event, Lock
from typing import NamedTuple

from qrkit.errors import TooManyRequests

__all__ = ["ANYBODY", "MOST_CLIENTS", "Client", "Gate", "Spent", "network_of"]

CUSTOMER = 64
"""Bits of an IPv6 address that identify one customer; a customer can use any number of addresses below."""
MOST_CLIENTS = 50_000
"""Maximum number of clients that are remembered; the one idle for longest is dropped."""
HALF_LIFE = 60.0
"""Seconds after which half of the time that a client has spent is forgiven."""


def network_of(address: str) -> str:
    """Return what is counted as one client: an IPv4 address, or the /64 network of an IPv6 address."""
    if ":" not in address:
        return address
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, CUSTOMER), strict=False))


class Client(NamedTuple):
    """Who a request is counted for.

    Attributes:
        name: ID of the account, or the network address.
        has_key: Whether the request has an API key.
    """

    name: str
    has_key: bool = False


ANYBODY = Client("")
"""Stands for all clients together, where they are not told apart."""


class Spent:
    """Adds up the seconds of work for each client; half of them are forgiven each minute.

    Args:
        clock: Returns seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds: OrderedDict[Client, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def of(self, client: Client) -> float:
        """Return the seconds that count against a client now."""
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
    """A request that is in a gate or waits before it."""

    client: Client
    decided: Event = field(default_factory=Event)
    began: float = 0.0


class Gate:
    """Lets a limited number of requests work at once. Some may wait, and the others are rejected.

    Whose turn it is: the client with the fewest places, a request without a key counting as one place more; then the
    client that has spent less time. If too many wait, the one whose turn would come last is rejected, so no client can
    fill the queue.

    Args:
        places: Maximum requests at once.
        waiting: Maximum waiting requests.
        seconds: Maximum wait.
        message: The error message for rejected requests.
        most_each: Maximum requests at once of one client; by default all places.
        spent: The time that clients have spent here and in other gates.
        clock: Returns seconds that never go back.
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
        self._inside: list[_Caller] = []
        self._waiting: list[_Caller] = []
        self._lock = Lock()

    @contextmanager
    def passing(self, client: Client = ANYBODY) -> Iterator[None]:
        """Context manager: waits for a place and holds it.

        Raises:
            TooManyRequests: If too many requests wait, or if waiting takes too long.
        """
        caller = _Caller(client)
        try:
            self._join(caller)
            caller.decided.wait(self._seconds)
            with self._lock:
                if caller not in self._inside:
                    raise TooManyRequests(self._message, retry_after=int(self._seconds) + 1)
            yield
        finally:
            self._leave(caller)

    def __len__(self) -> int:
        """Return how many requests are inside or wait."""
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
                self._spent.add(caller.client, self._clock() - caller.began)
                self._admit()
            elif caller in self._waiting:
                self._waiting.remove(caller)

    def _admit(self) -> None:
        """Let in those whose turn it is, as far as there are places."""
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
        """Return those who wait, the next one first."""
        held = Counter(caller.client for caller in self._inside)
        turns: dict[_Caller, tuple[int, float]] = {}
        for caller in self._waiting:
            turns[caller] = held[caller.client] + (not caller.client.has_key), self._spent.of(caller.client)
            held[caller.client] += 1
        return sorted(self._waiting, key=turns.__getitem__)
