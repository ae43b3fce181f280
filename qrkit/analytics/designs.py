"""Compares designs that hang on several posters each, and plans how many posters such a comparison needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from itertools import combinations
from math import ceil, exp, log, sqrt
from numbers import Real
from statistics import NormalDist

import pandas as pd

from qrkit.analytics.between_codes import CodeCounts, CodeLogs, between_codes, changes_of, code_counts, rates_of
from qrkit.analytics.comparing import check_zone, sides_of, whole_days_of
from qrkit.analytics.daily_spread import check_share, whole_days
from qrkit.analytics.rate_intervals import POWER, RatioInterval
from qrkit.errors import InvalidParameter, Problem, check_whole
from qrkit.languages import number_text, percent_text, say
from qrkit.store import Scans
from qrkit.tracking.text_columns import frame_of

MOST_GROUPS = 20
"""Maximum number of designs compared: of 20, there are 190 pairs."""
DESIGN_TYPES = {"first": "str", "second": "str", "first_codes": "int64", "second_codes": "int64"}
DESIGN_TYPES |= {"first_scans": "int64", "second_scans": "int64"}
DESIGN_TYPES |= dict.fromkeys(("ratio", "low", "high", "probability"), "float64") | {"differs": "boolean"}
DESIGN_TYPES |= {"smallest": "float64", "reason": "str", "sentence": "str"}

LEVEL = 0.95
LENGTHS = (7, 14, 21, 28, 42, 56, 84, 112)
"""Days of the rows of a plan."""
MOST_POSTERS = 1_000_000
MOST = {"per_day": 1_000_000.0, "lift": 100.0, "shift": 3.0, "places": 3.0, "spread": 1_000.0}
MOST_LIFT = 1_000.0
"""A larger lift is said to be out of reach."""


def compare_designs(
    groups: Mapping[str, Scans],
    *,
    change: date | str | None = None,
    level: float = 0.95,
    without: Collection[date] = (),
) -> pd.DataFrame:
    """Compare designs that hang on several posters each: which one is scanned more, whatever the places are.

    Each QR Code is one observation, so the interval rests on how much the codes of one group differ, and holds
    for other posters of these designs, too. If all posters hung before their designs were changed, pass the `change`:
    each code is then compared with itself, its place cancels out, and ten posters a group are often enough. Without it,
    only the scans a day can be compared, whose places differ more than most designs do; `smallest` says how much would
    have shown. `plan` tells beforehand how many posters you need. Assign designs to posters at random.

    Each code counts from the day after its first scan. Codes without scans, or that began after the change, are left
    out.

    Columns: first, second (str, two of the names; one row for each pair), first_codes, second_codes, first_scans,
    second_scans (int64, QR Codes that are compared, and their scans), ratio, low, high (float64, how many times as
    often a typical code of the second group is scanned as one of the first, and its interval; with a change, relative
    to the time before), probability (float64, 0..1, that the ratio is above 1), differs (boolean, whether the interval
    excludes 1), smallest (float64, the smallest ratio, or 1 / ratio, that would have been detected in 4 of 5 cases),
    reason (str, why there is no interval, or empty), sentence (str, the answer in words). Without an interval, low,
    high, probability, differs and smallest are missing.

    Args:
        groups: 2 to 20 views by the name of their design, all in one time zone, each with two QR Codes or more. Only
            whole days count; without `since` or `until`, those between the first and the last scan of all views.
        change: Day or moment from which the designs hang there, as in `before_and_after`; None if they always did.
        level: Probability that all intervals contain the true ratios, above 0 and below 1.
        without: Days to leave out, for instance of an event that is not part of the question.

    Raises:
        InvalidParameter: If there are fewer than 2 or more than 20 groups, if a QR Code is in two of them, if the time
            zones differ, if a view has too few whole days, or if `change` or `level` is invalid.

    Example:
        >>> from datetime import date
        >>> from qrkit import open_portfolio
        >>> from qrkit.analytics import Truth, simulate
        >>> swap = date(2026, 3, 29)
        >>> with open_portfolio(":memory:") as shop:
        ...     groups = {}
        ...     for design, effect in (("plain", 1.0), ("framed", 2.0)):
        ...         posters = {f"{design}{number}": 2.0 + number for number in range(6)}
        ...         codes = [shop.insert_qrcode("https://example.com", short_code=code) for code in posters]
        ...         truth = Truth(change=swap, effect=effect)
        ...         number = shop.scans.insert(simulate(posters, since=date(2026, 3, 1), days=56, truth=truth))
        ...         groups[design] = shop.scans.where(qrcode_id=[code.id for code in codes])
        ...     bool(compare_designs(groups, change=swap)["differs"].iloc[0])
        True
    """
    level, views = check_share("level", level), _check_groups(groups)
    within = [
        view.where(since=since, until=until) for view, (since, until) in zip(views, whole_days(views), strict=True)
    ]
    logs = {name: _logs(view, change, without) for name, view in zip(groups, within, strict=True)}
    pairs = list(combinations(logs, 2))
    each = 1 - (1 - level) / len(pairs)  # Of many intervals, some would be wrong by chance (Bonferroni).
    rows = []
    for first, second in pairs:
        (one, scans), (two, other_scans) = logs[first], logs[second]
        found = between_codes(one, two, each)._asdict()
        words = _sentence(first, second, RatioInterval(**found), has_before=change is not None)
        counted = {"first_codes": len(one.values), "second_codes": len(two.values)}
        counted |= {"first_scans": scans, "second_scans": other_scans}
        rows.append({"first": first, "second": second, **counted, **found, "sentence": words})
    return frame_of(rows, DESIGN_TYPES)


def _check_groups(groups: Mapping[str, Scans]) -> list[Scans]:
    """Return the views of groups that can be compared."""
    if not isinstance(groups, Mapping) or not all(isinstance(view, Scans) for view in groups.values()):
        rule = "must be a dict of views of scans by the names of designs, such as {'plain': …, 'framed': …}"
        raise InvalidParameter(Problem("groups", type(groups).__name__, rule, "wrong-type"))
    if not 2 <= len(groups) <= MOST_GROUPS:
        raise InvalidParameter(Problem("groups", len(groups), f"must be 2 to {MOST_GROUPS} views", "out-of-range"))
    views, taken = list(groups.values()), dict[str, str]()
    for name, view in groups.items():
        check_zone(views[0], view)
        codes = view.ask("SELECT qrcode_id, qrcode FROM codes")
        for id, code in zip(codes["qrcode_id"], codes["qrcode"], strict=True):
            if taken.setdefault(id, name) != name:
                rule = f"must have no QR Code in common; {code!r} is in both"
                raise InvalidParameter(Problem("groups", f"{taken[id]}, {name}", rule))
    return views


def _logs(view: Scans, change: date | str | None, without: Collection[date]) -> tuple[CodeLogs, int]:
    """Return one logarithm for each QR Code of a view that can be compared, and the scans of these codes."""
    if change is None:
        counts = code_counts(view, whole_days_of(view, without))
        return rates_of(counts), _scans(counts)
    before, after = (code_counts(side, whole_days_of(side, without)) for side in sides_of(view, change))
    return changes_of(before, after), _scans(before) + _scans({id: after[id] for id in before})


def _scans(counts: Mapping[str, CodeCounts]) -> int:
    return sum(one.scans for one in counts.values())


def _sentence(first: str, second: str, found: RatioInterval, *, has_before: bool) -> str:
    """Say what a comparison of two designs found."""
    names = {"first": first, "second": second}
    if found.reason:
        return say("Nothing can be said about {second} and {first}: {reason}.", reason=found.reason, **names)
    values = {name: _times(getattr(found, name)) for name in ("ratio", "low", "high", "smallest")} | names
    if found.differs:
        return say("{second} brings {ratio} times as many scans as {first} (likely {low} to {high} times).", **values)
    same = say(
        "No clear difference between {second} and {first} (likely {low} to {high} times as many scans); one of "
        "{smallest} times or more would have been detected in 4 of 5 cases.",
        **values,
    )
    if has_before:
        return same
    places = say("Places differ, too, and without a time before, nothing tells them from the designs.")
    return f"{same} {places}"


def _times(ratio: float) -> str:
    return number_text(ratio, ".2f" if ratio < 10 else ",.0f")


def plan(
    *,
    per_day: float,
    lift: float,
    posters: int | None = None,
    shift: float = 0.2,
    places: float = 0.7,
    spread: float = 1.0,
) -> pd.DataFrame:
    """Plan a comparison of two designs before anything is printed: how many posters, for how many days.

    Each row has as many days before the change of designs as after it. The number of posters in each of the two groups
    is 2 (1.96 + 0.84)² (shift² + spread (1 / before + 1 / after)) / log(1 + lift)², where before and after are the
    scans of one poster: with that many, an interval of 95% excludes "no difference" in 4 of 5 cases. It counts every
    poster as one observation, as `compare_designs` and `before_and_after` with a control group do.

    Columns: days (int64, 7..112, before the change, and as many after it), posters (int64, needed in each group),
    posters_without_before (int64, needed in each group if the posters are new, so that there is no time before: the
    differences between places then do not cancel out), smallest (float64, the lift that your number of posters shows in
    4 of 5 cases; missing without `posters`), is_enough (boolean, whether `posters` are enough; missing without),
    sentence (str, the row in words).

    Args:
        per_day: Scans of a typical poster per day, above 0.
        lift: The effect that matters to you, above 0: 0.3 for 30% more scans.
        posters: How many posters you can have in each of the two groups, 2 or more.
        shift: How much posters change by themselves: standard deviation of the logarithm, 0..3; 0.2 is about 20%.
        places: How much places differ: standard deviation of the logarithm of their rates, 0..3; 0.7 is a factor of 2.
        spread: Variance of a poster's daily scans relative to independent ones, 1 or more; see `rates`.

    Raises:
        InvalidParameter: If an argument is out of range.

    Example:
        >>> plan(posters=10, per_day=1, lift=0.5).loc[3, "sentence"]
        '28 days before and 28 after: 11 posters in each group show a lift of 50%; 10 show one of 52% or more.'
    """
    numbers = {"per_day": per_day, "lift": lift, "shift": shift, "places": places, "spread": spread}
    for name, value in numbers.items():
        _check_number(name, value)
    if posters is not None:
        check_whole("posters", posters, 2, MOST_POSTERS, more=", or None")
    normal = NormalDist()
    far = 2 * (normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)) ** 2
    rows = []
    for days in LENGTHS:
        scans = per_day * days
        changes, alone = shift**2 + 2 * spread / scans, places**2 + spread / scans
        needed, new = (max(2, ceil(far * each / log(1 + lift) ** 2)) for each in (changes, alone))
        smallest = exp(min(sqrt(far * changes / posters), log(MOST_LIFT))) - 1 if posters else None
        words = _plan_sentence(days, needed, lift, posters, smallest)
        rows.append((days, needed, new, smallest, None if posters is None else posters >= needed, words))
    types = {"days": "int64", "posters": "int64", "posters_without_before": "int64", "smallest": "float64"}
    types |= {"is_enough": "boolean", "sentence": "str"}
    return frame_of(rows, types)


def _check_number(name: str, value: float) -> None:
    least = {"shift": 0.0, "places": 0.0, "spread": 1.0}.get(name, 0.001)
    if not isinstance(value, Real) or isinstance(value, bool) or not least <= value <= MOST[name]:
        raise InvalidParameter(Problem(name, value, f"must be in {least:g}..{MOST[name]:,.0f}", "out-of-range"))


def _plan_sentence(days: int, needed: int, lift: float, posters: int | None, smallest: float | None) -> str:
    """Say what a row of a plan means."""
    values = {"days": f"{days}", "needed": f"{needed:,}", "lift": percent_text(100 * lift)}
    words = say("{days} days before and {days} after: {needed} posters in each group show a lift of {lift}", **values)
    if posters is None or smallest is None:
        return f"{words}."
    own = say("{posters} show one of {smallest} or more", posters=f"{posters:,}", smallest=percent_text(100 * smallest))
    return f"{words}; {own}."
