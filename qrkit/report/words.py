"""Formats numbers, days and counts for reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from qrkit.charts.labels import cut as line
from qrkit.contents.cards import summary
from qrkit.languages import full_date, list_text, long_date, number_text, percent_text, period_text, say
from qrkit.report.sentences import sentences_of
from qrkit.store.questions.scan_attributes import FIELD
from qrkit.tracking.records import Campaign, QRCode

NO_CAMPAIGN = "No campaign"

MOST_DAYS = 4
"""Maximum number of days that a list names."""

ISOLATE, END = "\u2068", "\u2069"
"""Wrapped around text of unknown direction: first strong isolate, pop directional isolate."""


def attribute_name(attribute: str, *, is_plural: bool = False) -> str:
    """Return the name of an attribute of scans in the language of the report; a field of a user keeps its name."""
    found = sentences_of("attributes").get(attribute)
    return say(found[is_plural]) if found else attribute.removeprefix(FIELD)


def number(count: int) -> str:
    """Format a number like 12,345."""
    return number_text(count)


def percent(share: float) -> str:
    """Format a share with one decimal, so that values align: 12.3%."""
    return percent_text(100 * share, 1) if share == 0 or share >= 0.001 else f"<{percent_text(0.1, 1)}"


def percent_of(count: int, total: int) -> str:
    """Format a part of a total for a sentence, without decimals: 12%."""
    return percent_text(100 * (count / total))


def multiple(ratio: float) -> str:
    """Format a ratio with one decimal: 3.2."""
    return number_text(ratio, ".1f")


def rate(scans: float) -> str:
    """Format scans per day: 1,234, 25.9, 0.31."""
    return number_text(scans, ",.0f" if scans >= 100 else ".1f" if scans >= 1 else ".2g")


def about(scans: float) -> str:
    """Format scans per day as people say them: 82, 4.5, 0.31."""
    return number(round(scans)) if scans >= 10 else rate(scans)


def quoted(name: str) -> str:
    """Quote and shorten a name, isolated so that it does not change the direction of the text after it."""
    return say(
        "\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}", name=f"{ISOLATE}{line(name, 60)}{END}"
    )


def day(moment: date, *, year: bool = True) -> str:
    """Format a date like 13 June 2026."""
    return long_date(moment, year=year)


def list_days(days: Sequence[date]) -> str:
    """List days like 13 June and 20 June; beyond four, their number follows."""
    names = [day(one, year=False) for one in days[:MOST_DAYS]]
    rest = len(days) - len(names)
    return list_text(names + ([say(("1 more day", "{count} more days"), rest)] if rest else []))


def period(first: date | None, last: date | None) -> str:
    """Format a period, first and last day included, as briefly as is clear; "" if both are unknown."""
    if first is None or last is None:
        if first:
            return say("from {day}", day=day(first))
        return say("until {day}", day=day(last)) if last else ""
    return full_date(first) if first == last else period_text(first, last)


def cut(text: str, most: int) -> str:
    """Shorten text to at most `most` characters, with an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def names_of(codes: Sequence[QRCode]) -> dict[str, str]:
    """Return the names of QR Codes by ID, with the short code if another one has the same name, such as Door (xYz123).

    The names are short ones, because a name that was derived from the content may contain secrets.
    """
    short = {code.id: summary(code.name) for code in codes}
    numbers = Counter(short.values())
    return {code.id: name if numbers[name := short[code.id]] == 1 else f"{name} ({code.short_code})" for code in codes}


def titles_of(campaigns: Sequence[Campaign], *, has_others: bool) -> dict[str | None, str]:
    """Return unique titles of campaigns by ID: their names, with a number if the name is taken, such as Spring (2).

    `has_others` adds a title for QR Codes outside of any campaign, last and under None.
    """
    others = {None: say(NO_CAMPAIGN)} if has_others else {}
    taken, titles = set(others.values()), dict[str | None, str]()
    numbers = dict.fromkeys((campaign.name for campaign in campaigns), 1)
    for campaign in campaigns:
        title = campaign.name
        while title in taken:
            numbers[campaign.name] += 1
            title = f"{campaign.name} ({numbers[campaign.name]})"
        taken.add(title)
        titles[campaign.id] = title
    return titles | others
