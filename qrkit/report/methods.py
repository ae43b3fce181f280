"""Explains in plain words how a report was counted, what it cannot tell, and what its words mean."""

from __future__ import annotations

from qrkit import languages
from qrkit.languages import list_text
from qrkit.report.facts import Facts
from qrkit.report.sentences import say, sentences_of
from qrkit.report.words import attribute_name, number, period

KINDS = ("bot", "prefetch", "head")


def methods(facts: Facts) -> list[tuple[str, str]]:
    """Return headings with sentences about what the report counts, does not count, and cannot know."""
    sections = [
        (languages.say("What counts"), _counting(facts)),
        (languages.say("People"), _people(facts)),
        (languages.say("Small groups"), _small_groups(facts)),
        (languages.say("Changes and comparisons"), _comparing(facts)),
        (languages.say("Unusual days"), say("unusual_days") if facts.comparisons.unusual is not None else ""),
        (
            languages.say("Time to half of the scans"),
            say("half_lives") if facts.scans and facts.first != facts.last else "",
        ),
    ]
    return [(heading, text) for heading, text in sections if text]


def glossary(facts: Facts) -> dict[str, str]:
    """Return what the words of a report mean, without those that it does not use."""
    comparisons = facts.comparisons
    unused = {
        "Static code": all(code.is_dynamic for code in facts.codes),
        "Imported scans": not facts.imported,
        "Likely range": comparisons.total is None,
        "More than chance": comparisons.total is None,
        "Unusual day": comparisons.unusual is None,
        "Burst": comparisons.bursts is None or not len(comparisons.bursts),
    }
    used = [(word, meaning) for word, meaning in sentences_of("glossary").items() if not unused.get(word)]
    return {languages.say(word): languages.say(meaning) for word, meaning in used}


def _counting(facts: Facts) -> str:
    static = sum(not code.is_dynamic for code in facts.codes)
    imported, swept = sum(facts.imported.values()), sum(facts.swept.values())
    counts = {"static": static, "imported_scans": imported, "swept_scans": swept}
    return " ".join([_clock(facts), _not_scans(facts), *(say(key, count) for key, count in counts.items() if count)])


def _clock(facts: Facts) -> str:
    return say("clock_utc") if facts.time_zone == "UTC" else say("clock", zone=facts.time_zone)


def _not_scans(facts: Facts) -> str:
    kinds = [say(kind, facts.visits[kind]) for kind in KINDS if kind in facts.visits]
    return say("left_out", kinds=list_text(kinds)) if kinds else say("nothing_left_out")


def _people(facts: Facts) -> str:
    """Explain how visitors and the range of human scans are counted, and which attributes are unknown for all scans."""
    if not facts.scans:
        return ""
    likely, possible = map(number, facts.likely_and_possible)
    often = [say("often", number=number(facts.most_a_day))] if facts.most_a_day is not None else []
    sentences = [
        *often,
        say("visitor_days" if facts.visitors else "no_visitors"),
        say("people_counted", likely=likely, possible=possible),
    ]
    names = list_text([attribute_name(name, is_plural=True) for name in facts.unknown])
    unknown = [say("unknown_attributes", names=f"{names[0].upper()}{names[1:]}")] if names else []
    return " ".join(sentences + unknown)


def _small_groups(facts: Facts) -> str:
    return say("small_groups", least=number(facts.least)) if facts.least is not None and facts.scans else ""


def _comparing(facts: Facts) -> str:
    comparisons = facts.comparisons
    if comparisons.total is None or facts.whole is None:
        return ""
    sentences = [say("whole_days", period=period(facts.whole.since, facts.whole.last)), say("ranges")]
    sentences += [say("joint_ranges")] if comparisons.parts else []
    sentences += [say("down")] if facts.down else []
    sentences += [say("halves")] if comparisons.is_half else []
    return " ".join([*sentences, say("causes")])
