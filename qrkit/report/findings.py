"""Writes the findings of a report as sentences. Each is computed, states its certainty, and is omitted if empty."""

from __future__ import annotations

from datetime import timedelta
from math import inf, log
from typing import Any

import pandas as pd

from qrkit.languages import list_text, number_text, percent_text
from qrkit.report.comparisons import Change, Comparisons
from qrkit.report.facts import Facts
from qrkit.report.sentences import say
from qrkit.report.words import (
    about,
    cut,
    day,
    list_days,
    multiple,
    names_of,
    number,
    percent_of,
    period,
    quoted,
    rate,
)

MOST_CHANGES = 3
MOST_DAYS = 4
MOST_NAMES = 3
MOST_TIMES = 100
"""A larger ratio says only that there was hardly anything before."""
NEAR_HALF = 0.15
"""Share of the period by which a half-life must differ from half of it."""
ENOUGH_SCANS = 20
"""Minimum scans of a code for its half-life to mean anything."""
FEWEST_OF_PEAK = 2.0
"""A day in the headline had at least this many times the scans of a usual day."""
MOST_OF_PEAK = 0.5
"""A campaign in the headline had at least this share of the scans of its day."""


def headline(facts: Facts) -> str:
    """Return the most important finding: a peak, a change, or who leads; "" if nothing stands out."""
    if not facts.scans:
        return ""
    comparisons = facts.comparisons
    peak, change = _peak(comparisons), comparisons.calm or comparisons.total
    is_change = change is not None and bool(change.differs) and 0 < change.ratio < inf
    is_trend = change is not None and _is_trend(comparisons, change)
    if peak is not None:
        return _peak_headline(facts, peak, change if is_change and not is_trend else None)
    if is_trend:
        return say(f"headline_{_growth(comparisons)}", percent=_percent_a_week(comparisons))
    if change is not None and is_change:
        against = against_text(comparisons, is_brief=True)
        return say(f"headline_{_way(change.ratio)}", against=against, **_size(change.ratio))
    leader = comparisons.leading
    if leader is not None and leader.differs and leader.ratio > 1:
        name, scans = facts.leaders[0]
        return say("headline_leads", name=quoted(name), percent=percent_of(scans, facts.scans))
    return ""


def lead(facts: Facts) -> str:
    """Say how many scans there were, and how many visits look like people."""
    if not facts.scans or facts.first is None or facts.last is None:
        return ""
    days = (facts.last - facts.first).days + 1
    if days > 1:
        volume = say("many_days", facts.scans, days=number(days), rate=about(facts.scans / days))
        volume = " ".join([volume, *_rate_without(facts, about(facts.scans / days))])
    else:
        volume = say("one_day", facts.scans)
    likely, possible = facts.likely_and_possible
    if not likely:
        return f"{volume} {say('people_unknown')}"
    if likely == possible:
        return f"{volume} {say('people_all')}"
    return f"{volume} {say('people_between', likely=number(likely), possible=number(possible))}"


def _rate_without(facts: Facts, rate: str) -> list[str]:
    """Say the rate of the other days, if days on which something happened make a difference to it."""
    daily = facts.per_day.assign(day=facts.per_day["day"].dt.date).groupby("day")["scans"].sum()
    gone = [one for one in daily.index if one in facts.down or one in facts.comparisons.left_out]
    kept = daily.drop(gone)
    if not gone or not len(kept) or about(kept.mean()) == rate:
        return []
    return [say("rate_without", days=list_days(gone), rate=about(kept.mean()))]


def findings(facts: Facts) -> list[str]:
    """Return the findings as sentences, most important first."""
    if not facts.scans:
        return []
    sentences = [
        *alerts(facts),
        *(one.sentence for one in facts.experiments),
        " ".join(filter(None, (_trend(facts.comparisons), _season(facts.comparisons)))),
        *_changes(facts.comparisons),
        *_moved(facts),
        *_new(facts),
        *_contents(facts.comparisons),
        *_unusual(facts.comparisons),
        leader(facts),
        _first_scans(facts),
        _half_life(facts),
        _machines(facts),
    ]
    return [sentence for sentence in sentences if sentence]


