"""Which content of a QR Code is active at a moment (ruling T7). Everything is UTC: no clock change moves an event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from qrkit.records import ScheduleEvent
from qrkit.times import utc

__all__ = ["active_content", "last_activation"]

DAYS_A_WEEK = 7


def active_content(content: str, schedule: Sequence[ScheduleEvent], moment: datetime) -> str:
    """The content of the event that became active last, ties later in the list; before any event, `content`."""
    active, since = content, None
    for event in schedule:
        activation = last_activation(event, moment)
        if activation is not None and (since is None or activation >= since):
            active, since = event.content, activation
    return active


def last_activation(event: ScheduleEvent, moment: datetime) -> datetime | None:
    """When an event became active last, at `moment` or before; None when it never was.

    Recurrence 0 happens once, at the event's date; 1..7 every Monday..Sunday at its time of day, from its date on.
    """
    first, present = event.date, utc(moment)
    if event.recurrence == 0:
        return first if first <= present else None
    weekday = event.recurrence - 1
    days_back = (present.weekday() - weekday) % DAYS_A_WEEK
    last = datetime.combine(present.date(), first.timetz())
    try:
        last -= timedelta(days=days_back)
        if last > present:
            last -= timedelta(days=DAYS_A_WEEK)
    except OverflowError:  # in the first week of the year 1
        return None
    return last if last >= first else None
