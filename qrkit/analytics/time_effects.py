"""Estimates how much more is scanned on some weekdays or hours than on others, with intervals.

The scans of each weekday (or hour) are a share of all scans. What changes whole weeks, such as a slow rise or a rainy
fortnight, leaves these shares as they are. How far they can be off shows in how much they differ from week to week:
weeks are compared, not days, because a good day is often followed by another. The measured spread of the shares widens
the Jeffreys interval of a share (a beta distribution), by Student's t as well, because the spread is only an estimate.
"""

from __future__ import annotations

from datetime import timedelta
from math import nan
from typing import Literal

import numpy as np
import pandas as pd

from qrkit.analytics.daily_spread import check_choice, check_share, whole_days
from qrkit.analytics.distributions import beta_quantile, normal_quantile, student_quantile
from qrkit.analytics.over_time import scans_per, scans_per_day
from qrkit.analytics.rate_intervals import FEWEST_SCANS, FOUR_WEEKS, PRIOR, too_few_days, too_few_scans
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.tracking.text_columns import with_dtypes

TimeEffect = Literal["weekday", "hour"]
"""Parts of the week and of the day whose scans can be compared."""

DAYS_PER_WEEK = 7
AS_ONE = 3
"""How many degrees of freedom count as one: bursts of some hours or days touch several cells of a week."""


def time_effects(scans: Scans, of: TimeEffect = "weekday", *, level: float = 0.95) -> pd.DataFrame:
    """Return how the scans of each weekday, or of each hour of the day, compare with the mean of all of them.

    An effect of 1.2 on Fridays means 20% more scans than on an average day of the same weeks. The interval is for weeks
    like the counted ones. It assumes the same spread for all weekdays or hours, so it is too narrow for one whose scans
    come in much larger bursts than the others.

    Columns: weekday (int64, 1 Monday to 7 Sunday) or hour (int64, 0..23, in the view's time zone), scans (int64),
    effect, low, high (float64, ratio to the mean; low and high are missing where no interval is possible), reason (str,
    why there is no interval, or empty). Without any scan, effect is missing, too.

    There is no interval for fewer than 28 whole days, or if the scans came in too few bursts.

    Args:
        scans: The view. Only its last whole weeks count, of its whole days; without `since` or `until`, these are the
            days between its first and last scan.
        of: weekday or hour.
        level: Probability that an interval contains the true effect, above 0 and below 1.

    Raises:
        InvalidParameter: If the view has fewer than 7 whole days, or if an argument is out of range.
    """
    check_choice("of", of, TimeEffect)
    level = check_share("level", level)
    ((first, last),) = whole_days([scans])
    days = (last - first).days
    weeks = days // DAYS_PER_WEEK
    if not weeks:
        raise InvalidParameter(Problem("scans", None, f"has {days} whole days; {DAYS_PER_WEEK} or more are needed"))
    view = scans.where(since=last - timedelta(days=weeks * DAYS_PER_WEEK), until=last)
    cells = range(1, 8) if of == "weekday" else range(24)
    table = np.zeros((weeks, len(cells)))
    frame = scans_per_day(view) if of == "weekday" else scans_per(view, "hour")
    moments = frame["day" if of == "weekday" else "start"]
    week = [(last - moment.date()).days - 1 for moment in moments]
    cell = [moment.isoweekday() - 1 if of == "weekday" else moment.hour for moment in moments]
    np.add.at(table, (np.array(week, dtype="int64") // DAYS_PER_WEEK, cell), frame["scans"].to_numpy())
    low, high, reason = share_intervals(table, level)
    if days < FOUR_WEEKS:
        low, high, reason = low * nan, high * nan, too_few_days(days, FOUR_WEEKS)
    totals = table.sum(axis=0)
    effect = totals / totals.mean() if totals.any() else totals * nan
    found = pd.DataFrame(
        {of: list(cells), "scans": totals, "effect": effect, "low": low, "high": high, "reason": reason}
    )
    types = {of: "int64", "scans": "int64"} | dict.fromkeys(("effect", "low", "high"), "float64") | {"reason": "str"}
    return with_dtypes(found, types)


def share_intervals(table: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the bounds of the interval for each column's effect, and the reason if there are none, else "".

    The table has scans, as an array of weeks x weekdays or weeks x hours.
    """
    weeks, cells = table.shape
    totals, scans = table.sum(axis=0), float(table.sum())
    known = totals > 0
    freedom = (max(int(known.sum()), 2) - 1) * (weeks - 1)
    width = 1.0
    if scans and freedom:
        shares = totals[known] / scans
        off = table[:, known] - table.sum(axis=1, keepdims=True) * shares
        spread = (off**2 / (shares * scans / weeks)).sum() / freedom
        tail = (1 + level) / 2
        width = max(1.0, spread * (student_quantile(freedom / AS_ONE, tail) / normal_quantile(tail)) ** 2)
    if not freedom or scans / width < FEWEST_SCANS * cells:
        return np.full(cells, nan), np.full(cells, nan), too_few_scans(scans, scans / width, FEWEST_SCANS * cells)
    prior = PRIOR * (cells - 1)
    low, high = (
        np.array(
            [
                cells * beta_quantile(total / width + PRIOR, (scans - total) / width + prior, (1 + side * level) / 2)
                for total in totals
            ]
        )
        for side in (-1, 1)
    )
    return low, high, ""
