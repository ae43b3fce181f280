"""Facts become a page: charts are drawn, tables filled, and the template arranges them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template

from qrkit import charts
from qrkit.portfolio import Portfolio
from qrkit.report import cards, words
from qrkit.report.facts import ATTRIBUTES, Facts
from qrkit.report.opening import key_figures, notes
from qrkit.report.tables import attribute_table, campaign_table, top_table

__all__ = ["Heading", "render"]

DRAWN = {"wide": 1080, "middle": 720, "narrow": 350}
"""Widths of a chart in pixels: a page shows the one that it has room for, so that letters keep their size."""


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
        figures=key_figures(facts),
        notes=[note for note in notes(facts) if note],
        scans=facts.scans,
        per_day=_per_day(facts, colors) if facts.first != facts.last else {},
        top=top_table(facts, colors),
        week=_drawings(lambda width: charts.week(facts.by_hour, width=width), {"wide middle": 620, "narrow": 350}),
        tables=([campaign_table(facts, colors, links)] if has_several else []) + [table for table in tables if table],
        groups=list(groups.values()),
        has_several=has_several,
        codes=len(facts.codes),
        most_cards=cards.MOST_CARDS,
    )


def _colors(facts: Facts) -> dict[str, int]:
    """Number of the colour of each campaign: by age, so that it stays; of too many, the largest get one."""
    names = list(dict.fromkeys(one.name for one in facts.campaigns))
    if any(code.campaign_id is None for code in facts.codes):
        names.append(words.NO_CAMPAIGN)
    if len(names) > charts.MOST_COLORS:
        totals = facts.per_day.groupby("campaign")["scans"].sum()
        names.sort(key=lambda name: -totals.get(name, 0))
    return charts.assign_colors(names)


def _per_day(facts: Facts, colors: dict[str, int]) -> dict[str, str]:
    frame = facts.per_day if len(colors) > 1 else facts.per_day.drop(columns="campaign")
    known = colors if len(colors) > 1 else None
    return _drawings(lambda width: charts.lines(frame, colors=known, width=width), DRAWN)


def _drawings(draw: Callable[[int], charts.Chart], widths: Mapping[str, int]) -> dict[str, str]:
    """The same chart in several widths, by the class of pages that it is for."""
    return {name: charts.to_svg(draw(width)) for name, width in widths.items()}


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": words.number}
    return environment.from_string(files("qrkit.report").joinpath("page.html.jinja").read_text(encoding="utf-8"))
