"""Provides the parts of charts: figures with headings, axes placed in pixels, text, counts and names of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from io import BytesIO
from itertools import pairwise
from math import isnan, nan
from threading import RLock
from typing import Any, Self, TypeVar, cast

import matplotlib.style
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse, Rectangle
from matplotlib.ticker import MaxNLocator

from qrkit.charts.colors import COLORS, colors_in_use, tint
from qrkit.charts.installed_fonts import with_installed_fonts
from qrkit.charts.labels import FONT, Heading, cut, drawable, fit, length
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import LanguageTag, current_language, in_language, number_text, say

Draw = TypeVar("Draw", bound="Callable[..., Chart]")
STYLE = {"font.family": [FONT], "font.size": 12, "svg.fonttype": "none", "svg.hashsalt": "qrkit"}
LINE = 18
"""Pixels between lines of text."""

LEADING = 15
"""Pixels between lines of one name."""

NOTE = 18
"""Pixels below the axes for a note."""

LEADER = 5
"""A name this many pixels away from the end of its line has a line to it."""

NARROW = 560
"""Minimum width in pixels to put text next to a plot."""

FEW = 10
"""Up to this many points, each is drawn as a dot, because a line through one or two points says little."""

LEAST = {"width": 120, "height": 40}
"""Minimum size of a chart in pixels; nothing is visible on a smaller one."""

LEAST_BELOW_HEADING = 130
"""Minimum height in pixels below a heading; a lower chart has none."""

MARGIN = 12
"""Pixels around a chart in a file."""

LEAST_AXES = 20
"""Minimum height of the plot in pixels."""

NOTHING = {
    "scans": "no scans",
    "scans from known countries": "no scans from known countries",
    "places of QR Codes": "no places of QR Codes",
    "QR Codes": "no QR Codes",
    "results": "no results yet",
}
HIDDEN = {"scans": "scans are hidden", "scans from known countries": "scans from known countries are hidden"}

_lock = RLock()  # matplotlib's settings are global to the process


class _Bare(Axes):
    """Axes without ticks; charts draw their own, and making ticks took as long as everything else about axes."""

    def tick_params(self, axis: Any = "both", **kwargs: Any) -> None:
        """Do nothing, because setting the style of ticks would create the ticks."""


class Chart(Figure):
    """A Figure that notebooks show as an image and that describes itself in words.

    Attributes:
        title: What the chart is about.
        headline: The sentence above the chart; "" if it has none.
        words: Description of the chart for people who cannot see it.
        colors: The colors in which it was drawn, on light and on dark backgrounds by name.
        language: The language in which it was drawn.
    """

    title: str = ""
    headline: str = ""
    words: str = ""
    colors: Mapping[str, tuple[str, str]] = COLORS
    language: LanguageTag = "en"
    head: int = 0

    @classmethod
    def blank(cls, width: int, height: int, heading: Heading | None = None, *, grows: bool = False) -> Self:
        """Return an empty chart with a size in pixels (at 72 dots per inch, one point is one pixel).

        Args:
            width: Pixels.
            height: Pixels, with the heading. Where they would not be enough for it, the chart has none.
            grows: Whether the heading is added to the height.
        """
        for name, pixels in (("width", width), ("height", height)):
            _check_room(name, pixels, LEAST[name])
        head = heading.height if heading else 0
        if not grows and height < head + LEAST_BELOW_HEADING:
            head = 0
        full = height + head if grows else height
        chart = cls(figsize=(width / 72, full / 72), dpi=72, facecolor=tint("paper"))
        chart.colors, chart.language = colors_in_use(), current_language()
        if heading and head:
            for text, middle, size, color in heading.rows():
                chart.add_text((2, middle), text, color, size=size, weight="bold" if color == "ink" else "normal")
            chart.head, chart.headline = head, " ".join(heading.title)
        return chart

    @classmethod
    def nothing(cls, width: int, height: int, what: str = "scans", *, is_hidden: bool = False) -> Self:
        """Return a chart that says that there is none of `what`, one of `NOTHING`, or that all of it is hidden."""
        chart = cls.blank(width, height)
        chart.add_text((width / 2, height / 2), say((HIDDEN if is_hidden else NOTHING)[what]), "quiet", ha="center")
        chart.title, chart.words = say(what), say("hidden" if is_hidden else "none")
        return chart

    @property
    def description(self) -> str:
        """Return the title and the words as one sentence."""
        with in_language(self.language):
            return say("Chart of {title}: {words}", title=self.title, words=self.words)

    @property
    def body_height(self) -> float:
        """Return the height in pixels below the heading, from where positions count."""
        return float(self.bbox.height) - self.head

    def savefig(self, fname: Any, **how: Any) -> None:
        """Save the chart as `matplotlib.figure.Figure.savefig` does, with installed fonts for letters that ours lacks.

        The picture has a margin of 12 pixels around the chart; `bbox_inches=chart.bbox_inches` leaves it out.

        Warns if no installed font has the letters of a script; the chart then shows boxes. `to_svg` keeps all letters,
        because the page chooses the font.

        Args:
            fname: The file, as for matplotlib.
            **how: The parameters of matplotlib's `savefig`, such as `dpi` and `format`.
        """
        how = {"bbox_inches": self.bbox_inches.padded(MARGIN / 72)} | how
        with with_installed_fonts(() if how.get("format") == "svg" else self.texts):
            super().savefig(fname, **how)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        # Pyplot does this only for its own figures. Two dots per pixel keep text sharp on high-resolution screens.
        buffer = BytesIO()
        with house_style():
            self.savefig(buffer, format="png", dpi=2 * self.dpi, bbox_inches=self.bbox_inches)
        size = {"width": round(self.bbox.width), "height": round(self.bbox.height)}
        return {"text/plain": f"<{self.description}>", "image/png": buffer.getvalue()}, {"image/png": size}

    def add_text(self, at: tuple[float, float], text: str, color: str = "ink", **how: Any) -> None:
        """Write text, vertically centered, without interpreting markup.

        Args:
            at: Position in pixels from the upper left corner.
            text: The text. `to_svg` writes it as it is; images show a box for each character missing in the font.
            color: A name in `COLORS`.
            **how: `ha`: the side of the text that is at the position; `size`: pixels.
        """
        x, y = self._shares(at)
        more: dict[str, Any] = {"va": "center", "parse_math": False, "label": text} | how
        self.text(x, y, drawable(text), color=tint(color), gid=f"text-{len(self.texts)}", **more)

    def add_lines(self, at: tuple[float, float], lines: Sequence[str], leading: float, **how: Any) -> None:
        """Write lines of text as `add_text` does, vertically centered as a whole, given the pixels between them."""
        for number, text in enumerate(lines):
            self.add_text((at[0], at[1] + leading * (number - (len(lines) - 1) / 2)), text, **how)

    def add_dot(self, at: tuple[float, float], color: str) -> None:
        """Draw the dot in front of a name, centered on a position in pixels from the upper left corner."""
        self.add_circle(at, 4.5, facecolor=tint(color), edgecolor="none", linewidth=0)

    def add_circle(self, at: tuple[float, float], radius: float, **how: Any) -> None:
        """Draw a circle, given its center, in pixels from the upper left corner, and its radius."""
        size = (2 * radius / self.bbox.width, 2 * radius / self.bbox.height)
        self.add_artist(Ellipse(self._shares(at), *size, **how))

    def add_line(self, start: tuple[float, float], end: tuple[float, float], color: str, **how: Any) -> None:
        """Draw a line between two positions in pixels from the upper left corner."""
        xs, ys = zip(self._shares(start), self._shares(end), strict=True)
        self.add_artist(Line2D(xs, ys, color=tint(color), label="_", **how))

    def add_swatch(self, at: tuple[float, float], size: tuple[float, float], shade: str) -> None:
        """Draw a small rectangle of a color, given its upper left corner and its size in pixels."""
        share = (size[0] / self.bbox.width, -size[1] / self.bbox.height)
        self.add_artist(Rectangle(self._shares(at), *share, facecolor=shade, edgecolor="none", linewidth=0))

    def axes_between(self, *, left: float, right: float, top: float, bottom: float) -> Axes:
        """Add axes without lines or text, given the margins in pixels. Narrow charts get smaller side margins."""
        width, height = self.bbox.width, self.body_height
        _check_room("height", height, top + bottom + LEAST_AXES)
        left, right = min(left, width / 2), min(right, width / 2 - 20)
        return self.axes_at((left, top), (width - left - right, height - top - bottom))

    def axes_at(self, at: tuple[float, float], size: tuple[float, float]) -> Axes:
        """Add axes without any lines or text, given the upper left corner and the size in pixels."""
        width, height = self.bbox.width, self.bbox.height
        place = at[0] / width, 1 - (self.head + at[1] + size[1]) / height, size[0] / width, size[1] / height
        axes = self.add_axes(place, axes_class=_Bare)
        axes.set_axis_off()
        return axes

    def place(self, axes: Axes, x: float, y: float) -> tuple[float, float]:
        """Return the position of a data point in pixels from the upper left corner of the chart."""
        right, up = axes.transData.transform((x, y))
        return float(right), self.body_height - float(up)

    def count_axis(self, axes: Axes, most: float, *, most_steps: int = 4, has_numbers: bool = True) -> None:
        """Make the axes reach from 0 to a round number above `most`, with a line and a number at even steps.

        Args:
            most_steps: 1 for lines only at 0 and at the top.
        """
        ticks = _steps(most)
        axes.set_ylim(0, ticks[-1])
        left, across = axes.bbox.x0, axes.get_yaxis_transform()
        for tick in ticks if most_steps > 1 else (0, ticks[-1]):
            color = tint("line" if tick else "quiet")
            how: dict[str, Any] = {"color": color, "linewidth": 1, "zorder": 0, "clip_on": False, "label": "_"}
            axes.add_artist(Line2D((0, 1), (tick, tick), transform=across, **how))
            if has_numbers:
                self.add_text((left - 8, self.place(axes, 0, tick)[1]), number_text(tick), "quiet", ha="right")

    def write_above(self, axes: Axes, what: str) -> None:
        """Write the unit of the numbers above the axes."""
        self.add_text((axes.bbox.x0, self.body_height - float(axes.bbox.y1) - 12), what, "quiet", size=11)

    def write_notes(self, left: float, notes: Sequence[str]) -> None:
        """Write lines of notes below the chart."""
        for row, note in enumerate(reversed(notes)):
            self.add_text((left, self.body_height - 10 - NOTE * row), note, "quiet", size=11)

    def names_above(self, keys: Mapping[str, str]) -> int:
        """Write names after dots of their colors, in rows from the top; return the height in pixels."""
        x, y = 6.0, 10
        for name, color in keys.items():
            (shown,) = fit(name, self.bbox.width - 22)
            if x > 6 and x + 10 + length(shown) > self.bbox.width:
                x, y = 6.0, y + LINE
            self.add_dot((x, y), color)
            self.add_text((x + 10, y), shown)
            x += length(shown) + 28
        return y + LINE // 2

    def names_at_ends(self, axes: Axes, ends: Sequence[tuple[float, Sequence[str], str]]) -> None:
        """Write names next to the ends of lines, without overlap; `ends` has last values, lines of text and colors."""
        wished = sorted((self.place(axes, 0, value)[1], list(lines), color) for value, lines, color in ends)
        # Names that take up half of the height are not moved above the axes, however many there are.
        lowest = self.body_height - float(axes.bbox.y0) + LINE / 2
        middles = _move_apart([(y, LEADING * len(lines) + 4) for y, lines, _ in wished], lowest)
        right = float(axes.bbox.x1)
        for middle, (wish, lines, color) in zip(middles, wished, strict=True):
            if abs(middle - wish) > LEADER:
                self.add_line((right + 4, wish), (right + 13, middle), color, linewidth=0.8, alpha=0.7)
            self.add_dot((right + 18, middle), color)
            self.add_lines((right + 28, middle), lines, LEADING)

    def _shares(self, at: tuple[float, float]) -> tuple[float, float]:
        """Convert a position in pixels from the upper left corner to shares of the size from the lower left corner."""
        return at[0] / self.bbox.width, 1 - (self.head + at[1]) / self.bbox.height


@contextmanager
def house_style() -> Iterator[None]:
    """Apply matplotlib's defaults and our style, whatever a notebook has set. Only one thread draws at a time."""
    with _lock, matplotlib.style.context(["default", STYLE]):
        yield


