"""Finds unusual days: days with far more or fewer scans than the days around them suggest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from qrkit.analytics.daily_spread import TWO_WEEKS, check_share, counts, whole_days
from qrkit.analytics.distributions import (
    negative_binomial_at_least,
    negative_binomial_at_most,
    normal_from_student,
    student_from_normal,
)
from qrkit.analytics.time_zones import takes_time_zone
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = ["unusual_days"]

AROUND = 28
"""Days on each side that determine what is expected of a day: four of each weekday."""
MOST_ROUNDS = 20
"""Maximum number of times that the remaining days are evaluated again without the unusual ones."""
MOST_STEPS = 30
PRIOR = 0.5
"""Scans added to all days together: even if no day had a scan, some may still come."""
DOUBT = 0.25
"""Prior precision (1 / variance) of the weekday effects and the trend, so that Sundays without a single scan so far are
not expected to stay at exactly zero."""


class Expected(NamedTuple):
    """The prediction for one day.

    Attributes:
        mean: Expected scans.
        variance: Variance of the scans, including the uncertainty of the mean.
        freedom: Degrees of freedom of the variance.
    """

    mean: float
    variance: float
    freedom: int


@takes_time_zone
def unusual_days(scans: Scans, *, alarm: float = 0.05) -> pd.DataFrame:
    """Return every whole day of a view with its expected scans, and whether it was unusual.

    The expectation for a day comes from the surrounding days (up to 56), excluding the day itself. A quasi-Poisson
    regression fits the level, trend and weekdays of these days. Their variance is measured, and the day is compared
    with a negative binomial distribution of that variance. Unusual days are left out when the remaining days are
    evaluated again, so that one extreme day does not hide another. Several high days in a row, such as before an event,
    can still hide one another in a view of a month.

    Columns: day (datetime64[us], a day in the view's time zone), scans (int64), expected, low, high (float64; a usual
    day lies between low and high), chance (float64, 0..1, probability that a usual day is at least this far off),
    is_unusual (bool).

    Args:
        scans: The view. Only its whole days count; without `since` or `until`, the days between its first and last
            scan.
        alarm: Probability of a false alarm in the whole view, above 0 and below 1: if nothing happened, about this
            share of views has at least one day reported as unusual. The actual share is lower if days vary little, and
            up to twice as high if they vary a lot.

    Raises:
        InvalidParameter: If the view has fewer than 14 whole days, or if `alarm` is not above 0 and below 1.
    """
    import numpy as np
    import pandas as pd

    alarm = check_share("alarm", alarm)
    days = counts(scans, whole_days([scans])[0])
    if len(days) < TWO_WEEKS:
        rule = f"has {len(days)} whole days; {TWO_WEEKS} or more tell what is usual"
        raise InvalidParameter(Problem("scans", None, rule))
    numbers = np.array(list(days.values()), dtype="float64")
    tail = alarm / len(days) / 2
    usual = np.ones(len(days), dtype=bool)
    for _ in range(MOST_ROUNDS):
        expected = _expected(list(days), numbers, usual)
        chances = np.array([_chance(*pair) for pair in zip(numbers, expected, strict=True)])
        still_usual = usual & (chances > 2 * tail)
        if still_usual.all() or (still_usual == usual).all():
            break
        usual = still_usual
    bounds = [_bounds(prediction, tail) for prediction in expected]
    return pd.DataFrame(
        {
            "day": pd.Series(list(days), dtype="datetime64[us]"),
            "scans": numbers.astype("int64"),
            "expected": [prediction.mean for prediction in expected],
            "low": [low for low, _ in bounds],
            "high": [high for _, high in bounds],
            "chance": chances,
            "is_unusual": chances <= 2 * tail,
        }
    )


def _expected(days: Sequence[date], numbers: np.ndarray, usual: np.ndarray) -> list[Expected]:
    """Predict each day from the usual days around it."""
    import numpy as np

    places = np.arange(len(days))
    columns = [np.ones(len(days)), (places - len(days) / 2) / AROUND]
    columns += [np.array([float(day.weekday() == number) for day in days]) for number in range(7)]
    table = np.column_stack(columns)
    predictions = []
    for place in places:
        others = np.flatnonzero(usual & (places != place))
        nearest = others[np.argsort(np.abs(others - place), kind="stable")[: 2 * AROUND]]
        predictions.append(_predict(table[nearest], numbers[nearest], table[place]))
    return predictions


def _predict(table: np.ndarray, numbers: np.ndarray, row: np.ndarray) -> Expected:
    """Fit a quasi-Poisson regression of `numbers` on `table`, and predict the number of one more row."""
    import numpy as np

    numbers = numbers + PRIOR / len(numbers)
    doubt = np.diag([0.0, *[DOUBT] * (table.shape[1] - 1)])
    weights = np.array([np.log(numbers.mean()), *[0.0] * (table.shape[1] - 1)])
    for _ in range(MOST_STEPS):
        means = np.exp(np.clip(table @ weights, -30, 30))
        precision = table.T @ (table * means[:, None]) + doubt
        step = np.linalg.solve(precision, table.T @ (numbers - means) - doubt @ weights)
        weights = weights + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-8:
            break
    means = np.exp(np.clip(table @ weights, -30, 30))
    precision = table.T @ (table * means[:, None]) + doubt
    fitted = float(np.trace(np.linalg.solve(precision, precision - doubt)))
    freedom = max(len(numbers) - round(fitted), 1)
    spread = max(1.0, float(((numbers - means) ** 2 / means).sum()) / freedom)
    mean = float(np.exp(np.clip(row @ weights, -30, 30)))
    doubtful = spread * float(row @ np.linalg.solve(precision, row))
    return Expected(mean, spread * mean + mean**2 * doubtful, freedom)


def _chance(number: float, expected: Expected) -> float:
    """Return the two-sided probability that a usual day is at least as far off as `number`."""
    shape, share = _negative_binomial(expected)
    at_most = negative_binomial_at_most(number, shape, share)
    at_least = negative_binomial_at_least(number, shape, share)
    return min(1.0, 2 * min(_student_t_probability(at_most, expected), _student_t_probability(at_least, expected)))


def _student_t_probability(chance: float, expected: Expected) -> float:
    """Convert a tail probability from the normal distribution to Student's t: the variance is only an estimate."""
    return student_from_normal(chance, expected.freedom) if 0 < chance < 1 else chance


def _bounds(expected: Expected, tail: float) -> tuple[float, float]:
    """Return the lowest and highest number of scans of a usual day."""
    shape, share = _negative_binomial(expected)
    beyond = normal_from_student(tail, expected.freedom)
    low, high = (_quantile(chance, shape, share, expected) for chance in (beyond, 1 - beyond))
    return low, high


def _quantile(chance: float, shape: float, share: float, expected: Expected) -> float:
    """Return a quantile of the negative binomial distribution: the smallest number reached with this probability."""
    low, high = -1, int(expected.mean + 1)
    while negative_binomial_at_most(high, shape, share) < chance:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if negative_binomial_at_most(middle, shape, share) >= chance else (middle, high)
    return float(high)


def _negative_binomial(expected: Expected) -> tuple[float, float]:
    """Return shape and success probability of the negative binomial distribution with this mean and variance."""
    # A variance equal to the mean would be a Poisson distribution, the limit of an infinite shape.
    beyond = max(expected.variance - expected.mean, expected.mean * 1e-6)
    return expected.mean**2 / beyond, expected.mean / (expected.mean + beyond)
