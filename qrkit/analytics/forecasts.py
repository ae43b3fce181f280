"""Forecasts the scans of the next days, with intervals that know how much days vary and how levels move.

The forecast is a level times a factor for the weekday, both from the last sixteen weeks, without the days before the
first scan. Factors are shrunk toward 1 where few scans support them, as in `qrkit.analytics.unusual_days`. The level is
that of the last days, as far as these tell that it moved (`qrkit.analytics.recent_level`). Three things make a future
day differ from the forecast: the day itself varies (a negative binomial distribution whose spread is measured), the
level is an estimate, and it moves on.

What no interval knows: another season, a new place, or an event that has not happened yet.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from math import inf, nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from qrkit.analytics.daily_spread import check_share, counts, on_each_day, whole_days
from qrkit.analytics.long_run_spread import Side, weekday_factors
from qrkit.analytics.over_time import daily_by
from qrkit.analytics.rate_intervals import FEWEST_SCANS, FOUR_WEEKS, too_few_days, too_few_scans
from qrkit.analytics.recent_level import recent_level
from qrkit.analytics.unusual_days import PRIOR, DailyScans, Usual, bounds, days_with, which_are_holidays
from qrkit.errors import InvalidParameter, Problem, check_whole
from qrkit.store import Scans
from qrkit.store.questions.scan_attributes import Attribute, check_attribute
from qrkit.tracking.text_columns import with_dtypes

RECENT = 112
"""Number of last days that the forecast rests on: sixteen weeks."""
MOST_DAYS = 366
MOST_GROUPS = 1_000
NAMES = (("scans", "low", "high"), ("total", "total_low", "total_high"))
SUNDAY = 6


class Forecast(NamedTuple):
    """Expected scans and intervals for consecutive days, and for the sum of all days up to each of them.

    `days` and `totals` are arrays of 3 x days: expected scans, low and high, which are NaN if there is a reason why
    there are no intervals.
    """

    days: np.ndarray
    totals: np.ndarray
    reason: str


def forecast(
    scans: Scans,
    *,
    days: int = 28,
    by: Attribute | str | None = None,
    level: float = 0.95,
    holidays: Collection[date] = (),
) -> pd.DataFrame:
    """Forecast the scans of the days after a view: one row per day, or per group and day, with intervals.

    The forecast has the weekday pattern of the last sixteen weeks, and the level of the last days, as far as these show
    that it moved: a code that is no longer scanned is forecast to have no scans. It continues no trend, but where the
    level has moved, the intervals allow for it to move on. They do not allow for another season, for a change, or for
    an event that has not happened yet. Days before the first scan are left out.

    Columns: the name of `by` (str, if given), day (datetime64[us], in the view's time zone), scans (float64, expected),
    low, high (Int64, an interval for the scans of that day), total (float64, expected from the first day of the
    forecast to this one), total_low, total_high (Int64, an interval for that total; in the last row, for all days
    together), reason (str, why there are no intervals, or empty). Without intervals, low, high, total_low and
    total_high are missing; at a level close to 1, high can be missing because no number of scans is ruled out.

    There are no intervals for fewer than 28 whole days, or if the scans came in too few bursts.

    Args:
        scans: The view. Only its whole days count; without `since`, those from its first scan on, and without `until`,
            those until yesterday. The forecast begins on the day after its last whole day.
        days: Number of days to forecast, 1..366.
        by: Forecast each value of an attribute separately: campaign, campaign_id, qrcode, qrcode_id, tag, an attribute
            that `scans.where` filters by, or a field of yours; 1,000 groups with scans at most.
        level: Probability that an interval contains the scans of its day, or the total, above 0 and below 1.
        holidays: Public holidays, see `unusual_days`. Past holidays are left out; future ones count as Sundays.

    Raises:
        InvalidParameter: If the view has fewer than 2 whole days, if there are too many groups, or if an argument is
            invalid.
    """
    days = check_whole("days", days, 1, MOST_DAYS, of=" of days")
    if by is not None:
        check_attribute("by", by, scans)
    level = check_share("level", level)
    ((first, last),) = whole_days([scans], to_now=True)
    coming = [last + timedelta(days=number) for number in range(days)]
    groups = _recent(scans, (first, last), by)
    (calendar, *_) = groups.values()
    is_ordinary = ~np.array(which_are_holidays(calendar, holidays))
    weekdays = [
        SUNDAY if is_holiday else day.weekday()
        for day, is_holiday in zip(coming, which_are_holidays(coming, holidays), strict=True)
    ]
    frames = []
    for part, each in groups.items():
        found = forecast_days(days_with(each).only(is_ordinary), weekdays, level)
        frames.append(_table(coming, found).assign(**{by: part} if by else {}))
    table = pd.concat(frames, ignore_index=True)
    order = [*([by] if by else []), "day", *NAMES[0], *NAMES[1], "reason"]
    return with_dtypes(table[order], {name: "str" for name in (by, "reason") if name})


def _recent(scans: Scans, ends: tuple[date, date], by: str | None) -> dict[str, dict[date, int]]:
    """Return the scans of the last days before the end of a view, for each group with scans in it."""
    first, last = ends
    recent = max(first, last - timedelta(days=RECENT)), last
    if by is None:
        return {"": counts(scans, recent)}
    known = daily_by(scans.where(since=first, until=last), by)
    if not 1 <= len(known) <= MOST_GROUPS:
        rule = f"must have 1 to {MOST_GROUPS:,} groups with scans; it has {len(known):,}"
        raise InvalidParameter(Problem("by", by, rule))
    return {part: on_each_day(known[part], recent, scans.zone) for part in sorted(known)}


def _table(coming: list[date], found: Forecast) -> pd.DataFrame:
    """Return a forecast as a table."""
    columns: dict[str, object] = {"day": pd.Series(coming, dtype="datetime64[us]")}
    for names, numbers in zip(NAMES, (found.days, found.totals), strict=True):
        expected, low, high = numbers
        ends = pd.Series(low).astype("Int64"), pd.Series(high).replace(inf, nan).astype("Int64")
        columns |= dict(zip(names, (expected, *ends), strict=True))
    return pd.DataFrame(columns | {"reason": found.reason})


def forecast_days(daily: DailyScans, weekdays: list[int], level: float) -> Forecast:
    """Forecast the days after some days, given their weekdays (0 for Monday).

    The known days are consecutive, except for days that are left out.
    """
    daily = _since_first_scan(daily)
    number, total = len(daily.days), float(daily.numbers.sum())
    mean = (total + PRIOR) / max(number, 1)
    spread = max(1.0, float((daily.numbers**2).sum()) / max(number, 1) / mean - mean)
    factors = weekday_factors(Side(daily.numbers, daily.weekdays), mean, spread)
    factors /= factors.mean()
    ahead = factors[weekdays]
    if number < FOUR_WEEKS:
        expected = (total + PRIOR) / max(factors[daily.weekdays].sum(), 1) * ahead
        return _without_intervals(expected, too_few_days(number, FOUR_WEEKS))
    now = recent_level(daily.numbers, daily.weekdays, factors[daily.weekdays], level)
    found, tail = now.ahead(ahead), (1 - level) / 2
    if total / now.long_run < FEWEST_SCANS:
        return _without_intervals(found.days, too_few_scans(total, total / now.long_run))
    certain = np.full(len(ahead), np.inf)
    days = bounds(Usual(found.days, found.days_variance, certain), tail)
    totals = bounds(Usual(found.totals, found.totals_variance, certain), tail)
    return Forecast(np.array([found.days, *days]), np.array([found.totals, *totals]), "")


def _since_first_scan(daily: DailyScans) -> DailyScans:
    """Leave out the days before the first scan, and that day, unless it is the first one."""
    scanned = np.flatnonzero(daily.numbers)
    start = scanned[0] + 1 if len(scanned) and scanned[0] else 0
    return daily.only(np.arange(len(daily.days)) >= start)


def _without_intervals(expected: np.ndarray, reason: str) -> Forecast:
    none = np.full(len(expected), nan)
    return Forecast(np.array([expected, none, none]), np.array([np.cumsum(expected), none, none]), reason)
