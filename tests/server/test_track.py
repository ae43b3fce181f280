"""Endpoints 3 to 10: QR Codes and campaigns over HTTP, when things go right."""

import json
import re
from datetime import UTC, datetime
from urllib.parse import urlencode, urlsplit
from uuid import UUID
from wsgiref.validate import validator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Portfolio, open_portfolio
from qrkit.portfolio.access import create_account, create_key, get_account
from qrkit.server import Client, Settings, make_app
from qrkit.store import Scans
from qrkit.tracking.records import PLANS
from qrkit.tracking.short_urls import new_id

API = "/api/v3"
BASE_URL = "https://go.example.com"
TARGET = "https://example.com/spring"
NOON = datetime(2026, 3, 14, 12, 0, 0, 123_456, tzinfo=UTC)
QUIET = Settings(base_url=BASE_URL, generates_a_minute=0, unknown_codes_a_minute=0)
TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
FREE = PLANS["free"].most_qrcodes


def nulls(value, path=""):
    """Where there is a null in a JSON value."""
    if value is None:
        return [path]
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for name, one in members for found in nulls(one, f"{path}/{name}")]


class Api:
    """Asks the track endpoints with one key; every reply must be a success, and every JSON in it without null."""

    def __init__(self, client, key):
        self.client, self.key = client, key

    @classmethod
    def of_somebody(cls, shop, client, plan="premium"):
        """Of an account of its own, so that tests do not meet."""
        return cls(client, create_key(shop.store, create_account(shop.store, new_id(), plan=plan)))

    def send(self, method, path, body=None, headers=None, **query):
        """Any request; gives the reply, whatever it is."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        asked = urlencode({**query, "auth": self.key})
        return self.client.request(method, f"{API}/track/{path}", query=asked, body=data, headers=headers)

    def ask(self, method, path, body=None, **query):
        """A request that succeeds."""
        reply = self.send(method, path, body, **query)
        assert reply.status == 200, reply.text
        assert "x-api-error" not in reply.headers
        assert "x-ratelimit-remaining" in reply.headers
        if reply.headers["content-type"].startswith("application/json"):
            assert nulls(reply.json()) == []
        return reply

    def code(self, id):
        return self.ask("GET", f"qrcode/{id}").json()

    def campaign(self, id):
        return self.ask("GET", f"campaign/{id}").json()

    def add(self, content=TARGET, **fields):
        """Insert a QR Code; gives its id."""
        return self.ask("POST", "qrcode", {"content": content, **fields}).json()["id"]

    def add_campaign(self, name="Spring", **fields):
        return self.ask("POST", "campaign", {"name": name, **fields}).json()["id"]

    def put(self, id, /, **fields):
        reply = self.ask("PUT", f"qrcode/{id}", fields)
        assert_is_empty(reply)
        return reply

    def all(self):
        return self.ask("GET", "list").json()


def assert_is_empty(reply):
    """Headers only (interface.md, "Errors", 2)."""
    assert (reply.status, reply.body, reply.headers["content-length"]) == (200, b"", "0")


def assert_missing(reply):
    assert (reply.status, reply.headers["x-api-error-code"]) == (404, "not-found")


@pytest.fixture(scope="module")
def client(shop):
    """One whose clock stands still."""
    return Client(validator(make_app(shop.store, QUIET, clock=lambda: NOON)))


@pytest.fixture(scope="module")
def api(shop, client):
    return Api.of_somebody(shop, client)


# Insert and read ------------------------------------------------------------------------------------------------------

EVERYTHING = {
    "name": "Door",
    "content": "https://example.com/spring?a=b&c=d",
    "comment": "near the stairs\n'quoted', \"twice\" \u202e🌷",
    "urlinfo": "Spring window, für uns",
    "properties": {
        "size": 5, "version": 9, "padding": 0, "em": "BYTE", "ec": "h", "foreground": "navy", "background": "#80ffffff",
    },
    "location": {"address": "Koper, Slovenia", "latitude": 45.5469, "longitude": -13.25},
    "isScheduleEnabled": True,
    "schedule": [
        {"content": "https://example.com/june", "recurrence": 0, "date": "2026-06-01T00:00:00Z"},
        {"content": "https://example.com/fridays", "recurrence": 5, "date": "2026-06-05T10:30:00+02:00"},
    ],
}  # fmt: skip


@pytest.mark.rule("T2", "T3")
def test_a_record_comes_back_as_it_was_sent_in_the_words_of_the_interface(api):
    """Open: spellings that differ. Colours with alpha, em with a capital, ec in capitals, moments in UTC."""
    campaign = api.add_campaign()
    made = api.ask("POST", "qrcode", EVERYTHING | {"campaignId": campaign, "shortCode": "full", "isDynamic": True})
    assert made.headers["content-type"] == "application/json; charset=utf-8"
    assert "x-api-warning" not in made.headers
    reply = api.ask("GET", f"qrcode/{made.json()['id']}")
    assert made.json() == {name: reply.json()[name] for name in ("id", "created", "shortUrl", "imageUrl")}
    assert reply.headers["content-type"] == "application/json; charset=utf-8"
    found = reply.json()
    url = f"{BASE_URL}/full/spring-window-f%C3%BCr-uns"
    drawn = urlencode({"content": f"{url}?q", "size": 5, "version": 9, "padding": 0, "ec": "H"}).replace("+", "%20")
    drawn += "&foreground=%23FF000080&background=%2380FFFFFF"
    assert found == EVERYTHING | {
        "id": made.json()["id"],
        "campaignId": campaign,
        "shortCode": "full",
        "shortUrl": url,
        "imageUrl": f"{BASE_URL}{API}/generate?{drawn}",
        "scans": 0,
        "created": "2026-03-14T12:00:00Z",
        "isDynamic": True,
        "scanMarker": True,
        "isAvailable": True,
        "properties": EVERYTHING["properties"]
        | {"em": "Byte", "ec": "H", "foreground": "#FF000080", "background": "#80FFFFFF"},
        "schedule": [EVERYTHING["schedule"][0], EVERYTHING["schedule"][1] | {"date": "2026-06-05T08:30:00Z"}],
    }
    assert made.json()["created"] == found["created"]


KINDS = {
    "id": str, "campaignId": str, "name": str, "content": str, "comment": str, "urlinfo": str, "shortUrl": str,
    "imageUrl": str, "scans": int, "created": str, "properties": dict, "location": dict, "isAvailable": bool,
    "isScheduleEnabled": bool, "schedule": list,
}  # fmt: skip
OF_PROPERTIES = {
    "size": int, "version": int, "padding": int, "em": str, "ec": str, "foreground": str, "background": str,
}  # fmt: skip


@pytest.mark.rule("T3")
def test_a_record_has_every_field_of_the_interface_with_its_kind(api):
    """Open: how values are written. As the interface's tables say; numbers are numbers, moments end in Z."""
    found = api.code(api.add(**(EVERYTHING | {"campaignId": api.add_campaign()})))
    assert {name: type(found[name]) for name in KINDS} == KINDS
    assert {name: type(value) for name, value in found["properties"].items()} == OF_PROPERTIES
    assert {name: type(value) for name, value in found["location"].items()} == {
        "address": str, "latitude": float, "longitude": float,
    }  # fmt: skip
    for event in found["schedule"]:
        assert {name: type(value) for name, value in event.items()} == {"content": str, "recurrence": int, "date": str}
        assert TIMESTAMP.fullmatch(event["date"])
    assert TIMESTAMP.fullmatch(found["created"])
    assert re.fullmatch("[0-9a-f]{32}", found["id"])


