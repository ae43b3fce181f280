"""Events over HTTP: webhooks of an account, and streams of events that resume."""

import json
import re
import socket
import threading
import time
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from types import SimpleNamespace
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from qrkit import open_portfolio
from qrkit.portfolio.access import create_account, create_key, is_valid, key_id, revoke_key
from qrkit.portfolio.portfolio import Portfolio
from qrkit.server import Client, Server, Settings, make_app
from qrkit.server.operation.deliveries import Deliveries
from qrkit.server.operation.event_streams import Stream as EventStream
from qrkit.server.sockets.pushing import MOST_MISSED, Pushing
from qrkit.store.records.receivers import keep_for_streams, last_event
from qrkit.tracking.webhook import EventFilter
from tests.receivers import receiving

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148"
HOME = "https://example.com/home"
LONGEST = 20.0


class Stream:
    """A client of a stream."""

    def __init__(self, url, key, *, kinds="", last=""):
        self._connection = socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), LONGEST)
        resume = f"Last-Event-ID: {last}\r\n" if last else ""
        head = f"GET /api/v3/track/events?auth={key}&kinds={kinds} HTTP/1.1\r\nHost: localhost\r\n{resume}\r\n"
        self._connection.sendall(head.encode())
        self._lines = self._connection.makefile("rb")
        while b"retry" not in (line := self._lines.readline()):
            assert line, "there is no stream"

    def next(self):
        while not (line := self._lines.readline()).startswith(b"data: "):
            assert line, "the stream has ended"
        return json.loads(line.removeprefix(b"data: "))

    def rest(self):
        return self._lines.read()

    def close(self):
        self._lines.close()
        self._connection.close()


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        yield shop


@pytest.fixture(scope="module")
def key(shop):
    return create_key(shop.store, shop.account)


@pytest.fixture(scope="module")
def site(shop):
    with Server(shop, port=0, unknown_codes_a_minute=0) as server:
        yield server


def scan(site, code):
    connection = HTTPConnection(urlsplit(site.url).netloc, timeout=LONGEST)
    connection.request("GET", f"/{code}", headers={"User-Agent": IPHONE})
    assert connection.getresponse().status == 302
    connection.close()


@pytest.mark.slow
@pytest.mark.needs("loopback")
def test_a_stream_shows_scans_and_resumes(shop, key, site):
    code = shop.insert_qrcode(HOME, short_code="door")
    shop.insert_qrcode(HOME, short_code="early")
    scan(site, "early")  # before the stream, and still on its way into the store
    with closing(Stream(site.url, key, kinds="scan")) as stream:
        scan(site, "door")
        first = stream.next()
        assert (first["type"], first["subject"]) == ("qrkit.scan", code.id)
    names = [shop.insert_qrcode(HOME).id for _ in range(3)]
    with closing(Stream(site.url, key, last=first["id"])) as resumed:
        assert [resumed.next()["subject"] for _ in names] == names
        shop.delete_qrcode(names[0])
        assert resumed.next()["type"] == "qrkit.code.deleted"


@pytest.mark.slow
@pytest.mark.needs("loopback")
def test_streams_need_no_thread_each(shop, key, site):
    before = threading.active_count()
    with ExitStack() as open_streams:
        streams = [open_streams.enter_context(closing(Stream(site.url, key))) for _ in range(200)]
        assert threading.active_count() < before + 20  # the server starts some of its own when it is first needed
        made = shop.insert_qrcode(HOME)
        assert {stream.next()["subject"] for stream in streams} == {made.id}


@pytest.mark.slow
@pytest.mark.needs("loopback")
def test_a_server_sends_scans_to_a_webhook(shop, site):
    with receiving() as receiver:
        webhook = shop.webhooks.add(receiver.url, private=True, kinds=["scan"])
        code = shop.insert_qrcode(HOME)
        scan(site, code.short_code)
        end = time.monotonic() + LONGEST
        while not receiver.sent and time.monotonic() < end:
            threading.Event().wait(0.05)
        assert [event["subject"] for event in receiver.events] == [code.id]
        shop.webhooks.remove(webhook.id)


@pytest.mark.needs("loopback")
def test_a_stream_ends_with_its_key(shop, site, monkeypatch):
    monkeypatch.setattr("qrkit.server.operation.deliveries.ALIVE_LOOKS", 1)
    key = create_key(shop.store, shop.account)
    with closing(Stream(site.url, key)) as stream:
        made = shop.insert_qrcode(HOME)
        assert stream.next()["subject"] == made.id
        revoke_key(shop.store, shop.account, key_id(key))
        assert stream.rest().endswith(b"0\r\n\r\n")


def test_a_key_is_valid_until_it_expires(shop):
    end = datetime(2030, 1, 1, tzinfo=UTC)
    id = key_id(create_key(shop.store, shop.account, expires=end))
    assert is_valid(shop.store, shop.account, id, end - timedelta(seconds=1))
    assert not is_valid(shop.store, shop.account, id, end)
    assert not is_valid(shop.store, create_account(shop.store, "third"), id, shop.now())


class Channel(Pushing):
    """A connection to a client that has not read `total_outbufs_len` bytes."""

    connected, will_close, total_outbufs_len = True, False, 0
    server = SimpleNamespace(pull_trigger=lambda: None)

    def __init__(self):
        self.sent = []
        self.write_soon = self.sent.append


