"""Finds QR Codes whose scans changed for themselves, as those of a poster do that was moved or covered.

Each code is compared with the codes whose change is in the middle of all, over the same days, so that weather and
seasons cancel out, and one busy code that fell does not make all others look as if they had risen. Of many codes, some
change by chance alone, so the list is made such that on average at most a stated share of it is wrong (Benjamini and
Hochberg, 1995).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, timedelta
from math import log, sqrt
from statistics import NormalDist
from typing import NamedTuple

import pandas as pd

from qrkit.analytics.comparing import Group, controlled_sides, sides_of
from qrkit.analytics.daily_spread import TWO_WEEKS, beginnings, check_share, on_each_day, span_of, whole_days
from qrkit.analytics.distributions import student_mixture_tail
from qrkit.analytics.long_run_spread import long_run_posterior
from qrkit.analytics.over_time import daily_by
from qrkit.analytics.rate_intervals import FEWEST_SCANS
from qrkit.store import Scans
from qrkit.tracking.text_columns import frame_of

MOST_CODES = 200
"""Only the most scanned codes are compared: each takes a millisecond."""
FEWEST_CODES = 3
"""With two codes, nobody can tell which one of them changed."""
WEEK = timedelta(days=7)
"""A QR Code that began more than a week after the first day is new, not moved."""
LEVEL = 0.95
TYPES = {"qrcode_id": "str", "qrcode": "str", "campaign": "str"}
TYPES |= dict.fromkeys(("before", "after", "ratio", "chance"), "float64")
NAMES = "SELECT qrcode_id, qrcode_label, coalesce(campaign_label, '') AS campaign FROM codes"


class Moved(NamedTuple):
    """A QR Code whose scans changed for themselves; `before` and `after` are scans per day.

    `ratio` is its change, divided by that of the codes in the middle, and `chance` the probability of a change at least
    as large if nothing happened to it.
    """

    before: float
    after: float
    ratio: float
    chance: float


def moved(scans: Scans, change: date | str | None = None, *, wrong: float = 0.05) -> pd.DataFrame:
    """Return the QR Codes that rose or fell unlike the others: one row for each, the clearest first.

    A poster that was moved to another place changes while the others stay as they were. Codes that no longer have scans
    are in `silent` instead. Codes that began later than a week into the view are left out, and so are all but the 200
    most scanned.

    Columns: qrcode_id, qrcode, campaign (str, names that are unique), before, after (float64, scans per day), ratio
    (float64, how many times as many scans, relative to the other codes), chance (float64, 0..1, the probability of such
    a change, up or down, if nothing happened to the code).

    Args:
        scans: The view, with two weeks or more on both sides of the change. Only whole days count.
        change: Day or moment that the days are split at; None for the middle of the view.
        wrong: Share of the listed codes that is wrong on average, above 0 and below 1.

    Raises:
        InvalidParameter: If the view has too few whole days, or if `change` or `wrong` is invalid.
    """
    wrong = check_share("wrong", wrong)
    ((first, last),) = whole_days([scans])
    view = scans.where(since=first, until=last)
    sides = sides_of(view, first + (last - first) // 2 if change is None else change)
    ids, start = settled(beginnings(view), first)
    days = [_by_code(side, ids, start) for side in sides]
    found = find_moved(days[0], days[1], wrong)
    names = {id: (id, name, campaign) for id, name, campaign in view.ask(NAMES).itertuples(index=False)}
    return frame_of([(*names[id], *one) for id, one in found.items()], TYPES)


def settled(begins: Mapping[str, date], first: date) -> tuple[list[str], date]:
    """Return the QR Codes that began by a week after the first day, and the day from which all of them count."""
    found = {id: begin for id, begin in begins.items() if begin <= first + WEEK}
    return list(found), max([first, *found.values()])


def find_moved(
    before: Mapping[str, Mapping[date, int]], after: Mapping[str, Mapping[date, int]], wrong: float
) -> dict[str, Moved]:
    """Return the QR Codes that changed for themselves, the clearest first, from the scans by day of each, by ID.

    On average, a share of `wrong` of the result is wrong.
    """
    groups = {id: Group(days, after[id]) for id, days in before.items() if id in after}
    groups = {id: one for id, one in groups.items() if any(one.before.values()) and any(one.after.values())}
    if len(groups) < FEWEST_CODES or min(span_of(side) for side in next(iter(groups.values()))) < TWO_WEEKS:
        return {}
    busiest = sorted(groups, key=lambda id: -sum(groups[id].before.values()) - sum(groups[id].after.values()))
    groups = {id: groups[id] for id in busiest[:MOST_CODES]}
    middle = _middle(groups)
    typical, judged = _sum(middle, groups), dict[str, Moved]()
    for id, group in groups.items():
        found = _judge(group, _less(typical, group) if id in middle else typical, wrong)
        if found is not None:
            judged[id] = found
    order = sorted(judged, key=lambda id: judged[id].chance)
    last = max(
        (place for place, id in enumerate(order, 1) if judged[id].chance <= wrong * place / len(order)), default=0
    )
    return {id: judged[id] for id in order[:last]}


def _middle(groups: Mapping[str, Group]) -> set[str]:
    """Return the QR Codes whose change is in the middle half of all, two or more."""
    order = sorted(groups, key=lambda id: groups[id].ratio)
    cut = (len(order) - max(2, len(order) // 2)) // 2
    return set(order[cut : len(order) - cut])


def _sum(ids: Collection[str], groups: Mapping[str, Group]) -> Group:
    """Add up the scans of some QR Codes."""
    sides = ([groups[id][side] for id in ids] for side in (0, 1))
    before, after = ({day: sum(one[day] for one in days) for day in days[0]} for days in sides)
    return Group(before, after)


def _less(total: Group, own: Group) -> Group:
    """Return the scans of a group without those of one of its QR Codes."""
    before, after = (
        {day: number - one[day] for day, number in side.items()} for side, one in zip(total, own, strict=True)
    )
    return Group(before, after)


def _judge(group: Group, control: Group, wrong: float) -> Moved | None:
    """Compare the change of one QR Code with that of the others; None if it has too few scans."""
    sums = [sum(days.values()) for days in group]
    ratio = group.ratio / control.ratio
    rates = [number / len(days) for number, days in zip(sums, group, strict=True)]
    alone = sum(1 / number for number in (*sums, *(sum(days.values()) for days in control)))
    far = abs(log(ratio)) / sqrt(alone)
    chance = 2 * NormalDist().cdf(-far)
    if chance > wrong:  # measuring how days vary takes a millisecond, and makes the chance larger
        return Moved(rates[0], rates[1], ratio, chance)
    posterior = long_run_posterior(controlled_sides(group, control)[0])
    if min(sums) / max(1.0, posterior.variance(LEVEL)) < FEWEST_SCANS:
        return None
    tail = student_mixture_tail(posterior.weights, posterior.scales, posterior.freedom, far)
    return Moved(rates[0], rates[1], ratio, max(2 * tail, chance))


def _by_code(side: Scans, ids: Collection[str], start: date) -> dict[str, dict[date, int]]:
    """Return the scans of these QR Codes on each day of a view from a day on."""
    ((first, last),) = whole_days([side])
    first = max(first, start)
    known = daily_by(side, "qrcode_id")
    return {id: on_each_day(known.get(id, {}), (first, last), side.zone) for id in ids}
