"""Counts the scans of the days that count for each QR Code, and measures how much they vary from day to day.

Scans are not independent of each other: a school class, a shower of rain or a post changes many at once. The scans of a
day therefore vary more than a Poisson count, and an interval that treats each scan as an independent draw is too
narrow. qrkit compares days instead, and measures their spread (quasi-Poisson: variance = spread x mean). Days can also
depend on the days before them, which `qrkit.analytics.long_run_spread` measures.

A poster that went up last week has no scans of the weeks before, which says nothing about it: each code counts from the
day after its first scan. When a code began is not recorded, but its first scan shows that it had; the day of that scan
may be incomplete. Codes that were scanned on the first day of a view count from that day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from typing import NamedTuple, get_args
from zoneinfo import ZoneInfo

from qrkit.analytics.distributions import normal_quantile, student_quantile
from qrkit.analytics.over_time import by_day, scans_per_day
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.questions.local_time import on_the_clock
from qrkit.store.questions.outages import outage_days
from qrkit.store.questions.scan_attributes import Attribute, Part, group_sql
from qrkit.store.questions.time_zones import moment_of
from qrkit.tracking.times import first_moment, naive

DAY = timedelta(days=1)
FEWEST_DAYS = 2
"""Fewer days do not show how much they vary."""
TWO_WEEKS = 14
"""Fewer days do not show whether weekdays differ."""
PARTS = "SELECT DISTINCT qrcode_id, {key} AS part FROM codes"
FIRST = "SELECT qrcode_id, min(time) AS first FROM lean GROUP BY ALL"


class Spread(NamedTuple):
    """How much more days vary than Poisson counts: the ratio of variance to mean of a day's scans, as measured.

    The measurement has 1 degree of freedom or more.
    """

    measured: float
    freedom: int

    @property
    def ratio(self) -> float:
        """Ratio of variance to mean, at least 1: days that vary less than Poisson counts do so by chance."""
        return max(1.0, self.measured)

    def widened(self, level: float) -> float:
        """Return the ratio, widened so that normal intervals of this level are as wide as Student's t intervals."""
        tail = (1 + level) / 2
        return max(1.0, self.measured * (student_quantile(self.freedom, tail) / normal_quantile(tail)) ** 2)


def today(scans: Scans) -> date:
    """Return the current day in the time zone of a view; by its clock, not before its last scan."""
    moment = naive(scans.clock())
    bounds = scans.where(until=None).bounds()
    return on_the_clock(max(moment, bounds[1]) if bounds else moment, scans.zone).date()


def whole_days(views: Sequence[Scans], *, to_now: bool = False) -> list[tuple[date, date]]:
    """Return for each view its first whole day (in its time zone), and the day after its last whole day.

    If a view has no `since` or no `until`, the first and last scan of all these views are its bounds. The days of those
    two scans are left out, because it is unknown how long the codes were on display on those days. With `to_now`, a
    view without `until` ends yesterday, even if its codes were not scanned lately.
    """
    is_open = any(view.since is None or view.until is None for view in views)
    seen = [scans_per_day(view)["day"] for view in views] if is_open else []
    first = min((days.iloc[0].date() for days in seen if len(days)), default=None)
    last = max((days.iloc[-1].date() for days in seen if len(days)), default=None)
    ends = []
    for view in views:
        since = _first_whole(view.since, view.zone) if view.since else first and first + DAY
        until = _day_of(view.until, view.zone) if view.until else today(view) if to_now and last else last
        if since is None or until is None:
            rule = "has no scans; set `since` and `until` to say which days had none"
            raise InvalidParameter(Problem("scans", None, rule))
        if (until - since).days < FEWEST_DAYS:
            rule = f"needs {FEWEST_DAYS} whole days or more to see how days vary, not {max((until - since).days, 0)}"
            raise InvalidParameter(Problem("scans", None, rule))
        ends.append((since, until))
    return ends


def counts(scans: Scans, ends: tuple[date, date]) -> dict[date, int]:
    """Return the scans of each day between two ends, given as `whole_days` returns them, but not of an outage."""
    first, last = ends
    view = scans.where(since=first, until=last)
    return without_outages(view, on_each_day(by_day(scans_per_day(view, zeros=False)), ends, scans.zone))


def without_outages(scans: Scans, daily: Mapping[date, int]) -> dict[date, int]:
    """Return the days on which the server ran; all days, if it ran on hardly any."""
    down = outage_days(scans)
    kept = {day: number for day, number in daily.items() if day not in down}
    return kept if len(kept) >= FEWEST_DAYS else dict(daily)


def on_each_day(known: Mapping[date, int], ends: tuple[date, date], zone: ZoneInfo) -> dict[date, int]:
    """Return the scans of each day between two ends in a time zone, with 0 for the days that are not known."""
    return {day: known.get(day, 0) for day in _days_between(ends, zone)}


