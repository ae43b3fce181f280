"""Many connections at once to a server: who measures and who kills it both need them."""

import selectors
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from urllib.parse import urlsplit


@dataclass
class Answer:
    """One answered request."""

    tag: str
    status: int
    seconds: float


@dataclass
class _Connection:
    socket: socket.socket
    tag: str = ""
    since: float = 0.0
    received: bytes = b""


@dataclass
class Load:
    """Asks over a number of connections that are kept open, each one request after the other.

    Attributes:
        url: Of the server.
        requests: Gives a tag and the bytes of the next request; None when there are no more.
        connections: How many.
        answers: What was answered.
    """

    url: str
    requests: Iterator[tuple[str, bytes]]
    connections: int = 16
    answers: list[Answer] = field(default_factory=list)

    def run(self, after: Callable[[int], None] = lambda _: None) -> float:
        """Ask until there are no more requests or nobody answers; gives the seconds it took.

        Args:
            after: Called with the number of answers so far, after each.
        """
        where = urlsplit(self.url)
        start = perf_counter()
        with selectors.DefaultSelector() as selector:
            try:
                for _ in range(self.connections):
                    made = socket.create_connection((where.hostname, where.port), timeout=30)
                    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    connection = _Connection(made)
                    selector.register(made, selectors.EVENT_READ, connection)
                    self._next(selector, connection)
                while selector.get_map():
                    for key, _ in selector.select(30):
                        self._read(selector, key.data)
                        after(len(self.answers))
            finally:
                for key in list(selector.get_map().values()):
                    key.data.socket.close()
        return perf_counter() - start

    def _next(self, selector: selectors.BaseSelector, connection: _Connection) -> None:
        found = next(self.requests, None)
        if found is None:
            self._hang_up(selector, connection)
            return
        connection.tag, request = found
        connection.since = perf_counter()
        try:
            connection.socket.sendall(request)
        except OSError:
            self._hang_up(selector, connection)

    def _read(self, selector: selectors.BaseSelector, connection: _Connection) -> None:
        try:
            data = connection.socket.recv(65_536)
        except OSError:
            data = b""
        if not data:
            self._hang_up(selector, connection)
            return
        connection.received += data
        head, end, body = connection.received.partition(b"\r\n\r\n")
        if end and len(body) >= _length(head):
            seconds = perf_counter() - connection.since
            self.answers.append(Answer(connection.tag, int(head[9:12]), seconds))
            connection.received = b""
            self._next(selector, connection)

    @staticmethod
    def _hang_up(selector: selectors.BaseSelector, connection: _Connection) -> None:
        selector.unregister(connection.socket)
        connection.socket.close()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def visits(path: str, count: int, first: int = 0) -> Iterator[tuple[str, bytes]]:
    """Requests of so many visitors, each with an address and a referrer of its own, which is its tag."""
    for number in range(first, first + count):
        tag = f"r{number}.example"
        lines = [
            f"GET {path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"X-Forwarded-For: 10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
            f"Referer: https://{tag}/",
            "User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1",
        ]
        yield tag, ("\r\n".join(lines) + "\r\n\r\n").encode()


def asking(path: str, count: int) -> Iterator[tuple[str, bytes]]:
    """The same request so many times."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    for number in range(count):
        yield str(number), request
