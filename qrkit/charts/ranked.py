"""Draws rankings: bars with their numbers, rates with their intervals, and human scans as a range."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import TYPE_CHECKING, Any

from qrkit.charts.axes import (
    Chart,
    above,
    add_axes,
    add_swatch,
    add_text,
    blank,
    count_text,
    house_style,
    listed,
    nothing,
    place,
)
from qrkit.charts.colors import tint
from qrkit.charts.labels import LETTER, cut, length, others
from qrkit.tracking.text_columns import as_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["bars", "human_scans", "rates"]

ROW = 26
"""Height of a bar and its name, in pixels."""

UNIT = 24
"""Pixels above the bars, for the unit of their numbers."""

MOST_ROWS = 30

LINE: dict[str, Any] = {"linewidth": 1, "clip_on": False, "label": "_"}
INTERVAL: dict[str, Any] = {"linewidth": 5, "alpha": 0.35, "solid_capstyle": "round", "clip_on": False}
DOT: dict[str, Any] = {"marker": "o", "markersize": 8, "markeredgewidth": 0, "clip_on": False}


@house_style()
def bars(
    frame: pd.DataFrame, *, label: str | None = None, colors: Mapping[str, int] | None = None, width: int = 560
) -> Chart:
    """Draw the scans of each QR Code, country or device as a bar with its number, in the order of the rows.

    Args:
        frame: Columns scans (int; missing values are shown as "hidden") and `label` (any type, shown as text); as
            returned by `analytics.top_qrcodes` and `analytics.scans_by`.
        label: The column that names the bars; by default the first text column without IDs.
        colors: Number of the color of each bar by its label; by default all have the first color.
        width: Pixels.
    """
    shown = frame["scans"].dropna()
    if not shown.sum():
        return nothing(width, 120, is_hidden=frame["scans"].hasnans)
    column = label or next(str(name) for name in frame.columns if name != "scans" and not str(name).endswith("_id"))
    keys, counts, most = frame[column].tolist(), frame["scans"].tolist(), int(shown.max())
    labels = as_text(frame[column]).fillna("").tolist()
    chart = blank(width, UNIT + ROW * len(labels) + 6)
    letters = max(8, int(width * 0.4 / LETTER))
    left = max(length(cut(name, letters)) for name in labels) + 12
    axes = add_axes(chart, left=left, right=length(f"{most:,}") + 10, top=UNIT, bottom=6)
    axes.set(xlim=(0, most), ylim=(len(labels) - 0.5, -0.5))
    above(chart, axes, "scans")
    numbers = colors or dict.fromkeys(keys, 1)
    shades = [tint(f"color-{numbers.get(key, 0)}") for key in keys]
    ends = frame["scans"].fillna(0).tolist()
    axes.barh(range(len(labels)), ends, height=0.56, color=shades, linewidth=0, clip_on=False)
    for row, (name, count) in enumerate(zip(labels, counts, strict=True)):
        (start, y), (end, _) = place(chart, axes, 0, row), place(chart, axes, ends[row], row)
        add_text(chart, (start - 8, y), cut(name, letters), ha="right")
        add_text(chart, (end + 6, y), count_text(count), "quiet")
    chart.title, chart.words = f"scans by {column}", listed(labels, counts)
    return chart


@house_style()
def rates(frame: pd.DataFrame, *, colors: Mapping[str, int] | None = None, width: int = 560) -> Chart:
    """Draw the scans per day of each campaign or QR Code: a dot, the interval of the true rate, and both as numbers.

    The highest rates come first. Beyond 30, the others are left out, and the chart says how many there are.

    Args:
        frame: Columns rate, low, high (float, scans per day; low and high are missing if there is no interval), and
            optionally one text column; as returned by `analytics.rates`.
        colors: Number of the color of each dot by its name; by default all have the first color.
        width: Pixels.
    """
    if not frame["scans"].sum():
        return nothing(width, 120)
    by = "" if frame.columns[0] == "days" else str(frame.columns[0])
    ranked = frame.sort_values("rate", ascending=False, kind="stable")
    names = [str(name) for name in ranked[by]] if by else ["all"]
    shown, rest = ranked.head(MOST_ROWS), len(ranked) - MOST_ROWS
    texts = [_rate_text(*numbers) for numbers in zip(shown["rate"], shown["low"], shown["high"], strict=True)]
    last = [f"and {others(rest)}"] if rest > 0 else []
    chart = blank(width, UNIT + ROW * (len(shown) + len(last)) + 6)
    letters = max(8, int(width * 0.32 / LETTER))
    left = max(map(length, [*(cut(name, letters) for name in names[:MOST_ROWS]), *last])) + 16
    axes = add_axes(chart, left=left, right=max(map(length, texts)) + 14, top=UNIT, bottom=6 + ROW * len(last))
    axes.set(xlim=(0, max(shown["rate"].max(), shown["high"].fillna(0).max())), ylim=(len(shown) - 0.5, -0.5))
    intervals = zip(shown["rate"].tolist(), shown["low"].tolist(), shown["high"].tolist(), strict=True)
    for number, (rate, low, high) in enumerate(intervals):
        color, y = (
            tint(f"color-{1 if colors is None else colors.get(names[number], 0)}"),
            place(chart, axes, 0, number)[1],
        )
        axes.plot([0, rate if isnan(high) else high], [number] * 2, color=tint("line"), **LINE)
        if not isnan(high):
            axes.plot([low, high], [number] * 2, color=color, label=names[number], **INTERVAL)
        axes.plot([rate], [number], color=color, label="_", **DOT)
        add_text(chart, (left - 12, y), cut(names[number], letters), ha="right")
        add_text(chart, (width - 2, y), texts[number], "quiet", ha="right")
    for text in last:
        add_text(chart, (left - 12, chart.bbox.height - 6 - ROW / 2), text, "quiet", ha="right")
    add_text(chart, (width - 2, 12), "scans a day, and the range of the true rate", "quiet", ha="right", size=11)
    chart.title = f"scans a day{f' by {by}' if by else ''}, with intervals"
    chart.words = ", ".join(f"{cut(name, 60)} {text}" for name, text in zip(names, texts, strict=False))
    return chart


def _rate_text(rate: float, low: float, high: float) -> str:
    """Write a rate with its range, which is NaN if the days are too few to tell."""
    return f"{rate:,.1f}  (too few days)" if isnan(low) else f"{rate:,.1f}  ({low:,.1f}\N{EN DASH}{high:,.1f})"


@house_style()
def human_scans(frame: pd.DataFrame, *, width: int = 560) -> Chart:
    """Draw how many visits came from people: likely ones in full color, possible ones paler.

    Args:
        frame: Columns likely, scans, possible (int), one row; as returned by `analytics.human_scans`.
        width: Pixels.
    """
    likely, scans, possible = (int(frame[name].iloc[0]) for name in ("likely", "scans", "possible"))
    if not possible:
        return nothing(width, 84)
    chart = blank(width, 84)
    axes = add_axes(chart, left=2, right=2, top=30, bottom=34)
    axes.set(xlim=(0, max(possible, scans)), ylim=(0, 1))
    for start, end, key in ((0, likely, "color-1"), (likely, possible, "heat-2")):
        (x, y), (after, _) = place(chart, axes, start, 1), place(chart, axes, end, 1)
        add_swatch(chart, (x, y), (after - x, 20), tint(key))
    middle = place(chart, axes, scans, 0)[0]
    axes.plot([scans] * 2, [-0.25, 1.25], color=tint("ink"), linewidth=1.5, clip_on=False, label="_")
    text = f"{scans:,} counted as scans"
    half = length(text) / 2
    add_text(chart, (min(max(middle, half), width - half), 14), text, ha="center")
    add_text(chart, (2, 70), f"{likely:,} likely people", "color-1")
    if possible > likely:
        add_text(chart, (width - 2, 70), f"{possible:,} possibly", "quiet", ha="right")
    chart.title = "human scans"
    chart.words = f"between {likely:,} and {possible:,} visits came from people; {scans:,} count as scans"
    return chart
