"""Decides whether a server is ready for requests: a thread checks, and requests only read what it found out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread

from qrkit.errors import QrkitError
from qrkit.server.logs import OPERATIONS
from qrkit.server.statuses import outside_text
from qrkit.store import Store
from qrkit.store.maintenance import check_writing
from qrkit.visits.redirect import Redirects

__all__ = ["Health"]

CHECK_SECONDS = 5.0
"""Time between two checks."""
LONGEST_AGE = 3 * CHECK_SECONDS
"""Seconds after which a check without a successor means that the store does not answer."""
LOSS_SECONDS = 60.0
"""Seconds that a server is not ready after it has lost a visit."""
ENDING_SECONDS = 1.0
"""Seconds for a check under way when the server stops; a store that hangs must not hold it up."""

NO_ANSWER = "the store does not answer now; please try again later"
LOSING = "visits are being lost; please try again later"

_log = logging.getLogger(OPERATIONS)


@dataclass(frozen=True, slots=True)
class _Check:
    at: float
    problem: str


class Health:
    """Tells whether a server is ready: its store can be read and written, and no visit was lost in the last minute.

    While `checking` runs, its thread checks every 5 seconds and `problem` costs nothing. Otherwise, as in an app that
    another WSGI server runs, each call of `problem` checks.

    Args:
        store: The store that must work.
        redirects: Counts the visits that were lost.
        seconds: Returns seconds that never go back.
    """

    def __init__(self, store: Store, redirects: Redirects, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._redirects = redirects
        self._seconds = seconds
        self._lost = redirects.lost
        self._lost_at: float | None = None
        self._last = _Check(seconds(), "")
        self._is_checking = False

    @property
    def problem(self) -> str:
        """Why the server is not ready, in words that anybody may read; empty while it is ready."""
        if not self._is_checking:
            self.check()
        last = self._last
        return last.problem if self._seconds() - last.at <= LONGEST_AGE else NO_ANSWER

    def is_losing_visits(self) -> bool:
        """Whether a visit was lost in the last minute, as far as calls of this method could notice."""
        now, lost = self._seconds(), self._redirects.lost
        if lost != self._lost:
            self._lost, self._lost_at = lost, now
        return self._lost_at is not None and now - self._lost_at <= LOSS_SECONDS

    def check(self) -> None:
        """Try the store, and remember what came of it. A change is logged."""
        problem, detail = self._find_problem()
        before, self._last = self._last.problem, _Check(self._seconds(), problem)
        if problem and problem != before:
            _log.error("this server is not ready: %s", detail)
        elif before and not problem:
            _log.info("this server is ready again")

    @contextmanager
    def checking(self) -> Iterator[None]:
        """Context manager: checks at once, and then every 5 seconds in a background thread."""
        ended = Event()

        def check_often() -> None:
            while not ended.wait(CHECK_SECONDS):
                self.check()

        self.check()
        thread = Thread(target=check_often, name="qrkit-health", daemon=True)
        self._is_checking = True
        thread.start()
        try:
            yield
        finally:
            self._is_checking = False
            ended.set()
            thread.join(ENDING_SECONDS)

    def _find_problem(self) -> tuple[str, object]:
        """Return what clients and the log are told about a problem, or two empty texts."""
        is_losing = self.is_losing_visits()
        try:
            self._try_store()
        except QrkitError as error:
            return outside_text(error) or NO_ANSWER, error
        except Exception as error:  # whatever it is, the store does not work
            return NO_ANSWER, repr(error)
        return (LOSING, f"{self._redirects.lost} visits were lost so far") if is_losing else ("", "")

    def _try_store(self) -> None:
        """Read the store, and write to it if that needs no waiting: a bulk insert may take minutes, and harms nobody.

        In a database that other processes share, only lost visits show that nothing can be written.
        """
        self._store.row("SELECT 1 AS one")
        self._store.check_writable()
        visiting = self._store.database.visiting
        if not self._store.database.is_shared and visiting.acquire(blocking=False):
            visiting.release()  # not held on: to reopen a file that failed, another lock must come first
            check_writing(self._store)
