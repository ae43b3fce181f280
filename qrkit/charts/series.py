"""Turns counts over time into a table with one column per line, and says in a sentence what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from qrkit.charts.colors import assign_colors
from qrkit.charts.labels import others, quoted
from qrkit.charts.periods import moment_text, unit_of
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import say

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


def column_words(column: str) -> str:
    """Return the name of a column as people say it."""
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
    """Return whether a frame of scans over time has any scan."""
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
