"""Picks the key figures of a report: numbers with their change and the days behind them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from qrkit import charts, languages
from qrkit.languages import percent_text, short_date, weekday_name
from qrkit.report.comparisons import Comparisons
from qrkit.report.facts import Facts
from qrkit.report.findings import range_text
from qrkit.report.sentences import say
from qrkit.report.words import list_days, multiple, number, period


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number, what it counts, and what is said about it.

    Attributes:
        name: Name of the figure for the script of the page.
        detail: Small text below the number.
        change: The change from the days compared with.
        sparkline: The days of the period, as an image.
    """

    name: str
    number: str
    what: str
    detail: str = ""
    change: str = ""
    sparkline: str = ""


def key_figures(facts: Facts) -> list[KeyFigure]:
    """Return the key figures: scans, visitors, codes scanned, busiest day."""
    comparisons, per_day = facts.comparisons, facts.per_day.groupby("day")["scans"].sum()
    days, of_all = per_day.tolist(), say("of_all", codes=number(len(facts.codes)))
    spark = charts.sparkline(days) if len(days) > 2 and any(days) else ""
    figures = [
        KeyFigure("scans", number(facts.scans), languages.say("Scans"), _besides(facts), _of_scans(comparisons), spark),
        KeyFigure("visitors", number(facts.visitors), languages.say("Visitors"), _known(facts), _of_visitors(facts))
        if facts.visitors or not facts.scans
        else KeyFigure("visitors", "\N{EN DASH}", languages.say("Visitors"), say("visitors_unknown")),
        KeyFigure("codes", number(len(facts.counted)), languages.say("Codes scanned"), of_all),
    ]
    if any(days):
        busiest, most = per_day.index[int(per_day.argmax())].date(), int(per_day.max())
        detail = say("busiest", most, weekday=weekday_name(busiest.isoweekday()))
        figures.append(KeyFigure("busiest", short_date(busiest), languages.say("Busiest day"), detail))
    return figures


def _besides(facts: Facts) -> str:
    imported, swept = sum(facts.imported.values()), sum(facts.swept.values())
    key = "_and_".join(name for name, count in (("imported", imported), ("swept", swept)) if count)
    return say(key, imported=number(imported), swept=number(swept)) if key else ""


def _known(facts: Facts) -> str:
    """Describe how visitors are recognized; if some scans have no visitor key, give the number of scans that do."""
    if not facts.without_key:
        return say("visitors")
    return say("visitors_of_some", known=number(facts.scans - facts.without_key), scans=number(facts.scans))


def _of_visitors(facts: Facts) -> str:
    """Return the change of visitors per day; "" where halves are compared, or days of the period are left out."""
    comparisons = facts.comparisons
    if comparisons.before is None or not comparisons.first or not comparisons.second:
        return ""
    if (comparisons.second.since, comparisons.second.last) != (facts.first, facts.last):
        return ""
    before = int(comparisons.before["visitors"].iloc[0]) / comparisons.first.days
    change = _change(comparisons, facts.visitors / comparisons.second.days / before) if before else ""
    return say("every_day", change=change) if change and comparisons.calm else change


def _change(comparisons: Comparisons, ratio: float | None) -> str:
    """Describe a ratio of numbers per day."""
    first, second = comparisons.first, comparisons.second
    if ratio is None or ratio == inf or first is None or second is None:
        return ""
    compared = say("vs" if first.days == second.days else "a_day_vs", period=period(first.since, first.last))
    against = say("second_half") if comparisons.is_half else compared
    points = round(100 * (ratio - 1))
    key = "times" if ratio >= 2 else "up" if points > 0 else "down" if points < 0 else "same"
    return say(f"figure_{key}", percent=percent_text(abs(points)), times=multiple(ratio), against=against)


def _of_scans(comparisons: Comparisons) -> str:
    """Describe the change of scans with its interval, which is that of the headline: without unusual days."""
    shown = comparisons.calm or comparisons.total
    change = _change(comparisons, shown.ratio if shown and shown.before else None)
    if change and shown and shown.differs is not None:
        change = f"{change} ({range_text(shown)})"
    if not change or not comparisons.calm:
        return change
    count, closed = len(comparisons.left_out), len(comparisons.holidays)
    reason = say("why_holidays" if closed == count else "why_both" if closed else "why_unusual", count)
    return say("without_days", change=change, days=list_days(comparisons.left_out), reason=reason)
