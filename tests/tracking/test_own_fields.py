"""Tags and own fields of a QR Code: what they may be, and what JSON has of them."""

import copy
import json
import pickle
import warnings
from datetime import UTC, datetime

import pytest

from qrkit.errors import InvalidParameter
from qrkit.tracking.own_fields import split_tags
from qrkit.tracking.records import QRCode

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def code(**fields):
    return QRCode(id="0" * 32, name="Door", content="https://example.com", created=NOON, **fields)


@pytest.mark.rule("X15")
def test_names_are_tidy_and_empty_values_left_out():
    found = code(
        fields={" City ": "Graz", "Owner  of\nit": "Jo\tAnn", "Floor": "", "Room": None}, tags=[" a  b ", "c", "c"]
    )
    assert found.fields == {"City": "Graz", "Owner of it": "Jo\tAnn"}
    assert found.tags == ("a b", "c")
    assert QRCode.from_json(found.to_json()) == found


@pytest.mark.rule("T15")
def test_json_has_no_empty_tags_and_fields():
    assert {"tags", "fields"}.isdisjoint(json.loads(code().to_json()))
    assert {"tags", "fields"}.isdisjoint(json.loads(code().to_list_json()))
    shown = json.loads(code(tags=["shop"], fields={"City": "Graz"}).to_list_json())
    assert (shown["tags"], shown["fields"]) == (["shop"], {"City": "Graz"})


@pytest.mark.rule("X15")
@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"fields": {str(n): "x" for n in range(51)}}, "must have at most 50 fields, not 51"),
        ({"fields": {"x" * 101: "x"}}, "the name 'x+' must have 1..100 characters, not 101"),
        ({"fields": {" ": "x"}}, "the name '' must have 1..100 characters, not 0"),
        ({"fields": {"a b": "x", "a  b": "y"}}, "the name 'a b' appears twice"),
        ({"fields": {"a\x07": "x"}}, r"must not hold the control character U\+0007"),
        ({"fields": {"City": "x\x00"}}, r"fields.City=.*must not hold the control character U\+0000"),
        ({"fields": {"City": "\ud800"}}, r"fields.City=.*must not hold"),
        ({"fields": {"City": "x" * 1_001}}, "fields.City=.*must have at most 1,000 characters, not 1,001"),
        ({"fields": {"Floor": 2}}, "fields.Floor=2: must be a text"),
        ({"fields": ["City"]}, "fields=.*must be an object"),
        ({"tags": ["x"] * 51}, "tags=.*must have 0..50 entries, not 51"),
        ({"tags": ["x" * 101]}, "must have 1..100 characters, not 101"),
        ({"tags": [" "]}, "must have 1..100 characters, not 0"),
        ({"tags": ["a, b"]}, "must be one tag, without commas, semicolons and |"),
        ({"tags": ["a\x1b"]}, r"must not hold the control character U\+001B"),
        ({"tags": "shop"}, "tags='shop': must be a list"),
        ({"tags": [1]}, "must be a text"),
    ],
)
def test_error_names_the_rule_in_one_sentence(fields, rule):
    with pytest.raises(InvalidParameter, match=rule) as caught:
        code(**fields)
    assert len(caught.value.problems) == 1


def test_largest_fields_are_taken():
    fields = {f"{n:0100}": "x" * 1_000 for n in range(50)}
    assert code(fields=fields, tags=[f"{n:0100}" for n in range(50)]).fields == fields


def test_fields_of_a_record_never_change():
    found = code(fields={"City": "Graz"})
    for change in (lambda: found.fields.update(City="Wien"), lambda: found.fields.pop("City")):
        with pytest.raises(TypeError, match="update_qrcode"):
            change()
    with pytest.raises(TypeError, match="update_qrcode"):
        found.fields["City"] = "Wien"
    assert found in {found}
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found


def test_tags_are_split_as_people_write_them():
    assert split_tags(" a b, c|d ;; e") == ["a b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("cell", "tags"),
    [
        (repr(["it's", 'a "b"', "caf\xe9\x07", "\\d"]), ["it's", 'a "b"', "caf\xe9\x07", "\\d"]),
        ('["\\ud83d\\ude00", "b"]', ["\U0001f600", "b"]),
        ("[ 'a' , 'b', ]", ["a", "b"]), ("[]", []),
        (r"['C:\d', 'x']", [r"C:\d", "x"]), ("['it''s']", ["it''s"]), ("[1if 1else 2]", ["[1if 1else 2]"]),
        (r"['\U00110000']", [r"\U00110000"]), (r"['\400']", [r"\400"]), ("[1, 2]", ["[1", "2]"]),
    ],
)  # fmt: skip
def test_tags_are_read_from_the_lists_that_programs_write(cell, tags):
    """Texts that are almost Python made its parser print warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert split_tags(cell) == tags
    assert told == []