def span_of(days: Iterable[date]) -> int:
    """Return the number of days from the first to the last of `days`, including missing days in between."""
    days = list(days)
    return (max(days) - min(days)).days + 1


def week_of(days: Iterable[date]) -> dict[date, int]:
    """Return a group number for each day: its weekday if there are two weeks or more, otherwise 0 for all days."""
    days = list(days)
    is_weekly = span_of(days) >= TWO_WEEKS
    return {day: day.weekday() if is_weekly else 0 for day in days}


def spread_of(daily: Mapping[date, int]) -> Spread:
    """Measure how much days vary around the mean of their weekday."""
    alike = week_of(daily)
    groups = defaultdict(list)
    for day, number in daily.items():
        groups[alike[day]].append(number)
    means = {group: sum(numbers) / len(numbers) for group, numbers in groups.items()}
    return spread_around(
        [(number, means[alike[day]]) for day, number in daily.items()], sum(mean > 0 for mean in means.values())
    )


def spread_around(pairs: Iterable[tuple[float, float]], fitted: int) -> Spread:
    """Return Pearson's estimate of the spread, from pairs of actual and expected scans of each day.

    Days with an expectation of 0 are ignored. `fitted` is the number of values above 0 that were fitted to the days.
    """
    known = [(number, mean) for number, mean in pairs if mean > 0]
    freedom = max(len(known) - fitted, 1)
    return Spread(sum((number - mean) ** 2 / mean for number, mean in known) / freedom, freedom)


def check_share(name: str, value: float) -> float:
    """Return a share as a Python float, because a NumPy float32 would reduce the precision of later results."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < value < 1:
        raise InvalidParameter(Problem(name, value, "must be above 0 and below 1", "out-of-range"))
    return float(value)


def check_choice(name: str, given: object, choices: object) -> None:
    """Raise an error unless a value is one of the choices of a `Literal`."""
    if given not in get_args(choices):
        raise InvalidParameter(Problem(name, given, f"must be one of {', '.join(get_args(choices))}"))


def beginnings(scans: Scans) -> dict[str, date]:
    """Return the day after the first scan of each QR Code of a view that has any before the view ends, by ID.

    First scans count that are older than the view, and those that its filters by attributes leave out.
    """
    frame = replace(scans, since=None, kinds=("scan",), attributes=()).ask(FIRST)
    firsts = zip(frame["qrcode_id"].astype("str"), frame["first"], strict=True)
    return {id: on_the_clock(first.to_pydatetime(), scans.zone).date() + timedelta(days=1) for id, first in firsts}


def beginnings_by(scans: Scans, by: Attribute | str | None) -> dict[str, date]:
    """Return from which day on each QR Code or campaign of a view counts: from the beginning of its first code.

    Without `by`, the text "" stands for all codes. Other attributes of scans have no beginning.
    """
    if by is not None and by not in get_args(Part):
        return {}
    begins = beginnings(scans)
    found: dict[str, date] = {}
    for id, part in scans.ask(PARTS.format(key=group_sql(by, scans))).itertuples(index=False):
        if id in begins:
            found[part] = min(found.get(part, date.max), begins[id])
    return found


def begin_within(begin: date, first: date) -> date:
    """Return the day from which on a code counts in a view: the first day, if it was scanned by then."""
    return begin if begin > first + timedelta(days=1) else first


def from_beginning(days: Mapping[date, int], begin: date | None) -> dict[date, int]:
    """Return the scans of the days from a beginning on, at least the last two days."""
    begin = begin_within(begin, min(days)) if begin else min(days)
    kept = {day: number for day, number in days.items() if day >= begin}
    return kept if len(kept) >= FEWEST_DAYS else dict(list(days.items())[-FEWEST_DAYS:])


@lru_cache(maxsize=64)
def _days_between(ends: tuple[date, date], zone: ZoneInfo) -> tuple[date, ...]:
    """Return the days between two ends; a report asks for the same ones for each of its QR Codes."""
    first, last = ends
    days = [first + number * DAY for number in range((last - first).days + 1)]
    starts = [first_moment(zone, day) for day in days]
    # A move across the date line can skip a day, which then begins when the next one does.
    return tuple(day for day, (start, after) in zip(days, pairwise(starts), strict=False) if start < after)


def _first_whole(bound: date, zone: ZoneInfo) -> date:
    day = _day_of(bound, zone)
    return day if moment_of(bound, zone) <= first_moment(zone, day) else day + DAY


def _day_of(bound: date, zone: ZoneInfo) -> date:
    return on_the_clock(moment_of(bound, zone), zone).date()
