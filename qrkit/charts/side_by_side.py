"""Draws scans over time in small charts, one per campaign or QR Code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from qrkit.charts.axes import (
    LEADING,
    NOTE,
    Chart,
    count_text,
    draw_counts,
    fill_counts,
    house_style,
    listed,
    top_of,
    total_words,
)
from qrkit.charts.colors import tint
from qrkit.charts.labels import fit, heading, length, others
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
from qrkit.charts.series import (
    by_words,
    column_words,
    finding_of,
    has_scans,
    shown_of,
    stored_colors,
    table_of,
    text_column_name,
    totals_of,
)
from qrkit.charts.time_axis import BELOW, scale_end, time_axis, write_peak
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import number_text, say

MOST_PANELS = 12
"""Maximum number of small charts: more would not give an overview."""

PANEL = (210, 92)
"""Minimum width of a small chart and the height of its plot, in pixels."""

UNIT = 20
"""Pixels above all small charts, for the unit of their numbers."""

GAP, BETWEEN = 22, 14
"""Pixels between two small charts beside each other, and below each other."""

OWN = 6.0
"""Small charts have their own scales if a common scale would be this many times as high as half of them need."""


@house_style()
def small_multiples(
    frame: pd.DataFrame, *, colors: Mapping[str, int] | None = None, title: str | None = None, width: int = 760
) -> Chart:
    """Draw scans over time in one small chart per campaign or QR Code, largest first, with the peak of each.

    All have the same scale. A peak that would flatten all other days goes beyond it and has an arrow. Where the small
    charts differ too much for one scale, each has its own, and the chart says so. Beyond 12, the smallest are left out,
    and the chart says how many scans they have.

    Args:
        frame: As for `lines`, with a text column.
        colors: Number of the color of each chart by its name. By default, campaigns have the colors that are stored
            with them, and others the first.
        title: The sentence above the charts; by default what they show; "" for none.
        width: Pixels.

    Raises:
        InvalidParameter: If the frame has no column of text, times or scans, or if the chart would be too narrow.
    """
    if not text_column_name(frame):
        rule = "needs a column of text, whose values get a chart each: use `by` in the question, or draw `lines`"
        raise InvalidParameter(Problem("frame", None, rule))
    if not has_scans(frame):
        return Chart.nothing(width, PANEL[1], is_hidden=frame["scans"].hasnans)
    by, table = table_of(frame, MOST_PANELS)
    moments = [moment.to_pydatetime() for moment in table.index]
    complete, totals, unit = are_complete(frame, moments), totals_of(table), unit_of(moments)
    left_out = max(0, frame[by].nunique() - MOST_PANELS)
    names, rest = (list(table.columns[:-1]), table.columns[-1]) if left_out else (list(table.columns), "")
    shown = shown_of(table[names], complete)
    tops = _tops(shown)
    is_own = len(set(tops.values())) > 1
    notes = []
    if left_out:
        notes += [say("and {others} with {scans} scans", others=others(left_out), scans=count_text(totals[rest]))]
    notes += filter(None, [partial_note(complete, moments)])
    grid = _grid(width, {name: count_text(totals[name]) for name in names}, max(tops.values()))
    about = [by_words(by), days_text(moments, frame), zone_text(frame, moments)]
    said = heading(title, finding_of(table, by), about, width)
    body = UNIT + grid.rows * grid.height - BETWEEN + BELOW + NOTE * len(notes)
    chart = Chart.blank(width, ceil(body), said, grows=True)
    numbers = (stored_colors(frame, by, names) or dict.fromkeys(names, 1)) if colors is None else colors
    for number, name in enumerate(names):
        axes = _panel_axes(chart, grid, number, (name, count_text(totals[name])))
        chart.count_axis(axes, tops[name], most_steps=1, has_numbers=is_own or not number % grid.columns)
        time_axis(chart, axes, moments, has_labels=number + grid.columns >= len(names))
        key = f"color-{numbers.get(name, 0)}"
        _panel(chart, axes, moments, shown[name].tolist(), key, complete=complete)
    own = f"; {say('the scale differs from chart to chart')}" if is_own else ""
    chart.add_text((grid.left, 10), f"{scans_a(unit)}{own}", "quiet", size=11)
    for row, note in enumerate(reversed(notes)):
        chart.add_text((grid.left, chart.body_height - 10 - NOTE * row), note, "quiet", size=11)
    chart.title = scans_per(unit, column_words(by))
    words = listed([*names, *([rest] if rest else [])], totals.tolist())
    chart.words = f"{total_words(frame['scans'])} {time_words(moments)}: {words}"
    return chart


class Grid(NamedTuple):
    """Where small charts are: how many are beside and below each other, and the sizes of each in pixels."""

    columns: int
    rows: int
    left: float
    wide: float
    height: float
    lines: int
    """Lines of text for each name."""
    room: float
    """Width of a name."""


def _grid(width: int, names: Mapping[str, str], top: float) -> Grid:
    """Return where small charts are, given their names with their numbers of scans, and the end of the scale."""
    columns = max(1, min(len(names), width // PANEL[0], 4))
    rows = ceil(len(names) / columns)
    columns = ceil(len(names) / rows)  # balance the rows: 2 + 2, not 3 + 1
    left = max(26, length(number_text(top_of(top))) + 10)
    wide = (width - left - 12 - GAP * (columns - 1)) / columns
    room = wide - max(map(length, names.values())) - 10
    lines = max(len(fit(name, room, most=3)) for name in names)
    return Grid(columns, rows, left, wide, 24 + LEADING * lines + PANEL[1] + BETWEEN, lines, room)


def _panel_axes(chart: Chart, grid: Grid, number: int, texts: tuple[str, str]) -> Axes:
    """Write the name and the number of scans above a small chart, and return its axes."""
    row, column = divmod(number, grid.columns)
    x, y = grid.left + column * (grid.wide + GAP), UNIT + row * grid.height
    for line, text in enumerate(fit(texts[0], grid.room, most=3)):
        chart.add_text((x, y + 10 + LEADING * line), text)
    chart.add_text((x + grid.wide, y + 10), texts[1], "quiet", ha="right")
    return chart.axes_at((x, y + 24 + LEADING * grid.lines), (grid.wide, PANEL[1]))


def _tops(shown: pd.DataFrame) -> dict[str, float]:
    """Return the upper end of the scale of each small chart."""
    peaks = shown.max().fillna(0)
    usuals = shown.quantile(0.95).fillna(0)
    if float(usuals.max()) > OWN * float(usuals.median()):
        return {name: max(float(peak), 1) for name, peak in peaks.items()}  # type: ignore[misc]
    return dict.fromkeys(shown.columns, scale_end(shown))


def _panel(
    chart: Chart, axes: Axes, moments: Sequence[datetime], counts: Sequence[float], key: str, *,
    complete: Sequence[bool | None],
) -> None:  # fmt: skip
    """Draw the line of a small chart, and its peak with its number."""
    top = axes.get_ylim()[1]
    fill_counts(axes, moments, [min(count, top) for count in counts], tint(key), complete)
    draw_counts(axes, moments, counts, tint(key), complete, linewidth=1.4, clips=max(counts) > top)
    if peak := write_peak(chart, axes, moments, counts, edge=float(axes.bbox.x0)):
        chart.add_dot(peak, key)
