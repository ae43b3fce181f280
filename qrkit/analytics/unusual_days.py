"""Finds unusual days: days with far more or fewer scans than the days around them suggest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

import numpy as np
import pandas as pd

from qrkit.analytics.daily_spread import TWO_WEEKS, check_share, counts, whole_days
from qrkit.analytics.distributions import (
    negative_binomial_at_least,
    negative_binomial_at_most,
    normal_from_student,
    student_from_normal,
)
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans

NEIGHBORS = 2
"""Days on each side that are left out of what is expected of a day: an event of three days must not hide itself."""
AROUND = 56
"""Number of surrounding days that determine the level: eight of each weekday."""
SLOPE_UNIT = 28
"""Days over which the trend is measured; its prior is worth two days at this distance."""
FEWEST_WITH_SCANS = 8
"""Fewer days with a scan do not tell how much days vary."""
PRIOR = 0.5
"""Scans added to all days together: even if no day had a scan, some may still come."""
FITTED = 8
"""Seven weekdays and a trend are fitted to the days, so that many days tell nothing about their spread."""
MOST_ROUNDS = 20
"""Maximum number of times that the remaining days are judged again without the unusual ones."""
SMALLEST = 1e-300
"""Smallest tail probability that the normal distribution distinguishes from zero."""


class DailyScans(NamedTuple):
    """The scans of consecutive whole days, and the weekday of each, 0 for Monday."""

    days: list[date]
    numbers: np.ndarray
    weekdays: np.ndarray

    @property
    def is_known(self) -> bool:
        """Whether enough days had a scan to tell how much days vary."""
        return int((self.numbers > 0).sum()) >= FEWEST_WITH_SCANS

    def only(self, chosen: np.ndarray) -> DailyScans:
        """Return only the chosen days."""
        days = [day for day, is_chosen in zip(self.days, chosen, strict=True) if is_chosen]
        return DailyScans(days, self.numbers[chosen], self.weekdays[chosen])


class Usual(NamedTuple):
    """The prediction for each day: a negative binomial distribution whose variance is an estimate.

    The variance of the scans includes the uncertainty of the mean; `freedom` are its degrees of freedom.
    """

    mean: np.ndarray
    variance: np.ndarray
    freedom: np.ndarray


def unusual_days(scans: Scans, *, alarm: float = 0.05, holidays: Collection[date] = ()) -> pd.DataFrame:
    """Return every whole day of a view with its expected scans, and whether it was unusual.

    The expectation for a day comes from the level, trend and weekdays of the surrounding days (up to 56), without the
    day itself and its two neighbors on each side. Weekday effects are shrunk toward 1 where few scans support them. The
    variance of the other days is measured, and the day is compared with a negative binomial distribution of that
    variance, widened by Student's t because the variance is only an estimate. Unusual days are left out when the
    remaining days are judged again, so that one extreme day does not hide another. An event of more than three days
    can still hide itself: `bursts` looks for those.

    Days on which the server did not run for an hour or more (`outages`) are not in the table.

    Fewer than 8 days with a scan do not show what is usual: chance, low and high are missing (NaN), and no
    day is called unusual. In a view of two or three weeks `high` can be infinite: so few days rule out hardly anything.

    Columns: day (datetime64[us], a day in the view's time zone), scans (int64), expected, low, high (float64; a usual
    day lies between low and high), chance (float64, 0..1, probability that a usual day is at least this far off),
    is_unusual, is_holiday (bool).

    Args:
        scans: The view. Only its whole days count; without `since` or `until`, the days between its first and last
            scan.
        alarm: Probability of a false alarm in the whole view, above 0 and below 1: if nothing happened, at most about
            this share of views has a day reported as unusual, even if scans come in groups or good days follow one
            another.
        holidays: Public holidays: dates, or a mapping from dates to names such as `holidays.country_holidays("SI")` of
            the library holidays, which qrkit does not install. A few holidays do not show what is usual on a holiday,
            so they are never reported as unusual, and the expectations for other days ignore them. Their own expected,
            low, high and chance are those of an ordinary day.

    Raises:
        InvalidParameter: If the view has fewer than 14 whole days, if `alarm` is not above 0 and below 1, or if
            `holidays` are not dates.
    """
    alarm = check_share("alarm", alarm)
    daily = daily_scans(scans)
    return judge_days(daily, alarm, which_are_holidays(daily.days, holidays))


def daily_scans(scans: Scans) -> DailyScans:
    """Return the scans of the whole days of a view."""
    daily = counts(scans, whole_days([scans])[0])
    if len(daily) < TWO_WEEKS:
        rule = f"has {len(daily)} whole days; at least {TWO_WEEKS} are needed to tell what is usual"
        raise InvalidParameter(Problem("scans", None, rule))
    return days_with(daily)


def days_with(daily: dict[date, int]) -> DailyScans:
    """Convert the scans of consecutive days to `DailyScans`."""
    weekdays = np.array([day.weekday() for day in daily])
    return DailyScans(list(daily), np.array(list(daily.values()), dtype="float64"), weekdays)


def judge_days(daily: DailyScans, alarm: float, holidays: Sequence[bool] = ()) -> pd.DataFrame:
    """Return the DataFrame of `unusual_days`; `alarm` is the probability of a false alarm on any of the days.

    `holidays` has a value for each day; without any values, none is a holiday.
    """
    limit = alarm / len(daily.days)
    is_ordinary = ~np.array(holidays or [False] * len(daily.days))
    is_known = daily.only(is_ordinary).is_known
    counted = is_ordinary.copy()
    for _ in range(MOST_ROUNDS):
        usual = _usual(daily, counted)
        chances = _chances(daily.numbers, usual)
        if not is_known or not (counted & (chances <= limit)).any():
            break
        counted &= chances > limit
    low, high = bounds(usual, limit / 2)
    known = np.where(is_known, 1.0, np.nan)
    return pd.DataFrame(
        {
            "day": pd.Series(daily.days, dtype="datetime64[us]"),
            "scans": daily.numbers.astype("int64"),
            "expected": usual.mean,
            "low": low * known,
            "high": high * known,
            "chance": chances * known,
            "is_unusual": (chances <= limit) & is_known & is_ordinary,
            "is_holiday": ~is_ordinary,
        }
    )


def outside(values: np.ndarray, starts: np.ndarray, length: int) -> np.ndarray:
    """Return for each window the sum of the values of all days except its own and the neighboring ones.

    Each day has a value, or a row of values. Windows of `length` days start at the indexes of days.
    """
    sums = np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])
    ends = np.minimum(starts + length + NEIGHBORS, len(values))
    return sums[-1] - (sums[ends] - sums[np.maximum(starts - NEIGHBORS, 0)])  # type: ignore[no-any-return]


def expect(daily: DailyScans, counted: np.ndarray, starts: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Predict the scans of each day of some windows of `length` days from the days outside of each window.

    Windows start at the indexes of days. Returns expected scans, windows x days of a window, and the daily mean of the
    days outside of each window.
    """
    total = len(daily.numbers)
    used = np.where(counted, daily.numbers, 0.0)
    on_weekday = np.eye(7)[daily.weekdays]
    days = outside(counted[:, None] * on_weekday, starts, length)
    scans = outside(used[:, None] * on_weekday, starts, length)
    number = np.maximum(days.sum(axis=1), 1)
    mean = (scans.sum(axis=1) + PRIOR) / number
    spread = np.maximum(1, outside(used**2, starts, length) / number / mean - mean)
    prior = (2 * spread / mean)[:, None]
    factors = (scans / mean[:, None] + prior) / (days + prior)
    factors /= factors.mean(axis=1, keepdims=True)
    # The level and trend: a straight line through the nearest days, each relative to its weekday.
    width = min(total, AROUND + length + 2 * NEIGHBORS)
    first = np.clip(starts - (width - length) // 2, 0, total - width)
    near = first[:, None] + np.arange(width)
    is_used = counted[near] & (
        (near < (starts - NEIGHBORS)[:, None]) | (near >= (starts + length + NEIGHBORS)[:, None])
    )
    weights = np.take_along_axis(factors, daily.weekdays[near], axis=1) * is_used
    weight = np.maximum(weights.sum(axis=1), SMALLEST)
    middle = (starts + (length - 1) / 2)[:, None]
    times = (near - middle) / SLOPE_UNIT
    center = (weights * times).sum(axis=1) / weight
    level = (daily.numbers[near] * is_used).sum(axis=1) / weight
    distances = times - center[:, None]
    rise = (distances * (daily.numbers[near] * is_used - weights * level[:, None])).sum(axis=1)
    slope = rise / ((weights * distances**2).sum(axis=1) + 2)
    inside = starts[:, None] + np.arange(length)
    line = level[:, None] + slope[:, None] * ((inside - middle) / SLOPE_UNIT - center[:, None])
    line = np.maximum(line, mean[:, None] / 4)
    return line * np.take_along_axis(factors, daily.weekdays[inside], axis=1) + PRIOR / total, mean


def relative_variance(total: int, length: int, spread: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return how much larger the variance of a window is because its mean and weekdays are only estimates.

    The view has `total` days, the window `length`; the spread is the ratio of variance to mean.
    """
    return 1 + length / min(total - 1, AROUND) + 0.3 / (total / 7 - 1 + 2 * spread / mean)  # type: ignore[no-any-return]


def negative_binomial(mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return shape and success probability of the negative binomial distributions with these means and variances."""
    # A variance equal to the mean would be a Poisson distribution, the limit of an infinite shape.
    beyond = np.maximum(variance - mean, mean * 1e-6)
    return mean**2 / beyond, mean / (mean + beyond)


def _usual(daily: DailyScans, counted: np.ndarray) -> Usual:
    """Predict each day from the counted days that are not its neighbors."""
    total = len(daily.days)
    starts = np.arange(total)
    expected, mean = expect(daily, counted, starts, 1)
    expected = expected[:, 0]
    residuals = (daily.numbers - expected) ** 2 / expected * counted
    freedom = outside(counted.astype("float64"), starts, 1) - FITTED
    spread = np.maximum(1, outside(residuals, starts, 1) / np.maximum(freedom, 3))
    with_scans = outside((counted & (daily.numbers > 0)).astype("float64"), starts, 1)
    variance = spread * expected * relative_variance(total, 1, spread, mean)
    return Usual(expected, variance, np.maximum(1, np.minimum(freedom, with_scans - 2)))


def _chances(numbers: np.ndarray, usual: Usual) -> np.ndarray:
    """Return the two-sided probability that a usual day is at least as far off as each number."""
    shape, success = negative_binomial(usual.mean, usual.variance)
    tails = (negative_binomial_at_most(numbers, shape, success), negative_binomial_at_least(numbers, shape, success))
    smaller = np.clip(np.minimum(*tails), SMALLEST, 0.5)
    return 2 * student_from_normal(smaller, usual.freedom)


def bounds(usual: Usual, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest usual number of scans; a day is beyond one of them with probability `tail`.

    The variance of the predictions may have infinite degrees of freedom; `tail` is above 0 and below 0.5.
    """
    shape, success = negative_binomial(usual.mean, usual.variance)
    beyond = normal_from_student(tail, usual.freedom)
    bounded = beyond > SMALLEST
    beyond = np.maximum(beyond, SMALLEST)
    low = _smallest(lambda number: negative_binomial_at_most(number, shape, success) > beyond, usual.mean)
    high = _smallest(lambda number: negative_binomial_at_least(number + 1, shape, success) <= beyond, usual.mean)
    return np.where(bounded, low, 0), np.where(bounded, high, np.inf)


def _smallest(is_reached: Callable[[np.ndarray], np.ndarray], mean: np.ndarray) -> np.ndarray:
    """Return for each day the smallest number, 0 or more, from which on a condition holds."""
    low, high = np.full(len(mean), -1.0), np.ceil(mean)
    while not (reached := is_reached(high)).all():
        low, high = np.where(reached, low, high), np.where(reached, high, 2 * high + 1)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        reached, is_open = is_reached(middle.clip(0)), high - low > 1
        low, high = np.where(is_open & ~reached, middle, low), np.where(is_open & reached, middle, high)
    return high  # type: ignore[no-any-return]


# ---- holidays


def which_are_holidays(days: Iterable[date], holidays: Collection[date]) -> list[bool]:
    """Return for each day whether it is a holiday.

    A mapping from dates to names is asked for each day, because the objects of the library `holidays` compute a year
    when it is first asked for.
    """
    check_holidays(holidays)
    if isinstance(holidays, Mapping):
        return [day in holidays for day in days]
    known = {one.date() if isinstance(one, datetime) else one for one in holidays}
    return [day in known for day in days]


def check_holidays(holidays: Collection[date]) -> Collection[date]:
    """Return holidays if they are dates, or a mapping from dates."""
    # pandas.NaT is a datetime, but not equal to itself.
    if not isinstance(holidays, Collection) or not all(isinstance(one, date) and one == one for one in holidays):
        rule = "must be dates, or a mapping from dates to names such as holidays.country_holidays('SI')"
        raise InvalidParameter(Problem("holidays", holidays, rule, "wrong-type"))
    return holidays
