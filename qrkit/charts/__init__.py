"""Charts: a DataFrame of `qrkit.analytics` becomes a figure, and a figure becomes SVG for a page.

Nothing here asks the store. Figures are matplotlib's, made without pyplot: each belongs to who holds it, no backend is
needed, and `figure.savefig("chart.pdf")` works as it does for any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.patches import Rectangle

from qrkit.charts.ink import COLORS, CSS, MOST_COLORS, assign_colors, light
from qrkit.charts.lettering import cut, length
from qrkit.charts.parts import (
    Chart,
    add_axes,
    add_text,
    blank,
    count_axis,
    day_axis,
    house_style,
    names_above,
    names_at_ends,
    nothing,
    place,
)
from qrkit.charts.svg import sparkline, to_svg

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLORS", "CSS", "MOST_COLORS", "Chart", "assign_colors", "bars", "lines", "sparkline", "to_svg", "week"]

MANY_DAYS = 120
"""Days from which on a line shows the mean of 7: the ups and downs of weeks would hide all else."""

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@house_style()
def lines(
    frame: pd.DataFrame, *, colors: Mapping[str, int] | None = None, width: int = 760, height: int = 280
) -> Chart:
    """Scans over the days: a line for each campaign or QR Code, or one; beyond six the small ones are one.

    From 120 days on, each day shows the mean of the 7 days around it.

    Args:
        frame: Columns day (datetime64), scans (int), and a third (str) that tells lines apart, or none; as
            `analytics.scans_per_day` gives it.
        colors: Number of each line's colour by its name (`assign_colors`); by default the largest has the first.
        width: Pixels. Below 560 the names stand above the lines, else at their ends.
        height: Pixels.
    """
    by = next((str(name) for name in frame.columns if name not in ("day", "scans")), None)
    if not frame["scans"].sum():
        return nothing(width, height)
    table = _table(frame, by)
    names, days = list(table.columns), [day.to_pydatetime() for day in table.index]
    mean = len(days) >= MANY_DAYS
    shown = table.rolling(7, center=True, min_periods=1).mean() if mean else table
    numbers = assign_colors(names) if colors is None else colors
    keys = {name: f"color-{numbers.get(name, 0 if by else 1)}" for name in names}
    chart = blank(width, height)
    ends = {name: float(shown[name].iloc[-1]) for name in names} if by and width >= 560 else {}
    top = 24 if ends or not by else names_above(chart, keys)
    right = max((length(cut(name)) + 44 for name in ends), default=22)
    axes = add_axes(chart, left=38, right=right, top=top, bottom=26)
    day_axis(chart, axes, days)
    count_axis(chart, axes, float(shown.max().max()), "scans a day" + (", mean of 7 days" if mean else ""))
    for name in reversed(names):  # the largest is drawn last, above the others
        _line(axes, days, shown[name].tolist(), name, keys[name], alone=len(names) == 1)
    names_at_ends(chart, axes, ends, keys)
    told = f" by {by}: {', '.join(f'{name} {table[name].sum():,}' for name in names)}" if by else ""
    chart.words = f"{table.sum().sum():,} scans on {_days(days)}{told}"
    return chart


@house_style()
def bars(
    frame: pd.DataFrame, *, label: str | None = None, colors: Mapping[str, int] | None = None, width: int = 560
) -> Chart:
    """Scans of each QR Code, country or device as a bar with its number, in the order of the rows.

    Args:
        frame: Columns scans (int) and `label` (str); as `analytics.top_qrcodes` and `analytics.scans_by` give it.
        label: What the bars are called; by default the first column of text that holds no ids.
        colors: Number of each bar's colour by its label; by default all have the first.
        width: Pixels.
    """
    if not frame["scans"].sum():
        return nothing(width, 120)
    column = label or next(str(name) for name in frame.columns if name != "scans" and not str(name).endswith("_id"))
    labels, counts = frame[column].tolist(), frame["scans"].tolist()
    chart = blank(width, 26 * len(labels) + 12)
    letters = max(8, int(width * 0.4 / LETTER))
    left = max(length(cut(name, letters)) for name in labels) + 12
    axes = add_axes(chart, left=left, right=length(f"{max(counts):,}") + 10, top=6, bottom=6)
    shades = [light(f"color-{colors.get(name, 0) if colors else 1}") for name in labels]
    axes.barh(range(len(labels)), counts, height=0.56, color=shades, clip_on=False)
    axes.set(xlim=(0, max(counts)), ylim=(len(labels) - 0.5, -0.5))
    for row, (name, count) in enumerate(zip(labels, counts, strict=True)):
        _text(axes, 0, row, cut(name, letters), shift=(-8, 0), ha="right")
        _text(axes, count, row, f"{count:,}", shift=(6, 0))
    chart.words = f"scans by {column}: " + ", ".join(f"{n} {c:,}" for n, c in zip(labels, counts, strict=True))
    return chart


@house_style()
def week(frame: pd.DataFrame, *, width: int = 640) -> Chart:
    """Scans of each hour of the week: a row a weekday, a column an hour, darker for more.

    Args:
        frame: Columns weekday (int, 1 Monday .. 7 Sunday), hour (int, 0..23), scans (int); as `analytics.scans_by_hour`
            gives it.
        width: Pixels.
    """
    if not frame["scans"].sum():
        return nothing(width, 200)
    table = frame.pivot_table(index="weekday", columns="hour", values="scans", aggfunc="sum")
    table = table.reindex(index=range(1, 8), columns=range(24)).fillna(0).astype("int64")
    most = int(table.max().max())
    levels = min(5, most)
    bounds = [0, *(1 + most * level // levels for level in range(levels)), most + 1]
    bounds[1] = 1
    chart = blank(width, 7 * 26 + 64)
    axes = add_axes(chart, left=38, right=2, top=2, bottom=62)
    shades = ListedColormap([light(f"heat-{5 - levels + level if level else 0}") for level in range(levels + 1)])
    axes.pcolormesh(
        table, cmap=shades, norm=BoundaryNorm(bounds, shades.N), edgecolors=light("paper"), linewidth=2, clip_on=False
    )
    axes.set(xlim=(0, 24), ylim=(7, 0))
    for row, name in enumerate(WEEKDAYS):
        _text(axes, 0, row + 0.5, name, "quiet", shift=(-8, 0), ha="right")
    for hour in range(0, 24, 3 if width >= 480 else 6):
        _text(axes, hour + 0.5, 7, f"{hour:02}", "quiet", shift=(0, -12), ha="center")
    _heat_key(chart, bounds, levels)
    row, hour = divmod(int(table.to_numpy().argmax()), 24)
    chart.words = (
        f"{table.sum().sum():,} scans by weekday and hour, UTC; most, {most:,}, on {WEEKDAYS[row]} at {hour:02}:00"
    )
    return chart
