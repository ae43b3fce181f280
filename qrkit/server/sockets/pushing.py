"""Connections to which another thread sends more of a body that goes on, such as a stream of events."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

__all__ = ["Pushing"]

MOST_UNREAD_BYTES = 2**16
"""Bytes that a client may leave unread; then its connection is closed."""


class Pushing:
    """Base class of connections of waitress.

    Attributes:
        is_stream: Whether the body goes on. What the client sends after its request is then ignored.
    """

    connected: bool
    will_close: bool
    total_outbufs_len: int
    server: Any
    write_soon: Any
    is_stream = False

    def push(self, data: bytes) -> bool:
        """Send a chunk without waiting for the client, and return whether it still reads."""
        self.will_close = self.will_close or self.total_outbufs_len > MOST_UNREAD_BYTES
        with suppress(Exception):  # waitress raises an error if the client has just gone
            if not self.will_close:
                self.write_soon(b"%x\r\n%s\r\n" % (len(data), data))
        self.server.pull_trigger()
        return self.connected and not self.will_close
