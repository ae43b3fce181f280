"""Names moments and periods, and determines which periods were not counted completely."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pandas as pd

from qrkit.languages import long_date, month_name, period_text, plain_date, say

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


SCANS_A = {
    "hour": "scans an hour",
    "day": "scans a day",
    "week": "scans a week",
    "month": "scans a month",
}
SCANS_PER = {
    "hour": "scans per hour",
    "day": "scans per day",
    "week": "scans per week",
    "month": "scans per month",
}
MOMENTS = {
    "hour": "on {day} from {time}",
    "day": "on {day}",
    "week": "in the week from {day}",
    "month": "in {month}",
}
INCOMPLETE = {
    "hour": "the hour from {time} is incomplete",
    "day": "{day} is incomplete",
    "week": "the week from {day} is incomplete",
    "month": "{month} is incomplete",
}
BOTH_INCOMPLETE = {
    "hour": "the first and the last hour are incomplete",
    "day": "the first and the last day are incomplete",
    "week": "the first and the last week are incomplete",
    "month": "the first and the last month are incomplete",
}


def unit_of(moments: Sequence[datetime]) -> str:
    """Return the unit of the steps between these moments: hour, day, week or month."""
    step = min((after - before for before, after in pairwise(moments)), default=24 * HOUR)
    bounds = (("hour", 12 * HOUR), ("day", 48 * HOUR), ("week", 300 * HOUR))
    return next((unit for unit, bound in bounds if step < bound), "month")


def scans_a(unit: str) -> str:
    """Name the unit of an axis: scans a day, scans an hour."""
    return say(SCANS_A[unit])


def scans_per(unit: str, column: str = "") -> str:
    """Name a chart by its unit, and by the column that its lines stand for: scans per day by campaign."""
    scans = say(SCANS_PER[unit])
    return say("{scans} by {column}", scans=scans, column=column) if column else scans


def time_words(moments: Sequence[datetime]) -> str:
    """Describe the first and the last moment in words."""
    has_hours = unit_of(moments) == "hour"
    first, last = (plain_date(end) + (f" {end:%H:%M}" if has_hours else "") for end in (moments[0], moments[-1]))
    return say("from {first} to {last}", first=first, last=last)


def moment_text(moment: datetime, unit: str) -> str:
    """Name the hour, day, week or month that begins at a moment, with its preposition."""
    return say(MOMENTS[unit], **_names(moment))


def days_text(moments: Sequence[datetime], frame: pd.DataFrame | None = None) -> str:
    """Name a period by its first and last day, such as 1 to 30 June 2026, given its hours, days, weeks or months.

    The counts of the frame may end before the last week or month does.
    """
    first, last = _local(moments[0]), _end(moments[-1], unit_of(moments)) - timedelta(microseconds=1)
    if frame is not None:
        since, until = _bounds(frame)
        first, last = max(first, since), max(first, min(last, until - timedelta(microseconds=1)))
    if first.date() == last.date():
        return long_date(last, year=True)
    return period_text(first, last)


def zone_text(frame: pd.DataFrame, moments: Sequence[datetime] = ()) -> str:
    """Return the name of a frame's time zone, from its times or its `attrs`; "" if neither has one."""
    zone = moments[0].tzinfo if moments else None
    known = str(getattr(zone, "key", "") or frame.attrs.get("time_zone", ""))
    return known.replace("_", " ")


def are_complete(frame: pd.DataFrame, moments: Sequence[datetime]) -> list[bool | None]:
    """Return for each hour, day, week or month whether it was counted completely; None if it is in the future.

    The `attrs` of frames from `qrkit.analytics` say since when and until when scans were counted. Where there are scans
    after that, the clock was wrong, and all count as whole.
    """
    (since, until), unit = _bounds(frame), unit_of(moments)
    scanned = frame.loc[frame["scans"].fillna(0) > 0, "day" if "day" in frame else "start"]
    if len(scanned) and _local(scanned.max().to_pydatetime()) >= until:
        until = datetime.max
    told: list[bool | None] = []
    for moment in moments:
        start = _local(moment)
        told.append(None if start >= until else since <= start and _end(moment, unit) <= until)
    return told


def partial_note(complete: Sequence[bool | None], moments: Sequence[datetime], *, is_dashed: bool = True) -> str:
    """Say which periods are not counted to their end, and are dashed or left out; "" if all are."""
    unit = unit_of(moments)
    partial = [moment for moment, whole in zip(moments, complete, strict=True) if whole is False]
    if not partial:
        return ""
    what = say(BOTH_INCOMPLETE[unit]) if len(partial) > 1 else say(INCOMPLETE[unit], **_names(partial[0]))
    return say("Dashed: {what}.", what=what) if is_dashed else say("Left out: {what}.", what=what)


def _names(moment: datetime) -> dict[str, str]:
    """Return the values of sentences about a moment."""
    return {"day": long_date(moment), "month": month_name(moment), "time": f"{moment:%H:%M}"}


def _bounds(frame: pd.DataFrame) -> tuple[datetime, datetime]:
    """Return the local times from which and until which scans were counted, as far as known."""

    def read(name: str, otherwise: datetime) -> datetime:
        text: Any = frame.attrs.get(name)
        return _local(datetime.fromisoformat(text)) if isinstance(text, str) else otherwise

    return read("since", datetime.min), read("until", datetime.max)


def _local(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)


def _end(moment: datetime, unit: str) -> datetime:
    start = _local(moment)
    if unit == "month":
        return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1, day=1)
    return start + {"hour": HOUR, "day": DAY, "week": 7 * DAY}[unit]
