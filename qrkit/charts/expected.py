"""Draws scans next to what was expected: the previous period, or the usual range."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import nan
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from qrkit.charts.axes import NARROW, Chart, draw_counts, draw_line, fill_counts, from_frame, times_in, top_of
from qrkit.charts.colors import tint
from qrkit.charts.labels import Heading, heading, length
from qrkit.charts.periods import (
    SCANS,
    are_complete,
    days_text,
    partial_note,
    scans_a,
    scans_per,
    time_words,
    unit_of,
    zone_text,
)
from qrkit.charts.time_axis import at_time, room_below, scale_end, time_axis
from qrkit.languages import long_date, number_text, percent_text, plain_date, say, short_date

DAY = timedelta(days=1)
NOW, BEFORE = "this period", "the one before"
MOST_ROOM = 2
"""Maximum height of the usual range, relative to the day with the most scans."""
MOST_NAMED = 6
"""Maximum number of labeled unusual days: more dates would overlap."""


@from_frame
def previous_period(frame: pd.DataFrame, *, title: str | None = None, width: int = 760, height: int = 320) -> Chart:
    """Draw scans over time in front of those of the previous period, aligned at their starts; both with their dates.

    Args:
        frame: Columns start, previous_start (datetime64), scans, previous_scans; as returned by
            `analytics.scans_and_previous`.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
        height: Pixels, with the title. A chart that is too low for a title has none.
    """
    if not (frame["scans"].fillna(0).sum() + frame["previous_scans"].fillna(0).sum()):
        return Chart.nothing(width, height)
    moments = _moments(frame)
    rows = {NOW: frame["scans"].dropna().tolist(), BEFORE: frame["previous_scans"].dropna().tolist()}
    past = times_in(frame, "previous_start")
    shown = moments[: len(rows[NOW])]
    names = {NOW: days_text(shown or moments), BEFORE: days_text(past) if past else say("the one before")}
    complete = are_complete(frame, shown)
    note = partial_note(complete, shown) if shown else ""
    compared = say("{period}, compared with {before}", period=names[NOW], before=names[BEFORE])
    about = [compared, zone_text(frame, moments)]
    keys = {names[NOW]: "color-1", names[BEFORE]: "color-0"}
    chart, axes = _paper(
        keys, most=scale_end(frame[["scans", "previous_scans"]].astype("float64")), size=(width, height),
        has_ends=True, note=note,
        said=heading(title, _change(rows[NOW], rows[BEFORE], complete), about, width),
    )  # fmt: skip
    time_axis(chart, axes, moments)
    chart.write_above(axes, scans_a(unit_of(moments)))
    top = axes.get_ylim()[1]
    how = {"label": BEFORE, "linewidth": 1.4, "clip_on": max([*rows[BEFORE], 0]) > top}
    draw_line(axes, moments[: len(past)], rows[BEFORE], tint("color-0"), **how)
    counts = [count if is_whole is not None else nan for count, is_whole in zip(rows[NOW], complete, strict=True)]
    is_cut = max([*rows[NOW], 0]) > top
    draw_counts(axes, shown, counts, tint("color-1"), complete, label=NOW, clips=is_cut)
    fill_counts(axes, shown, counts, tint("color-1"), complete, clips=is_cut)
    if rows[BEFORE] and max(rows[BEFORE]) > max([*rows[NOW], 0]):
        _mark(chart, axes, moments, rows[BEFORE], past)
    elif is_cut:
        _mark(chart, axes, shown, rows[NOW], shown, key="color-1")
    if width >= NARROW:
        _write_ends(chart, axes, counts, rows[BEFORE], names)
    chart.write_notes(float(axes.bbox.x0), [note] if note else [])
    chart.title = say("{scans} and in the period before", scans=scans_per(unit_of(moments)))
    chart.words = say(
        "{scans} {period}, {before} in the period before",
        scans=sum(rows[NOW]), period=time_words(shown or moments), before=sum(rows[BEFORE]),
    )  # fmt: skip
    return chart


def _write_ends(
    chart: Chart, axes: Axes, counts: Sequence[float], before: Sequence[float], names: dict[str, str]
) -> None:
    """Write the dates of both periods at the ends of their lines."""
    known = [count for count in counts if count == count]
    ends = [(NOW, known, "color-1"), (BEFORE, list(before), "color-0")]
    chart.names_at_ends(axes, [(float(row[-1]), [names[name]], key) for name, row, key in ends if row])


def _change(now: Sequence[int], before: Sequence[int], complete: Sequence[bool | None]) -> str:
    """Say how many scans there were, and how many more or fewer than in the same part of the period before."""
    # What is not counted to its end cannot be compared.
    whole = [place for place, is_whole in enumerate(complete) if is_whole]
    is_partial = len(whole) < len(now)
    counted = sum(now[place] for place in whole) if is_partial else sum(now)
    compared = sum(before[place] for place in whole if place < len(before)) if is_partial else sum(before)
    scans = say(SCANS, counted)
    when = say("in the same part of the period before" if is_partial else "in the period before")
    if not compared:
        return say("{scans}, none {when}", scans=scans, when=when)
    points = round(100 * abs(counted - compared) / compared)
    if points:
        sentence = (
            "{scans}, {percent} more than {when}" if counted > compared else "{scans}, {percent} fewer than {when}"
        )
        return say(sentence, scans=scans, percent=percent_text(points), when=when)
    return say(
        "{scans}, as many as {when}" if counted == compared else "{scans}, about as many as {when}",
        scans=scans, when=when,
    )  # fmt: skip


def _mark(
    chart: Chart, axes: Axes, moments: Sequence[datetime], counts: Sequence[float], days: Sequence[datetime], *,
    key: str = "color-0",
) -> None:  # fmt: skip
    """Write its own date at the peak of a period."""
    number = max(range(len(counts)), key=counts.__getitem__)
    end = min(counts[number], axes.get_ylim()[1])
    chart.add_dot(chart.place(axes, at_time(moments[number]), end), key)
    _name(chart, axes, moments[number], counts[number], shown=days[number])


@from_frame
def unusual_days(frame: pd.DataFrame, *, title: str | None = None, width: int = 760, height: int = 320) -> Chart:
    """Draw scans per day over the usual range; days outside of it are highlighted and dated, missing days are gray.

    Args:
        frame: Columns day (datetime64), scans, low, high (a usual day lies between them; missing where too few days
            have scans), is_unusual (bool); as returned by `analytics.unusual_days`.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
        height: Pixels, with the title. A chart that is too low for a title has none.
    """
    if not frame["scans"].sum():
        return Chart.nothing(width, height)
    days, scans = times_in(frame), frame["scans"].tolist()
    # Few days rule out hardly anything: a range far above every day would flatten the line, and may have no end.
    high = frame["high"].clip(upper=MOST_ROOM * frame["scans"].max()).tolist()
    unusual = frame[frame["is_unusual"]]
    # Only days whose number is written may be beyond the scale.
    most = max(scale_end(frame[["scans"]].astype("float64")), frame.loc[~frame["is_unusual"], "scans"].max())
    most = float(max(most, *high) if frame["high"].notna().all() else most)
    marked = times_in(unusual)
    said = heading(title, _unusual_words(frame, marked), [days_text(days, frame), zone_text(frame)], width)
    keys = {say("scans"): "color-1", say("usual range"): "heat-1"}
    drawn = {days[0] + number * DAY: nan for number in range((days[-1] - days[0]).days + 1)}
    down = drawn.keys() - set(days)
    note = say("Gray: the server did not answer") if down else ""
    chart, axes = _paper(keys, most=most, size=(width, height), said=said, note=note)
    chart.write_above(axes, scans_a("day"))
    time_axis(chart, axes, days)
    axes.fill_between(
        days, frame["low"].clip(upper=most).tolist(), high, color=tint("heat-1"), linewidth=0, zorder=0.5, clip_on=False
    )
    for day in sorted(down):
        axes.axvspan(day - DAY / 2, day + DAY / 2, color=tint("line"), linewidth=0, zorder=0.6)
    chart.write_notes(float(axes.bbox.x0), [note] if note else [])
    drawn |= dict(zip(days, scans, strict=True))
    top, clips = axes.get_ylim()[1], {"clip_on": max(scans) > axes.get_ylim()[1]}
    draw_line(axes, list(drawn), list(drawn.values()), tint("color-1"), label=say("scans"), **clips)
    how: dict[str, Any] = {"markerfacecolor": tint("color-2"), "markeredgecolor": tint("paper"), "linestyle": ""}
    ends = unusual["scans"].clip(upper=top).tolist()
    axes.plot(marked, ends, marker="o", markersize=10, clip_on=False, label="_", **how)
    for day, number in list(zip(marked, unusual["scans"].tolist(), strict=True))[:MOST_NAMED]:
        _name(chart, axes, day, number)
    chart.title = say("scans per day and what is usual")
    pairs = zip(marked, unusual["scans"].tolist(), strict=True)
    dates = ", ".join(say("{day} with {scans}", day=plain_date(day), scans=count) for day, count in pairs)
    none = say("no day" if frame["high"].notna().all() else "not known, as too few days have scans")
    chart.words = say(
        "{scans} {period}; unusual: {days}", scans=sum(scans), period=time_words(days), days=dates or none
    )
    return chart


def _unusual_words(frame: pd.DataFrame, marked: Sequence[datetime]) -> str:
    """Say which days are unusual."""
    if len(marked) > 1:
        sentence = "{unusual} of {days} days have unusually many or few scans"
        return say(sentence, unusual=len(marked), days=len(frame))
    if marked:
        count = int(frame.loc[frame["is_unusual"], "scans"].iloc[0])
        return say("One unusual day: {day} with {scans}", day=long_date(marked[0]), scans=say(SCANS, count))
    is_unknown = frame["high"].isna().any()
    sentence = "{scans} scans; too few days to say what is usual" if is_unknown else "{scans} scans, and no unusual day"
    return say(sentence, scans=int(frame["scans"].sum()))


@from_frame
def forecast(
    frame: pd.DataFrame,
    *,
    past: pd.DataFrame | None = None,
    title: str | None = None,
    width: int = 760,
    height: int = 320,
) -> Chart:
    """Draw the expected scans of coming days over their range, after the past days if you pass them.

    Args:
        frame: Columns day (datetime64), scans (float), low, high, total, total_low, total_high (missing where no range
            is possible); as returned by `analytics.forecast`.
        past: Columns day (datetime64), scans (int); as returned by `analytics.scans_per_day`. Days that are also in the
            forecast are not drawn.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
        height: Pixels, with the title. A chart that is too low for a title has none.
    """
    days, expected = times_in(frame), frame["scans"].tolist()
    before = frame[:0][["day", "scans"]] if past is None else past[past["day"] < frame["day"].iloc[0]]
    gone, counted = times_in(before), before["scans"].tolist()
    low, high = (frame[name].astype("float64").tolist() for name in ("low", "high"))
    most = max(*counted, *expected, *frame["high"].dropna(), 1.0)
    keys = ({say("scans"): "color-1"} if gone else {}) | {say("expected"): "color-2", say("likely range"): "heat-1"}
    last, likely = frame.iloc[-1], ""
    if not frame["total_high"].hasnans:
        likely = f", {say('likely {low} to {high}', low=int(last['total_low']), high=int(last['total_high']))}"
    ahead, total = say(("1 day", "{count} days"), len(days)), number_text(last["total"], ",.0f")
    finding = say("About {scans} scans expected in {time}", scans=total, time=ahead) + likely
    said = heading(title, finding, [days_text(days), zone_text(frame)], width)
    chart, axes = _paper(keys, most=float(most), size=(width, height), said=said)
    chart.write_above(axes, scans_a("day"))
    time_axis(chart, axes, gone + days)
    axes.fill_between(days, low, high, color=tint("heat-1"), linewidth=0, zorder=0.5, clip_on=False)
    if gone:
        draw_line(axes, gone, counted, tint("color-1"), label=say("scans"))
    draw_line(axes, days, expected, tint("color-2"), label=say("expected"))
    chart.title = say("scans per day and what is expected of the next days")
    chart.words = say("about {scans} {period}", scans=total, period=time_words(days)) + likely
    return chart


def _moments(frame: pd.DataFrame) -> list[datetime]:
    """Return the start times of the period, continued at the same steps if the previous period is longer."""
    # pandas subtracts elapsed time, while datetimes would subtract local clock times.
    starts, before = (list(frame[name].dropna()) for name in ("start", "previous_start"))
    if not starts:
        starts = before
    longer = [starts[-1] + (one - before[len(starts) - 1]) for one in before[len(starts) :]]
    return [start.to_pydatetime() for start in starts + longer]


def _paper(
    keys: dict[str, str], *, most: float, size: tuple[int, int], said: Heading, has_ends: bool = False, note: str = ""
) -> tuple[Chart, Axes]:
    """Return a chart with count axes. Its names are above, or there is room for them at the ends of lines."""
    chart = Chart.blank(*size, said)
    is_beside = has_ends and size[0] >= NARROW
    top = 28 if is_beside else chart.names_above(keys) + 28
    right = max(map(length, keys)) + 34 if is_beside else 22
    left = max(38, length(number_text(top_of(most))) + 14)
    axes = chart.axes_between(left=left, right=right, top=top, bottom=room_below(chart, note))
    chart.count_axis(axes, most)
    return chart, axes


def _name(chart: Chart, axes: Axes, day: datetime, number: float, *, shown: datetime | None = None) -> None:
    """Write a date above its dot, inside the chart: the day itself, or another one that is shown in its place."""
    top = axes.get_ylim()[1]
    x, y = chart.place(axes, at_time(day), min(number, top))
    text = say("{day}: {scans}", day=short_date(shown or day), scans=number_text(number)) + (
        " ↑" if number > top else ""
    )
    half = length(text) / 2 + 2
    chart.add_text((min(max(x, half), chart.bbox.width - half), max(y - 15, 8)), text, ha="center")
