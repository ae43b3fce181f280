"""Writes the access log: one line of JSON per request, without query, key or address.

The line of a refused request includes a mark of the client, which stays the same for all its requests on that day. Each
request has an ID, which appears in the response and in every log line about the request.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from contextvars import ContextVar
from wsgiref.types import WSGIEnvironment

from qrkit.errors import API_KEY
from qrkit.server.clients.proxies import client_address, client_mark, is_from_proxy
from qrkit.server.requests.request import Request, header_text
from qrkit.server.settings import Settings
from qrkit.tracking.times import Clock, to_iso

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""The ID of the request that this thread is answering; empty outside of requests."""

# Without an underscore, so that no API key (`qk_…`) gets into the log this way.
_GIVEN = re.compile(r"[A-Za-z0-9.:=/+-]{1,128}")
ACCESS = "qrkit.access"
"""Name of the logger."""

_log = logging.getLogger(ACCESS)

LONGEST_PATH = 200


def request_id(environ: WSGIEnvironment, settings: Settings) -> str:
    """Return the ID that a trusted proxy gave to a request in `X-Request-ID`, or else a new one of 16 hex digits.

    IDs from other clients are ignored, as are IDs with more than 128 characters or with unusual characters.
    """
    given = environ.get("HTTP_X_REQUEST_ID", "")
    if given and is_from_proxy(environ, settings) and _GIVEN.fullmatch(given):
        return str(given)
    return secrets.token_hex(8)


class Access:
    """Writes lines to the logger `qrkit.access`, if the settings say so; they also name the trusted proxies."""

    def __init__(self, settings: Settings, *, clock: Clock) -> None:
        self.settings = settings
        self._clock = clock

    def write(
        self,
        environ: WSGIEnvironment,
        status: int,
        headers: list[tuple[str, str]],
        asked: Request | None,
        begun: float,
    ) -> None:
        """Write the line of a request that has been answered, and that began at this value of `time.perf_counter`."""
        if not (self.settings.access_log and _log.isEnabledFor(logging.INFO)):
            return
        sent, moment = {name.lower(): value for name, value in headers}, self._clock()
        line = {
            "time": to_iso(moment),
            "request": REQUEST_ID.get(),
            "method": header_text(environ["REQUEST_METHOD"])[:20],
            "path": _redact(environ.get("PATH_INFO", "")),
            "status": status,
            "bytes": int(sent.get("content-length", 0)),
            "ms": round((time.perf_counter() - begun) * 1000, 1),
            "error": sent.get("x-api-error-code", ""),
            **(asked.noting if asked else {}),
        }
        if status >= 400:
            line["client"] = client_mark(client_address(environ, self.settings), moment)
        _log.info("%s", json.dumps({name: value for name, value in line.items() if value != ""}))


def _redact(path: str) -> str:
    """Return a path without anything that looks like an API key sent there by mistake."""
    return API_KEY.sub("qk_…", path.encode("latin-1", "replace").decode("utf-8", "replace"))[:LONGEST_PATH]
