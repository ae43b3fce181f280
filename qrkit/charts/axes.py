"""Provides the parts of charts: figures, axes placed in pixels, text, dates, counts and names of lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import BytesIO
from itertools import pairwise
from math import isnan, nan
from threading import RLock
from typing import TYPE_CHECKING, Any

import matplotlib.style
from matplotlib.dates import date2num
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse, Rectangle
from matplotlib.ticker import MaxNLocator

from qrkit.charts.colors import COLORS, colors_in_use, tint
from qrkit.charts.labels import FONT, cut, drawable, length
from qrkit.errors import InvalidParameter, Problem

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "NARROW",
    "Chart",
    "a_unit",
    "above",
    "add_axes",
    "add_dot",
    "add_swatch",
    "add_text",
    "at_time",
    "axes_at",
    "blank",
    "count_axis",
    "count_text",
    "date_text",
    "draw_line",
    "hidden_words",
    "house_style",
    "listed",
    "names_above",
    "names_at_ends",
    "nothing",
    "place",
    "time_axis",
    "time_words",
    "top_of",
    "unit_of",
]

STYLE = {"font.family": [FONT], "font.size": 12, "svg.fonttype": "none", "svg.hashsalt": "qrkit"}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LINE = 18
"""Pixels between lines of text."""

NARROW = 560
"""Minimum width in pixels to put text next to a plot."""

FEW = 10
"""Up to this many points, each is drawn as a dot, because a line through one or two points says little."""

HOUR = timedelta(hours=1)

LEAST = {"width": 120, "height": 40}
"""Minimum size of a chart in pixels; nothing is visible on a smaller one."""

LEAST_AXES = 20
"""Minimum height of the plot in pixels."""

_lock = RLock()  # matplotlib's settings are global to the process


class Chart(Figure):
    """A Figure that notebooks show as an image and that describes itself in words.

    Attributes:
        title: What the chart is about.
        words: Description of the chart for people who cannot see it.
        colors: The colors in which it was drawn, on light and on dark backgrounds by name.
    """

    title: str = ""
    words: str = ""
    colors: Mapping[str, tuple[str, str]] = COLORS

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        # Pyplot does this only for its own figures. Two dots per pixel keep text sharp on high-resolution screens.
        buffer = BytesIO()
        with house_style():
            self.savefig(buffer, format="png", dpi=2 * self.dpi)
        size = {"width": round(self.bbox.width), "height": round(self.bbox.height)}
        return {"text/plain": f"<Chart of {self.title}: {self.words}>", "image/png": buffer.getvalue()}, {
            "image/png": size
        }


@contextmanager
def house_style() -> Iterator[None]:
    """Apply matplotlib's defaults and our style, whatever a notebook has set. Only one thread draws at a time."""
    with _lock, matplotlib.style.context(["default", STYLE]):
        yield


def blank(width: int, height: int) -> Chart:
    """Return an empty chart with a size in pixels (at 72 dots per inch, one point is one pixel).

    Raises:
        InvalidParameter: If the chart would be too small to show anything.
    """
    for name, pixels in (("width", width), ("height", height)):
        _check_room(name, pixels, LEAST[name])
    chart = Chart(figsize=(width / 72, height / 72), dpi=72, facecolor=tint("paper"))
    chart.colors = colors_in_use()
    return chart


def nothing(width: int, height: int, what: str = "scans", *, is_hidden: bool = False) -> Chart:
    """Return a chart that says that there is nothing to show, or that everything is hidden."""
    chart = blank(width, height)
    add_text(chart, (width / 2, height / 2), f"{what} are hidden" if is_hidden else f"no {what}", "quiet", ha="center")
    chart.title, chart.words = what, "hidden" if is_hidden else "none"
    return chart


def add_axes(chart: Chart, *, left: float, right: float, top: float, bottom: float) -> Axes:
    """Add axes without lines or text, at distances in pixels from the edges. Narrow charts get smaller side margins.

    Raises:
        InvalidParameter: If the chart is too low for its margins.
    """
    width, height = chart.bbox.width, chart.bbox.height
    _check_room("height", height, top + bottom + LEAST_AXES)
    left, right = min(left, width / 2), min(right, width / 2 - 20)
    return axes_at(chart, (left, top), (width - left - right, height - top - bottom))


def axes_at(chart: Chart, at: tuple[float, float], size: tuple[float, float]) -> Axes:
    """Add axes without any lines or text, given the upper left corner and the size in pixels."""
    width, height = chart.bbox.width, chart.bbox.height
    place = at[0] / width, 1 - (at[1] + size[1]) / height, size[0] / width, size[1] / height
    axes = chart.add_axes(place)
    axes.set_axis_off()
    return axes


def add_text(chart: Chart, at: tuple[float, float], text: str, color: str = "ink", **how: Any) -> None:
    """Write text, vertically centered, without interpreting markup.

    Args:
        chart: The chart to write on.
        at: Position in pixels from the upper left corner.
        text: The text. `to_svg` writes it as it is; images show a box for each character missing in the font.
        color: A name in `COLORS`.
        **how: `ha`: the side of the text that is at the position; `size`: pixels.
    """
    x, y = _shares(chart, at)
    more: dict[str, Any] = {"va": "center", "parse_math": False, "label": text, "gid": f"text-{len(chart.texts)}"} | how
    chart.text(x, y, drawable(text), color=tint(color), **more)


