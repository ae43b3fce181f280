"""Estimates scan rates with intervals and compares two groups: which is scanned more, and how certain that is.

All functions count whole days and measure how much the days vary (`qrkit.analytics.daily_spread`). Scans come in
clusters, so a test that treats each scan as an independent draw raises far too many false alarms. Intervals are
Bayesian with Jeffreys priors: a gamma prior for a rate, a beta prior for one side's share of the scans of both. A rate
of 0 has an interval, too. Counts are first divided by the measured spread, widened by Student's t where there are few
days.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import exp, inf, nan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from qrkit.analytics.breakdowns import Part, check_part
from qrkit.analytics.daily_spread import (
    FEWEST_DAYS,
    Spread,
    check_share,
    counts,
    spread_around,
    spread_of,
    week_of,
    whole_days,
)
from qrkit.analytics.distributions import beta_probability, beta_quantile, gamma_quantile
from qrkit.analytics.over_time import scans_per_day
from qrkit.analytics.time_zones import on_the_clock, takes_time_zone
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.tracking.text_columns import with_dtypes
from qrkit.tracking.times import first_moment, moment_in

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["before_and_after", "compare", "rates"]

PRIOR = 0.5
"""The Jeffreys prior: this much is added to each count."""
POWER = 0.8
"""Probability with which the data would have revealed the smallest detectable difference (the power of the test)."""


class Stratum(NamedTuple):
    """Comparable days of both sides: either the same day, or days with the same weekday.

    Attributes:
        first: Scans of the first side on each of its days.
        second: Scans of the second side on each of its days.
    """

    first: list[int]
    second: list[int]

    @property
    def scans(self) -> int:
        """Scans of both sides together."""
        return sum(self.first) + sum(self.second)

    @property
    def share(self) -> float:
        """The second side's share of the days."""
        return len(self.second) / (len(self.first) + len(self.second))


class Ratio(NamedTuple):
    """The ratio of two rates, and two counts that carry the same information about it.

    Attributes:
        value: The second rate divided by the first; infinite or NaN if the first rate is 0.
        first: Effective number of scans of the first side.
        second: Effective number of scans of the second side.
        exposure: Factor that turns the ratio of these two counts into the ratio of the rates.
    """

    value: float
    first: float
    second: float
    exposure: float


@takes_time_zone
def rates(scans: Scans, *, by: Part | None = None, level: float = 0.95) -> pd.DataFrame:
    """Return scans per day with an interval for the true rate: one row, or one row per group that has scans.

    The interval is about days like the counted ones; it says nothing about another season.

    Columns: the name of `by` (str, if given), days, scans (int64), rate, low, high (float64, scans per day), spread
    (float64, 1 or more: ratio of the variance to the mean of a day's scans, per weekday if there are two weeks or
    more).

    Args:
        scans: The view. Only its whole days count; without `since` or `until`, the days between its first and last
            scan.
        by: Return one rate per campaign, qrcode or qrcode_id.
        level: Probability that the interval contains the true rate, above 0 and below 1.

    Raises:
        InvalidParameter: If the view has fewer than 2 whole days, or if an argument is out of range.
    """
    import pandas as pd

    check_part(by)
    level = check_share("level", level)
    ((first, last),) = whole_days([scans])
    per_day = scans_per_day(scans.where(since=first, until=last), by=by)
    groups = per_day.groupby(by, sort=True) if by else [("", per_day)]
    rows = []
    for part, frame in groups:
        days = dict(zip(frame["day"].dt.date, frame["scans"].tolist(), strict=True))
        rows.append((part, len(days), sum(days.values()), *_rate(days, level)))
    types = {"part": "str", "days": "int64", "scans": "int64"}
    types |= dict.fromkeys(("rate", "low", "high", "spread"), "float64")
    frame = with_dtypes(pd.DataFrame(rows, columns=list(types)), types)
    return frame.rename(columns={"part": by}) if by else frame.drop(columns="part")


