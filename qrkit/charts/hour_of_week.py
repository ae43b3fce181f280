"""Draws scans by hour of the week as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from matplotlib.colors import BoundaryNorm, ListedColormap

from qrkit.charts.axes import (
    NARROW,
    Chart,
    add_axes,
    add_swatch,
    add_text,
    blank,
    hidden_words,
    house_style,
    nothing,
    place,
)
from qrkit.charts.colors import tint
from qrkit.charts.labels import length

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["hour_of_week"]

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@house_style()
def hour_of_week(frame: pd.DataFrame, *, width: int = 640) -> Chart:
    """Draw scans per hour of the week: one row per weekday, one column per hour, darker for more scans.

    Args:
        frame: Columns weekday (int, 1 Monday to 7 Sunday), hour (int, 0..23), scans (int; missing values are blank);
            as returned by `analytics.scans_by_hour`.
        width: Pixels.
    """
    if not frame["scans"].sum():
        return nothing(width, 200, is_hidden=frame["scans"].hasnans)
    table = frame.groupby(["weekday", "hour"])["scans"].sum(min_count=1).unstack(fill_value=0)
    table = table.reindex(index=range(1, 8), columns=range(24), fill_value=0).astype("float64")
    most = int(table.max().max())
    levels = min(5, most)
    # A level reaches from its bound up to the next one; the lowest level is for hours without scans.
    bounds = [0, *(1 + most * level // levels for level in range(levels + 1))]
    shades = [tint(f"heat-{5 - levels + level if level else 0}") for level in range(levels + 1)]
    chart = blank(width, 7 * 26 + 64)
    axes = add_axes(chart, left=38, right=0, top=0, bottom=64)
    axes.set(xlim=(0, 24), ylim=(7, 0))
    colors, norm = ListedColormap(shades), BoundaryNorm(bounds, len(shades))
    axes.pcolormesh(table, cmap=colors, norm=norm, edgecolors=tint("paper"), linewidth=2, clip_on=False)
    for row, name in enumerate(WEEKDAYS):
        add_text(chart, (30, place(chart, axes, 0, row + 0.5)[1]), name, "quiet", ha="right")
    for hour in range(0, 24, 3 if width >= NARROW else 6):
        x, y = place(chart, axes, hour + 0.5, 7)
        add_text(chart, (x, y + 12), f"{hour:02}", "quiet", ha="center")
    hidden = hidden_words(frame["scans"])
    _heat_key(chart, bounds, shades, has_hidden=bool(hidden))
    row, hour = divmod(int(table.fillna(0).to_numpy().argmax()), 24)
    chart.title = "scans by weekday and hour"
    known = f"{frame['scans'].sum():,}{hidden or ' in all'}"
    chart.words = f"{known}; most, {most:,}, on {WEEKDAYS[row]} from {hour:02}:00"
    return chart


def _heat_key(chart: Chart, bounds: Sequence[int], shades: Sequence[str], *, has_hidden: bool) -> None:
    """Draw the legend of the heat map: one swatch per level with its range of scans, and a note for hidden hours."""
    levels = [(first, after - 1) for first, after in pairwise(bounds)]
    labels = [f"{first:,}" if first == last else f"{first:,}\N{EN DASH}{last:,}" for first, last in levels]
    room = (chart.bbox.width - 38) / (7 if has_hidden else 6)
    if max(map(length, labels)) > room:
        labels = [f"{first:,}+" if first else "0" for first, _ in levels]
    wide = min(room, max(length(text) for text in labels) + 12)
    y = chart.bbox.height - 24
    add_text(chart, (30, y + 15), "scans", "quiet", ha="right", size=11)
    for level, shade in enumerate(shades):
        x = 38 + wide * level
        add_swatch(chart, (x, y), (wide - 2, 7), shade)
        add_text(chart, (x, y + 15), labels[level], "quiet", size=11)
    if has_hidden:
        add_text(chart, (38 + wide * len(shades), y + 15), "hidden", "quiet", size=11)
