"""What is refused before anything is looked for: names that are not ours, endless paths, keys in paths.

An unknown name is a browser that was led here by somebody's DNS.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit
from wsgiref.types import WSGIEnvironment

from qrkit.errors import AddressTooLong, BadRequest
from qrkit.visits.destinations import ascii_host

__all__ = ["Hosts"]

ANY = "*"
LONGEST_PATH = 16_384
_KEY = re.compile(r"qk_[A-Za-z0-9_-]{43}")
"""An API key (ruling T14)."""
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:]+))(?::[0-9]*)?")


class Hosts:
    """Whom a request may be for: the names of the operator, those of base URLs, localhost, and addresses in numbers.

    A name can be made to lead here by whoever owns it, and a page of theirs then reads our answers as its own
    (DNS rebinding); an address in numbers cannot.

    Attributes:
        names: All but addresses, in lower case.
    """

    def __init__(self, names: Collection[str], base_urls: Collection[str]) -> None:
        ours = [urlsplit(one).netloc for one in base_urls]
        self.names = {_name(name) for name in (*names, *ours)} | {"localhost"}
        self._is_open = ANY in names

    def check(self, environ: WSGIEnvironment) -> None:
        """Refuse a request for somebody else, or one with a path that nothing may be done with.

        Raises:
            BadRequest: The name is not one of ours, or the path holds an API key.
            AddressTooLong: The path is too long.
        """
        path = environ.get("PATH_INFO", "")
        if len(path) > LONGEST_PATH:
            raise AddressTooLong(f"the path is too long; at most {LONGEST_PATH} characters are taken")
        if _KEY.search(path):
            # Whatever looked for it would repeat it, and keep it as a short URL that nobody has.
            raise BadRequest("the path holds an API key; send it as auth or as a Bearer token", code="key-in-path")
        name = _name(environ.get("HTTP_HOST", ""))
        # HTTP/1.0 knows no Host; what a browser sends always has one.
        if name and not self._is_open and name not in self.names and not _is_address(name):
            message = f"the host {name[:253]!r} is not served here; its operator can add it to the hosts of the server"
            raise BadRequest(message, code="unknown-host")


def _name(host: str) -> str:
    """The name without the port, as browsers write it."""
    found = _HOST.fullmatch(host)
    if found is None:
        return host.lower()
    name = (found[1] or found[2]).rstrip(".").lower()
    try:
        return name if name.isascii() else ascii_host(name)
    except ValueError:
        return name


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
