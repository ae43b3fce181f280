"""Computes local time in SQL: writes the offsets of a time zone as a CASE expression over its clock changes.

DuckDB's own conversion calls ICU for every row, which takes ten times as long as the rest of a query, and its time zone
rules can differ from those of `zoneinfo`. All offsets since 1990, the earliest year allowed for a scan, are whole
minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

YEARS = (1990, 2100)
"""A scan outside these years is a mistake, and a table of days that includes it would fill the memory."""
DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)


class Stretch(NamedTuple):
    """A period with one offset (local time minus UTC) of a time zone; `since` is its first moment, in naive UTC."""

    since: datetime
    offset: timedelta


def stretches(zone: ZoneInfo, first: datetime, last: datetime) -> list[Stretch]:
    """Return the stretches of a period, given in UTC without a time zone; the first one begins at `first`."""
    years = range(max(first.year, YEARS[0]), min(last.year, YEARS[1]) + 1)
    changes = [change for year in years for change in _changes_of(zone, year)]
    inside = [change for change in changes if first < change.since <= last]
    return [Stretch(first, _offset(zone, first)), *inside]


def stretches_in(zone: ZoneInfo, bounds: tuple[datetime, datetime] | None) -> list[Stretch]:
    """Return the stretches of the bounds of a view, as `Scans.bounds` returns them."""
    return stretches(zone, *bounds) if bounds else [Stretch(datetime(YEARS[0], 1, 1), timedelta())]


def local_time(known: Sequence[Stretch]) -> str:
    """Return an SQL expression: the column `time` as local time, without a time zone."""
    if not any(stretch.offset for stretch in known):
        return "time"
    return f"make_timestamp(epoch_us(time) + {case_of(known, [microseconds(stretch.offset) for stretch in known])})"


def microseconds(time: timedelta) -> int:
    """Return a duration in microseconds."""
    return time // MICROSECOND


def case_of(known: Sequence[Stretch], values: Sequence[object]) -> str:
    """Return an SQL expression: the value of the stretch that contains the column `time`."""
    if len(known) == 1:
        return str(values[0])
    changes = zip(known[1:], values[:-1], strict=True)
    ends = [f"WHEN time < TIMESTAMP '{change.since}' THEN {value}" for change, value in changes]
    return f"CASE {' '.join(ends)} ELSE {values[-1]} END"


def on_the_clock(moment: datetime, zone: ZoneInfo) -> datetime:
    """Convert a moment (UTC without a time zone) to the local time of a zone."""
    return moment + _offset(zone, moment)


@lru_cache(maxsize=1_024)
def _changes_of(zone: ZoneInfo, year: int) -> tuple[Stretch, ...]:
    """Return the clock changes of a year: compare the offsets of consecutive days, then search within the day."""
    changes = []
    day, end = datetime(year, 1, 1) - SECOND, datetime(year + 1, 1, 1) - SECOND
    while day < end:
        after = min(day + DAY, end)
        if _offset(zone, day) != _offset(zone, after):
            low, high = day, after
            while high - low > SECOND:
                middle = low + (high - low) // 2 // SECOND * SECOND
                low, high = (middle, high) if _offset(zone, middle) == _offset(zone, day) else (low, middle)
            changes.append(Stretch(high, _offset(zone, high)))
        day = after
    return tuple(changes)


def _offset(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.replace(tzinfo=UTC).astimezone(zone).utcoffset() or timedelta()
