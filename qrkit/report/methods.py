"""Explains in plain words how a report was counted, and what it cannot tell."""

from __future__ import annotations

from qrkit.report.comparisons import Comparisons
from qrkit.report.facts import ATTRIBUTES, Facts
from qrkit.report.words import listed, many, number

__all__ = ["methods"]


def methods(facts: Facts) -> list[tuple[str, str]]:
    """Return headings with sentences about what is counted, what is not, and what is unknown.

    Only what the report contains is explained.
    """
    sections = [
        ("What counts", _counting(facts)),
        ("People", _join(_visitors(facts), _people(facts), _unknown([ATTRIBUTES[a].lower() for a in facts.unknown]))),
        ("More or fewer", _join(_intervals(facts.comparisons), _causes(facts.comparisons))),
        ("Days that stand out", _unusual(facts.comparisons)),
        ("Half of a code's scans", _half_lives(facts)),
    ]
    return [(heading, text) for heading, text in sections if text]


def _join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _clock(facts: Facts) -> str:
    return f"Days and hours are in {'UTC' if facts.time_zone == 'UTC' else f'the time of {facts.time_zone}'}."


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
        " Where several are compared, all of their ranges together are right that often." if comparisons.parts else ""
    )
    halves = " There is no time before to compare with, so its halves are." if comparisons.is_half else ""
    return (
        "Whole days are compared, each with days of the same weekday from two weeks on, and the range says what true "
        "change fits what was seen: 95 of 100 such ranges hold it. Scans come in bunches, so the ranges go by how much "
        f"days vary, not by the number of scans alone.{several}{halves}"
    )


def _causes(comparisons: Comparisons) -> str:
    return (
        "" if comparisons.total is None else "A change over time has many causes: weather, holidays, and what you did."
    )


def _unusual(comparisons: Comparisons) -> str:
    if comparisons.unusual is None:
        return ""
    return (
        "A day stands out when it has far more or fewer scans than the level, trend and weekdays of the weeks around "
        "it let expect. Where nothing happened at all, a report calls a day unusual about once in twenty times."
    )


def _half_lives(facts: Facts) -> str:
    if not facts.scans or facts.first == facts.last:
        return ""
    return (
        "The time from a code's first scan in this period until half of its scans in it had come. While more come in, "
        "it grows."
    )


def _not_scans(facts: Facts) -> str:
    what = {"bot": "visit by a bot", "prefetch": "preview", "head": "HEAD request"}
    more = {"bot": "visits by bots"}
    kinds = [many(facts.visits[kind], name, more.get(kind, "")) for kind, name in what.items() if kind in facts.visits]
    if not kinds:
        return "Visits by bots, previews and HEAD requests would not count as scans; none are recorded."
    return f"Not counted as scans: {listed(kinds)}."


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
        return "1 code is static: it leads straight to its content, so that its scans cannot be seen."
    return f"{number(count)} codes are static: they lead straight to their content, so that their scans cannot be seen."


def _unknown(names: list[str]) -> str:
    """Name the attributes that are unknown for all scans."""
    return f"{listed(names).capitalize()} of visitors are not known." if names else ""
