"""Pictures from other hosts: only from those the operator named, and never from inside our own network.

An address that strangers choose is a way to make the server knock at doors they cannot reach. So each hop is judged by
its name, the name is resolved once, every address it has must be public, and that very address is connected to.
"""

from __future__ import annotations

import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BufferedReader, RawIOBase
from threading import BoundedSemaphore, Lock, Thread
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urljoin, urlsplit

from qrkit.drawing.untrusted.assets import media_type
from qrkit.errors import AssetError, InvalidParameter, Problem

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from ipaddress import IPv4Network, IPv6Network

__all__ = ["Connection", "Fetcher", "is_public"]

_log = logging.getLogger("qrkit")

MOST_BYTES = 2 * 2**20
CONNECT_SECONDS = 3.0
TOTAL_SECONDS = 8.0
MOST_REDIRECTS = 2
LONGEST_URL = 2048
MOST_AT_ONCE = 2
MOST_ADDRESSES = 4
KEPT = 16
KEPT_SECONDS = 300.0

MEDIA_TYPES = {
    "image/png": "image/png",
    "image/jpeg": "image/jpeg",
    "image/jpg": "image/jpeg",
    "image/svg+xml": "image/svg+xml",
}

# The special-purpose registries of IANA, written out: Python's own tables differ from release to release. Added are
# multicast and the address under which Azure's machines find their host. Of IPv6 only 2000::/3 is given out at all.
_NOT_PUBLIC = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15
    198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20
    ::/3 4000::/2 8000::/1
