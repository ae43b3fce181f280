"""Computes intervals of a comparison of two variants that hold at every look, however often it is looked at.

By ratio: a visitor who converts had the second variant with a probability that follows from the weights and from the
ratio of the two rates of conversion, and from nothing else. So weather, bursts and seasons cancel out, and the interval
is exact for a ratio that does not change: it holds all ratios against which a fixed mixture of ratios has not gained
more than 1 / alpha (Ville's inequality).

By difference: every visitor counts, by the value relative to the mean of the visitors before and divided by the
probability of the variant. The sums form a martingale, and an asymptotic confidence sequence (Waudby-Smith and others,
2021) surrounds their mean. It is for values, and for rates above a fifth, where it is shorter.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

FARTHEST = 4.0
"""Logarithm of the largest ratio that is considered; beyond it, an interval is open."""
PRIORS = (0.2, 0.7)
"""Standard deviations of the logarithm of a ratio in the two halves of the mixture."""
BISECTIONS, TINY = 30, 1e-12
TUNED_FOR = 5_000
"""Number of visitors at which a confidence sequence of differences is shortest."""
FEWEST = 200
"""Minimum number of visitors, as many as would vary as much if all counted alike, for sums to be nearly normal."""


class Intervals(NamedTuple):
    """An estimate with its interval at each look: arrays of one value per look.

    Attributes:
        effect: Logarithm of the ratio, or the difference.
        low: Lower end of the interval; -inf for none, as `high` is inf.
        error: Standard deviation of the effect as it is known at this look.
        probability: Probability that the effect is above 0.
    """

    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray
    error: np.ndarray
    probability: np.ndarray


def ratio_sequence(
    first: np.ndarray, second: np.ndarray, log_odds: np.ndarray, alpha: float, *, step: float = 0.025
) -> Intervals:
    """Return the logarithm of the ratio of two rates of conversion.

    Args:
        first: Visitors of the first variant who have converted up to each look: looks x strata; `second` likewise.
        log_odds: Logarithm of the weight of the second divided by that of the first, for each stratum.
        alpha: Probability that the interval is ever wrong.
        step: Distance of the ratios that are mixed; below the standard error for a precise effect.
    """
    grid = np.arange(-FARTHEST, FARTHEST + step / 2, step)
    prior = np.log(sum(np.exp(-0.5 * (grid / sd) ** 2) / sd for sd in PRIORS))
    tilted = grid + log_odds[:, None]
    joint = prior - np.logaddexp.reduce(prior) - second @ np.logaddexp(0, -tilted) - first @ np.logaddexp(0, tilted)
    best = joint.max(axis=1)
    posterior = np.exp(joint - best[:, None])
    mass = posterior.sum(axis=1)
    posterior, total = posterior / mass[:, None], best + np.log(mass)
    effect = posterior @ grid
    error = np.sqrt(np.maximum(posterior @ grid**2 - effect**2, TINY))
    probability = posterior @ ((np.sign(grid.round(9)) + 1) / 2)

    def likelihood(at: np.ndarray) -> np.ndarray:
        tilted = at[:, None] + log_odds
        found: np.ndarray = -(second * np.logaddexp(0, -tilted) + first * np.logaddexp(0, tilted)).sum(axis=1)
        return found

    likely, least = grid[(joint - prior).argmax(axis=1)], total + np.log(alpha)
    ends = []
    for farthest in (-FARTHEST, FARTHEST):
        inside, outside = likely, np.full(len(likely), farthest)
        is_open = likelihood(outside) > least
        for _ in range(BISECTIONS):
            middle = (inside + outside) / 2
            is_in = likelihood(middle) > least
            inside, outside = np.where(is_in, middle, inside), np.where(is_in, outside, middle)
        ends.append(np.where(is_open, np.sign(farthest) * np.inf, outside))
    return Intervals(effect, ends[0], ends[1], error, probability)


def difference_sequence(
    values: np.ndarray, is_second: np.ndarray, share: np.ndarray, looks: np.ndarray, alpha: float
) -> tuple[Intervals, np.ndarray]:
    """Return the difference of two mean values, and of how many visitors' worth it is at each look.

    Args:
        values: The value of each visitor, in the order of their time.
        share: Probability of the second variant for each visitor, above 0 and below 1.
        looks: Number of visitors at each look.
        alpha: Probability that the interval is ever wrong.
    """
    before = np.cumsum(values) - values
    before = before / np.arange(len(values)).clip(1)
    gains = (values - before) * np.where(is_second, 1 / share, -1 / (1 - share))
    sums, squares, fourth = (np.append(0, np.cumsum(gains**power))[looks] for power in (1, 2, 4))
    looks = looks.clip(1)
    effect = sums / looks
    variance = np.maximum(squares / looks - effect**2, TINY)
    far, error = radius(variance, looks, alpha), np.sqrt(variance / looks)
    worth = squares**2 / np.where(fourth > 0, fourth, 1)
    normal = NormalDist()
    probability = np.array([normal.cdf(one / sd) for one, sd in zip(effect, error, strict=True)])
    return Intervals(effect, effect - far, effect + far, error, probability), worth


def radius(variance: np.ndarray | float, number: np.ndarray, alpha: float) -> np.ndarray:
    """Return half the width of a confidence sequence of means of `number` values of this variance."""
    tuned = (2 * np.log(1 / alpha) + np.log(2 * np.log(1 / alpha) + 1)) / TUNED_FOR
    grown = number * tuned + 1
    found: np.ndarray = np.sqrt(variance * 2 * grown / (number**2 * tuned) * np.log(np.sqrt(grown) / alpha))
    return found
