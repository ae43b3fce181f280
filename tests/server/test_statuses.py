"""Which condition answers what: one test for each cell of the table of statuses, for every endpoint it applies to.

Ruling H4 names the table; where rulings.md differs, it holds. What only GET and POST generate can be told stands in
test_errors.py, test_post_generate.py and test_post_bodies.py.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from wsgiref.validate import validator

import pytest
from PIL import Image

from qrkit import decode, generate, open_portfolio
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_account, create_key, list_keys, revoke_key
from qrkit.server import Client, Settings, make_app
from qrkit.tracking.records import PLANS
from tests.server.raw import comparable
from tests.server.test_errors import assert_keeps_the_contract

BASE_URL = "https://go.example.com"
API = "/api/v3"
NOBODY = "0" * 32
NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
CSV = b"Content\r\nhttps://example.com/imported\r\n"
PNG = generate("hello world").to_bytes("png")
MEBIBYTE = 2**20


class Endpoint(NamedTuple):
    """A good request; `<key>`, `<qrcode>` … stand for what only a store knows, see `World`."""

    number: str
    method: str
    path: str
    query: str = ""
    body: bytes = b""
    needs_key: bool = True

    @property
    def name(self):
        return f"{self.number} {self.method} {self.path}"


QRCODE = b'{"content": "https://example.com/spring"}'
CAMPAIGN = b'{"name": "Spring"}'
ENDPOINTS = [
    Endpoint("1", "GET", f"{API}/generate", "content=hi&format=svg&", needs_key=False),
    Endpoint("2", "POST", f"{API}/generate", "", b'{"content": "hi", "format": "svg"}'),
    Endpoint("3", "GET", f"{API}/track/qrcode/<qrcode>"),
    Endpoint("4", "POST", f"{API}/track/qrcode", "", QRCODE),
    Endpoint("5", "PUT", f"{API}/track/qrcode/<qrcode>", "", QRCODE),
    Endpoint("6", "DELETE", f"{API}/track/qrcode/<qrcode>"),
    Endpoint("7", "GET", f"{API}/track/campaign/<campaign>"),
    Endpoint("8", "POST", f"{API}/track/campaign", "", CAMPAIGN),
    Endpoint("9", "PUT", f"{API}/track/campaign/<campaign>", "", CAMPAIGN),
    Endpoint("10", "DELETE", f"{API}/track/campaign/<campaign>"),
    Endpoint("11", "GET", f"{API}/track/export.csv"),
    Endpoint("12", "POST", f"{API}/track/import", "format=csv&", CSV),
    Endpoint("decode", "POST", f"{API}/decode", "", PNG, needs_key=False),
    Endpoint("list", "GET", f"{API}/track/list"),
    Endpoint("statistics", "GET", f"{API}/track/statistics/<qrcode>.json"),
]
BY_NUMBER = {one.number: one for one in ENDPOINTS}
ALL = [*BY_NUMBER]
WITH_KEY = [one.number for one in ENDPOINTS if one.needs_key]
WITH_JSON = ["2", "4", "5", "8", "9"]
WITH_FILE = ["12", "decode"]
WITH_BODY = [*WITH_JSON, *WITH_FILE]
OF_A_RECORD = ["3", "5", "6", "7", "9", "10", "statistics"]
EXCHANGE = ["11", "12"]
EMPTY = ["5", "6", "9", "10"]
MOST_BYTES = {"2": 12, "4": 4, "5": 4, "8": 4, "9": 4, "12": 16, "decode": 16}
"""MiB of a body."""


class World:
    """A store with three accounts, and an app over it.

    `main` is premium, `other` too, and `free` is what it is called. `names` holds what the placeholders stand for: keys
    (`<key>`, `<free>`, `<revoked>`, `<expired>`) and ids (`<qrcode>` and `<campaign>` of main, `<foreign-qrcode>` and
    `<foreign-campaign>` of other).
    """

    def __init__(self, shop, **settings):
        store = shop.store
        self.shop, self.store = shop, store
        free, other = create_account(store, "free"), create_account(store, "other", plan="premium")
        self.free = Portfolio(store, free, base_url=shop.base_url)
        self.other = Portfolio(store, other, base_url=shop.base_url)
        self.names = {
            "key": create_key(store, shop.account),
            "free": create_key(store, free),
            "expired": create_key(store, shop.account, expires=datetime(2020, 1, 1, tzinfo=UTC)),
            "revoked": create_key(store, shop.account, label="revoked"),
            "foreign-campaign": self.other.insert_campaign("Foreign").id,
            "foreign-qrcode": self.other.insert_qrcode("https://example.com/foreign").id,
        }
        (lost,) = (one for one in list_keys(store, shop.account) if one.label == "revoked")
        revoke_key(store, shop.account, lost.id)
        self.renew()
        quiet = {"generates_a_minute": 0, "unknown_codes_a_minute": 0}
        # It stands still: at midnight, answers would differ by what is left of a day's requests.
        self.app = make_app(store, Settings(base_url=shop.base_url, **(quiet | settings)), clock=lambda: NOON)
        self.client = Client(validator(self.app))

    def renew(self):
        """Another QR Code in another campaign, which may be changed."""
        self.names["campaign"] = self.shop.insert_campaign("Spring").id
        made = self.shop.insert_qrcode("https://example.com/", campaign_id=self.names["campaign"], name="Door")
        self.names |= {"qrcode": made.id, "code": made.short_code, "gs1": "01/09506000134352"}
        page = {"href": "https://example.com/rice", "linkType": "gs1:pip", "title": "Rice"}
        self.shop.gs1.set(self.names["gs1"], links=[page])

    def filled(self, text):
        for name, value in self.names.items():
            text = text.replace(f"<{name}>", value)
        return text

    def send(self, endpoint, auth="<key>", *, client=None, headers=None, **changes):
        """Send a request to an endpoint with a key, or without where `auth` is empty."""
        asked = endpoint._replace(**changes)
        query = asked.query + (f"auth={auth}" if auth else "")
        body = self.filled(asked.body.decode("latin-1")).encode("latin-1")
        return (client or self.client).request(
            asked.method, self.filled(asked.path), query=self.filled(query), body=body, headers=headers
        )


@pytest.fixture(scope="module")
def world():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        yield World(shop)


def assert_refused(reply, status, code, pointers=()):
    assert_keeps_the_contract(reply)
    assert (reply.status, reply.headers["x-api-error-code"]) == (status, code)
    assert {*pointers} <= {one["pointer"] for one in reply.json().get("errors", ())}


# Conditions that all endpoints share ----------------------------------------------------------------------------------


class Condition(NamedTuple):
    """What is done to a good request, and what it answers then."""

    name: str
    of: list[str]
    change: dict[str, Any] | Callable[[Endpoint], dict[str, Any]]
    status: int
    code: str


def path_with(old, new):
    return lambda one: {"path": one.path.replace(old, new)}


def query_with(text):
    return lambda one: {"query": one.query + text}


def body_of(text):
    return {"body": text if isinstance(text, bytes) else json.dumps(text).encode()}


def hi(fields):
    return body_of({"content": "hi"} | fields)


def layer(content):
    return hi({"layers": [{"content": content, "x": 1, "y": 1, "width": 9, "height": 9}]})


FORM = {"headers": {"Content-Type": "multipart/form-data; boundary=x"}}
JSON_WITH = b'{"content": "hi", "name": "a", "x": %s}'
MANY = "".join(f"x{one}=1&" for one in range(51))
SINGLE = [one for one in ALL if one not in ("4", "8")]
"""Whose path is not the beginning of another one, where a wrong method is what is wrong."""

CONDITIONS = [
    Condition("under v2", ALL, path_with("/v3/", "/v2/"), 404, "not-found"),
    Condition("under v4", ALL, path_with("/v3/", "/v4/"), 404, "not-found"),
    Condition("with a slash at the end", SINGLE, lambda one: {"path": f"{one.path}/"}, 404, "not-found"),
    Condition("in capitals", ALL, lambda one: {"path": one.path.replace("/api", "/API")}, 404, "not-found"),
    Condition("a path behind it", SINGLE, lambda one: {"path": f"{one.path}/x"}, 404, "not-found"),
    Condition("unknown host", ALL, {"headers": {"Host": "evil.example"}}, 400, "unknown-host"),
    Condition("long query", ALL, query_with(f"x={'x' * 16_400}&"), 414, "uri-too-long"),
    Condition("long path", ALL, lambda one: {"path": one.path + "x" * 16_400}, 414, "uri-too-long"),
    Condition("query of half characters", ALL, query_with("x=%uD800&"), 400, "bad-encoding"),
    Condition("many parameters", ALL, query_with(MANY), 400, "too-many-parameters"),
    Condition("a parameter twice", ALL, query_with("x=1&x=1&"), 400, "duplicate-parameter"),
    Condition("key twice", ALL, query_with("auth=<key>&"), 400, "duplicate-parameter"),
    Condition("key missing", WITH_KEY, {"auth": ""}, 401, "missing-key"),
    Condition("key empty", WITH_KEY, lambda one: {"query": f"{one.query}auth=", "auth": ""}, 401, "missing-key"),
    Condition("key unknown", ALL, {"auth": "qk_" + "A" * 43}, 401, "unknown-key"),
    Condition("key malformed", ALL, {"auth": "0"}, 401, "unknown-key"),
    Condition("key revoked", ALL, {"auth": "<revoked>"}, 401, "unknown-key"),
    Condition("key expired", ALL, {"auth": "<expired>"}, 401, "unknown-key"),
    Condition("plan free", EXCHANGE, {"auth": "<free>"}, 403, "plan-required"),
    Condition("form with parts", WITH_JSON, FORM, 415, "unsupported-media-type"),
    Condition("compressed", WITH_BODY, {"headers": {"Content-Encoding": "gzip"}}, 415, "unsupported-media-type"),
    Condition("form without a file", WITH_FILE, FORM | {"body": b"--x--"}, 400, "bad-form"),
    Condition("form that is none", WITH_FILE, FORM | {"body": b"--y--"}, 400, "bad-form"),
    Condition("list of large bytes", WITH_FILE, {"body": b'{"type": "Buffer", "data": [256]}'}, 400, "out-of-range"),
    Condition("list of bytes without a list", WITH_FILE, {"body": b'{"type": "Buffer"}'}, 400, "wrong-type"),
    Condition("no body", WITH_BODY, {"body": b""}, 400, "empty-body"),
    Condition("blank body", WITH_JSON, {"body": b" \r\n\t"}, 400, "empty-body"),
    Condition("no JSON", WITH_JSON, {"body": b"content=hi"}, 400, "bad-json"),
    Condition("half a JSON", WITH_JSON, {"body": b'{"content": "hi", "name": "a'}, 400, "bad-json"),
    Condition("two JSONs", WITH_JSON, {"body": b"{}{}"}, 400, "bad-json"),
    Condition("a list", WITH_JSON, {"body": b'["content"]'}, 400, "bad-json"),
    Condition("null", WITH_JSON, {"body": b"null"}, 400, "bad-json"),
    Condition("NaN", WITH_JSON, {"body": JSON_WITH % b"NaN"}, 400, "bad-json"),
    Condition("infinity", WITH_JSON, {"body": JSON_WITH % b"-Infinity"}, 400, "bad-json"),
    Condition("large float", WITH_JSON, {"body": JSON_WITH % b"1e999"}, 400, "bad-json"),
    Condition("large number", WITH_JSON, {"body": JSON_WITH % (b"9" * 5_000)}, 400, "bad-json"),
    Condition("a name twice", WITH_JSON, {"body": b'{"content": "hi", "name": "a", "name": "a"}'}, 400, "bad-json"),
    Condition("body not UTF-8", WITH_JSON, {"body": b'{"content": "\xff", "name": "\xff"}'}, 400, "bad-json"),
    Condition("half a letter", WITH_JSON, body_of({"content": "\ud800", "name": "\ud800"}), 400, "bad-content"),
    Condition("deep JSON", WITH_JSON, {"body": JSON_WITH % (b"[" * 25 + b"]" * 25)}, 400, "json-too-deep"),
    Condition("bottomless JSON", WITH_JSON, {"body": b'{"a":' * 100_000 + b"1" + b"}" * 100_000}, 400, "json-too-deep"),
    Condition("wide JSON", WITH_JSON, {"body": JSON_WITH % (b"[" + b"1," * 20_000 + b"1]")}, 400, "json-too-large"),
]  # fmt: skip
CELLS = [(condition, BY_NUMBER[number]) for condition in CONDITIONS for number in condition.of]


@pytest.mark.rule("H1", "H4")
@pytest.mark.parametrize(
    ("condition", "endpoint"), CELLS, ids=[f"{endpoint.name}: {condition.name}" for condition, endpoint in CELLS]
)
def test_a_condition_answers_the_same_at_every_endpoint(world, condition, endpoint):
    """Open: which condition answers which status. One table for all endpoints; nothing depends on which one it is."""
    change = condition.change(endpoint) if callable(condition.change) else condition.change
    assert_refused(world.send(endpoint, **change), condition.status, condition.code)


@pytest.mark.rule("H4")
@pytest.mark.parametrize("number", WITH_BODY)
def test_a_body_beyond_the_limit_is_413_before_it_is_read(world, number):
    """Open: the longest body. 4 MiB of a record, 12 of a design, 16 of a file or a picture; judged by its header."""
    length = str(MOST_BYTES[number] * MEBIBYTE + 1)
    reply = world.send(BY_NUMBER[number], headers={"Content-Length": length})
    assert_refused(reply, 413, "body-too-large")
    assert f"{MOST_BYTES[number] * MEBIBYTE:,}" in reply.headers["x-api-error"]


@pytest.mark.rule("H4")
@pytest.mark.parametrize("number", ["4", "5", "8", "9"])
def test_a_body_at_the_limit_is_read(world, number):
    body = BY_NUMBER[number].body
    padded = body + b" " * (MOST_BYTES[number] * MEBIBYTE - len(body))
    assert world.send(BY_NUMBER[number], body=padded).status == 200
    assert_refused(world.send(BY_NUMBER[number], body=padded + b" "), 413, "body-too-large")


@pytest.mark.rule("H4")
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"])
def test_a_method_that_a_path_does_not_have_is_405_with_those_it_has(world, endpoint, method):
    """Open: wrong methods. 405 with `Allow`, before the key is looked at: a path tells nobody anything."""
    offered = {one.method for one in ENDPOINTS if one.path == endpoint.path}
    offered |= {"POST"} if endpoint.number == "11" else set()  # an export for print
    if method in offered:
        return assert_keeps_the_contract(world.send(endpoint, "wrong", method=method))
    # The validator does not know PATCH and TRACE.
    reply = world.send(endpoint, "", method=method, client=Client(world.app))
    assert_refused(reply, 405, "method-not-allowed")
    allowed = set(reply.headers["allow"].split(", "))
    assert allowed - {"OPTIONS"} == offered | ({"HEAD"} if "GET" in offered else set())
    return None


# What is wrong with the fields of one endpoint ------------------------------------------------------------------------

EVENT = {"content": "https://example.com/1", "recurrence": 0, "date": "2026-06-06T08:00:00Z"}
LONG = "x" * 32_768
FIELDS = [
    # number, changes, status, code, pointers
    ("1", {"query": "format=svg&"}, 400, "missing-parameter", ["/content"]),
    ("1", {"query": "content=&"}, 400, "missing-parameter", ["/content"]),
    ("1", {"query": f"content={'x' * 3_000}&"}, 400, "content-too-long", []),
    ("1", {"query": "content=hello+world+hello&version=1&"}, 400, "content-too-long", []),
    ("1", {"query": "content=12a&em=numeric&"}, 400, "bad-content", ["/content"]),
    ("1", {"query": "content=hi&size=21&"}, 400, "out-of-range", ["/size"]),
    ("1", {"query": "content=hi&size=x&"}, 400, "wrong-type", ["/size"]),
    ("1", {"query": "content=hi&padding=21&"}, 400, "out-of-range", ["/padding"]),
    ("1", {"query": "content=hi&version=41&"}, 400, "out-of-range", ["/version"]),
    ("1", {"query": "content=hi&ec=X&"}, 400, "bad-value", ["/ec"]),
    ("1", {"query": "content=hi&em=kanji&"}, 400, "bad-value", ["/em"]),
    ("1", {"query": "content=hi&format=pgn&"}, 400, "bad-value", ["/format"]),
    ("1", {"query": "content=hi&style=x&"}, 400, "bad-value", ["/style"]),
    ("1", {"query": "content=hi&attachment=x&"}, 400, "wrong-type", ["/attachment"]),
    ("1", {"query": "content=hi&foreground=blak&"}, 400, "bad-colour", ["/foreground"]),
    ("1", {"query": "content=hi&background=%23FFFFF&"}, 400, "bad-colour", ["/background"]),
    ("1", {"query": "content=hi&shorten=local&"}, 400, "shorten-not-applicable", ["/shorten"]),
    ("1", {"query": "content=https://example.com&shorten=lcal&"}, 400, "bad-value", ["/shorten"]),
    ("1", {"query": "content=https://example.com&shorten=local", "auth": ""}, 401, "missing-key", []),
    ("2", body_of({}), 400, "missing-parameter", ["/content"]),
    ("2", body_of({"content": None}), 400, "missing-parameter", ["/content"]),
    ("2", body_of({"content": ""}), 400, "missing-parameter", ["/content"]),
    ("2", body_of({"content": 5}), 400, "wrong-type", ["/content"]),
    ("2", body_of({"content": "x" * 3_000}), 400, "content-too-long", []),
    ("2", body_of({"content": "12a", "em": "numeric"}), 400, "bad-content", ["/content"]),
    ("2", hi({"padding": True}), 400, "wrong-type", ["/padding"]),
    ("2", hi({"padding": "8"}), 400, "wrong-type", ["/padding"]),
    ("2", hi({"padding": 21}), 400, "out-of-range", ["/padding"]),
    ("2", hi({"width": 0}), 400, "out-of-range", ["/width"]),
    ("2", hi({"width": 10_000, "height": 10_000}), 400, "out-of-range", []),
    ("2", hi({"flip": "up"}), 400, "bad-value", ["/flip"]),
    ("2", hi({"foreground": "blak"}), 400, "bad-colour", ["/foreground"]),
    *(("2", hi({"format": one}), 400, "format-not-available", ["/format"])
      for one in ("xaml", "eps", "txt", "html", "zip")),
    ("2", hi({"format": "pgn"}), 400, "bad-value", ["/format"]),
    ("2", hi({"modules": {"type": "sprite", "sprite": "cirle"}}), 400, "bad-value", ["/modules/sprite"]),
    ("2", hi({"markers": {"topLeft": {"pattern": "eye-18"}}}), 400, "bad-value", ["/markers/topLeft/pattern"]),
    ("2", layer("icon:hart"), 400, "bad-value", ["/layers/0/content"]),
    ("2", layer("data:image/png;base64,!"), 400, "bad-data-uri", ["/layers/0/content"]),
    ("2", layer("data:image/png;base64,aGk="), 400, "bad-image", ["/layers/0/content"]),
    ("2", layer("https://example.com/a.png"), 403, "remote-content-disabled", []),
    ("2", hi({"template": "nobody"}), 404, "template-not-found", []),
    ("2", hi({"shorten": "local"}), 400, "shorten-not-applicable", ["/shorten"]),
    ("4", body_of({}), 400, "missing-parameter", ["/content"]),
    ("4", body_of({"content": None, "name": "Door"}), 400, "missing-parameter", ["/content"]),
    ("4", body_of({"content": ""}), 400, "missing-parameter", ["/content"]),
    ("4", body_of({"content": 5}), 400, "wrong-type", ["/content"]),
    ("4", body_of({"content": LONG}), 400, "out-of-range", ["/content"]),
    ("4", hi({"name": 5}), 400, "wrong-type", ["/name"]),
    ("4", hi({"comment": LONG}), 400, "out-of-range", ["/comment"]),
    ("4", hi({"campaignId": NOBODY}), 400, "bad-value", ["/campaignId"]),
    ("4", hi({"campaignId": "<foreign-campaign>"}), 400, "bad-value", ["/campaignId"]),
    ("4", hi({"campaignId": "é'--"}), 400, "bad-value", ["/campaignId"]),
    ("4", hi({"campaignId": 5}), 400, "wrong-type", ["/campaignId"]),
    ("4", hi({"shortCode": "api"}), 400, "bad-value", ["/shortCode"]),
    ("4", hi({"shortCode": "<code>"}), 400, "bad-value", ["/shortCode"]),
    ("4", hi({"properties": 5}), 400, "wrong-type", ["/properties"]),
    ("4", hi({"properties": {"size": 21}}), 400, "out-of-range", ["/properties/size"]),
    ("4", hi({"properties": {"size": True}}), 400, "wrong-type", ["/properties/size"]),
    ("4", hi({"properties": {"size": "8"}}), 400, "wrong-type", ["/properties/size"]),
    ("4", hi({"properties": {"em": "auto"}}), 400, "bad-value", ["/properties/em"]),
    ("4", hi({"properties": {"ec": "X"}}), 400, "bad-value", ["/properties/ec"]),
    ("4", hi({"properties": {"foreground": "blak"}}), 400, "bad-colour", ["/properties/foreground"]),
    ("4", hi({"properties": {"version": 1}}), 400, "content-too-long", []),
    ("4", hi({"location": {"latitude": 91}}), 400, "out-of-range", ["/location/latitude"]),
    ("4", hi({"location": {"longitude": "x"}}), 400, "wrong-type", ["/location/longitude"]),
    ("4", hi({"location": {"address": 5}}), 400, "wrong-type", ["/location/address"]),
    ("4", hi({"isScheduleEnabled": "maybe"}), 400, "wrong-type", ["/isScheduleEnabled"]),
    ("4", hi({"schedule": {}}), 400, "wrong-type", ["/schedule"]),
    ("4", hi({"schedule": [5]}), 400, "wrong-type", ["/schedule/0"]),
    ("4", hi({"schedule": [EVENT | {"recurrence": 8}]}), 400, "out-of-range", ["/schedule/0/recurrence"]),
    ("4", hi({"schedule": [EVENT | {"date": "tomorrow"}]}), 400, "bad-value", ["/schedule/0/date"]),
    ("4", hi({"schedule": [EVENT | {"date": 5}]}), 400, "bad-value", ["/schedule/0/date"]),
    ("4", hi({"schedule": [{"date": EVENT["date"]}]}), 400, "missing-parameter", ["/schedule/0/content"]),
    ("4", hi({"schedule": [EVENT] * 101}), 400, "out-of-range", ["/schedule"]),
    ("5", body_of({"content": ""}), 400, "out-of-range", ["/content"]),
    ("5", body_of({"content": 5}), 400, "wrong-type", ["/content"]),
    ("5", body_of({"campaignId": NOBODY}), 400, "bad-value", ["/campaignId"]),
    ("5", body_of({"campaignId": "<foreign-campaign>"}), 400, "bad-value", ["/campaignId"]),
    ("5", body_of({"properties": {"size": 21}}), 400, "out-of-range", ["/properties/size"]),
    ("5", body_of({"properties": {"version": 1}}), 400, "content-too-long", []),
    ("5", body_of({"location": {"latitude": 91}}), 400, "out-of-range", ["/location/latitude"]),
    ("5", body_of({"schedule": [EVENT | {"recurrence": -1}]}), 400, "out-of-range", ["/schedule/0/recurrence"]),
    ("5", body_of({"schedule": "x"}), 400, "wrong-type", ["/schedule"]),
    ("8", body_of({}), 400, "missing-parameter", ["/name"]),
    ("8", body_of({"name": None}), 400, "missing-parameter", ["/name"]),
    ("8", body_of({"name": ""}), 400, "missing-parameter", ["/name"]),
    ("8", body_of({"name": 5}), 400, "wrong-type", ["/name"]),
    ("8", body_of({"name": LONG}), 400, "out-of-range", ["/name"]),
    ("8", body_of({"name": "Spring", "description": []}), 400, "wrong-type", ["/description"]),
    ("9", body_of({}), 400, "missing-parameter", ["/name"]),
    ("9", body_of({"description": "only"}), 400, "missing-parameter", ["/name"]),
    ("9", body_of({"name": 5}), 400, "wrong-type", ["/name"]),
    ("9", body_of({"name": LONG}), 400, "out-of-range", ["/name"]),
    ("10", {"query": "keep=maybe&"}, 400, "wrong-type", ["/keep"]),
    ("10", {"query": "keep=2&"}, 400, "wrong-type", ["/keep"]),
    ("11", {"path": f"{API}/track/export.doc"}, 404, "unknown-export-format", []),
    ("11", {"path": f"{API}/track/export."}, 404, "not-found", []),
    ("11", {"path": f"{API}/track/export"}, 404, "not-found", []),
    ("11", {"query": "format=png&"}, 400, "bad-value", ["/format"]),
    ("12", {"query": ""}, 400, "missing-parameter", ["/format"]),
    ("12", {"query": "format=&"}, 400, "missing-parameter", ["/format"]),
    ("12", {"query": "format=doc&"}, 400, "bad-value", ["/format"]),
    ("12", {"body": b"Name\r\nDoor\r\n"}, 400, "bad-file", []),
    ("12", {"body": b"\x89PNG\r\n\x1a\n\0\0"}, 400, "bad-file", []),
    ("decode", {"query": "format=svg&"}, 400, "bad-value", ["/format"]),
    ("decode", {"body": b"hi"}, 400, "bad-file", []),
    ("decode", {"body": PNG[:100]}, 400, "bad-file", []),
    ("decode", {"body": generate("hi", background="black").to_bytes("png")}, 400, "no-symbol", []),
    ("statistics", {"path": f"{API}/track/statistics/<qrcode>.doc"}, 404, "not-found", []),
    ("statistics", {"path": f"{API}/track/statistics/<qrcode>"}, 404, "not-found", []),
]  # fmt: skip


@pytest.mark.rule("H4")
@pytest.mark.parametrize(
    ("number", "changes", "status", "code", "pointers"),
    FIELDS,
    ids=[f"{row[0]}: {next(iter(row[1].values()))!s:.80} {row[3]}" for row in FIELDS],
)
def test_a_wrong_field_answers_its_status_its_code_and_where_it_is(world, number, changes, status, code, pointers):
    """Open: statuses of the single endpoints. Whatever is wrong with a field is 400, and is named."""
    assert_refused(world.send(BY_NUMBER[number], **changes), status, code, pointers)


@pytest.mark.rule("H4")
@pytest.mark.parametrize(
    ("number", "body", "pointers"),
    [
        (
            "4",
            {"name": 5, "properties": {"size": 0, "ec": "X"}, "location": {"latitude": -91}, "schedule": [{}]},
            {"/content", "/name", "/properties/size", "/properties/ec", "/location/latitude", "/schedule/0/content",
             "/schedule/0/date"},
        ),
        ("5", {"name": 5, "properties": {"size": 0}, "comment": {}}, {"/name", "/properties/size", "/comment"}),
    ],
)  # fmt: skip
def test_all_wrong_fields_of_a_record_are_named_at_once(world, number, body, pointers):
    reply = world.send(BY_NUMBER[number], body=json.dumps(body).encode())
    assert_keeps_the_contract(reply)
    assert {one["pointer"] for one in reply.json()["errors"]} == pointers


@pytest.mark.rule("T4", "H4")
def test_what_is_read_only_is_ignored_and_what_is_unknown_is_named(world):
    """Open: fields that a client sends back as it got them. Those of the service are ignored, unknown ones are told."""
    sent = json.loads(QRCODE) | {
        "id": NOBODY, "shortUrl": "https://evil.example", "imageUrl": 5, "scans": -5, "created": "never",
        "isAvailable": "x", "colour": "red", "properties": {"shape": 1},
    }  # fmt: skip
    reply = world.send(BY_NUMBER["4"], body=json.dumps(sent).encode())
    assert reply.status == 200
    assert reply.headers["x-api-warning"] == "unknown fields were ignored: colour, properties.shape"
    made = world.shop.get_qrcode(reply.json()["id"])
    assert made.id != NOBODY
    assert (made.scans, made.short_url[: len(BASE_URL)]) == (0, BASE_URL)
    changed = world.send(BY_NUMBER["5"], body=json.dumps(sent).encode())
    assert (changed.status, changed.headers["x-api-warning"]) == (200, reply.headers["x-api-warning"])


# What there is to be found --------------------------------------------------------------------------------------------

CAPITALS = "A" * 32
STRANGE_IDS = [
    "nonsense",
    "0",
    NOBODY[:-1],
    NOBODY + "0",
    CAPITALS,
    "é" * 32,
    "<",
    "%00",
    "null",
    "' OR 1=1 --",
    "x" * 900,
]


@pytest.mark.rule("H4")
@pytest.mark.parametrize("number", OF_A_RECORD)
def test_an_unknown_id_a_malformed_one_and_that_of_another_account_cannot_be_told_apart(world, number):
    """Open: what an id tells. Nothing: 404 for all that is not of this account, and the same 404."""
    endpoint = BY_NUMBER[number]
    is_campaign = "<campaign>" in endpoint.path
    foreign = world.names["foreign-campaign" if is_campaign else "foreign-qrcode"]
    crossed = world.names["qrcode" if is_campaign else "campaign"]
    ids = [NOBODY, foreign, "f" * 32, *STRANGE_IDS]
    if number != "statistics":  # which take both
        ids.append(crossed)
    answers = set()
    for id in ids:
        reply = world.send(endpoint, path=re.sub("<(qrcode|campaign)>", id.replace("\\", ""), endpoint.path))
        assert_refused(reply, 404, "not-found")
        # The id itself stands in it, as it was asked for; one in capitals, as we write it.
        shown = repr(id.lower() if id == CAPITALS else id)
        body = reply.json() | {"detail": reply.json()["detail"].replace(shown, "<id>")}
        varying = ("content-length", "x-api-error", "x-ratelimit-remaining", "x-request-id")
        headers = {name: value for name, value in reply.headers.items() if name not in varying}
        assert shown in unquote(reply.headers["x-api-error"]) or len(id) > 500
        answers.add((json.dumps(body), json.dumps(headers, sort_keys=True)))
    assert len(answers) == 1, answers
    assert world.other.get_qrcode(world.names["foreign-qrcode"]).content == "https://example.com/foreign"
    assert world.other.get_campaign(world.names["foreign-campaign"]).name == "Foreign"


@pytest.mark.rule("H4", "T6")
@pytest.mark.parametrize("number", ["6", "10"])
def test_what_was_deleted_is_404_at_every_endpoint(world, number):
    """Open: a second delete. 404, as for what never was."""
    world.renew()
    assert world.send(BY_NUMBER[number]).status == 200
    lost = "<qrcode>" if number == "6" else "<campaign>"
    for other in (one for one in OF_A_RECORD if lost in BY_NUMBER[one].path):
        assert_refused(world.send(BY_NUMBER[other]), 404, "not-found")
    reply = world.client.get(f"/{world.names['code']}")
    assert_refused(reply, 410, "gone")
    world.renew()


@pytest.mark.rule("H4", "T8")
@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nobody", 404, "not-found"),
        ("GET", "/nobody/tail", 404, "not-found"),
        ("GET", "/nobody+", 404, "not-found"),
        ("GET", "/nobody.png", 404, "not-found"),
        ("GET", "/<code>.gif", 404, "not-found"),
        ("POST", "/<code>", 405, "method-not-allowed"),
        ("DELETE", "/<code>", 405, "method-not-allowed"),
        ("PUT", "/<code>/tail", 405, "method-not-allowed"),
        ("POST", "/<code>.png", 405, "method-not-allowed"),
        ("POST", "/<code>+", 405, "method-not-allowed"),
        ("POST", f"{API}/health", 405, "method-not-allowed"),
        ("PUT", f"{API}/openapi.json", 405, "method-not-allowed"),
    ],
)
def test_a_short_url_that_is_none_answers_with_the_contract_too(world, method, path, status, code):
    assert_refused(world.client.request(method, world.filled(path)), status, code)


# The order of checks --------------------------------------------------------------------------------------------------

NO_QRCODE, NO_CAMPAIGN = f"{API}/track/qrcode/{NOBODY}", f"{API}/track/campaign/{NOBODY}"
ORDER = [
    # number, changes, status, code
    ("path, then key", "2", {"path": f"{API}/nothing", "auth": "wrong"}, 404, "not-found"),
    ("host, then path", "2", {"path": f"{API}/nothing", "headers": {"Host": "evil.example"}}, 400, "unknown-host"),
    ("method, then key", "2", {"method": "PUT", "auth": "wrong"}, 405, "method-not-allowed"),
    ("key, then body", "2", {"auth": "wrong", "body": b"{"}, 401, "unknown-key"),
    ("key, then body", "4", {"auth": "wrong", "body": b"{"}, 401, "unknown-key"),
    ("key, then body", "5", {"auth": "", "body": b"{"}, 401, "missing-key"),
    ("key, then length", "12", {"auth": "wrong", "headers": {"Content-Length": "99999999"}}, 401, "unknown-key"),
    ("key, then fields", "1", {"auth": "wrong", "query": "size=99&"}, 401, "unknown-key"),
    ("key, then existence", "3", {"auth": "wrong", "path": NO_QRCODE}, 401, "unknown-key"),
    ("key, then extension", "11", {"auth": "wrong", "path": f"{API}/track/export.doc"}, 401, "unknown-key"),
    ("plan, then format", "12", {"auth": "<free>", "query": ""}, 403, "plan-required"),
    ("plan, then length", "12", {"auth": "<free>", "headers": {"Content-Length": "99999999"}}, 403, "plan-required"),
    ("plan, then extension", "11", {"auth": "<free>", "path": f"{API}/track/export.doc"}, 403, "plan-required"),
    ("kind, then JSON", "4", FORM | {"body": b"{"}, 415,
     "unsupported-media-type"),
    ("length, then JSON", "4", {"headers": {"Content-Length": "99999999"}, "body": b"{"}, 413, "body-too-large"),
    ("JSON, then existence", "5", {"path": NO_QRCODE, "body": b"{"}, 400, "bad-json"),
    ("fields, then existence", "5", {"path": NO_QRCODE, "body": b'{"name": 5}'}, 400, "wrong-type"),
    ("fields, then existence", "9", {"path": NO_CAMPAIGN, "body": b"{}"}, 400, "missing-parameter"),
    ("fields, then existence", "10", {"path": NO_CAMPAIGN, "query": "keep=x&"}, 400, "wrong-type"),
    ("existence, then conflict", "5", {"path": NO_QRCODE} | body_of({"campaignId": NOBODY}), 404, "not-found"),
]  # fmt: skip


@pytest.mark.rule("H4")
@pytest.mark.parametrize(
    ("name", "number", "changes", "status", "code"), ORDER, ids=[f"{row[1]}: {row[0]}" for row in ORDER]
)
def test_checks_come_in_an_order_that_tells_nothing_without_a_key(world, name, number, changes, status, code):
    """Open: which of several mistakes is answered. Host, path, method, key, plan, length, JSON, fields, existence."""
    assert_refused(world.send(BY_NUMBER[number], **changes), status, code)


# Success --------------------------------------------------------------------------------------------------------------

SUCCESS = {
    "1": "image/svg+xml", "2": "image/svg+xml", "11": "text/csv; charset=utf-8",
    **dict.fromkeys(["3", "4", "7", "8", "12", "decode", "list", "statistics"], "application/json; charset=utf-8"),
}  # fmt: skip


@pytest.mark.rule("H1", "H3", "H4")
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_success_is_200_everywhere(world, endpoint):
    """Open: statuses of success. 200 always, POST included, with what every answer carries; never 201 or 204."""
    world.renew()
    reply = world.send(endpoint)
    assert (reply.status, reply.headers["x-api-version"]) == (200, "3.0")
    assert "x-api-error" not in reply.headers
    assert int(reply.headers["content-length"]) == len(reply.body)
    assert reply.headers["cache-control"] == ("private, no-cache" if endpoint.number == "1" else "no-store")
    assert int(reply.headers["x-ratelimit-limit"]) == PLANS["premium"].requests_a_day
    assert 0 <= int(reply.headers["x-ratelimit-remaining"]) < PLANS["premium"].requests_a_day
    assert reply.headers["x-ratelimit-reset"].isdecimal()
    if endpoint.number in EMPTY:
        assert (reply.body, reply.headers["content-length"]) == (b"", "0")
    else:
        assert reply.headers["content-type"] == SUCCESS[endpoint.number]
        assert reply.body
    world.renew()


@pytest.mark.rule("H4")
@pytest.mark.parametrize(
    ("number", "changes", "words"),
    [
        ("11", {"path": f"{API}/track/export.CSV"}, "Campaign Name,"),
        ("12", {"query": "format=CSV&"}, "["),
        ("10", {"query": "keep=TRUE&"}, ""),
        ("10", {"query": "keep=1&"}, ""),
        ("10", {"query": "keep=&"}, ""),
        ("10", {"query": "keep=false&"}, ""),
        ("5", {"body": b"{}"}, ""),
        ("5", {"body": b'{"name": null, "content": null, "schedule": null, "properties": null}'}, ""),
        ("5", {"body": b'{"campaignId": "<campaign>"}'}, ""),
        ("5", {"body": b'{"campaignId": "", "name": "", "comment": "", "schedule": []}'}, ""),
        ("4", {"body": b"\xef\xbb\xbf" + QRCODE}, '{"id":'),
        ("8", {"body": b'{"name": "Spring", "description": null}'}, '{"id":'),
    ],
)
def test_what_may_be_asked_in_more_than_one_way_is_answered(world, number, changes, words):
    world.renew()
    reply = world.send(BY_NUMBER[number], **changes)
    assert reply.status == 200, reply.text
    assert reply.text.startswith(words)
    world.renew()


@pytest.mark.rule("H1")
@pytest.mark.parametrize("number", WITH_BODY)
@pytest.mark.parametrize(
    "kind", ["application/json", "application/x-www-form-urlencoded", "text/plain", "text/csv", "nonsense", ""]
)
def test_a_body_is_read_as_what_the_endpoint_needs_whatever_its_kind_is_said_to_be(world, number, kind):
    """A fact: real clients post JSON as form data. Open: files and pictures; they are read by what they hold, too."""
    reply = world.send(BY_NUMBER[number], headers={"Content-Type": kind})
    assert reply.status == 200, reply.text


@pytest.mark.rule("X2")
def test_bad_rows_of_an_import_are_told_and_the_good_ones_kept(world):
    """Open: what an import answers. 200 and a list of what was skipped or changed, each with a stable word."""
    rows = [
        "Content,QR Code Name,Trackable URL,Size",
        "https://example.com/x2,Once,,",
        "https://example.com/x2,Once,,",
        "https://example.com/other,Once,,",
        ",Nothing,,",
        "https://example.com/large,Large,,99",
        f"https://example.com/taken,Taken,{BASE_URL}/<code>,",
    ]
    before = len(world.shop.list_qrcodes())
    reply = world.send(BY_NUMBER["12"], body="\r\n".join(rows).encode())
    assert reply.status == 200
    found = reply.json()
    assert all(one.keys() == {"campaign", "name", "content", "error"} for one in found)
    assert [(one["name"], one["error"].partition(":")[0]) for one in found] == [
        ("Once", "duplicate"),
        ("Once", "renamed"),
        ("Nothing", "invalid"),
        ("Large", "invalid"),
        ("Taken", "code-taken"),
    ]
    assert len(world.shop.list_qrcodes()) == before + 3
    assert world.send(BY_NUMBER["12"], body=b"Content\r\n").json() == []


@pytest.mark.rule("X2")
def test_a_file_that_cannot_be_read_as_a_whole_changes_nothing(world):
    """Open: broken files. 400, and the portfolio is as it was."""
    before = [one.to_json() for one in world.shop.list_qrcodes()]
    assert_refused(world.send(BY_NUMBER["12"], body=b"\x00\x01"), 400, "bad-file")
    assert [one.to_json() for one in world.shop.list_qrcodes()] == before


@pytest.mark.rule("T13", "H4")
def test_codes_beyond_the_plan_are_not_refused_but_not_shown(world):
    """Open: what a plan's number of codes does. Later ones are made, and work; of them four fields are shown."""
    number = PLANS["free"].most_qrcodes
    for count in range(len(world.free.list_qrcodes()), number):
        world.free.insert_qrcode(f"https://example.com/{count}")
    reply = world.send(
        BY_NUMBER["4"], "<free>", body=b'{"content": "https://example.com/beyond", "shortCode": "beyond"}'
    )
    assert reply.status == 200
    id = reply.json()["id"]
    shown = world.send(BY_NUMBER["3"], "<free>", path=f"{API}/track/qrcode/{id}")
    assert shown.status == 200
    assert shown.json() == reply.json() | {"name": "https://example.com/beyond", "isAvailable": False}
    listed = world.send(BY_NUMBER["list"], "<free>").json()["qrcodes"]
    assert [one["isAvailable"] for one in listed] == [True] * number + [False]
    assert listed[-1] == shown.json()
    assert world.client.get("/beyond").headers["location"] == "https://example.com/beyond"
    assert world.client.get("/beyond.svg").status == 200
    changed = world.send(
        BY_NUMBER["5"], "<free>", path=f"{API}/track/qrcode/{id}", body=b'{"content": "https://a.example"}'
    )
    assert (changed.status, changed.body) == (200, b"")
    assert world.client.get("/beyond").headers["location"] == "https://a.example"
    assert world.send(BY_NUMBER["6"], "<free>", path=f"{API}/track/qrcode/{id}").status == 200
    assert world.client.get("/beyond").status == 410