def from_frame(draw: Draw) -> Draw:
    """Decorate a function that draws a DataFrame: use our style, and name a missing column in an error."""

    @wraps(draw)
    def drawn(frame: object, *more: Any, **options: Any) -> Chart:
        if not isinstance(frame, pd.DataFrame):
            rule = "must be a DataFrame, such as functions of qrkit.analytics return"
            raise InvalidParameter(Problem("frame", frame, rule, "wrong-type"))
        try:
            with house_style():
                return draw(frame, *more, **options)
        except KeyError as error:
            if not isinstance(error.args[0], str) or error.args[0] in frame:
                raise
            rule = f"needs the column {error.args[0]!r}; it has {', '.join(map(str, frame)) or 'none'}"
            raise InvalidParameter(Problem("frame", None, rule)) from error

    return cast("Draw", drawn)


def times_in(frame: pd.DataFrame, column: str = "day") -> list[Any]:
    """Return the datetimes in a column of a DataFrame from outside."""
    try:
        return [moment.to_pydatetime() for moment in frame[column].dropna()]
    except AttributeError as error:
        rule = f"needs times (datetime64) in the column {column!r}, not {frame[column].dtype}"
        raise InvalidParameter(Problem("frame", None, rule, "wrong-type")) from error


def top_of(most: float) -> int:
    """Return the round number above `most` where an axis ends."""
    return _steps(most)[-1]


