"""Evaluates schedules: which content is active when, and what past scans would have led to under another schedule."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from itertools import groupby
from typing import Any

import pandas as pd

from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.all_visits import counted
from qrkit.tracking.records import ScheduleEvent
from qrkit.tracking.schedule import INSTANT, WEEK, Span, activations, spans
from qrkit.tracking.text_columns import frame_of, with_dtypes
from qrkit.tracking.times import naive, utc

MOST_BEGINNINGS = 200_000
"""Maximum number of event starts in one question: a hundred weekly events over 38 years."""
LONGEST_SCHEDULE = 100

UNDER = f"""
, changes AS (
    SELECT unnest($starts::TIMESTAMP[]) AS start, unnest($contents::VARCHAR[]) AS content
), rescheduled AS (
    SELECT
        s.number, s.alone, s.again, s.numbered, coalesce(s.content, '') AS content,
        coalesce(c.content, $own, q.content) AS content_under
    FROM lean s
    JOIN qrcodes q ON q.number = s.number
    ASOF LEFT JOIN changes c ON c.start <= s.time
), counted AS ({counted({name: name for name in ("number", "content", "content_under")}, "rescheduled")})
SELECT qrcode_id, qrcode, content, content_under, scans, visitors
FROM counted JOIN codes USING (number)
ORDER BY qrcode, qrcode_id, scans DESC, content, content_under
"""


def served_under(scans: Scans, schedule: Sequence[ScheduleEvent], *, content: str | None = None) -> pd.DataFrame:
    """Count the scans that would have led elsewhere if this schedule had been in force throughout.

    The scans themselves are taken as given: another schedule might have attracted more or fewer of them.

    Args:
        scans: The scans; the schedule is applied to each of their QR Codes.
        schedule: The other schedule, at most 100 events; an empty list means no schedule.
        content: The content served before any event; by default the content in each QR Code's record.

    Returns:
        Columns: qrcode_id, qrcode (its name), content (str, the content served, "" if unknown), content_under (str, the
        content that would have been served), scans, visitors (int64). One row per pair of contents that occurs.

    Raises:
        InvalidParameter: If `schedule` contains anything but events, has too many events, or if its events begin more
            than 200,000 times.
    """
    events = _events(schedule)
    bounds = scans.bounds()
    periods = _spans(events, utc(bounds[0]), utc(bounds[1]) + INSTANT) if bounds else []
    changes = {
        "starts": [naive(span.start) for span in periods],
        "contents": [None if span.event is None else events[span.event].content for span in periods],
    }
    types = dict.fromkeys(("qrcode_id", "qrcode", "content", "content_under"), "str")
    return with_dtypes(scans.ask(UNDER, **changes, own=content), types | {"scans": "int64", "visitors": "int64"})


def calendar(schedule: Sequence[ScheduleEvent], *, since: date, until: date, content: str = "") -> pd.DataFrame:
    """Return what a schedule serves at every moment of a period, without gaps.

    Args:
        schedule: At most 100 events.
        since: The start of the period; a date means midnight, and a time without a time zone is UTC.
        until: The end of the period, which is not included.
        content: The content served before any event.

    Returns:
        Columns: start, end (datetime64[us], UTC without a time zone; `end` is not included), content (str), event
        (Int64, index in the schedule from 0; missing if no event is active).

    Raises:
        InvalidParameter: If `schedule` contains anything but events or has too many, if `since` or `until` is not a
            date, or if events begin more than 200,000 times.
    """
    events = _events(schedule)
    periods = _spans(events, _moment("since", since), _moment("until", until))
    rows = [
        (naive(span.start), naive(span.end), content if span.event is None else events[span.event].content, span.event)
        for span in periods
    ]
    return frame_of(rows, {"start": "datetime64[us]", "end": "datetime64[us]", "content": "str", "event": "Int64"})


def gaps_and_overlaps(schedule: Sequence[ScheduleEvent], *, since: date, until: date) -> pd.DataFrame:
    """Find gaps and overlaps in a schedule that are probably unintended.

    Args:
        schedule: At most 100 events.
        since: The start of the period; a date means midnight, and a time without a time zone is UTC.
        until: The end of the period, which is not included.

    Returns:
        Columns: kind (str), start, end (datetime64[us], UTC without a time zone), event, instead (Int64, indexes in the
        schedule from 0), ordered by time. Kinds: `gap`, no event is active, so the content of the record is served;
        `overlap`, `event` and `instead` begin at the same moment `start`, and `instead` is served (`end` equals
        `start`); `unseen`, `event` is never served during the period.

    Raises:
        InvalidParameter: If `schedule` contains anything but events or has too many, if `since` or `until` is not a
            date, or if events begin more than 200,000 times.
    """
    events = _events(schedule)
    first, last = _moment("since", since), _moment("until", until)
    periods = _spans(events, first, last)
    rows: list[tuple[Any, ...]] = [("gap", span.start, span.end, None, None) for span in periods if span.event is None]
    for moment, group in groupby(activations(events, first, last), key=lambda activation: activation[0]):
        *hidden, instead = [place for _, place in group]
        rows += [("overlap", moment, moment, place, instead) for place in hidden]
    seen = {span.event for span in periods}
    rows += [("unseen", first, last, place, None) for place in range(len(events)) if place not in seen]
    rows.sort(key=lambda row: row[1])
    kinds = {"kind": "str", "start": "datetime64[us]", "end": "datetime64[us]", "event": "Int64", "instead": "Int64"}
    return frame_of([(kind, naive(start), naive(end), *places) for kind, start, end, *places in rows], kinds)


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
        rule = f"begins more than {MOST_BEGINNINGS:,} times in this period; choose a shorter period"
        raise InvalidParameter(Problem("schedule", None, rule, "out-of-range"))
    return list(spans(events, since, until))


def _moment(name: str, given: date) -> datetime:
    if isinstance(given, datetime):
        return utc(given)
    if isinstance(given, date):
        return utc(datetime.combine(given, time()))
    raise InvalidParameter(Problem(name, given, "must be a datetime.date or datetime.datetime", "wrong-type"))
