"""Forecasts the scans of the next days, with intervals that know how much days vary and depend on each other.

The forecast is a level times a factor for the weekday, both from the last sixteen weeks; factors are shrunk toward 1
where few scans support them, as in `qrkit.analytics.unusual_days`. Three things make a future day differ from it: the
day itself varies (a negative binomial distribution whose spread is measured), the factors are estimates, and so is the
level. How far the level can be off, and how far the sum of many future days, follows from the long-run spread of the
days (`qrkit.analytics.long_run_spread`), so days that come in runs make intervals wider.

What no interval knows: a trend that goes on, another season, a new place, or an event that has not happened yet.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from math import inf, nan, sqrt
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

from qrkit.analytics.daily_spread import check_share, counts, whole_days
from qrkit.analytics.distributions import normal_quantile
from qrkit.analytics.long_run_spread import Side, long_run_spread
from qrkit.analytics.rate_intervals import FEWEST_SCANS, FOUR_WEEKS, too_few_days, too_few_scans
from qrkit.analytics.unusual_days import FITTED, PRIOR, DailyScans, Usual, bounds, days_with, which_are_holidays
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.tracking.text_columns import with_dtypes

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = ["Forecast", "forecast", "forecast_days"]

RECENT = 112
"""Number of last days that the forecast rests on: sixteen weeks."""
MOST_DAYS = 366
SUNDAY = 6


class Forecast(NamedTuple):
    """Expected scans and intervals for consecutive days.

    Attributes:
        days: Expected scans, low and high of each day; an array of 3 x days. Low and high are NaN if there is a reason.
        totals: The same for the sum of all days up to each day.
        reason: Why there are no intervals; "" if there are.
    """

    days: np.ndarray
    totals: np.ndarray
    reason: str


def forecast(scans: Scans, *, days: int = 28, level: float = 0.95, holidays: Collection[date] = ()) -> pd.DataFrame:
    """Forecast the scans of the days after a view: one row per day, with intervals.

    The forecast assumes that the last sixteen weeks continue: it has their level and their weekday pattern, but no
    trend. Its intervals do not allow for another season, for a change, or for an event that has not happened yet.

    Columns: day (datetime64[us], in the view's time zone), scans (float64, expected), low, high (Int64, an interval for
    the scans of that day), total (float64, expected from the first day of the forecast to this one), total_low,
    total_high (Int64, an interval for that total; in the last row, for all days together), reason (str, why there are
    no intervals, or empty). Without intervals, low, high, total_low and total_high are missing; at a level close to 1,
    high can be missing because no number of scans is ruled out.

    There are no intervals for fewer than 28 whole days, or if the scans came in too few bursts.

    Args:
        scans: The view. Only its whole days count; without `since`, those from its first scan on, and without `until`,
            those until yesterday. The forecast begins on the day after its last whole day.
        days: Number of days to forecast, 1..366.
        level: Probability that an interval contains the scans of its day, or the total, above 0 and below 1.
        holidays: Public holidays, see `unusual_days`. Past holidays are left out; future ones count as Sundays.

    Raises:
        InvalidParameter: If the view has fewer than 2 whole days, or if an argument is invalid.
    """
    import numpy as np
    import pandas as pd

    if not isinstance(days, Integral) or isinstance(days, bool) or not 1 <= days <= MOST_DAYS:
        rule = f"must be a whole number of days in 1..{MOST_DAYS}"
        raise InvalidParameter(Problem("days", days, rule, "out-of-range"))
    level = check_share("level", level)
    ((first, last),) = whole_days([scans], to_now=True)
    coming = [last + timedelta(days=number) for number in range(int(days))]
    recent = days_with(counts(scans, (max(first, last - timedelta(days=RECENT)), last)))
    ordinary = recent.only(~np.array(which_are_holidays(recent.days, holidays)))
    weekdays = [
        SUNDAY if is_holiday else day.weekday()
        for day, is_holiday in zip(coming, which_are_holidays(coming, holidays), strict=True)
    ]
    found = forecast_days(ordinary, weekdays, level)
    columns: dict[str, object] = {"day": pd.Series(coming, dtype="datetime64[us]")}
    for name, (expected, low, high) in (("", found.days), ("total_", found.totals)):
        columns |= {
            f"{name}low": pd.Series(low).astype("Int64"),
            f"{name}high": pd.Series(high).replace(inf, nan).astype("Int64"),
        }
        columns["total" if name else "scans"] = expected
    order = ["day", "scans", "low", "high", "total", "total_low", "total_high", "reason"]
    return with_dtypes(pd.DataFrame(columns | {"reason": found.reason})[order], {"reason": "str"})


def forecast_days(daily: DailyScans, weekdays: list[int], level: float) -> Forecast:
    """Forecast the days after some days.

    Args:
        daily: Scans per day, consecutive but for days that are left out.
        weekdays: Weekday of each day of the forecast, 0 for Monday.
        level: Probability that an interval contains the truth, above 0 and below 1.
    """
    import numpy as np

    number, total = len(daily.days), float(daily.numbers.sum())
    mean = (total + PRIOR) / max(number, 1)
    factors, worth = _weekday_factors(daily, mean)
    weights = factors[daily.weekdays]
    rate = (total + PRIOR) / max(weights.sum(), 1)
    ahead = factors[weekdays]
    expected = rate * ahead
    sums = np.cumsum(expected)
    none = np.full(len(weekdays), nan)
    if number < FOUR_WEEKS:
        reason = too_few_days(number, FOUR_WEEKS)
        return Forecast(np.array([expected, none, none]), np.array([sums, none, none]), reason)
    long_run = max(mean, long_run_spread([Side(daily.numbers, daily.weekdays)], level).variance)
    if total * mean / long_run < FEWEST_SCANS:
        reason = too_few_scans(total, total * mean / long_run)
        return Forecast(np.array([expected, none, none]), np.array([sums, none, none]), reason)
    fitted = rate * weights
    spread = max(1.0, float(((daily.numbers - fitted) ** 2 / fitted).sum()) / (number - FITTED))
    freedom = max(1, min(number - FITTED, int((daily.numbers > 0).sum()) - 2))
    tail = (1 - level) / 2
    each = spread * expected * (1 + 0.3 / worth) + long_run / number * ahead**2
    days = bounds(Usual(expected, each, np.full(len(ahead), freedom)), tail)
    lengths = np.arange(1, len(ahead) + 1)
    together = np.maximum(long_run * lengths, np.cumsum(spread * expected)) + long_run / number * np.cumsum(ahead) ** 2
    low, high = bounds(Usual(sums, together, np.full(len(ahead), np.inf)), tail)
    # Bursts make the distribution of the sum skewed; on the scale of logarithms, the upper end is farther away.
    far = normal_quantile(1 - tail) * np.sqrt(together) / sums
    high = np.maximum(high, np.ceil(sums * np.exp(np.minimum(far, sqrt(number)))))
    return Forecast(np.array([expected, *days]), np.array([sums, low, high]), "")


def _weekday_factors(daily: DailyScans, mean: float) -> tuple[np.ndarray, float]:
    """Return the factor of each weekday, and how many days each of them rests on, its prior included."""
    import numpy as np

    on_weekday = np.eye(7)[daily.weekdays]
    days, scans = on_weekday.sum(axis=0), daily.numbers @ on_weekday
    number = max(len(daily.days), 1)
    prior = 2 * max(1.0, float((daily.numbers**2).sum()) / number / mean - mean) / mean
    factors = (scans / mean + prior) / (days + prior)
    return factors / factors.mean(), max(number / 7 - 1, 0) + prior
