"""`Following`: the thread that reads changes of short codes by other processes.

Each change of a redirect target has a revision, and revisions are assigned in the order of commits
(`qrkit.store.postgresql.tables`). All new changes therefore have a revision above the last one read, and an index
lookup finds them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

__all__ = ["Following"]

PAUSE_SECONDS = 0.25
"""Time between two reads: processes see each other's commits within a second, and usually within 0.25 seconds."""

LAST_SECONDS = 5.0
"""How long `stop` waits for a server that does not answer."""

_log = logging.getLogger("qrkit")


class Following:
    """Calls `look` repeatedly in a background thread until stopped.

    Args:
        look: The function to call. Of consecutive errors, only the first is logged: the server may be unreachable, or
            its tables may be changing.
        interrupt: Makes a call of `look` fail that waits for a server which does not answer.
    """

    def __init__(self, look: Callable[[], None], name: str, interrupt: Callable[[], None]) -> None:
        self._look = look
        self._interrupt = interrupt
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"following {name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait until it ends."""
        self._stopping.set()
        self._thread.join(LAST_SECONDS)
        if self._thread.is_alive():
            self._interrupt()
            self._thread.join()

    def _run(self) -> None:
        is_well = True
        while not self._stopping.wait(PAUSE_SECONDS):
            try:
                self._look()
                is_well = True
            except Exception as error:  # any error: the thread must not end
                if is_well:
                    _log.warning("changes of other processes are not seen for the moment: %s", error)
                is_well = False
