"""Explains in plain words how a report was counted, and what it cannot tell."""

from __future__ import annotations

from qrkit.report.comparisons import Comparisons
from qrkit.report.facts import Facts
from qrkit.report.words import ATTRIBUTE_NAMES, listed, many, number

__all__ = ["methods"]


def methods(facts: Facts) -> list[tuple[str, str]]:
    """Return headings with sentences about what is counted, what is not, and what is unknown.

    Only what the report contains is explained.
    """
    sections = [
        ("What counts", _counting(facts)),
        ("People", _join(_visitors(facts), _people(facts), _unknown(facts))),
        ("Changes and comparisons", _join(_intervals(facts.comparisons), _causes(facts.comparisons))),
        ("Unusual days", _unusual(facts.comparisons)),
        ("Time to half of the scans", _half_lives(facts)),
    ]
    return [(heading, text) for heading, text in sections if text]


def _join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _clock(facts: Facts) -> str:
    return f"All days and hours are in {'UTC' if facts.time_zone == 'UTC' else f'the {facts.time_zone} time zone'}."


def _static_codes(facts: Facts) -> int:
    return sum(not code.is_dynamic for code in facts.codes)


def _counting(facts: Facts) -> str:
    imported, swept = sum(facts.imported.values()), sum(facts.swept.values())
    return _join(_clock(facts), _not_scans(facts), _static(_static_codes(facts)), _imported(imported), _swept(swept))


def _people(facts: Facts) -> str:
    """Explain the range of scans by people."""
    likely, possible = facts.likely_and_possible
    if not facts.scans:
        return ""
    return (
        f"A visit from a browser on a known device counts as human ({number(likely)}). Visits from unknown devices, "
        f"and link previews with no later scan by the same visitor, may also be human ({number(possible)} with them). "
        "Neither number is a limit: a bot that claims to be a phone looks like a person here, and an unusual browser "
        "may be taken for a bot."
    )


def _intervals(comparisons: Comparisons) -> str:
    if comparisons.total is None:
        return ""
    several = (
        " When several are compared, the ranges are widened so that 95% holds for all of them together."
        if comparisons.parts
        else ""
    )
    halves = (
        " There is no earlier period to compare with, so the report compares the two halves."
        if comparisons.is_half
        else ""
    )
    return (
        "Only whole days are compared. From two weeks on, each day is compared with the same weekday. Scans come in "
        "clusters, and a good day is often followed by another, so the ranges reflect how much days vary and how long "
        "ups and downs last, not just how many scans there were. About 95 of 100 such ranges contain the true change "
        "if a day depends on the few days before it. A slow drift, or a rare event that has not happened yet, is not "
        f"in them.{several}{halves}"
    )


def _causes(comparisons: Comparisons) -> str:
    return (
        ""
        if comparisons.total is None
        else "Changes over time can have many causes, such as weather, holidays, or your own actions. A range is for "
        "one look at a time fixed beforehand: if you look every day, chance alone shows a difference sooner or later."
    )


def _unusual(comparisons: Comparisons) -> str:
    if comparisons.unusual is None:
        return ""
    return (
        "A day is unusual when its scans are far above or below what the level, trend and weekdays of the surrounding "
        "weeks suggest. A burst is a run of days far above the days around it. How far is far depends on how much the "
        "other days vary. If nothing happened, fewer than 1 report in 10 mentions an unusual day, and fewer than 1 in "
        "10 a burst. Bursts shorter than a day, and drifts over weeks, are not found."
    )


def _half_lives(facts: Facts) -> str:
    if not facts.scans or facts.first == facts.last:
        return ""
    return (
        "The time from a code's first scan in this period until half of its scans in the period had arrived. The value "
        "grows as long as scans keep coming in."
    )


def _not_scans(facts: Facts) -> str:
    what = {"bot": "visit by a bot", "prefetch": "link preview", "head": "HEAD request"}
    more = {"bot": "visits by bots"}
    kinds = [many(facts.visits[kind], name, more.get(kind, "")) for kind, name in what.items() if kind in facts.visits]
    if not kinds:
        return "Visits by bots, link previews and HEAD requests would not count as scans; none are recorded."
    return f"Not counted as scans: {listed(kinds)}."


def _visitors(facts: Facts) -> str:
    if facts.visitors:
        return "Visitors are recognized within one day only: someone who comes on two days counts twice."
    return (
        "The number of visitors is unknown because these scans carry nothing to identify a repeat visitor."
        if facts.scans
        else ""
    )


def _imported(count: int) -> str:
    if not count:
        return ""
    is_one = count == 1
    return (
        f"{many(count, 'scan')} came with imported records. When {'it' if is_one else 'they'} happened is not known: "
        f"{'it stands' if is_one else 'they stand'} beside {'its code' if is_one else 'their codes'} "
        f"and {'is' if is_one else 'are'} in no other number or chart."
    )


def _swept(count: int) -> str:
    if not count:
        return ""
    is_one = count == 1
    return (
        f"{many(count, 'scan')} of earlier days {'was' if is_one else 'were'} swept out: the store keeps "
        f"{'its day' if is_one else 'their number of each day'} alone, and {'it is' if is_one else 'they are'} in no "
        "other number or chart."
    )


def _static(count: int) -> str:
    if not count:
        return ""
    if count == 1:
        return "1 code is static. It opens its content directly, so its scans can't be tracked."
    return f"{number(count)} codes are static. They open their content directly, so their scans can't be tracked."


def _unknown(facts: Facts) -> str:
    """Name the attributes that are unknown for all scans."""
    names = listed([ATTRIBUTE_NAMES[name][1] for name in facts.unknown])
    return f"{names[0].upper()}{names[1:]} of visitors are not known." if names else ""
