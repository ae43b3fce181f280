"""For how long visits are kept: a number of days that the store remembers, and the sweep that holds it to that."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any

from qrkit.errors import InvalidParameter, Problem
from qrkit.store.connection import Store
from qrkit.store.maintenance import forget_visits
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.tracking.times import Clock, naive, now, utc

__all__ = ["MOST_DAYS", "check_days", "keep_days", "overdue_before", "set_keep_days", "sweep", "sweeping"]

SETTING = "keep_days"
OVERDUE = "SELECT 1 AS one FROM visits WHERE time < ? LIMIT 1"
FOR_EVER = "0"
MOST_DAYS = 36_500
HOUR = 3_600.0

_log = logging.getLogger("qrkit")


def check_days(days: Any) -> int:
    """A number of days, 1..36500, as it was given.

    Raises:
        InvalidParameter: It is none.
    """
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= MOST_DAYS:
        raise InvalidParameter(
            Problem("days", days, f"must be a whole number of days in 1..{MOST_DAYS}", "out-of-range")
        )
    return days


def keep_days(store: Store) -> int | None:
    """For how many days visits are kept; None where nobody has said."""
    kept = get_setting(store, SETTING)
    return None if kept in (None, FOR_EVER) else int(kept or 0)


def set_keep_days(store: Store, days: int | None) -> None:
    """Keep visits for so many days from now on; None for ever. `sweep` does it.

    Raises:
        InvalidParameter: It is no number of days.
    """
    set_setting(store, SETTING, FOR_EVER if days is None else str(check_days(days)))


def overdue_before(store: Store, moment: datetime) -> datetime | None:
    """Visits before the moment that this gives are kept too long; None where they are kept for ever.

    It is the midnight of a UTC day, so that the counts of days that were swept out are whole.
    """
    days = keep_days(store)
    today = utc(moment).replace(hour=0, minute=0, second=0, microsecond=0)
    return None if days is None else today - timedelta(days=days)


def sweep(store: Store, moment: datetime) -> int:
    """Reduce the visits that are kept too long at a moment to counts, and give their number.

    Raises:
        StoreBusy: Nothing can be changed here.
    """
    store.check_writable()
    before = overdue_before(store, moment)
    if before is None or store.row(OVERDUE, [naive(before)]) is None:
        return 0
    return forget_visits(store, before)


@contextmanager
def sweeping(store: Store, *, clock: Clock = now, seconds: float = HOUR) -> Iterator[None]:
    """While it lasts, the store is swept: at once, then every so many seconds in a thread of its own."""
    ended = Event()

    def go_on() -> None:
        while not ended.wait(seconds):
            _tried(store, clock)

    _tried(store, clock)
    thread = Thread(target=go_on, name=f"sweeps of {store.path}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _tried(store: Store, clock: Clock) -> None:
    """Sweep; what fails, as on a full disk, is tried again the next time."""
    try:
        swept = sweep(store, clock())
    except Exception as error:
        _log.warning("visits that are kept too long could not be swept out yet: %s", error)
    else:
        if swept:
            _log.info("%d visits were reduced to counts", swept)
