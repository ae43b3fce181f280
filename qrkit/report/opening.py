"""What a page begins with: the numbers to remember, and how they were counted."""

from __future__ import annotations

from dataclasses import dataclass

from qrkit.report.facts import ATTRIBUTES, Facts
from qrkit.report.words import listed, many, number, short_day, weekday

__all__ = ["KeyFigure", "key_figures", "notes"]


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number, what it is, and what to know of it."""

    number: str
    what: str
    detail: str = ""


def key_figures(facts: Facts) -> list[KeyFigure]:
    """Scans, visitors, codes scanned, busiest day."""
    imported = sum(facts.imported.values())
    found = [
        KeyFigure(number(facts.scans), "Scans", f"and {number(imported)} imported" if imported else ""),
        KeyFigure(number(facts.visitors), "Visitors", "told apart within a day")
        if facts.visitors or not facts.scans
        else KeyFigure("\N{EN DASH}", "Visitors", "not known"),
        KeyFigure(number(len(facts.counted)), "Codes scanned", f"of {number(len(facts.codes))}"),
    ]
    if facts.scans:
        totals = facts.per_day.groupby("day")["scans"].sum()
        busiest, most = totals.index[int(totals.argmax())].date(), int(totals.max())
        found.append(KeyFigure(short_day(busiest), "Busiest day", f"{many(most, 'scan')}, a {weekday(busiest)}"))
    return found


def notes(facts: Facts) -> list[str]:
    """What is counted, what is not, and what nobody knows, in sentences."""
    return [
        "Days and hours are in UTC.",
        _not_scans(facts),
        _visitors(facts),
        _imported(sum(facts.imported.values())),
        _static(sum(not code.is_dynamic for code in facts.codes)),
        _unknown([ATTRIBUTES[name].lower() for name in facts.unknown]),
    ]


def _not_scans(facts: Facts) -> str:
    what = {"bot": "visit by a bot", "prefetch": "preview", "head": "HEAD request"}
    more = {"bot": "visits by bots"}
    found = [many(facts.visits[kind], name, more.get(kind, "")) for kind, name in what.items() if kind in facts.visits]
    if not found:
        return "Visits by bots, previews and HEAD requests would not count as scans; none are recorded."
    return f"Not counted as scans: {listed(found)}."


def _visitors(facts: Facts) -> str:
    if facts.visitors:
        return "Visitors are told apart within one day: who comes on two days counts twice."
    return "Visitors are not known, because these scans say nothing that tells them apart." if facts.scans else ""


def _imported(count: int) -> str:
    if not count:
        return ""
    is_one = count == 1
    return (
        f"{many(count, 'scan')} came with imported records. When {'it' if is_one else 'they'} happened is not known: "
        f"{'it stands' if is_one else 'they stand'} beside {'its code' if is_one else 'their codes'} "
        f"and {'is' if is_one else 'are'} in no other number or chart."
    )


def _static(count: int) -> str:
    if not count:
        return ""
    if count == 1:
        return "1 code is static: it leads straight to its content, so that its scans cannot be seen."
    return f"{number(count)} codes are static: they lead straight to their content, so that their scans cannot be seen."


def _unknown(names: list[str]) -> str:
    """Of which attributes nothing at all is known."""
    return f"{listed(names).capitalize()} of visitors are not known." if names else ""
