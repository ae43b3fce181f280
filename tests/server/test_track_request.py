"""What the track operations read of a body: rules of T4, T5 and H2 without HTTP."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.errors import InvalidParameter, MissingParameter, Problem
from qrkit.model import Model
from qrkit.server.requests.track_request import READ_ONLY, Fields, json_named, read_campaign, read_changes, read_qrcode
from qrkit.tracking.records import Campaign, QRCode

CONTENT = {"content": "https://example.com"}
EVENT = {"content": "later", "recurrence": 5, "date": "2026-06-05T10:30:00Z"}
ALIASES = {str(field.alias) for field in QRCode.model_fields.values()}
PAGE = {"href": "https://example.com/rice", "title": "Rice"}
WRITABLE = {
    "campaignId": ("campaign_id", "c" * 32),
    "name": ("name", "Door"),
    "content": ("content", "https://example.com/door"),
    "comment": ("comment", "private"),
    "urlinfo": ("urlinfo", "spring"),
    "isDynamic": ("is_dynamic", False),
    "isScheduleEnabled": ("is_schedule_enabled", True),
    "schedule": ("schedule", [EVENT]),
    "properties": ("properties", {"size": 5, "em": "Byte"}),
    "template": ("template", "brand"),
    "location": ("location", {"address": "Koper", "latitude": 45.5}),
    "tags": ("tags", ["shop"]),
    "fields": ("fields", {"City": "Graz"}),
    "rules": ("rules", [{"conditions": [{"type": "device", "matchValue": "ios"}], "content": "https://example.com"}]),
    "active": ("active", False),
    "validSince": ("valid_since", "2026-06-01T00:00:00Z"),
    "validUntil": ("valid_until", "2026-07-01T00:00:00Z"),
    "limit": ("limit", 100),
    "limitADay": ("limit_a_day", 10),
    "otherwise": ("otherwise", "Come back in June."),
    "password": ("password", "open sesame"),
    "passQuery": ("pass_query", False),
    "clickId": ("click_id", "qrkit_click"),
    "gs1": ("gs1", [{"links": [PAGE | {"linkType": f"gs1:{name}"} for name in ("pip", "defaultLink")]}]),
}


def refused(read, fields):
    """Names and codes of all that is wrong."""
    with pytest.raises(InvalidParameter) as caught:
        read(fields)
    return {one.name: one.code for one in caught.value.problems}


# A new QR Code --------------------------------------------------------------------------------------------------------


def test_every_field_is_read_under_its_python_name():
    sent = {name: value for name, (_, value) in WRITABLE.items()} | {"shortCode": "door", "scanMarker": False}
    assert read_qrcode(sent) == Fields(dict(WRITABLE.values()) | {"short_code": "door", "scan_marker": False}, [])
    assert {*sent, *READ_ONLY} == ALIASES


@pytest.mark.rule("T4")
def test_content_is_required_even_beside_other_wrong_fields():
    """Open: what must be sent. The content alone; and all that is wrong is told at once."""
    assert read_qrcode(CONTENT) == Fields(CONTENT, [])
    for fields in ({}, {"content": None}, {"content": ""}, {"name": "x"}):
        assert refused(read_qrcode, fields) == {"content": "missing-parameter"}
    assert refused(read_qrcode, {"properties": {"size": 99}, "location": {"latitude": 91}, "name": 5}) == {
        "content": "missing-parameter",
        "properties.size": "out-of-range",
        "location.latitude": "out-of-range",
        "name": "wrong-type",
    }


@pytest.mark.rule("T4")
@pytest.mark.parametrize("read", [read_qrcode, read_changes])
@pytest.mark.parametrize("value", [None, "", 5, "x", [], {"a": None}, True])
def test_read_only_fields_are_ignored_whatever_they_hold(read, value):
    """Open: a record that is sent back, or a wrong one. What the service makes is not even judged."""
    assert read(CONTENT | dict.fromkeys(READ_ONLY, value)) == Fields(CONTENT, [])


@pytest.mark.parametrize("nothing", [None, ""])
def test_nothing_and_empty_text_count_as_absent_in_a_new_code(nothing):
    parts = {"properties": {"size": nothing, "version": nothing}, "location": {"address": nothing}}
    assert read_qrcode(dict.fromkeys(ALIASES, nothing) | CONTENT) == Fields(CONTENT, [])
    assert read_qrcode(CONTENT | parts).values == CONTENT | {"properties": {}, "location": {}}


@pytest.mark.rule("H2")
@pytest.mark.parametrize("read", [read_qrcode, read_changes])
def test_unknown_fields_are_named_by_their_paths_and_left_out(read):
    """Open: names that nobody knows, also inside. They are told as a path, and nothing else happens."""
    fields = CONTENT | {
        "short_code": "python",
        "colour": None,
        "properties": {"size": 5, "sizes": 6},
        "location": {"": 1},
        "schedule": [EVENT | {"x": 1}, EVENT, EVENT | {"y.z": {}}],
    }
    found = read(fields)
    assert found.unknown == [
        "short_code", "colour", "properties.sizes", "location.", "schedule.0.x", "schedule.2.y.z",
    ]  # fmt: skip
    assert found.values == CONTENT | {"properties": {"size": 5}, "location": {}, "schedule": [EVENT] * 3}


@pytest.mark.parametrize("read", [read_qrcode, read_changes])
@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"name": 5}, {"name": "wrong-type"}),
        ({"content": ["x"]}, {"content": "wrong-type"}),
        ({"isDynamic": "perhaps"}, {"isDynamic": "wrong-type"}),
        ({"isScheduleEnabled": 5}, {"isScheduleEnabled": "wrong-type"}),
        ({"campaignId": 5}, {"campaignId": "wrong-type"}),
        ({"properties": "x"}, {"properties": "wrong-type"}),
        ({"properties": {"size": 0, "ec": "X"}}, {"properties.size": "out-of-range", "properties.ec": "bad-value"}),
        ({"properties": {"em": "auto"}}, {"properties.em": "bad-value"}),
        ({"location": [1]}, {"location": "wrong-type"}),
        ({"location": {"longitude": 181}}, {"location.longitude": "out-of-range"}),
        ({"schedule": {}}, {"schedule": "wrong-type"}),
        ({"schedule": ["x"]}, {"schedule.0": "wrong-type"}),
        ({"schedule": [EVENT, {"content": "a"}]}, {"schedule.1.date": "missing-parameter"}),
        ({"schedule": [EVENT | {"recurrence": 8}]}, {"schedule.0.recurrence": "out-of-range"}),
        ({"schedule": [EVENT] * 101}, {"schedule": "out-of-range"}),
        ({"comment": "\ud800"}, {"comment": "bad-content"}),
        ({"urlinfo": "x" * 32_768}, {"urlinfo": "out-of-range"}),
    ],
)
def test_wrong_fields_are_named_as_json_names_them(read, fields, wrong):
    assert refused(read, CONTENT | fields) == wrong


@pytest.mark.parametrize("read", [read_qrcode, read_changes])
@pytest.mark.parametrize(
    ("date", "hint"),
    [
        ("2026-02-30T00:00:00Z", "; 2026-02 has 28 days"), ("2027-02-29", "; 2027-02 has 28 days"),
        ("2026-02-01T24:00:00Z", ""), ("2026-06-30T23:59:60Z", ""), ("2026-13-01", ""), ("2026-1-5", ""),
        ("0000-01-01", ""), ("tomorrow", ""), (1767225600, ""), (True, ""),
    ],
)  # fmt: skip
def test_error_about_a_date_shows_the_format(read, date, hint):
    with pytest.raises(InvalidParameter) as caught:
        read(CONTENT | {"schedule": [EVENT | {"date": date}]})
    (one,) = caught.value.problems
    assert (one.name, one.value) == ("schedule.0.date", date)
    assert one.rule == f"must be a date and time as yyyy-MM-ddTHH:mm:ssZ{hint}"


@pytest.mark.parametrize("read", [read_qrcode, read_changes])
def test_error_about_a_choice_shows_it_as_it_was_sent(read):
    with pytest.raises(InvalidParameter, match=r"properties\.em='Kanji': .*; properties\.ec='high': "):
        read(CONTENT | {"properties": {"ec": "high", "em": "Kanji"}})


# Changes --------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("T5")
@pytest.mark.parametrize("name", WRITABLE)
def test_a_change_holds_what_was_sent_and_nothing_else(name):
    """Open: what a change without a field means. That it stays; nothing is filled in."""
    python, value = WRITABLE[name]
    assert read_changes({name: value}) == Fields({python: value}, [])
    assert read_changes({name: None}) == Fields({}, [])


@pytest.mark.rule("T5")
def test_empty_texts_empty_what_may_be_empty():
    """Open: "" in a change. It empties texts, takes out of a campaign, and names a code after its content."""
    sent = {"comment": "", "urlinfo": "", "campaignId": "", "name": ""}
    assert read_changes(sent).values == {"comment": "", "urlinfo": "", "campaign_id": "", "name": ""}
    assert refused(read_changes, {"content": ""}) == {"content": "out-of-range"}
    assert read_changes({"location": {"address": "", "latitude": ""}}).values == {"location": {"address": ""}}
    assert read_changes({"properties": {"version": "", "size": ""}}).values == {"properties": {}}
    assert read_changes({"schedule": []}).values == {"schedule": []}


@pytest.mark.rule("T5")
def test_single_fields_of_parts_stay_when_they_are_null():
    """Open: null inside a part. The field stays as it is, the others change."""
    parts = {
        "properties": {"size": None, "version": -1, "ec": "h"},
        "location": {"address": None, "latitude": 0, "longitude": None},
    }
    assert read_changes(parts).values == {
        "properties": {"version": -1, "ec": "h"},
        "location": {"latitude": 0},
    }


def test_a_short_code_is_not_changed_nor_unknown():
    assert read_changes({"shortCode": "other", "comment": "x"}) == Fields({"comment": "x"}, [])


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(sorted(ALIASES)) | st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
            max_leaves=6,
        ),
        max_size=6,
    )
)
def test_any_json_is_read_or_refused_with_names(fields):
    for read in (read_qrcode, read_changes):
        try:
            found = read(fields)
        except InvalidParameter as error:
            assert {one.name.partition(".")[0] for one in error.problems} <= ALIASES
        else:
            assert found.values.keys() <= QRCode.model_fields.keys()
            assert {name.partition(".")[0] for name in found.unknown}.isdisjoint({"content", "name", "comment"})


# Campaigns ------------------------------------------------------------------------------------------------------------


def test_a_campaign_has_a_name_and_perhaps_a_description():
    assert read_campaign({"name": "Spring"}) == Fields({"name": "Spring"}, [])
    assert read_campaign({"name": "a", "description": None}) == Fields({"name": "a"}, [])
    assert read_campaign({"name": "a", "description": ""}) == Fields({"name": "a", "description": ""}, [])
    utm = {"source": "poster", "term": "", "medium": None, "place": "x"}
    assert read_campaign({"name": "a", "utm": utm}) == Fields(
        {"name": "a", "utm": {"source": "poster", "term": ""}}, ["utm.place"]
    )
    assert read_campaign({"name": "a", "id": 5, "created": "x"}) == Fields({"name": "a"}, [])
    assert read_campaign({"name": "a", "Name": "b", "qrcodes": []}).unknown == ["Name", "qrcodes"]


@pytest.mark.parametrize("fields", [{}, {"name": None}, {"name": ""}, {"description": "x"}])
def test_a_campaign_without_a_name_is_refused(fields):
    with pytest.raises(MissingParameter) as caught:
        read_campaign(fields)
    assert (caught.value.name, caught.value.code) == ("name", "missing-parameter")


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"name": 5}, {"name": "wrong-type"}),
        ({"name": "a", "utm": 5}, {"utm": "wrong-type"}),
        ({"name": "a", "utm": {"term": "{who}"}}, {"utm.term": "bad-value"}),
        ({"name": "x" * 32_768}, {"name": "out-of-range"}),
        ({"name": [], "description": {}}, {"name": "wrong-type", "description": "wrong-type"}),
    ],
)
def test_wrong_fields_of_a_campaign_are_named(fields, wrong):
    assert refused(read_campaign, fields) == wrong


# Names ----------------------------------------------------------------------------------------------------------------


def test_errors_are_renamed_to_the_names_of_json():
    with pytest.raises(InvalidParameter) as caught, json_named():
        raise InvalidParameter(
            Problem("campaign_id", "x", "is none", "bad-value"),
            Problem("short_code", None, "was given"),
            Problem("location.latitude", 91, "is far", "out-of-range"),
            Problem("content", "", "is empty"),
        )
    assert [one.name for one in caught.value.problems] == ["campaignId", "shortCode", "location.latitude", "content"]
    assert str(caught.value).startswith("campaignId='x': is none; shortCode: was given")
    assert (caught.value.name, caught.value.code) == ("campaignId", "bad-value")


def test_without_an_error_names_are_left_alone_and_others_pass():
    with json_named():
        record = Campaign(id="", name="x", created=datetime(2026, 1, 1, tzinfo=UTC))
    assert isinstance(record, Model)
    with pytest.raises(KeyError), json_named():
        raise KeyError("campaign_id")
