"""Computes an interval for the true daily rate of a series of days."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from math import exp, nan, sqrt
from typing import NamedTuple

from qrkit.analytics.daily_spread import spread_of
from qrkit.analytics.distributions import gamma_quantile, normal_quantile
from qrkit.analytics.long_run_spread import Side, long_run_spread, side_of
from qrkit.languages import number_text, say

FOUR_WEEKS = 28
"""Fewer days do not show whether they depend on each other."""
FEWEST_SCANS = 2.0
"""Fewer scans, counted as independent ones, determine no rate."""
PRIOR = 0.5
"""The Jeffreys prior: this much is added to each count."""


class RateInterval(NamedTuple):
    """An interval for scans per day.

    Attributes:
        low: Lower end; NaN if there is no interval.
        high: Upper end; NaN if there is no interval.
        days_as_one: How many days carry the information of one independent day, 1 or more; NaN if unknown.
        reason: Why there is no interval; "" if there is one.
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
    """Return the interval for the true rate of consecutive days, given as their scans by day.

    Args:
        days: Scans of each day, in order; 2 days or more.
        level: Probability that the interval contains the true rate, above 0 and below 1.
        independent: Treat the days as independent of each other.
        fewest: Fewer days have no interval, unless they are independent.
        exposures: What the rate is relative to on each day, above 0; by default, 1 for a day.
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
        return say("{scans} scans are too few; {least} or more are needed", scans=f"{scans:g}", least=f"{least:g}")
    return say(
        "the {scans} scans come in too few bursts: they say as much as {worth} independent scans, and {least} are "
        "needed",
        scans=f"{scans:g}", worth=number_text(independent, ".1f"), least=f"{least:g}",
    )  # fmt: skip


def _interval(
    scans: int, exposure: float, width: float, level: float, days_as_one: float, *, skewed: bool
) -> RateInterval:
    unit = width / exposure
    low, high = (gamma_quantile(scans / width + PRIOR, (1 + side * level) / 2) * unit for side in (-1, 1))
    if skewed and scans:
        # Bursts make the distribution of the sum skewed; on the scale of logarithms, the upper end is farther away.
        high = max(high, scans / exposure * exp(normal_quantile((1 + level) / 2) * sqrt(width / scans)))
    return RateInterval(low, high, days_as_one, "")
