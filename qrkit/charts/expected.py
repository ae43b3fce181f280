"""Draws scans next to what was expected: the previous period, or the usual range."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from qrkit.charts.axes import (
    NARROW,
    Chart,
    a_unit,
    above,
    add_axes,
    add_text,
    at_time,
    blank,
    count_axis,
    date_text,
    draw_line,
    house_style,
    names_above,
    names_at_ends,
    nothing,
    place,
    time_axis,
    time_words,
    unit_of,
)
from qrkit.charts.colors import tint
from qrkit.charts.labels import length

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["forecast", "previous_period", "unusual_days"]

NOW, BEFORE = "this period", "the one before"
MOST_ROOM = 2
"""Maximum height of the usual range, relative to the day with the most scans."""
MOST_NAMED = 6
"""Maximum number of labeled unusual days: more dates would overlap."""


@house_style()
def previous_period(frame: pd.DataFrame, *, width: int = 760, height: int = 280) -> Chart:
    """Draw scans over time in front of those of the previous period, aligned at their starts.

    Args:
        frame: Columns start, previous_start (datetime64), scans, previous_scans; as returned by
            `analytics.scans_and_previous`.
        width: Pixels.
        height: Pixels.
    """
    if not (frame["scans"].fillna(0).sum() + frame["previous_scans"].fillna(0).sum()):
        return nothing(width, height)
    moments = _moments(frame)
    rows = {NOW: frame["scans"].dropna().tolist(), BEFORE: frame["previous_scans"].dropna().tolist()}
    keys = {NOW: "color-1", BEFORE: "color-0"}
    chart, axes = _paper(keys, most=max(map(max, filter(None, rows.values()))), size=(width, height), has_ends=True)
    time_axis(chart, axes, moments)
    above(chart, axes, f"scans {a_unit(unit_of(moments))}")
    for name in (BEFORE, NOW):
        wide = 1.8 if name == NOW else 1.4
        draw_line(axes, moments[: len(rows[name])], rows[name], tint(keys[name]), label=name, linewidth=wide)
    shown = moments[: len(rows[NOW])]
    axes.fill_between(shown, rows[NOW], color=tint("color-1"), alpha=0.1, linewidth=0, clip_on=False)  # type: ignore[arg-type]
    if width >= NARROW:
        names_at_ends(chart, axes, [(float(values[-1]), name, keys[name]) for name, values in rows.items() if values])
    chart.title = f"scans per {unit_of(moments)} and in the period before"
    chart.words = f"{sum(rows[NOW]):,} {time_words(shown or moments)}, {sum(rows[BEFORE]):,} in the period before"
    return chart


@house_style()
def unusual_days(frame: pd.DataFrame, *, width: int = 760, height: int = 280) -> Chart:
    """Draw scans per day over the usual range; days outside of it are highlighted and dated.

    Args:
        frame: Columns day (datetime64), scans, low, high (a usual day lies between them; missing where too few days
            have scans), is_unusual (bool); as returned by `analytics.unusual_days`.
        width: Pixels.
        height: Pixels.
    """
    if not frame["scans"].sum():
        return nothing(width, height)
    days, scans = [day.to_pydatetime() for day in frame["day"]], frame["scans"].tolist()
    # Few days rule out hardly anything: a range far above every day would flatten the line, and may have no end.
    high = frame["high"].clip(upper=MOST_ROOM * frame["scans"].max()).tolist()
    most = float(max(frame["scans"].max(), *high)) if frame["high"].notna().all() else float(frame["scans"].max())
    chart, axes = _paper({"scans": "color-1", "usual range": "heat-1"}, most=most, size=(width, height))
    time_axis(chart, axes, days)
    axes.fill_between(
        days, frame["low"].clip(upper=most).tolist(), high, color=tint("heat-1"), linewidth=0, zorder=0.5, clip_on=False
    )
    draw_line(axes, days, scans, tint("color-1"), label="scans")
    unusual = frame[frame["is_unusual"]]
    marked = [day.to_pydatetime() for day in unusual["day"]]
    how: dict[str, Any] = {"markerfacecolor": tint("color-2"), "markeredgecolor": tint("paper"), "linestyle": ""}
    axes.plot(marked, unusual["scans"].tolist(), marker="o", markersize=10, clip_on=False, label="_", **how)
    for day, number in list(zip(marked, unusual["scans"].tolist(), strict=True))[:MOST_NAMED]:
        _name(chart, axes, day, number)
    chart.title = "scans per day and what is usual"
    dates = ", ".join(f"{day:%Y-%m-%d} with {number:,}" for day, number in zip(marked, unusual["scans"], strict=True))
    none = "no day" if frame["high"].notna().all() else "not known, as too few days have scans"
    chart.words = f"{sum(scans):,} {time_words(days)}; unusual: {dates or none}"
    return chart


@house_style()
def forecast(frame: pd.DataFrame, *, past: pd.DataFrame | None = None, width: int = 760, height: int = 280) -> Chart:
    """Draw the expected scans of coming days over their range, after the past days if you pass them.

    Args:
        frame: Columns day (datetime64), scans (float), low, high, total, total_low, total_high (missing where no range
            is possible); as returned by `analytics.forecast`.
        past: Columns day (datetime64), scans (int); as returned by `analytics.scans_per_day`. Days that are also in the
            forecast are not drawn.
        width: Pixels.
        height: Pixels.
    """
    days, expected = [day.to_pydatetime() for day in frame["day"]], frame["scans"].tolist()
    before = frame[:0][["day", "scans"]] if past is None else past[past["day"] < frame["day"].iloc[0]]
    gone, counted = [day.to_pydatetime() for day in before["day"]], before["scans"].tolist()
    low, high = (frame[name].astype("float64").tolist() for name in ("low", "high"))
    most = max(*counted, *expected, *frame["high"].dropna(), 1.0)
    keys = ({"scans": "color-1"} if gone else {}) | {"expected": "color-2", "likely range": "heat-1"}
    chart, axes = _paper(keys, most=float(most), size=(width, height))
    time_axis(chart, axes, gone + days)
    axes.fill_between(days, low, high, color=tint("heat-1"), linewidth=0, zorder=0.5, clip_on=False)
    if gone:
        draw_line(axes, gone, counted, tint("color-1"), label="scans")
    draw_line(axes, days, expected, tint("color-2"), label="expected")
    last = frame.iloc[-1]
    chart.title = "scans per day and what is expected of the next days"
    likely = "" if frame["total_high"].hasnans else f", likely {last['total_low']:,} to {last['total_high']:,}"
    chart.words = f"about {last['total']:,.0f} {time_words(days)}{likely}"
    return chart


def _moments(frame: pd.DataFrame) -> list[datetime]:
    """Return the start times of the period, continued at the same steps if the previous period is longer."""
    # pandas subtracts elapsed time, while datetimes would subtract local clock times.
    starts, before = (list(frame[name].dropna()) for name in ("start", "previous_start"))
    if not starts:
        starts = before
    longer = [starts[-1] + (one - before[len(starts) - 1]) for one in before[len(starts) :]]
    return [start.to_pydatetime() for start in starts + longer]


def _paper(keys: dict[str, str], *, most: float, size: tuple[int, int], has_ends: bool = False) -> tuple[Chart, Axes]:
    """Return a chart with count axes. Its names are above, or there is room for them at the ends of lines."""
    chart = blank(*size)
    is_beside = has_ends and size[0] >= NARROW
    top = 28 if is_beside else names_above(chart, keys) + 28
    right = max(map(length, keys)) + 34 if is_beside else 22
    axes = add_axes(chart, left=max(38, length(f"{most:,.0f}") + 14), right=right, top=top, bottom=26)
    count_axis(chart, axes, most)
    return chart, axes


def _name(chart: Chart, axes: Axes, day: datetime, number: float) -> None:
    """Write a date above its dot, inside the chart."""
    x, y = place(chart, axes, at_time(day), number)
    text = f"{date_text(day)}: {number:,}"
    half = length(text) / 2
    add_text(chart, (min(max(x, half), chart.bbox.width - half), max(y - 15, 8)), text, ha="center")
