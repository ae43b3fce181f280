"""Issues and a panel -> one word and one number: each rule with made-up ones."""

from dataclasses import replace

import pytest

from qrkit.scanning.conditions import CORE, PHONES
from qrkit.scanning.panel import FRAMES, Panel
from qrkit.scanning.readers import OF_PHONES, STANDARD
from qrkit.scanning.scan_report import Issue
from qrkit.scanning.verdict import panel_issues, report_of, score_of, verdict_of

LEAVES = {"fatal": "unreadable", "error": "fragile", "warning": "ok", "note": "robust"}


def issue(severity, where="padding", code="quiet-zone"):
    return Issue(code, severity, where, 1, 4, "too little")


def panel(*rows, core=()):
    """What each reader of phones read in the conditions, as letters: r(ead), w(rong), n(othing); and all in `CORE`."""
    outcomes = told(PHONES, OF_PHONES, rows)
    frames = {
        condition: {name: FRAMES if outcome == "read" else 0 for name, outcome in row.items()}
        for condition, row in outcomes.items()
    }
    fair = {condition: dict.fromkeys(row, FRAMES) for condition, row in frames.items()}
    whole = outcomes | told(CORE, STANDARD, core)
    engines = dict.fromkeys(STANDARD if core else OF_PHONES, "1")
    return Panel("all" if core else "phones", "standard", 1, engines, whole, frames, fair, {}, 0.1)


def told(conditions, engines, rows):
    words = {"r": "read", "w": "wrong", "n": "nothing"}
    return {
        condition.name: {name: words[letter] for name, letter in zip(engines, row, strict=True)}
        for condition, row in zip(conditions, rows, strict=False)
    }


PERFECT = panel(*["rr"] * 12)
BLIND = panel(*["nn"] * 12)
ROUND = panel(*["rr"] * 12, core=["rnr"] * 19)
"""Read by phones, and by no contour reader."""


@pytest.mark.parametrize("severity", LEAVES)
def test_the_worst_issue_decides_what_a_drawing_is_at_best(severity):
    assert verdict_of([issue("note"), issue(severity)], None) == LEAVES[severity]
    assert verdict_of([issue(severity)], PERFECT) == LEAVES[severity]


def test_without_issues_the_panel_decides():
    assert verdict_of([], None) == "robust"
    assert verdict_of([], PERFECT) == PERFECT.verdict == "robust"
    assert verdict_of([issue("note")], BLIND) == BLIND.verdict == "unreadable"


@pytest.mark.parametrize(
    ("severities", "score"),
    [([], 100), (["note"], 100), (["warning"], 85), (["warning"] * 2, 72), (["error"], 50), (["error", "warning"], 42),
     (["fatal"], 0)],
)  # fmt: skip
def test_each_issue_leaves_a_share_of_the_score(severities, score):
    assert score_of(map(issue, severities), None) == score


def test_the_score_is_at_most_that_of_the_panel_and_what_the_panel_saw_is_not_counted_twice():
    assert PERFECT.score == 100
    assert score_of([issue("warning")], PERFECT) == 85
    assert score_of([issue("warning")], BLIND) == BLIND.score
    weak = panel(*["rr"] * 8, *["nn"] * 4)
    report = report_of("x", "standard", [], panel=weak)
    assert report.issues[0].severity == "error"
    assert report.score == weak.score > 50


def test_a_perfect_panel_has_no_issues():
    assert list(panel_issues(PERFECT)) == []


def test_another_text_is_fatal_and_names_who_read_it_first():
    (found,) = (one for one in panel_issues(panel("rr", "rw", "wr", *["rr"] * 7)) if one.code == "wrong-text")
    assert (found.code, found.severity, found.where, found.measured, found.needed) == (
        "wrong-text",
        "fatal",
        "panel",
        2,
        0,
    )
    assert found.message == f"{OF_PHONES[1]} reads a different text in the “{PHONES[1].name}” test"


def test_conditions_that_are_missed_are_named_up_to_four():
    missed = panel("nr", "nr", "nn", "nn", "nn", "nn", "rr")
    (found,) = panel_issues(missed)
    assert (found.code, found.where, found.needed) == ("not-read", "panel", 1)
    assert LEAVES[found.severity] == missed.verdict
    assert found.measured == missed.score / 100
    assert found.message == (
        f"not all phones can read it in 6 of 7 tests: {', '.join(one.name for one in PHONES[:4])} and 2 more"
    )


def test_four_conditions_are_named_without_more():
    (found,) = panel_issues(panel("nr", "nr", "nn", "nn", "rr"))
    assert found.message.endswith("4 of 5 tests: " + ", ".join(one.name for one in PHONES[:4]))


def test_embedded_readers_are_told_of_apart():
    (found,) = panel_issues(ROUND)
    assert LEAVES[found.severity] == ROUND.embedded == "fragile"
    assert ROUND.phones == "robust"
    assert found.message.startswith("not all embedded readers can read it in 19 of 19 tests: clean, ")


def test_a_reader_that_misses_too_many_frames_is_named():
    few = panel(*["rr"] * 12)
    frames = {name: row | {"qrdec": 2} for name, row in few.frames.items()}
    (found,) = panel_issues(replace(few, frames=frames))
    assert (found.code, found.severity) == ("not-read", "warning")
    assert found.message == "qrdec reads 66% of the captures in which it reads a plain symbol; 90% are needed"


def test_what_nobody_sees_is_told_in_one_sentence():
    (found,) = panel_issues(BLIND)
    assert (found.severity, found.message) == ("fatal", "no scanner can read it in any test")


def test_a_report_has_the_worst_of_both():
    found = report_of("x", "quick", [issue("warning")], panel=BLIND)
    assert (found.verdict, found.score, found.content, found.level, found.panel) == (
        "unreadable",
        0,
        "x",
        "quick",
        BLIND,
    )
    assert [one.code for one in found.issues] == ["not-read", "quiet-zone"]
    still = report_of("x", "static", [issue("warning")])
    assert (still.audience, still.phones, still.embedded) == ("phones", "ok", "ok")
    assert (still.verdict, still.score, still.issues, still.panel) == ("ok", 85, (issue("warning"),), None)


def corner(severity):
    return Issue("eye-corner", severity, "markers", 2.2, 0.9, "embedded readers may fail", embedded="error")


def test_what_concerns_embedded_readers_only_is_a_note_for_phones():
    found = report_of("x", "standard", [corner("note")], panel=PERFECT)
    assert (found.verdict, found.phones, found.embedded, found.score) == ("robust", "robust", "fragile", 100)
    found = report_of("x", "static", [corner("error")], audience="all")
    assert (found.verdict, found.phones, found.embedded, found.score) == ("fragile", "robust", "fragile", 50)


def test_a_report_for_all_has_the_verdicts_of_both_panels():
    found = report_of("x", "standard", [], audience="all", panel=ROUND)
    assert (found.verdict, found.phones, found.embedded, found.score) == ("fragile", "robust", "fragile", ROUND.score)
    worse = report_of("x", "standard", [issue("warning")], audience="all", panel=ROUND)
    assert (worse.phones, worse.embedded) == ("ok", "fragile")