def add_dot(chart: Chart, at: tuple[float, float], color: str) -> None:
    """Draw the dot in front of a name, centered on a position in pixels from the upper left corner."""
    size = (9 / chart.bbox.width, 9 / chart.bbox.height)
    chart.add_artist(Ellipse(_shares(chart, at), *size, facecolor=tint(color), edgecolor="none", linewidth=0))


def add_swatch(chart: Chart, at: tuple[float, float], size: tuple[float, float], shade: str) -> None:
    """Draw a small rectangle of a color, given its upper left corner and its size in pixels."""
    share = (size[0] / chart.bbox.width, -size[1] / chart.bbox.height)
    chart.add_artist(Rectangle(_shares(chart, at), *share, facecolor=shade, edgecolor="none", linewidth=0))


def place(chart: Chart, axes: Axes, x: float, y: float) -> tuple[float, float]:
    """Return the position of a data point in pixels from the upper left corner of the chart."""
    right, up = axes.transData.transform((x, y))
    return float(right), float(chart.bbox.height - up)


def at_time(day: datetime) -> float:
    """Return the position of a moment on a time axis."""
    return float(date2num(day))  # type: ignore[no-untyped-call]


def date_text(day: datetime) -> str:
    """Format a date like 13 Jun."""
    return f"{day.day} {MONTHS[day.month - 1]}"


def unit_of(moments: Sequence[datetime]) -> str:
    """Return the unit of the steps between these moments: hour, day, week or month."""
    step = min((after - before for before, after in pairwise(moments)), default=24 * HOUR)
    bounds = (("hour", 12 * HOUR), ("day", 48 * HOUR), ("week", 300 * HOUR))
    return next((unit for unit, bound in bounds if step < bound), "month")


def a_unit(unit: str) -> str:
    """Name what a count is per: per day, per hour."""
    return f"{'an' if unit == 'hour' else 'a'} {unit}"


def time_words(moments: Sequence[datetime]) -> str:
    """Describe the first and the last moment in words."""
    shape = "%Y-%m-%d %H:%M" if unit_of(moments) == "hour" else "%Y-%m-%d"
    return f"from {moments[0]:{shape}} to {moments[-1]:{shape}}"