# HEAD and OPTIONS -----------------------------------------------------------------------------------------------------

GETS = [
    *((one.path, f"{one.query}auth=<key>") for one in ENDPOINTS if one.method == "GET"),
    *((f"{API}/generate", f"content=hi&format={one}") for one in ("png", "gif", "zip", "txt", "html")),
    (f"{API}/generate", "content=hi&attachment=true"),
    (f"{API}/track/statistics/<qrcode>.csv", "auth=<key>"),
    (f"{API}/track/qrcode/{NOBODY}", "auth=<key>"),
    (f"{API}/track/list", ""),
    (f"{API}/openapi.json", ""),
    (f"{API}/health", ""),
    (f"{API}/health/live", ""),
    (f"{API}/metrics", ""),
    ("/<code>", ""),
    ("/<code>", "raw=1"),
    ("/<code>/tail", ""),
    ("/<code>+", ""),
    ("/<code>.png", ""),
    ("/<code>.svg", ""),
    ("/nobody", ""),
    ("/", ""),
]


@pytest.mark.rule("H4")
@pytest.mark.parametrize(("path", "query"), GETS, ids=[f"{path}?{query}" for path, query in GETS])
def test_head_is_get_without_its_body(world, path, query):
    """Open: HEAD. What GET answers, but for its body."""
    path, query = world.filled(path), world.filled(query)
    get, head = (world.client.request(method, path, query=query) for method in ("GET", "HEAD"))
    assert head.body == b""
    assert get.body or get.status == 302
    assert head.status == get.status
    counted = {"x-ratelimit-remaining": get.headers.get("x-ratelimit-remaining")}
    assert comparable(head.headers) | counted == comparable(get.headers) | counted
    assert int(head.headers["content-length"]) == len(get.body)


