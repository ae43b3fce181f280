"""Renders the facts of a report as a page: chooses and draws charts, fills tables, and arranges them.

Its filters count with sums: scans by QR Code and day, and by campaign and hour. The file has nothing finer than that:
no visits, visitors, user agents or places. A report without small groups has only scans by campaign and day, in which
scans of days with few are counted on a later day, or the last one before.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, StrictUndefined, Template
from numpy import ndarray
from pandas import to_timedelta

from qrkit import charts
from qrkit.design.brand import Brand
from qrkit.drawing.letters.page_font import FONT_FACE
from qrkit.drawing.logo import logo_image
from qrkit.languages import current_language, say
from qrkit.portfolio import Portfolio
from qrkit.report import code_table, words
from qrkit.report.code_table import CodeRow
from qrkit.report.facts import Facts
from qrkit.report.findings import findings, headline, lead
from qrkit.report.key_numbers import key_figures
from qrkit.report.methods import glossary, methods
from qrkit.report.ranked_tables import attribute_table, campaign_table, side_by_side
from qrkit.report.sentences import sentences_of

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
MANY_DAYS = 120
"""Minimum number of days to show weeks in small charts, which have no room for so many days."""
DAYS_OF_WEEK = 7
KINDS: Mapping[Callable[..., charts.Chart], tuple[str, int]] = {
    charts.lines: ("over-time", 280),
    charts.previous_period: ("over-time", 280),
    charts.unusual_days: ("over-time", 280),
    charts.small_multiples: ("by-campaign", 0),
    charts.hour_of_week: ("hours-of-week", 0),
    charts.experiment: ("experiment", 280),
    charts.rates: ("rates", 0),
    charts.scans_by_location: ("locations", 320),
    charts.human_scans: ("human-scans", 0),
    charts.time_to_first_scan: ("first-scans", 200),
}
"""The name of each chart's file, the same for each period and language, so that slides can link to it; and its height
without a title, in pixels, or 0 if it fits what it shows."""
MOST_HOURS = 120_000
"""Maximum number of sums by hour; beyond it, three hours are counted together, which makes them half as large."""
MOST_CELLS = 4_000_000
"""Maximum number of sums: more would make a page slow, which then has no filters."""
FEWEST_DAYS = 2


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
    rows = code_table.code_rows(portfolio, facts, colors)
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
        groups=list(code_table.groups(portfolio, facts, colors).values()) if with_cards else [],
        has_several=has_several,
        is_wide=len(colors) > MOST_BESIDE,
        codes=len(facts.codes),
        most_cards=code_table.MOST_CARDS,
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
    first, campaigns = over_time(facts), _by_campaign(facts)
    return {
        "over_time": _figure(first, DRAWN) if first else None,
        "by_campaign": _figure(campaigns) if campaigns else None,
        "week": _figure(week(facts)),
        "main": [_figure(plot, HALF) for plot in _smaller_plots(facts)],
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


# ---- charts


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart to draw.

    Attributes:
        title: Title of the chart.
        draw: A function of `qrkit.charts`.
        frame: What it draws.
        options: Its other arguments, without the width.
    """

    title: str
    draw: Callable[..., charts.Chart]
    frame: pd.DataFrame
    options: Mapping[str, Any] = field(default_factory=dict)

    def at(self, width: int, *, has_title: bool = True) -> charts.Chart:
        """Draw the chart this many pixels wide; without a title where a page has one of its own."""
        if has_title:
            return self.draw(self.frame, width=width, **self.options)
        height = KINDS[self.draw][1]
        untitled: dict[str, Any] = {"title": ""} | ({"height": height} if height else {})
        return self.draw(self.frame, width=width, **untitled, **self.options)


def campaign_colors(facts: Facts) -> dict[str, int]:
    """Map campaign titles to the stored color numbers; if there are too many campaigns, all get the first color.

    QR Codes outside of any campaign have no color of their own where there are campaigns.
    """
    own = facts.colors
    if not own or 0 in own.values():
        return dict.fromkeys(facts.titles.values(), 1)
    return {title: own.get(id or "", 0) for id, title in facts.titles.items()}


