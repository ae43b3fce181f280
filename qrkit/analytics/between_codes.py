"""Compares two groups of QR Codes, each code as one observation, so that intervals contain the codes' own differences.

Two designs hang on ten posters each. Their scans say which twenty posters were scanned how often; whether the *design*
makes a difference is a question about other posters, too. Places differ more than designs do, so the interval has to
rest on how much the codes of one group differ from each other: Welch's t over codes. Where each code was counted before
and after a change, its place cancels out, and only the codes' own changes are left.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from math import exp, nan, sqrt
from typing import NamedTuple

import numpy as np

from qrkit.analytics.daily_spread import begin_within, beginnings
from qrkit.analytics.distributions import student_probability, student_quantile
from qrkit.analytics.over_time import daily_by
from qrkit.analytics.rate_intervals import POWER, RatioInterval
from qrkit.languages import say
from qrkit.store import Scans

FEWEST_CODES = 2
"""One code does not show how codes of its group differ."""
HALF = 0.5
"""Added to each count before its logarithm is taken."""


class CodeCounts(NamedTuple):
    """The scans of one QR Code, and the number of days since its beginning on which it could be scanned."""

    scans: int
    days: int


class CodeLogs(NamedTuple):
    """One number per QR Code of a group: the logarithm of its rate, or of its change; both arrays are float64.

    The variance of each comes from counting independent scans alone.
    """

    values: np.ndarray
    variances: np.ndarray


def code_counts(view: Scans, days: Collection[date]) -> dict[str, CodeCounts]:
    """Count the scans of each QR Code of a view on these days, from the day after its first scan; by ID."""
    first, last = min(days), max(days)
    known = daily_by(view.where(since=first, until=last + timedelta(days=1)), "qrcode_id")
    counted, is_counted, found = sorted(days), set(days), {}
    for id, scanned in beginnings(view).items():
        begin = begin_within(scanned, first)
        if number := len(counted) - bisect_left(counted, begin):
            own = (scans for day, scans in known.get(id, {}).items() if day in is_counted and day >= begin)
            found[id] = CodeCounts(sum(own), number)
    return found


def rates_of(counts: Mapping[str, CodeCounts]) -> CodeLogs:
    """Return the logarithms of the scans per day of the QR Codes that were scanned."""
    rows = np.array([one for one in counts.values() if one.scans], dtype="float64").reshape(-1, 2)
    return CodeLogs(np.log((rows[:, 0] + HALF) / rows[:, 1]), 1 / (rows[:, 0] + HALF))


def changes_of(before: Mapping[str, CodeCounts], after: Mapping[str, CodeCounts]) -> CodeLogs:
    """Return the logarithms of scans per day after a change, divided by those before it.

    Only QR Codes count that were on display on both sides and were scanned on one of them.
    """
    pairs = [(*one, *after[id]) for id, one in before.items() if id in after and one.scans + after[id].scans]
    rows = np.array(pairs, dtype="float64").reshape(-1, 4)
    scans = rows[:, ::2] + HALF
    logs = np.log(scans / rows[:, 1::2])
    return CodeLogs(logs[:, 1] - logs[:, 0], (1 / scans).sum(axis=1))


def between_codes(first: CodeLogs, second: CodeLogs, level: float) -> RatioInterval:
    """Return the interval for the ratio of two groups of QR Codes, by Welch's t over codes.

    The ratio is that of typical codes: of the geometric means. Codes of a group are taken to differ at least as much as
    independent scans would.
    """
    groups = (first, second)
    numbers = [len(group.values) for group in groups]
    ratio = exp(second.values.mean() - first.values.mean()) if all(numbers) else nan
    if min(numbers) < FEWEST_CODES:
        few = say(
            "{codes} scanned QR Codes in one of the groups are too few; from {least} on, they show how codes of a "
            "group differ",
            codes=min(numbers), least=FEWEST_CODES,
        )  # fmt: skip
        return RatioInterval.none(ratio, few)
    shares = [
        max(float(group.values.var(ddof=1)), float(group.variances.mean())) / len(group.values) for group in groups
    ]
    error = sqrt(sum(shares))
    # A few codes may happen to differ little. So that they do not weigh too much, the freedom of groups that differ
    # equally counts twice in a harmonic mean. Alone, it makes the interval of 2 codes that do differ less than 100
    # others 40% wider.
    as_seen, alike = _freedom(shares, numbers), _freedom([1 / number for number in numbers], numbers)
    freedom = min(as_seen, 3 / (1 / as_seen + 2 / alike))
    far = student_quantile(freedom, (1 + level) / 2) * error
    low, high = ratio * exp(-far), ratio * exp(far)
    above = student_probability(freedom, (second.values.mean() - first.values.mean()) / error)
    smallest = exp(far + student_quantile(freedom, POWER) * error)
    spread = max(1.0, sum(shares) / sum(float(one.variances.mean()) / len(one.values) for one in groups))
    return RatioInterval(ratio, low, high, above, not low <= 1 <= high, smallest, spread, nan, "")


def _freedom(shares: Sequence[float], numbers: Sequence[int]) -> float:
    """Return Welch's degrees of freedom for the variances of two means, and the number of codes behind each."""
    return sum(shares) ** 2 / sum(share**2 / (number - 1) for share, number in zip(shares, numbers, strict=True))
