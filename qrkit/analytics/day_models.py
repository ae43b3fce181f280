"""Tells whether scans have been growing or falling all the time, so that two halves differ although nothing changed.

A trend is a slope of the logarithm of the scans on the days of both sides of a change, each around a level of its own:
a step between the sides is no trend. It counts if it is more than three standard errors from none; these allow for days
that depend on the days before them (`qrkit.analytics.long_run_spread`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from math import expm1, nan, sqrt

from qrkit.analytics.daily_spread import TWO_WEEKS, span_of
from qrkit.analytics.long_run_spread import Side, long_run_spread

__all__ = ["weekly_trend"]

ERRORS = 3.0
"""Standard errors from which on a slope counts."""
LEVEL = 0.68
"""Level of one standard error."""
ROUNDS = 12
"""Newton's steps until the fit is exact."""
FEWEST_SCANS = 20
STEEPEST = 0.5
"""Maximum slope of the logarithm per day."""


def weekly_trend(sides: Sequence[Mapping[date, int]]) -> float:
    """Return by how much scans change each week on both sides, such as 0.07 for 7% more; NaN without a clear trend.

    Args:
        sides: Scans by day before and after a change, in the order of time, each of two weeks or more.
    """
    import numpy as np

    if min(map(span_of, sides)) < TWO_WEEKS or min(sum(days.values()) for days in sides) < FEWEST_SCANS:
        return nan
    days = [day.toordinal() for side in sides for day in side]
    seen = np.array([number for side in sides for number in side.values()], dtype="float64")
    is_after = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
    times = np.array(days, dtype="float64") - np.mean(days)
    columns = np.column_stack([*(is_after == side for side in range(len(sides))), times]).astype("float64")
    fitted = np.append([np.log(seen[is_after == side].mean()) for side in range(len(sides))], 0.0)
    for _ in range(ROUNDS):
        means = np.exp(np.clip(columns @ fitted, -20, 20))
        information = columns.T @ (means[:, None] * columns)
        fitted = fitted + np.clip(np.linalg.solve(information, columns.T @ (seen - means)), -1, 1)
        fitted[-1] = np.clip(fitted[-1], -STEEPEST, STEEPEST)
    weekdays = np.array([day.weekday() for side in sides for day in side])
    residuals = (seen - means) / np.sqrt(means)
    parts = [Side(residuals[is_after == side], weekdays[is_after == side]) for side in range(len(sides))]
    width = max(1.0, long_run_spread(parts, LEVEL).variance)
    error = sqrt(width * np.linalg.inv(information)[-1, -1])
    slope = float(fitted[-1])
    return expm1(7 * slope) if abs(slope) > ERRORS * error else nan