"""
_CLOSED_NAMES = frozenset(
    {"localhost", "local", "internal", "intranet", "private", "lan", "home", "corp", "arpa", "onion", "test", "invalid"}
)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_URL = re.compile(r"[!#-;=?-\[\]_a-z~]+", re.ASCII)
"""ASCII without blanks, controls and what readers of URLs disagree about: `"<>\\^`{|}`."""


class Connection(Protocol):
    """What a connector returns: a connected socket, secured."""

    def settimeout(self, value: float, /) -> None:
        """Bound the next step, in seconds."""

    def sendall(self, data: bytes, /) -> None:
        """Send all of it."""

    def recv_into(self, buffer: Any, /) -> int:
        """Read what has come, at least a byte; 0 at the end."""

    def close(self) -> None:
        """Hang up."""


class _Refused(Exception):
    """Why a picture is not fetched; for the log alone."""


def _resolved(host: str, seconds: float) -> Sequence[str]:
    """All addresses of a host. The system's own resolver knows no time limit, so it is left behind when it is slow."""
    import socket

    found: list[str] = []

    def ask() -> None:
        try:
            answers = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
        except OSError:
            return
        found.extend(str(answer[4][0]) for answer in answers)

    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    return [] if asking.is_alive() else found


def _connected(address: str, host: str, seconds: float) -> Connection:
    """A connection to the address, whose certificate is checked for the host."""
    import socket
    import ssl

    plain = socket.create_connection((address, 443), seconds)
    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


@dataclass(frozen=True)
class Fetcher:
    """Fetches pictures: `Fetcher(allow=("images.example.com", ".example.org"))(url)`.

    Attributes:
        allow: Host names, and endings that begin with a dot for all hosts below a name. None are allowed by default.
        resolve: Host, seconds -> its addresses.
        connect: Address, host, seconds -> a secured connection to that address.
        clock: Seconds that never go back.
    """

    allow: tuple[str, ...] = ()
    resolve: Callable[[str, float], Sequence[str]] = _resolved
    connect: Callable[[str, str, float], Connection] = _connected
    clock: Callable[[], float] = time.monotonic
    _places: BoundedSemaphore = field(
        default_factory=lambda: BoundedSemaphore(MOST_AT_ONCE), init=False, repr=False, compare=False
    )
    _kept: _Kept = field(default_factory=lambda: _Kept(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Judge the names of hosts.

        Raises:
            InvalidParameter: One is no host name.
        """
        wrong = [name for name in self.allow if not _is_host(name.removeprefix("."))]
        if wrong:
            rule = "must be host names in lower case, or endings such as .example.com"
            raise InvalidParameter(*(Problem("allow", name, rule) for name in wrong))

    def __call__(self, url: str) -> bytes:
        """The bytes of the picture at an https address.

        Raises:
            AssetError: It is not to be had; the log says why, the error does not.
        """
        start = self.clock()
        picture = self._kept.get(url, start)
        if picture is not None:
            return picture
        try:
            picture = self._fetched(url, start + TOTAL_SECONDS)
        except Exception as error:
            # Whatever it was, it looks the same outside: differences would tell a stranger about our neighbors.
            _log.info("no picture from %s: %s", _loggable(url), error if isinstance(error, _Refused) else repr(error))
            raise AssetError(Problem("url", None, "cannot be fetched", "remote-content-unavailable")) from error
        self._kept.put(url, picture, start)
        return picture

    def _fetched(self, url: str, end: float) -> bytes:
        if not self._places.acquire(timeout=TOTAL_SECONDS):
            raise _Refused("too many are being fetched")
        try:
            for _ in range(MOST_REDIRECTS + 1):
                host, path = _judged(url, self.allow)
                answer = self._answer(host, path, end)
                if isinstance(answer, bytes):
                    return answer
                url = urljoin(url, answer)
        finally:
            self._places.release()
        raise _Refused(f"more than {MOST_REDIRECTS} redirects")

    def _answer(self, host: str, path: str, end: float) -> bytes | str:
        """The picture, or where it went."""
        from http.client import HTTPResponse

        connection = self._connection(host, end)
        try:
            connection.settimeout(self._left(end))
            connection.sendall(_request(host, path))
            with HTTPResponse(_Source(connection, lambda: self._left(end)), method="GET") as response:  # type: ignore[arg-type]  # it only ever asks for makefile
                response.begin()
                return _location(response) or _picture(response)
        finally:
            connection.close()

    def _connection(self, host: str, end: float) -> Connection:
        """A connection to one of the host's addresses, if all of them are public."""
        addresses = self.resolve(host, min(CONNECT_SECONDS, self._left(end)))
        closed = [address for address in addresses if not is_public(address)]
        if closed:
            raise _Refused(f"{closed[0]} is not public")
        for address in addresses[:MOST_ADDRESSES]:
            try:
                return self.connect(address, host, min(CONNECT_SECONDS, self._left(end)))
            except OSError as error:
                _log.info("%s at %s does not answer: %r", host, address, error)
        raise _Refused("the host has no address that answers")

    def _left(self, end: float) -> float:
        left = end - self.clock()
        if left <= 0:
            raise _Refused(f"it took longer than {TOTAL_SECONDS:g} s")
        return left


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet, by the registries of IANA."""
    from ipaddress import ip_address

    try:
        found = ip_address(address)
    except ValueError:
        return False
    return "%" not in address and not any(
        found in network for network in _not_public() if network.version == found.version
    )


@cache
def _not_public() -> tuple[IPv4Network | IPv6Network, ...]:
    from ipaddress import ip_network

    return tuple(map(ip_network, _NOT_PUBLIC.split()))


def _is_host(name: str) -> bool:
    """Whether a name is one that the public can resolve. The last label of a number says that all of it is a number."""
    labels = name.split(".")
    last = labels[-1]
    return (
        len(labels) >= 2
        and len(name) <= 253
        and all(_LABEL.fullmatch(label) for label in labels)
        and not re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last)
        and last not in _CLOSED_NAMES
    )


def _judged(url: str, allow: tuple[str, ...]) -> tuple[str, str]:
    """Host and path of an address that may be fetched."""
    if len(url) > LONGEST_URL or not _URL.fullmatch(url):
        raise _Refused("the address is too long, or has characters that do not belong there")
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if parts.scheme != "https" or parts.port not in (None, 443):
        raise _Refused("only https on port 443 is fetched")
    if "@" in parts.netloc or not _is_host(host):
        raise _Refused("it has no plain host name")
    if not any(host == name or (name.startswith(".") and host.endswith(name)) for name in allow):
        raise _Refused("the host is not one of those allowed")
    return host, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _request(host: str, path: str) -> bytes:
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        f"Accept: {', '.join(MEDIA_TYPES)}",
        "Accept-Encoding: identity",
        "User-Agent: qrkit",
        "Connection: close",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def _location(response: HTTPResponse) -> str | None:
    if response.status not in (301, 302, 303, 307, 308):
        return None
    location = response.getheader("Location")
    if not location:
        raise _Refused("a redirect leads nowhere")
    return location


def _picture(response: HTTPResponse) -> bytes:
    """The body, if it is a picture by what it says and by what it is."""
    if response.status != 200:
        raise _Refused(f"the status is {response.status}")
    if response.getheader("Content-Encoding", "identity").lower() != "identity":
        raise _Refused("the body is compressed")
    named = response.getheader("Content-Type", "").partition(";")[0].strip().lower()
    if named not in MEDIA_TYPES:
        raise _Refused(f"the media type is {named[:80]!r}")
    if (response.length or 0) > MOST_BYTES:
        raise _Refused(f"more than {MOST_BYTES} bytes are announced")
    body = response.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise _Refused(f"more than {MOST_BYTES} bytes came")
    if response.length:
        raise _Refused("the body ends early")
    if media_type(body) != MEDIA_TYPES[named]:
        raise _Refused(f"the bytes are no {named}")
    return body


def _loggable(url: str) -> str:
    """An address without what may be secret in it: user, password, query."""
    return repr(re.sub(r"//[^/?#]*@", "//…@", url).partition("?")[0].partition("#")[0][:200])


class _Source(RawIOBase):
    """A connection as `HTTPResponse` reads it, each step within what is left of the time."""

    def __init__(self, connection: Connection, left: Callable[[], float]) -> None:
        self._connection = connection
        self._left = left

    def makefile(self, mode: str) -> BufferedReader:
        return BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        self._connection.settimeout(self._left())
        return self._connection.recv_into(buffer)


class _Kept:
    """The pictures fetched last, for a few minutes: a design is often drawn several times in a row."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._lock = Lock()

    def get(self, url: str, now: float) -> bytes | None:
        with self._lock:
            since, picture = self._pictures.get(url, (now, None))
            return picture if now - since < KEPT_SECONDS else None

    def put(self, url: str, picture: bytes, now: float) -> None:
        with self._lock:
            self._pictures[url] = now, picture
            self._pictures.move_to_end(url)
            while len(self._pictures) > KEPT:
                self._pictures.popitem(last=False)