@pytest.mark.rule("H4")
@pytest.mark.parametrize(
    ("path", "headers"),
    [(f"{API}/health", {"Host": "evil.example"}), ("/" + "x" * 20_000, {})],
    ids=["unknown host", "long path"],
)
def test_head_has_no_body_when_it_is_refused_before_its_path_is_looked_at(world, path, headers):
    """A body after HEAD would be read as the next answer of the connection."""
    get, head = (world.client.request(method, path, headers=headers) for method in ("GET", "HEAD"))
    assert_keeps_the_contract(get)
    assert (head.status, comparable(head.headers), head.body) == (get.status, comparable(get.headers), b"")


@pytest.mark.rule("H3", "H4")
@pytest.mark.parametrize("path", sorted({one.path for one in ENDPOINTS} | {f"{API}/health", "/<code>", "/<code>+"}))
def test_options_is_204_and_lets_browsers_of_other_origins_in(world, path):
    """Open: OPTIONS. 204 with what a browser asks for, and no key: browsers send none with it."""
    asked = {"Origin": "https://example.com", "Access-Control-Request-Method": "PUT"}
    reply = world.client.request("OPTIONS", world.filled(path), headers=asked)
    assert (reply.status, reply.body) == (204, b"")
    assert "content-length" not in reply.headers
    assert "content-type" not in reply.headers
    assert reply.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in reply.headers
    methods = set(reply.headers["access-control-allow-methods"].split(", "))
    assert {"GET", "HEAD", "POST", "PUT", "DELETE"} <= methods
    assert {"Authorization", "Content-Type"} <= set(reply.headers["access-control-allow-headers"].split(", "))
    assert set(reply.headers["allow"].split(", ")) & {"GET", "POST", "PUT", "DELETE"}
    assert reply.headers["x-api-version"] == "3.0"


