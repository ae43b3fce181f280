"""Names moments and periods, and knows which of them are not counted to their end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MONTHS",
    "a_unit",
    "are_complete",
    "date_text",
    "long_date",
    "moment_text",
    "partial_note",
    "period_text",
    "time_words",
    "unit_of",
    "zone_text",
]

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONG_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def date_text(day: datetime) -> str:
    """Format a date like 13 Jun."""
    return f"{day.day} {MONTHS[day.month - 1]}"


def long_date(day: datetime) -> str:
    """Format a date like 13 June."""
    return f"{day.day} {LONG_MONTHS[day.month - 1]}"


def unit_of(moments: Sequence[datetime]) -> str:
    """Return the unit of the steps between these moments: hour, day, week or month."""
    step = min((after - before for before, after in pairwise(moments)), default=24 * HOUR)
    bounds = (("hour", 12 * HOUR), ("day", 48 * HOUR), ("week", 300 * HOUR))
    return next((unit for unit, bound in bounds if step < bound), "month")


def a_unit(unit: str) -> str:
    """Name what a count is per: per day, per hour."""
    return f"{'an' if unit == 'hour' else 'a'} {unit}"


def time_words(moments: Sequence[datetime]) -> str:
    """Describe the first and the last moment in words."""
    shape = "%Y-%m-%d %H:%M" if unit_of(moments) == "hour" else "%Y-%m-%d"
    return f"from {moments[0]:{shape}} to {moments[-1]:{shape}}"


def moment_text(moment: datetime, unit: str) -> str:
    """Name the hour, day, week or month that begins at a moment, with its preposition."""
    if unit == "hour":
        return f"on {long_date(moment)} from {moment:%H:%M}"
    if unit == "day":
        return f"on {long_date(moment)}"
    return f"in the week from {long_date(moment)}" if unit == "week" else f"in {LONG_MONTHS[moment.month - 1]}"


def period_text(moments: Sequence[datetime], frame: pd.DataFrame | None = None) -> str:
    """Name a period by its first and last day, such as 1 to 30 June 2026, given its hours, days, weeks or months.

    The counts of the frame may end before the last week or month does.
    """
    first, last = _local(moments[0]), _end(moments[-1], unit_of(moments)) - timedelta(microseconds=1)
    if frame is not None:
        since, until = _bounds(frame)
        first, last = max(first, since), max(first, min(last, until - timedelta(microseconds=1)))
    if first.date() == last.date():
        return f"{long_date(last)} {last.year}"
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}\N{EN DASH}{long_date(last)} {last.year}"
    year = "" if first.year == last.year else f" {first.year}"
    return f"{long_date(first)}{year} \N{EN DASH} {long_date(last)} {last.year}"


def zone_text(frame: pd.DataFrame, moments: Sequence[datetime] = ()) -> str:
    """Name the time zone of a frame, which its times or its `attrs` tell; "" if neither does."""
    zone = moments[0].tzinfo if moments else None
    known = str(getattr(zone, "key", "") or frame.attrs.get("time_zone", ""))
    return known.replace("_", " ")


def are_complete(frame: pd.DataFrame, moments: Sequence[datetime]) -> list[bool | None]:
    """Tell of each hour, day, week or month whether it is counted as a whole; None if it lies in the future.

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


def partial_note(complete: Sequence[bool | None], moments: Sequence[datetime], verb: str = "Dashed") -> str:
    """Say which periods are not counted to their end; "" if all are."""
    unit = unit_of(moments)
    partial = [moment for moment, whole in zip(moments, complete, strict=True) if whole is False]
    if not partial:
        return ""
    if len(partial) > 1:
        return f"{verb}: the first and the last {unit} are incomplete."
    name = {
        "hour": f"the hour from {partial[0]:%H:%M}",
        "day": long_date(partial[0]),
        "week": f"the week from {long_date(partial[0])}",
        "month": LONG_MONTHS[partial[0].month - 1],
    }[unit]
    return f"{verb}: {name} is incomplete."


def _bounds(frame: pd.DataFrame) -> tuple[datetime, datetime]:
    """Return since when and until when scans were counted, in local time, as far as it is known."""

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
