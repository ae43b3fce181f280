"""Finds QR Codes that are no longer scanned: a poster fell off the wall, was covered, or its short URL is broken.

How long a silence is too long depends on how often a code was scanned, and on how evenly. A code with S scans in d
days, of which w count as one independent scan, stays silent for another k days by chance with a probability of about
(d / (d + k))^(S / w + 1/2): the chance that S / w independent events, and half of another one, all fall into the first
d of d + k days. Days count by how many scans their weekday usually has, so that no code of an office is silent on
a Monday morning. The probability is the larger one of two: over the last four weeks before the last scan, because a
code whose scans faded out is not broken, and over the last sixteen weeks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta
from typing import NamedTuple

import pandas as pd

from qrkit.analytics.daily_spread import check_share, on_each_day, spread_of, today
from qrkit.analytics.long_run_spread import long_run_spread, side_of, weekday_factors
from qrkit.analytics.over_time import daily_by
from qrkit.store import Scans
from qrkit.store.questions.local_time import on_the_clock
from qrkit.store.questions.outages import outage_days
from qrkit.store.questions.time_zones import moment_of
from qrkit.tracking.text_columns import frame_of

DAY = timedelta(days=1)
WINDOWS = (28, 112)
"""Days before the last scan over which the rate is taken."""
FEWEST_DAYS = 3
"""Fewer days do not show how often a code is scanned."""
MOST_SILENT = 366
"""A silence of more days is not reported again and again."""
LONG_ENOUGH = 14
"""Number of days from which it can be measured whether one day depends on another."""
LEVEL = 0.9
"""Level of the long-run spread."""
TYPES = {"qrcode_id": "str", "qrcode": "str", "campaign": "str", "last": "datetime64[us]", "days": "int64"}
TYPES |= {"scans": "int64", "rate": "float64", "chance": "float64"}

CODES = """
SELECT qrcode_id, qrcode_label, coalesce(campaign_label, '') AS campaign, min(time) AS first, max(time) AS last
FROM lean GROUP BY ALL
"""


class Silence(NamedTuple):
    """The days since the last scan of a QR Code, and how likely such a silence is if nothing happened to the code.

    `scans` are those of the last sixteen weeks before; `rate` is their number per day.
    """

    days: int
    scans: int
    rate: float
    chance: float


def silent(scans: Scans, *, alarm: float = 0.05) -> pd.DataFrame:
    """Return the QR Codes that have stopped being scanned: one row for each, the most conspicuous first.

    A code is listed if so long a silence is less likely than `alarm` divided by the number of codes that were scanned,
    so that a portfolio where nothing happened has a false alarm in less than `alarm` of all cases. A code with three
    scans a day is usually found after two weeks, one with thirty after a day or two. Silences of more than a year are
    left out, and so are codes that were scanned on fewer than three days. Days on which the server did not run do not
    count as silent.

    Columns: qrcode_id, qrcode, campaign (str, names that are unique), last (datetime64[us], the day of the last scan in
    the view's time zone), days (int64, whole days without a scan since), scans (int64, in up to sixteen weeks before),
    rate (float64, scans per day in these weeks), chance (float64, 0..1, the probability of such a silence if nothing
    happened to the code).

    Args:
        scans: The view. Its `until` is the end of the silences; without it, or if it is in the future, that is the
            current day.
        alarm: Probability of any false alarm in a portfolio where nothing happened, above 0 and below 1.

    Raises:
        InvalidParameter: If `alarm` is out of range.

    Example:
        >>> from datetime import UTC, date, datetime
        >>> from qrkit import open_portfolio
        >>> from qrkit.analytics import simulate
        >>> with open_portfolio(":memory:", clock=lambda: datetime(2026, 4, 30, tzinfo=UTC)) as shop:
        ...     for code, days in (("tram", 60), ("shop", 40)):
        ...         record = shop.insert_qrcode("https://example.com", name=code, short_code=code)
        ...         number = shop.scans.insert(simulate({code: 3}, since=date(2026, 3, 1), days=days))
        ...     silent(shop.scans)["qrcode"].tolist()
        ['shop']
    """
    alarm = check_share("alarm", alarm)
    end = today(scans)
    if scans.until is not None:
        end = min(end, on_the_clock(moment_of(scans.until, scans.zone), scans.zone).date())
    codes, rows, down = scans.ask(CODES), [], outage_days(scans)
    for code, history in _histories(scans, codes, end):
        found = judge_silence(history, end, alarm / len(codes), down)
        if found is not None and found.chance < alarm / len(codes):
            rows.append((*code, max(history), *found))
    return frame_of(rows, TYPES).sort_values(["chance", "qrcode"], ignore_index=True)


def _histories(view: Scans, codes: pd.DataFrame, end: date) -> Iterator[tuple[tuple[str, str, str], dict[date, int]]]:
    """Give the names of each QR Code that has been silent for a day or more, and its scans by day before that.

    The history begins on the day after the first scan, or sixteen weeks before the last one, and ends with it.
    """
    if not len(codes):
        return
    first, last = (codes[name].map(lambda moment: on_the_clock(moment, view.zone).date()) for name in ("first", "last"))
    codes = codes.assign(first=first + DAY, last=last)
    is_silent = (last < end - DAY) & (last >= end - MOST_SILENT * DAY) & (codes["first"] < last)
    codes = codes[is_silent]
    if not len(codes):
        return
    since = max(codes["first"].min(), codes["last"].min() - WINDOWS[-1] * DAY)
    by_code = daily_by(view.where(since=since, qrcode_id=codes["qrcode_id"].tolist()), "qrcode_id")
    for id, name, campaign, first, last in codes.itertuples(index=False):
        ends = max(first, last - (WINDOWS[-1] - 1) * DAY), last + DAY
        yield (id, name, campaign), on_each_day(by_code[id], ends, view.zone)


def judge_silence(history: Mapping[date, int], end: date, alarm: float, down: Collection[date] = ()) -> Silence | None:
    """Judge the silence from the end of a history to the day before `end`; None for too few days, or if it is no alarm.

    The last day of the history, whose days are consecutive, had a scan. An alarm has a chance below `alarm`. Days when
    the server was `down` say nothing about a code.
    """
    numbers, number = list(history.values()), len(history)
    if sum(map(bool, numbers)) < FEWEST_DAYS:
        return None
    rate, spread = sum(numbers) / number, spread_of(history)
    days = [max(history) + passed * DAY for passed in range(1, (end - max(history)).days)]
    days = [day for day in days if day not in down]
    factors = weekday_factors(side_of(history), rate, spread.ratio)
    silence = sum(factors[day.weekday()] for day in days)

    def chance(width: float) -> float:
        counts = ((min(number, window), sum(numbers[-window:])) for window in WINDOWS)
        return max(float((length / (length + silence)) ** (scans / width + 0.5)) for length, scans in counts)

    if chance(1.0) >= alarm:  # measuring the width takes a millisecond, and makes the chance larger
        return None
    if number < LONG_ENOUGH:
        width = 2 * spread.widened(LEVEL)
    else:
        width = max(1.0, long_run_spread([side_of(history)], LEVEL).variance / rate)
    return Silence(len(days), sum(numbers), rate, chance(width))