def test_options_of_a_path_that_is_none_is_404(world):
    assert_refused(world.client.request("OPTIONS", f"{API}/nothing"), 404, "not-found")


# A store that is lost -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lost():
    """An app whose store is closed, and a key that was good in it."""
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        return World(shop)


@pytest.mark.rule("H4", "H7")
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_a_lost_store_is_503_for_track_operations_and_500_for_generate(lost, endpoint):
    """Open: a store that cannot be read. 503, which says that it may be tried again; generate promises at most 500."""
    reply = lost.send(endpoint)
    assert reply.status == (500 if endpoint.path == f"{API}/generate" else 503)
    assert reply.headers["x-api-error-code"] == reply.json()["code"] == "store-unavailable"
    assert re.fullmatch("[ -~]{1,512}", reply.headers["x-api-error"])
    assert reply.headers["content-type"] == "application/problem+json; charset=utf-8"
    assert reply.json()["status"] == reply.status
    assert (reply.headers["x-api-version"], reply.headers["cache-control"]) == ("3.0", "no-store")
    assert lost.names["key"] not in reply.text + repr(reply.headers)


@pytest.mark.rule("H4", "H7", "T11")
def test_without_its_store_the_service_says_so_and_goes_on_with_what_needs_none(lost):
    """Open: what works without the store. Pictures without a key, and printed codes, which are known by heart."""
    assert lost.client.get(f"{API}/health").status == 503
    assert lost.client.get(f"{API}/openapi.json").status == 200
    assert lost.send(BY_NUMBER["1"], "").status == 200
    assert lost.send(BY_NUMBER["decode"], "").json()["content"] == "hello world"
    assert lost.client.get(f"/{lost.names['code']}").status == 302


