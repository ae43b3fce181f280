"""Local time in SQL: the offsets of a time zone from `zoneinfo`, written as a CASE over the few changes that matter.

DuckDB's own conversion asks ICU for every row, which takes ten times as long as all else of a question, and knows other
versions of the rules than Python. From 1990 on, where scans begin, all offsets are whole minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.store import Scans
from qrkit.tracking.times import naive

__all__ = [
    "Stretch", "case_of", "first_moment", "local_time", "microseconds", "moment_of", "on_the_clock", "stretches",
    "stretches_of", "zone_of",
]  # fmt: skip

YEARS = (1990, 2100)
"""The years whose changes of clocks are known here; scans are not older."""
DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)


class Stretch(NamedTuple):
    """A time in which the clocks of a zone are not changed.

    Attributes:
        since: Its first moment, UTC without a zone.
        offset: What local time is ahead of UTC.
    """

    since: datetime
    offset: timedelta


def _proposed(name: str) -> str:
    """What may have been meant: people know the city, "Berlin"."""
    names = sorted(available_timezones())
    city = name.replace(" ", "_").lower()
    there = next((one for one in names if one.rpartition("/")[2].lower() == city), "")
    near = f"did you mean {there!r}?" if there else nearest(name, names)
    return f"; {near}" if near.startswith("did") else ""


def zone_of(name: str | ZoneInfo) -> ZoneInfo:
    """The time zone of an IANA name, like "Europe/Ljubljana"; one that has such a name may come itself.

    Raises:
        InvalidParameter: There is none of this name.
    """
    try:
        return ZoneInfo(name.key if isinstance(name, ZoneInfo) else name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError) as error:
        rule = f"must be an IANA name of a time zone, like UTC or Europe/Ljubljana{_proposed(str(name))}"
        raise InvalidParameter(Problem("time_zone", name, rule)) from error


def stretches(zone: ZoneInfo, first: datetime, last: datetime) -> list[Stretch]:
    """The stretches of a period, UTC without a zone; the first one holds `first`."""
    years = range(max(first.year, YEARS[0]), min(last.year, YEARS[1]) + 1)
    changes = [change for year in years for change in _changes_of(zone, year)]
    inside = [change for change in changes if first < change.since <= last]
    return [Stretch(first, _offset(zone, first)), *inside]


def stretches_of(scans: Scans, zone: ZoneInfo) -> list[Stretch]:
    """The stretches in which a view may have scans."""
    bounds = scans.bounds()
    return stretches(zone, *bounds) if bounds else [Stretch(datetime(YEARS[0], 1, 1), timedelta())]


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


def first_moment(zone: ZoneInfo, day: date) -> datetime:
    """When a day begins, UTC without a zone: at midnight, or where clocks skip that, when they do."""
    midnight = datetime.combine(day, datetime.min.time(), zone)
    return midnight.astimezone(UTC).replace(tzinfo=None)


def moment_of(bound: date) -> datetime:
    """A bound of a view, UTC without a zone; a date is the midnight of UTC at which it begins.

    Raises:
        InvalidParameter: It is not in the years of scans.
    """
    if not YEARS[0] <= bound.year <= YEARS[1]:
        rule = f"must be in the years {YEARS[0]} to {YEARS[1]}, as scans are"
        raise InvalidParameter(Problem("since or until", bound, rule, "out-of-range"))
    return naive(bound) if isinstance(bound, datetime) else datetime.combine(bound, datetime.min.time())


def on_the_clock(moment: datetime, zone: ZoneInfo) -> datetime:
    """What the clocks of a zone show at a moment, UTC without a zone."""
    return moment + _offset(zone, moment)


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
