"""Draws QR Codes on a map by location and scans, with coastlines where the map is large enough for them."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from qrkit.charts.axes import LINE, Chart, from_frame
from qrkit.charts.colors import tint
from qrkit.charts.labels import cut, fit, heading, length, quoted
from qrkit.charts.periods import SCANS
from qrkit.charts.world import world
from qrkit.languages import number_text, say

LARGEST = 22.0
"""Radius in pixels of the dot with the most scans."""
SMALLEST = 4.0
"""Radius in pixels below which dots could hardly be seen."""
NEAR = 0.8
"""Dots closer than this share of the sum of their radii are merged; closer to 1, they only touch."""

KM_A_DEGREE = 111.2
"""Kilometers per degree of latitude."""

LEAST_KM = 0.4
"""Minimum width and height of a map: a single location gives it no scale."""

MOST_NAMES = 12
EDGE = 44
FOOT = 52
"""Pixels below the map for its keys."""

LEAST_KM_OF_LAND = 400
"""Minimum width of a map with outlines of countries, which are too coarse for a smaller one."""
MOST_KM_OF_BAR = 4_000
"""Maximum width of a map with a bar for distances, which are wrong at the edges of a larger one."""


class Spot(NamedTuple):
    """A location and its QR Codes, in kilometers east and north of the center of the map."""

    x: float
    y: float
    name: str
    scans: int
    codes: int

    def text(self, letters: int) -> str:
        """Describe the spot: the shortened name of its first QR Code, how many more there are, and their scans."""
        name = cut(self.name, letters)
        if self.codes > 1:
            name = say("{name} and {count} more", self.codes - 1, name=name)
        return say("{name}: {scans}", name=name, scans=self.scans)


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


@from_frame
def scans_by_location(frame: pd.DataFrame, *, title: str | None = None, width: int = 560, height: int = 460) -> Chart:
    """Draw a map of QR Codes: one dot per location, sized by scans; an empty ring marks a location without scans.

    North is up, and distances are accurate near the center. Locations whose dots would cover each other share one, at
    the most scanned of them. The most scanned dots are labeled where the labels do not overlap; a list below names the
    next locations. Maps of some hundred kilometers and more have coastlines and borders;
    smaller ones have a bar for distances.

    Args:
        frame: Columns qrcode (str), latitude, longitude (float, degrees), scans (int); as returned by
            `analytics.scans_by_location`.
        title: The sentence above the map; by default what it shows; "" for none.
        width: Pixels.
        height: Pixels, with the title. A map that is too low for a title has none.
    """
    if not len(frame):
        return Chart.nothing(width, height, "places of QR Codes")
    spots, middle = _spots(frame)
    about = [say("by scans")]
    if len(spots) > 1:
        about = [say("{codes} QR Codes at {places} locations, by scans", codes=len(frame), places=len(spots))]
    chart = Chart.blank(width, height, heading(title, _finding(spots), about, width))
    axes = chart.axes_between(left=EDGE, right=EDGE, top=EDGE, bottom=EDGE + (EDGE if chart.head else 0))
    km = _span(axes, spots)
    _land(chart, axes, middle, km)
    dots = cluster([(*chart.place(axes, spot.x, spot.y), spot.scans) for spot in spots])
    most = max(dot.scans for dot in dots) or 1
    taken = []
    for dot in dots:
        radius = radius_of(dot.scans, most)
        taken.append(Box(dot.x - radius, dot.y - radius, dot.x + radius, dot.y + radius))
        _dot(chart, (dot.x, dot.y), radius, is_full=dot.scans > 0)
    below = chart.body_height - FOOT if chart.head else chart.body_height
    taken.append(Box(0, below - (0 if chart.head else 40), width, chart.body_height))
    named = set[int]()
    for dot, box in list(zip(dots, taken, strict=False))[:MOST_NAMES]:
        if _name(chart, _texts(dot, spots), box, taken) and len(dot.places) == 1:
            named.update(dot.places)
    _write_foot(chart, km, most, [spot for number, spot in enumerate(spots) if number not in named])
    chart.title = say("QR Codes at their locations, by scans")
    chart.words = ", ".join(spot.text(60) for spot in spots[:MOST_NAMES])
    if len(spots) > MOST_NAMES:
        chart.words += say(", and {count} other places", len(spots) - MOST_NAMES)
    return chart


def _finding(spots: Sequence[Spot]) -> str:
    first, total = spots[0], sum(spot.scans for spot in spots)
    if not total:
        return say("No scans at any location")
    name, more = quoted(first.name), first.codes - 1
    if len(spots) > 1:
        return say(
            "{name} has the most scans, {most} of {total}"
            if first.codes == 1
            else "{name} and {count} more at its location have the most scans, {most} of {total}",
            more, name=name, most=first.scans, total=total,
        )  # fmt: skip
    sentence = "{scans} of {name}" if first.codes == 1 else "{scans} of {name} and {count} more at its location"
    return say(sentence, more, scans=say(SCANS, total), name=name)


def _span(axes: Axes, spots: Sequence[Spot]) -> float:
    """Make the axes span the locations, and return the kilometers in a pixel."""
    across, up = 2 * max(abs(spot.x) for spot in spots), 2 * max(abs(spot.y) for spot in spots)
    wide, high = float(axes.bbox.width), float(axes.bbox.height)
    km = max(across / wide, up / high, LEAST_KM / min(wide, high))
    axes.set(xlim=(-wide * km / 2, wide * km / 2), ylim=(-high * km / 2, high * km / 2))
    return km


def _land(chart: Chart, axes: Axes, middle: tuple[float, float], km: float) -> None:
    """Draw the countries behind a map that is large enough for their outlines."""
    if km * float(chart.bbox.width) < LEAST_KM_OF_LAND:
        return
    ground = chart.axes_at((0, 0), (float(chart.bbox.width), chart.body_height - (FOOT if chart.head else 0)))
    ground.set_zorder(-1)
    west, south = (axes.transData.inverted().transform((ground.bbox.x0, ground.bbox.y0))).tolist()
    east, north = (axes.transData.inverted().transform((ground.bbox.x1, ground.bbox.y1))).tolist()
    ground.set(xlim=(west, east), ylim=(south, north))
    scale = KM_A_DEGREE * cos(radians(middle[0]))
    for rings in world().outlines.values():
        for ring in rings:
            # The map may lie on both sides of the date line.
            for turn in (-360, 0, 360):
                points = [((x + turn - middle[1]) * scale, (y - middle[0]) * KM_A_DEGREE) for x, y in ring]
                xs, ys = zip(*points, strict=True)
                if min(xs) < east and max(xs) > west and min(ys) < north and max(ys) > south:
                    shape = Polygon(points, closed=True, facecolor=tint("heat-0"), edgecolor=tint("line"), linewidth=1)
                    ground.add_patch(shape)


def _write_foot(chart: Chart, km: float, most: int, unnamed: Sequence[Spot]) -> None:
    """Write below the map: a bar for distances, a key of sizes, and the locations that have no label."""
    if km * chart.bbox.width < MOST_KM_OF_BAR:
        _scale(chart, km)
    if not chart.head:
        return
    x, y = chart.bbox.width - 12, chart.body_height - FOOT / 2
    counts = sorted({most, _rounded(max(1, most // 4))}, reverse=True)
    for count in counts:
        radius = radius_of(count, most)
        text = number_text(count)
        chart.add_text((x, y), text, "quiet", ha="right", size=11)
        x -= length(text, 11) + radius + 8
        _dot(chart, (x, y), radius, is_full=True)
        x -= radius + 16
    chart.add_text((x, y), say("scans"), "quiet", ha="right", size=11)
    room = x - length(say("scans"), 11) - 160
    if unnamed and room > 120:
        listed = say("Not labeled: {names}", names=", ".join(spot.text(30) for spot in unnamed))
        chart.add_lines((140, y), fit(listed, room, most=3, size=11), 14, color="quiet", size=11)


def _spots(frame: pd.DataFrame) -> tuple[list[Spot], tuple[float, float]]:
    """Group the QR Codes by location, most scanned first; return the latitude and longitude of the middle, too."""
    # The date line may lie between the locations.
    turned = frame["longitude"] % 360
    is_across = turned.max() - turned.min() < frame["longitude"].max() - frame["longitude"].min()
    degrees = turned if is_across else frame["longitude"]
    # Five decimals are about a meter; anything closer is the same location.
    placed = frame.assign(east=degrees.round(5), north=frame["latitude"].round(5))
    groups = placed.sort_values("scans", ascending=False, kind="stable").groupby(["north", "east"], sort=True)
    middle = [(placed[name].min() + placed[name].max()) / 2 for name in ("north", "east")]
    counted = groups.agg(name=("qrcode", "first"), scans=("scans", "sum"), codes=("qrcode", "size")).reset_index()
    spots = []
    for north, east, name, scans, codes in counted.itertuples(index=False):
        x = (east - middle[1]) * KM_A_DEGREE * cos(radians(middle[0]))
        spots.append(Spot(x, (north - middle[0]) * KM_A_DEGREE, str(name), int(scans), int(codes)))
    return sorted(spots, key=lambda spot: -spot.scans), (middle[0], middle[1])


def _rounded(count: int) -> int:
    """Round down to one digit and zeros."""
    size = int(10 ** (len(str(count)) - 1))
    return count // size * size


def _dot(chart: Chart, at: tuple[float, float], radius: float, *, is_full: bool) -> None:
    inside, edge = ((tint("color-1"), 0.85), "paper") if is_full else ("none", "quiet")
    chart.add_circle(at, radius, facecolor=inside, edgecolor=tint(edge), linewidth=1.2)


def _texts(dot: Dot, spots: Sequence[Spot]) -> list[str]:
    """Return the labels that a dot may have, longest first."""
    if len(dot.places) > 1:
        return [say("{places} places: {scans}", places=len(dot.places), scans=dot.scans)]
    return [spots[dot.places[0]].text(letters) for letters in (60, 30, 16)]


def _name(chart: Chart, texts: Sequence[str], box: Box, taken: list[Box]) -> bool:
    """Write the longest label next to its dot that has room there, on the first free side; return whether one has."""
    middle, center = (box.top + box.bottom) / 2, (box.left + box.right) / 2
    for text in texts:
        wide = length(text)
        sides = (
            (box.right + 5, middle), (box.left - 5 - wide, middle),
            (center - wide / 2, box.top - LINE / 2), (center - wide / 2, box.bottom + LINE / 2),
        )  # fmt: skip
        for left, y in sides:
            around = Box(left, y - LINE / 2, left + wide, y + LINE / 2)
            is_inside = left >= 0 and around.right <= chart.bbox.width and LINE / 2 < y < chart.body_height - LINE / 2
            if is_inside and not any(around.meets(other) for other in taken if other is not box):
                taken.append(around)
                chart.add_text((left, y), text)
                return True
    return False


def _scale(chart: Chart, km: float) -> None:
    """Draw a scale bar of a round length, with its length."""
    room = 110 * km
    lengths: Sequence[float] = [step * 10**power for power in range(-2, 5) for step in (1, 2, 5)]
    chosen = max((candidate for candidate in lengths if candidate <= room), default=lengths[0])
    y = chart.body_height - 16
    chart.add_line((10, y), (10 + chosen / km, y), "quiet", linewidth=2)
    label = f"{number_text(chosen, 'g')} km" if chosen >= 1 else f"{number_text(1000 * chosen, 'g')} m"
    chart.add_text((10, y - 11), label, "quiet", size=11)


# ---- dots that would cover each other become one


class Dot(NamedTuple):
    """A dot on a map, in pixels from the left and from the top; the numbers of its places, most scanned first."""

    x: float
    y: float
    scans: int
    places: tuple[int, ...]


def radius_of(scans: int, most: int) -> float:
    """Return the radius of a dot in pixels, given its scans and those of the largest dot; areas show the scans."""
    return max(SMALLEST, LARGEST * sqrt(scans / most))


def cluster(places: Sequence[tuple[float, float, int]]) -> list[Dot]:
    """Return the dots of places, most scans first; no two cover each other.

    Places are pixels from the left and from the top, and scans, most scanned first. A merged dot is where its most
    scanned place is.
    """
    dots = [Dot(x, y, scans, (number,)) for number, (x, y, scans) in enumerate(places)]
    is_changed = True
    while is_changed:
        before, most = dots, max((dot.scans for dot in dots), default=0) or 1
        x, y, radii = np.array([(dot.x, dot.y, radius_of(dot.scans, most)) for dot in before]).reshape(-1, 3).T
        left, dots = np.ones(len(before), dtype=bool), []
        for number, dot in enumerate(before):
            if left[number]:
                (near,) = np.nonzero(left & (np.hypot(x - dot.x, y - dot.y) < NEAR * (radii + radii[number])))
                left[near] = False
                dots.append(_merge([before[other] for other in near.tolist()]))
        dots.sort(key=lambda dot: -dot.scans)
        is_changed = len(dots) < len(before)
    return dots


def _merge(dots: Sequence[Dot]) -> Dot:
    """Return a dot that stands for the places of all of these."""
    first = min(dots, key=lambda dot: dot.places)
    places = sorted(number for dot in dots for number in dot.places)
    return Dot(first.x, first.y, sum(dot.scans for dot in dots), tuple(places))