def draw_line(axes: Axes, moments: Sequence[datetime], values: Sequence[float], color: str, **how: Any) -> None:
    """Draw a line with a gap at each NaN, and with a dot at each point if there are few."""
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
        "clip_on": False,
        "label": "_",
    }
    axes.plot(list(moments), list(values), color=color, markeredgewidth=0, **options | how)  # type: ignore[arg-type]


def draw_counts(
    axes: Axes, moments: Sequence[datetime], values: Sequence[float], color: str, complete: Sequence[bool | None], *,
    clips: bool = False, **how: Any,
) -> None:  # fmt: skip
    """Draw a line like `draw_line`, dashed at periods that are not `complete`; `clips` hides what is above the axes."""
    whole = [value if is_whole else nan for value, is_whole in zip(values, complete, strict=True)]
    draw_line(axes, moments, whole, color, **how | {"clip_on": clips})
    how["label"] = "_"
    for start, end in pairwise(range(len(values))):
        if False in (complete[start], complete[end]):
            ends = slice(start, end + 1)
            dashes: dict[str, Any] = {"linestyle": (0, (2, 2)), "marker": "", "clip_on": clips}
            draw_line(axes, moments[ends], values[ends], color, **how | dashes)


def fill_counts(
    axes: Axes, moments: Sequence[datetime], values: Sequence[float], color: str, complete: Sequence[bool | None], *,
    clips: bool = False,
) -> None:  # fmt: skip
    """Shade what lies below a line that `draw_counts` has drawn, as far as its periods are counted as a whole."""
    whole = [value if is_whole else nan for value, is_whole in zip(values, complete, strict=True)]
    axes.fill_between(list(moments), whole, color=color, alpha=0.1, linewidth=0, clip_on=clips)  # type: ignore[arg-type]


