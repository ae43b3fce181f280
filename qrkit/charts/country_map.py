"""Draws scans by country as a map of the world."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log10

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from qrkit.charts.axes import NOTE, Chart, from_frame, listed, range_text
from qrkit.charts.colors import tint
from qrkit.charts.labels import fit, heading, length, others
from qrkit.charts.periods import column_words
from qrkit.charts.world import equal_earth, world
from qrkit.languages import number_text, say
from qrkit.tracking.countries import country_name

EDGES = (-2.6, 2.82, -1.02, 1.31)
"""West, east, south and north end of the map, as projected: from Cape Horn to the north of Greenland."""

MOST_NAMED = 5
UNKNOWN = "unknown"


@from_frame
def scans_by_country(frame: pd.DataFrame, *, title: str | None = None, width: int = 760) -> Chart:
    """Draw scans by country on a map of the world, darker for more scans; small countries are dots.

    Areas keep their sizes (Equal Earth projection). Each shade stands for ten times, or three times, as many scans as
    the one before. A list below has the countries with the most scans, and how many scans are of an unknown country.

    Args:
        frame: Columns country (two-letter codes), scans (int; missing values are hidden); as returned by
            `analytics.scans_by(scans, "country", most=300)`.
        title: The sentence above the map; by default what it shows; "" for none.
        width: Pixels.
    """
    counts = frame["scans"].fillna(0).astype("int64").groupby(frame["country"].str.upper()).sum()
    unknown = int(counts.get(UNKNOWN.upper(), 0))
    known = counts.drop(UNKNOWN.upper(), errors="ignore").sort_values(ascending=False, kind="stable")
    known = known[known > 0]
    if not len(known):
        return Chart.nothing(width, 200, "scans from known countries", is_hidden=frame["scans"].hasnans)
    names, numbers = [country_name(str(code)) for code in known.index], known.tolist()
    total = sum(numbers)
    if len(names) > 1:
        finding = say("{name} has the most scans, {most} of {total}", name=names[0], most=numbers[0], total=total)
    else:
        finding = say(("The scan is from {country}", "All {count} scans are from {country}"), total, country=names[0])
    notes = fit(_note(names, numbers, unknown), width - 8, most=3, size=11)
    body = round(width * (EDGES[3] - EDGES[2]) / (EDGES[1] - EDGES[0])) + 34 + NOTE * len(notes)
    chart = Chart.blank(width, body, heading(title, finding, [say("scans by country")], width), grows=True)
    axes = chart.axes_between(left=0, right=0, top=0, bottom=34 + NOTE * len(notes))
    axes.set(xlim=EDGES[:2], ylim=EDGES[2:])
    bounds = _bounds(numbers[0])
    levels = {str(code): sum(count > bound for bound in bounds) for code, count in known.items()}
    _draw(chart, axes, levels, 5 - len(bounds))
    _write_key(chart, [*bounds, numbers[0]], chart.body_height - NOTE * len(notes) - 26)
    chart.write_notes(4, notes)
    chart.title, chart.words = say("scans by country on a map"), listed(names, numbers)
    if unknown:
        chart.words += f", {say('not known {scans}', scans=unknown)}"
    return chart


def _note(names: list[str], numbers: list[int], unknown: int) -> str:
    """List the countries with the most scans, and the number of scans from unknown countries."""
    said = ", ".join(f"{name} {number_text(count)}" for name, count in zip(names[:MOST_NAMED], numbers, strict=False))
    rest = len(names) - MOST_NAMED
    if rest > 0:
        said += say(", and {others} {scans}", others=others(rest), scans=sum(numbers[MOST_NAMED:]))
    if unknown:
        note = say("Not known: the {column} of {count} scans", unknown, column=column_words("country"))
        return f"{said}. {note}."
    return f"{said}."


def _bounds(most: int) -> list[int]:
    """Return the upper bound of each shade but the last: powers of ten, or 1, 3, 10 and 30 if the most is small."""
    powers = ceil(log10(most)) if most > 1 else 0
    ends = [10**power for power in range(powers)] if powers > 2 else [1, 3, 10, 30]
    return [end for end in ends if end < most][-4:]


def _draw(chart: Chart, axes: Axes, levels: Mapping[str, int], lightest: int) -> None:
    """Draw the countries in the shades of their levels, and those without an outline as dots."""
    for code, rings in world().outlines.items():
        shade = f"heat-{lightest + levels[code]}" if code in levels else "line"
        for ring in rings:
            shape = Polygon([equal_earth(point) for point in ring], closed=True, facecolor=tint(shade))
            shape.set(edgecolor=tint("paper"), linewidth=0.5, clip_on=True)
            axes.add_patch(shape)
    for code, point in world().points.items():
        if code in levels:
            chart.add_dot(chart.place(axes, *equal_earth(point)), f"heat-{lightest + levels[code]}")


def _write_key(chart: Chart, ends: list[int], y: float) -> None:
    """Draw the legend: one swatch per shade with its range of scans."""
    lows = [1, *(end + 1 for end in ends[:-1])]
    texts = [range_text(low, end) for low, end in zip(lows, ends, strict=True)]
    chart.add_text((4, y + 4), say("scans"), "quiet", size=11)
    x = 4 + length(say("scans"), 11) + 14
    for number, text in enumerate(texts):
        chart.add_swatch((x, y), (12, 9), tint(f"heat-{6 - len(texts) + number}"))
        chart.add_text((x + 16, y + 4), text, "quiet", size=11)
        x += length(text, 11) + 32
