"""The headers of a request, each read from its WSGI environment when it is used: a redirect uses only a few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from wsgiref.types import WSGIEnvironment

__all__ = ["RequestHeaders"]

WITHOUT_PREFIX = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}
"""Headers whose keys in a WSGI environment have no prefix (PEP 3333)."""
UNREAD = {f"HTTP_{key}" for key in WITHOUT_PREFIX.values()}
"""Keys of the same headers with the prefix, which some servers set as well. They are ignored."""


class RequestHeaders(Mapping[str, str]):
    """The headers of a request by lower-case name."""

    def __init__(self, environ: WSGIEnvironment) -> None:
        self._environ = environ

    def __getitem__(self, name: str) -> str:
        return str(self._environ[_key(name)])

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a header, or the default if it was not sent."""
        return self._environ.get(_key(name), default)

    def __iter__(self) -> Iterator[str]:
        for key in self._environ:
            if key.startswith("HTTP_") and key not in UNREAD:
                yield key[5:].replace("_", "-").lower()
        yield from (name for name, key in WITHOUT_PREFIX.items() if key in self._environ)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _key(name: str) -> str:
    return WITHOUT_PREFIX.get(name) or f"HTTP_{name.replace('-', '_').upper()}"
