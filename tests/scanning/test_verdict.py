"""Issues and a panel -> one word and one number: each rule with made-up ones."""

import pytest

from qrkit.scanning.conditions import CORE
from qrkit.scanning.panel import Panel
from qrkit.scanning.readers import STANDARD
from qrkit.scanning.scan_report import Issue
from qrkit.scanning.verdict import panel_issues, report_of, score_of, verdict_of

LEAVES = {"fatal": "unreadable", "error": "fragile", "warning": "ok", "note": "robust"}


def issue(severity, where="padding", code="quiet-zone"):
    return Issue(code, severity, where, 1, 4, "too little")


def panel(*rows):
    """What each standard engine read in the first conditions, as letters: r(ead), w(rong), n(othing)."""
    words = {"r": "read", "w": "wrong", "n": "nothing"}
    outcomes = {
        condition.name: {name: words[letter] for name, letter in zip(STANDARD, row, strict=True)}
        for condition, row in zip(CORE, rows, strict=False)
    }
    return Panel("quick", 1, dict.fromkeys(STANDARD, "1"), outcomes, {}, 0.1)


PERFECT = panel(*["rrr"] * 10)
BLIND = panel(*["nnn"] * 10)


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
    assert score_of([issue("error", "panel")], PERFECT) == 100
    assert score_of([issue("warning")], BLIND) == BLIND.score


def test_a_perfect_panel_has_no_issues():
    assert list(panel_issues(PERFECT)) == []


def test_another_text_is_fatal_and_names_who_read_it_first():
    (found,) = panel_issues(panel("rrr", "rwr", "rrw", *["rrr"] * 7))
    assert (found.code, found.severity, found.where, found.measured, found.needed) == (
        "wrong-text",
        "fatal",
        "panel",
        2,
        0,
    )
    assert found.message == f"{STANDARD[1]} reads another text in {CORE[1].name}"


def test_conditions_that_are_missed_are_named_up_to_four():
    missed = panel("nrr", "nnr", "nnn", "nnn", "nnn", "nnn", "rrr")
    (found,) = panel_issues(missed)
    assert (found.code, found.where, found.needed) == ("not-read", "panel", 1)
    assert LEAVES[found.severity] == missed.verdict
    assert found.measured == missed.score / 100
    assert found.message == (
        f"not all readers see it in 6 of 7 conditions: {', '.join(one.name for one in CORE[:4])} and 2 more"
    )


def test_four_conditions_are_named_without_more():
    (found,) = panel_issues(panel("nrr", "nrr", "nnr", "nnr", "rrr"))
    assert found.message.endswith("4 of 5 conditions: " + ", ".join(one.name for one in CORE[:4]))


def test_what_nobody_sees_is_told_in_one_sentence():
    (found,) = panel_issues(BLIND)
    assert (found.severity, found.message) == ("fatal", "no reader sees it in any condition")


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
    assert (still.verdict, still.score, still.issues, still.panel) == ("ok", 85, (issue("warning"),), None)
