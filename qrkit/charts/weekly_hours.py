"""Draws scans by hour of the week as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

import pandas as pd
from matplotlib.colors import BoundaryNorm, ListedColormap

from qrkit.charts.axes import NARROW, Chart, from_frame, range_text, total_words
from qrkit.charts.colors import tint
from qrkit.charts.labels import heading, length
from qrkit.charts.periods import zone_text
from qrkit.languages import number_text, say, short_weekday, weekday_name


@from_frame
def hour_of_week(frame: pd.DataFrame, *, title: str | None = None, width: int = 640) -> Chart:
    """Draw scans per hour of the week: one row per weekday, one column per hour, darker for more scans.

    Means are drawn, because a month may have five Mondays and four Tuesdays; sums if the frame has no column hours.

    Args:
        frame: Columns weekday (int, 1 Monday to 7 Sunday), hour (int, 0..23), scans (int; missing values are blank),
            and optionally hours (how often each came in the period); as returned by `analytics.scans_by_hour`.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
    """
    if not frame["scans"].sum():
        return Chart.nothing(width, 200, is_hidden=frame["scans"].hasnans)
    table, is_mean = _table(frame)
    levels = _levels(table)
    row, hour = divmod(int(table.fillna(0).to_numpy().argmax()), 24)
    finding = say(
        "The busiest hour is {weekday} from {start} to {end}",
        weekday=weekday_name(row + 1), start=f"{hour:02}:00", end=f"{(hour + 1) % 24:02}:00",
    )  # fmt: skip
    counted = say("mean number of scans in each hour of the week" if is_mean else "scans in each hour of the week")
    said = heading(title, finding, [counted, zone_text(frame)], width)
    chart = Chart.blank(width, 7 * 26 + 64, said, grows=True)
    axes = chart.axes_between(left=38, right=0, top=0, bottom=64)
    axes.set(xlim=(0, 24), ylim=(7, 0))
    shades = [tint(f"heat-{shade}") for shade in levels.shades]
    colors, norm = ListedColormap(shades), BoundaryNorm(levels.bounds, len(shades))
    axes.pcolormesh(table, cmap=colors, norm=norm, edgecolors=tint("paper"), linewidth=2, clip_on=False)
    for number in range(7):
        at = (30, chart.place(axes, 0, number + 0.5)[1])
        chart.add_text(at, short_weekday(number + 1), "quiet", ha="right")
    for number in range(0, 24, 3 if width >= NARROW else 6):
        x, y = chart.place(axes, number + 0.5, 7)
        chart.add_text((x, y + 12), f"{number:02}", "quiet", ha="center")
    has_hidden, total = bool(frame["scans"].hasnans), int(frame["scans"].sum())
    _heat_key(chart, levels, shades, say("mean" if is_mean else "scans"), has_hidden=has_hidden)
    chart.title = say("scans by weekday and hour")
    most = int(frame.loc[(frame["weekday"] == row + 1) & (frame["hour"] == hour), "scans"].sum())
    chart.words = say(
        "{scans}; most, {most}, on {weekday} from {hour}",
        scans=total_words(frame["scans"]) if has_hidden else say("{scans} in all", scans=total),
        most=most, weekday=short_weekday(row + 1), hour=f"{hour:02}:00",
    )  # fmt: skip
    if is_mean:
        chart.words += f", {say('{scans} on average', scans=number_text(table.max().max(), ',.1f'))}"
    return chart


class Levels(NamedTuple):
    """Bounds of the shades of a heat map, the shades by number, and what the legend says of each."""

    bounds: list[float]
    shades: list[int]
    labels: list[str]
    short_labels: list[str]


def _table(frame: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Return a row per weekday and a column per hour, and whether these are means."""
    numbers = ["scans", "hours"] if "hours" in frame else ["scans"]
    tables = [
        frame.groupby(["weekday", "hour"])[name].sum(min_count=1).unstack(fill_value=0)
        .reindex(index=range(1, 8), columns=range(24), fill_value=0).astype("float64")
        for name in numbers
    ]  # fmt: skip
    if len(tables) == 1 or tables[1].max().max() <= 1:
        return tables[0], False
    # Hours that never came had no scans.
    return tables[0] / tables[1].clip(lower=1), True


def _levels(table: pd.DataFrame) -> Levels:
    """Divide counts or means into up to five levels of one width, and one for hours without scans."""
    most = float(table.max().max())
    if (table.fillna(0) % 1 == 0).all(axis=None):
        count = min(5, int(most))
        # A level reaches from its bound up to the next one.
        whole = [0, *(1 + int(most) * level // count for level in range(count + 1))]
        pairs = [(first, after - 1) for first, after in pairwise(whole)]
        labels = [range_text(first, last) for first, last in pairs]
        short = [f"{number_text(first)}+" if first else "0" for first, _ in pairs]
        return Levels(list(map(float, whole)), [0, *range(6 - count, 6)], labels, short)
    step = _round_step(most / 5)
    count = min(5, ceil(most / step))
    ends = [step * level for level in range(count + 1)]
    shown = [number_text(end, f",.{0 if step >= 1 else 1 if step >= 0.1 else 2}f") for end in ends]
    labels = ["0", *(f"≤ {end}" for end in shown[1:])]
    # The first bound is between none and the smallest mean.
    smallest = min(float(table.where(table > 0).min().min()), step) / 2
    bounds = [0, smallest, *ends[1:-1], max(ends[-1], most) * 1.001]
    return Levels(bounds, [0, *range(6 - count, 6)], labels, labels)


def _round_step(least: float) -> float:
    """Return the next round number from `least` on."""
    power = 10.0 ** floor(log10(least))
    return next(step * power for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= least * 0.9999)


def _heat_key(chart: Chart, levels: Levels, shades: Sequence[str], what: str, *, has_hidden: bool) -> None:
    """Draw the legend of the heat map: one swatch per level with its range of scans, and a note for hidden hours."""
    # Numbers begin to the right of the word, whichever font the page has.
    left = max(44, length(what, 11) + 10)
    room = (chart.bbox.width - left) / (7 if has_hidden else 6)
    is_long = max(map(length, levels.labels)) + 6 > room
    labels = levels.short_labels if is_long else levels.labels
    wide = min(room, max(length(text) for text in labels) + 12)
    y = chart.body_height - 24
    chart.add_text((left - 6, y + 3), what, "quiet", ha="right", size=11)
    for level, shade in enumerate(shades):
        x = left + wide * level
        chart.add_swatch((x, y), (wide - 2, 7), shade)
        chart.add_text((x, y + 15), labels[level], "quiet", size=11)
    if has_hidden:
        chart.add_text((left + wide * len(shades), y + 15), say("hidden"), "quiet", size=11)
