"""Draws time axes in two levels, such as days below months, and cuts peaks that would flatten all other days."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import date2num

from qrkit.charts.axes import NOTE, Chart, top_of
from qrkit.charts.labels import length
from qrkit.charts.periods import moment_text, unit_of
from qrkit.languages import month_and_year, number_text, short_date, short_month, short_months

BELOW, LEAST_BELOW = 42, 26
"""Pixels below the axes for both levels of labels, and for one level only."""

LOW = 120
"""Charts below this height in pixels have one level of labels only."""

HOUR = timedelta(hours=1)
GAP = 8
"""Minimum distance between labels in pixels."""
BROKEN = 2.0
"""A peak is cut where it is this many times as high as the scale that nearly all other days need."""
MANY = 10
"""Minimum number of days for that."""


class Scale(NamedTuple):
    """A way to label a time axis: which moments have a label, and what stands below the first one of a group."""

    moments: list[datetime]
    text: Callable[[datetime], str]
    group: Callable[[datetime], tuple[str, str]]
    """Returns the name of the group, and a shorter one."""
    widest: str


def at_time(day: datetime) -> float:
    """Return the position of a moment on a time axis."""
    return float(date2num(day))  # type: ignore[no-untyped-call]


def room_below(chart: Chart, note: str = "") -> int:
    """Return the pixels that a time axis, and a note below it, take up."""
    return (BELOW if chart.body_height >= LOW else LEAST_BELOW) + (NOTE if note else 0)


def time_axis(chart: Chart, axes: Axes, moments: Sequence[datetime], *, has_labels: bool = True) -> None:
    """Make the axes span the moments; label them in two levels, as many as fit, with ticks."""
    first, last = at_time(moments[0]), at_time(moments[-1])
    half = 1.0 if unit_of(moments) != "hour" else 1 / 24
    axes.set_xlim(*((first, last) if len(moments) > 1 else (first - half, last + half)))
    if not has_labels:
        return
    scale = _scale(moments, float(axes.bbox.width))
    spots = [(chart.place(axes, at_time(moment), axes.get_ylim()[0]), moment) for moment in scale.moments]
    for (x, y), moment in spots:
        chart.add_line((x, y), (x, y + 4), "quiet", linewidth=1)
        chart.add_text((x, y + 14), scale.text(moment), "quiet", ha="center")
    groups = [(*at, scale.group(moment)) for at, moment in spots]
    groups = [group for number, group in enumerate(groups) if not number or group[2] != groups[number - 1][2]]
    if axes.bbox.y0 > BELOW - 1:
        _write_groups(chart, groups, float(axes.bbox.x1))


def scale_end(shown: pd.DataFrame) -> float:
    """Return the upper end of a scale: the highest count that is not far above those of nearly all days."""
    most, limit = float(shown.max().max()), BROKEN * top_of(float(shown.quantile(0.95).max()))
    return float(shown.where(shown <= limit).max().max()) if len(shown) >= MANY and most > limit else most


def write_peak(
    chart: Chart, axes: Axes, moments: Sequence[datetime], counts: Sequence[float], *, edge: float
) -> tuple[float, float] | None:
    """Write the number of the highest count above it; beyond the scale, with its date and an arrow.

    The text may begin `edge` pixels from the left of the chart. Returns the place of a peak that is on the scale.
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


def _write_groups(chart: Chart, groups: Sequence[tuple[float, float, tuple[str, str]]], right: float) -> None:
    """Write the name of each group below its first label: in full, shortened, or not at all, as the room allows."""
    ends = [x for x, _, _ in groups[1:]] + [right + 40]
    free = 0.0
    for (x, y, names), end in zip(groups, ends, strict=True):
        for name in names if x + length(names[-1]) / 2 < chart.bbox.width else ():
            left = min(max(x - length(name) / 2, 2), chart.bbox.width - length(name) - 2)
            if name and left >= free and (left + length(name) + GAP <= end or name == names[-1]):
                chart.add_text((left, y + 30), name, "quiet")
                free = left + length(name) + GAP
                break


def _scale(moments: Sequence[datetime], room: float) -> Scale:
    """Choose the finest labels that have room."""
    coarsest = None
    for scale in _scales(moments):
        if not scale.moments:
            continue
        if len(scale.moments) * (length(scale.widest) + GAP) <= room + length(scale.widest) + GAP:
            return scale
        coarsest = scale
    # Not even years have room: the last labels are thinned out.
    assert coarsest is not None
    step = -(-len(coarsest.moments) // max(1, int(room // (length(coarsest.widest) + GAP))))
    return coarsest._replace(moments=coarsest.moments[::step])


def _scales(moments: Sequence[datetime]) -> Iterator[Scale]:
    """Yield ways to label an axis, the finest first."""
    days = _days(moments)
    if unit_of(moments) == "hour" and moments[-1] - moments[0] < 72 * HOUR:
        for step in (1, 2, 3, 6, 12):
            # A repeated hour has one label, below its first occurrence.
            hours = {(one.date(), one.hour): one for one in reversed(moments) if not one.minute and not one.hour % step}
            yield Scale(list(hours.values())[::-1], "{:%H:%M}".format, _day_group, "00:00")
    if unit_of(moments) == "week":
        yield Scale(list(moments), _day, _month_group, "30")
    elif unit_of(moments) != "month":
        yield Scale(days, _day, _month_group, "30")
        yield Scale([day for day in days if day.weekday() == 0], _day, _month_group, "30")
    firsts = [day for day in days if day.day == 1]
    for step in (1, 3, 6):
        months = [day for day in firsts if not (day.month - 1) % step]
        yield Scale(months, short_month, _year_group, _widest_month())
    for step in (1, 2, 5, 10, 20, 50):
        years = [day for day in firsts if day.month == 1 and not day.year % step]
        yield Scale(years, "{:%Y}".format, lambda day: ("", ""), "2000")
    widest = f"30 {_widest_month()}"
    yield Scale([moments[0], moments[-1]] if len(moments) > 1 else [moments[0]], short_date, _year_group, widest)
    yield Scale([moments[0]], short_date, _year_group, widest)


def _days(moments: Sequence[datetime]) -> list[datetime]:
    """Return the midnights from the first moment to the last."""
    first, last = moments[0], moments[-1]
    day = first.replace(hour=0, minute=0, second=0, microsecond=0)
    days = [day + timedelta(days=number) for number in range((last.date() - first.date()).days + 1)]
    return [day for day in days if day >= first] or [first]


def _day(day: datetime) -> str:
    return f"{day.day}"


def _widest_month() -> str:
    return max(short_months(), key=length)


def _day_group(hour: datetime) -> tuple[str, str]:
    return short_date(hour, year=True), short_date(hour)


def _month_group(day: datetime) -> tuple[str, str]:
    return month_and_year(day), short_month(day)


def _year_group(day: datetime) -> tuple[str, str]:
    return f"{day.year}", ""
