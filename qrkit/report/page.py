"""Renders the facts of a report as a page: draws charts, fills tables, and arranges them with a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined, Template

from qrkit import charts
from qrkit.design.brand import Brand
from qrkit.drawing.logo import logo_image
from qrkit.portfolio import Portfolio
from qrkit.report import code_cards as cards
from qrkit.report import words
from qrkit.report.facts import Facts
from qrkit.report.findings import findings, lead
from qrkit.report.key_numbers import key_figures
from qrkit.report.methods import methods
from qrkit.report.ranked_tables import attribute_table, campaign_table, top_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Heading", "render"]

PART = {"wide middle": 620, "narrow": 350}
HALF = {"wide middle": 500, "narrow": 350}
DRAWN = {"wide": 1080, "middle": 720, "narrow": 350}
"""Widths of a chart in pixels. A page shows the widest that fits, so that text keeps its size."""

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


def render(portfolio: Portfolio, facts: Facts, heading: Heading, brand: Brand | None) -> str:
    """Render the whole page as HTML. The same facts give the same page.

    Raises:
        AssetError: If the logo of the brand is invalid.
        RemoteContentDisabled: If the logo of the brand is a URL.
    """
    colors = _colors(facts)
    groups = cards.groups(portfolio, facts, colors)
    tables = [attribute_table(facts, name) for name in facts.attributes]
    links = {id: group.id for id, group in groups.items()}
    has_several = len(colors) > 1
    return _template().render(
        heading=heading,
        period=words.period(facts.first, facts.last),
        mark=_mark(brand) if brand else None,
        css=charts.css_of(charts.brand_colors(brand) if brand else charts.COLORS)
        + files("qrkit.report").joinpath("page.css").read_text(encoding="utf-8"),
        lead=lead(facts),
        findings=findings(facts),
        figures=key_figures(facts),
        methods=methods(facts),
        scans=facts.scans,
        over_time=_over_time(facts),
        by_campaign=_by_campaign(facts, colors),
        top=top_table(facts, colors),
        main=_main(facts, colors),
        pair=_pair(facts),
        unscanned=facts.unscanned,
        tables=([campaign_table(facts, colors, links)] if has_several else []) + [table for table in tables if table],
        groups=list(groups.values()),
        has_several=has_several,
        codes=len(facts.codes),
        most_cards=cards.MOST_CARDS,
    )


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
    return _figure("Scans per day of each campaign", charts.small_multiples, facts.per_day, DRAWN, colors=colors)


def _main(facts: Facts, colors: dict[str, int]) -> list[Figure]:
    """Draw the charts below the table of QR Codes."""
    figures = [_figure(f"Hours of the week, {facts.time_zone}", charts.hour_of_week, facts.by_hour)]
    if facts.rates is not None:
        is_campaigns = "campaign" in facts.rates
        title = f"Scans a day of each {'campaign' if is_campaigns else 'QR Code'}"
        figures.append(_figure(title, charts.rates, facts.rates, colors=colors if is_campaigns else None))
    return figures


def _pair(facts: Facts) -> list[Figure]:
    """Draw the charts side by side above the QR Codes: human scans, time to the first scan, and locations."""
    figures = [_figure("Human scans", charts.human_scans, facts.human, HALF)]
    if (facts.half_lives["delay"] > 0).sum() > 1:
        figures.append(
            _figure("How long codes waited for their first scan", charts.time_to_first_scan, facts.half_lives, HALF)
        )
    if len(facts.locations) > 1:
        figures.append(_figure("Locations", charts.scans_by_location, facts.locations, HALF))
    return figures


def _figure(
    title: str, draw: Callable[..., charts.Chart], frame: pd.DataFrame, widths: Mapping[str, int] = PART, **how: Any
) -> Figure:
    return Figure(title, _drawings(lambda width: draw(frame, title="", width=width, **how), widths))


def _drawings(draw: Callable[[int], charts.Chart], widths: Mapping[str, int]) -> dict[str, str]:
    """Draw a chart in several widths, by CSS class."""
    return {name: charts.to_svg(draw(width)) for name, width in widths.items()}


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": words.number}
    return environment.from_string(files("qrkit.report").joinpath("page.html.jinja").read_text(encoding="utf-8"))
