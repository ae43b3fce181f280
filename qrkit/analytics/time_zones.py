"""Local time in SQL: the offsets of a time zone from `zoneinfo`, written as a CASE over the few changes that matter.

DuckDB's own conversion asks ICU for every row, which takes ten times as long as all else of a question, and knows other
versions of the rules than Python. From 1990 on, where scans begin, all offsets are whole minutes.
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
from qrkit.late import old_names
from qrkit.store import Scans
from qrkit.tracking.times import moment_in, zone_of

__all__ = [
    "Stretch", "case_of", "local_time", "microseconds", "moment_of", "on_the_clock", "stretches", "stretches_of",
    "takes_time_zone",
]  # fmt: skip

YEARS = (1990, 2100)
"""The years whose changes of clocks are known here; scans are not older."""
DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


class Stretch(NamedTuple):
    """A time in which the clocks of a zone are not changed.

    Attributes:
        since: Its first moment, UTC without a zone.
        offset: What local time is ahead of UTC.
    """

    since: datetime
    offset: timedelta


def stretches(zone: ZoneInfo, first: datetime, last: datetime) -> list[Stretch]:
    """The stretches of a period, UTC without a zone; the first one holds `first`."""
    years = range(max(first.year, YEARS[0]), min(last.year, YEARS[1]) + 1)
    changes = [change for year in years for change in _changes_of(zone, year)]
    inside = [change for change in changes if first < change.since <= last]
    return [Stretch(first, _offset(zone, first)), *inside]


def stretches_of(scans: Scans) -> list[Stretch]:
    """The stretches of its time zone in which a view may have scans."""
    bounds = scans.bounds()
    return stretches(scans.zone, *bounds) if bounds else [Stretch(datetime(YEARS[0], 1, 1), timedelta())]


def local_time(known: Sequence[Stretch]) -> str:
    """An expression of SQL: the column `time` as the clocks of the zone show it, without a zone."""
    if not any(stretch.offset for stretch in known):
        return "time"
    return f"make_timestamp(epoch_us(time) + {case_of(known, [microseconds(stretch.offset) for stretch in known])})"


def microseconds(time: timedelta) -> int:
    """How many a length of time is."""
    return time // MICROSECOND


def case_of(known: Sequence[Stretch], values: Sequence[object]) -> str:
    """An expression of SQL: the value of the stretch that the column `time` lies in."""
    if len(known) == 1:
        return str(values[0])
    changes = zip(known[1:], values[:-1], strict=True)
    ends = [f"WHEN time < TIMESTAMP '{change.since}' THEN {value}" for change, value in changes]
    return f"CASE {' '.join(ends)} ELSE {values[-1]} END"


def moment_of(bound: date, zone: ZoneInfo) -> datetime:
    """A bound of a view in this time zone, in UTC without a zone.

    Raises:
        InvalidParameter: If the bound is not within the years that scans have.
    """
    if not YEARS[0] <= bound.year <= YEARS[1]:
        rule = f"must be in the years {YEARS[0]} to {YEARS[1]}, as scans are"
        raise InvalidParameter(Problem("since or until", bound, rule, "out-of-range"))
    return moment_in(zone, bound)


def on_the_clock(moment: datetime, zone: ZoneInfo) -> datetime:
    """What the clocks of a zone show at a moment, UTC without a zone."""
    return moment + _offset(zone, moment)


def takes_time_zone(ask: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Let a question take `time_zone=`, as it did before views had one; it goes with 1.1."""

    @wraps(ask)
    def asked(*args: Any, **arguments: Any) -> Answer:
        if "time_zone" in arguments:
            zone = zone_of(arguments.pop("time_zone"))
            hint = f"`time_zone` of {ask.__name__} goes with qrkit 1.1: say it on the view, scans.where(time_zone=…)"
            warnings.warn(hint, DeprecationWarning, stacklevel=2)
            args = tuple(_move(given, zone) for given in args)
            arguments = {name: _move(given, zone) for name, given in arguments.items()}
        return ask(*args, **arguments)

    return asked


def _move(given: Any, zone: ZoneInfo) -> Any:
    """A view in another time zone whose bounds stay the moments they are; anything else as it is."""
    if not isinstance(given, Scans):
        return given
    since, until = (moment and moment.replace(tzinfo=UTC) for moment in given.period)
    return replace(given, time_zone=zone.key, since=since, until=until)


@lru_cache(maxsize=1_024)
def _changes_of(zone: ZoneInfo, year: int) -> tuple[Stretch, ...]:
    """The changes of the clocks in a year: days are looked at one by one, then halved."""
    found = []
    day, end = datetime(year, 1, 1) - SECOND, datetime(year + 1, 1, 1) - SECOND
    while day < end:
        after = min(day + DAY, end)
        if _offset(zone, day) != _offset(zone, after):
            low, high = day, after
            while high - low > SECOND:
                middle = low + (high - low) // 2 // SECOND * SECOND
                low, high = (middle, high) if _offset(zone, middle) == _offset(zone, day) else (low, middle)
            found.append(Stretch(high, _offset(zone, high)))
        day = after
    return tuple(found)


def _offset(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.replace(tzinfo=UTC).astimezone(zone).utcoffset() or timedelta()


# Notebooks that `report.notebook` wrote before views had a time zone import it from here.
__getattr__ = old_names(__name__, {"first_moment": "qrkit.tracking.times.first_moment"})
