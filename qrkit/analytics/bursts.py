"""Finds bursts: runs of days with far more scans than the days around them suggest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from qrkit.analytics.daily_spread import check_share
from qrkit.analytics.distributions import negative_binomial_at_least, negative_binomial_log_probability
from qrkit.analytics.unusual_days import (
    FITTED,
    NEIGHBORS,
    DailyScans,
    daily_scans,
    expect,
    negative_binomial,
    outside,
    relative_variance,
)
from qrkit.store import Scans
from qrkit.tracking.text_columns import frame_of

LENGTHS = (1, 2, 3, 5, 7)
"""Lengths of the windows in days."""
FEWEST_WINDOWS = 4
"""A view must be this many times as long as a window: fewer windows do not tell how much they vary."""
FEWEST_OTHERS = FITTED + 3
"""Fewer days outside of a window and its neighbors do not tell how much windows vary."""
SPREADS = 20
"""Number of spreads (ratios of variance to mean) that are weighed against each other."""
LEAST_SPREAD = 0.03
"""Smallest spread beyond that of Poisson counts."""
LARGEST_SPREAD = 20
"""Largest spread, relative to what was measured."""
MOST_BURSTS = 20
SUSPICIOUS = 3.0
"""Windows whose squared distance from what is expected is smaller than this many times the mean are no bursts."""

TYPES = {"start": "datetime64[us]", "end": "datetime64[us]", "days": "int64", "scans": "int64"}
TYPES |= dict.fromkeys(("expected", "extra", "chance"), "float64")


class Window(NamedTuple):
    """Consecutive days that may be a burst; `start` is the index of the first.

    The chance is that of at least as many scans if nothing happened.
    """

    start: int
    length: int
    chance: float

    @property
    def end(self) -> int:
        """Index of the day after the last one."""
        return self.start + self.length


def bursts(scans: Scans, *, alarm: float = 0.05) -> pd.DataFrame:
    """Return the bursts of a view: runs of days with far more scans than the days around them suggest.

    Every window of 1, 2, 3, 5 and 7 days is compared with what the days outside of it and its neighbors suggest, as in
    `unusual_days`. How much windows vary is not taken as known: all spreads are weighed by how well they explain the
    other windows of the same length, so that days that follow each other's ups and downs count as what they are. The
    least likely window is judged again with its days left out of everything, and is a burst if it is still too
    unlikely; then the rest is searched. Bursts that touch are one. A burst of more than about nine days hides itself,
    because nothing tells it from a change of the level. Where fewer than 8 days have a scan, there is none,
    and in a view of two weeks hardly any.

    Columns: start, end (datetime64[us], the first and last day in the view's time zone), days, scans (int64), expected,
    extra (float64; extra = scans - expected), chance (float64, 0..1, probability of so many scans in such a window if
    nothing happened). Earliest first.

    Args:
        scans: The view. Only its whole days count; without `since` or `until`, the days between its first and last
            scan.
        alarm: Probability of a false alarm in the whole view, above 0 and below 1, shared among all windows.

    Raises:
        InvalidParameter: If the view has fewer than 14 whole days, or if `alarm` is not above 0 and below 1.
    """
    alarm = check_share("alarm", alarm)
    return find_bursts(daily_scans(scans), alarm)


def find_bursts(daily: DailyScans, alarm: float) -> pd.DataFrame:
    """Return the DataFrame of `bursts`."""
    found: list[Window] = []
    counted = np.ones(len(daily.days), dtype=bool)
    limit = alarm / (len(LENGTHS) * len(daily.days))
    while daily.is_known and len(found) < MOST_BURSTS:
        window = _least_likely(daily, counted)
        if window is None or window.chance > limit:
            break
        found.append(window)
        counted[window.start : window.end] = False
    expected, rows = _daily_expectation(daily, counted), []  # without any burst
    for window in _joined(found):
        days = slice(window.start, window.end)
        scans, usual = daily.numbers[days].sum(), expected[days].sum()
        ends = daily.days[window.start], daily.days[window.end - 1]
        rows.append((*ends, window.length, scans, usual, scans - usual, window.chance))
    return frame_of(rows, TYPES)


def _joined(windows: list[Window]) -> list[Window]:
    """Join windows that touch."""
    joined: list[Window] = []
    for window in sorted(windows):
        if joined and joined[-1].end == window.start:
            last = joined.pop()
            window = Window(last.start, last.length + window.length, min(last.chance, window.chance))
        joined.append(window)
    return joined


def _least_likely(daily: DailyScans, counted: np.ndarray) -> Window | None:
    """Return the least likely window of counted days, judged with its own days left out of everything."""
    windows = []
    alone = _daily_expectation(daily, counted)
    for length in LENGTHS:
        if length * FEWEST_WINDOWS > len(daily.days):
            break
        scans, expected, is_whole = (_sums(values, length) for values in (daily.numbers, alone, counted))
        far = (scans > expected) & ((scans - expected) ** 2 > SUSPICIOUS * expected)
        others = outside(counted.astype("float64"), np.arange(len(scans)), length)
        suspects = np.flatnonzero(far & (is_whole == length) & (others >= FEWEST_OTHERS))
        if len(suspects):
            chances = _chances(daily, counted, alone, suspects, length)
            start = int(suspects[np.argmin(chances)])
            without = counted.copy()
            without[start : start + length] = False
            again = _daily_expectation(daily, without)
            (chance,) = _chances(daily, without, again, np.array([start]), length)
            windows.append(Window(start, length, float(chance)))
    return min(windows, key=lambda window: window.chance, default=None)


def _daily_expectation(daily: DailyScans, counted: np.ndarray) -> np.ndarray:
    """Predict each day from the counted days that are not its neighbors."""
    return expect(daily, counted, np.arange(len(daily.days)), 1)[0][:, 0]


def _sums(values: np.ndarray, length: int) -> np.ndarray:
    """Return the sums of each window of consecutive values."""
    sums = np.concatenate([[0], np.cumsum(values)])
    return sums[length:] - sums[:-length]  # type: ignore[no-any-return]


def _chances(daily: DailyScans, counted: np.ndarray, alone: np.ndarray, starts: np.ndarray, length: int) -> np.ndarray:
    """Return the probability of at least as many scans in each window of `length` days if nothing happened.

    `alone` is what is expected of each day if only it and its neighbors are left out; windows start at the indexes of
    days.
    """
    total = len(daily.days)
    expected, mean = expect(daily, counted, starts, length)
    means = expected.sum(axis=1)
    scans, sums = _sums(daily.numbers, length), _sums(alone, length)
    is_used = _sums(counted, length) == length
    measured = ((scans - sums) ** 2 / sums * is_used).sum() / max(is_used.sum(), 1)
    spreads = 1 + np.geomspace(LEAST_SPREAD, LARGEST_SPREAD * max(1.0, measured), SPREADS)
    # Windows overlap, and some of what they tell went into the level, trend and weekdays.
    told = negative_binomial_log_probability(scans[:, None], *negative_binomial(sums[:, None], spreads * sums[:, None]))
    told = np.concatenate([np.zeros((1, SPREADS)), np.cumsum(told * is_used[:, None], axis=0)]) / length
    before = np.maximum(starts - NEIGHBORS - length + 1, 0)
    after = np.minimum(starts + length + NEIGHBORS, len(scans))
    others = outside(counted.astype("float64"), starts, length)[:, None]
    weights = (told[before] + told[-1] - told[after]) * (others - FITTED) / others
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    spread = (weights * spreads).sum(axis=1)
    variances = spreads * (means * relative_variance(total, length, spread, mean))[:, None]
    distribution = negative_binomial(means[:, None], variances)
    tails = negative_binomial_at_least(scans[starts][:, None], *distribution)
    return (weights * tails).sum(axis=1)  # type: ignore[no-any-return]
