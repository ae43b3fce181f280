"""Draws QR Codes on a map by location and scans. The map has no coastlines, because no dependency of ours has any."""

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

__all__ = ["scans_by_location"]

KM_A_DEGREE = 111.2
"""Kilometers per degree of latitude."""

LEAST_KM = 0.4
"""Minimum width and height of a map: a single location gives it no scale."""

LARGEST = 22
"""Radius in pixels of the most scanned location."""

MOST_NAMES = 12
EDGE = 44


class Spot(NamedTuple):
    """A location and its QR Codes, in kilometers east and north of the center of the map."""

    x: float
    y: float
    name: str
    scans: int
    codes: int

    def text(self, letters: int) -> str:
        """Describe the spot: the shortened name of its first QR Code, how many more there are, and their scans."""
        return f"{cut(self.name, letters)}{f' +{self.codes - 1}' if self.codes > 1 else ''}: {self.scans:,}"


class Box(NamedTuple):
    """An occupied area of the chart, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two boxes overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@house_style()
def scans_by_location(frame: pd.DataFrame, *, width: int = 560, height: int = 420) -> Chart:
    """Draw a map of QR Codes: one dot per location, sized by scans; an empty ring marks a location without scans.

    North is up, and distances are accurate near the center. The most scanned locations are labeled where the labels do
    not overlap.

    Args:
        frame: Columns qrcode (str), latitude, longitude (float, degrees), scans (int); as returned by
            `analytics.scans_by_location`.
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
    chart.words = ", ".join(spot.text(60) for spot in spots[:MOST_NAMES])
    if len(spots) > MOST_NAMES:
        chart.words += f", and {len(spots) - MOST_NAMES} other places"
    return chart


def _spots(frame: pd.DataFrame) -> list[Spot]:
    """Group the QR Codes by location, most scanned first."""
    degrees = frame["longitude"]
    if degrees.max() - degrees.min() > 180:  # the date line lies between the locations
        degrees = degrees % 360
    # Five decimals are about a meter; anything closer is the same location.
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
    """Write a label next to its dot on the first free side, shorter if necessary, or not at all."""
    middle, center = (box.top + box.bottom) / 2, (box.left + box.right) / 2
    for letters in (30, 16):
        text = spot.text(letters)
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
    """Draw a scale bar of a round length, with its length."""
    room = 110 * km
    lengths: Sequence[float] = [step * 10**power for power in range(-2, 5) for step in (1, 2, 5)]
    chosen = max((candidate for candidate in lengths if candidate <= room), default=lengths[0])
    y, size = chart.bbox.height - 16, chart.bbox.width
    ends = (10 / size, (10 + chosen / km) / size)
    height = 1 - y / chart.bbox.height
    chart.add_artist(Line2D(ends, (height, height), color=tint("quiet"), linewidth=2, label="_"))
    label = f"{chosen:g} km" if chosen >= 1 else f"{1000 * chosen:g} m"
    add_text(chart, (10, y - 11), label, "quiet", size=11)
