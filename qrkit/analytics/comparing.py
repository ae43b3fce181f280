"""Rates with intervals, and honest comparisons: which of two is scanned more, and how sure that is.

All of it counts whole days, and measures how much these vary (`qrkit.analytics.daily_spread`): scans come in bunches,
and a test that takes each for a draw of its own alarms far too often. Intervals are Bayesian, with Jeffreys' priors:
gamma for a rate, beta for the share that one of two has in both; a rate of 0 has an interval, too. Before they enter,
counts are divided by the measured spread, which is widened as Student's t asks for where there are few days.
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
"""Jeffreys': what a count is taken for more than it is."""
POWER = 0.8
"""How often the smallest difference that data could have shown would have been shown by them."""


class Stratum(NamedTuple):
    """Days of both sides that are alike: one and the same day, or days of one weekday.

    Attributes:
        first: Scans of the first side on each of its days.
        second: Those of the second side.
    """

    first: list[int]
    second: list[int]

    @property
    def scans(self) -> int:
        """Those of both sides."""
        return sum(self.first) + sum(self.second)

    @property
    def share(self) -> float:
        """Share of the days that are of the second side."""
        return len(self.second) / (len(self.first) + len(self.second))


class Ratio(NamedTuple):
    """The ratio of two rates, and what is known of it as if it were that of two counts.

    Attributes:
        value: The second rate in units of the first; infinite or not a number where the first is 0.
        first: Scans of the first side that tell as much as all of its days do.
        second: Those of the second side.
        exposure: What turns the ratio of these two into that of the rates.
    """

    value: float
    first: float
    second: float
    exposure: float


@takes_time_zone
def rates(scans: Scans, *, by: Part | None = None, level: float = 0.95) -> pd.DataFrame:
    """Scans a day, and the interval that the true rate lies in; one row, or one for each part with scans.

    The rate is that of days like these: an interval says nothing of a later season.

    Columns: the name of `by` (str, when asked for), days, scans (int64), rate, low, high (float64, scans a day), spread
    (float64, 1 or more: variance of a day's scans to their mean, weekdays apart from two weeks on).

    Args:
        scans: The view, whose whole days count; without `since` or `until`, those between the first and the last scan.
        by: Give a rate for each campaign, qrcode or qrcode_id.
        level: How often such an interval holds the true rate, above 0 and below 1.

    Raises:
        InvalidParameter: If the view has fewer than 2 whole days, or an argument is out of its bounds.
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
    found = with_dtypes(pd.DataFrame(rows, columns=list(types)), types)
    return found.rename(columns={"part": by}) if by else found.drop(columns="part")


@takes_time_zone
def compare(first: Scans, second: Scans, *, level: float = 0.95) -> pd.DataFrame:
    """Which of two views has more scans a day, by how much, and how sure that is; one row.

    Where both have the same days, each day is compared with itself, so that weather and weekdays cancel out. Otherwise,
    and where both have two weeks or more, days are compared with those of the same weekday (Mantel and Haenszel's ratio
    of rates; variance by Greenland and Robins, 1985); shorter ones as they are.

    Columns: first_days, first_scans (int64), first_rate (float64, scans a day), second_days, second_scans, second_rate,
    ratio, low, high (float64, the second rate in units of the first, and its interval), probability (float64, 0..1,
    that the second rate is the higher one), differs (bool, whether the interval leaves 1 out), smallest (float64, above
    1: the smallest ratio, or 1 / ratio, that so many scans would have shown in 4 of 5 cases), spread (float64, 1 or
    more: variance of days to what chance alone would bring), is_paired (bool, whether each day is compared with
    itself).

    Args:
        first: A view, whose whole days count. Where it has no `since` or `until`, those of the other view or of the
            first and the last scan of both take their place.
        second: Another view in the same time zone, of other codes or of another time.
        level: How often such an interval holds the true ratio, above 0 and below 1. Pairs that are equal are called
            different in 1 - level of all cases.

    Raises:
        InvalidParameter: If a view has fewer than 2 whole days, the views are in different time zones, or `level` is
            out of its bounds.
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
    row |= _told(_ratio(strata), spread, level)
    row |= {"smallest": _smallest(strata, spread, level), "spread": spread.ratio, "is_paired": one.keys() == two.keys()}
    return pd.DataFrame([row])


