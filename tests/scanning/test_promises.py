"""What we promise of designs of ours, and of verdicts: held against all engines that are installed."""

from collections.abc import Iterable
from functools import cache
from itertools import product
from random import Random
from statistics import fmean

import pytest

from qrkit import Design, Modules, check
from qrkit.design.limits import SPRITE_NAMES
from qrkit.scanning.conditions import CORE
from qrkit.scanning.readers import installed
from qrkit.scanning.scan_report import ScanReport
from tests.scanning.designs import PAYLOADS, all_eyes, broken, plain
from tests.sweeps import night_after

EYES = ("default", *(f"eye-{number}" for number in range(1, 18)))
STYLES = {"default": Modules()} | {name: Modules(type="sprite", sprite=name) for name in SPRITE_NAMES}
PALE = ("diamond2",)
"""Styles with too little ink for phones."""
OURS = list(product(PAYLOADS, EYES, STYLES))
"""16 module styles, 18 eyes, 3 payloads."""


def design_of(payload: str, eye: str, style: str) -> Design:
    return plain(PAYLOADS[payload], markers=all_eyes(eye), modules=STYLES[style])


FEW = frozenset({"half a logo, url", "photo over all, url", "faint, url"})
"""Some of them, two with their budget spent."""
ALL = [name for name, _ in broken()]


@cache
def broken_report(name: str) -> ScanReport:
    return check(dict(broken())[name], engines=installed(), audience="all")


def core_rate(report: ScanReport) -> float:
    """Share of what all engines read in the conditions of `CORE`."""
    rows = [report.panel.outcomes[condition.name] for condition in CORE]
    return fmean(outcome == "read" for row in rows for outcome in row.values())


def broken_reports(names: Iterable[str]) -> dict[str, ScanReport]:
    return {name: broken_report(name) for name in sorted(names)}


def assert_ours_scan(chosen: Iterable[tuple[str, str, str]], *, robust: float) -> None:
    reports = {names: check(design_of(*names), engines=installed(), audience="all") for names in chosen}
    assert [names for names, one in reports.items() if one.panel.wrong] == []
    assert [names for names, one in reports.items() if not one.is_at_least("ok")] == []
    found = [one.verdict == "robust" for one in reports.values()]
    # Of two engines fewer, all that are there have to read, which every sixth does not reach.
    enough = robust if len(installed()) == 5 else 0.6
    assert sum(found) >= enough * len(found), f"{sum(found)} of {len(found)} are robust"


def test_styles_and_eyes_of_ours_scan():
    # The largest symbols take the longest.
    quick = [names for names in OURS if names[0] != "card" and names[2] not in PALE]
    assert_ours_scan(Random(1).sample(quick, 3), robust=0.85)


@pytest.mark.slow
@pytest.mark.parametrize("step", night_after([33, 11]))
def test_all_styles_and_eyes_of_ours_scan(step):
    """But for styles with too little ink, nine in ten are robust, the others ok; any step has every style."""
    assert_ours_scan([names for names in OURS[::step] if names[2] not in PALE], robust=0.9)


@pytest.mark.parametrize(
    "eye", [*EYES[::3], *(pytest.param(eye, marks=pytest.mark.slow) for eye in EYES[1::3] + EYES[2::3])]
)
def test_no_eye_of_ours_has_an_issue_before_readers_look(eye):
    for style in STYLES:
        if style in PALE:
            continue
        report = check(design_of("url", eye, style), "static")
        assert (report.issues, report.verdict) == ((), "robust"), style


def test_the_eye_with_curved_sides_is_found_in_large_symbols():
    assert design_of("card", "eye-16", "five").check("quick").verdict == "robust"


@pytest.mark.parametrize("names", [FEW, *night_after([ALL[::3], ALL])])
def test_what_is_broken_is_never_robust_nor_read_as_another_text_and_what_is_lost_hardly_at_all(names):
    """In one test, because the reports take a minute, and workers do not share them."""
    reports = broken_reports(names)
    assert [name for name, report in reports.items() if report.verdict == "robust"] == []
    assert {name: report.panel.wrong for name, report in reports.items() if report.panel.wrong} == {}
    # More than a block corrects is lost; a reader may still take mid-tones for what they should be.
    lost = [one for one in reports.values() if one.budget.used > 1.25]
    assert len(lost) >= (4 if names is ALL else 2)
    assert [one.content[:30] for one in lost if core_rate(one) > 0.1] == []


@pytest.mark.slow
def test_nothing_is_robust_that_fewer_than_three_engines_read():
    """On the way from good to bad: a quiet zone that shrinks, ink that pales, a logo that grows."""
    ways = [{"padding": padding} for padding in range(5)]
    ways += [{"foreground": f"#{grey:02X}{grey:02X}{grey:02X}"} for grey in range(0, 240, 24)]
    reports = [check(plain(**fields), engines=installed(), audience="all") for fields in ways]
    robust = [report for report in reports if report.verdict == "robust"]
    assert 3 <= len(robust) < len(reports)
    assert min(
        sum(outcome == "read" for outcome in row.values()) for one in robust for row in one.panel.outcomes.values()
    ) >= 3  # fmt: skip
