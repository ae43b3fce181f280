"""Draws what is known of an experiment, day after day."""

from __future__ import annotations

from math import inf

import pandas as pd
from matplotlib.ticker import MaxNLocator

from qrkit.charts.axes import Chart, draw_line, house_style
from qrkit.charts.colors import tint
from qrkit.charts.labels import heading, length
from qrkit.charts.periods import days_text
from qrkit.charts.time_axis import room_below, time_axis
from qrkit.languages import say, signed_text

ROOM = 2.5
"""How much farther than today the interval of an earlier day is shown."""


@house_style()
def experiment(frame: pd.DataFrame, *, title: str | None = None, width: int = 760, height: int = 320) -> Chart:
    """Draw the interval of an experiment over time: a variant wins once the interval leaves the line at 0.

    Args:
        frame: Columns day (datetime64), first, second, method, effect, low, high; as returned by `analytics.experiment`
            with `by_day`. Of several pairs, the first is drawn. Where there are no numbers, there is a gap.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
        height: Pixels, with the title. A chart that is too low for a title has none.
    """
    known = frame.dropna(subset=["effect", "low", "high"])
    if not len(known):
        return Chart.nothing(width, height, "results")
    pair = ["first", "second"]
    rows = known[(known[pair] == known[pair].iloc[0]).all(axis=1)]
    last = rows.iloc[-1]
    most = ROOM * max(abs(one) for one in last[["effect", "low", "high"]] if abs(one) < inf)
    bottom, top = min(max(rows["low"].min(), -most), 0), max(min(rows["high"].max(), most), 0)
    ticks = [tick for tick in MaxNLocator(nbins=5).tick_values(bottom, top) if bottom <= tick <= top]
    days, is_ratio = [day.to_pydatetime() for day in rows["day"]], last["method"] == "ratio"

    width_of = None if is_ratio else last["high"] - last["low"]
    effect, low, high = (signed_text(last[name], width_of) for name in ("effect", "low", "high"))
    words = "{second} compared with {first}: {effect} ({low} to {high})"
    words = say(words, second=last["second"], first=last["first"], effect=effect, low=low, high=high)
    labels = [signed_text(tick, width_of) if tick else "0" for tick in ticks]
    about = say("conversions" if is_ratio else "difference per visitor")
    chart = Chart.blank(width, height, heading(title, words, [days_text(days), about], width))
    keys = {say("best guess"): "color-1", say("likely range"): "heat-1"}
    left = max(map(length, labels)) + 14
    axes = chart.axes_between(left=left, right=22, top=chart.names_above(keys) + 12, bottom=room_below(chart))
    axes.set_ylim(bottom, top)
    time_axis(chart, axes, days)
    lowest, highest = (rows[name].clip(bottom, top).tolist() for name in ("low", "high"))
    axes.fill_between(days, lowest, highest, color=tint("heat-1"), linewidth=0, zorder=0.5)
    for tick, label in zip(ticks, labels, strict=True):
        axes.axhline(tick, color=tint("line" if tick else "quiet"), linewidth=1, zorder=0 if tick else 1, clip_on=False)
        chart.add_text((left - 8, chart.place(axes, 0, tick)[1]), label, "quiet", ha="right")
    draw_line(axes, days, rows["effect"].tolist(), tint("color-1"), label=say("best guess"), clip_on=True)
    chart.title = say("the interval of an experiment over time")
    chart.words = words
    return chart
