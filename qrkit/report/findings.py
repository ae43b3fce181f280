"""Writes the findings of a report as sentences. Each is computed, states its certainty, and is omitted if empty."""

from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING, Any

from qrkit.report.comparisons import Change, Comparisons, Span
from qrkit.report.facts import Facts
from qrkit.report.words import cut, day, listed, many, number, period, quoted, rate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["findings", "lead"]

MOST_CHANGES = 3
MOST_DAYS = 4
MOST_NAMES = 3
ENOUGH_SCANS = 20
"""Minimum scans of a code for its half-life to mean anything."""


def lead(facts: Facts) -> str:
    """Return the most important sentence: how many scans there were, and how many came from people."""
    if not facts.scans or facts.first is None or facts.last is None:
        return ""
    days = (facts.last - facts.first).days + 1
    how_often = f" in {days:,} days, {rate(facts.scans / days)} a day" if days > 1 else ""
    likely, possible = facts.likely_and_possible
    if not likely:
        return f"{many(facts.scans, 'scan')}{how_often}. The records don't show which came from people."
    if likely == possible:
        return f"{many(facts.scans, 'scan')}{how_often}. All of them appear to come from people."
    between = f"Between {number(likely)} and {number(possible)} visits came from people."
    return f"{many(facts.scans, 'scan')}{how_often}. {between}"


def findings(facts: Facts) -> list[str]:
    """Return the findings as sentences, most important first."""
    if not facts.scans:
        return []
    sentences = [
        _trend(facts.comparisons),
        *_changes(facts.comparisons),
        *_contents(facts.comparisons),
        *_unusual(facts.comparisons),
        _leader(facts.comparisons),
        _first_scans(facts),
        _half_life(facts),
        _machines(facts),
    ]
    return [sentence for sentence in sentences if sentence]


def more_or_fewer(ratio: float) -> str:
    """Describe a ratio: 34% more, 12% fewer, 3.2 times as many."""
    if ratio == inf:
        return "more, from none"
    if ratio >= 2:
        return f"{ratio:.1f} times as many"
    if 0 < ratio < 0.01:
        return "over 99% fewer"
    percent = round(100 * (ratio - 1))
    return "as many" if not percent else f"{abs(percent)}% {'more' if percent > 0 else 'fewer'}"


def _between(change: Change) -> str:
    """Describe the interval of a ratio: between 12% fewer and 31% more."""
    if change.high == inf:
        return f"at least {more_or_fewer(change.low)}"
    low, high = more_or_fewer(change.low), more_or_fewer(change.high)
    word = low.rpartition(" ")[2]
    if word in ("more", "fewer") and high.endswith(f" {word}"):
        low = low.removesuffix(f" {word}")  # between 59% and 36% fewer
    return f"between {low} and {high}"


def _trend(comparisons: Comparisons) -> str:
    """Compare the period with the previous one, or its second half with the first.

    If unusual days are among them, the comparison without these days comes first, and the one with them after it.
    """
    change = comparisons.total
    if change is None or comparisons.first is None or comparisons.second is None or not change.before + change.after:
        return ""
    if not change.before:
        return f"Nothing was scanned in {_against(comparisons, comparisons.first)}."
    calm = comparisons.calm
    if calm is None or not calm.before:
        return f"{_compared(comparisons, change)}."
    days = [day(one, year=False) for one in comparisons.left_out[:MOST_DAYS]]
    rest = len(comparisons.left_out) - len(days)
    which = listed(days + ([f"{number(rest)} more unusual days"] if rest else []))
    them = "that day" if len(comparisons.left_out) == 1 else "those days"
    return f"{_compared(comparisons, calm)}, leaving out {which}. With {them}: {more_or_fewer(change.ratio)}."


def _compared(comparisons: Comparisons, change: Change) -> str:
    """Compare the two periods, without a full stop."""
    against = _against(comparisons, comparisons.first) if comparisons.first else ""
    much = more_or_fewer(change.ratio)
    than = "as" if much.endswith("as many") else "than"
    if change.differs:
        return f"{_subject(comparisons)} had {much} scans a day {than} {against} ({_between(change)})"
    if change.differs is None:
        unknown = f"whether that is more than chance is unknown: {change.reason}"
        return f"{_subject(comparisons)} had {much} scans a day {than} {against}, but {unknown}"
    shown = f"; {_detectable_change(change.smallest)} would have shown" if change.smallest < 10 else ""
    subject = "the second half" if comparisons.is_half else "this period"
    return f"No difference beyond chance between {subject} and {against} ({_between(change)}{shown})"


def _subject(comparisons: Comparisons) -> str:
    if comparisons.is_half and comparisons.second:
        return f"The second half ({period(comparisons.second.since, comparisons.second.last)})"
    return "This period"


def _against(comparisons: Comparisons, span: Span) -> str:
    return "the first half" if comparisons.is_half else f"the {many(span.days, 'day')} before it"


def _detectable_change(smallest: float) -> str:
    """Describe the smallest change that would have been detected."""
    return f"a change to {smallest:.1f} times" if smallest >= 2 else f"a change of {100 * (smallest - 1):.0f}% or more"


def _changes(comparisons: Comparisons) -> list[str]:
    """Describe the campaigns or QR Codes that changed most, beyond chance."""
    changed = [one for one in comparisons.parts if one.differs]
    changed.sort(key=lambda one: -abs(log(one.ratio)) if 0 < one.ratio < inf else -inf)
    several = "campaign" if comparisons.part == "campaign" else "QR Code"
    if comparisons.parts and all(one.differs is None for one in comparisons.parts):
        return [f"The days are too few to say whether a {several} changed by more than chance."]
    if comparisons.parts and not changed:
        return [f"No {several} changed by more than chance would explain."]
    sentences = [f"{quoted(one.name)}: {_describe_change(one)}" for one in changed[:MOST_CHANGES]]
    rest = len(changed) - len(sentences)
    if rest:
        sentences.append(f"{many(rest, f'other {several}')} also changed by more than chance would explain.")
    return sentences


