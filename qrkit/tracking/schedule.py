"""Which content of a QR Code is active at a moment (ruling T7). Everything is UTC: no clock change moves an event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from heapq import merge
from itertools import groupby
from typing import NamedTuple

from qrkit.tracking.records import ScheduleEvent
from qrkit.tracking.times import utc

__all__ = ["Span", "activations", "active_content", "active_event", "last_activation", "spans"]

DAYS_A_WEEK = 7
WEEK = timedelta(days=DAYS_A_WEEK)
INSTANT = timedelta(microseconds=1)


class Span(NamedTuple):
    """A time in which one content is served.

    Attributes:
        start: Its first moment, UTC.
        end: The moment after its last one, UTC.
        event: The place in the schedule of the event that is active, from 0; None before any event.
    """

    start: datetime
    end: datetime
    event: int | None


def active_content(content: str, schedule: Sequence[ScheduleEvent], moment: datetime) -> str:
    """The content of the event that is active at a moment; before any event, `content`."""
    active = active_event(schedule, moment)
    return content if active is None else schedule[active].content


def active_event(schedule: Sequence[ScheduleEvent], moment: datetime) -> int | None:
    """The place in the list of the event that became active last, ties later in the list; None before any event."""
    active, since = None, None
    for place, event in enumerate(schedule):
        activation = last_activation(event, moment)
        if activation is not None and (since is None or activation >= since):
            active, since = place, activation
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
            last -= WEEK
    except OverflowError:  # in the first week of the year 1
        return None
    return last if last >= first else None


def activations(schedule: Sequence[ScheduleEvent], since: datetime, until: datetime) -> Iterator[tuple[datetime, int]]:
    """Each moment from `since` on and before `until` at which an event becomes active, and its place in the list.

    In the order of time, and at one moment in that of the list.
    """
    return merge(*(_activations(place, event, utc(since), utc(until)) for place, event in enumerate(schedule)))


def _activations(place: int, event: ScheduleEvent, since: datetime, until: datetime) -> Iterator[tuple[datetime, int]]:
    last = last_activation(event, until - INSTANT) if since < until else None
    if last is None or last < since:
        return
    weeks = (last - max(since, event.date)) // WEEK if event.recurrence else 0
    for back in range(weeks, -1, -1):
        yield last - back * WEEK, place


def spans(schedule: Sequence[ScheduleEvent], since: datetime, until: datetime) -> Iterator[Span]:
    """What is active from `since` on until `until`, without a break; an event that begins anew goes on."""
    start, active = utc(since), active_event(schedule, since)
    for moment, begun in groupby(activations(schedule, since, until), key=lambda one: one[0]):
        *_, (_, event) = begun
        if event != active:
            if start < moment:
                yield Span(start, moment, active)
            start, active = moment, event
    if start < utc(until):
        yield Span(start, utc(until), active)
