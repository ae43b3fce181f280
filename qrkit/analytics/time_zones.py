"""Computes local time in SQL: writes the offsets of a time zone as a CASE expression over its clock changes.

DuckDB's own conversion calls ICU for every row, which takes ten times as long as the rest of a query, and its time zone
rules can differ from those of `zoneinfo`. All offsets since 1990, the earliest year allowed for a scan, are whole
minutes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar
from zoneinfo import ZoneInfo

from qrkit.errors import InvalidParameter, Problem
from qrkit.late import REMOVAL, old_names
from qrkit.store import Scans
from qrkit.tracking.times import moment_in, zone_of

__all__ = [
    "Stretch", "case_of", "local_time", "microseconds", "moment_of", "on_the_clock", "stretches", "stretches_of",
    "takes_time_zone",
]  # fmt: skip

YEARS = (1990, 2100)
"""First and last year for which clock changes are computed; no scan is older."""
DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


class Stretch(NamedTuple):
    """A period in which the offset of a time zone does not change.

    Attributes:
        since: Its first moment, UTC without a time zone.
        offset: Local time minus UTC.
    """

    since: datetime
    offset: timedelta


def stretches(zone: ZoneInfo, first: datetime, last: datetime) -> list[Stretch]:
    """Return the stretches of a period, given in UTC without a time zone; the first one begins at `first`."""
    years = range(max(first.year, YEARS[0]), min(last.year, YEARS[1]) + 1)
    changes = [change for year in years for change in _changes_of(zone, year)]
    inside = [change for change in changes if first < change.since <= last]
    return [Stretch(first, _offset(zone, first)), *inside]


def stretches_of(scans: Scans) -> list[Stretch]:
    """Return the stretches of the view's time zone in which it may have scans."""
    bounds = scans.bounds()
    return stretches(scans.zone, *bounds) if bounds else [Stretch(datetime(YEARS[0], 1, 1), timedelta())]


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


def moment_of(bound: date, zone: ZoneInfo) -> datetime:
    """Convert a bound of a view in this time zone to UTC, without a time zone.

    Raises:
        InvalidParameter: If the bound is outside of the years that scans can have.
    """
    if not YEARS[0] <= bound.year <= YEARS[1]:
        rule = f"must be in the years {YEARS[0]} to {YEARS[1]}, as scans are"
        raise InvalidParameter(Problem("since or until", bound, rule, "out-of-range"))
    return moment_in(zone, bound)


def on_the_clock(moment: datetime, zone: ZoneInfo) -> datetime:
    """Convert a moment (UTC without a time zone) to the local time of a zone."""
    return moment + _offset(zone, moment)


def takes_time_zone(ask: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Let a function accept `time_zone=` as it did before views had a time zone."""

    @wraps(ask)
    def asked(*args: Any, **arguments: Any) -> Answer:
        if "time_zone" in arguments:
            zone = zone_of(arguments.pop("time_zone"))
            hint = f"`time_zone` of {ask.__name__} {REMOVAL}: set it in the view, scans.where(time_zone=…)"
            warnings.warn(hint, DeprecationWarning, stacklevel=2)
            args = tuple(_move(given, zone) for given in args)
            arguments = {name: _move(given, zone) for name, given in arguments.items()}
        return ask(*args, **arguments)

    return asked


def _move(given: Any, zone: ZoneInfo) -> Any:
    """Return a view in another time zone whose bounds stay the same moments; return anything else unchanged."""
    if not isinstance(given, Scans):
        return given
    since, until = (moment and moment.replace(tzinfo=UTC) for moment in given.period)
    return replace(given, time_zone=zone.key, since=since, until=until)


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


# Notebooks written by `report.notebook` before views had a time zone import `first_moment` from here.
__getattr__ = old_names(__name__, {"first_moment": "qrkit.tracking.times.first_moment"})
