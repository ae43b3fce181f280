"""Draws charts from the DataFrames of `qrkit.analytics`, and converts figures to SVG for web pages.

    function of analytics               charts
    scans_per_day, scans_per            lines, small_multiples (a small chart for each campaign or QR Code)
    scans_and_previous                  previous_period
    unusual_days                        unusual_days
    forecast                            forecast (after the days of scans_per_day)
    scans_by_hour                       hour_of_week
    scans_by, top_qrcodes               bars, scans_by_country (a map)
    rates                               rates
    human_scans                         human_scans
    scans_by_location                   scans_by_location (a map)
    half_lives                          time_to_first_scan
    experiment (by_day)                 experiment

Charts never query the store. Figures are matplotlib figures made without pyplot: they are garbage-collected like any
object, need no backend, and `figure.savefig("chart.pdf")` works as usual. The same DataFrame gives the same image. Use
`with charts.dark():` to draw charts for a dark background, `with charts.branded(brand):` for the colors of a brand, and
`with charts.in_language("de"):` for charts in German, French, Spanish or Dutch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import by_name, late_names

if TYPE_CHECKING:
    from qrkit.charts.axes import Chart
    from qrkit.charts.colors import COLORS, CSS, MOST_COLORS, assign_colors, brand_colors, branded, css_of, dark
    from qrkit.charts.country_map import scans_by_country
    from qrkit.charts.expected import forecast, previous_period, unusual_days
    from qrkit.charts.first_scans import time_to_first_scan
    from qrkit.charts.maps import scans_by_location
    from qrkit.charts.over_time import experiment, lines, small_multiples
    from qrkit.charts.ranked import bars, human_scans, rates
    from qrkit.charts.sparklines import sparkline
    from qrkit.charts.svg import to_svg
    from qrkit.charts.weekly_hours import hour_of_week
    from qrkit.languages import in_language

__all__ = [
    "COLORS", "CSS", "MOST_COLORS", "Chart", "assign_colors", "bars", "brand_colors", "branded", "css_of", "dark",
    "experiment", "forecast", "hour_of_week", "human_scans", "in_language", "lines", "previous_period", "rates",
    "scans_by_country", "scans_by_location", "small_multiples", "sparkline", "time_to_first_scan", "to_svg",
    "unusual_days",
]  # fmt: skip

_NAMES = {
    "charts.axes": "Chart",
    "charts.colors": "COLORS CSS MOST_COLORS assign_colors brand_colors branded css_of dark",
    "charts.expected": "forecast previous_period unusual_days",
    "charts.first_scans": "time_to_first_scan",
    "charts.country_map": "scans_by_country",
    "charts.maps": "scans_by_location",
    "charts.over_time": "experiment lines small_multiples",
    "charts.ranked": "bars human_scans rates",
    "charts.sparklines": "sparkline",
    "charts.svg": "to_svg",
    "charts.weekly_hours": "hour_of_week",
    "languages": "in_language",
}

# Charts are loaded when they are first used, because matplotlib takes long to load.
__getattr__ = late_names(__name__, by_name(_NAMES))

__dir__ = __all__.copy