@pytest.mark.rule("T3", "T1", "T15")
def test_what_is_absent_is_left_out_and_never_null(api):
    """A fact: a client prints what it gets, "null" too. Whatever has no value is not there at all."""
    id = api.add()
    found = api.code(id)
    assert not {"campaignId", "comment", "urlinfo", "location"} & found.keys()
    assert "version" not in found["properties"]
    assert found["properties"] == {
        "size": 8, "padding": 4, "em": "Byte", "ec": "M", "foreground": "#FF000000", "background": "#FFFFFFFF",
    }  # fmt: skip
    assert (found["scans"], found["isAvailable"], found["isScheduleEnabled"], found["schedule"]) == (0, True, False, [])
    assert re.fullmatch(rf"{BASE_URL}/[1-9A-HJ-NP-Za-km-z]{{6}}", found["shortUrl"])
    bare = api.add_campaign("Bare")
    assert api.campaign(bare) == {"id": bare, "name": "Bare", "created": "2026-03-14T12:00:00Z"}


@pytest.mark.rule("T3", "T4")
def test_nulls_and_empty_texts_that_are_sent_count_as_absent(api):
    """Open: null on insert. As if it was not there: some clients send every field they know."""
    sent = dict.fromkeys([*KINDS, "shortCode", "isDynamic"]) | {"content": TARGET}
    found = api.code(api.add(**sent))
    assert (found["name"], found["content"]) == (TARGET, TARGET)
    parts = {"properties": dict.fromkeys(OF_PROPERTIES), "location": {"address": None, "latitude": None}}
    empty = dict.fromkeys(("name", "comment", "urlinfo", "campaignId", "shortCode"), "")
    other = api.code(api.add(TARGET, **(parts | empty)))
    for name in ("name", "properties", "schedule", "isScheduleEnabled"):
        assert other[name] == found[name]
    assert not {"comment", "urlinfo", "location"} & (found.keys() | other.keys())
    assert "campaignId" not in other


@pytest.mark.rule("T4")
@pytest.mark.parametrize(
    ("content", "name"),
    [
        (TARGET, TARGET),
        ("first\nsecond\r\nthird", "first second third"),
        ("x" * 101, "x" * 100),
        ("ab\n" * 60, ("ab " * 60)[:100]),
        ("🌷" * 120, "🌷" * 100),
        ("  blanks stay  ", "  blanks stay  "),
        ("\n", " "),
    ],
)
def test_a_code_without_a_name_is_called_after_its_content(api, content, name):
    """A fact: a missing name is the content, newlines as spaces. Cut at 100 characters."""
    for fields in ({}, {"name": None}, {"name": ""}):
        found = api.code(api.add(content, **fields))
        assert (found["name"], found["content"]) == (name, content)


@pytest.mark.rule("T4")
def test_what_is_read_only_is_ignored_on_insert_and_on_update(api):
    """Open: which fields are read-only. Those the service makes; a client may send a whole record back."""
    sent = {"id": "0" * 32, "shortUrl": "https://evil.example/x", "imageUrl": 5, "scans": 99, "created": "yesterday"}
    sent["isAvailable"] = False
    reply = api.ask("POST", "qrcode", sent | {"content": TARGET})
    before = api.code(reply.json()["id"])
    assert "x-api-warning" not in reply.headers
    for name, value in sent.items():
        assert before[name] != value
    assert (before["created"], before["scans"], before["isAvailable"]) == ("2026-03-14T12:00:00Z", 0, True)
    assert "x-api-warning" not in api.put(before["id"], **sent).headers
    assert "shortCode" in api.put(before["id"], **sent, shortCode="other").headers["x-api-warning"]
    assert api.code(before["id"]) == before


