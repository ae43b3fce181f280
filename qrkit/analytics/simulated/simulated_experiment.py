"""Simulates experiments whose truth is known, to try what they tell, and how often they would be wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import sqrt

import numpy as np
import pandas as pd

from qrkit.errors import InvalidParameter, Problem
from qrkit.tracking.text_columns import with_dtypes

VISIT_TYPES = {"start": "datetime64[us, UTC]", "stratum": "Int64", "variant": "str", "converted": "boolean"}
VISIT_TYPES |= {"value": "Float64"}
WEIGHT_TYPES = {"stratum": "Int64", "since": "datetime64[us, UTC]", "variant": "str", "share": "float64"}
MOST_VISITORS = 10_000_000
START = datetime(2026, 1, 1, tzinfo=UTC)
MEMORY = 0.8
"""How much of the mood of a day the next day has."""
LOG_SD = 0.5
"""Standard deviation of the logarithm of what conversions are worth."""


@dataclass(frozen=True)
class SimulatedExperiment:
    """The visitors of a simulated experiment; functions of `analytics` take it instead of a portfolio.

    Attributes:
        visits: The visitor-days as `Portfolio.split_visits` returns them, but for pending.
        weights: The weights as `Portfolio.split_weights` returns them.
        until: The end of the simulation.
    """

    visits: pd.DataFrame
    weights: pd.DataFrame
    until: datetime

    def split_visits(
        self, code: str, *, within: str | timedelta = "24h", conversion: str | None = None
    ) -> pd.DataFrame:
        """Return the visitor-days, as `Portfolio.split_visits` does.

        Columns: start, stratum, variant, converted, value, pending.

        Args:
            code: Any code.
            within: The visitor-days of this last time are pending; all conversions are in time.
            conversion: Any name.
        """
        pending = self.visits["start"] + pd.Timedelta(within) > self.until
        return self.visits.assign(pending=pending.astype("boolean"))

    def split_weights(self, code: str) -> pd.DataFrame:
        """Return the weights, as `Portfolio.split_weights` does.

        Columns: stratum, since, variant, share.
        """
        return self.weights


def simulate_experiment(
    rates: Mapping[str, float],
    *,
    visitors_a_day: float,
    days: int,
    weights: Mapping[int, Mapping[str, float]] | None = None,
    mood: float = 0.0,
    drift: float = 0.0,
    value: float = 20.0,
    seed: int = 0,
) -> SimulatedExperiment:
    """Return a simulated experiment that began on 1 January 2026. The same arguments give the same.

    Analytics take it in place of a portfolio, with any code: `experiment(simulate_experiment(…), "door")`.

    Args:
        rates: The true rate of conversion by variant, 0..1.
        visitors_a_day: Mean visitor-days a day, all variants together.
        days: Number of days, 1 or more.
        weights: Weights by variant, by the number of the day from which they hold, such as {0: {"A": 9, "B": 1}, 30:
            {"A": 1, "B": 1}}; None for equal ones. A variant without a weight gets nobody.
        mood: How much days differ for all variants alike: standard deviation of the logarithm of the rates. Each
            day resembles the day before.
        drift: By how much the rates have grown at the end, such as 1.0 for twice the rates, or -0.5 for half of them.
        value: Mean worth of a conversion; most are worth half to twice as much.
        seed: 0 or more.

    Raises:
        InvalidParameter: If there are fewer than 1 or more than 10 million visitors, if a rate is out of range, or if
            the first weights do not hold from day 0 on.
    """
    given = weights or {0: dict.fromkeys(rates, 1.0)}
    names, changes, levels = list(rates), sorted(given), np.array(list(rates.values()))
    bounds = [("days", visitors_a_day * days, 1, MOST_VISITORS), ("weights", changes[0], 0, 0)]
    for name, number, least, most in bounds + [("rates", rate, 0, 1) for rate in levels]:
        if not least <= number <= most:
            raise InvalidParameter(Problem(name, number, f"must give {least}..{most:,}", "out-of-range"))
    shares = np.array([[given[change].get(name, 0.0) for name in names] for change in changes], dtype="float64")
    shares /= shares.sum(axis=1, keepdims=True)
    random = np.random.default_rng(seed)
    moods = random.standard_normal(days) * mood
    for number in range(1, days):
        moods[number] = MEMORY * moods[number - 1] + sqrt(1 - MEMORY**2) * moods[number]
    factors = np.exp(moods) * np.linspace(1, 1 + drift, days)
    time = np.sort(random.uniform(0, days, random.poisson(visitors_a_day * days)))
    stratum, number = np.searchsorted(changes, time, side="right") - 1, len(time)
    drawn = (random.random(number)[:, None] > shares.cumsum(axis=1)[stratum][:, :-1]).sum(axis=1)
    visits = pd.DataFrame({"start": START + pd.to_timedelta(time, unit="D"), "stratum": stratum})
    visits["variant"] = np.array(names, dtype=object)[drawn]
    visits["converted"] = random.random(number) < levels[drawn] * factors[time.astype("int64")]
    visits["value"] = visits["converted"] * value * random.lognormal(-(LOG_SD**2) / 2, LOG_SD, number)
    since_each = [START + pd.Timedelta(days=change) for change in changes]
    known = pd.DataFrame(shares, columns=names).assign(stratum=range(len(changes)), since=since_each)
    known = known.melt(["stratum", "since"], names, "variant", "share").sort_values("stratum", kind="stable")
    weighed = with_dtypes(known.reset_index(drop=True), WEIGHT_TYPES)
    return SimulatedExperiment(with_dtypes(visits, VISIT_TYPES), weighed, START + pd.Timedelta(days=days))