def alerts(facts: Facts) -> list[str]:
    """Return the findings that may need action: outages, scans that hardly came from people, and silent codes."""
    return [*_outages(facts), *_unlike_people(facts), *_silent(facts)]


def _with_rest(sentences: list[str], key: str, rest: int, **values: str) -> list[str]:
    """Return sentences, and a last one about the rest, if there is any."""
    return [*sentences, say(key, rest, **values)] if rest > 0 else sentences


def _outages(facts: Facts) -> list[str]:
    """Say when the server did not run for an hour or more, the longest outages first."""
    found = facts.outages[facts.outages["hours"] >= 1].sort_values("hours", ascending=False, kind="stable")
    sentences = []
    for begin, end, hours in found.head(MOST_CHANGES).itertuples(index=False):
        last = max(begin, end - timedelta(microseconds=1))  # not the day that begins as the outage ends
        sentences.append(say("outage", time=_hours(hours), period=period(begin.date(), last.date())))
    rest = found["hours"].tolist()[MOST_CHANGES:]
    return _with_rest(sentences, "outages_more", len(rest), time=_hours(sum(rest)))


def _unlike_people(facts: Facts) -> list[str]:
    """Describe the scans that hardly came from people, most scans first."""
    sentences = []
    for row in _rows(facts.unlike_people[:MOST_CHANGES]):
        values = {"scans": number(row["scans"]), "day": day(row["begin"], year=False), "name": quoted(row["qrcode"])}
        length = (row["end"] - row["begin"]).total_seconds() / 3600
        values |= {"agent": quoted(row["user_agent"]), "time": _time(length)}
        sentences.append(say(row["sign"], int(row["minutes"]) if row["sign"] == "rhythm" else None, **values))
    return _with_rest(sentences, "unlike_people_more", int(facts.unlike_people["scans"][MOST_CHANGES:].sum()))


def _silent(facts: Facts) -> list[str]:
    """Name the codes that have stopped being scanned."""
    rows = _rows(facts.silent)
    if len(rows) > 1 and len(rows) == len(facts.counted):
        return [say("all_silent", day=day(max(row["last"] for row in rows), year=False))]
    sentences = [
        say("silent", name=quoted(row["qrcode"]), day=day(row["last"], year=False), rate=rate(row["rate"]))
        for row in rows[:MOST_CHANGES]
    ]
    return _with_rest(sentences, "silent_more", len(rows) - len(sentences))


def more_or_fewer(ratio: float) -> str:
    """Describe a ratio: 34% more, 12% fewer, 3.2 times as many."""
    if ratio == inf:
        return say("from_none")
    if ratio >= MOST_TIMES:
        return say("far_more", times=number(MOST_TIMES))
    if ratio >= 2:
        return say("times_as_many", times=multiple(ratio))
    if 0 < ratio < 0.01:
        return say("almost_none")
    points = round(100 * (ratio - 1))
    return say("more" if points > 0 else "fewer", percent=percent_text(abs(points))) if points else say("as_many")


def _way(ratio: float) -> str:
    return "multiplied" if ratio >= 2 else "rose" if ratio >= 1 else "fell"


def _size(ratio: float) -> dict[str, str]:
    """Return the values of a sentence about a ratio."""
    return {"percent": percent_text(abs(round(100 * (ratio - 1)))), "times": multiple(ratio)}


def range_text(change: Change) -> str:
    """Describe the interval of a ratio: likely 31-61%, likely between 12% fewer and 31% more."""
    low, high = change.low, change.high
    if high == inf or (high >= MOST_TIMES and low >= 1):
        return say("likely_at_least", low=more_or_fewer(low))
    if low >= 2:
        return say("likely_times", low=multiple(low), high=multiple(high))
    if high < 1 or (low > 1 and high < 2):
        ends = sorted(100 * abs(end - 1) for end in (low, high))
        decimals = 0 if round(ends[0]) else 1  # "0%" would contradict that the change is clear
        return say(
            "likely_same_way",
            **{name: number_text(end, f".{decimals}f") for name, end in zip(("low", "high"), ends, strict=True)},
        )
    return say("likely_between", low=more_or_fewer(low), high=more_or_fewer(high))