@pytest.mark.rule("T4", "T5")
def test_a_record_that_was_read_can_be_sent_back(api):
    """Open: what a client may do with a record. Change a field of it and put it whole."""
    before = api.code(api.add(**(EVERYTHING | {"campaignId": api.add_campaign()})))
    assert "x-api-warning" not in api.put(before["id"], **(before | {"comment": "changed"})).headers
    assert api.code(before["id"]) == before | {"comment": "changed"}
    reply = api.ask("POST", "qrcode", {name: value for name, value in before.items() if name != "shortCode"})
    again = api.code(reply.json()["id"])
    made = {"id", "shortCode", "shortUrl", "imageUrl"}
    assert {name: again[name] for name in again.keys() - made} == {name: before[name] for name in before.keys() - made}
    assert not [name for name in made if again[name] == before[name]]


@pytest.mark.rule("H2")
def test_unknown_fields_are_ignored_and_named_with_their_paths(api):
    """Open: fields that nobody knows. They pass, and are named in a header, so that a slip can be found."""
    sent = {
        "colour": "red",
        "größe": 1,
        "properties": {"sizes": 1, "size": 3},
        "location": {"lat": 1},
        "schedule": [
            {"content": "a", "date": "2026-01-01T00:00:00Z"},
            {"content": "b", "date": "2026-01-01T00:00:00Z", "repeat": None},
        ],
    }
    names = "colour, gr%C3%B6%C3%9Fe, properties.sizes, location.lat, schedule.1.repeat"
    reply = api.ask("POST", "qrcode", {"content": TARGET} | sent)
    assert reply.headers["x-api-warning"] == f"unknown fields were ignored: {names}"
    id = reply.json()["id"]
    assert api.put(id, **sent).headers["x-api-warning"] == f"unknown fields were ignored: {names}"
    found = api.code(id)
    assert (found["properties"]["size"], len(found["schedule"])) == (3, 2)
    made = api.ask("POST", "campaign", {"name": "Spring", "colour": 1})
    assert made.headers["x-api-warning"] == "unknown fields were ignored: colour"
    put = api.ask("PUT", f"campaign/{made.json()['id']}", {"name": "Summer", "a b": 1, "id": "x"})
    assert put.headers["x-api-warning"] == "unknown fields were ignored: a b"
    assert "X-Api-Warning" in put.headers["access-control-expose-headers"]


def test_error_about_a_missing_field_names_the_unknown_ones(api):
    told = api.send("POST", "qrcode", {"Content": TARGET})
    assert (told.status, told.headers["x-api-error-code"]) == (400, "missing-parameter")
    assert told.headers["x-api-error"] == "content: is required; unknown fields were ignored: Content"
    told = api.send("POST", "campaign", {"Name": "Spring"})
    assert told.headers["x-api-error"] == "name: is required; unknown fields were ignored: Name"


@pytest.mark.rule("T1")
def test_an_id_may_be_written_as_a_guid(api):
    campaign = api.ask("POST", "campaign", {"name": "Guid"}).json()["id"]
    made = api.ask("POST", "qrcode", {"content": TARGET, "campaignId": str(UUID(campaign)).upper()}).json()["id"]
    assert api.code(made)["campaignId"] == campaign
    assert api.ask("GET", f"qrcode/{made.upper()}").json()["id"] == made
    assert api.ask("GET", f"qrcode/{UUID(made)}").json()["id"] == made
    api.put(made, campaignId="")
    api.put(made, campaignId=campaign.upper())
    assert api.code(made)["campaignId"] == campaign
    api.ask("DELETE", f"campaign/{UUID(campaign)}")
    assert api.send("GET", f"qrcode/{made}").status == 404


@pytest.mark.rule("H2")
def test_unknown_query_parameters_are_ignored(api):
    """A fact: plug-ins name themselves in the query. Open: whether that is told. A header names them."""
    id = api.ask("POST", "qrcode", {"content": TARGET}, source="blender", content="other").json()["id"]
    reply = api.ask("GET", f"qrcode/{id}", source="blender")
    assert reply.json()["content"] == TARGET
    assert reply.headers["x-api-warning"] == "unknown parameters were ignored: source"
    assert "x-api-warning" not in api.ask("GET", f"qrcode/{id}").headers
    key = f"qk_{'a' * 43}"
    told = api.ask("PUT", f"qrcode/{id}", {"mood": 1}, **{key: "1", "x" * 50: "1"}).headers["x-api-warning"]
    assert told == f"unknown fields were ignored: mood; unknown parameters were ignored: qk_..., {'x' * 40}..."


def test_parameters_of_a_route_are_known(api):
    known = [
        ("GET", "list", None, {"limit": 1}),
        ("GET", "export.zip", None, {"format": "svg"}),
        ("GET", "export.csv", None, {"raw": "true"}),
        ("POST", "import", [], {"format": "json"}),
        ("DELETE", f"campaign/{api.add_campaign()}", None, {"keep": "true"}),
    ]
    for method, path, body, query in known:
        assert "x-api-warning" not in api.ask(method, path, body, **query).headers, path


def test_a_short_code_that_cannot_change_is_told_unless_it_is_the_same(api):
    id = api.ask("POST", "qrcode", {"content": TARGET, "shortCode": "tellme"}).json()["id"]
    reply = api.put(id, shortCode="other")
    assert reply.headers["x-api-warning"].startswith("shortCode was ignored; it cannot change")
    assert api.code(id)["shortCode"] == "tellme"
    for same in (api.code(id), {"shortCode": ""}, {"shortCode": None}):
        assert "x-api-warning" not in api.put(id, **same).headers


