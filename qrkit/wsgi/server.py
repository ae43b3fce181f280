"""The app behind a real socket: waitress, one process, many threads."""

from __future__ import annotations

from wsgiref.types import WSGIApplication

__all__ = ["serve"]

THREADS = 64
"""Redirects wait for their scan to be stored; requests that wait together share a commit."""


def serve(app: WSGIApplication, *, host: str = "127.0.0.1", port: int = 8080) -> None:
    """Serve until interrupted. One process: the store has one writer.

    waitress reads a whole request before a thread sees it, so slow clients hold no thread, and strips forwarding
    headers of untrusted proxies.
    """
    import waitress

    waitress.serve(
        app,
        host=host,
        port=port,
        threads=THREADS,
        ident=None,
        clear_untrusted_proxy_headers=True,
        max_request_body_size=16 * 2**20,
        max_request_header_size=65_536,
        channel_timeout=30,
        connection_limit=512,
        asyncore_use_poll=True,
        _quiet=True,
    )