def following(shop, deliveries):
    keep_for_streams(shop.store, shop.account.id, shop.now())
    channel = Channel()
    position = last_event(shop.store)
    deliveries.streams.append(EventStream(shop.account.id, EventFilter(), position, lambda: True, channel.push))
    return channel


def test_a_slow_client_gets_everything_later():
    with open_portfolio(":memory:") as shop:
        deliveries = Deliveries(shop.store, shop.now)
        channel = following(shop, deliveries)
        shop.import_file(b"Content\r\n" + b"".join(b"https://e.example/%d\r\n" % n for n in range(55)))
        codes = [code.id for code in shop.list_qrcodes()]
        for unread in (0, 100_000, 1, 0, 0):
            channel.total_outbufs_len = unread
            deliveries.look(b"")
        told = re.findall(rb'"subject": "(\w+)"', b"".join(channel.sent))
        assert ([one.decode() for one in told], len(channel.sent)) == (codes, 2)
        channel.total_outbufs_len = 1
        for _ in range(MOST_MISSED + 1):
            assert deliveries.streams
            deliveries.look(b": alive\n\n")
        assert (deliveries.streams, channel.will_close) == ([], True)


def test_a_stream_keeps_its_events_for_days():
    with open_portfolio(":memory:") as shop:
        moment = shop.now()
        deliveries = Deliveries(shop.store, lambda: moment)
        channel = following(shop, deliveries)
        moment += timedelta(hours=25)
        deliveries.sweep()
        code = shop.insert_qrcode(HOME)
        deliveries.look(b"")
        assert code.id.encode() in b"".join(channel.sent)


@pytest.mark.needs("loopback")
def test_one_account_leaves_room_for_others():
    with receiving() as receiver, open_portfolio(":memory:") as shop:
        release = threading.Event()
        receiver.answer = lambda _sent: 200 if release.wait(LONGEST) else 500
        other = Portfolio(shop.store, create_account(shop.store, "other"))
        for one in (shop, shop, shop, shop, other):
            one.webhooks.add(receiver.url, private=True)
        shop.insert_qrcode(HOME)
        made = other.insert_qrcode(HOME)
        Deliveries(shop.store, lambda: shop.now() + timedelta(seconds=1)).look(b"")
        busy = [one for one in threading.enumerate() if one.name.startswith("webhook ")]
        release.set()
        for one in busy:
            one.join(LONGEST)
        assert len(busy) == 3
        assert made.id in {event["subject"] for event in receiver.events}


def test_scans_can_be_followed(shop):
    code = shop.insert_qrcode(HOME, short_code="gate")
    client = Client(make_app(shop.store, Settings(base_url=shop.base_url)))
    webhook = shop.webhooks.add("https://example.com/scans")  # so that events are kept
    before = last_event(shop.store)
    client.get("/gate", headers={"user-agent": IPHONE})
    with closing(iter(shop.scans.where(qrcode_id=code.id).follow(after=before))) as follower:
        event = next(follower)
    shop.webhooks.remove(webhook.id)
    assert (event["type"], event["subject"]) == ("qrkit.scan", code.id)


def test_events_are_numbered_with_up_to_18_digits(shop, key):
    client = Client(make_app(shop.store, Settings(base_url=shop.base_url)))
    path, query = "/api/v3/track/events", f"auth={key}"
    statuses = [
        client.request("GET", path, query=query, headers={"last-event-id": "9" * digits}).status
        for digits in (10, 18, 19)
    ]
    assert statuses == [200, 200, 400]


def test_webhooks_over_http_belong_to_an_account(shop, key):
    client = Client(make_app(shop.store, Settings(base_url=shop.base_url)))
    other = create_key(shop.store, create_account(shop.store, "other"))

    def ask(method, path="", auth=key, **body):
        data = json.dumps(body).encode() if body else b""
        return client.request(method, f"/api/v3/webhooks{path}", query=f"auth={auth}", body=data)

    campaign = shop.insert_campaign("Spring").id
    made = ask("POST", url="https://127.0.0.1/", kinds=["scan"], campaignId=campaign, batch=10, private=True)
    assert made.status == 200, made.text
    assert "private" in made.headers["x-api-warning"]
    record = made.json()
    assert record.pop("secret").startswith("whsec_")
    assert ask("GET").json() == [record]
    assert (record["kinds"], record["campaignId"], record["private"]) == (["scan"], campaign, False)
    id = f"/{record['id']}"
    tested = ask("POST", f"{id}/test").json()
    assert "public" in tested["error"]
    assert ask("GET", f"{id}/log").json() == {"log": [tested], "dead": []}
    assert ask("POST", f"{id}/replay").json() == {"replayed": 0}
    assert [ask(*one, auth=other).status for one in (("GET", f"{id}/log"), ("DELETE", id))] == [404, 404]
    assert ask("DELETE", id).status == 200
    assert ask("GET").json() == []
    door = shop.insert_qrcode("https://example.com").id
    where = {"campaignId": str(UUID(campaign)).upper(), "qrcodeId": door.upper()}
    asked = ask("POST", url="https://127.0.0.1/", **where).json()
    assert (asked["campaignId"], asked["qrcodeId"]) == (campaign, door)
    assert ask("GET", f"/{asked['id'].upper()}/log").status == 200
    assert ask("DELETE", f"/{UUID(asked['id'])}").status == 200
    for wrong in ({"url": "http://example.com"}, {"url": "https://e.example", "batch": 0}, {"kinds": ["scan"]}):
        assert ask("POST", **wrong).status == 400
