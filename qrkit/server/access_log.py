"""Writes the access log: one line of JSON per request, without query, key or address."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from wsgiref.types import WSGIEnvironment

from qrkit.server.messages import Request, header_text
from qrkit.tracking.times import Clock, to_iso

__all__ = ["Access", "shown_access"]

_log = logging.getLogger("qrkit.access")

LONGEST_PATH = 200
_KEY = re.compile(r"qk_[A-Za-z0-9_-]{20,}")

Done = Callable[[WSGIEnvironment, str, list[tuple[str, str]], Request | None], None]


class Access:
    """Writes lines to the logger `qrkit.access`.

    Args:
        is_on: Whether anything is written.
        clock: Returns the current time.
    """

    def __init__(self, *, is_on: bool, clock: Clock) -> None:
        self._is_on = is_on
        self._clock = clock

    def begun(self) -> Done:
        """Start timing a request; call the returned function with its answer."""
        if not (self._is_on and _log.isEnabledFor(logging.INFO)):
            return _write_nothing
        start = time.perf_counter()

        def done(environ: WSGIEnvironment, status: str, headers: list[tuple[str, str]], asked: Request | None) -> None:
            sent = {name.lower(): value for name, value in headers}
            line = {
                "time": to_iso(self._clock()),
                "method": header_text(environ["REQUEST_METHOD"])[:20],
                "path": _redact(environ.get("PATH_INFO", "")),
                "status": int(status[:3]),
                "bytes": int(sent.get("content-length", 0)),
                "ms": round((time.perf_counter() - start) * 1000, 1),
                "error": sent.get("x-api-error-code", ""),
                **(asked.noting if asked else {}),
            }
            _log.info("%s", json.dumps({name: value for name, value in line.items() if value != ""}))

        return done


def _write_nothing(*_: object) -> None:
    """Write nothing."""


def _redact(path: str) -> str:
    """Return a path without anything that may be an API key put there by mistake."""
    return _KEY.sub("qk_…", path.encode("latin-1", "replace").decode("utf-8", "replace"))[:LONGEST_PATH]


@contextmanager
def shown_access() -> Iterator[None]:
    """Print the access log to the error stream, one line per request, for the duration of the context."""
    handler, before = logging.StreamHandler(), (_log.level, _log.propagate)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    _log.propagate = False
    try:
        yield
    finally:
        _log.removeHandler(handler)
        _log.setLevel(before[0])
        _log.propagate = before[1]
