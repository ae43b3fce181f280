"""Draws how long QR Codes waited for their first scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.charts.axes import NARROW, Chart, add_axes, add_text, blank, house_style, nothing, place
from qrkit.charts.colors import tint

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["time_to_first_scan"]

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


@house_style()
def time_to_first_scan(frame: pd.DataFrame, *, width: int = 560, height: int = 200) -> Chart:
    """Draw how long QR Codes waited for their first scan: one column per time span, and one for codes still waiting.

    Args:
        frame: Column delay (float, hours, missing if there was no scan); as returned by `analytics.half_lives`.
        width: Pixels.
        height: Pixels.
    """
    import pandas as pd

    if not len(frame):
        return nothing(width, height, "QR Codes")
    bounds = [-float("inf"), *(bound for _, bound in BINS)]
    counts = pd.cut(frame["delay"], bounds, right=False, labels=range(len(BINS))).value_counts()
    bars = [(name, int(counts[number]), "color-1") for number, (name, _) in enumerate(BINS)]
    bars += [(NEVER, int(frame["delay"].isna().sum()), "color-0")]
    if not bars[0][1]:
        del bars[0]
    most = max(count for _, count, _ in bars)
    chart = blank(width, height)
    axes = add_axes(chart, left=4, right=4, top=40, bottom=28)
    axes.set(xlim=(-0.5, len(bars) - 0.5), ylim=(0, most))
    axes.plot([-0.5, len(bars) - 0.5], [0, 0], color=tint("quiet"), linewidth=1, clip_on=False, label="_")
    for number, (name, count, key) in enumerate(bars):
        axes.bar(number, count, width=0.72, color=tint(key), linewidth=0, clip_on=False)
        x, y = place(chart, axes, number, count)
        add_text(chart, (x, y - 11), f"{count:,}" if count else "", ha="center")
        add_text(chart, (x, height - 12), name, "quiet", ha="center", size=11 if width >= NARROW else 10)
    add_text(chart, (4, 10), "QR Codes", "quiet", size=11)
    chart.title = "QR Codes by how long they waited for their first scan"
    chart.words = ", ".join(f"{name} {count:,}" for name, count, _ in bars if count)
    return chart
