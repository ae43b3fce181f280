"""Connections to which another thread sends more of a body that goes on, such as a stream of events."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

MOST_MISSED = 60
"""Chunks in a row that a client may miss because it has not read the one before; then its connection is closed."""


class Pushing:
    """Base class of connections of waitress. What the client sends after the request of a stream is ignored."""

    connected: bool
    will_close: bool
    total_outbufs_len: int
    server: Any
    write_soon: Any
    is_stream = False
    _missed = 0

    def push(self, data: bytes) -> bool:
        """Send a chunk without waiting for the client; an empty one is the last.

        Return whether it was sent: not if the client has yet to read the one before.

        Raises:
            ConnectionError: If that was the last chunk, the client has gone, or it has missed too many.
        """
        self._missed = self._missed + 1 if self.total_outbufs_len else 0
        with suppress(Exception):  # waitress raises an error if the client has just gone
            if not (self._missed or self.will_close):
                self.write_soon(b"%x\r\n%s\r\n" % (len(data), data))
        self.will_close = self.will_close or not data or self._missed > MOST_MISSED
        self.server.pull_trigger()
        if self.will_close or not self.connected:
            raise ConnectionResetError
        return not self._missed
