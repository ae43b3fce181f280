"""The app behind a real socket: waitress, one process, many threads."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any
from wsgiref.types import WSGIApplication

from qrkit.errors import InvalidParameter, Problem

__all__ = ["serve"]

THREADS = 64
"""Redirects wait for their scan to be stored; requests that wait together share a commit."""

LAST_PORT = 65_535
SETTINGS: dict[str, Any] = {
    "threads": THREADS,
    "ident": None,
    "clear_untrusted_proxy_headers": True,
    "max_request_body_size": 16 * 2**20,
    "max_request_header_size": 65_536,
    "channel_timeout": 30,
    "connection_limit": 512,
    "asyncore_use_poll": True,
}


def serve(
    app: WSGIApplication, *, host: str = "127.0.0.1", port: int = 8080, ready: Callable[[int], None] | None = None
) -> None:
    """Serve until interrupted. One process: the store has one writer.

    waitress reads a whole request before a thread sees it, so slow clients hold no thread, and strips forwarding
    headers of untrusted proxies.

    Args:
        app: What answers.
        host: Name or address to listen on.
        port: 0 takes one that is free.
        ready: Called with the port once the server listens.

    Raises:
        InvalidParameter: There is no such port.
        OSError: There is no such host, or its port is in use or not for us to take.
    """
    import waitress

    if not 0 <= port <= LAST_PORT:
        raise InvalidParameter(Problem("port", port, f"must be in 0..{LAST_PORT}", "out-of-range"))
    # It would tell of every request that waits a moment for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with (
        socket.create_server((host, port), family=family) as listening,
        closing(waitress.create_server(app, sockets=[listening], **SETTINGS)) as server,
        suppress(KeyboardInterrupt),  # before waitress itself waits for it
    ):
        if ready:
            ready(listening.getsockname()[1])
        server.run()