@takes_time_zone
def compare(first: Scans, second: Scans, *, level: float = 0.95) -> pd.DataFrame:
    """Compare the scans per day of two views: which has more, by how much, and how certain that is. Returns one row.

    If both views cover the same days, each day is compared with itself, so that weather and weekdays cancel out.
    Otherwise, if both views cover two weeks or more, days are compared with days of the same weekday (Mantel-Haenszel
    ratio of rates; variance after Greenland and Robins, 1985). Shorter views are compared as a whole.

    Columns: first_days, first_scans (int64), first_rate (float64, scans per day), second_days, second_scans,
    second_rate, ratio, low, high (float64, second rate divided by first, and its interval), probability (float64, 0..1,
    that the second rate is higher), differs (bool, whether the interval excludes 1), smallest (float64, above 1: the
    smallest ratio, or 1 / ratio, that this many scans would have revealed in 4 of 5 cases), spread (float64, 1 or more:
    variance of the days relative to chance alone), is_paired (bool, whether each day is compared with itself).

    Args:
        first: A view. Only its whole days count. A missing `since` or `until` is taken from the other view, or else
            from the first and last scan of both views.
        second: Another view in the same time zone, of other codes or of another period.
        level: Probability that the interval contains the true ratio, above 0 and below 1. Two views with equal rates
            are reported as different in 1 - level of all cases.

    Raises:
        InvalidParameter: If a view has fewer than 2 whole days, if the time zones differ, or if `level` is out of
            range.
    """
    import pandas as pd

    level = check_share("level", level)
    views = (first, second)
    if first.time_zone != second.time_zone:
        rule = f"must be that of the other view, {first.time_zone}: days of two zones are not the same days"
        raise InvalidParameter(Problem("time_zone", second.time_zone, f"{rule}; set it with where(time_zone=…)"))
    one, two = (counts(view, ends) for view, ends in zip(views, whole_days(views), strict=True))
    strata = _strata(one, two)
    spread = _spread(strata)
    row: dict[str, float] = {}
    for name, days in (("first", one), ("second", two)):
        scans = sum(days.values())
        row |= {f"{name}_days": len(days), f"{name}_scans": scans, f"{name}_rate": scans / len(days)}
    row |= _interval_columns(_ratio(strata), spread, level)
    row |= {"smallest": _smallest(strata, spread, level), "spread": spread.ratio, "is_paired": one.keys() == two.keys()}
    return pd.DataFrame([row])


@takes_time_zone
def before_and_after(scans: Scans, change: date, *, level: float = 0.95) -> pd.DataFrame:
    """Compare the days after a change with the days before it.

    The day of the change is left out, unless the change happened at its very start. The comparison does not isolate the
    change: anything else that happened at the same time, such as a holiday or a new season, affects the ratio, too.

    Columns: the columns of `compare`; first is before, second is after.

    Args:
        scans: A view with whole days on both sides of the change.
        change: A day or a moment; without a time zone, it is in the view's time zone.
        level: See `compare`.

    Raises:
        InvalidParameter: If the change is not a date, or if the view has fewer than 2 whole days before or after it.
    """
    if not isinstance(change, date):
        raise InvalidParameter(Problem("change", change, "must be a datetime.date or datetime.datetime", "wrong-type"))
    moment = moment_in(scans.zone, change)
    day = on_the_clock(moment, scans.zone).date()
    after = day if moment == first_moment(scans.zone, day) else day + timedelta(days=1)
    ((first, last),) = whole_days([scans])
    if min((day - first).days, (last - after).days) < FEWEST_DAYS:
        days = f"those of the view are {first} to {last - timedelta(days=1)}"
        rule = f"must lie within the view, with {FEWEST_DAYS} whole days on each side; {days}"
        raise InvalidParameter(Problem("change", str(change), rule))
    return compare(scans.where(until=day), scans.where(since=after), level=level)