def plots(facts: Facts) -> list[Plot]:
    """Return all charts of a report, in the order of the page; none without scans."""
    if not facts.scans:
        return []
    first = [over_time(facts), _by_campaign(facts), week(facts)]
    return [plot for plot in first if plot] + _smaller_plots(facts)


def over_time(facts: Facts) -> Plot | None:
    """Return the first chart: with the days compared with, with the usual range, or plain; by hour for one or two days.

    None for a single day without enough hours.
    """
    comparisons = facts.comparisons
    if facts.per_hour is not None:
        return Plot(say("Scans per hour"), charts.lines, facts.per_hour)
    if facts.first == facts.last:
        return None
    if comparisons.previous is not None:
        return Plot(say("Scans per day, and in the days before"), charts.previous_period, comparisons.previous)
    if comparisons.unusual is not None:
        return Plot(say("Scans per day, and what is usual"), charts.unusual_days, comparisons.unusual)
    days = facts.per_day.groupby("day", as_index=False)[["scans"]].sum()
    return Plot(say("Scans per day"), charts.lines, days)


def _by_campaign(facts: Facts) -> Plot | None:
    """Return the chart of each campaign over time; None for one campaign or one day."""
    if len(facts.groups) < 2 or facts.first == facts.last:
        return None
    colors, days = {"colors": campaign_colors(facts)}, facts.per_day["day"]
    if (days.max() - days.min()).days < MANY_DAYS:
        return Plot(say("Scans per day of each campaign"), charts.small_multiples, facts.per_day, colors)
    return Plot(say("Scans per week of each campaign"), charts.small_multiples, _per_week(facts.per_day), colors)


def _per_week(per_day: pd.DataFrame) -> pd.DataFrame:
    """Sum scans per day and campaign to whole weeks, from Monday; days of an incomplete week are left out."""
    monday = per_day["day"] - to_timedelta(per_day["day"].dt.weekday, unit="D")
    weeks = per_day.assign(start=monday).groupby(["start", "campaign"], as_index=False)
    sums = weeks.agg(scans=("scans", "sum"), days=("day", "nunique"))
    return sums[sums["days"] == DAYS_OF_WEEK].drop(columns="days").reset_index(drop=True)


def week(facts: Facts) -> Plot:
    """Return the chart of weekdays and hours."""
    return Plot(say("Hours of the week, {zone}", zone=facts.time_zone), charts.hour_of_week, facts.by_hour)


def _smaller_plots(facts: Facts) -> list[Plot]:
    """Return the charts that stand side by side: experiments, rates, locations, human scans, time to the first scan."""
    about = "Experiment on {name}: what is known after each day"
    found = [Plot(say(about, name=one.name), charts.experiment, one.days) for one in facts.experiments]
    if facts.rates is not None and facts.whole is not None:
        is_campaigns, days = "campaign" in facts.rates, words.period(facts.whole.since, facts.whole.last)
        colors = {"colors": campaign_colors(facts) if is_campaigns else None}
        title = "Scans a day of each campaign, {period}" if is_campaigns else "Scans a day of each QR Code, {period}"
        named = say(title, period=days)
        if left_out := facts.comparisons.left_out:
            named = say("{title}, without {days}", title=named, days=words.list_days(left_out))
        found.append(Plot(named, charts.rates, facts.rates, colors))
    if len(facts.locations) > 1:
        found.append(Plot(say("Locations"), charts.scans_by_location, facts.locations))
    likely, _ = facts.likely_and_possible
    if likely:  # otherwise, the records don't show which scans look like people
        found.append(Plot(say("Human scans"), charts.human_scans, facts.human))
    if (facts.half_lives["delay"] > 0).sum() > 1:
        found.append(
            Plot(say("How long codes waited for their first scan"), charts.time_to_first_scan, facts.half_lives)
        )
    return found


# ---- data in the page


