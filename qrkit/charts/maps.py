"""Where QR Codes hang, and how often each is scanned: a map without a coast, for no package of ours ships one."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sqrt
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse

from qrkit.charts.axes import LINE, Chart, add_axes, add_text, blank, house_style, nothing, place
from qrkit.charts.colors import tint
from qrkit.charts.labels import cut, length

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["posters"]

KM_A_DEGREE = 111.2
"""Kilometres of a degree of latitude."""

LEAST_KM = 0.4
"""Width and height of a map at least: of one poster there is nothing to measure a map by."""

LARGEST = 22
"""Pixels of the radius of the most scanned place."""

MOST_NAMES = 12
EDGE = 44


class Spot(NamedTuple):
    """A place with its QR Codes, in kilometres to the east and to the north of the middle of the map."""

    x: float
    y: float
    name: str
    scans: int
    codes: int

    def said(self, letters: int) -> str:
        """The name of its first QR Code, cut, how many more there are, and the scans of all."""
        return f"{cut(self.name, letters)}{f' +{self.codes - 1}' if self.codes > 1 else ''}: {self.scans:,}"


class Box(NamedTuple):
    """A part of the chart that is taken, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether they overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@house_style()
def posters(frame: pd.DataFrame, *, width: int = 560, height: int = 420) -> Chart:
    """A map of QR Codes: a dot at each place, as large as it is scanned; an empty ring where nobody has scanned yet.

    North is up and distances are true near the middle. The most scanned places have their names as far as these do not
    cover each other.

    Args:
        frame: Columns qrcode (str), latitude, longitude (float, degrees), scans (int); as `analytics.posters` gives it.
        width: Pixels.
        height: Pixels.
    """
    if not len(frame):
        return nothing(width, height, "places of QR Codes")
    spots = _spots(frame)
    chart = blank(width, height)
    axes = add_axes(chart, left=EDGE, right=EDGE, top=EDGE, bottom=EDGE)
    across, up = 2 * max(abs(spot.x) for spot in spots), 2 * max(abs(spot.y) for spot in spots)
    km = max(across / axes.bbox.width, up / axes.bbox.height, LEAST_KM / min(axes.bbox.width, axes.bbox.height))
    half = axes.bbox.width * km / 2, axes.bbox.height * km / 2
    axes.set(xlim=(-half[0], half[0]), ylim=(-half[1], half[1]))
    most = max(spot.scans for spot in spots) or 1
    taken = []
    for spot in spots:
        radius = max(4.0, LARGEST * sqrt(spot.scans / most))
        x, y = place(chart, axes, spot.x, spot.y)
        taken.append(Box(x - radius, y - radius, x + radius, y + radius))
        _dot(chart, (x, y), radius, is_full=spot.scans > 0)
    _scale(chart, axes, km)
    taken.append(Box(0, height - 40, 200, height))
    for spot, box in list(zip(spots, list(taken), strict=False))[:MOST_NAMES]:
        _name(chart, spot, box, taken)
    chart.title = "QR Codes where they hang, by scans"
    chart.words = ", ".join(spot.said(60) for spot in spots[:MOST_NAMES])
    if len(spots) > MOST_NAMES:
        chart.words += f", and {len(spots) - MOST_NAMES} other places"
    return chart


def _spots(frame: pd.DataFrame) -> list[Spot]:
    """The places, the most scanned first."""
    degrees = frame["longitude"]
    if degrees.max() - degrees.min() > 180:  # the date line lies between them
        degrees = degrees % 360
    # Five decimals are a metre: what is closer hangs side by side.
    placed = frame.assign(east=degrees.round(5), north=frame["latitude"].round(5))
    groups = placed.sort_values("scans", ascending=False, kind="stable").groupby(["north", "east"], sort=True)
    middle = [(placed[name].min() + placed[name].max()) / 2 for name in ("north", "east")]
    spots = []
    for _, codes in groups:
        north, east = float(codes["north"].iloc[0]), float(codes["east"].iloc[0])
        x = (east - middle[1]) * KM_A_DEGREE * cos(radians(middle[0]))
        name, scans = str(codes["qrcode"].iloc[0]), int(codes["scans"].sum())
        spots.append(Spot(x, (north - middle[0]) * KM_A_DEGREE, name, scans, len(codes)))
    return sorted(spots, key=lambda spot: -spot.scans)


def _dot(chart: Chart, at: tuple[float, float], radius: float, *, is_full: bool) -> None:
    size = chart.bbox.width, chart.bbox.height
    center = at[0] / size[0], 1 - at[1] / size[1]
    dot = Ellipse(center, 2 * radius / size[0], 2 * radius / size[1])
    dot.set(facecolor=tint("color-1") if is_full else "none", edgecolor=tint("paper" if is_full else "quiet"))
    dot.set(linewidth=1.2, alpha=0.85)
    chart.add_artist(dot)


def _name(chart: Chart, spot: Spot, box: Box, taken: list[Box]) -> None:
    """Write a name beside its dot, on the first side that is free, if need be shorter, or nowhere."""
    middle, center = (box.top + box.bottom) / 2, (box.left + box.right) / 2
    for letters in (30, 16):
        text = spot.said(letters)
        wide = length(text) * 0.94
        sides = (
            (box.right + 5, middle), (box.left - 5 - wide, middle),
            (center - wide / 2, box.top - LINE / 2), (center - wide / 2, box.bottom + LINE / 2),
        )  # fmt: skip
        for left, y in sides:
            around = Box(left, y - LINE / 2, left + wide, y + LINE / 2)
            is_inside = left >= 0 and around.right <= chart.bbox.width and LINE / 2 < y < chart.bbox.height - LINE / 2
            if is_inside and not any(around.meets(other) for other in taken if other is not box):
                taken.append(around)
                add_text(chart, (left, y), text)
                return


def _scale(chart: Chart, axes: Axes, km: float) -> None:
    """Draw a line of a round length, and say how long it is."""
    room = 110 * km
    lengths: Sequence[float] = [step * 10**power for power in range(-2, 5) for step in (1, 2, 5)]
    chosen = max((one for one in lengths if one <= room), default=lengths[0])
    y, size = chart.bbox.height - 16, chart.bbox.width
    ends = (10 / size, (10 + chosen / km) / size)
    height = 1 - y / chart.bbox.height
    chart.add_artist(Line2D(ends, (height, height), color=tint("quiet"), linewidth=2, label="_"))
    said = f"{chosen:g} km" if chosen >= 1 else f"{1000 * chosen:g} m"
    add_text(chart, (10, y - 11), said, "quiet", size=11)
