import json
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Campaign, Color, Location, Properties, QRCode
from qrkit.errors import InvalidParameter
from qrkit.server.statuses import status_of
from qrkit.tracking.records import PLANS, Account, ScheduleEvent, Visit

some = settings(max_examples=40)
NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
LINKS = {"short_code": "abc123", "short_url": "https://go.example.com/abc123", "image_url": "https://go.example.com/x"}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
colors = st.builds(Color, *[st.integers(0, 255)] * 4)
properties = st.builds(
    Properties,
    size=st.integers(1, 20),
    version=st.none() | st.integers(1, 40),
    padding=st.integers(0, 20),
    em=st.sampled_from(["byte", "numeric", "alphanumeric"]),
    ec=st.sampled_from("LMQH"),
    foreground=colors,
    background=colors,
)
locations = st.builds(
    Location,
    address=texts,
    latitude=st.none() | st.floats(-90, 90),
    longitude=st.none() | st.floats(-180, 180),
)
events = st.builds(
    ScheduleEvent,
    content=texts.filter(bool),
    recurrence=st.integers(0, 7),
    date=st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),
)
codes = st.fixed_dictionaries(
    {
        "id": st.just("0" * 32),
        "campaign_id": st.none() | st.just("1" * 32),
        "name": texts,
        "content": texts.filter(bool),
        "comment": texts,
        "urlinfo": texts,
        "short_code": st.just("abc123"),
        "short_url": st.just("https://go.example.com/abc123"),
        "image_url": st.just("https://go.example.com/x"),
        "scans": st.integers(0, 2**53),
        "created": st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(
            lambda moment: moment.replace(microsecond=0)
        ),
        "properties": properties,
        "template": texts,
        "location": locations,
        "is_dynamic": st.booleans(),
        "is_schedule_enabled": st.booleans(),
        "schedule": st.lists(events, max_size=3).map(tuple),
    }
).map(lambda fields: QRCode(**fields))


@given(codes)
@some
def test_a_record_is_read_back_from_its_json(code):
    assert QRCode.from_json(code.to_json()) == code


@pytest.mark.rule("T3")
@given(codes)
@some
def test_json_has_no_null_and_a_capital_mode(code):
    """Open: how absent values are written. They are left out: a real client would print the word null."""
    written = json.loads(code.to_json())
    assert None not in [*written.values(), *written["properties"].values(), *written.get("location", {}).values()]
    assert ("campaignId" in written) == (code.campaign_id is not None)
    assert ("version" in written["properties"]) == (code.properties.version is not None)
    assert written["properties"]["em"] == code.properties.em.capitalize()
    assert code.properties.em in ("byte", "numeric", "alphanumeric")


@pytest.mark.rule("T15")
@given(codes)
@some
def test_json_has_no_empty_text_and_no_empty_object(code):
    """A fact: a client that finds a location expects numbers in it, and ends where there are none."""
    for text in (code.to_json(), code.to_list_json()):
        written = json.loads(text)
        assert not {name for name, one in written.items() if one in ("", {})} - {"name"}
        assert "" not in written.get("location", {}).values()
    written = json.loads(code.to_json())
    for name in ("comment", "urlinfo", "location"):
        assert (name in written) == (name in code.given())


@pytest.mark.rule("T15")
def test_a_campaign_without_a_description_has_none_in_json():
    campaign = Campaign(id="0" * 32, name="Spring", created=NOON.replace(microsecond=0))
    assert json.loads(campaign.to_json()).keys() == {"id", "name", "created"}
    assert Campaign.from_json(campaign.to_json()) == campaign


def test_json_speaks_the_words_of_the_interface():
    code = QRCode(id="0" * 32, campaign_id="1" * 32, name="Door", content="https://example.com", created=NOON, **LINKS)
    assert json.loads(code.to_json()) == {
        "id": "0" * 32,
        "campaignId": "1" * 32,
        "name": "Door",
        "content": "https://example.com",
        "shortCode": "abc123",
        "shortUrl": "https://go.example.com/abc123",
        "imageUrl": "https://go.example.com/x",
        "scans": 0,
        "created": "2026-03-01T12:00:00Z",
        "properties": {
            "size": 8,
            "padding": 4,
            "em": "Byte",
            "ec": "M",
            "foreground": "#FF000000",
            "background": "#FFFFFFFF",
        },
        "isDynamic": True,
        "isAvailable": True,
        "isScheduleEnabled": False,
        "schedule": [],
    }


