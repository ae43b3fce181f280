"""Renders the facts of a report as a page: draws charts, fills tables, and arranges them with a template."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from qrkit import charts
from qrkit.design.brand import Brand
from qrkit.drawing.letters.page_font import FONT_FACE
from qrkit.drawing.logo import logo_image
from qrkit.languages import current_language, say
from qrkit.portfolio import Portfolio
from qrkit.report import code_cards as cards
from qrkit.report import words
from qrkit.report.campaign_comparison import side_by_side
from qrkit.report.code_table import CodeRow, code_rows
from qrkit.report.embedded import embedded
from qrkit.report.facts import Facts
from qrkit.report.findings import findings, headline, lead
from qrkit.report.key_numbers import key_figures
from qrkit.report.methods import glossary, methods
from qrkit.report.plots import Plot, by_campaign, campaign_colors, over_time, smaller_plots, week
from qrkit.report.ranked_tables import attribute_table, campaign_table

PART = {"wide middle": 620, "narrow": 350}
HALF = {"wide middle": 500, "narrow": 350}
DRAWN = {"wide": 1080, "middle": 720, "narrow": 350}
"""Widths of a chart in pixels. A page shows the widest that fits, so that text keeps its size."""

MOST_BESIDE = 6
"""Maximum number of campaigns whose charts fit beside their table on paper."""

LONG = 60
"""Minimum number of rows for a table of contents."""

PRINTED = (30, 10)
"""Rows of a long table on paper: those with the most scans, and with the fewest. The page has them all."""

LOGO = (200, 44)
"""Width and height that a logo may have, in pixels."""

FEWEST_ALIKE = 4
"""Minimum number of elements with the same style for it to be written once, as a class."""

_STYLED = re.compile(r'(<(?:path|text|use|circle|rect|g)\b(?![^>]* class=)[^>]*?) style="([^"]*)"')
"""An element of a chart with a style."""

_FALLBACK = re.compile(r"(var\(--[\w-]+),#[0-9a-f]{6}\)")
"""The color in `var(--ink,#16191d)` that counts where the variable is unknown."""


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
    portfolio: Portfolio, facts: Facts, heading: Heading, brand: Brand | None, *, with_cards: bool, with_campaigns: bool
) -> str:
    """Render the whole page as HTML. The same facts give the same page."""
    colors, script = campaign_colors(facts), _read_part("page.js")
    rows = code_rows(portfolio, facts, colors)
    sums = embedded(facts, rows, colors)
    period, has_several = words.period(facts.first, facts.last), len(colors) > 1
    tables = [attribute_table(facts, name) for name in facts.attributes]
    page = _template().render(
        heading=heading,
        language=current_language(),
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
        least=facts.least,
        **_figures(facts),
        unscanned=facts.unscanned,
        campaigns=campaign_table(facts, colors) if has_several else None,
        side_by_side=side_by_side(facts) if with_campaigns else None,
        tables=[table for table in tables if table],
        **_listed(rows, facts),
        groups=list(cards.groups(portfolio, facts, colors).values()) if with_cards else [],
        has_several=has_several,
        is_wide=len(colors) > MOST_BESIDE,
        codes=len(facts.codes),
        most_cards=cards.MOST_CARDS,
    )
    return _with_classes(page)


def _listed(rows: Sequence[CodeRow], facts: Facts) -> dict[str, Any]:
    """Return the table of QR Codes, and which of its rows are printed, by their names in the template."""
    is_long, most, least = len(rows) >= LONG, *PRINTED
    scanned = [row.id for row in rows[most:] if row.is_counted and row.scans]
    return {
        "rows": rows,
        "has_visitors": any(row.visitors for row in rows),
        "is_long": is_long,
        "printed": most,
        "fewest": scanned[-least:] if is_long and len(rows) == len(facts.codes) else [],
    }


def _with_classes(page: str) -> str:
    """Write styles that many elements of charts share once."""
    counts = Counter(style for _, style in _STYLED.findall(page))
    often = [style for style, number in counts.items() if number >= FEWEST_ALIKE]
    classes = {style: f"s{number}" for number, style in enumerate(often)}
    short = _STYLED.sub(lambda one: f'{one[1]} class="{classes[one[2]]}"' if one[2] in classes else one[0], page)
    rules = "".join(f".{name}{{{style}}}" for style, name in classes.items())
    return short.replace("</style>", f"{rules}</style>", 1)


def _figures(facts: Facts) -> dict[str, Any]:
    """Draw the charts, by the name of their place in the template."""
    if not facts.scans:
        return {}
    first, campaigns = over_time(facts), by_campaign(facts)
    return {
        "over_time": _figure(first, DRAWN) if first else None,
        "by_campaign": _figure(campaigns) if campaigns else None,
        "week": _figure(week(facts)),
        "main": [_figure(plot, HALF) for plot in smaller_plots(facts)],
    }


def _read_part(name: str) -> str:
    """Return a file of the page: its styles, its script or its template."""
    return files("qrkit.report").joinpath(name).read_text(encoding="utf-8")


def _styles(heading: Heading, period: str, brand: Brand | None) -> str:
    """Return the styles of a page, with its title at the top of printed pages."""
    running = _css_string(f"{heading.title}, {period}" if period else heading.title)
    colors = charts.css_of(charts.brand_colors(brand) if brand else charts.COLORS)
    return (
        FONT_FACE + colors + _read_part("page.css").replace("RUNNING_HEAD", running).replace("PRINTED", str(PRINTED[0]))
    )


def _css_string(text: str) -> str:
    """Escape a text for a CSS string: everything except ASCII letters and digits."""
    return "".join(char if char.isascii() and char.isalnum() else f"\\{ord(char):x} " for char in text)


def _mark(brand: Brand) -> Mark:
    color = (brand.accent or brand.ink).visible_on(brand.ground)
    return Mark(brand.name, logo_image(brand.logo, color, *LOGO) if brand.logo else "", brand.ground.rgb)


def _figure(plot: Plot, widths: Mapping[str, int] = PART) -> Figure:
    """Draw a chart in several widths, by CSS class; the page has the colors that its variables stand for."""
    drawn = {name: charts.to_svg(plot.at(width, has_title=False)) for name, width in widths.items()}
    return Figure(plot.title, {name: _FALLBACK.sub(r"\1)", svg) for name, svg in drawn.items()})


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": words.number}
    environment.globals |= {"say": say}
    return environment.from_string(_read_part("page.html.jinja"))