@pytest.mark.rule("H1", "H4")
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "image/png", ""])
def test_json_is_read_whatever_it_is_called(api, kind):
    """A fact: a client posts JSON as application/x-www-form-urlencoded."""
    headers = {"Content-Type": kind}
    body = json.dumps({"content": "https://example.com/?a=1&b=2+3%20", "name": "ž"}, ensure_ascii=False).encode()
    made = api.send("POST", "qrcode", body, headers=headers)
    assert made.status == 200
    assert api.send("PUT", f"qrcode/{made.json()['id']}", b'{"comment": "a=b&c"}', headers=headers).status == 200
    found = api.code(made.json()["id"])
    assert (found["content"], found["name"], found["comment"]) == ("https://example.com/?a=1&b=2+3%20", "ž", "a=b&c")


@pytest.mark.parametrize("how", ["auth", "Bearer", "bearer"])
def test_a_key_opens_the_endpoints_as_a_parameter_and_as_a_bearer_token(api, how):
    id = api.add()
    headers = {} if how == "auth" else {"Authorization": f"{how} {api.key}"}
    query = f"auth={api.key}" if how == "auth" else ""
    reply = api.client.request("GET", f"{API}/track/qrcode/{id}", query=query, headers=headers)
    assert (reply.status, reply.json()["id"]) == (200, id)
    assert reply.headers["cache-control"] == "no-store"
    assert api.key not in reply.text + repr(reply.headers)


# Update ---------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("T5")
@pytest.mark.parametrize(
    "change",
    [
        {},
        dict.fromkeys(["campaignId", *EVERYTHING]),
        {"properties": {}, "location": {}},
        {"properties": dict.fromkeys(OF_PROPERTIES), "location": dict.fromkeys(["address", "latitude", "longitude"])},
        {"properties": {"size": "", "version": "", "ec": ""}, "location": {"latitude": ""}},
    ],
    ids=["nothing", "null", "empty parts", "null in parts", "empty text in parts"],
)
def test_what_is_absent_or_null_stays_as_it_is(api, change):
    """Open: how far down. To single fields of properties and location."""
    id = api.add(**(EVERYTHING | {"campaignId": api.add_campaign()}))
    before = api.code(id)
    api.put(id, **change)
    assert api.code(id) == before


@pytest.mark.rule("T5")
@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("properties", "size", 20),
        ("properties", "version", 40),
        ("properties", "padding", 20),
        ("properties", "ec", "L"),
        ("properties", "foreground", "#01020304"),
        ("properties", "background", "#00000000"),
        ("location", "address", "Trieste"),
        ("location", "latitude", 0.0),
        ("location", "longitude", 180.0),
    ],
)
def test_a_single_field_of_a_part_changes_alone(api, part, field, value):
    """Open: a part with one field in it. That field changes, the others stay."""
    id = api.add(**EVERYTHING)
    before = api.code(id)
    api.put(id, **{part: {field: value}})
    found = api.code(id)
    assert found[part] == before[part] | {field: value}
    assert {**found, part: 0, "imageUrl": 0} == {**before, part: 0, "imageUrl": 0}
    assert (found["imageUrl"] != before["imageUrl"]) == (part == "properties")


@pytest.mark.rule("T5")
@pytest.mark.parametrize("automatic", [-1, 0])
def test_a_version_goes_back_to_automatic(api, automatic):
    """Open: how a version is taken away. By -1, as records of old write automatic; null would leave it."""
    id = api.add(properties={"version": 9})
    api.put(id, properties={"version": None})
    assert api.code(id)["properties"]["version"] == 9
    api.put(id, properties={"version": automatic})
    assert "version" not in api.code(id)["properties"]
    assert "version" not in api.code(id)["imageUrl"]
    assert "version" not in api.code(api.add(properties={"version": automatic}))["properties"]


@pytest.mark.rule("T5")
def test_a_code_moves_by_campaign_id_alone_and_out_by_an_empty_one(api):
    """A fact: to move a code, send campaignId alone. Open: out of any campaign is ""."""
    spring, summer = api.add_campaign("Spring"), api.add_campaign("Summer")
    id = api.add(**(EVERYTHING | {"campaignId": spring}))
    before = api.code(id)
    api.put(id, campaignId=summer)
    assert api.code(id) == before | {"campaignId": summer}
    api.put(id, campaignId=None)
    assert api.code(id)["campaignId"] == summer
    api.put(id, campaignId="")
    assert api.code(id) == {name: value for name, value in before.items() if name != "campaignId"}
    api.put(id, campaignId="")
    api.put(id, campaignId=spring)
    assert api.code(id) == before


@pytest.mark.rule("T5")
def test_a_schedule_is_replaced_whole_and_emptied_by_an_empty_list(api):
    """Open: how a list is changed. Whole: events have no name by which one of them could be."""
    id = api.add(**EVERYTHING)
    one = {"content": "https://example.com/july", "recurrence": 0, "date": "2026-07-01T00:00:00Z"}
    api.put(id, schedule=[one])
    assert api.code(id)["schedule"] == [one]
    assert api.code(id)["isScheduleEnabled"] is True
    api.put(id, isScheduleEnabled=False)
    assert (api.code(id)["schedule"], api.code(id)["isScheduleEnabled"]) == ([one], False)
    api.put(id, schedule=[])
    assert api.code(id)["schedule"] == []


