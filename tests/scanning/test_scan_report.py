"""Reports: plain data, a text, and a page for notebooks, all of them safe and the same every time."""

import copy
import json
import pickle
from functools import partial
from html.parser import HTMLParser

import pytest

from qrkit import Design, QRImage, check, generate
from qrkit.errors import InvalidParameter
from qrkit.scanning.scan_report import LEVELS, VERDICTS, Issue, worse
from tests.scanning.designs import all_eyes, broken, plain, tiny_sprite, with_logo
from tests.sweeps import quick_first

HOSTILE = "</script><script>alert('&quot;')</script><img src=x onerror=alert(1)>"
VOID = {"br", "img", "rect", "path"}


class Page(HTMLParser):
    """What elements a page has, and whether each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.seen, self.text = [], set(), ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("level", LEVELS[:3])
def test_a_report_is_plain_data(level):
    report = check(with_logo(0.4, padding=1), level)
    found = json.loads(report.to_json())
    assert found == json.loads(report.to_json(indent=2)) == json.loads(json.dumps(report.as_dict()))
    assert (found["verdict"], found["score"], found["level"]) == (report.verdict, report.score, level)
    assert [one["code"] for one in found["issues"]] == [issue.code for issue in report.issues]
    assert found["budget"]["used"] == pytest.approx(report.budget.used, abs=1e-4)
    assert (found["panel"] is None) == (level == "static")
    assert (found["grade"] is None) == (level != "standard")


@pytest.mark.slow
def test_fixes_come_back_from_json():
    """They are fields of a design, as POST takes them."""
    for name, design in [*broken(), ("sprites", plain(modules=tiny_sprite(0.3)))]:
        report = check(design, "static")
        fields = json.loads(design.to_json())
        for issue, told in zip(report.issues, json.loads(report.to_json())["issues"], strict=True):
            if issue.fix is None:
                assert told["fix"] is None
                continue
            assert Design(**fields | told["fix"]) == report.fixed(issue), (name, issue.code)


def test_content_that_is_html_stays_text():
    report = check(plain(HOSTILE, markers=all_eyes("circle")), "quick")
    page = Page(report._repr_mimebundle_()["text/html"])
    assert page.seen.isdisjoint({"script", "img", "iframe"})
    assert json.loads(report.to_json())["content"] == HOSTILE


def test_a_notebook_shows_the_heat_map_the_issues_and_the_readers():
    report = check(with_logo(0.45, ec="L"), "standard")
    page = Page(report._repr_mimebundle_()["text/html"])
    assert {"svg", "table"} <= page.seen
    for issue in report.issues:
        assert issue.message in page.text
    assert all(name in page.text for name in (*report.panel.engines, *report.panel.outcomes))
    assert report.verdict in page.text
    assert f"score {report.score} of 100" in page.text


def test_where_there_is_nothing_to_say_that_is_said():
    assert "Nothing is in the way of readers." in Page(check(plain(), "static")._repr_mimebundle_()["text/html"]).text


@pytest.mark.parametrize("level", ["static", "standard"])
def test_the_same_design_gives_the_same_report(level):
    first, second = (check(with_logo(0.4, padding=1), level) for _ in range(2))
    told = [one.as_dict() for one in (first, second)]
    for one in told:
        (one["panel"] or {}).pop("seconds", None)
    assert told[0] == told[1]
    assert str(first) == str(second)


def test_a_report_as_text():
    report = check(plain(padding=0), "static")
    assert str(report).splitlines() == [
        "fragile on phones (simulated), score 50 of 100 (static check)",
        "  error: the quiet zone is 0.0 modules wide; scanners need 2, the standard requires 4",
    ]
    assert repr(report) == "<ScanReport fragile, score 50, 1 issue, static>"


def test_a_report_on_round_eyes_says_what_it_means_for_embedded_readers():
    design = plain(markers=all_eyes("heart"))
    phones, everyone = check(design, "static"), check(design, "static", audience="all")
    assert (phones.verdict, phones.phones, phones.embedded, phones.score) == ("robust", "robust", "fragile", 100)
    assert str(phones).splitlines()[0] == "robust on phones (simulated), score 100 of 100 (static check)"
    assert "note: embedded readers may fail: the corners of all three eyes have a radius of 2.2" in str(phones)
    assert (everyone.verdict, everyone.phones, everyone.embedded) == ("fragile", "robust", "fragile")
    assert str(everyone).splitlines()[:2] == [
        "fragile on phones and embedded readers (simulated), score 50 of 100 (static check)",
        "  phones: robust; embedded readers: fragile",
    ]
    assert everyone.issues[0].severity == everyone.issues[0].embedded == "error"


@pytest.mark.parametrize("audience", ["phones", "all"])
@pytest.mark.parametrize("level", quick_first(["static", "quick", "standard"], 2))
def test_audiences_are_asked_by_name_in_every_door(level, audience):
    design = plain(markers=all_eyes("leaf"))
    first = check(design, level, audience=audience)
    assert first.audience == audience
    assert first.as_dict()["audience"] == audience
    assert first.verdict == (first.phones if audience == "phones" else worse(first.phones, first.embedded))
    for other in (design.check(level, audience=audience), QRImage(design).check(level, audience=audience)):
        assert (other.verdict, other.score, other.embedded) == (first.verdict, first.score, first.embedded)
    assert (first.panel is None) == (level == "static")


@pytest.mark.parametrize("audience", ["Phones", "", "iphone", None])
def test_there_are_no_other_audiences(audience):
    with pytest.raises(InvalidParameter, match=r"^audience"):
        check(plain(), audience=audience)


def test_verdicts_have_an_order():
    report = check(plain(padding=0), "static")
    assert [report.is_at_least(verdict) for verdict in VERDICTS] == [True, True, False, False]


@pytest.mark.parametrize("level", ["Static", "", "deep", None, 3])
def test_there_are_no_other_levels(level):
    with pytest.raises(InvalidParameter, match=r"^level"):
        check(plain(), level)


def test_a_design_checks_itself():
    design = with_logo(0.45, ec="L")
    assert design.check("static").as_dict() == check(design, "static").as_dict()
    assert design.check().level == "standard"
    with pytest.raises(InvalidParameter, match=r"level='stadard': .*did you mean 'standard'"):
        design.check("stadard")


def test_a_verdict_does_not_wait_for_its_causes_which_are_found_when_somebody_reads_the_issue():
    report = with_logo(0.35, ec="Q").check("static")
    (issue,) = (one for one in report.issues if one.code == "error-budget")
    assert (report.verdict, report.is_at_least("ok"), issue.severity) == ("ok", True, "warning")
    assert "causes" not in vars(report.budget)
    assert "of what error correction can restore" in issue.message
    assert issue.where == report.budget.causes[0].path == "layers.0"
    assert report.fixed(issue).layers[0].width < report.design.layers[0].width


def test_an_issue_that_is_explained_late_lets_go_of_the_drawing_once_it_was_explained():
    big = b"picture" * 100_000
    issue = Issue.explained_late("error-budget", "error", 0.9, 0.5, partial(_explained, big))
    assert issue.message == "700000 bytes"
    assert len(pickle.dumps(issue)) < 1_000


def _explained(big):
    return "layers.logo", f"{len(big)} bytes", None


def test_an_issue_that_is_explained_late_is_copied_and_compared_with_its_explanation():
    first, second = (with_logo(0.35, ec="Q").check("static").issues[0] for _ in range(2))
    assert copy.copy(first) == pickle.loads(pickle.dumps(first)) == second
    assert "layers.0" in repr(first)
    with pytest.raises(AttributeError):
        assert first.causes


@pytest.mark.parametrize("frame", [None, "seal", "bar"])
def test_the_least_width_has_modules_that_phones_focus_on(frame):
    image = generate("https://example.com", frame=frame)
    for one in (check(image.design, "static"), image, image.scan):
        assert image.print_at(one.least_width_mm(), dpi=5_000).module_mm == pytest.approx(0.4, abs=0.006)
        assert one.least_width_mm(2) == pytest.approx(20 * one.least_width_mm())
    assert check(image.to_bytes("png"), "static").least_width_mm() is None


@pytest.mark.parametrize("distance", [0, -1, 1_001, float("nan")])
def test_a_distance_is_in_meters(distance):
    with pytest.raises(InvalidParameter, match=r"distance_m=.*must be more than 0 and at most 1,000 meters"):
        QRImage(Design(content="x")).least_width_mm(distance)
