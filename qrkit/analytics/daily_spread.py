"""Whole days and how much they spread: what comparisons and alarms are made from.

Scans are not independent of each other: a school class, a shower of rain or a post brings or takes many at once. So
the number of a day varies more than a Poisson count would, and an interval that takes each scan for a draw of its own
is too narrow. What is compared here are days: their spread is measured, and intervals get as wide as it asks for
(quasi-Poisson: variance = spread x mean). Days are taken as independent of each other; where one good day makes the
next one likely, intervals are still too narrow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from numbers import Real
from typing import NamedTuple
from zoneinfo import ZoneInfo

from qrkit.analytics.over_time import scans_per_day
from qrkit.analytics.time_zones import first_moment, moment_of, on_the_clock
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans

__all__ = ["FEWEST_DAYS", "Spread", "check_share", "counts", "spread_around", "spread_of", "week_of", "whole_days"]

DAY = timedelta(days=1)
FEWEST_DAYS = 2
"""Fewer do not show any spread."""
TWO_WEEKS = 14


class Spread(NamedTuple):
    """How much more days vary than Poisson counts.

    Attributes:
        measured: Variance to mean of a day.
        freedom: Degrees of freedom it was measured with, 1 or more.
    """

    measured: float
    freedom: int

    @property
    def ratio(self) -> float:
        """Variance to mean, 1 or more: what varies less than chance allows does so by chance."""
        return max(1.0, self.measured)

    def widened(self, level: float) -> float:
        """The ratio that makes intervals of the normal distribution as wide as those of Student's t.

        Args:
            level: Of the interval, above 0 and below 1.
        """
        from scipy import special

        tail = (1 + level) / 2
        return max(1.0, float(self.measured * (special.stdtrit(self.freedom, tail) / special.ndtri(tail)) ** 2))


def whole_days(views: Sequence[Scans], zone: ZoneInfo) -> list[tuple[date, date]]:
    """For each view the first day that lies in it as a whole, and the day after the last one.

    Where a view has no `since` or no `until`, the first and the last scan of all these views bound it, and their days
    are left out: nobody knows for what share of them the codes hung.

    Raises:
        InvalidParameter: A view has fewer than 2 such days.
    """
    is_open = any(view.since is None or view.until is None for view in views)
    seen = [scans_per_day(view, time_zone=zone.key)["day"] for view in views] if is_open else []
    first = min((days.iloc[0].date() for days in seen if len(days)), default=None)
    last = max((days.iloc[-1].date() for days in seen if len(days)), default=None)
    ends = []
    for view in views:
        since = _first_whole(view.since, zone) if view.since else first and first + DAY
        until = _day_of(view.until, zone) if view.until else last
        if since is None or until is None:
            rule = "has no scan, and no `since` and `until` to say how long none came"
            raise InvalidParameter(Problem("scans", None, rule))
        if (until - since).days < FEWEST_DAYS:
            rule = f"has {max((until - since).days, 0)} whole days; {FEWEST_DAYS} or more show how much days vary"
            raise InvalidParameter(Problem("scans", None, rule))
        ends.append((since, until))
    return ends


def counts(scans: Scans, zone: ZoneInfo, ends: tuple[date, date]) -> dict[date, int]:
    """Scans of each of the days, as `whole_days` gives their ends."""
    since, until = (first_moment(zone, day) for day in ends)
    per_day = scans_per_day(scans.where(since=since, until=until), time_zone=zone.key)
    return dict(zip(per_day["day"].dt.date, per_day["scans"].tolist(), strict=True))


def week_of(days: Iterable[date]) -> dict[date, int]:
    """Which days are alike: those of one weekday from two weeks on; before that, all."""
    days = list(days)
    return {day: day.weekday() if len(days) >= TWO_WEEKS else 0 for day in days}


def spread_of(found: Mapping[date, int]) -> Spread:
    """How much days vary around the mean of their weekday."""
    alike = week_of(found)
    groups = defaultdict(list)
    for day, number in found.items():
        groups[alike[day]].append(number)
    means = {group: sum(numbers) / len(numbers) for group, numbers in groups.items()}
    return spread_around([(number, means[alike[day]]) for day, number in found.items()], len(means))


def spread_around(pairs: Iterable[tuple[float, float]], fitted: int) -> Spread:
    """Pearson's estimate from pairs of a number and what was expected of it.

    Days of which nothing is expected say nothing.

    Args:
        pairs: Number and expectation of each day.
        fitted: How many values were fitted to them.
    """
    known = [(number, mean) for number, mean in pairs if mean > 0]
    freedom = max(len(known) - fitted, 1)
    return Spread(sum((number - mean) ** 2 / mean for number, mean in known) / freedom, freedom)


def check_share(name: str, value: float) -> float:
    """Refuse what is no share, and give it as Python's own number: a short one of numpy would make others short.

    Raises:
        InvalidParameter: It is not above 0 and below 1.
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < value < 1:
        raise InvalidParameter(Problem(name, value, "must be above 0 and below 1", "out-of-range"))
    return float(value)


def _first_whole(bound: date, zone: ZoneInfo) -> date:
    day = _day_of(bound, zone)
    return day if moment_of(bound) <= first_moment(zone, day) else day + DAY


def _day_of(bound: date, zone: ZoneInfo) -> date:
    return on_the_clock(moment_of(bound), zone).date()
