"""Draws how long QR Codes waited for their first scan."""

from __future__ import annotations

from math import ceil

import pandas as pd

from qrkit.charts.axes import NARROW, Chart, from_frame
from qrkit.charts.colors import tint
from qrkit.charts.labels import heading
from qrkit.languages import number_text, say

BINS = (
    ("before", 0.0),
    ("< 1 h", 1.0),
    ("1\N{EN DASH}6 h", 6.0),
    ("6\N{EN DASH}24 h", 24.0),
    ("1\N{EN DASH}3 d", 72.0),
    ("3\N{EN DASH}7 d", 168.0),
    ("1\N{EN DASH}4 wk", 672.0),
    ("later", float("inf")),
)
"""Names of the bins and their upper bounds in hours; the first is for scans older than their record."""

NEVER = "not yet"

UNITS = ((48.0, 1, "hour"), (504.0, 24, "day"), (float("inf"), 168, "week"))
"""Hours up to which a waiting time is given in a unit, the hours of the unit, and its name."""
TIMES = {"hour": ("an hour", "{count} hours"), "day": ("a day", "{count} days"), "week": ("a week", "{count} weeks")}


@from_frame
def time_to_first_scan(frame: pd.DataFrame, *, title: str | None = None, width: int = 560, height: int = 240) -> Chart:
    """Draw how long QR Codes waited for their first scan: one column per time span, and one for codes still waiting.

    Args:
        frame: Column delay (float, hours, missing if there was no scan); as returned by `analytics.half_lives`.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
        height: Pixels, with the title. A chart that is too low for a title has none.
    """
    if not len(frame):
        return Chart.nothing(width, height, "QR Codes")
    bounds = [-float("inf"), *(bound for _, bound in BINS)]
    counts = pd.cut(frame["delay"], bounds, right=False, labels=range(len(BINS))).value_counts()
    bars = [(say(name), int(counts[number]), "color-1") for number, (name, _) in enumerate(BINS)]
    bars += [(say(NEVER), int(frame["delay"].isna().sum()), "color-0")]
    if not bars[0][1]:
        del bars[0]
    most = max(count for _, count, _ in bars)
    said = heading(title, _finding(frame), [say("time from the creation of a QR Code to its first scan")], width)
    chart = Chart.blank(width, height, said)
    axes = chart.axes_between(left=4, right=4, top=40, bottom=28)
    axes.set(xlim=(-0.5, len(bars) - 0.5), ylim=(0, most))
    axes.plot([-0.5, len(bars) - 0.5], [0, 0], color=tint("quiet"), linewidth=1, clip_on=False, label="_")
    for number, (name, count, key) in enumerate(bars):
        axes.bar(number, count, width=0.72, color=tint(key), linewidth=0, clip_on=False)
        x, y = chart.place(axes, number, count)
        chart.add_text((x, y - 11), number_text(count) if count else "", ha="center")
        chart.add_text((x, chart.body_height - 12), name, "quiet", ha="center", size=11 if width >= NARROW else 10)
    chart.add_text((4, 10), say("QR Codes"), "quiet", size=11)
    chart.title = say("QR Codes by how long they waited for their first scan")
    chart.words = ", ".join(f"{name} {number_text(count)}" for name, count, _ in bars if count)
    return chart


def _finding(frame: pd.DataFrame) -> str:
    """Say how many QR Codes have been scanned, and how soon half of them were."""
    delays = frame["delay"].dropna()
    if len(delays) < 2 or delays.median() < 0:
        return say("{scanned} of {codes} QR Codes have been scanned", scanned=len(delays), codes=len(frame))
    hours = float(delays.median())
    size, unit = next((size, unit) for bound, size, unit in UNITS if hours < bound)
    return say(
        "{scanned} of {codes} QR Codes have been scanned, half of these within {time}",
        scanned=len(delays), codes=len(frame), time=say(TIMES[unit], ceil(hours / size) or 1),
    )  # fmt: skip
