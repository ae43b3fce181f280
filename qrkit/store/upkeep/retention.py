"""Data retention: the number of days that visits are kept, and the sweep that deletes older visits."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from qrkit.design.limits import MOST_DAYS_KEPT
from qrkit.errors import check_whole
from qrkit.store.connection import Store
from qrkit.store.history.history_files import tidy
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.store.upkeep.maintenance import forget_visits
from qrkit.tracking.times import naive, utc

SETTING = "keep_days"
OVERDUE = "SELECT 1 AS one FROM visits WHERE time < ? LIMIT 1"
OVERDUE_FILE = "SELECT 1 AS one FROM history WHERE first < ? LIMIT 1"
FOR_EVER = "0"


def check_days(days: Any, most: int = MOST_DAYS_KEPT) -> int:
    """Return a number of days unchanged if it is valid."""
    return check_whole("days", days, 1, most, of=" of days")


def keep_days(store: Store) -> int | None:
    """Return the number of days that visits are kept, or None if they are kept forever."""
    return int(get_setting(store, SETTING) or FOR_EVER) or None


def set_keep_days(store: Store, days: int | None) -> None:
    """Store the number of days that visits are kept; None keeps them forever. `sweep` deletes older visits."""
    set_setting(store, SETTING, FOR_EVER if days is None else str(check_days(days)))


def overdue_before(store: Store, moment: datetime) -> datetime | None:
    """Return the timestamp before which visits are overdue for deletion, or None if visits are kept forever.

    The timestamp is a UTC midnight, so that the counts of swept days are complete.
    """
    days = keep_days(store)
    today = utc(moment).replace(hour=0, minute=0, second=0, microsecond=0)
    return None if days is None else today - timedelta(days=days)


def sweep(store: Store, moment: datetime) -> int:
    """Replace the visits that are overdue at a timestamp with counts; return the number of visits deleted."""
    store.check_writable()
    include_waiting(store)
    tidy(store)
    before = overdue_before(store, moment)
    if before is None or not any(store.row(sql, [naive(before)]) for sql in (OVERDUE, OVERDUE_FILE)):
        return 0
    return forget_visits(store, before)
