"""Reads the headers of a request from its WSGI environment."""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment

__all__ = ["headers_of"]

WITHOUT_PREFIX = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}
"""Headers whose keys in an environment have no prefix (PEP 3333). Keys with it, as some servers set, are ignored."""


def headers_of(environ: WSGIEnvironment) -> dict[str, str]:
    """Return the headers of a request by lower-case name."""
    headers = {key[5:].replace("_", "-").lower(): value for key, value in environ.items() if key[:5] == "HTTP_"}
    for name, key in WITHOUT_PREFIX.items():
        headers.pop(name, None)
        if key in environ:
            headers[name] = environ[key]
    return headers
