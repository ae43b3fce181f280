from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Design
from qrkit.design.limits import LONGEST_TEXT
from qrkit.errors import InvalidParameter

BOUNDS = {"version": (1, 40), "size": (1, 20), "padding": (0, 20)}
WHOLE = [int, float, Fraction, np.int8, np.int64, np.uint16, np.float64, np.float32]

each_bound = pytest.mark.parametrize(("name", "low", "high"), [(name, *ends) for name, ends in BOUNDS.items()])


def problem(**fields):
    with pytest.raises(InvalidParameter) as caught:
        Design(**{"content": "x"} | fields)
    (only,) = caught.value.problems
    return only


@each_bound
def test_both_ends_of_a_range_are_allowed(name, low, high):
    for value in (low, high):
        assert getattr(Design(content="x", **{name: value}), name) == value


@each_bound
def test_a_number_outside_is_out_of_range(name, low, high):
    for value in (high + 1, low - 1 if name == "size" else -2, 10**30, -(10**30)):
        found = problem(**{name: value})
        assert (found.name, found.value, found.code) == (name, value, "out-of-range")
        assert f"must be in {low}..{high}" in found.rule


@each_bound
@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_number_of_any_type_is_taken_as_int(name, low, high, kind):
    value = getattr(Design(content="x", **{name: kind(high)}), name)
    assert value == high
    assert type(value) is int


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize(
    "value",
    [
        *(True, False, np.True_, "8", " ", "8.0", b"8", [], [8], np.array([8]), np.array([8, 9]), object),
        *(8.5, float("nan"), float("inf"), Decimal("8.5"), 1j),
    ],
    ids=repr,
)
def test_what_is_no_whole_number_is_refused(name, value):
    found = problem(**{name: value})
    assert (found.name, found.rule, found.code) == (name, "must be a whole number", "wrong-type")


@pytest.mark.rule("G1")
@pytest.mark.parametrize("value", [None, 0, -1, 0.0, -1.0, "", np.int64(-1), np.int64(0), np.float64(-1)], ids=repr)
def test_version_absent_empty_0_and_minus_1_are_automatic(value):
    """A fact: clients send all of these, and tables store -1, which pandas reads as a number of numpy."""
    assert Design(content="x", version=value).version is None
    assert Design(content="x", version=value) == Design(content="x")


@pytest.mark.parametrize("value", [None, "", "auto", "Auto"])
@pytest.mark.parametrize("name", ["version", "mask"])
def test_version_and_mask_are_automatic_by_the_same_words(name, value):
    assert Design(content="x", **{name: value}) == Design(content="x")
    assert Design(content="x", mask=0).mask == 0


@pytest.mark.rule("G1")
def test_version_3_0_is_3():
    """A fact: one client writes its numbers as 3.0."""
    assert Design(content="x", version=3.0).version == 3
    assert Design.from_json('{"content": "x", "version": 3.0}').version == 3


@pytest.mark.rule("H5")
@pytest.mark.parametrize("em", ["byte", "numeric", "alphanumeric", "auto"])
@pytest.mark.parametrize("ec", ["L", "M", "Q", "H"])
def test_ec_and_em_are_taken_in_any_case(ec, em):
    """A fact: clients send `Byte`, stored records have a capital letter."""
    wanted = Design(content="1", ec=ec, em=em)
    assert (wanted.ec, wanted.em) == (ec, em)
    assert Design(content="1", ec=ec.lower(), em=em.upper()) == Design(content="1", ec=ec, em=em.title()) == wanted


@pytest.mark.parametrize("name", ["ec", "em", "pad_codewords", "charset"])
def test_error_about_a_choice_shows_it_as_it_was_written(name):
    assert problem(**{name: "Nope"}).value == "Nope"


@pytest.mark.parametrize(("name", "value"), [("ec", "X"), ("ec", ""), ("ec", 1), ("em", "utf-8"), ("em", None)])
def test_a_choice_names_all_it_could_be(name, value):
    found = problem(**{name: value})
    assert (found.name, found.value, found.code) == (name, value, "bad-value")
    allowed = {"ec": "must be one of 'L', 'M', 'Q' or 'H'", "em": "must be one of 'byte', 'numeric', 'alphanumeric'"}
    assert found.rule.startswith(allowed[name])


@given(st.text(min_size=1, max_size=30))
@settings(max_examples=30)
def test_any_text_that_utf8_can_hold_is_a_content(text):
    assert Design(content=text).content == text


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("", "must not be empty"),
        ("x" * (LONGEST_TEXT + 1), "must have 1..32767 characters, not 32768"),
        ("ab\ud800c", "holds half a character (a lone surrogate) at position 3"),
        (5, "must be a text"),
        (None, "must be a text"),
    ],
    ids=lambda value: repr(value)[:12],
)
def test_a_content_that_is_empty_too_long_broken_or_no_text_is_refused(content, rule):
    found = problem(content=content)
    assert (found.name, found.rule) == ("content", rule)


@each_bound
def test_a_bound_and_its_unit_stand_in_the_json_schema(name, low, high):
    found = Design.model_json_schema()["properties"][name]
    found |= next((one for one in found.get("anyOf", []) if one.get("type") == "integer"), {})
    assert (found["minimum"], found["maximum"]) == (low, high)
    assert found["description"]