def against_text(comparisons: Comparisons, *, is_brief: bool = False) -> str:
    """Say what the period was compared with."""
    first, second = comparisons.first, comparisons.second
    if comparisons.is_half and is_brief:
        return say("in_second_half_alone")
    if comparisons.is_half:
        return say("in_second_half", period=period(second.since, second.last) if second else "")
    return say("compared_with", period=period(first.since, first.last) if first else "")


def _peak(comparisons: Comparisons) -> dict[str, Any] | None:
    """Return the unusual day with the most scans if it is far above a usual day, with its ratio to one as `times`."""
    if comparisons.unusual is None:
        return None
    frame = comparisons.unusual
    usual = float(frame.loc[~frame["is_unusual"], "scans"].median())
    days = _rows(frame[frame["is_unusual"]])
    if not days or not usual > 0:
        return None
    top = max(days, key=lambda row: int(row["scans"]))
    times = top["scans"] / usual
    return {**top, "times": times} if times >= FEWEST_OF_PEAK else None


def _peak_headline(facts: Facts, peak: dict[str, Any], change: Change | None) -> str:
    on, scans, times = day(peak["day"], year=False), number(peak["scans"]), multiple(peak["times"])
    if change is not None and peak["day"].date() in facts.comparisons.left_out and change.ratio < 2:
        values = {"against": against_text(facts.comparisons, is_brief=True), "percent": _size(change.ratio)["percent"]}
        return say(f"headline_peak_then_{_way(change.ratio)}", day=on, scans=scans, times=times, **values)
    if len(facts.groups) > 1:
        that_day = facts.per_day[facts.per_day["day"] == peak["day"]].sort_values("scans").iloc[-1]
        if that_day["scans"] >= MOST_OF_PEAK * peak["scans"]:
            share = percent_of(int(that_day["scans"]), int(peak["scans"]))
            return say("headline_peak_of", day=on, scans=scans, percent=share, name=quoted(that_day["campaign"]))
    return say("headline_peak", day=on, scans=scans, times=times)


def _trend(comparisons: Comparisons) -> str:
    """Compare the period with another one, or its second half with the first.

    If unusual days are among them, the comparison leaves them out, and one that counts everything follows.
    """
    change = comparisons.total
    if change is None or not change.before + change.after:
        return ""
    if not change.before:
        return say("trend_from_none", against=against_text(comparisons))
    calm = comparisons.calm
    if calm is None or not calm.before:
        return _compared(comparisons, change)
    everything = more_or_fewer(change.after / change.before)  # as people count it, not by weekday
    without = say("trend_without", days=list_days(comparisons.left_out), change=everything)
    return f"{_compared(comparisons, calm)} {without}"


def _is_trend(comparisons: Comparisons, change: Change) -> bool:
    """Whether scans were growing, or falling, all the time, which explains the change of a period."""
    trend = comparisons.trend
    return bool(change.differs) and 0 < change.ratio < inf and (trend > 0 if change.ratio > 1 else trend < 0)


def _growth(comparisons: Comparisons) -> str:
    return "growing" if comparisons.trend > 0 else "falling"


def _percent_a_week(comparisons: Comparisons) -> str:
    return percent_text(abs(100 * comparisons.trend))


def _compared(comparisons: Comparisons, change: Change) -> str:
    if _is_trend(comparisons, change):
        values = {"before": rate(change.before), "after": rate(change.after)}
        halves = against_text(comparisons)
        return say(f"trend_{_growth(comparisons)}", percent=_percent_a_week(comparisons), against=halves, **values)
    against = against_text(comparisons)
    if change.differs:
        if not 0 < change.ratio < inf:
            return say("trend_fell", percent=percent_text(100), against=against, range=range_text(change))
        return say(f"trend_{_way(change.ratio)}", against=against, range=range_text(change), **_size(change.ratio))
    if change.differs is None:
        return say("trend_unclear", change=more_or_fewer(change.ratio), against=against, reason=change.reason)
    same = say("trend_same", against=against, range=range_text(change))
    return f"{same} {_detectable(change.smallest)}" if change.smallest < 10 else same


