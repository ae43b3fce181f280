"""Computes intervals: for the true daily rate of a series of days, and for the ratio of two daily rates.

If both sides of a ratio cover the same days, each day is compared with itself, so that weather and weekdays cancel out.
Otherwise, days are compared with days of the same weekday if both sides have two weeks or more (Mantel-Haenszel ratio
of rates; variance after Greenland and Robins, 1985).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from math import exp, inf, nan, sqrt
from statistics import NormalDist
from typing import NamedTuple

from qrkit.analytics.daily_spread import TWO_WEEKS, Spread, span_of, spread_around, spread_of, week_of
from qrkit.analytics.distributions import beta_probability, beta_quantile, gamma_quantile, normal_quantile
from qrkit.analytics.long_run_spread import LongRun, Side, long_run_spread, side_of
from qrkit.languages import number_text, say

FOUR_WEEKS = 28
"""Fewer days do not show whether they depend on each other."""
FEWEST_SCANS = 2.0
"""Fewer scans, counted as independent ones, determine no rate."""
PRIOR = 0.5
"""The Jeffreys prior: this much is added to each count."""
WIDEST = 300.0
"""Maximum logarithm of the end of an interval."""
POWER = 0.8
"""Probability with which the data would have revealed the smallest detectable difference (the power of the test)."""


class RateInterval(NamedTuple):
    """An interval for scans per day. Without one, its ends are NaN, and `reason` says why; else, that is "".

    `days_as_one` is how many days carry the information of one independent day, 1 or more; NaN if unknown.
    """

    low: float
    high: float
    days_as_one: float
    reason: str


def rate_interval(
    days: Mapping[date, int],
    level: float,
    *,
    independent: bool = False,
    fewest: int = FOUR_WEEKS,
    exposures: Mapping[date, float] | None = None,
) -> RateInterval:
    """Return the interval for the true rate of consecutive days, given the scans of each day in order; 2 days or more.

    Fewer days than `fewest` have no interval, unless they are independent of each other. Exposures are what the rate is
    relative to on each day, above 0; by default, 1.
    """
    scans, number = sum(days.values()), len(days)
    if independent:
        return _interval(scans, number, spread_of(days).widened(level), level, 1.0, skewed=False)
    if number < fewest:
        return RateInterval(nan, nan, nan, too_few_days(number, fewest))
    exposure, side = float(number), side_of(days)
    if exposures is not None:
        exposure = sum(exposures.values())
        expected = side_of({day: exposures[day] * scans / exposure for day in days})
        side = Side(side.values - expected.values, side.weekdays)
    run = long_run_spread([side], level)
    width = max(1.0, run.variance * number / scans) if scans else 1.0
    if scans / width < FEWEST_SCANS:
        return RateInterval(nan, nan, run.days_as_one, too_few_scans(scans, scans / width))
    return _interval(scans, exposure, width, level, run.days_as_one, skewed=True)


def too_few_days(number: int, least: int, *, is_one_side: bool = False) -> str:
    """Say why a number of days determines no interval."""
    if is_one_side:
        few = "{days} whole days on one side are too few; from {least} on, they show whether one day depends on another"
    else:
        few = "{days} whole days are too few; from {least} on, they show whether one day depends on another"
    return say(few, days=number, least=least)


def too_few_scans(scans: float, independent: float, least: float = FEWEST_SCANS) -> str:
    """Say why a number of scans, worth so many independent ones, determines no interval."""
    if scans < least:
        sentence = (
            "{scans} scan is too few; {least} or more are needed",
            "{scans} scans are too few; {least} or more are needed",
        )
        return say(sentence, round(scans), scans=f"{scans:g}", least=f"{least:g}")
    return say(
        "the {scans} scans come in too few bursts: they say as much as {worth} independent scans, and {least} are "
        "needed",
        scans=f"{scans:g}", worth=number_text(independent, ".1f"), least=f"{least:g}",
    )  # fmt: skip


class RatioInterval(NamedTuple):
    """An interval for the ratio of two rates. Without an interval, its numbers are NaN.

    Attributes:
        ratio: The second rate divided by the first; infinite or NaN if the first is 0.
        probability: Probability that the second rate is higher, 0..1.
        differs: Whether the interval excludes 1; None if there is no interval.
        smallest: The smallest ratio, above 1, that would have been detected in 4 of 5 cases.
        spread: Variance of the days relative to chance alone, 1 or more.
        days_as_one: How many days carry the information of one independent day, 1 or more.
        reason: Why there is no interval; "" if there is one.
    """

    ratio: float
    low: float
    high: float
    probability: float
    differs: bool | None
    smallest: float
    spread: float
    days_as_one: float
    reason: str

    @classmethod
    def none(cls, ratio: float, reason: str, *, spread: float = nan, days_as_one: float = nan) -> RatioInterval:
        """Return a ratio without an interval."""
        return cls(ratio, nan, nan, nan, None, nan, spread, days_as_one, reason)

    @classmethod
    def of_normal(cls, ratio: float, logarithm: float, error: float, level: float, run: LongRun) -> RatioInterval:
        """Return the interval of a ratio whose logarithm is a normal variable with this standard error."""
        normal = NormalDist()
        far, power = normal.inv_cdf((1 + level) / 2), normal.inv_cdf(POWER)
        low, high = (ratio * exp(side * min(far * error, WIDEST)) for side in (-1, 1))
        above, smallest = normal.cdf(logarithm / error), exp(min((far + power) * error, WIDEST))
        return cls(ratio, low, high, above, not low <= 1 <= high, smallest, max(1.0, run.variance), run.days_as_one, "")


class Stratum(NamedTuple):
    """Scans of both sides on comparable days: either the same day, or days with the same weekday."""

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
    """The ratio of two rates (`value`), and two counts of scans that carry the same information about it.

    The value is infinite or NaN if the first rate is 0. `exposure` turns the ratio of these two counts into that of the
    rates.
    """

    value: float
    first: float
    second: float
    exposure: float


class Width(NamedTuple):
    """How much wider than for independent scans an interval has to be: the ratio of the variances, 1 or more.

    The other fields are those of `RatioInterval`.
    """

    value: float
    days_as_one: float
    reason: str = ""


def ratio_interval(
    first: Mapping[date, int], second: Mapping[date, int], level: float, *, independent: bool
) -> RatioInterval:
    """Return the interval for the second rate divided by the first.

    Scans are of consecutive days, in order, 2 or more; those of the second may be the same days or others.
    """
    strata = _strata(first, second)
    spread, ratio = _spread(strata), _ratio(strata)
    if independent:
        width = Width(spread.widened(level), 1.0)
    elif first.keys() == second.keys():
        width = _width_of_pairs(first, second, level)
    else:
        width = _width_apart(first, second, level)
    if width.reason:
        return RatioInterval.none(ratio.value, width.reason, spread=spread.ratio, days_as_one=width.days_as_one)
    low, high, above = _ends(ratio, width.value, level)
    smallest = _smallest(_information(strata) / width.value, level)
    differs = not low <= 1 <= high
    return RatioInterval(ratio.value, low, high, above, differs, smallest, spread.ratio, width.days_as_one, "")


def _interval(
    scans: int, exposure: float, width: float, level: float, days_as_one: float, *, skewed: bool
) -> RateInterval:
    unit = width / exposure
    low, high = (gamma_quantile(scans / width + PRIOR, (1 + side * level) / 2) * unit for side in (-1, 1))
    if skewed and scans:
        # Bursts make the distribution of the sum skewed; on the scale of logarithms, the upper end is farther away.
        high = max(high, scans / exposure * exp(normal_quantile((1 + level) / 2) * sqrt(width / scans)))
    return RateInterval(low, high, days_as_one, "")


def _width_of_pairs(first: Mapping[date, int], second: Mapping[date, int], level: float) -> Width:
    """Measure the width from the difference that is 0 on average: the second side minus the ratio times the first."""
    if span_of(first) < FOUR_WEEKS:
        return Width(nan, nan, too_few_days(span_of(first), FOUR_WEEKS))
    one, two = side_of(first), side_of(second)
    scans = float(one.values.sum()), float(two.values.sum())
    if not all(scans):
        return _width_of_one(first, second, level)
    ratio = scans[1] / scans[0]
    # The weekdays of both sides cancel out.
    run = long_run_spread([Side(two.values - ratio * one.values, one.weekdays)], level, weekly=False)
    alone = scans[1] ** 2 / len(first) * (1 / scans[0] + 1 / scans[1])
    return _enough(scans, LongRun(run.variance / alone, run.days_as_one))


def _width_apart(first: Mapping[date, int], second: Mapping[date, int], level: float) -> Width:
    """Measure the width from the days of both sides, each around the mean of its side."""
    for days in (first, second):
        if span_of(days) < TWO_WEEKS:
            return Width(nan, nan, too_few_days(span_of(days), TWO_WEEKS, is_one_side=True))
    scans = sum(first.values()), sum(second.values())
    if not all(scans):
        return _width_of_one(first, second, level)
    order = sorted((first, second), key=lambda days: next(iter(days)))
    return _enough(scans, long_run_spread([_standardised(days) for days in order], level))


def _width_of_one(first: Mapping[date, int], second: Mapping[date, int], level: float) -> Width:
    """Measure the width from the side that has scans."""
    for days in (first, second):
        if scans := sum(days.values()):
            return _enough((scans,), long_run_spread([_standardised(days)], level))
    return Width(nan, nan, say("neither side has a scan"))


def _standardised(days: Mapping[date, int]) -> Side:
    """Return days around their mean, divided by the standard deviation of independent scans."""
    side = side_of(days)
    mean = side.values.mean()
    return Side((side.values - mean) / sqrt(mean), side.weekdays)


def _enough(scans: Sequence[float], run: LongRun) -> Width:
    width = max(1.0, run.variance)
    fewest = min(scans)
    reason = too_few_scans(fewest, fewest / width) if fewest / width < FEWEST_SCANS else ""
    return Width(width, run.days_as_one, reason)


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


def _ends(ratio: Ratio, width: float, level: float) -> tuple[float, float, float]:
    """Return both ends of the interval of a ratio, and the probability that it is above 1."""
    shape = ratio.second / width + PRIOR, ratio.first / width + PRIOR
    shares = [beta_quantile(*shape, (1 + side * level) / 2) for side in (-1, 1)]
    low, high = (ratio.exposure * share / (1 - share) if share < 1 else inf for share in shares)
    return low, high, 1 - beta_probability(*shape, 1 / (1 + ratio.exposure))


def _smallest(information: float, level: float) -> float:
    """Return the smallest ratio whose interval excludes 1 with probability POWER."""
    normal = NormalDist()
    far = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(POWER)
    # exp() of more than about 709 overflows a float.
    return exp(min(far / sqrt(information), 700.0)) if information else inf
