"""Renders the facts of a report as a page: draws charts, fills tables, and arranges them with a template."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined, Template

from qrkit import charts
from qrkit.design.brand import Brand
from qrkit.drawing.logo import logo_image
from qrkit.portfolio import Portfolio
from qrkit.report import code_cards as cards
from qrkit.report import words
from qrkit.report.code_table import code_rows
from qrkit.report.embedded import embedded
from qrkit.report.facts import Facts
from qrkit.report.findings import findings, headline, lead
from qrkit.report.key_numbers import key_figures
from qrkit.report.methods import glossary, methods
from qrkit.report.ranked_tables import attribute_table, campaign_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Heading", "render"]

PART = {"wide middle": 620, "narrow": 350}
HALF = {"wide middle": 500, "narrow": 350}
DRAWN = {"wide": 1080, "middle": 720, "narrow": 350}
"""Widths of a chart in pixels. A page shows the widest that fits, so that text keeps its size."""

LONG = 60
"""Minimum number of rows for a table of contents."""

LOGO = (200, 44)
"""Width and height that a logo may have, in pixels."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its title; `drawings` contains the same chart in several widths, by CSS class."""

    title: str
    drawings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a page; `over` is small text above it, `description` is below it."""

    title: str
    over: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """The name and the logo of a brand in the head of a page; `ground` is the color behind the logo."""

    name: str
    logo: str
    ground: str


def render(
    portfolio: Portfolio, facts: Facts, heading: Heading, brand: Brand | None, *, with_cards: bool = False
) -> str:
    """Render the whole page as HTML. The same facts give the same page.

    Raises:
        AssetError: If the logo of the brand is invalid.
        RemoteContentDisabled: If the logo of the brand is a URL.
    """
    colors, script = _colors(facts), _read_part("page.js")
    rows = code_rows(portfolio, facts, colors)
    sums = embedded(facts, rows, colors)
    period, has_several = words.period(facts.first, facts.last), len(colors) > 1
    tables = [attribute_table(facts, name) for name in facts.attributes]
    return _template().render(
        heading=heading,
        period=period,
        mark=_mark(brand) if brand else None,
        css=_styles(heading, period, brand),
        script=script,
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        sums=sums,
        headline=headline(facts),
        lead=lead(facts),
        findings=findings(facts),
        figures=key_figures(facts),
        methods=methods(facts),
        glossary=glossary(facts),
        scans=facts.scans,
        over_time=_over_time(facts),
        by_campaign=_by_campaign(facts, colors),
        week=_week(facts),
        main=_main(facts, colors),
        unscanned=facts.unscanned,
        campaigns=campaign_table(facts, colors) if has_several else None,
        tables=[table for table in tables if table],
        rows=rows,
        has_visitors=any(row.visitors for row in rows),
        groups=list(cards.groups(portfolio, facts, colors).values()) if with_cards else [],
        has_several=has_several,
        codes=len(facts.codes),
        most_cards=cards.MOST_CARDS,
        is_long=len(rows) >= LONG,
    )


def _read_part(name: str) -> str:
    """Return a file of the page: its styles, its script or its template."""
    return files("qrkit.report").joinpath(name).read_text(encoding="utf-8")


def _styles(heading: Heading, period: str, brand: Brand | None) -> str:
    """Return the styles of a page, with its title at the top of printed pages."""
    running = _css_string(f"{heading.title}, {period}" if period else heading.title)
    colors = charts.css_of(charts.brand_colors(brand) if brand else charts.COLORS)
    return colors + _read_part("page.css").replace("RUNNING_HEAD", running)


def _css_string(text: str) -> str:
    """Return a text as the inside of a CSS string; all but ASCII letters and digits is escaped."""
    return "".join(char if char.isascii() and char.isalnum() else f"\\{ord(char):x} " for char in text)


def _mark(brand: Brand) -> Mark:
    color = (brand.accent or brand.ink).visible_on(brand.ground)
    return Mark(brand.name, logo_image(brand.logo, color, *LOGO) if brand.logo else "", brand.ground.rgb)


def _colors(facts: Facts) -> dict[str, int]:
    """Map campaign titles to color numbers, oldest campaign first; if there are too many, all get the first color."""
    is_many = len(facts.campaigns) > charts.MOST_COLORS
    return dict.fromkeys(facts.titles.values(), 1) if is_many else charts.assign_colors(facts.titles.values())


def _over_time(facts: Facts) -> Figure | None:
    """Draw the first chart: with the previous period, with the usual range, or plain; by hour for one or two days."""
    comparisons = facts.comparisons
    if facts.per_hour is not None:
        return _figure("Scans per hour", charts.lines, facts.per_hour, DRAWN)
    if facts.first == facts.last:
        return None
    if comparisons.previous is not None:
        return _figure("Scans per day, and in the days before", charts.previous_period, comparisons.previous, DRAWN)
    if comparisons.unusual is not None:
        return _figure("Scans per day, and what is usual", charts.unusual_days, comparisons.unusual, DRAWN)
    return _figure("Scans per day", charts.lines, facts.per_day.drop(columns="campaign"), DRAWN)


def _by_campaign(facts: Facts, colors: dict[str, int]) -> Figure | None:
    if len(colors) < 2 or facts.first == facts.last:
        return None
    return _figure("Scans per day of each campaign", charts.small_multiples, facts.per_day, colors=colors)


def _week(facts: Facts) -> Figure:
    return _figure(f"Hours of the week, {facts.time_zone}", charts.hour_of_week, facts.by_hour)


def _main(facts: Facts, colors: dict[str, int]) -> list[Figure]:
    """Draw the charts below those over time: rates, locations, human scans, and time to the first scan."""
    figures = []
    if facts.rates is not None and facts.whole is not None:
        is_campaigns, days = "campaign" in facts.rates, words.period(facts.whole.since, facts.whole.last)
        title = f"Scans a day of each {'campaign' if is_campaigns else 'QR Code'}, {days}"
        figures.append(_figure(title, charts.rates, facts.rates, colors=colors if is_campaigns else None))
    if len(facts.locations) > 1:
        figures.append(_figure("Locations", charts.scans_by_location, facts.locations, HALF))
    figures.append(_figure("Human scans", charts.human_scans, facts.human, HALF))
    if (facts.half_lives["delay"] > 0).sum() > 1:
        title = "How long codes waited for their first scan"
        figures.append(_figure(title, charts.time_to_first_scan, facts.half_lives, HALF))
    return figures


def _figure(
    title: str, draw: Callable[..., charts.Chart], frame: pd.DataFrame, widths: Mapping[str, int] = PART, **how: Any
) -> Figure:
    return Figure(title, _drawings(lambda width: draw(frame, width=width, **how), widths))


def _drawings(draw: Callable[[int], charts.Chart], widths: Mapping[str, int]) -> dict[str, str]:
    """Draw a chart in several widths, by CSS class."""
    return {name: charts.to_svg(draw(width)) for name, width in widths.items()}


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": words.number}
    return environment.from_string(_read_part("page.html.jinja"))
