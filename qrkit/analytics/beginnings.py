"""Tells from which day on each QR Code counts: from the day after its first scan.

A poster that went up last week has no scans of the weeks before, which says nothing about it. When a code began is not
recorded, but its first scan shows that it had; the day of that scan may be incomplete.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from qrkit.analytics.time_zones import on_the_clock
from qrkit.store import Scans

__all__ = ["beginnings"]

FIRST = "SELECT qrcode_id, min(time) AS first FROM lean GROUP BY ALL"


def beginnings(scans: Scans) -> dict[str, date]:
    """Return the day after the first scan of each QR Code of a view that has any before the view ends, by ID.

    First scans count that are older than the view, and those that its filters by attributes leave out.
    """
    frame = replace(scans, since=None, kinds=("scan",), attributes=()).ask(FIRST)
    firsts = zip(frame["qrcode_id"].astype("str"), frame["first"].dt.to_pydatetime(), strict=True)
    return {id: on_the_clock(first, scans.zone).date() + timedelta(days=1) for id, first in firsts}
