"""Estimates the level that a series of days has now, and how it may move: a mixture of exponentially weighted means.

A code can keep its level for months, fade out after a launch, grow, or die from one day to the next. No single memory
suits them all, so several are used, with half-lives from half a week to infinity. Each predicts every day from the days
before it, and is weighted by how likely that made the days (negative binomial, with an exponent below 1, because days
that depend on each other say less). A short memory that predicts well shows that the level moves; it then goes on to
move: its logarithm is a random walk whose steps are as large as those for which this memory would be the best one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qrkit.analytics.distributions import negative_binomial_log_probability
from qrkit.analytics.long_run_spread import Side, long_run_spread

HALF_LIVES = (3.5, 7.0, 14.0, 28.0, 56.0, 112.0)
"""Days after which a day counts half. One more memory never forgets."""
EXPONENT = 0.35
PRIOR = 0.5
"""Scans that each memory begins with."""
UNJUDGED = 7
"""Number of first days whose predictions show little."""
STEPS = 1.5
"""The variance of the walk, relative to that for which a memory is the best one: levels move unevenly."""
MOST_STEP, MOST_WALK = 0.03, 1.0
"""Maximum variance of the logarithm of the level, gained on one day and in all."""
NEAR_POISSON = 1e-6


class Ahead(NamedTuple):
    """Expected scans and their variances: of each day ahead, and of the sum of all days up to it; float64 arrays."""

    days: np.ndarray
    days_variance: np.ndarray
    totals: np.ndarray
    totals_variance: np.ndarray


class RecentLevel(NamedTuple):
    """What the days tell about the level after them. The arrays have an entry for each memory.

    Attributes:
        levels: Scans per day, relative to the factors of the days.
        weights: Weight of each memory; their sum is 1.
        errors: Variance of each level, relative to its square.
        steps: Variance that the logarithm of the level gains on each day.
        spread: Ratio of the variance of a day to its mean, 1 or more.
        long_run: The same in the long run; see `qrkit.analytics.long_run_spread`.
    """

    levels: np.ndarray
    weights: np.ndarray
    errors: np.ndarray
    steps: np.ndarray
    spread: float
    long_run: float

    def ahead(self, factors: np.ndarray) -> Ahead:
        """Predict the days after the last one, given their factors."""
        days = np.arange(1, len(factors) + 1)
        walks = np.exp(np.minimum(days * self.steps[:, None], MOST_WALK))
        means = self.levels[:, None] * factors
        grown = (1 + self.errors[:, None]) * means**2 * walks
        # The level of a later day is that of an earlier one, moved on: they share the walk up to the earlier day.
        earlier = np.cumsum(means * walks, axis=1) - means * walks
        sums = np.cumsum(means, axis=1)
        squares = np.cumsum(grown + 2 * (1 + self.errors[:, None]) * means * earlier, axis=1)
        mean, total = self.weights @ means, self.weights @ sums
        noise = self.spread * mean
        return Ahead(
            mean,
            np.maximum(self.weights @ grown - mean**2, 0) + noise,
            total,
            np.maximum(self.weights @ squares - total**2, 0) + np.cumsum(noise),
        )


def recent_level(numbers: np.ndarray, weekdays: np.ndarray, factors: np.ndarray, level: float) -> RecentLevel:
    """Return the level after some days, two weeks or more.

    The numbers are scans of each day, in order; weekdays are 0 to 6. Factors, above 0, are what the scans of each day
    are expected to be, relative to the level. `level` is that of the intervals made with the result.
    """
    kept = np.append(0.5 ** (1 / np.array(HALF_LIVES)), 1.0)
    mean = (numbers.sum() + PRIOR) / len(numbers)
    scans, days = np.full(len(kept), PRIOR), np.full(len(kept), PRIOR / mean)
    predicted = np.empty((len(numbers), len(kept)))
    for place, (number, factor) in enumerate(zip(numbers, factors, strict=True)):
        predicted[place] = scans / days * factor
        scans, days = kept * scans + number, kept * days + factor
    judged, seen = predicted[UNJUDGED:], numbers[UNJUDGED:, None]
    spread = max(1.0, float(((seen - judged) ** 2 / judged).mean(axis=0).min()))
    beyond = max(spread - 1, NEAR_POISSON)
    logs = negative_binomial_log_probability(seen, judged / beyond, np.full_like(judged, 1 / (1 + beyond))).sum(axis=0)
    weights = np.exp(EXPONENT * (logs - logs.max()))
    weights /= weights.sum()
    expected = judged @ weights
    residuals = (seen[:, 0] - expected) / np.sqrt(expected)
    long_run = max(spread, long_run_spread([Side(residuals, weekdays[UNJUDGED:])], level).variance)
    levels, forgotten = scans / days, 1 - kept
    worth = np.minimum(len(numbers), (1 + kept) / np.maximum(forgotten, NEAR_POISSON))
    steps = np.minimum(STEPS * forgotten**2 / kept * spread / np.maximum(levels, PRIOR / len(numbers)), MOST_STEP)
    return RecentLevel(levels, weights, long_run / (levels * worth), steps, spread, long_run)
