from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import QRCode
from qrkit.exchange.columns import Row
from qrkit.exchange.merge import ImportIssue, ImportResult, issue_of, merge
from tests.dtypes import TEXT

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
some = settings(max_examples=100)
# Few names and contents, so that they clash; some names look as if they had been renamed before.
names = st.sampled_from(["A", "A (2)", "A (3)", "A (2) (2)", "B", ""])
contents = st.sampled_from(["x", "y", "z"])
files = st.lists(st.tuples(names, contents), max_size=12)
portfolios = st.lists(st.tuples(names, contents), max_size=6)


def entry(row, name, content):
    return Row(row, {"Campaign Name": "Spring"}), QRCode(id="", name=name, content=content, created=NOON)


def merged(rows, present, refuse=()):
    """The result of a merge, and the names and contents it added."""
    added = []

    def insert(row, code, name):
        if code.content in refuse:
            return [issue_of(row, code, "invalid", "refused")]
        added.append((name, code.content))
        return []

    found = [entry(row, *pair) for row, pair in enumerate(rows, start=2)]
    return merge(found, present, lambda one: False, insert), added


@pytest.mark.rule("X3")
@given(files, portfolios)
@some
def test_importing_twice_changes_nothing(rows, present):
    """Open: where the duplicate rule looks. At the whole portfolio, names given by an earlier import included."""
    _, added = merged(rows, present)
    again, nothing = merged(rows, present + added)
    assert nothing == []
    assert again.created == 0
    assert {issue.reason for issue in again.issues} <= {"duplicate"}
    assert [issue.row for issue in again.issues] == list(range(2, len(rows) + 2))


@pytest.mark.rule("X3")
@given(files, st.lists(st.tuples(names, contents), max_size=6, unique_by=lambda pair: pair[0]))
@some
def test_no_name_is_there_twice(rows, present):
    """Open: what becomes of a name in use. The first free of (2), (3), …, so that names tell codes apart."""
    _, added = merged(rows, present)
    found = [name for name, _ in present + added]
    assert len(found) == len(set(found))


@given(files, portfolios, st.sets(contents))
@some
def test_each_row_is_created_or_has_an_issue_that_says_why_not(rows, present, refuse):
    result, added = merged(rows, present, refuse)
    skipped = [issue.row for issue in result.issues if issue.reason in ("duplicate", "invalid")]
    assert len(skipped) == len(set(skipped))
    assert result.created == len(added) == len(rows) - len(skipped)
    renamed = {issue.row for issue in result.issues if issue.reason == "renamed"}
    kept = [(row, pair) for row, pair in enumerate(rows, start=2) if row not in skipped]
    for (name, content), (row, (wished, wanted)) in zip(added, kept, strict=True):
        assert content == wanted
        assert name.startswith(wished)
        assert (name != wished) == (row in renamed)


@given(files, portfolios)
@some
def test_every_content_of_the_file_is_in_the_portfolio_under_its_name_or_a_numbered_one(rows, present):
    _, added = merged(rows, present)
    for name, content in rows:
        assert any(pair[1] == content and pair[0].startswith(name) for pair in present + added)


@given(files, portfolios, st.sets(contents))
@some
def test_a_row_that_is_refused_takes_no_name_from_another(rows, present, refuse):
    """Else a good row could be called a duplicate of one that was never stored."""
    _, added = merged(rows, present, refuse)
    _, without = merged([pair for pair in rows if pair[1] not in refuse], present)
    assert added == without


def test_a_name_in_use_gets_the_first_free_number():
    result, added = merged([("A", "y"), ("A", "z"), ("A", "x"), ("A", "y")], [("A", "x"), ("A (3)", "w")])
    assert added == [("A (2)", "y"), ("A (4)", "z")]
    assert [(issue.row, issue.reason, issue.name) for issue in result.issues] == [
        (2, "renamed", "A"),
        (3, "renamed", "A"),
        (4, "duplicate", "A"),
        (5, "duplicate", "A"),
    ]
    assert "'A (2)'" in result.issues[0].detail


@pytest.mark.rule("X2")
def test_an_issue_says_its_row_and_begins_with_a_stable_word():
    """Open: what a warning holds. Campaign, name, content as the file has them, and a word a program can look for."""
    issue = ImportIssue(3, "Spring", "Door", "x", "renamed", "'Door' has other content; this one is now 'Door (2)'")
    assert issue.error == "renamed: 'Door' has other content; this one is now 'Door (2)'"
    result = ImportResult(4, (issue, ImportIssue(5, "", "", "", "invalid", "Content='': must not be empty")))
    frame = result.to_frame()
    assert frame.index.tolist() == [3, 5]
    assert frame.columns.tolist() == ["campaign", "name", "content", "error"]
    assert {str(dtype) for dtype in frame.dtypes} == {TEXT}
    assert frame["error"].tolist()[1] == "invalid: Content='': must not be empty"
    assert str(result) == "4 created (1 renamed), 1 row left out"
    assert result.count("renamed") == 1
    assert {str(dtype) for dtype in ImportResult(0).to_frame().dtypes} == {TEXT}


