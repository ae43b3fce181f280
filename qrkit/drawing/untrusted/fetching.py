"""Downloads images, only from hosts that the operator allows, and never from our own network.

A URL from a stranger could make the server send requests that the stranger cannot send (SSRF). Therefore each hop's
host name is checked and resolved once, all its addresses must be public, and the connection uses one of exactly these
addresses.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPResponse
from io import BufferedReader, RawIOBase
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from threading import BoundedSemaphore, Thread
from typing import Any, Protocol
from urllib.parse import SplitResult, urljoin, urlsplit

from qrkit.design.picture_files import media_type
from qrkit.drawing.untrusted.recent import Recent
from qrkit.errors import AssetError, InvalidParameter, Problem

__all__ = [
    "MOST_ADDRESSES", "Connection", "Fetcher", "Source", "is_public", "request_head", "resolved", "target_of",
]  # fmt: skip

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
    **{
        f"image/{name}": f"image/{name}"
        for name in ("png", "jpeg", "svg+xml", "webp", "gif", "avif", "bmp", "tiff", "x-icon")
    },
    "image/jpg": "image/jpeg",
    "image/x-ms-bmp": "image/bmp",
    "image/vnd.microsoft.icon": "image/x-icon",
}
"""Maps each `Content-Type` of an image to the media type that its bytes must have."""

# IANA's special-purpose registries, listed here because Python's tables differ between releases. Also included:
# multicast, and the address at which Azure machines reach their host. Of IPv6, only 2000::/3 is assigned at all.
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
"""ASCII without spaces, control characters and characters that URL parsers treat differently: `"<>\\^`{|}`."""


class Connection(Protocol):
    """A connected TLS socket, as returned by a connector."""

    def settimeout(self, value: float, /) -> None:
        """Set the time limit of the next operation, in seconds."""

    def sendall(self, data: bytes, /) -> None:
        """Send all data."""

    def recv_into(self, buffer: Any, /) -> int:
        """Read at least one byte into a buffer and return the number of bytes; 0 at the end."""

    def close(self) -> None:
        """Close the connection."""


class _Refused(Exception):
    """The reason why an image was not fetched; only for the log."""


def resolved(host: str, seconds: float) -> Sequence[str]:
    """Resolve a host in a thread that is abandoned after the time limit, because the resolver itself has none."""
    import socket

    addresses: list[str] = []

    def ask() -> None:
        try:
            answers = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):  # the latter if a label of the host is empty or too long
            return
        addresses.extend(str(answer[4][0]) for answer in answers)

    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    return [] if asking.is_alive() else addresses


def _connected(address: str, host: str, seconds: float) -> Connection:
    """Connect to an address, checking the certificate against the host name."""
    import socket
    import ssl

    plain = socket.create_connection((address, 443), seconds)
    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


_Kept = Recent[str, tuple[float, bytes]]
"""The images of URLs, each with the time at which it was fetched: a design is often drawn several times in a row."""


@dataclass(frozen=True)
class Fetcher:
    """Downloads images: `Fetcher(allow=("images.example.com", ".example.org"))(url)`.

    Attributes:
        allow: Host names, or domain suffixes that begin with a dot. By default, no host is allowed.
        resolve: Takes a host and a time limit in seconds, and returns the host's addresses.
        connect: Takes an address, a host and a time limit in seconds, and returns a TLS connection to that address.
        clock: A monotonic clock, in seconds.
    """

    allow: tuple[str, ...] = ()
    resolve: Callable[[str, float], Sequence[str]] = resolved
    connect: Callable[[str, str, float], Connection] = _connected
    clock: Callable[[], float] = time.monotonic
    _places: BoundedSemaphore = field(
        default_factory=lambda: BoundedSemaphore(MOST_AT_ONCE), init=False, repr=False, compare=False
    )
    _kept: _Kept = field(default_factory=lambda: _Kept(lambda *_: 1, KEPT), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise InvalidParameter if an entry of `allow` is not a host name."""
        wrong = [name for name in self.allow if not _is_host(name.removeprefix("."))]
        if wrong:
            rule = "must be host names in lower case, or endings such as .example.com"
            raise InvalidParameter(*(Problem("allow", name, rule) for name in wrong))

    def __call__(self, url: str) -> bytes:
        """Download the image at an https URL.

        Raises:
            AssetError: If the image cannot be fetched; only the log contains the reason.
        """
        start = self.clock()
        since, picture = self._kept.get(url) or (0, b"")
        if picture and start - since < KEPT_SECONDS:
            return picture
        try:
            picture = self._fetch(url, start + TOTAL_SECONDS)
        except Exception as error:
            # The same error for every cause, because differences would tell a stranger about our network.
            _log.info(
                "no picture from %s: %s", _without_secrets(url), error if isinstance(error, _Refused) else repr(error)
            )
            raise AssetError(Problem("url", None, "cannot be fetched", "remote-content-unavailable")) from error
        self._kept.keep(url, (start, picture))
        return picture

    def _fetch(self, url: str, end: float) -> bytes:
        if not self._places.acquire(timeout=TOTAL_SECONDS):
            raise _Refused("too many are being fetched")
        try:
            for _ in range(MOST_REDIRECTS + 1):
                host, path = _split_allowed_url(url, self.allow)
                answer = self._answer(host, path, end)
                if isinstance(answer, bytes):
                    return answer
                url = urljoin(url, answer)
        finally:
            self._places.release()
        raise _Refused(f"more than {MOST_REDIRECTS} redirects")

    def _answer(self, host: str, path: str, end: float) -> bytes | str:
        """Return the image, or the URL of a redirect."""
        connection = self._connection(host, end)
        try:
            connection.settimeout(self._left(end))
            asked = {"Host": host, "Accept": ", ".join(MEDIA_TYPES), "Accept-Encoding": "identity"}
            connection.sendall(request_head("GET", path, asked))
            with HTTPResponse(Source(connection, lambda: self._left(end)), method="GET") as response:  # type: ignore[arg-type]  # it only calls makefile
                response.begin()
                return _location(response) or _picture(response)
        finally:
            connection.close()

    def _connection(self, host: str, end: float) -> Connection:
        """Connect to one of the host's addresses, if all of them are public."""
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
    """Return True if an address belongs to the public internet, by IANA's registries."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return "%" not in address and not any(
        found in network for network in _not_public() if network.version == found.version
    )


@cache
def _not_public() -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(map(ip_network, _NOT_PUBLIC.split()))


def _is_host(name: str) -> bool:
    """Return True if a name is a public host name. If the last label is a number, the name is an IP address."""
    labels = name.split(".")
    last = labels[-1]
    return (
        len(labels) >= 2
        and len(name) <= 253
        and all(_LABEL.fullmatch(label) for label in labels)
        and not re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last)
        and last not in _CLOSED_NAMES
    )


def _split_allowed_url(url: str, allow: tuple[str, ...]) -> tuple[str, str]:
    """Check that a URL may be fetched, and split it into host and path."""
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
    return host, target_of(parts)


def target_of(parts: SplitResult) -> str:
    """Return the target of a request for a URL: its path and its query (RFC 9112, 3.2.1)."""
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def request_head(method: str, target: str, headers: Mapping[str, str]) -> bytes:
    """Return the start line and the headers of a request, with ours: who sends it, and that the connection ends."""
    every = {**headers, "User-Agent": "qrkit", "Connection": "close"}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in every.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def _location(response: HTTPResponse) -> str | None:
    if response.status not in (301, 302, 303, 307, 308):
        return None
    location = response.getheader("Location")
    if not location:
        raise _Refused("a redirect leads nowhere")
    return location


def _picture(response: HTTPResponse) -> bytes:
    """Return the body if it is an image by its Content-Type and by its bytes."""
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


def _without_secrets(url: str) -> str:
    """Remove possible secrets from a URL: user, password and query."""
    return repr(re.sub(r"//[^/?#]*@", "//…@", url).partition("?")[0].partition("#")[0][:200])


class Source(RawIOBase):
    """Lets `HTTPResponse` read from a connection, with the remaining time as the limit of each step."""

    def __init__(self, connection: Connection, left: Callable[[], float]) -> None:
        self._connection = connection
        self._left = left

    def makefile(self, mode: str) -> BufferedReader:
        """Return a buffered reader, as a socket does."""
        return BufferedReader(self)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read at least one byte into a buffer and return the number of bytes; 0 at the end."""
        self._connection.settimeout(self._left())
        return self._connection.recv_into(buffer)