def _rate(days: Mapping[date, int], level: float) -> tuple[float, float, float, float]:
    """Return the rate, the low and high ends of its interval, and the spread of these days."""
    scans, spread = sum(days.values()), spread_of(days)
    ratio = spread.widened(level)
    shape, unit = scans / ratio + PRIOR, ratio / len(days)
    low, high = (gamma_quantile(shape, (1 + side * level) / 2) * unit for side in (-1, 1))
    return scans / len(days), low, high, spread.ratio


def _strata(first: Mapping[date, int], second: Mapping[date, int]) -> list[Stratum]:
    """Group the days that can be compared with each other. Days without a counterpart are left out."""
    is_paired = first.keys() == second.keys()
    strata: dict[object, Stratum] = defaultdict(lambda: Stratum([], []))
    alike = [week_of(days) for days in (first, second)]
    by_week = all(len(set(groups.values())) > 1 for groups in alike)
    for side, days in enumerate((first, second)):
        for day, number in days.items():
            group = day if is_paired else alike[side][day] if by_week else 0
            strata[group][side].append(number)
    return [stratum for stratum in strata.values() if stratum.first and stratum.second]


def _mantel_haenszel_sums(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Return the Mantel-Haenszel sums of both sides: the second divided by the first is the ratio of the rates."""
    first = sum(sum(stratum.first) * stratum.share for stratum in strata)
    second = sum(sum(stratum.second) * (1 - stratum.share) for stratum in strata)
    return first, second


def _spread(strata: Sequence[Stratum]) -> Spread:
    """Measure how much the days of both sides vary around the number expected from the ratio and their stratum."""
    one, two = _mantel_haenszel_sums(strata)
    pairs, fitted = [], 1
    for stratum in strata:
        if stratum.scans:
            fitted += 1
            weights = one * len(stratum.first), two * len(stratum.second)
            for side, weight in zip(stratum, weights, strict=True):
                mean = stratum.scans * weight / sum(weights) / len(side)
                pairs += [(number, mean) for number in side]
    return spread_around(pairs, fitted)


def _ratio(strata: Sequence[Stratum]) -> Ratio:
    one, two = _mantel_haenszel_sums(strata)
    first, second = (sum(sum(stratum[side]) for stratum in strata) for side in (0, 1))
    if not one or not two:
        # If one side has no scans, weigh the sides as if their rates were equal.
        weights = [(stratum.scans or 1, stratum.share) for stratum in strata]
        exposure = sum(scans * (1 - share) for scans, share in weights) / sum(scans * share for scans, share in weights)
        return Ratio(two / one if one else inf if two else nan, first, second, exposure)
    variance = _information(strata) / (one * two)
    # Find two counts with the same ratio whose logarithm has the same variance.
    both = (first + second) ** 2 / (first * second) / variance
    return Ratio(
        two / one, both * first / (first + second), both * second / (first + second), two / one * first / second
    )


def _information(strata: Sequence[Stratum]) -> float:
    """Return the Fisher information of the logarithm of the ratio, assuming equal rates."""
    return sum(stratum.scans * stratum.share * (1 - stratum.share) for stratum in strata)


def _interval_columns(ratio: Ratio, spread: Spread, level: float) -> dict[str, float]:
    """Return the columns about a ratio: the ratio, its interval, and the probability that it is above 1."""
    unit = spread.widened(level)
    shape = ratio.second / unit + PRIOR, ratio.first / unit + PRIOR
    shares = [beta_quantile(*shape, (1 + side * level) / 2) for side in (-1, 1)]
    low, high = (ratio.exposure * share / (1 - share) if share < 1 else inf for share in shares)
    above = 1 - beta_probability(*shape, 1 / (1 + ratio.exposure))
    differs = not low <= 1 <= high
    return {"ratio": ratio.value, "low": low, "high": high, "probability": above, "differs": differs}


def _smallest(strata: Sequence[Stratum], spread: Spread, level: float) -> float:
    """Return the smallest ratio whose interval excludes 1 with probability POWER."""
    information = _information(strata) / spread.widened(level)
    normal = NormalDist()
    far = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(POWER)
    # exp() of more than about 709 overflows a float.
    return exp(min(far / sqrt(information), 700.0)) if information else inf