@takes_time_zone
def before_and_after(scans: Scans, change: date, *, level: float = 0.95) -> pd.DataFrame:
    """What a change has done: the days after it compared with those before.

    The day of the change itself is left out, unless it began with it. It is a comparison over time: whatever else
    changed then, a holiday or the season, is in the ratio, too.

    Columns: as `compare` gives them; first is before, second after.

    Args:
        scans: A view with whole days on both sides.
        change: A day, or a moment; without a time zone it is one of the view's.
        level: As `compare` takes it.

    Raises:
        InvalidParameter: If the change is not a date, or fewer than 2 whole days of the view are on a side of it.
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
    """Rate, low, high and spread of some days."""
    scans, spread = sum(days.values()), spread_of(days)
    ratio = spread.widened(level)
    shape, unit = scans / ratio + PRIOR, ratio / len(days)
    low, high = (gamma_quantile(shape, (1 + side * level) / 2) * unit for side in (-1, 1))
    return scans / len(days), low, high, spread.ratio


def _strata(first: Mapping[date, int], second: Mapping[date, int]) -> list[Stratum]:
    """The days that are compared with each other; those that nothing can be compared with are left out."""
    is_paired = first.keys() == second.keys()
    strata: dict[object, Stratum] = defaultdict(lambda: Stratum([], []))
    alike = [week_of(days) for days in (first, second)]
    by_week = all(len(set(groups.values())) > 1 for groups in alike)
    for side, days in enumerate((first, second)):
        for day, number in days.items():
            group = day if is_paired else alike[side][day] if by_week else 0
            strata[group][side].append(number)
    return [stratum for stratum in strata.values() if stratum.first and stratum.second]


def _halves(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Mantel and Haenszel's sums: the ratio of the second to the first is that of the rates."""
    first = sum(sum(stratum.first) * stratum.share for stratum in strata)
    second = sum(sum(stratum.second) * (1 - stratum.share) for stratum in strata)
    return first, second


def _spread(strata: Sequence[Stratum]) -> Spread:
    """How much the days of both sides vary around what the ratio and their stratum let expect."""
    one, two = _halves(strata)
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
    one, two = _halves(strata)
    first, second = (sum(sum(stratum[side]) for stratum in strata) for side in (0, 1))
    if not one or not two:
        # Where one side has no scans, the sides are weighed as if their rates were the same.
        weights = [(stratum.scans or 1, stratum.share) for stratum in strata]
        exposure = sum(scans * (1 - share) for scans, share in weights) / sum(scans * share for scans, share in weights)
        return Ratio(two / one if one else inf if two else nan, first, second, exposure)
    variance = _information(strata) / (one * two)
    # Two counts with the same ratio whose logarithm varies as much.
    both = (first + second) ** 2 / (first * second) / variance
    return Ratio(
        two / one, both * first / (first + second), both * second / (first + second), two / one * first / second
    )


def _information(strata: Sequence[Stratum]) -> float:
    """Fisher's, of the logarithm of the ratio, where the rates are the same."""
    return sum(stratum.scans * stratum.share * (1 - stratum.share) for stratum in strata)


def _told(ratio: Ratio, spread: Spread, level: float) -> dict[str, float]:
    """What is known of a ratio: itself, its interval, and how probable it is above 1."""
    unit = spread.widened(level)
    shape = ratio.second / unit + PRIOR, ratio.first / unit + PRIOR
    shares = [beta_quantile(*shape, (1 + side * level) / 2) for side in (-1, 1)]
    low, high = (ratio.exposure * share / (1 - share) if share < 1 else inf for share in shares)
    above = 1 - beta_probability(*shape, 1 / (1 + ratio.exposure))
    differs = not low <= 1 <= high
    return {"ratio": ratio.value, "low": low, "high": high, "probability": above, "differs": differs}


def _smallest(strata: Sequence[Stratum], spread: Spread, level: float) -> float:
    """The ratio whose interval leaves 1 out with the probability POWER."""
    information = _information(strata) / spread.widened(level)
    normal = NormalDist()
    far = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(POWER)
    # A logarithm beyond 700 is more than a float can hold.
    return exp(min(far / sqrt(information), 700.0)) if information else inf
