"""Draws scans over time as lines: one, or one per campaign or QR Code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from qrkit.charts.axes import NARROW, Chart, draw_counts, fill_counts, house_style, listed, top_of, total_words
from qrkit.charts.colors import MOST_COLORS, tint
from qrkit.charts.labels import fit, heading, length
from qrkit.charts.periods import (
    are_complete,
    days_text,
    partial_note,
    scans_a,
    scans_per,
    time_words,
    unit_of,
    zone_text,
)
from qrkit.charts.series import by_words, colors_of, column_words, finding_of, has_scans, shown_of, table_of, totals_of
from qrkit.charts.time_axis import room_below, scale_end, time_axis, write_peak
from qrkit.languages import number_text, say

MANY_DAYS = 120
"""Minimum number of days to show a 7-day mean, because weekly patterns would hide everything else."""

NAMES = 0.34
"""Maximum share of the width for names at the ends of lines."""


@house_style()
def lines(
    frame: pd.DataFrame,
    *,
    colors: Mapping[str, int] | None = None,
    title: str | None = None,
    width: int = 760,
    height: int = 320,
) -> Chart:
    """Draw scans over time: one line, or one line per campaign or QR Code; beyond six, the smallest are combined.

    From 120 days on, each day shows the mean of the 7 days around it. A day that would flatten all others goes beyond
    the scale and has its number. Periods that are not counted to their end, such
    as the week that is not over yet, are dashed; the chart says so.

    Args:
        frame: Columns day or start (datetime64), scans (int; missing values are gaps), and optionally one text column
            that names the lines; as returned by `analytics.scans_per_day` and `analytics.scans_per`.
        colors: Color number of each line, keyed by name (`assign_colors`). By default, campaigns have the colors that
            are stored with them, as in reports and dashboards; otherwise, the largest line has the first.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels. Below 560, the names are above the lines, otherwise at their ends.
        height: Pixels, with the title. A chart that is too low for a title has none.

    Raises:
        InvalidParameter: If a column is missing, or if the chart would be too narrow or too short.

    Example:
        >>> import pandas as pd
        >>> days = pd.DataFrame({"day": pd.date_range("2026-03-01", periods=3), "scans": [3, 0, 5]})
        >>> lines(days).headline
        '8 scans; most, 5, on 3 March'
    """
    if not has_scans(frame):
        return Chart.nothing(width, height, is_hidden=frame["scans"].hasnans)
    by, table = table_of(frame, MOST_COLORS)
    names, moments = list(table.columns), [moment.to_pydatetime() for moment in table.index]
    unit, complete = unit_of(moments), are_complete(frame, moments)
    is_mean = unit == "day" and len(moments) >= MANY_DAYS
    shown = shown_of(table, complete, is_mean=is_mean)
    numbers = colors_of(frame, by, names) if colors is None else colors
    keys = {name: f"color-{numbers.get(name, 0 if by else 1)}" for name in names}
    about = [by_words(by), days_text(moments, frame), zone_text(frame, moments)]
    chart = Chart.blank(width, height, heading(title, finding_of(table, by), about, width))
    # A line that ends in a gap has its name at its last point. If it is hidden as a whole, only the description names
    # it.
    whole = shown[[is_whole is True for is_whole in complete]] if True in complete else shown
    ends = whole.ffill().iloc[-1].dropna().to_dict() if by and width >= NARROW else {}
    told = {name: fit(str(name), width * NAMES, most=2) for name in ends}
    top = 28 if ends or not by else chart.names_above(keys) + 28
    right = max((length(line) + 34 for rows in told.values() for line in rows), default=22)
    most, note = scale_end(shown), partial_note(complete, moments, is_dashed=not is_mean)
    left = max(38, length(number_text(top_of(most))) + 14)
    axes = chart.axes_between(left=left, right=right, top=top, bottom=room_below(chart, note))
    chart.count_axis(axes, most)
    unit_words = scans_a(unit) + (f", {say('mean of 7 days')}" if is_mean else "")
    chart.write_above(axes, unit_words)
    time_axis(chart, axes, moments)
    _draw(chart, axes, shown.set_axis(moments), keys, complete=complete, unit=unit_words)
    chart.names_at_ends(axes, [(float(end), told[name], keys[name]) for name, end in ends.items()])
    chart.write_note(left, note)
    chart.title = scans_per(unit, column_words(by))
    words = f": {listed(names, totals_of(table).tolist())}" if by else ""
    chart.words = f"{total_words(frame['scans'])} {time_words(moments)}{words}"
    return chart


def _draw(
    chart: Chart,
    axes: Axes,
    shown: pd.DataFrame,
    keys: Mapping[str, str],
    *,
    complete: Sequence[bool | None],
    unit: str,
) -> None:
    """Draw the lines, and the number of a peak beyond the scale to the right of the unit."""
    names, moments, top = list(shown.columns), list(shown.index), axes.get_ylim()[1]
    is_cut = bool(shown.max().max() > top)
    for name in reversed(names):  # draw the largest last, above the others
        draw_counts(axes, moments, shown[name].tolist(), tint(keys[name]), complete, label=name, clips=is_cut)
    if len(names) == 1:
        fill_counts(axes, moments, shown[names[0]].tolist(), tint(keys[names[0]]), complete, clips=is_cut)
    if is_cut:
        edge = float(axes.bbox.x0) + length(unit, 11) + 14
        write_peak(chart, axes, moments, shown.max(axis=1).tolist(), edge=edge)