@pytest.mark.rule("T13")
def test_a_record_that_the_plan_does_not_show_has_four_fields_in_json():
    """A fact: such records show only id, name, created and isAvailable, so clients meet no empty content."""
    code = QRCode(id="0" * 32, name="Door", created=NOON, is_available=False)
    shown = {"id": "0" * 32, "name": "Door", "created": "2026-03-01T12:00:00Z", "isAvailable": False}
    assert json.loads(code.to_json()) == shown
    assert code.to_json(indent=2).startswith('{\n  "id"')
    assert QRCode.from_json(code.to_json()) == code.replace(created=NOON.replace(microsecond=0))


def test_a_record_that_is_shown_has_content():
    with pytest.raises(InvalidParameter, match="content: must not be empty") as caught:
        QRCode(id="0" * 32, name="Door", created=NOON)
    assert caught.value.code == "out-of-range"


def test_properties_take_any_case_and_minus_one_for_automatic():
    found = Properties(version=-1, em="Alphanumeric", ec="h", foreground="#800B3D91", background="white")
    assert (found.version, found.em, found.ec) == (None, "alphanumeric", "H")
    assert (found.foreground.argb, found.background.argb) == ("#800B3D91", "#FFFFFFFF")


def test_properties_of_a_tracked_code_cannot_be_auto_because_its_image_url_could_not_say_so():
    with pytest.raises(InvalidParameter, match="em='auto': must be one of 'byte', 'numeric' or 'alphanumeric'"):
        Properties(em="auto")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"latitude": 90.01}, "latitude"),
        ({"latitude": float("nan")}, "latitude"),
        ({"longitude": -180.5}, "longitude"),
        ({"longitude": float("inf")}, "longitude"),
        ({"address": "x" * 32_768}, "address"),
    ],
)
def test_a_place_off_the_earth_is_refused(fields, name):
    with pytest.raises(InvalidParameter) as caught:
        Location(**fields)
    assert (caught.value.name, caught.value.code) == (name, "out-of-range")


def test_a_campaign_needs_a_name_and_keeps_its_moment_in_utc():
    east = datetime(2026, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    assert Campaign(id="0" * 32, name="Spring", created=east).created == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert Campaign(id="0" * 32, name="Spring", created=datetime(2026, 3, 1, 12)).created.tzinfo is UTC
    with pytest.raises(InvalidParameter, match="name='': must not be empty"):
        Campaign(id="0" * 32, name="", created=NOON)


def test_records_cannot_be_changed_behind_our_back():
    code = QRCode(id="0" * 32, name="Door", content="x", created=NOON, **LINKS)
    with pytest.raises(ValueError, match="frozen"):
        code.name = "Window"
    with pytest.raises(FrozenInstanceError):
        Account("0" * 32, "local", "premium").plan = "free"
    assert code.replace(name="Window").name == "Window"
    assert code.name == "Door"


@pytest.mark.rule("T10")
def test_a_visit_has_no_room_for_an_address():
    """Open: what is kept of a visitor. Nothing that leads back to a person: the record has no field for an address."""
    assert set(Visit.__slots__) == {
        *("time", "kind", "short_code", "qrcode", "content", "user_agent", "referrer", "language", "visitor", "place"),
        *("via", "lot", "serial", "link_type", "variant", "split", "conversion"),
    }


def test_larger_plans_allow_more_and_the_free_one_no_exchange():
    free, pro, premium = PLANS["free"], PLANS["pro"], PLANS["premium"]
    assert free.most_qrcodes < pro.most_qrcodes < premium.most_qrcodes
    assert free.requests_a_day < pro.requests_a_day < premium.requests_a_day
    assert [plan.may_exchange for plan in (free, pro, premium)] == [False, True, True]


@pytest.mark.parametrize("created", [0, 1_772_443_800, "1772443800", "", "0001-01-01T00:00:00+02:00"])
def test_a_record_is_made_at_a_moment_that_says_its_day(created):
    """Numbers do not say whether they are seconds or milliseconds."""
    with pytest.raises(InvalidParameter) as caught:
        Campaign(id="0" * 32, name="Spring", created=created)
    assert (caught.value.name, status_of(caught.value)) == ("created", 400)


@pytest.mark.rule("X5")
@pytest.mark.parametrize(
    ("is_dynamic", "short_url", "text"),
    [(True, "https://a.example/a", "https://a.example/a"), (True, "", "x"), (False, "https://a.example/a", "x")],
)
def test_a_picture_says_the_short_url_of_a_dynamic_code_and_the_content_of_others(is_dynamic, short_url, text):
    """Open: what is drawn of a code. Its short URL, where it is dynamic and has one; else its content."""
    code = QRCode(id="0" * 32, name="Door", content="x", created=NOON, is_dynamic=is_dynamic, short_url=short_url)
    assert code.encoded == text
