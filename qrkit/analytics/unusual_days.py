"""Days on which something happened: far more or fewer scans than the days around them let expect."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from qrkit.analytics.daily_spread import TWO_WEEKS, check_share, counts, whole_days
from qrkit.analytics.time_zones import zone_of
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = ["unusual_days"]

AROUND = 28
"""Days on each side that tell what a day should be like: four of each weekday."""
MOST_ROUNDS = 20
"""How often the rest is judged anew without what was found."""
MOST_STEPS = 30
PRIOR = 0.5
"""Scans that are added to all days together: where there was none, some may come all the same."""
DOUBT = 0.25
"""1 / variance of the effects of weekdays and of the trend before anything is known: Sundays that never had a scan are
not expected to never have any."""


class Expected(NamedTuple):
    """What is expected of a day.

    Attributes:
        mean: Scans.
        variance: Of its scans, the doubt about the mean included.
        freedom: Degrees of freedom of the variance.
    """

    mean: float
    variance: float
    freedom: int


def unusual_days(scans: Scans, *, time_zone: str | ZoneInfo = "UTC", alarm: float = 0.05) -> pd.DataFrame:
    """Every whole day of a view, with what was to be expected of it, and whether it was unusual.

    A day is expected to be like the up to 56 days around it, itself left out: their level, trend and weekdays, fitted
    as a quasi-Poisson regression. How far days vary is measured on them, and a day is held against a negative binomial
    distribution of that variance. What is found is left out when the rest is judged anew, so that one great day does
    not hide another; several days in a row that are raised together, as before an event, may still hide one another
    in a view of a month.

    Columns: day (datetime64[us], of the time zone, without it), scans (int64), expected, low, high (float64; a usual
    day lies between them), chance (float64, 0..1, of a usual day to be that far off), is_unusual (bool).

    Args:
        scans: Of its period the whole days count; without `since` or `until` those between the first and the last scan.
        time_zone: An IANA name, or its ZoneInfo: whose days.
        alarm: How probable a false alarm may be: among all days of a view in which nothing happened, at least one is
            called unusual in about such a share of views; fewer where days vary little, up to twice as many where they
            vary much. Above 0 and below 1.

    Raises:
        InvalidParameter: There are fewer than 14 whole days, or an argument is out of its bounds.
    """
    import numpy as np
    import pandas as pd

    alarm = check_share("alarm", alarm)
    zone = zone_of(time_zone)
    days = counts(scans, zone, whole_days([scans], zone)[0])
    if len(days) < TWO_WEEKS:
        rule = f"has {len(days)} whole days; {TWO_WEEKS} or more tell what is usual"
        raise InvalidParameter(Problem("scans", None, rule))
    numbers = np.array(list(days.values()), dtype="float64")
    tail = alarm / len(days) / 2
    usual = np.ones(len(days), dtype=bool)
    for _ in range(MOST_ROUNDS):
        expected = _expected(list(days), numbers, usual)
        chances = np.array([_chance(*pair) for pair in zip(numbers, expected, strict=True)])
        found = usual & (chances > 2 * tail)
        if found.all() or (found == usual).all():
            break
        usual = found
    bounds = [_bounds(one, tail) for one in expected]
    return pd.DataFrame(
        {
            "day": pd.Series(list(days), dtype="datetime64[us]"),
            "scans": numbers.astype("int64"),
            "expected": [one.mean for one in expected],
            "low": [low for low, _ in bounds],
            "high": [high for _, high in bounds],
            "chance": chances,
            "is_unusual": chances <= 2 * tail,
        }
    )


def _expected(days: Sequence[date], numbers: np.ndarray, usual: np.ndarray) -> list[Expected]:
    """What the usual days around each one let expect of it."""
    import numpy as np

    places = np.arange(len(days))
    columns = [np.ones(len(days)), (places - len(days) / 2) / AROUND]
    columns += [np.array([float(day.weekday() == number) for day in days]) for number in range(7)]
    table = np.column_stack(columns)
    found = []
    for place in places:
        others = np.flatnonzero(usual & (places != place))
        nearest = others[np.argsort(np.abs(others - place), kind="stable")[: 2 * AROUND]]
        found.append(_fitted(table[nearest], numbers[nearest], table[place]))
    return found


def _fitted(table: np.ndarray, numbers: np.ndarray, row: np.ndarray) -> Expected:
    """A quasi-Poisson regression of numbers on a table, and what it expects of one more row."""
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
    """How probable it is that a usual day is as far off as a number, on either side."""
    from scipy import special

    shape, share = _negative_binomial(expected)
    at_most = special.betainc(shape, number + 1, share)
    at_least = special.betaincc(shape, number, share) if number else 1.0
    return min(1.0, 2 * min(_with_doubt(float(at_most), expected), _with_doubt(float(at_least), expected)))


def _with_doubt(chance: float, expected: Expected) -> float:
    """A probability of the tail, where the variance is not known but measured: Student's t in place of the normal."""
    from scipy import special

    return float(special.stdtr(expected.freedom, special.ndtri(chance))) if 0 < chance < 1 else chance


def _bounds(expected: Expected, tail: float) -> tuple[float, float]:
    """The numbers between which a usual day lies."""
    from scipy import special

    shape, share = _negative_binomial(expected)
    beyond = float(special.ndtr(special.stdtrit(expected.freedom, tail)))
    low, high = (_first_with(chance, shape, share, expected) for chance in (beyond, 1 - beyond))
    return low, high


def _first_with(chance: float, shape: float, share: float, expected: Expected) -> float:
    """The smallest number that is not exceeded with at least a probability."""
    from scipy import special

    low, high = -1, int(expected.mean + 1)
    while special.betainc(shape, high + 1, share) < chance:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if special.betainc(shape, middle + 1, share) >= chance else (middle, high)
    return float(high)


def _negative_binomial(expected: Expected) -> tuple[Any, Any]:
    """Shape and probability of the negative binomial distribution of a mean and a variance."""
    # A variance that is the mean is Poisson's, the limit of an endless shape.
    beyond = max(expected.variance - expected.mean, expected.mean * 1e-6)
    return expected.mean**2 / beyond, expected.mean / (expected.mean + beyond)
