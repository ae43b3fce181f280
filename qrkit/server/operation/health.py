"""Decides whether a server is ready for requests: a thread checks, and requests only read the latest result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event

from qrkit.errors import QrkitError
from qrkit.server.operation.logs import operations
from qrkit.server.statuses import outside_text
from qrkit.store import Store
from qrkit.store.upkeep.background_threads import in_background
from qrkit.store.upkeep.maintenance import check_writing
from qrkit.visits.redirect import Redirects

CHECK_SECONDS = 5.0
"""Time between two checks."""
LONGEST_AGE = 3 * CHECK_SECONDS
"""Seconds without a new check after which the store counts as not answering."""
LOSS_SECONDS = 60.0
"""Seconds for which a server is not ready after it lost a visit."""
ENDING_SECONDS = 1.0
"""Seconds to wait for a running check when the server stops; a store that hangs must not delay the stop."""

NO_ANSWER = "the store does not answer now; please try again later"
LOSING = "visits are being lost; please try again later"


@dataclass(frozen=True, slots=True)
class _Check:
    at: float
    problem: str


class Health:
    """Tells whether a server is ready: its store can be read and written, and no visit was lost in the last minute.

    While `checking` runs, a thread checks every 5 seconds, and `problem` returns its result at once. Otherwise, for
    example when another WSGI server runs the app, each call of `problem` runs the check.
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
        """Why the server is not ready, in words without secrets; empty while it is ready."""
        if not self._is_checking:
            self.check()
        last = self._last
        return last.problem if self._seconds() - last.at <= LONGEST_AGE else NO_ANSWER

    def is_losing_visits(self) -> bool:
        """Whether a visit was lost in the last minute; a loss counts from the first call that notices it."""
        now, lost = self._seconds(), self._redirects.lost
        if lost != self._lost:
            self._lost, self._lost_at = lost, now
        return self._lost_at is not None and now - self._lost_at <= LOSS_SECONDS

    def check(self) -> None:
        """Test the store and remember the result; log the result if it has changed."""
        problem, detail = self._find_problem()
        before, self._last = self._last.problem, _Check(self._seconds(), problem)
        if problem and problem != before:
            operations.error("this server is not ready: %s", detail)
        elif before and not problem:
            operations.info("this server is ready again")

    @contextmanager
    def checking(self) -> Iterator[None]:
        """Context manager: checks at once, and then every 5 seconds in a background thread."""

        def check_often(ended: Event) -> None:
            while not ended.wait(CHECK_SECONDS):
                self.check()

        self.check()
        self._is_checking = True
        try:
            with in_background(check_often, "qrkit-health", ENDING_SECONDS):
                yield
        finally:
            self._is_checking = False

    def _find_problem(self) -> tuple[str, object]:
        """Return the problem as clients may read it and as it is logged; two empty texts if there is none."""
        is_losing = self.is_losing_visits()
        try:
            self._try_store()
        except QrkitError as error:
            return outside_text(error) or NO_ANSWER, error
        except Exception as error:  # any error means that the store does not work
            return NO_ANSWER, repr(error)
        return (LOSING, f"{self._redirects.lost} visits were lost so far") if is_losing else ("", "")

    def _try_store(self) -> None:
        """Read from the store; also write to it, unless a bulk insert is running, which may take minutes.

        In a database that other processes share, only lost visits show that nothing can be written.
        """
        self._store.row("SELECT 1 AS one")
        self._store.check_writable()
        visiting = self._store.database.visiting
        if not self._store.database.is_shared and visiting.acquire(blocking=False):
            visiting.release()  # released at once: reopening a failed file needs another lock before this one
            check_writing(self._store)