def embedded(facts: Facts, rows: Sequence[CodeRow], colors: Mapping[str, int]) -> str:
    """Return the sums as JSON; "" if there are no sums or too many, or too few days to filter.

    Args:
        rows: The rows of the table of QR Codes, which the sums follow. Other codes are summed by campaign.
        colors: Number of the color of each campaign, by its title.
    """
    if facts.first is None or facts.last is None or not facts.scans:
        return ""
    days, titles = (facts.last - facts.first).days + 1, facts.groups
    if days < FEWEST_DAYS or (len(rows) + 25 * len(titles)) * days > MOST_CELLS:
        return ""
    sums: dict[str, object]
    if facts.least is None:
        together = 3 if 24 * days * len(titles) > MOST_HOURS else 1
        per_hour = _per_hour(facts, days).reshape(len(titles), -1, together).sum(axis=2)
        sums = {"perDay": _packed(_per_day(facts, rows, days)), "perHour": _packed(per_hour), "hoursTogether": together}
    else:
        sums = {"perDay": _packed(_per_campaign(facts, days))}
    data = {
        "first": facts.first.isoformat(),
        "days": days,
        "campaigns": [{"name": title, "color": colors[title]} for title in titles],
        "codes": [titles.index(row.campaign) for row in rows] + list(range(len(titles))),
        **sums,
        "words": {name: say(sentence) for name, sentence in sentences_of("script").items()},
    } | _expected(facts, days)
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def _expected(facts: Facts, days: int) -> dict[str, list[int]]:
    """Return the days compared with, or else the usual range, if there is one for each day of the period."""
    previous, unusual = facts.comparisons.previous, facts.comparisons.unusual
    if previous is not None:
        # The period before may be shorter: the last days then have no counterpart.
        return {"before": previous["previous_scans"].dropna().astype("int64").tolist()[:days]}
    if unusual is None or len(unusual) != days or unusual["high"].isna().any():
        return {}
    most = 2 * int(unusual["scans"].max())
    return {end: unusual[end].clip(upper=most).round().astype("int64").tolist() for end in ("low", "high")}


def _per_campaign(facts: Facts, days: int) -> ndarray:
    """Return scans by campaign and day."""
    place = {title: number for number, title in enumerate(facts.groups)}
    frame, sums = facts.per_day, np.zeros((len(place), days), dtype=np.int64)
    np.add.at(sums, (frame["campaign"].map(place).to_numpy(), _day_numbers(facts, frame["day"])), frame["scans"])
    return sums


def _per_day(facts: Facts, rows: Sequence[CodeRow], days: int) -> ndarray:
    """Return scans by row and day, with a last row for the other codes of each campaign."""
    campaigns = list(facts.titles)
    place = {code.id: len(rows) + campaigns.index(code.campaign_id) for code in facts.codes}
    place |= {row.id: number for number, row in enumerate(rows)}
    sums = np.zeros((len(rows) + len(campaigns), days), dtype=np.int64)
    at = facts.daily["qrcode_id"].map(place).to_numpy()
    np.add.at(sums, (at, _day_numbers(facts, facts.daily["day"])), facts.daily["scans"].to_numpy())
    return sums


def _per_hour(facts: Facts, days: int) -> ndarray:
    """Return scans by campaign and hour."""
    place = {id or "": number for number, id in enumerate(facts.titles)}
    frame, sums = facts.hourly, np.zeros((len(facts.titles), 24 * days), dtype=np.int64)
    hours = 24 * _day_numbers(facts, frame["day"]) + frame["hour"].to_numpy()
    np.add.at(sums, (frame["campaign_id"].map(place).to_numpy(), hours), frame["scans"].to_numpy())
    return sums


def _day_numbers(facts: Facts, days: pd.Series[Any]) -> ndarray:
    """Number days from the first day of the period."""
    numbers: ndarray = (days.to_numpy().astype("datetime64[D]") - np.datetime64(facts.first, "D")).astype("int64")
    return numbers


def _packed(sums: ndarray) -> str:
    """Compress numbers as 16-bit or 32-bit integers, smallest byte first; the first character is their size in bytes.

    All lower bytes come first, then all higher ones, most of which are 0. Counts hardly repeat in the same order, so
    only runs of one byte are looked for (Z_RLE): that is a tenth smaller than with other matches.
    """
    size = 2 if int(sums.max(initial=0)) < 65_536 else 4
    planes = sums.astype(f"<u{size}").view("uint8").reshape(-1, size).T
    packer = zlib.compressobj(9, strategy=zlib.Z_RLE)
    return f"{size}{b64encode(packer.compress(planes.tobytes()) + packer.flush()).decode()}"
