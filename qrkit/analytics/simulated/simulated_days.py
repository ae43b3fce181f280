"""Draws the number of scans of each code on each day, for simulations with and without the times of the scans."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from math import ceil, exp, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qrkit.errors import InvalidParameter, Problem

if TYPE_CHECKING:
    from qrkit.analytics.simulated.simulated_truth import Truth


LIVES = 10
"""Half-lives after which an event is over."""
RELAXATIONS = 5
"""Relaxation times after which offspring no longer depend on how a simulation began."""


class Memory(NamedTuple):
    """When offspring come, in days. The hour of a scan is random, so a scan has some of them on its own day.

    Attributes:
        own_day: Mean number of offspring on the day of the scan itself.
        next_day: Mean number of offspring on the day after.
        kept: Ratio of the offspring of each further day to those of the day before it.
    """

    own_day: float
    next_day: float
    kept: float


def daily_groups(
    rates: Sequence[float], since: date, days: int, *, random: np.random.Generator, truth: Truth
) -> np.ndarray:
    """Return how many groups of each size come to each code on each day: int64, sizes x codes x days.

    If scans depend on earlier days, the simulation starts early enough to be stationary on the first day.

    Args:
        rates: Scans per day of each code, 0 or more.
        since: The first day; a datetime counts as its day.
        days: Number of days, 1 or more.
        truth: Properties of the scans; only those that concern days and groups are used.
    """
    lead = _lead(truth)
    calendar = calendar_factors(since, days, truth, lead=lead)
    factors = _random_factors(random, (1 if truth.shared else len(rates), lead + days), truth)
    means = np.array(rates, dtype="float64")[:, None] / (sum(truth.groups) / 2) * factors
    arrivals = _self_exciting(random, means, calendar, truth) if truth.offspring else random.poisson(means * calendar)
    return _by_size(random, arrivals[:, lead:], truth)


def calendar_factors(since: date, days: int, truth: Truth, *, lead: int = 0) -> np.ndarray:
    """Return the factor that multiplies the rate on each day and is not random: weekdays, decay and change.

    Args:
        since: The first day; a datetime counts as its day.
        lead: Number of days before the first day to include as well.
    """
    since = day_of("since", since)
    passed = np.arange(-lead, days)
    factors: np.ndarray = np.array(truth.weekdays)[(passed + since.weekday()) % 7] * 7 / sum(truth.weekdays)
    if truth.half_life is not None:
        factors = factors * 0.5 ** (np.maximum(passed, 0) / truth.half_life)
    if truth.change is not None:
        factors = np.where(passed >= (day_of("change", truth.change) - since).days, factors * truth.effect, factors)
    return factors


def day_of(name: str, given: date) -> date:
    """Return a date as it is, and the date of a datetime.

    Args:
        name: Name of the parameter, for the error.
    """
    if not isinstance(given, date) or given != given:  # NaT is a datetime that does not equal itself
        raise InvalidParameter(Problem(name, given, "must be a date or a datetime", "wrong-type"))
    return given.date() if isinstance(given, datetime) else given


def _lead(truth: Truth) -> int:
    """Return how many days before its first day a simulation must start."""
    events = LIVES * truth.event_half_life if truth.events else 0
    offspring = RELAXATIONS * truth.offspring_half_life / log(2) / (1 - truth.offspring) if truth.offspring else 0
    return ceil(max(events, offspring))


def _random_factors(random: np.random.Generator, shape: tuple[int, int], truth: Truth) -> np.ndarray:
    """Return random factors of the rate with mean 1, codes x days."""
    factors: np.ndarray = np.ones(shape)
    if truth.unrest:
        factors = factors * random.gamma(1 / truth.unrest, truth.unrest, shape)
    if truth.log_sd:
        noise = random.standard_normal(shape)
        noise[:, 1:] *= sqrt(1 - truth.log_correlation**2)
        factors = factors * np.exp(truth.log_sd * _remembered(noise, truth.log_correlation) - truth.log_sd**2 / 2)
    if truth.events:
        begins = random.random(shape) < truth.events
        sizes = random.lognormal(-(truth.event_log_sd**2) / 2, truth.event_log_sd, shape) * truth.event_size
        kept = 0.5 ** (1 / truth.event_half_life)
        factors = factors * (1 + _remembered((1 - kept) * begins * sizes, kept)) / (1 + truth.events * truth.event_size)
    return factors


def _remembered(values: np.ndarray, kept: float) -> np.ndarray:
    """Add to each value a share of the result for the day before."""
    sums = values.copy()
    for day in range(1, values.shape[1]):
        sums[:, day] += kept * sums[:, day - 1]
    return sums


def _memory(truth: Truth) -> Memory:
    """Return the days on which offspring come if a scan may happen at any hour and their delays are exponential."""
    decay = log(2) / truth.offspring_half_life
    kept = exp(-decay)
    later = (1 - kept) / decay
    return Memory(truth.offspring * (1 - later), truth.offspring * later * (1 - kept), kept)


def _self_exciting(random: np.random.Generator, means: np.ndarray, calendar: np.ndarray, truth: Truth) -> np.ndarray:
    """Return arrivals, codes x days, of which earlier arrivals set off a share.

    Offspring, too, follow the calendar: they are relative to the calendar's factor on the day of their parent. So the
    mean of each day is its rate, and there are none on days without a rate.
    """
    memory = _memory(truth)
    arrivals = np.empty(means.shape, dtype="int64")
    # The mean of what earlier days set off; every random factor has the mean 1.
    excited = means.mean(axis=1) * memory.next_day / (1 - memory.kept)
    for day, factor in enumerate(calendar):
        expected = (1 - truth.offspring) * means[:, day] + excited
        newest = random.poisson(factor * expected)
        arrivals[:, day] = newest
        while newest.any():
            newest = random.poisson(memory.own_day * newest)
            arrivals[:, day] += newest
        relative = arrivals[:, day] / factor if factor else expected / (1 - memory.own_day)
        excited = memory.kept * excited + memory.next_day * relative
    return arrivals


def _by_size(random: np.random.Generator, arrivals: np.ndarray, truth: Truth) -> np.ndarray:
    """Divide arrivals at random among equally likely group sizes: sizes x codes x days."""
    smallest, largest = truth.groups
    numbers = []
    for sizes_left in range(largest - smallest + 1, 1, -1):
        chosen = random.binomial(arrivals, 1 / sizes_left)
        numbers.append(chosen)
        arrivals = arrivals - chosen
    return np.stack([*numbers, arrivals])
