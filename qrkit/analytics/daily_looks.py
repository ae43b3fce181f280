"""Computes the level for a comparison that is looked at every day, so that one look too many raises no false alarm.

A 95% interval is for one look at a day fixed beforehand. If you look every day, and stop as soon as a difference
shows, you see one that is not there far more often than in 5 of 100 cases. The intervals here are wider, so that all
looks together keep the rate of false alarms, however long they go on. They can be that narrow because the days before
the change are a fixed number: the information about the change, 1 / (1 / days after + 1 / days before), is bounded. The
boundary is that of Brownian motion over logarithmic time (Siegmund, Sequential Analysis, 1985, chapter 4).
"""

from __future__ import annotations

from math import log
from statistics import NormalDist

from qrkit.analytics.daily_spread import TWO_WEEKS

__all__ = ["level_of_each_look"]

STEPS = 60
"""Bisections until the level is exact to the last bits."""
FARTHEST = 20.0
"""Standard deviations beyond which a normal variable never lies."""


def level_of_each_look(days_before: int, level: float) -> float:
    """Return the level of one look, so that the looks of all days together have the given level.

    The first look is two weeks after the change.

    Args:
        days_before: Number of days before the change, 1 or more.
        level: Probability that no look at any time finds a difference if there is none, above 0 and below 1.
    """
    normal = NormalDist()
    # Information at the first look and at the end of all days, on a logarithmic scale.
    time = log((TWO_WEEKS + days_before) / TWO_WEEKS) / 2
    low, high = 0.0, FARTHEST
    for _ in range(STEPS):
        bound = (low + high) / 2
        alarm = 2 * (1 - normal.cdf(bound)) + 2 * bound * normal.pdf(bound) * time
        low, high = (bound, high) if alarm > 1 - level or bound < 1 else (low, bound)
    return 2 * normal.cdf(high) - 1
