"""Picks the key figures of a report: the numbers below its first sentences."""

from __future__ import annotations

from dataclasses import dataclass

from qrkit.report.facts import Facts
from qrkit.report.words import listed, many, number, short_day, weekday

__all__ = ["KeyFigure", "key_figures"]


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number, what it counts, and a detail."""

    number: str
    what: str
    detail: str = ""


def key_figures(facts: Facts) -> list[KeyFigure]:
    """Return the key figures: scans, visitors, codes scanned, busiest day."""
    others = {"imported": sum(facts.imported.values()), "swept out": sum(facts.swept.values())}
    besides = listed([f"{number(count)} {what}" for what, count in others.items() if count])
    figures = [
        KeyFigure(number(facts.scans), "Scans", f"and {besides}" if besides else ""),
        KeyFigure(number(facts.visitors), "Visitors", "recognized within a day")
        if facts.visitors or not facts.scans
        else KeyFigure("\N{EN DASH}", "Visitors", "not known"),
        KeyFigure(number(len(facts.counted)), "Codes scanned", f"of {number(len(facts.codes))}"),
    ]
    if facts.scans:
        totals = facts.per_day.groupby("day")["scans"].sum()
        busiest, most = totals.index[int(totals.argmax())].date(), int(totals.max())
        figures.append(KeyFigure(short_day(busiest), "Busiest day", f"{many(most, 'scan')}, a {weekday(busiest)}"))
    return figures
