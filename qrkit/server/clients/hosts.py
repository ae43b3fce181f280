"""Refuses requests for unknown hosts, with overlong paths, or with API keys in the path.

A request for an unknown host comes from a browser that someone else's DNS pointed at this server.
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit
from wsgiref.types import WSGIEnvironment

from qrkit.contents.addresses import ascii_host
from qrkit.errors import AddressTooLong, BadRequest, InvalidParameter, Problem

ANY = "*"
LONGEST_PATH = 16_384
MOST_PORT = 65_535
_KEY = re.compile(r"qk_[A-Za-z0-9_-]{43}")
"""Matches an API key."""
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:]+))(?::([0-9]{0,5}))?")


class Hosts:
    """The hosts that requests may be for: configured names in lower case, those of base URLs, localhost, and IPs.

    Anyone can point their own domain name to this server, and a page of theirs can then read our answers as its own
    (DNS rebinding). With an IP address, that is not possible.
    """

    def __init__(self, names: Collection[str], base_urls: Collection[str]) -> None:
        ours = [urlsplit(one).netloc for one in base_urls]
        self.names = {_name(name) for name in (*names, *ours)} | {"localhost"}
        self._is_open = ANY in names

    def check(self, environ: WSGIEnvironment) -> None:
        """Raise if a request is for an unknown host, or if its path is too long or contains an API key."""
        path = environ.get("PATH_INFO", "")
        if len(path) > LONGEST_PATH:
            raise AddressTooLong(f"the path is too long; at most {LONGEST_PATH} characters are allowed")
        if _KEY.search(path):
            # Any further processing would repeat the key and record it as an unknown short URL.
            raise BadRequest("the path holds an API key; send it as auth or as a Bearer token", code="key-in-path")
        name = _name(environ.get("HTTP_HOST", ""))
        # HTTP/1.0 has no Host header; browsers always send one.
        if name and not self._is_open and name not in self.names and not _is_address(name):
            message = f"the host {name[:253]!r} is not served here; its operator can add it to the hosts of the server"
            raise BadRequest(message, code="unknown-host")


@lru_cache(maxsize=16)  # most requests are for one host
def _name(host: str) -> str:
    """Return the name of a host without its port, as browsers write it."""
    match = _HOST.fullmatch(host)
    if match is None or int(match[3] or 0) > MOST_PORT:
        return host.lower()
    name = (match[1] or match[2]).rstrip(".").lower()
    try:
        return name if name.isascii() else ascii_host(name)
    except ValueError:
        return name


@lru_cache(maxsize=16)
def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 is one that is free.

    Raises:
        InvalidParameter: If the host is neither a name nor an address.
        OSError: If it is none of this computer, or if the port is in use or requires privileges.
    """
    try:  # first, because `create_server` leaves a socket open when it fails on such a host
        host.encode("idna")
        is_good = host.isprintable()
    except UnicodeError:
        is_good = False
    if not is_good:
        raise InvalidParameter(Problem("host", host, "must be a name or an address"))
    # Listening on all IPv6 addresses is meant to include IPv4.
    both = host == "::" and socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, dualstack_ipv6=both)


@contextmanager
def listening_at(host: str, port: int | None, remedy: str = "choose another port") -> Iterator[None]:
    """Context manager: names the host or the port in the error of a server that cannot listen."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EADDRNOTAVAIL, socket.EAI_NONAME):
            problem = Problem("host", host, "is not an address of this computer")
        elif error.errno in (errno.EACCES, errno.EPERM):
            problem = Problem("port", port, "may not be used by this account; choose 1024 or higher")
        elif error.errno == errno.EADDRINUSE:
            problem = Problem("port", port, f"is used by another program; {remedy}")
        else:
            raise
        raise InvalidParameter(problem) from error


def reachable(host: str) -> str:
    """Return the host to use in a URL to reach, from this machine, a server that listens on `host`."""
    try:
        address = ip_address(host or "0.0.0.0")
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return host if address.version == 4 else f"[{host}]"
