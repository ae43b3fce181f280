"""Charts: a DataFrame of `qrkit.analytics` becomes a figure, and a figure becomes SVG for a page.

    function of analytics               charts
    scans_per_day, scans_per            lines, panels (one small chart for each campaign or QR Code)
    scans_and_previous                  previous
    unusual_days                        unusual
    scans_by_hour                       week
    scans_by, top_qrcodes               bars
    rates                               rates
    human_scans                         people
    posters                             posters (a map)
    lives                               delays

Nothing here asks the store. Figures are matplotlib's, made without pyplot: each belongs to who holds it, no backend is
needed, and `figure.savefig("chart.pdf")` works as it does for any other. The same frame gives the same picture. In a
`with charts.dark():` they are drawn for dark paper.
"""

from __future__ import annotations

from qrkit.charts.axes import Chart
from qrkit.charts.colors import COLORS, CSS, MOST_COLORS, assign_colors, dark
from qrkit.charts.expected import previous, unusual
from qrkit.charts.first_scans import delays
from qrkit.charts.hour_of_week import week
from qrkit.charts.maps import posters
from qrkit.charts.over_time import lines, panels
from qrkit.charts.ranked import bars, people, rates
from qrkit.charts.svg import sparkline, to_svg

__all__ = [
    "COLORS",
    "CSS",
    "MOST_COLORS",
    "Chart",
    "assign_colors",
    "bars",
    "dark",
    "delays",
    "lines",
    "panels",
    "people",
    "posters",
    "previous",
    "rates",
    "sparkline",
    "to_svg",
    "unusual",
    "week",
]