# Clients of old -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H2", "H5", "G1")
def test_clients_of_old_are_understood(world):
    """A fact: plug-ins send `source`, small letters for the level, capitals for the mode, and versions as floats."""
    plain = world.client.get(f"{API}/generate", content="hi", version="3", format="svg").body
    query = "content=hi&source=wp&ec=m&em=Byte&version=3.0&format=SVG&size=&padding=4.0"
    reply = world.client.request("GET", f"{API}/generate", query=query)
    assert (reply.status, reply.body) == (200, plain)
    body = (
        b'{"content": "hi", "ec": "m", "em": "Byte", "version": 3.0, "format": "SVG", "flip": "None", "template": ""}'
    )
    posted = world.send(BY_NUMBER["2"], query="source=blender&", body=body)
    assert posted.status == 200
    assert 'viewBox="0 0 296 296"' in posted.text
    made = world.send(
        BY_NUMBER["4"], body=b'{"content": "hi", "properties": {"ec": "m", "em": "Byte", "version": 3.0}}'
    )
    shown = world.send(BY_NUMBER["3"], path=f"{API}/track/qrcode/{made.json()['id']}").json()
    assert {name: shown["properties"][name] for name in ("ec", "em", "version")} == {
        "ec": "M",
        "em": "Byte",
        "version": 3,
    }
    assert urlsplit(shown["imageUrl"]).path == f"{API}/generate"