def test_a_notebook_shows_a_result_with_its_texts_escaped():
    hostile = ImportIssue(2, "<script>alert(1)</script>", "<b>", "&", "duplicate", "<i>")
    shown = ImportResult(0, (hostile,))._repr_mimebundle_()["text/html"]
    assert "<script>" not in shown
    assert "<b>" not in shown
    assert "&lt;script&gt;" in shown
    assert ImportResult(3)._repr_mimebundle_()["text/html"] == "<p>3 created</p>"


def name_by_hand(code, taken):
    """The rule as it is written, with a step a number."""
    name, number = code.name, 1
    while any(name == other for other, _ in taken) and (name, code.content) not in taken:
        number += 1
        name = f"{code.name} ({number})"
    return name


@pytest.mark.rule("X3")
@given(files, portfolios, st.sets(st.integers(2, 13)))
@some
def test_names_are_those_of_the_rule_walked_step_by_step(rows, present, own):
    """Also where some rows bring a free short code of their own, and are judged by the portfolio alone."""
    inserted = []
    found = [entry(row, *pair) for row, pair in enumerate(rows, start=2)]
    numbers = {id(code): row.number for row, code in found}
    has_own_code = lambda code: numbers[id(code)] in own  # noqa: E731
    merge(found, present, has_own_code, lambda row, code, name: inserted.append((row.number, name)) or [])
    before, taken, expected = list(present), list(present), []
    for row, code in found:
        judge = before if row.number in own else taken
        name = name_by_hand(code, judge)
        if (name, code.content) not in judge:
            expected.append((row.number, name))
            taken.append((name, code.content))
    assert inserted == expected


@pytest.mark.slow
def test_thousands_of_rows_of_one_name_take_no_more_than_a_step_each():
    """Walked from the beginning for each row, these would be two hundred million steps."""
    rows = [("Door", str(number)) for number in range(20_000)]
    result, added = merged(rows, [])
    assert added[-1] == ("Door (20000)", "19999")
    assert result.count("renamed") == 19_999
    again, nothing = merged(rows, added)
    assert (again.count("duplicate"), nothing) == (20_000, [])


def counted(**numbers):
    """The words of an import of five created codes, with so many issues of each reason."""
    issues = [
        ImportIssue(1, "", "", "", word.replace("_", "-"), "") for word, many in numbers.items() for _ in range(many)
    ]
    return str(ImportResult(5, tuple(issues)))


def test_rows_that_were_changed_are_counted_among_those_that_were_created():
    assert counted() == "5 created"
    assert counted(renamed=1) == "5 created (1 renamed)"
    assert counted(code_taken=2, duplicate=3) == "5 created (2 given a new short URL), 3 already there"
    assert counted(invalid=1, code_taken=1, renamed=2) == (
        "5 created (2 renamed, 1 given a new short URL), 1 row left out"
    )


def test_one_column_is_left_out_and_of_two_columns_more_than_one():
    one = dict.fromkeys(["duplicate", "invalid", "undecodable", "unknown_column", "unread_sheet"], 1)
    assert counted(**one) == (
        "5 created, 1 already there, 1 row left out, 1 picture not readable, 1 column left out, 1 sheet not read"
    )
    assert counted(**dict.fromkeys(one, 2)) == (
        "5 created, 2 already there, 2 rows left out, 2 pictures not readable, 2 columns left out, 2 sheets not read"
    )


def test_rows_that_failed_are_those_that_could_not_be_read():
    reasons = [
        "duplicate",
        "invalid",
        "renamed",
        "undecodable",
        "code-taken",
        "unknown-column",
        "unread-sheet",
        "invalid",
    ]
    issues = tuple(ImportIssue(row, "", "", "", reason, "") for row, reason in enumerate(reasons))
    assert ImportResult(9, issues).failed == 3
    assert ImportResult(9).failed == 0


def test_three_hosts_of_other_short_urls_are_named_and_the_rest_is_counted():
    result = ImportResult(1_240, (), {"bit.ly": 1_230, "a.test": 4, "b.test": 3, "c.test": 2, "d.test": 1})
    assert result.hosts_left == (
        "1,230 short URLs began with bit.ly, 4 short URLs began with a.test, 3 short URLs began with b.test, "
        "3 with other hosts; codes printed with them still lead there"
    )
    assert ImportResult(1).hosts_left == ""
