"""Turns counts over time into a table with one column per line, and says what it shows: moments, periods, a sentence.

It also determines which periods were not counted completely.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pandas as pd

from qrkit.charts.colors import assign_colors
from qrkit.charts.labels import others, quoted
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import long_date, month_name, period_text, plain_date, say

SCANS = ("{count} scan", "{count} scans")

SPOKEN = {
    "qrcode": "QR Code",
    "qrcode_id": "QR Code",
    "campaign_id": "Campaign",
    "system_version": "version of the system",
    "utm_source": "UTM source",
    "utm_medium": "UTM medium",
    "utm_campaign": "UTM campaign",
    "utm_term": "UTM term",
    "utm_content": "UTM content",
    "utm_id": "UTM ID",
}
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


def column_words(column: str) -> str:
    """Return the words for a column in the language of the chart."""
    return say(SPOKEN.get(column, column.replace("_", " ")))


def by_words(column: str) -> str:
    """Say what lines stand for: by campaign; "" if there is no column."""
    return say("by {column}", column=column_words(column)) if column else ""


def colors_of(frame: pd.DataFrame, by: str, names: Sequence[str]) -> dict[str, int]:
    """Return the color number of each line by its name: stored colors, or colors in the order of the names."""
    return stored_colors(frame, by, names) or assign_colors(names)


def stored_colors(frame: pd.DataFrame, by: str, names: Sequence[str]) -> dict[str, int]:
    """Return the color numbers that are stored with campaigns, whichever are shown.

    Empty for other names, and if there are more campaigns than colors.
    """
    own: dict[str, int] = frame.attrs.get("campaigns", {}) if by == "campaign" else {}
    is_enough = own and 0 not in own.values() and set(names) <= {*own, ""}
    return own | {"": 0} if is_enough else {}


def finding_of(table: pd.DataFrame, by: str) -> str:
    """Say what a table shows: which part has the most scans, or when the most scans came if there is only one."""
    totals, names = totals_of(table), [str(name) for name in table.columns]
    total = int(totals.sum())
    if by and table.shape[1] > 1:
        first = int(totals.iloc[0])
        return say("{name} has the most scans, {most} of {total}", name=quoted(names[0]), most=first, total=total)
    peak, counts = table.iloc[:, 0], say(SCANS, total)
    if by:
        counts = say("{scans} of {name}", scans=counts, name=quoted(names[0]))
    if len(table) < 2 or not peak.max():
        return counts
    when = [moment.to_pydatetime() for moment in table.index]
    top = moment_text(when[int(peak.fillna(0).to_numpy().argmax())], unit_of(when))
    return say("{scans}; most, {most}, {when}", scans=counts, most=int(peak.max()), when=top)


def shown_of(table: pd.DataFrame, complete: Sequence[bool | None], *, is_mean: bool = False) -> pd.DataFrame:
    """Return the values to draw: no future periods and, on request, the mean of the 7 whole days around each day."""
    shown = table.astype("float64")
    if not is_mean:
        return shown[[whole is not None for whole in complete]].reindex(shown.index)
    whole_days = shown[[whole is True for whole in complete]].reindex(shown.index)
    return whole_days.rolling(7, center=True, min_periods=1).mean().where(whole_days.notna())


def has_scans(frame: pd.DataFrame) -> bool:
    """Return whether a table of scans over time counts at least one scan."""
    times = [name for name in ("day", "start") if name in frame]
    if "scans" in frame and times and (frame.empty or pd.api.types.is_datetime64_any_dtype(frame[times[0]])):
        return bool(frame["scans"].sum())
    needed = "needs the columns day (or start; datetime64) and scans, as `analytics.scans_per_day` returns them"
    has = ", ".join(f"{name} ({dtype})" for name, dtype in frame.dtypes.items()) or "none"
    raise InvalidParameter(Problem("frame", None, f"{needed}; it has {has}"))


def text_column_name(frame: pd.DataFrame) -> str:
    """Return the name of the text column, or "" if there is none."""
    return next((str(name) for name in frame.columns if pd.api.types.is_string_dtype(frame[name])), "")


def table_of(frame: pd.DataFrame, most: int) -> tuple[str, Any]:
    """Return the name of the text column ("" for none) and a table with one column per part, largest first.

    Parts beyond `most` are combined in the last column. A part without a row at some time has 0 there. If all of its
    counts are missing, so is their sum. Times stay instants, so the hour that repeats when clocks go back is two rows.
    """
    time = next(name for name in ("day", "start") if name in frame)
    by = text_column_name(frame)
    if not by:
        return "", frame.groupby(time)[["scans"]].sum(min_count=1)
    table = frame.groupby([time, by])["scans"].sum(min_count=1).unstack(fill_value=0)
    totals = totals_of(table).sort_values(ascending=False, kind="stable")
    table = table[totals.index]
    if table.shape[1] <= most:
        return by, table
    few = table.iloc[:, :most]
    name = others(table.shape[1] - most)
    while name in few:  # a campaign may have this name
        name = say("all {others}", others=name)
    return by, few.assign(**{name: table.iloc[:, most:].sum(axis=1, min_count=1)})


def totals_of(table: pd.DataFrame) -> pd.Series[Any]:
    """Return the sum of the known counts of each part; missing if some counts are missing and the others are 0."""
    totals = table.sum()
    return totals.mask((totals == 0) & table.isna().any())


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
    return long_date(last, year=True) if first.date() == last.date() else period_text(first, last)


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