@pytest.mark.rule("T5", "T15")
def test_empty_texts_empty_what_may_be_empty_and_an_empty_name_is_the_content(api):
    """Open: "" on update. It empties a comment, a tail and an address; a code is never without a name."""
    id = api.add(**EVERYTHING)
    before = api.code(id)
    api.put(id, comment="", urlinfo="", name="", location={"address": ""})
    found = api.code(id)
    assert not {"comment", "urlinfo"} & found.keys()
    assert found["name"] == EVERYTHING["content"]
    assert found["location"] == {name: before["location"][name] for name in ("latitude", "longitude")}
    assert found["shortUrl"] == f"{BASE_URL}/{before['shortCode']}"
    assert found["properties"] == before["properties"]
    api.put(id, name="", content="https://example.com/other")
    assert api.code(id)["name"] == "https://example.com/other"


@pytest.mark.rule("T2", "X5")
def test_a_code_becomes_static_and_dynamic_again(api):
    """Open: a field that the interface's files have and its records lack. `isDynamic`, on insert and update."""
    id = api.add("hello", isDynamic=False)
    static = api.code(id)
    assert (static["isDynamic"], static["imageUrl"]) == (False, f"{BASE_URL}{API}/generate?content=hello")
    api.put(id, isDynamic=True)
    assert api.code(id)["imageUrl"].endswith("content=" + static["shortUrl"].replace(":", "%3A").replace("/", "%2F"))


MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda one: one.isoformat(timespec="seconds"))
EVENTS = st.fixed_dictionaries(
    {"content": st.sampled_from([TARGET, "tel:+39040", "a\nb"]), "date": MOMENTS.map(lambda text: f"{text}Z")},
    optional={"recurrence": st.integers(0, 7)},
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
COLORS = st.integers(0, 2**32 - 1).map(lambda number: f"#{number:08X}")


def optional(**fields):
    """Any of these fields, each of them or null."""
    return st.fixed_dictionaries({}, optional={name: st.none() | value for name, value in fields.items()})


CHANGES = optional(
    name=TEXTS,
    content=TEXTS.filter(bool),
    comment=TEXTS,
    urlinfo=st.sampled_from(["", "spring", "Für uns", "…"]),
    campaignId=st.sampled_from(["", "0", "1"]),
    isDynamic=st.booleans(),
    isScheduleEnabled=st.booleans(),
    schedule=st.lists(EVENTS, max_size=3),
    location=optional(
        address=TEXTS, latitude=st.floats(-90, 90).map(abs), longitude=st.sampled_from([-180.0, -13.25, 0.0, 180.0])
    ),
    properties=optional(
        size=st.integers(1, 20),
        padding=st.integers(0, 20),
        version=st.sampled_from([-1, 12, 40]),
        ec=st.sampled_from("LMQH"),
        foreground=COLORS,
        background=COLORS,
    ),
)


def changed(record, change):
    """A record after a PUT, by rulings T5 and T15 in plain words."""
    found = dict(record)
    for name, value in change.items():
        if value is None:
            continue
        if name in ("properties", "location"):
            found[name] = found.get(name, {}) | {one: new for one, new in value.items() if new is not None}
            if found[name].get("version") == -1:
                del found[name]["version"]
        elif name == "schedule":
            found[name] = [{"recurrence": 0} | event for event in value]
        elif (name, value) == ("campaignId", ""):
            found.pop(name, None)
        elif (name, value) != ("name", ""):
            found[name] = value
    if change.get("name") == "":
        found["name"] = " ".join(found["content"].splitlines())[:100]
    found["location"] = {name: value for name, value in found.get("location", {}).items() if value != ""}
    return {name: value for name, value in found.items() if value not in ("", {})}


@pytest.mark.slow
@pytest.mark.rule("T5")
@settings(max_examples=20)
@given(changes=st.lists(CHANGES, min_size=1, max_size=4))
def test_any_updates_do_what_a_plain_dictionary_does(api, changes):
    """Open: what a row of updates comes to. What they say, field by field; nothing else moves."""
    campaigns = [api.add_campaign(name) for name in ("Spring", "Summer")]
    expected = api.code(api.add(**EVERYTHING))
    for change in changes:
        if change.get("campaignId"):
            change = change | {"campaignId": campaigns[int(change["campaignId"])]}
        api.put(expected["id"], **change)
        found, expected = api.code(expected["id"]), changed(expected, change)
        for follows in ("shortUrl", "imageUrl"):
            expected[follows] = found[follows]
        assert found == expected
        assert found["shortUrl"].startswith(f"{BASE_URL}/{found['shortCode']}")


# Delete ---------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("T6")
def test_a_deleted_code_is_gone_for_good(api):
    """Open: what a printed code does after its record is deleted. 410, which says that it was one once."""
    id = api.add()
    code = api.code(id)["shortCode"]
    assert api.client.get(f"/{code}").status == 302
    assert_is_empty(api.ask("DELETE", f"qrcode/{id}"))
    for path in (f"/{code}", f"/{code}/tail", f"/{code}.png", f"/{code}.svg", f"/{code}+"):
        reply = api.client.get(path)
        assert (reply.status, reply.headers["x-api-error-code"]) == (410, "gone")
    assert id not in [one["id"] for one in api.all()["qrcodes"]]
    for method, path in (("DELETE", "qrcode"), ("GET", "qrcode"), ("PUT", "qrcode"), ("GET", "statistics")):
        assert_missing(api.send(method, f"{path}/{id}{'.json' if path == 'statistics' else ''}", {}))
    again = api.send("POST", "qrcode", {"content": TARGET, "shortCode": code})
    assert (again.status, again.json()["errors"][0]["pointer"]) == (400, "/shortCode")


@pytest.mark.rule("T6", "H5")
@pytest.mark.parametrize("keep", ["true", "TRUE", "True", "1", "false", "FALSE", "0", "", None])
def test_a_deleted_campaign_takes_its_codes_along_unless_they_are_kept(api, keep):
    """Open: spelling of keep. true, false in any case, 1, 0; empty is absent."""
    campaign, other = api.add_campaign("Spring"), api.add_campaign("Summer")
    ids = [api.add(campaignId=campaign) for _ in range(3)]
    elsewhere = api.add(campaignId=other)
    before = [api.code(id) for id in ids]
    reply = api.ask("DELETE", f"campaign/{campaign}", **({} if keep is None else {"keep": keep}))
    assert_is_empty(reply)
    assert_missing(api.send("GET", f"campaign/{campaign}"))
    assert_missing(api.send("DELETE", f"campaign/{campaign}"))
    assert api.code(elsewhere)["campaignId"] == other
    if keep and keep.lower() in ("true", "1"):
        assert [api.code(id) | {"campaignId": campaign} for id in ids] == before
        assert not [id for id in ids if "campaignId" in api.code(id)]
        status = 302
    else:
        for id in ids:
            assert_missing(api.send("GET", f"qrcode/{id}"))
        status = 410
    assert {api.client.get(f"/{one['shortCode']}").status for one in before} == {status}


# Campaigns ------------------------------------------------------------------------------------------------------------


def test_a_campaign_is_made_read_changed_and_deleted(api):
    made = api.ask("POST", "campaign", {"name": "Spring, für uns", "description": "stickers\n2026"}).json()
    assert made.keys() == {"id", "created"}
    assert re.fullmatch("[0-9a-f]{32}", made["id"])
    expected = {**made, "name": "Spring, für uns", "description": "stickers\n2026"}
    assert api.campaign(made["id"]) == expected
    assert expected["created"] == "2026-03-14T12:00:00Z"
    for change in ({"name": "Summer"}, {"name": "Autumn", "description": None}, {"name": "A", "description": "new"}):
        assert_is_empty(api.ask("PUT", f"campaign/{made['id']}", change))
        expected |= {name: value for name, value in change.items() if value is not None}
        assert api.campaign(made["id"]) == expected
    api.ask("PUT", f"campaign/{made['id']}", {"name": "A", "description": ""})
    assert "description" not in api.campaign(made["id"])
    sent = {"id": "0" * 32, "created": "never", "name": "B"}
    api.ask("PUT", f"campaign/{made['id']}", sent)
    assert api.campaign(made["id"])["created"] == "2026-03-14T12:00:00Z"
    api.ask("DELETE", f"campaign/{made['id']}")
    assert_missing(api.send("GET", f"campaign/{made['id']}"))


def test_two_campaigns_may_have_the_same_name(api):
    one, other = api.add_campaign("Twin"), api.add_campaign("Twin")
    assert one != other
    api.ask("DELETE", f"campaign/{one}")
    assert api.campaign(other)["name"] == "Twin"


# Two accounts ---------------------------------------------------------------------------------------------------------

ON_A_RECORD = [
    ("GET", "{kind}/{id}", None),
    ("PUT", "{kind}/{id}", {"name": "mine now"}),
    ("DELETE", "{kind}/{id}", None),
    ("GET", "statistics/{id}.json", None),
    ("GET", "statistics/{id}.csv", None),
]
STEPS = st.tuples(st.integers(0, 1), st.sampled_from(["insert", "group", "move", "trespass", "delete", "bring"]))


class Person(Api):
    """One with an account, and what there must be in it."""

    def begin(self, number):
        self.mark = f"of-{number}/"
        self.codes, self.campaigns = {}, set()

    def act(self, step, text, pick, other):
        getattr(self, step)(f"https://example.com/{self.mark}{text}", pick, other)

    def insert(self, content, _pick, _other):
        self.codes[self.add(content)] = content

    def group(self, content, _pick, _other):
        self.campaigns.add(self.add_campaign(content))

    def bring(self, content, _pick, _other):
        self.ask("POST", "import", f"Content\n{content}".encode(), format="csv")
        (new,) = (one for one in self.all()["qrcodes"] if one["id"] not in self.codes)
        self.codes[new["id"]] = content

    def delete(self, _content, pick, _other):
        if self.codes:
            gone = pick.choice(sorted(self.codes))
            self.ask("DELETE", f"qrcode/{gone}")
            del self.codes[gone]

    def move(self, _content, pick, _other):
        if self.codes and self.campaigns:
            self.put(pick.choice(sorted(self.codes)), campaignId=pick.choice(sorted(self.campaigns)))

    def trespass(self, _content, _pick, other):
        """Ask for everything of the other; nothing is there, and nothing is told."""
        strange = [("qrcode", id) for id in other.codes] + [("campaign", id) for id in other.campaigns]
        for kind, id in strange:
            for method, path, body in ON_A_RECORD:
                reply = self.send(method, path.format(kind=kind, id=id), body)
                assert_missing(reply)
                assert "example.com" not in reply.text
        for id in other.campaigns:
            assert self.send("POST", "qrcode", {"content": TARGET, "campaignId": id}).status == 400
            assert {self.send("PUT", f"qrcode/{code}", {"campaignId": id}).status for code in self.codes} <= {400}

    def assert_has_its_own_alone(self, other):
        """All is there, and nothing of the other."""
        seen, exported = self.all(), self.ask("GET", "export.csv").text
        assert {one["id"]: one["content"] for one in seen["qrcodes"]} == self.codes
        assert {one["id"] for one in seen["campaigns"]} == self.campaigns
        assert other.mark not in exported + json.dumps(seen)
        assert not [content for content in self.codes.values() if content not in exported]


@pytest.mark.rule("H4")
@settings(max_examples=8)
@given(steps=st.lists(STEPS, min_size=2, max_size=8), pick=st.randoms(use_true_random=False))
def test_two_accounts_never_see_each_other_s_records(shop, client, steps, pick):
    """Open: ids of others. They are unknown, whatever is asked; lists and files have one's own alone."""
    people = [Person.of_somebody(shop, client) for _ in range(2)]
    for number, person in enumerate(people):
        person.begin(number)
    for text, (who, step) in enumerate(steps):
        people[who].act(step, text, pick, people[1 - who])
    for person, other in (people, people[::-1]):
        person.assert_has_its_own_alone(other)


# Plans ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowded():
    """The one who has two codes more than the plan shows, the ids in order, and the short codes."""
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        phone = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"}
        client = Client(validator(make_app(shop.store, QUIET, clock=lambda: NOON)), headers=phone)
        create_account(shop.store, "free rider")
        account = get_account(shop.store, "free rider")
        api = Api(client, create_key(shop.store, account))
        ids = [api.add(f"https://example.com/{number}", name=f"Code {number}") for number in range(FREE + 2)]
        rows = shop.store.rows("SELECT short_code FROM qrcodes ORDER BY number")
        yield api, ids, [row["short_code"] for row in rows], Portfolio(shop.store, account, base_url=BASE_URL)


@pytest.mark.rule("T13")
def test_codes_beyond_the_plan_show_four_fields_everywhere(crowded):
    """A fact: such records show id, name, created and isAvailable alone, wherever they are read."""
    api, ids, codes, _ = crowded
    hidden = [
        {"id": id, "name": f"Code {FREE + place}", "created": "2026-03-14T12:00:00Z", "isAvailable": False}
        for place, id in enumerate(ids[FREE:])
    ]
    assert [api.code(id) for id in ids[FREE:]] == hidden
    listed = api.all()["qrcodes"]
    assert [one["id"] for one in listed] == ids
    assert listed[FREE:] == hidden
    assert {one["isAvailable"] for one in listed[:FREE]} == {True}
    assert {api.code(id)["isAvailable"] for id in ids[:FREE:10]} == {True}
    assert not [code for code in codes[FREE:] if code in api.ask("GET", "list").text]


@pytest.mark.rule("T13", "T2")
def test_short_urls_and_pictures_beyond_the_plan_work_and_count(crowded):
    """Open: printed codes of an account whose plan is full. They go on working, and their scans are kept."""
    api, ids, codes, portfolio = crowded
    reply = api.client.get(f"/{codes[FREE]}")
    assert (reply.status, reply.headers["location"]) == (302, f"https://example.com/{FREE}")
    assert api.client.get(f"/{codes[FREE]}.png").status == 200
    assert "scans" not in api.code(ids[FREE])
    assert Scans(portfolio.store, portfolio.account.id).where(qrcode_id=ids[FREE]).count() == 1


@pytest.mark.rule("T13", "T12")
@pytest.mark.parametrize("ext", ["json", "csv", "xls", "xml"])
def test_statistics_of_a_code_beyond_the_plan_are_403(crowded, ext):
    """Open: scans of what the plan does not show. They are kept, and not told."""
    api, ids, _, _ = crowded
    reply = api.send("GET", f"statistics/{ids[FREE]}.{ext}")
    assert (reply.status, reply.headers["x-api-error-code"]) == (403, "plan-required")
    assert api.ask("GET", f"statistics/{ids[0]}.{ext}").status == 200


@pytest.mark.rule("T13", "T12")
def test_statistics_of_a_campaign_leave_out_what_the_plan_hides(crowded):
    """Open: a campaign with codes that are not shown. What is 403 by itself is not told as a part either."""
    api, ids, codes, portfolio = crowded
    campaign = api.add_campaign()
    for number in (1, FREE + 1):
        api.put(ids[number], campaignId=campaign)
        assert api.client.request("GET", f"/{codes[number]}", address="203.0.113.9").status == 302
    assert Scans(portfolio.store, portfolio.account.id).where(qrcode_id=ids[FREE + 1]).count() == 1
    assert len(api.ask("GET", f"statistics/{campaign}.json").json()) == api.code(ids[1])["scans"] == 1


@pytest.mark.rule("T13")
def test_import_and_export_are_not_in_the_free_plan(crowded):
    """A fact: they are for PRO and Premium."""
    api, _, _, _ = crowded
    for method, path, body, query in (
        ("GET", "export.csv", None, {}),
        ("POST", "import", b"Content\nhi", {"format": "csv"}),
    ):
        reply = api.send(method, path, body, **query)
        assert (reply.status, reply.headers["x-api-error-code"]) == (403, "plan-required")
    assert len(api.all()["qrcodes"]) == FREE + 2


@pytest.mark.rule("T13", "T6")
def test_deleting_an_old_code_shows_the_next_and_a_hidden_one_can_be_changed():
    """Open: room that becomes free. The oldest that was hidden takes it, with all that was set meanwhile."""
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        client = Client(make_app(shop.store, QUIET))
        api = Api.of_somebody(shop, client, plan="free")
        ids = [api.add(f"https://example.com/{number}") for number in range(FREE + 2)]
        api.put(ids[FREE], comment="set while hidden", content=TARGET)
        assert api.code(ids[FREE]).keys() == {"id", "name", "created", "isAvailable"}
        api.ask("DELETE", f"qrcode/{ids[3]}")
        shown, hidden = api.code(ids[FREE]), api.code(ids[FREE + 1])
        assert (shown["isAvailable"], shown["comment"], shown["content"]) == (True, "set while hidden", TARGET)
        assert client.get(urlsplit(shown["shortUrl"]).path).headers["location"] == TARGET
        assert hidden["isAvailable"] is False
        api.ask("DELETE", f"qrcode/{ids[FREE + 1]}")
        assert_missing(api.send("GET", f"qrcode/{ids[FREE + 1]}"))
        assert {one["isAvailable"] for one in api.all()["qrcodes"]} == {True}


@pytest.mark.rule("X11")
def test_whole_numbers_of_a_body_may_be_written_with_a_point(api):
    """A fact: a client writes 3.0 for 3, in every body; 3.5 is no whole number."""
    event = {"content": "y", "recurrence": 3.0, "date": "2026-03-01T00:00:00Z"}
    whole = {"size": 3.0, "version": 3.0, "padding": 2.0}
    id_ = api.add("x", properties=whole, schedule=[event])
    made = api.code(id_)
    assert {name: made["properties"][name] for name in whole} == {"size": 3, "version": 3, "padding": 2}
    assert made["schedule"][0]["recurrence"] == 3
    api.put(id_, properties={"version": -1.0})
    assert "version" not in api.code(id_)["properties"]
    for name in whole:
        assert api.send("POST", "qrcode", {"content": "x", "properties": {name: 3.5}}).status == 400
    for side in ({"size": 4.0, "version": 3.0}, {"width": 148.0, "version": -1.0}):
        body = json.dumps({"content": "x"} | side).encode()
        assert api.client.request("POST", f"{API}/generate", query=f"auth={api.key}", body=body).status == 200


@pytest.mark.rule("X15")
def test_tags_and_fields_are_set_and_changed(api):
    id = api.add(tags=["shop", "shop"], fields={"City": "Graz", "Floor": "2", "Room": None})
    assert (api.code(id)["tags"], api.code(id)["fields"]) == (["shop"], {"City": "Graz", "Floor": "2"})
    api.ask("PUT", f"qrcode/{id}", {"fields": {"City": "Wien", "Floor": ""}})
    assert (api.code(id)["tags"], api.code(id)["fields"]) == (["shop"], {"City": "Wien"})
    api.ask("PUT", f"qrcode/{id}", {"fields": {"City": ""}, "tags": []})
    assert {"tags", "fields"}.isdisjoint(api.code(id))


@pytest.mark.rule("X15")
@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"fields": {"Comment": "x"}}, "fields='Comment': is the name of a column of exports; choose another one"),
        ({"fields": {"City": 7}}, "fields.City=7: must be a text"),
        ({"fields": []}, "fields=[]: must be an object"),
        ({"tags": ["a,b"]}, "tags.0='a,b': must be one tag, without commas, semicolons and |"),
    ],
)
def test_invalid_tags_and_fields_are_named(api, fields, error):
    assert api.send("POST", "qrcode", {"content": TARGET, **fields}).headers["x-api-error"] == error
    id = api.add()
    assert api.send("PUT", f"qrcode/{id}", fields).headers["x-api-error"] == error