@pytest.mark.slow
def test_a_strangers_picture_is_made_smaller_before_it_is_read(world):
    """A large picture takes a reader long: what needs more than 1,600 pixels is read in Python alone."""
    fine = Image.new("L", (6_000, 6_000), "white")
    fine.paste(Image.open(BytesIO(generate("hello world", size=2, padding=8).to_bytes("png"))).convert("L"), (9, 9))
    body = BytesIO()
    fine.save(body, "png")
    assert decode(body.getvalue()).content == "hello world"
    assert_refused(world.send(BY_NUMBER["decode"], body=body.getvalue()), 400, "no-symbol")


def test_decode_names_the_formats_that_it_reads(world):
    reply = world.send(BY_NUMBER["decode"], body=b"hi")
    formats = "png, jpg, bmp, tif, gif, webp, avif, ico"
    assert_refused(reply, 400, "bad-file")
    assert reply.json()["detail"] == f"this is not a picture of the formats {formats}"


@pytest.mark.rule("H2", "G21")
@pytest.mark.parametrize("format", ["jpg", "jpeg", "JPG", "png", "tif", "tiff", ""])
def test_decode_takes_the_format_as_a_hint(world, format):
    """A fact: a client sends `format=jpg` with its pictures. Open: what if it is wrong. The bytes decide."""
    jpeg = generate("hello world").to_bytes("jpg")
    for picture in (PNG, jpeg):
        reply = world.send(BY_NUMBER["decode"], query=f"format={format}&", body=picture)
        assert (reply.status, reply.json()["content"]) == (200, "hello world")
