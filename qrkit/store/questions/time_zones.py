"""The clock of a view: its time zone, in the period in which the view may have scans."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from qrkit.errors import InvalidParameter, Problem
from qrkit.store.questions.local_time import YEARS, Stretch, stretches_in
from qrkit.store.questions.scans import Scans
from qrkit.tracking.times import moment_in


def stretches_of(scans: Scans) -> list[Stretch]:
    """Return the stretches of the view's time zone in which it may have scans."""
    return stretches_in(scans.zone, scans.bounds())


def moment_of(bound: date, zone: ZoneInfo) -> datetime:
    """Convert a bound of a view in this time zone to UTC, without a time zone."""
    if not YEARS[0] <= bound.year <= YEARS[1]:
        rule = f"must be in the years {YEARS[0]} to {YEARS[1]}, the years that scans can have"
        raise InvalidParameter(Problem("since or until", bound, rule, "out-of-range"))
    return moment_in(zone, bound)
