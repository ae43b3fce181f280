"""Cuts peaks that would flatten all other days, and writes their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pandas as pd
from matplotlib.axes import Axes

from qrkit.charts.axes import Chart, top_of
from qrkit.charts.labels import length
from qrkit.charts.periods import moment_text, unit_of
from qrkit.charts.time_axis import at_time
from qrkit.languages import number_text

BROKEN = 2.0
"""A peak is cut where it is this many times as high as the scale that nearly all other days need."""
MANY = 10
"""Minimum number of days for that."""


def scale_end(shown: pd.DataFrame) -> float:
    """Return the upper end of a scale: the highest count that is not far above those of nearly all days."""
    most, limit = float(shown.max().max()), BROKEN * top_of(float(shown.quantile(0.95).max()))
    return float(shown.where(shown <= limit).max().max()) if len(shown) >= MANY and most > limit else most


def write_peak(
    chart: Chart, axes: Axes, moments: Sequence[datetime], counts: Sequence[float], *, edge: float
) -> tuple[float, float] | None:
    """Write the number of the highest count above it; beyond the scale, with its date and an arrow.

    Args:
        edge: Where the text may begin, in pixels from the left of the chart.

    Returns:
        Where the peak is; None if there is none, or if it is beyond the scale.
    """
    top = axes.get_ylim()[1]
    peak, number = max(((count, -spot) for spot, count in enumerate(counts) if count == count), default=(0, 0))
    if not peak:
        return None
    x, y = chart.place(axes, at_time(moments[-number]), min(peak, top))
    when = f" {moment_text(moments[-number], unit_of(moments))} ↑" if peak > top else ""
    text = f"{number_text(peak, ',.0f')}{when}"
    half = length(text, 11) / 2
    middle = min(max(x, edge + half), float(axes.bbox.x1) + 10 - half)
    chart.add_text((middle, y - 11), text, "quiet", ha="center", size=11)
    return None if peak > top else (x, y)
