"""Worlds in which intervals and alarms have to hold: simulated days whose true rate is known."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from qrkit.analytics import Truth
from qrkit.analytics.simulated.simulated import daily_groups

MONDAY = date(2026, 3, 2)
WEEK = (1.1, 1.0, 1.0, 1.1, 1.2, 0.9, 0.5)
RARE = {"events": 1 / 14, "event_size": 6.0}

INDEPENDENT = {
    "Poisson": Truth(),
    "negative binomial, 10": Truth(unrest=1 / 10, shared=False),
    "negative binomial, 3": Truth(unrest=1 / 3, shared=False),
    "negative binomial, 1": Truth(unrest=1.0, shared=False),
    "negative binomial, 0.3": Truth(unrest=1 / 0.3, shared=False),
    "groups of 2 to 5": Truth(groups=(2, 5)),
    "weekdays": Truth(weekdays=WEEK),
    "weekdays, negative binomial, 3": Truth(weekdays=WEEK, unrest=1 / 3, shared=False),
}
MODERATE = {
    "AR(1), 0.3": Truth(log_sd=0.4, log_correlation=0.3, shared=False),
    "AR(1), 0.5": Truth(log_sd=0.4, log_correlation=0.5, shared=False),
    "self-exciting, half a day": Truth(offspring=0.5, offspring_half_life=0.5),
    "self-exciting, 1 day": Truth(offspring=0.5, offspring_half_life=1.0),
}
STRONG = {
    "AR(1), 0.8": Truth(log_sd=0.4, log_correlation=0.8, shared=False),
    "self-exciting, 3 days": Truth(offspring=0.5, offspring_half_life=3.0),
}
EVENTS = {
    "rare events, half a day": Truth(**RARE, event_half_life=0.5, shared=False),
    "rare events, 1 day": Truth(**RARE, event_half_life=1.0, shared=False),
    "rare events, 3 days": Truth(**RARE, event_half_life=3.0, shared=False),
}
GROUPS = {"independent": INDEPENDENT, "moderate": MODERATE, "strong": STRONG, "rare events": EVENTS}
"""Worlds by how strongly days depend on each other. Each code has days of its own, which is the hard case."""


MOVING = ("dead", "decay", "growth", "late start")
"""Worlds whose level at the end is not that of the weeks before."""


def moving_counts(world: str, rate: float, days: int, ahead: int, random: np.random.Generator) -> np.ndarray:
    """The scans of one code on some days and on those ahead of them.

    It died three weeks before the end, fades with a half-life of 28 days, grows by 1% a day, or began five weeks ago.
    """
    passed = np.arange(days + ahead)
    level = {
        "dead": np.where(passed < days - 21, 1.0, 0.0),
        "decay": 3 * 0.5 ** (passed / 28),
        "growth": 1.01**passed,
        "late start": np.where(passed < days - 35, 0.0, 1.0),
    }[world]
    return random.poisson(rate * level * random.gamma(10, 1 / 10, days + ahead))


TURBULENT = (
    "growth and weekdays", "holidays", "launch", "death", "zero-inflated", "regimes", "viral day", "late start",
    "night batches", "season", "outage",
)  # fmt: skip
"""Worlds with something that no model of ours has in it."""
BATCH = 20
"""Scans that come at once, in the night."""


def turbulent_levels(world: str, days: int, random: np.random.Generator) -> np.ndarray:
    """The level of each day, relative to a rate whose truth is `turbulent_truth` of these levels."""
    passed, place = np.arange(days), int(random.integers(days - 3))
    flat = np.ones(days)
    return {
        "growth and weekdays": lambda: 1.01**passed * np.array(WEEK)[passed % 7] / np.mean(WEEK),
        "holidays": lambda: np.where(random.random(days) < 1 / 30, 0.3, 1.0),
        "launch": lambda: 1 + 4 * 0.5 ** (passed / 10),
        "death": lambda: np.where(passed < 3 * days // 4, 1.0, 0.0),
        "zero-inflated": lambda: (random.random(days) < 0.7) / 0.7,
        "regimes": lambda: np.where((np.cumsum(random.random(days) < 0.1) + random.integers(2)) % 2, 1.6, 0.4),
        "viral day": lambda: np.where(passed == place, 20.0, 1.0),
        "late start": lambda: np.where(passed < days // 3, 0.0, 1.0),
        "season": lambda: 1 + 0.5 * np.sin(2 * np.pi * (passed / 364 + random.random())),
        "outage": lambda: np.where((passed >= place) & (passed < place + 3), 0.0, 1.0),
    }.get(world, lambda: flat)()


def turbulent_truth(world: str, levels: np.ndarray) -> float:
    """What an interval for the rate should contain, relative to the rate."""
    return 1.0 if world in ("viral day", "outage", "late start", "zero-inflated", "regimes") else float(levels.mean())


def turbulent_counts(world: str, rate: float, levels: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The scans of each day: negative binomial around the levels, or half of them in batches."""
    counts = random.poisson(rate * levels * random.gamma(10, 1 / 10, len(levels)))
    if world == "night batches":
        counts = random.binomial(counts, 0.5) + BATCH * random.poisson(rate / 2 / BATCH, len(levels))
    return counts


def daily_counts(
    rates: Sequence[float], since: date, days: int, *, random: np.random.Generator, truth: Truth
) -> np.ndarray:
    """The number of scans of each code on each day: int64, codes x days; see `daily_groups`."""
    smallest, largest = truth.groups
    groups = daily_groups(rates, since, days, random=random, truth=truth)
    return np.einsum("s,sij->ij", np.arange(smallest, largest + 1), groups)


class Posters(NamedTuple):
    """Two groups of posters in places of their own, before and after the designs of the second group change.

    Attributes:
        number: Posters in each group.
        per_day: Scans of a poster per day in the mean over places.
        shift: Standard deviation of the logarithm by which each poster changes for itself.
        ratio: Effect of the second design.
        places: Standard deviation of the logarithm of the rates of places.
        days: Days before the change, and as many after it.
    """

    number: int
    per_day: float
    shift: float
    ratio: float = 1.0
    places: float = 0.7
    days: int = 28


def poster_counts(world: Posters, random: np.random.Generator) -> np.ndarray:
    """The scans of each poster before and after: int64, 2 groups x posters x 2 sides. All posters share the weather."""
    weather = np.exp(0.4 * _autoregressive(random, 2 * world.days, 0.8)).reshape(2, world.days)
    shape = (2, world.number)
    rates = world.per_day * random.lognormal(-(world.places**2) / 2, world.places, shape)
    changes = np.exp(world.shift * random.standard_normal(shape)) * np.array([1.0, world.ratio])[:, None]
    means = np.stack([rates, rates * changes], axis=2)[..., None] * weather
    return random.poisson(means * random.gamma(3, 1 / 3, means.shape)).sum(axis=3)


def _autoregressive(random: np.random.Generator, days: int, correlation: float) -> np.ndarray:
    values = random.standard_normal(days)
    for day in range(1, days):
        values[day] = correlation * values[day - 1] + np.sqrt(1 - correlation**2) * values[day]
    return values


def histories(truth: Truth, rate: float, days: int, number: int, seed: int) -> Iterator[dict[date, int]]:
    """Give the scans by day of a number of codes, all with the same true rate."""
    random = np.random.default_rng(seed)
    dates = [MONDAY + timedelta(days=day) for day in range(days)]
    for row in daily_counts([rate] * number, MONDAY, days, random=random, truth=truth).tolist():
        yield dict(zip(dates, row, strict=True))