def _describe_change(one: Change) -> str:
    if not one.after:
        return f"no scans any more, down from {rate(one.before)} a day."
    return f"{more_or_fewer(one.ratio)}, from {rate(one.before)} to {rate(one.after)} scans a day ({_between(one)})."


def _contents(comparisons: Comparisons) -> list[str]:
    """Describe what followed a change of content, which need not be its cause."""
    sentences = []
    for moment, content, change in comparisons.contents:
        if change.differs:
            after = _describe_change(change)
        elif change.differs is None:
            after = f"whether its scans changed by more than chance is unknown: {change.reason}."
        else:
            after = f"no difference in scans that chance does not explain ({_between(change)})."
        sentences.append(f"{quoted(change.name)} leads to {cut(content, 80)} since {day(moment, year=False)}: {after}")
    return sentences


def _unusual(comparisons: Comparisons) -> list[str]:
    """Describe bursts, and unusual days outside of them, least likely first."""
    if comparisons.unusual is None or comparisons.bursts is None:
        return []
    if comparisons.unusual["chance"].isna().all():
        return ["Too few days had scans to tell what is unusual."]
    days = _rows(comparisons.unusual[comparisons.unusual["is_unusual"]])
    bursts = _rows(comparisons.bursts)
    events = [
        (row["chance"], row["day"], 1, _describe_day(row))
        for row in days
        if not any(burst["days"] > 1 and burst["start"] <= row["day"] <= burst["end"] for burst in bursts)
    ]
    told = {event[1] for event in events}
    events += [
        (burst["chance"], burst["start"], burst["days"], _describe_burst(burst))
        for burst in bursts
        if burst["start"] not in told
    ]
    if not events:
        return ["No day stands out from the days around it."]
    events.sort(key=lambda event: event[:2])
    sentences = [sentence for *_, sentence in events[:MOST_DAYS]]
    rest = sum(length for _, _, length, _ in events[MOST_DAYS:])
    return sentences + ([f"{many(rest, 'more day')} stood out."] if rest else [])


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _describe_day(row: dict[str, Any]) -> str:
    usual = f"{number(round(row['low']))} to {number(round(row['high']))} would be usual"
    return f"{day(row['day'], year=False)} had {many(row['scans'], 'scan')}; {usual}."


def _describe_burst(burst: dict[str, Any]) -> str:
    begin, scans = day(burst["start"], year=False), many(burst["scans"], "scan")
    more = f"about {number(round(burst['extra']))} more than usual"
    if burst["days"] == 1:
        return f"{begin} had {scans}, {more}."
    return f"A burst began on {begin} and lasted {many(burst['days'], 'day')}. It brought {scans}, {more}."


def _leader(comparisons: Comparisons) -> str:
    """Say which campaign or QR Code leads, and whether its lead is beyond chance."""
    leader = comparisons.leading
    if leader is None:
        return ""
    compared = f"{quoted(comparisons.runner_up)} ({rate(leader.after)} and {rate(leader.before)} scans a day)"
    if leader.differs and leader.ratio > 1:
        return f"{quoted(leader.name)} leads {compared}, by more than chance would explain."
    if leader.differs is None:
        return f"{quoted(leader.name)} has the most scans; whether its lead over {compared} is chance is unknown."
    return f"{quoted(leader.name)} has the most scans, but its lead over {compared} may be chance."


def _first_scans(facts: Facts) -> str:
    """Describe how long codes waited for their first scan, and which are still waiting."""
    lives = facts.half_lives
    waiting = [name for names in facts.unscanned.names.values() for name in names]
    fresh = lives[(lives["delay"] > 0) & (lives["created"].dt.date >= facts.first)] if facts.first else lives[:0]
    sentences = []
    if len(fresh):
        sentences.append(
            f"{many(len(fresh), 'code')} made in this period had {_its(len(fresh))} first scan, "
            f"{'' if len(fresh) == 1 else 'half of them '}within {_time(float(fresh['delay'].median()))}."
        )
    if waiting:
        names = listed([quoted(name) for name in waiting[:MOST_NAMES]])
        rest = f" and {number(len(waiting) - MOST_NAMES)} more" if len(waiting) > MOST_NAMES else ""
        sentences.append(f"Not scanned in this period: {names}{rest}.")
    return " ".join(sentences)


def _its(count: int) -> str:
    return "its" if count == 1 else "their"


def _time(hours: float) -> str:
    return many(max(1, round(hours)), "hour") if hours < 48 else many(round(hours / 24), "day")


def _half_life(facts: Facts) -> str:
    lives = facts.half_lives[facts.half_lives["scans"] >= ENOUGH_SCANS]
    if not len(lives) or facts.first == facts.last:
        return ""
    middle = _time(24 * float(lives["half_life"].median()))
    if len(lives) == 1:
        return f"Half of the scans of {quoted(str(lives['qrcode'].iloc[0]))} came within {middle} of its first one."
    return f"A typical code has had half of its scans {middle} after its first ({number(len(lives))} codes)."


def _machines(facts: Facts) -> str:
    """Describe how much traffic is not counted. HEAD requests are left out: they only check whether a link works."""
    machines = facts.visits.get("bot", 0) + facts.visits.get("prefetch", 0)
    visits = facts.scans + machines
    if not machines:
        return ""
    return f"{machines / visits:.0%} of {number(visits)} visits were bots or link previews. They don't count as scans."
