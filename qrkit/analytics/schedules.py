"""Schedules (ruling T7): what is active when, and what past scans would have got under another one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from itertools import groupby
from typing import TYPE_CHECKING, Any

from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.tracking.records import ScheduleEvent
from qrkit.tracking.schedule import INSTANT, WEEK, Span, activations, spans
from qrkit.tracking.text_columns import with_dtypes
from qrkit.tracking.times import naive, utc

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["calendar", "gaps_and_overlaps", "served_under"]

MOST_BEGINNINGS = 200_000
"""Of events in one question: those of a hundred events that repeat for 38 years."""
LONGEST_SCHEDULE = 100

UNDER = """
, changes AS (
    SELECT unnest($starts::TIMESTAMP[]) AS start, unnest($contents::VARCHAR[]) AS content
), rescheduled AS (
    SELECT
        s.number, s.visitor, coalesce(s.content, '') AS content, coalesce(c.content, $own, q.content) AS content_under
    FROM lean s
    JOIN qrcodes q ON q.number = s.number
    ASOF LEFT JOIN changes c ON c.start <= s.time
), counted AS (
    SELECT number, content, content_under, count(*) AS scans, count(DISTINCT visitor) AS visitors
    FROM rescheduled GROUP BY ALL
)
SELECT qrcode_id, qrcode, content, content_under, scans, visitors
FROM counted JOIN codes USING (number)
ORDER BY qrcode, qrcode_id, scans DESC, content, content_under
"""


def served_under(scans: Scans, schedule: Sequence[ScheduleEvent], *, content: str | None = None) -> pd.DataFrame:
    """How many scans got one content and would have got another, had this schedule been in force all the time.

    Whether as many people would have come is another question: that a scan happened is taken as given.

    Args:
        scans: The scans; the schedule is laid to each of their QR Codes.
        schedule: The other schedule, at most 100 events; none to ask what would have been without any.
        content: What is served before any event; what the record of each QR Code says by default.

    Returns:
        Columns: qrcode_id, qrcode (its name), content (str, what was served, "" where it is not known), content_under
        (str, what would have been), scans, visitors (int64). A row for each pair that occurs.

    Raises:
        InvalidParameter: `schedule` holds something else than events or too many, or they begin more than 200,000
            times.
    """
    events = _events(schedule)
    bounds = scans.bounds()
    found = _spans(events, utc(bounds[0]), utc(bounds[1]) + INSTANT) if bounds else []
    changes = {
        "starts": [naive(span.start) for span in found],
        "contents": [None if span.event is None else events[span.event].content for span in found],
    }
    types = dict.fromkeys(("qrcode_id", "qrcode", "content", "content_under"), "str")
    return with_dtypes(scans.ask(UNDER, **changes, own=content), types | {"scans": "int64", "visitors": "int64"})


def calendar(schedule: Sequence[ScheduleEvent], *, since: date, until: date, content: str = "") -> pd.DataFrame:
    """What a schedule serves when, without a break.

    Args:
        schedule: At most 100 events.
        since: The first moment; a date is its midnight, without a zone it is UTC.
        until: The moment after the last.
        content: What is served before any event.

    Returns:
        Columns: start, end (datetime64[us], UTC without a zone; `end` is no part of it), content (str), event (Int64,
        place in the schedule from 0; missing where none is active).

    Raises:
        InvalidParameter: `schedule` holds something else than events or too many, a bound is no date, or events
            begin more than 200,000 times.
    """
    events = _events(schedule)
    found = _spans(events, _moment("since", since), _moment("until", until))
    rows = [
        (naive(one.start), naive(one.end), content if one.event is None else events[one.event].content, one.event)
        for one in found
    ]
    return _frame(rows, {"start": "datetime64[us]", "end": "datetime64[us]", "content": "str", "event": "Int64"})


def gaps_and_overlaps(schedule: Sequence[ScheduleEvent], *, since: date, until: date) -> pd.DataFrame:
    """What in a schedule may not be meant.

    Args:
        schedule: At most 100 events.
        since: The first moment; a date is its midnight, without a zone it is UTC.
        until: The moment after the last.

    Returns:
        Columns: kind (str), start, end (datetime64[us], UTC without a zone), event, instead (Int64, places in the
        schedule from 0), in the order of time. Kinds: `gap`, no event is active, so that the content of the record is
        served; `overlap`, `event` begins at the moment `start` at which `instead` begins too, which is served (`end` is
        `start`); `unseen`, `event` is not served at any time of the period.

    Raises:
        InvalidParameter: As `calendar`.
    """
    events = _events(schedule)
    first, last = _moment("since", since), _moment("until", until)
    found = _spans(events, first, last)
    rows: list[tuple[Any, ...]] = [("gap", one.start, one.end, None, None) for one in found if one.event is None]
    for moment, group in groupby(activations(events, first, last), key=lambda one: one[0]):
        *hidden, instead = [place for _, place in group]
        rows += [("overlap", moment, moment, place, instead) for place in hidden]
    seen = {one.event for one in found}
    rows += [("unseen", first, last, place, None) for place in range(len(events)) if place not in seen]
    rows.sort(key=lambda row: row[1])
    kinds = {"kind": "str", "start": "datetime64[us]", "end": "datetime64[us]", "event": "Int64", "instead": "Int64"}
    return _frame([(kind, naive(start), naive(end), *places) for kind, start, end, *places in rows], kinds)


def _events(schedule: Sequence[ScheduleEvent]) -> Sequence[ScheduleEvent]:
    if not isinstance(schedule, Sequence) or not all(isinstance(event, ScheduleEvent) for event in schedule):
        raise InvalidParameter(Problem("schedule", None, "must be a list of ScheduleEvent", "wrong-type"))
    if len(schedule) > LONGEST_SCHEDULE:
        rule = f"must have 0..{LONGEST_SCHEDULE} events, not {len(schedule)}"
        raise InvalidParameter(Problem("schedule", None, rule, "out-of-range"))
    return schedule


def _spans(events: Sequence[ScheduleEvent], since: datetime, until: datetime) -> list[Span]:
    weekly = sum(event.recurrence != 0 for event in events)
    if weekly * ((until - since) // WEEK) > MOST_BEGINNINGS:
        rule = f"begins more than {MOST_BEGINNINGS:,} times in this period; ask for a shorter one"
        raise InvalidParameter(Problem("schedule", None, rule, "out-of-range"))
    return list(spans(events, since, until))


def _moment(name: str, given: date) -> datetime:
    if isinstance(given, datetime):
        return utc(given)
    if isinstance(given, date):
        return utc(datetime.combine(given, time()))
    raise InvalidParameter(Problem(name, given, "must be a datetime.date or datetime.datetime", "wrong-type"))


def _frame(rows: list[tuple[Any, ...]], types: dict[str, str]) -> pd.DataFrame:
    """Rows as a table whose columns have their types, were there none."""
    import pandas as pd

    return with_dtypes(pd.DataFrame(rows, columns=list(types)), types)
