"""Facts become a page: charts are drawn, tables filled, and the template arranges them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined, Template

from qrkit import charts
from qrkit.portfolio import Portfolio
from qrkit.report import code_cards as cards
from qrkit.report import words
from qrkit.report.facts import ATTRIBUTES, Facts
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
"""Widths of a chart in pixels: a page shows the one that it has room for, so that letters keep their size."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart below its title; `drawings` are the same chart in several widths, by the class of pages they are for."""

    title: str
    drawings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a page; `over` stands above it in small letters, `description` below it."""

    title: str
    over: str
    description: str = ""


def render(portfolio: Portfolio, facts: Facts, heading: Heading) -> str:
    """The whole page as HTML: the same facts give the same page."""
    colors = _colors(facts)
    groups = cards.groups(portfolio, facts, colors)
    tables = [attribute_table(facts, name, title) for name, title in ATTRIBUTES.items()]
    links = {id: group.id for id, group in groups.items()}
    has_several = len(colors) > 1
    return _template().render(
        heading=heading,
        period=words.period(facts.first, facts.last),
        css=charts.CSS + files("qrkit.report").joinpath("page.css").read_text(encoding="utf-8"),
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


def _colors(facts: Facts) -> dict[str, int]:
    """Numbers of colours by title, by age, so that they stay; too many to be told apart all have the first."""
    is_many = len(facts.campaigns) > charts.MOST_COLORS
    return dict.fromkeys(facts.titles.values(), 1) if is_many else charts.assign_colors(facts.titles.values())


def _over_time(facts: Facts) -> Figure | None:
    """The first chart: beside the period before, over what is usual, or as it is; of a day or two, by the hour."""
    found = facts.comparisons
    if facts.per_hour is not None:
        return _figure("Scans per hour", charts.lines, facts.per_hour, DRAWN)
    if facts.first == facts.last:
        return None
    if found.previous is not None:
        return _figure("Scans per day, and in the days before", charts.previous, found.previous, DRAWN)
    if found.unusual is not None:
        return _figure("Scans per day, and what is usual", charts.unusual, found.unusual, DRAWN)
    return _figure("Scans per day", charts.lines, facts.per_day.drop(columns="campaign"), DRAWN)


def _by_campaign(facts: Facts, colors: dict[str, int]) -> Figure | None:
    if len(colors) < 2 or facts.first == facts.last:
        return None
    return _figure("Scans per day of each campaign", charts.panels, facts.per_day, DRAWN, colors=colors)


def _main(facts: Facts, colors: dict[str, int]) -> list[Figure]:
    """The charts below the table of QR Codes."""
    found = [_figure(f"Hours of the week, {facts.time_zone}", charts.week, facts.by_hour)]
    if facts.rates is not None:
        is_campaigns = "campaign" in facts.rates
        title = f"Scans a day of each {'campaign' if is_campaigns else 'QR Code'}"
        found.append(_figure(title, charts.rates, facts.rates, colors=colors if is_campaigns else None))
    return found


def _pair(facts: Facts) -> list[Figure]:
    """The charts side by side above the QR Codes: who scanned them, and how soon; where they hang."""
    found = [_figure("Human scans", charts.people, facts.human, HALF)]
    if (facts.lives["delay"] > 0).sum() > 1:
        found.append(_figure("How long codes waited for their first scan", charts.delays, facts.lives, HALF))
    if len(facts.posters) > 1:
        found.append(_figure("Where they hang", charts.posters, facts.posters, HALF))
    return found


def _figure(
    title: str, draw: Callable[..., charts.Chart], frame: pd.DataFrame, widths: Mapping[str, int] = PART, **how: Any
) -> Figure:
    return Figure(title, _drawings(lambda width: draw(frame, width=width, **how), widths))


def _drawings(draw: Callable[[int], charts.Chart], widths: Mapping[str, int]) -> dict[str, str]:
    """The same chart in several widths, by the class of pages that it is for."""
    return {name: charts.to_svg(draw(width)) for name, width in widths.items()}


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": words.number}
    return environment.from_string(files("qrkit.report").joinpath("page.html.jinja").read_text(encoding="utf-8"))