def time_axis(chart: Chart, axes: Axes, moments: Sequence[datetime], *, most: int | None = None) -> None:
    """Make the axes span the moments, and label them with dates or hours: `most`, or as many as fit."""
    first, last = at_time(moments[0]), at_time(moments[-1])
    half = 1.0 if unit_of(moments) != "hour" else 1 / 24
    axes.set_xlim(*((first, last) if len(moments) > 1 else (first - half, last + half)))
    room = max(2, int(axes.bbox.width // 58)) if most is None else most
    dates = _dates(moments, room) if room else {}
    # Two labels alone are aligned with the ends of the axis, so they do not extend beyond it.
    sides = ("left", "right") if most == 2 and len(dates) == 2 else ("center",) * len(dates)
    for (moment, text), side in zip(dates.items(), sides, strict=True):
        x, y = place(chart, axes, at_time(moment), axes.get_ylim()[0])
        add_text(chart, (x, y + 15), text, "quiet", ha=side)


def top_of(most: float) -> int:
    """Return the round number above `most` where an axis ends."""
    return _steps(most)[-1]


def count_axis(chart: Chart, axes: Axes, most: float, *, most_steps: int = 4, has_numbers: bool = True) -> None:
    """Make the axes reach from 0 to a round number above `most`, with a line and a number at even steps.

    Args:
        chart: The chart to draw on.
        axes: Axes of the chart.
        most: The largest number to show.
        most_steps: 1 for lines only at 0 and at the top.
        has_numbers: Whether to write the numbers.
    """
    ticks = _steps(most)
    axes.set_ylim(0, ticks[-1])
    left, across = axes.bbox.x0, axes.get_yaxis_transform()
    for tick in ticks if most_steps > 1 else (0, ticks[-1]):
        color = tint("line" if tick else "quiet")
        axes.add_artist(
            Line2D((0, 1), (tick, tick), color=color, linewidth=1, zorder=0, transform=across, clip_on=False, label="_")
        )
        if has_numbers:
            add_text(chart, (left - 8, place(chart, axes, 0, tick)[1]), f"{tick:,}", "quiet", ha="right")


def above(chart: Chart, axes: Axes, what: str) -> None:
    """Write the unit of the numbers above the axes."""
    add_text(chart, (axes.bbox.x0, chart.bbox.height - axes.bbox.y1 - 12), what, "quiet", size=11)


def draw_line(axes: Axes, moments: Sequence[datetime], values: Sequence[float], color: str, **how: Any) -> None:
    """Draw a line with a gap at each NaN, and with a dot at each point if there are few.

    Args:
        axes: Axes of the chart.
        moments: Horizontal positions.
        values: Vertical positions.
        color: A matplotlib color.
        **how: Further matplotlib options of the line.
    """
    around = [nan, *values, nan]
    # A value between two gaps has no line to show it, so it gets a dot.
    alone = [place for place in range(len(values)) if isnan(around[place]) and isnan(around[place + 2])]
    is_few = len(moments) < FEW
    options: dict[str, Any] = {
        "linewidth": 1.8,
        "solid_joinstyle": "round",
        "solid_capstyle": "round",
        "marker": "o" if is_few or alone else "",
        "markevery": None if is_few else alone,
        "markersize": 5,
        "label": "_",
    }
    axes.plot(list(moments), list(values), color=color, clip_on=False, markeredgewidth=0, **options | how)  # type: ignore[arg-type]


def count_text(count: Any) -> str:
    """Format a count like 1,234, or "hidden" for a missing one, as in tables without small groups."""
    import pandas as pd

    return "hidden" if pd.isna(count) else f"{count:,}"


def hidden_words(counts: pd.Series[Any]) -> str:
    """Describe how many counts are missing, to follow the sum of the others; "" if none are."""
    hidden = int(counts.isna().sum())
    return f" and {hidden:,} hidden {'count' if hidden == 1 else 'counts'}" if hidden else ""


def listed(names: Sequence[str], counts: Sequence[Any]) -> str:
    """Describe names with their counts in words."""
    return ", ".join(f"{cut(name, 60)} {count_text(count)}" for name, count in zip(names, counts, strict=True))


def names_above(chart: Chart, keys: Mapping[str, str]) -> int:
    """Write names with dots of their colors (name to color) in rows from the top; return the height in pixels."""
    x, y = 6.0, 10
    for name, color in keys.items():
        shown = cut(name)
        if x > 6 and x + 10 + length(shown) > chart.bbox.width:
            x, y = 6.0, y + LINE
        add_dot(chart, (x, y), color)
        add_text(chart, (x + 10, y), shown)
        x += length(shown) + 28
    return y + LINE // 2


def names_at_ends(chart: Chart, axes: Axes, ends: Sequence[tuple[float, str, str]]) -> None:
    """Write names next to the ends of their lines without overlap. `ends` holds last value, name and color."""
    wished = sorted((place(chart, axes, 0, value)[1], name, color) for value, name, color in ends)
    heights = _move_apart([height for height, _, _ in wished], lowest=float(chart.bbox.height - axes.bbox.y0))
    for height, (_, name, color) in zip(heights, wished, strict=True):
        add_dot(chart, (axes.bbox.x1 + 18, height), color)
        add_text(chart, (axes.bbox.x1 + 28, height), name)


def _check_room(name: str, pixels: float, least: float) -> None:
    if pixels < least:
        raise InvalidParameter(Problem(name, round(pixels), f"must be {least:.0f} pixels or more", "out-of-range"))


def _shares(chart: Chart, at: tuple[float, float]) -> tuple[float, float]:
    """Convert a position in pixels from the upper left corner to shares of the size from the lower left corner."""
    return at[0] / chart.bbox.width, 1 - at[1] / chart.bbox.height


def _move_apart(wished: Sequence[float], lowest: float) -> list[float]:
    """Move heights apart, in the same order, to at least one line of text, with none below `lowest`."""
    heights = list(wished)
    for index in range(1, len(heights)):
        heights[index] = max(heights[index], heights[index - 1] + LINE)
    for index in reversed(range(len(heights))):
        heights[index] = min(heights[index], lowest)
        lowest = heights[index] - LINE
    return heights


def _steps(most: float) -> list[int]:
    """Return whole numbers at even steps, from 0 to a round number above `most`."""
    return [round(tick) for tick in MaxNLocator(nbins=4, integer=True).tick_values(0, max(most, 1))]


def _dates(moments: Sequence[datetime], most: int) -> dict[datetime, str]:
    """Choose at most `most` moments to label with a date or an hour, and return their labels."""
    if unit_of(moments) == "hour" and moments[-1] - moments[0] < 72 * HOUR:
        for step in (1, 2, 3, 6, 12, 24):
            hours = [one for one in moments if not one.minute and one.hour % step == 0]
            if 0 < len(hours) <= most:
                # A repeated hour is one key: its label stands below the first occurrence.
                return {one: f"{one:%H:%M}" if one.hour else date_text(one) for one in hours}
    days = [one for one in moments if one.time() == datetime.min.time()] or list(moments[:1])
    mondays = [day for day in days if day.weekday() == 0]
    ends = [days[0], days[-1]] if most == 2 else []
    for chosen in (ends, days, days[::2], mondays, mondays[::2]):
        if 0 < len(chosen) <= most:
            return {day: date_text(day) for day in chosen}
    firsts = [day for day in days if day.day == 1]
    for step in (1, 3, 6, 12, 60):
        months = [day for day in firsts if (12 * day.year + day.month - 1) % step == 0]
        if len(months) <= most:
            return {day: f"{MONTHS[day.month - 1]}{f' {day.year}' if day.month == 1 else ''}" for day in months}
    return {}