def _detectable(smallest: float) -> str:
    """Describe the smallest change that would have been detected."""
    if smallest >= 2:
        return say("detectable_times", times=multiple(smallest))
    return say("detectable", percent=percent_text(100 * (smallest - 1)))


def _changes(comparisons: Comparisons) -> list[str]:
    """Describe the campaigns or QR Codes that changed most, beyond chance."""
    changed = [one for one in comparisons.parts if one.differs]
    changed.sort(key=lambda one: -abs(log(one.ratio)) if 0 < one.ratio < inf else -inf)
    several = "campaigns" if comparisons.part == "campaign" else "qrcodes"
    if comparisons.parts and all(one.differs is None for one in comparisons.parts):
        return [say(f"{several}_unclear")]
    if comparisons.parts and not changed:
        shown = comparisons.calm or comparisons.total
        is_in_total = shown is not None and bool(shown.differs)
        return [say(f"{several}_in_total" if is_in_total else f"{several}_same")]
    sentences = [_describe_change("part", one, name=quoted(one.name)) for one in changed[:MOST_CHANGES]]
    return _with_rest(sentences, f"{several}_more", len(changed) - len(sentences))


def _moved(facts: Facts) -> list[str]:
    """Name the codes that changed while the others did not, without those that are named for their change already."""
    told = {one.name for one in facts.comparisons.parts if one.differs} | set(facts.silent["qrcode"])
    names = names_of(facts.codes)
    found = {names[id]: one for id, one in facts.comparisons.moved.items() if id in names}
    clear = [(name, one) for name, one in found.items() if name not in told]
    sentences = [
        say("moved", name=quoted(name), before=rate(one.before), after=rate(one.after))
        for name, one in clear[:MOST_CHANGES]
    ]
    return _with_rest(sentences, "moved_more", len(clear) - len(sentences))


def _new(facts: Facts) -> list[str]:
    """Name the codes that began in the period, the most scanned first."""
    rows = sorted(facts.comparisons.new.items(), key=lambda item: -item[1].rate)
    names = names_of(facts.codes)
    sentences = [
        say("new", name=quoted(names[id]), day=day(one.first, year=False), rate=rate(one.rate))
        for id, one in rows[:MOST_CHANGES]
        if id in names
    ]
    return _with_rest(sentences, "new_more", len(rows) - MOST_CHANGES)


def _season(comparisons: Comparisons) -> str:
    """Say whether scans changed in the same way a year earlier."""
    shown, season = comparisons.calm or comparisons.total, comparisons.season
    if season is None or shown is None or not shown.differs or _is_trend(comparisons, shown):
        return ""
    last, beyond = season
    if beyond.differs:
        return say("trend_beyond_season", before=rate(last.before), after=rate(last.after))
    is_alike = last.differs and (last.ratio > 1) == (shown.ratio > 1)
    return say("trend_season", range=range_text(last)) if is_alike else ""


def _describe_change(what: str, one: Change, **values: str) -> str:
    before, after = rate(one.before), rate(one.after)
    if not one.after:
        return say(f"{what}_ended", before=before, **values)
    values |= {"change": more_or_fewer(one.ratio), "range": range_text(one)}
    return say(f"{what}_changed", before=before, after=after, **values)


def _contents(comparisons: Comparisons) -> list[str]:
    """Describe what followed a change of content, which need not be its cause."""
    sentences = []
    for moment, content, change in comparisons.contents:
        values = {"name": quoted(change.name), "content": cut(content, 80), "day": day(moment, year=False)}
        if change.differs:
            sentences.append(_describe_change("content", change, **values))
        elif change.differs is None:
            sentences.append(say("content_unclear", reason=change.reason, **values))
        else:
            sentences.append(say("content_same", range=range_text(change), **values))
    return sentences


def _unusual(comparisons: Comparisons) -> list[str]:
    """Describe bursts, and unusual days outside of them, least likely first."""
    if comparisons.unusual is None or comparisons.bursts is None:
        return []
    if comparisons.unusual["chance"].isna().all():
        return [say("days_unknown")]
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
        return [say("days_usual")]
    events.sort(key=lambda event: event[:2])
    sentences = [sentence for *_, sentence in events[:MOST_DAYS]]
    return _with_rest(sentences, "days_more", sum(length for _, _, length, _ in events[MOST_DAYS:]))


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _describe_day(row: dict[str, Any]) -> str:
    low, high = (number(round(row[name])) for name in ("low", "high"))
    return say("day_unusual", row["scans"], day=day(row["day"], year=False), low=low, high=high)


