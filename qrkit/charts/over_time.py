"""Draws scans over time as lines: one, or one per campaign or QR Code, together or in small charts of their own.

Also draws what is known of an experiment, day by day.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil, inf
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from qrkit.charts.axes import (
    LEADING,
    NARROW,
    NOTE,
    Chart,
    count_text,
    draw_counts,
    draw_line,
    fill_counts,
    from_frame,
    listed,
    times_in,
    top_of,
    total_words,
)
from qrkit.charts.colors import MOST_COLORS, tint
from qrkit.charts.labels import fit, heading, length, others
from qrkit.charts.periods import (
    are_complete,
    by_words,
    colors_of,
    column_words,
    days_text,
    finding_of,
    has_scans,
    partial_note,
    scans_a,
    scans_per,
    shown_of,
    stored_colors,
    table_of,
    text_column_name,
    time_words,
    totals_of,
    unit_of,
    zone_text,
)
from qrkit.charts.time_axis import BELOW, room_below, scale_end, time_axis, write_peak
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import number_text, say, signed_text

MANY_DAYS = 120
"""Minimum number of days to show a 7-day mean, because weekly patterns would hide everything else."""

NAMES = 0.34
"""Maximum share of the width for names at the ends of lines."""
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
ROOM = 2.5
"""How much farther than today the interval of an earlier day is shown."""


@from_frame
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
    chart.write_notes(left, [note] if note else [])
    chart.title = scans_per(unit, column_words(by))
    each = f": {listed(names, totals_of(table).tolist())}" if by else ""
    chart.words = f"{total_words(frame['scans'])} {time_words(moments)}{each}"
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


# ---- small charts, one per campaign or QR Code


@from_frame
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
    chart.write_notes(grid.left, notes)
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


# ---- an experiment, day after day


@from_frame
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
    days, is_ratio = times_in(rows), last["method"] == "ratio"

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
