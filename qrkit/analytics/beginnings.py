"""Tells from which day on each QR Code counts: from the day after its first scan.

A poster that went up last week has no scans of the weeks before, which says nothing about it. When a code began is not
recorded, but its first scan shows that it had; the day of that scan may be incomplete. Codes that were scanned on the
first day of a view count from that day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import get_args

from qrkit.analytics.daily_spread import FEWEST_DAYS
from qrkit.store import Scans
from qrkit.store.questions.local_time import on_the_clock
from qrkit.store.questions.scan_attributes import Attribute, Part, group_sql

PARTS = "SELECT DISTINCT qrcode_id, {key} AS part FROM codes"
FIRST = "SELECT qrcode_id, min(time) AS first FROM lean GROUP BY ALL"


def beginnings(scans: Scans) -> dict[str, date]:
    """Return the day after the first scan of each QR Code of a view that has any before the view ends, by ID.

    First scans count that are older than the view, and those that its filters by attributes leave out.
    """
    frame = replace(scans, since=None, kinds=("scan",), attributes=()).ask(FIRST)
    firsts = zip(frame["qrcode_id"].astype("str"), frame["first"], strict=True)
    return {id: on_the_clock(first.to_pydatetime(), scans.zone).date() + timedelta(days=1) for id, first in firsts}


def beginnings_by(scans: Scans, by: Attribute | str | None) -> dict[str, date]:
    """Return from which day on each QR Code or campaign of a view counts: from the beginning of its first code.

    Without `by`, the text "" stands for all codes. Other attributes of scans have no beginning.
    """
    if by is not None and by not in get_args(Part):
        return {}
    begins = beginnings(scans)
    found: dict[str, date] = {}
    for id, part in scans.ask(PARTS.format(key=group_sql(by, scans))).itertuples(index=False):
        if id in begins:
            found[part] = min(found.get(part, date.max), begins[id])
    return found


def begin_within(begin: date, first: date) -> date:
    """Return the day from which on a code counts in a view: the first day, if it was scanned by then."""
    return begin if begin > first + timedelta(days=1) else first


def from_beginning(days: Mapping[date, int], begin: date | None) -> dict[date, int]:
    """Return the scans of the days from a beginning on, at least the last two days."""
    begin = begin_within(begin, min(days)) if begin else min(days)
    kept = {day: number for day, number in days.items() if day >= begin}
    return kept if len(kept) >= FEWEST_DAYS else dict(list(days.items())[-FEWEST_DAYS:])
