"""Find the active content of a QR Code at a timestamp. All times are UTC, so daylight saving time moves no event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from heapq import merge
from itertools import groupby
from typing import NamedTuple

from qrkit.tracking.records import ScheduleEvent
from qrkit.tracking.times import utc

DAYS_A_WEEK = 7
WEEK = timedelta(days=DAYS_A_WEEK)
INSTANT = timedelta(microseconds=1)


class Span(NamedTuple):
    """A period (UTC, its end exclusive) in which one content is served; `event` is None before the first event."""

    start: datetime
    end: datetime
    event: int | None


def active_content(content: str, schedule: Sequence[ScheduleEvent], moment: datetime) -> str:
    """Return the content of the event that is active at a timestamp; before the first event, return `content`."""
    active = active_event(schedule, moment)
    return content if active is None else schedule[active].content


def active_event(schedule: Sequence[ScheduleEvent], moment: datetime) -> int | None:
    """Return the index of the last activated event, for ties the highest index; None before the first event."""
    active, since = None, None
    for place, event in enumerate(schedule):
        activation = last_activation(event, moment)
        if activation is not None and (since is None or activation >= since):
            active, since = place, activation
    return active


def last_activation(event: ScheduleEvent, moment: datetime) -> datetime | None:
    """Return the last activation of an event at or before `moment`; None before the first activation.

    Recurrence 0: once, at `date`; 1..7: weekly on Monday..Sunday, at the time of `date`, starting then.
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
    """Yield activations from `since` (inclusive) to `until` (exclusive), by time and event, with the event's index."""
    return merge(*(_activations(place, event, utc(since), utc(until)) for place, event in enumerate(schedule)))


def _activations(place: int, event: ScheduleEvent, since: datetime, until: datetime) -> Iterator[tuple[datetime, int]]:
    last = last_activation(event, until - INSTANT) if since < until else None
    if last is None or last < since:
        return
    weeks = (last - max(since, event.date)) // WEEK if event.recurrence else 0
    for back in range(weeks, -1, -1):
        yield last - back * WEEK, place


def spans(schedule: Sequence[ScheduleEvent], since: datetime, until: datetime) -> Iterator[Span]:
    """Yield consecutive spans from `since` to `until`; an event that is activated again extends its span."""
    start, active = utc(since), active_event(schedule, since)
    for moment, begun in groupby(activations(schedule, since, until), key=lambda one: one[0]):
        *_, (_, event) = begun
        if event != active:
            if start < moment:
                yield Span(start, moment, active)
            start, active = moment, event
    if start < utc(until):
        yield Span(start, utc(until), active)