def test_a_body_in_the_words_of_shlink_is_read(api):
    sent = {
        "longUrl": TARGET, "customSlug": "slug-of-ours", "title": "Spring", "maxVisits": 5, "tags": ["a"],
        "forwardQuery": True, "validSince": "2026-01-01T00:00:00+00:00", "findIfExists": True, "domain": None,
    }  # fmt: skip
    reply = api.send("POST", "qrcode", sent)
    assert reply.headers["x-api-warning"] == "unknown fields were ignored: findIfExists, domain"
    record = api.ask("GET", f"qrcode/{reply.json()['id']}").json()
    assert record["shortUrl"] == f"{BASE_URL}/slug-of-ours"
    assert {name: record[name] for name in ("content", "name", "limit", "passQuery")} == {
        "content": TARGET,
        "name": "Spring",
        "limit": 5,
        "passQuery": True,
    }


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"longUrl": ""}, "longUrl"),
        ({"longUrl": 7}, "longUrl"),
        ({"longUrl": "LPA:1$a.example$b"}, "longUrl"),
        ({"longUrl": TARGET, "customSlug": "a b"}, "customSlug"),
        ({"longUrl": TARGET, "maxVisits": -1}, "maxVisits"),
        ({"content": TARGET, "longUrl": TARGET, "limit": -1, "maxVisits": 1}, "limit"),
        (
            {"content": TARGET, "redirectRules": [{"longUrl": TARGET, "conditions": [{"type": "phonetype"}]}]},
            "redirectRules/0/conditions/0/type",
        ),
    ],
)
def test_errors_name_the_fields_that_the_client_sent(api, fields, name):
    reply = api.send("POST", "qrcode", fields)
    assert (reply.status, [one["pointer"] for one in reply.json()["errors"]]) == (400, [f"/{name}"])
    id = api.ask("POST", "qrcode", {"content": TARGET}).json()["id"]
    reply = api.send("PUT", f"qrcode/{id}", fields)
    if name == "customSlug":  # which cannot change
        assert (reply.status, "shortCode was ignored" in reply.headers["x-api-warning"]) == (200, True)
    else:
        assert (reply.status, [one["pointer"] for one in reply.json()["errors"]]) == (400, [f"/{name}"])


@pytest.mark.parametrize("path", ["//api/v3/track/qrcode", "///api/v3/track/qrcode"])
def test_needless_slashes_in_front_of_a_path_change_nothing(api, path):
    reply = api.client.request("POST", path, query=f"auth={api.key}", body=b'{"content": "https://example.com"}')
    assert reply.status == 200
