"""Charts: a DataFrame of `qrkit.analytics` becomes a figure, and a figure becomes SVG for a page.

Nothing here asks the store. Figures are matplotlib's, made without pyplot: each belongs to who holds it, no backend is
needed, and `figure.savefig("chart.pdf")` works as it does for any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from matplotlib.colors import BoundaryNorm, ListedColormap

from qrkit.charts.ink import COLORS, CSS, MOST_COLORS, assign_colors, light
from qrkit.charts.lettering import LETTER, cut, length
from qrkit.charts.parts import (
    Chart,
    add_axes,
    add_swatch,
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
    from matplotlib.axes import Axes

__all__ = ["COLORS", "CSS", "MOST_COLORS", "Chart", "assign_colors", "bars", "lines", "sparkline", "to_svg", "week"]

MANY_DAYS = 120
"""Days from which on a line shows the mean of 7: the ups and downs of weeks would hide all else."""

FEW_DAYS = 10
"""Up to them each day has its dot: a line through one or two says little."""

NARROW = 560
"""Pixels from which on there is room beside things."""

WIDE = 900
"""Pixels from which on there is room for long names."""

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
    is_mean = len(days) >= MANY_DAYS
    shown = table.rolling(7, center=True, min_periods=1).mean() if is_mean else table
    numbers = assign_colors(names) if colors is None else colors
    keys = {name: f"color-{numbers.get(name, 0 if by else 1)}" for name in names}
    chart = blank(width, height)
    ends = {name: float(shown[name].iloc[-1]) for name in names} if by and width >= NARROW else {}
    top = 28 if ends or not by else names_above(chart, keys) + 28
    letters = 30 if width >= WIDE else 22
    right = max((length(cut(name, letters)) + 34 for name in ends), default=22)
    most = float(shown.max().max())
    axes = add_axes(chart, left=max(38, length(f"{most:,.0f}") + 14), right=right, top=top, bottom=26)
    count_axis(chart, axes, most, f"scans a day{', mean of 7 days' if is_mean else ''}")
    day_axis(chart, axes, days)
    for name in reversed(names):  # the largest is drawn last, above the others
        _line(axes, days, shown[name].tolist(), name, light(keys[name]))
    if len(names) == 1:
        axes.fill_between(days, shown[names[0]], color=light(keys[names[0]]), alpha=0.1, linewidth=0, clip_on=False)
    names_at_ends(chart, axes, [(end, cut(name, letters), keys[name]) for name, end in ends.items()])
    chart.title = f"scans per day{f' by {by}' if by else ''}"
    told = f": {_listed(names, table.sum().tolist())}" if by else ""
    chart.words = f"{table.sum().sum():,} from {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}{told}"
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
    axes.set(xlim=(0, max(counts)), ylim=(len(labels) - 0.5, -0.5))
    numbers = colors or dict.fromkeys(labels, 1)
    shades = [light(f"color-{numbers.get(name, 0)}") for name in labels]
    axes.barh(range(len(labels)), counts, height=0.56, color=shades, linewidth=0, clip_on=False)
    for row, (name, count) in enumerate(zip(labels, counts, strict=True)):
        (start, y), (end, _) = place(chart, axes, 0, row), place(chart, axes, count, row)
        add_text(chart, (start - 8, y), cut(name, letters), ha="right")
        add_text(chart, (end + 6, y), f"{count:,}", "quiet")
    chart.title, chart.words = f"scans by {column}", _listed(labels, counts)
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
    # A level reaches from its bound up to the next one; the lowest is for hours without scans.
    bounds = [0, *(1 + most * level // levels for level in range(levels + 1))]
    shades = [light(f"heat-{5 - levels + level if level else 0}") for level in range(levels + 1)]
    chart = blank(width, 7 * 26 + 64)
    axes = add_axes(chart, left=38, right=0, top=0, bottom=64)
    axes.set(xlim=(0, 24), ylim=(7, 0))
    colors, norm = ListedColormap(shades), BoundaryNorm(bounds, len(shades))
    axes.pcolormesh(table, cmap=colors, norm=norm, edgecolors=light("paper"), linewidth=2, clip_on=False)
    for row, name in enumerate(WEEKDAYS):
        add_text(chart, (30, place(chart, axes, 0, row + 0.5)[1]), name, "quiet", ha="right")
    for hour in range(0, 24, 3 if width >= NARROW else 6):
        x, y = place(chart, axes, hour + 0.5, 7)
        add_text(chart, (x, y + 12), f"{hour:02}", "quiet", ha="center")
    _heat_key(chart, bounds, shades)
    row, hour = divmod(int(table.to_numpy().argmax()), 24)
    chart.title = "scans by weekday and hour, UTC"
    chart.words = f"{table.sum().sum():,} in all; most, {most:,}, on {WEEKDAYS[row]} from {hour:02}:00"
    return chart


def _table(frame: pd.DataFrame, by: str | None) -> pd.DataFrame:
    """Scans with a row a day and a column a name, the largest first, those beyond six added up as the last."""
    if by is None:
        return frame.groupby("day")[["scans"]].sum()
    table = frame.pivot_table(index="day", columns=by, values="scans", aggfunc="sum", fill_value=0)
    totals = table.sum().sort_values(ascending=False, kind="stable")
    table = table[totals.index]
    if table.shape[1] <= MOST_COLORS:
        return table
    few = table.iloc[:, :MOST_COLORS]
    name = f"{table.shape[1] - MOST_COLORS} others"
    while name in few:  # somebody has called a campaign so
        name = f"all {name}"
    return few.assign(**{name: table.iloc[:, MOST_COLORS:].sum(axis=1)})


def _line(axes: Axes, days: Sequence[Any], values: Sequence[float], name: str, color: str) -> None:
    dots = "o" if len(days) < FEW_DAYS else ""
    how: dict[str, Any] = {
        "linewidth": 1.8,
        "solid_joinstyle": "round",
        "solid_capstyle": "round",
        "marker": dots,
        "markersize": 5,
    }
    axes.plot(list(days), list(values), color=color, label=name, clip_on=False, markeredgewidth=0, **how)


def _heat_key(chart: Chart, bounds: Sequence[int], shades: Sequence[str]) -> None:
    """What the colours of the hours mean: a swatch a level, below it the scans it stands for."""
    levels = [(first, after - 1) for first, after in pairwise(bounds)]
    said = [f"{first:,}" if first == last else f"{first:,}\N{EN DASH}{last:,}" for first, last in levels]
    room = (chart.bbox.width - 38) / 6
    if max(map(length, said)) > room:
        said = [f"{first:,}+" if first else "0" for first, _ in levels]
    wide = min(room, max(length(text) for text in said) + 12)
    y = chart.bbox.height - 24
    add_text(chart, (30, y + 15), "scans", "quiet", ha="right", size=11)
    for level, shade in enumerate(shades):
        x = 38 + wide * level
        add_swatch(chart, (x, y), (wide - 2, 7), shade)
        add_text(chart, (x, y + 15), said[level], "quiet", size=11)


def _listed(names: Sequence[str], counts: Sequence[int]) -> str:
    return ", ".join(f"{cut(name, 60)} {count:,}" for name, count in zip(names, counts, strict=True))
