"""Draws scans over time: lines per day or hour, in one chart or in small multiples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING, Any

from qrkit.charts.axes import (
    NARROW,
    Chart,
    a_unit,
    above,
    add_axes,
    add_text,
    axes_at,
    blank,
    count_axis,
    count_text,
    draw_line,
    hidden_words,
    house_style,
    listed,
    names_above,
    names_at_ends,
    nothing,
    time_axis,
    time_words,
    top_of,
    unit_of,
)
from qrkit.charts.colors import MOST_COLORS, assign_colors, tint
from qrkit.charts.labels import cut, length, others
from qrkit.errors import InvalidParameter, Problem

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["lines", "small_multiples"]

MANY_DAYS = 120
"""Minimum number of days to show a 7-day mean, because weekly patterns would hide everything else."""

WIDE = 900
"""Minimum width in pixels for long names."""

MOST_PANELS = 24
"""Maximum number of small charts: more would not give an overview."""

PANEL = (210, 92)
"""Minimum width and the height of a small chart, in pixels."""

UNIT = 8
"""Pixels above all small charts, for the unit of their numbers."""


@house_style()
def lines(
    frame: pd.DataFrame, *, colors: Mapping[str, int] | None = None, width: int = 760, height: int = 280
) -> Chart:
    """Draw scans over time: one line, or one line per campaign or QR Code; beyond six, the smallest are combined.

    From 120 days on, each day shows the mean of the 7 days around it.

    Args:
        frame: Columns day or start (datetime64), scans (int; missing values are gaps), and optionally one text column
            that names the lines; as returned by `analytics.scans_per_day` and `analytics.scans_per`.
        colors: Color number of each line, keyed by name (`assign_colors`); by default the largest line has the first.
        width: Pixels. Below 560, the names are above the lines, otherwise at their ends.
        height: Pixels.

    Raises:
        InvalidParameter: If the chart would be too narrow or too short.

    Example:
        >>> import pandas as pd
        >>> days = pd.DataFrame({"day": pd.date_range("2026-03-01", periods=3), "scans": [3, 0, 5]})
        >>> lines(days)
        <Chart size 760x280 with 1 Axes>
    """
    if not frame["scans"].sum():
        return nothing(width, height, is_hidden=frame["scans"].hasnans)
    by, table = _table(frame, MOST_COLORS)
    names, moments = list(table.columns), [moment.to_pydatetime() for moment in table.index]
    unit = unit_of(moments)
    is_mean = unit == "day" and len(moments) >= MANY_DAYS
    shown = table.astype("float64")
    if is_mean:
        shown = shown.rolling(7, center=True, min_periods=1).mean().where(shown.notna())
    numbers = assign_colors(names) if colors is None else colors
    keys = {name: f"color-{numbers.get(name, 0 if by else 1)}" for name in names}
    chart = blank(width, height)
    # A line that ends in a gap has its name at its last point. If it is hidden as a whole, only the description names
    # it.
    ends = shown.ffill().iloc[-1].dropna().to_dict() if by and width >= NARROW else {}
    top = 28 if ends or not by else names_above(chart, keys) + 28
    letters = 30 if width >= WIDE else 22
    right = max((length(cut(name, letters)) + 34 for name in ends), default=22)
    most = float(shown.max().max())
    axes = add_axes(chart, left=max(38, length(f"{most:,.0f}") + 14), right=right, top=top, bottom=26)
    count_axis(chart, axes, most)
    above(chart, axes, f"scans {a_unit(unit)}{', mean of 7 days' if is_mean else ''}")
    time_axis(chart, axes, moments)
    for name in reversed(names):  # draw the largest last, above the others
        draw_line(axes, moments, shown[name].tolist(), tint(keys[name]), label=name)
    if len(names) == 1:
        axes.fill_between(moments, shown[names[0]], color=tint(keys[names[0]]), alpha=0.1, linewidth=0, clip_on=False)
    names_at_ends(chart, axes, [(end, cut(name, letters), keys[name]) for name, end in ends.items()])
    chart.title = f"scans per {unit}{f' by {by}' if by else ''}"
    totals = _totals(table)
    told = f": {listed(names, totals.tolist())}" if by else ""
    chart.words = f"{totals.sum():,}{hidden_words(frame['scans'])} {time_words(moments)}{told}"
    return chart


@house_style()
def small_multiples(frame: pd.DataFrame, *, colors: Mapping[str, int] | None = None, width: int = 760) -> Chart:
    """Draw scans over time in one small chart per campaign or QR Code, largest first, all with the same scale.

    Beyond 24, the smallest are left out, and the chart says how many scans they have.

    Args:
        frame: As for `lines`, with a text column.
        colors: Number of the color of each chart by its name; by default all have the first color.
        width: Pixels.

    Raises:
        InvalidParameter: If the frame has no text column, or if the chart would be too narrow.
    """
    if not _text_column_name(frame):
        rule = "needs a column of text, a chart for each value: ask for it with `by`, or draw `lines`"
        raise InvalidParameter(Problem("frame", None, rule))
    if not frame["scans"].sum():
        return nothing(width, PANEL[1], is_hidden=frame["scans"].hasnans)
    by, table = _table(frame, MOST_PANELS)
    names, moments = list(table.columns), [moment.to_pydatetime() for moment in table.index]
    totals, shown = _totals(table), table.astype("float64")
    rest = names.pop() if frame[by].nunique() > MOST_PANELS else ""
    columns = max(1, min(len(names), width // PANEL[0], 4))
    columns = ceil(len(names) / ceil(len(names) / columns))  # balance the rows: 2 + 2, not 3 + 1
    chart = blank(width, UNIT + ceil(len(names) / columns) * PANEL[1] + 26 + (20 if rest else 0))
    most = float(shown[names].max().max())
    left, gap = max(26, length(f"{top_of(most):,}") + 10), 18
    wide = (width - left - 4 - gap * (columns - 1)) / columns
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        x, y = left + column * (wide + gap), UNIT + row * PANEL[1]
        axes = axes_at(chart, (x, y + 36), (wide, PANEL[1] - 36))
        count_axis(chart, axes, most, most_steps=1, has_numbers=not column)
        is_lowest = number + columns >= len(names)
        time_axis(chart, axes, moments, most=2 if is_lowest else 0)
        key = f"color-{1 if colors is None else colors.get(name, 0)}"
        _panel(axes, moments, shown[name].tolist(), tint(key))
        total = count_text(totals[name])
        room = wide - length(f" {total}") - 12
        add_text(chart, (x, y + 22), cut(name, max(room // 7, 6)))
        add_text(chart, (x + wide, y + 22), total, "quiet", ha="right")
    unit = unit_of(moments)
    add_text(chart, (left, 10), f"scans {a_unit(unit)}", "quiet", size=11)
    if rest:
        rest_text = f"and {others(frame[by].nunique() - MOST_PANELS)} with {count_text(totals[rest])} scans"
        add_text(chart, (left, chart.bbox.height - 10), rest_text, "quiet")
    chart.title = f"scans per {unit} by {by}"
    told = listed([*names, *([rest] if rest else [])], totals.tolist())
    chart.words = f"{totals.sum():,}{hidden_words(frame['scans'])} {time_words(moments)}: {told}"
    return chart


def _panel(axes: Axes, moments: Sequence[datetime], counts: Sequence[float], color: str) -> None:
    axes.fill_between(list(moments), list(counts), color=color, alpha=0.12, linewidth=0, clip_on=False)  # type: ignore[arg-type]
    draw_line(axes, moments, counts, color, linewidth=1.4)


def _text_column_name(frame: pd.DataFrame) -> str:
    """Return the name of the text column, or "" if there is none."""
    import pandas as pd

    return next((str(name) for name in frame.columns if pd.api.types.is_string_dtype(frame[name])), "")


def _table(frame: pd.DataFrame, most: int) -> tuple[str, Any]:
    """Return the name of the text column ("" for none) and a table with one column per part, largest first.

    Parts beyond `most` are combined in the last column. A part without a row at some time has 0 there. If all of its
    counts are missing, so is their sum. Times stay instants, so the hour that repeats when clocks go back is two rows.
    """
    time = next(name for name in ("day", "start") if name in frame)
    by = _text_column_name(frame)
    if not by:
        return "", frame.groupby(time)[["scans"]].sum(min_count=1)
    table = frame.groupby([time, by])["scans"].sum(min_count=1).unstack(fill_value=0)
    totals = _totals(table).sort_values(ascending=False, kind="stable")
    table = table[totals.index]
    if table.shape[1] <= most:
        return by, table
    few = table.iloc[:, :most]
    name = others(table.shape[1] - most)
    while name in few:  # a campaign may have this name
        name = f"all {name}"
    return by, few.assign(**{name: table.iloc[:, most:].sum(axis=1, min_count=1)})


def _totals(table: pd.DataFrame) -> pd.Series[Any]:
    """Return the sum of the known counts of each part; missing if some counts are missing and the others are 0."""
    totals = table.sum()
    return totals.mask((totals == 0) & table.isna().any())
