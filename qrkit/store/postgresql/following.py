"""`Following`: the thread that reads what other processes have changed about short codes.

Each change of where a code leads has a revision, and revisions are given in the order of commits (`postgresql_tables`).
So what is above the last one seen is all that is new, at the price of a look into an index.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

__all__ = ["Following"]

PAUSE_SECONDS = 0.25
"""Between two looks: what one process commits the others know within a second, and mostly within a quarter of one."""

_log = logging.getLogger("qrkit")


class Following:
    """Calls `look` again and again in a thread of its own until it is stopped.

    Args:
        look: What is done each time. Its errors are logged, once as long as it fails: the server may be away, or
            somebody is changing its tables.
        name: Of what is followed, for the thread.
    """

    def __init__(self, look: Callable[[], None], name: str) -> None:
        self._look = look
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"following {name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        is_well = True
        while not self._stopping.wait(PAUSE_SECONDS):
            try:
                self._look()
                is_well = True
            except Exception as error:  # whatever it is: a thread that has ended would never see anything again
                if is_well:
                    _log.warning("changes of other processes are not seen for the moment: %s", error)
                is_well = False