def count_text(count: Any) -> str:
    """Format a count like 1,234, or "hidden" for a missing one, as in tables without small groups."""
    return say("hidden") if pd.isna(count) else number_text(count)


def range_text(first: int, last: int) -> str:
    """Format counts like 10-29, with an en dash, or a single one."""
    return number_text(first) if first == last else f"{number_text(first)}\N{EN DASH}{number_text(last)}"


def total_words(counts: pd.Series[Any]) -> str:
    """Write the sum of the known counts, and how many are hidden, if any are: 1,234 and 2 hidden counts."""
    hidden, total = int(counts.isna().sum()), int(counts.sum())
    if not hidden:
        return number_text(total)
    return say(("{total} and {count} hidden count", "{total} and {count} hidden counts"), hidden, total=total)


def listed(names: Sequence[str], counts: Sequence[Any]) -> str:
    """Describe names with their counts in words."""
    return ", ".join(f"{cut(name, 60)} {count_text(count)}" for name, count in zip(names, counts, strict=True))


def _check_room(name: str, pixels: float, least: float) -> None:
    if pixels < least:
        raise InvalidParameter(Problem(name, round(pixels), f"must be {least:.0f} pixels or more", "out-of-range"))


def _move_apart(wished: Sequence[tuple[float, float]], lowest: float) -> list[float]:
    """Move middles (with their heights) apart, in the same order and as little as possible, none beyond `lowest`."""
    # Neighbors that would overlap become a block, which lies where its members wish it on average.
    blocks: list[tuple[list[float], list[float]]] = []  # where the block's top is wished, by each member; heights
    for middle, height in wished:
        block = ([middle - height / 2], [height])
        while blocks and _top(blocks[-1], lowest) + sum(blocks[-1][1]) > _top(block, lowest):
            tops, heights = blocks.pop()
            above = sum(heights)
            block = (tops + [top - above for top in block[0]], heights + block[1])
        blocks.append(block)
    middles = []
    for block in blocks:
        top = _top(block, lowest)
        for height in block[1]:
            middles.append(top + height / 2)
            top += height
    return middles


def _top(block: tuple[list[float], list[float]], lowest: float) -> float:
    tops, heights = block
    return min(sum(tops) / len(tops), lowest - sum(heights))


def _steps(most: float) -> list[int]:
    """Return whole numbers at even steps, from 0 to a round number above `most`."""
    return [round(tick) for tick in MaxNLocator(nbins=4, integer=True).tick_values(0, max(most, 1))]
