"""How a report says numbers, days and what was counted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from qrkit.charts.labels import cut as line
from qrkit.tracking.records import Campaign

__all__ = [
    "NO_CAMPAIGN",
    "cut",
    "day",
    "line",
    "listed",
    "many",
    "number",
    "percent",
    "period",
    "quoted",
    "rate",
    "short_day",
    "titles_of",
    "weekday",
]

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

NO_CAMPAIGN = "No campaign"

ISOLATE, END = "\u2068", "\u2069"
"""Around text whose direction is its own business: first strong isolate, pop directional isolate."""


def number(count: int) -> str:
    """12,345."""
    return f"{count:,}"


def percent(share: float) -> str:
    """One decimal, so that they stand below each other: 12.3%."""
    return f"{share:.1%}" if share == 0 or share >= 0.001 else "<0.1%"


def rate(scans: float) -> str:
    """Scans a day: 1,234, 25.9, 0.31."""
    return f"{scans:,.0f}" if scans >= 100 else f"{scans:.1f}" if scans >= 1 else f"{scans:.2g}"


def quoted(name: str) -> str:
    """A stranger's name in a sentence of ours: cut, in quotes, and of no effect on the direction of what follows."""
    return f"\N{LEFT DOUBLE QUOTATION MARK}{ISOLATE}{line(name, 60)}{END}\N{RIGHT DOUBLE QUOTATION MARK}"


def many(count: int, one: str, more: str = "") -> str:
    """1 scan, 12 scans."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def listed(parts: list[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def day(moment: date, *, year: bool = True) -> str:
    """13 June 2026."""
    return f"{moment.day} {MONTHS[moment.month - 1]}{f' {moment.year}' if year else ''}"


def short_day(moment: date) -> str:
    """13 Jun."""
    return f"{moment.day} {MONTHS[moment.month - 1][:3]}"


def weekday(moment: date) -> str:
    """Saturday."""
    return WEEKDAYS[moment.weekday()]


def period(first: date | None, last: date | None) -> str:
    """From one day to another, both included, as short as it is clear; "" where neither is known."""
    if first is None or last is None:
        return f"from {day(first)}" if first else f"until {day(last)}" if last else ""
    if first == last:
        return f"{weekday(first)}, {day(first)}"
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}\N{EN DASH}{day(last)}"
    return f"{day(first, year=first.year != last.year)} \N{EN DASH} {day(last)}"


def cut(text: str, most: int) -> str:
    """At most so many characters, the rest as an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def titles_of(campaigns: Sequence[Campaign], *, has_others: bool) -> dict[str | None, str]:
    """What campaigns are called, by their ids: their names, and a number behind those that are taken: Spring (2).

    Args:
        campaigns: The first of a name has it without a number.
        has_others: Whether there are QR Codes outside any; what these are called stands at None, which is last.
    """
    others = {None: NO_CAMPAIGN} if has_others else {}
    taken, titles = set(others.values()), dict[str | None, str]()
    numbers = dict.fromkeys((one.name for one in campaigns), 1)
    for one in campaigns:
        title = one.name
        while title in taken:
            numbers[one.name] += 1
            title = f"{one.name} ({numbers[one.name]})"
        taken.add(title)
        titles[one.id] = title
    return titles | others
