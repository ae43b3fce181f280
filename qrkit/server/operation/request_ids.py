"""Gives each request an ID, which appears in the response and in every log line about the request."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar
from wsgiref.types import WSGIEnvironment

from qrkit.server.clients.proxies import is_from_proxy
from qrkit.server.settings import Settings

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""The ID of the request that this thread is answering; empty outside of requests."""

# Without an underscore, so that no API key (`qk_…`) gets into the log this way.
_GIVEN = re.compile(r"[A-Za-z0-9.:=/+-]{1,128}")


def request_id(environ: WSGIEnvironment, settings: Settings) -> str:
    """Return the ID that a trusted proxy gave to a request in `X-Request-ID`, or else a new one of 16 hex digits.

    IDs from other clients are ignored, as are IDs with more than 128 characters or with unusual characters.
    """
    given = environ.get("HTTP_X_REQUEST_ID", "")
    if given and is_from_proxy(environ, settings) and _GIVEN.fullmatch(given):
        return str(given)
    return secrets.token_hex(8)
