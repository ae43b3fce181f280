"""Under which names the service may be asked: an unknown one is a browser that was led here by somebody's DNS."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit
from wsgiref.types import WSGIEnvironment

from qrkit.errors import AddressTooLong, BadRequest

__all__ = ["Hosts"]

ANY = "*"
LONGEST_PATH = 16_384


class Hosts:
    """The names that are taken: those of the operator, that of the base URL, localhost, and addresses in numbers.

    A name can be made to lead here by whoever owns it, and a page of theirs then reads our answers as its own
    (DNS rebinding); an address in numbers cannot.
    """

    def __init__(self, names: Collection[str], base_url: str) -> None:
        self._names = {name.lower() for name in names} | {"localhost", _name(urlsplit(base_url).netloc)}
        self._is_open = ANY in names

    def check(self, environ: WSGIEnvironment) -> None:
        """Refuse a request for somebody else, or one with an endless path.

        Raises:
            BadRequest: The name is not one of ours.
            AddressTooLong: The path is too long.
        """
        if len(environ.get("PATH_INFO", "")) > LONGEST_PATH:
            raise AddressTooLong(f"the path is too long; at most {LONGEST_PATH} characters are taken")
        name = _name(environ.get("HTTP_HOST", ""))
        # HTTP/1.0 knows no Host; what a browser sends always has one.
        if name and not self._is_open and name not in self._names and not _is_address(name):
            message = f"the host {name[:253]!r} is not served here; the operator adds names with QRKIT_HOSTS"
            raise BadRequest(message, code="unknown-host")


def _name(host: str) -> str:
    """The name without the port."""
    if host.startswith("["):
        return host.partition("]")[0][1:].lower()
    return host.partition(":")[0].rstrip(".").lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