def _describe_burst(burst: dict[str, Any]) -> str:
    begin, extra = day(burst["start"], year=False), number(round(burst["extra"]))
    if burst["days"] == 1:
        return say("burst_of_a_day", burst["scans"], day=begin, extra=extra)
    return say("burst", day=begin, days=number(burst["days"]), scans=number(burst["scans"]), extra=extra)


def leader(facts: Facts) -> str:
    """Say which campaign or QR Code leads, and whether its lead is beyond chance."""
    leading = facts.comparisons.leading
    if leading is None:
        return ""
    (name, scans), (other, other_scans) = facts.leaders[:2]
    key = _leads_key(leading.ratio, differs=leading.differs, is_by_places=facts.comparisons.is_by_places)
    values = {"other": quoted(other), "other_scans": number(other_scans), "reason": leading.reason}
    told = say(key, name=quoted(name), scans=number(scans), **values)
    gone = facts.comparisons.on_left_out
    if not any(gone):
        return told
    rest, other_rest = (number(count - by_day) for count, by_day in zip((scans, other_scans), gone, strict=True))
    days = list_days(facts.comparisons.left_out)
    return f"{told} {say('leads_without', days=days, scans=rest, other_scans=other_rest)}"


def _leads_key(ratio: float, *, differs: bool | None, is_by_places: bool) -> str:
    """Return the key of the sentence about the two largest groups; `ratio` is the larger divided by the smaller.

    `differs` is None if it is unknown whether they differ beyond chance; `is_by_places` says that the places of their
    QR Codes may explain it.
    """
    if differs is None:
        return "leads_unclear"
    if not differs or ratio <= 1:
        return "leads_perhaps"
    return "leads_by_places" if is_by_places else "leads"


def _first_scans(facts: Facts) -> str:
    """Describe how long codes waited for their first scan, and which are still waiting."""
    lives = facts.half_lives
    waiting = [name for names in facts.unscanned.names.values() for name in names]
    fresh = lives[(lives["delay"] > 0) & (lives["created"].dt.date >= facts.first)] if facts.first else lives[:0]
    sentences = []
    if len(fresh):
        sentences.append(say("first_scans", len(fresh), time=_time(float(fresh["delay"].median()))))
    if waiting:
        names, more = [quoted(name) for name in waiting[:MOST_NAMES]], len(waiting) - MOST_NAMES
        if more > 0:
            sentences.append(say("unscanned_and_more", more, names=", ".join(names)))
        else:
            sentences.append(say("unscanned", names=list_text(names)))
    return " ".join(sentences)


def _time(hours: float) -> str:
    return _hours(hours) if hours < 48 else say("days", round(hours / 24))


def _hours(hours: float) -> str:
    return say("hours", round(hours)) if hours >= 1 else say("minutes", max(1, round(60 * hours)))


def _half_life(facts: Facts) -> str:
    lives = facts.half_lives[facts.half_lives["scans"] >= ENOUGH_SCANS]
    if not len(lives) or facts.first == facts.last:
        return ""
    days = float(lives["half_life"].median())
    window = (facts.last - facts.first).days + 1 if facts.first and facts.last else 0
    if abs(days - window / 2) < NEAR_HALF * window:
        return ""  # a code whose scans are spread evenly says something about the period, not about itself
    middle = _time(24 * days)
    return say("half_life", len(lives), time=middle, name=quoted(str(lives["qrcode"].iloc[0])))


def _machines(facts: Facts) -> str:
    """Describe how much traffic is not counted. HEAD requests are left out: they only check whether a link works."""
    machines = facts.visits.get("bot", 0) + facts.visits.get("prefetch", 0)
    visits = facts.scans + machines
    return say("machines", percent=percent_of(machines, visits), visits=number(visits)) if machines else ""
