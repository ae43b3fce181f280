"""Webhooks: which events are sent to whom, in which order, and what becomes of those that nobody takes."""

import socket
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, NotFound
from qrkit.portfolio.access import create_account
from qrkit.portfolio.delivering import CLAIMED, GAP, MOST_FAILURES, PAUSES, deliver
from qrkit.portfolio.opening import portfolio_in
from qrkit.portfolio.portfolio import Portfolio
from qrkit.portfolio.posting import Unreachable, post
from qrkit.server import Client, Settings, make_app
from qrkit.store import Store
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.receivers import claim, due_webhooks, sweep_events
from qrkit.tracking.conversion import Conversion
from qrkit.tracking.times import utc
from qrkit.tracking.webhook import EVENT_KINDS
from tests.receivers import receiving

pytestmark = pytest.mark.needs("loopback")
NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148"
ADDRESS = "203.0.113.77"
HOME = "https://example.com/home"


class World:
    """A portfolio on a clock of its own, whose redirects are answered, and a receiver."""

    def __init__(self, store, receiver):
        self.now = NOON
        self.store, self.receiver = store, receiver
        self.shop = portfolio_in(store, base_url="https://go.example.com", clock=lambda: self.now)
        self.client = Client(make_app(store, Settings(base_url=self.shop.base_url), clock=lambda: self.now))

    def scan(self, code="door"):
        self.now += timedelta(seconds=3)
        self.client.get(f"/{code}", headers={"user-agent": IPHONE, "x-forwarded-for": ADDRESS})
        include_waiting(self.store)

    def add(self, **how):
        return self.shop.webhooks.add(self.receiver.url, private=True, **how)

    def send(self, webhook):
        deliver(self.store, webhook.id, lambda: self.now)

    def send_until_quiet(self, webhook, days=60):
        """Try whenever the webhook is due, until nothing waits for it; give when it was tried."""
        times, end = [], self.now + timedelta(days=days)
        while self.now < end and webhook.id in due_webhooks(self.store, end):
            (row,) = self.store.rows("SELECT due FROM receivers WHERE id = ?", [webhook.id])
            self.now = max(self.now, utc(row["due"]))
            times.append(self.now)
            self.send(webhook)
        return times

    def kept(self):
        sweep_events(self.store, self.now)
        return self.store.rows("SELECT event FROM events WHERE died IS NULL")


@pytest.fixture
def world(new_place):
    with receiving() as receiver, Store(new_place()) as store:
        yield World(store, receiver)


@pytest.fixture(scope="module")
def same_world(new_place):
    """One for all webhooks that are refused, or are told why nothing reaches them."""
    with receiving() as receiver, Store(new_place()) as store:
        yield World(store, receiver)


def test_each_kind_arrives_in_order_and_signed(world):
    webhook = world.add()
    code = world.shop.insert_qrcode(HOME, name="Door", short_code="door", limit=1)
    world.scan()
    world.scan()
    world.shop.conversions.record(Conversion(short_code="door", id="1", name="order", value=9.5, currency="EUR"))
    include_waiting(world.store)
    world.shop.update_qrcode(code.id, name="Gate")
    world.shop.delete_qrcode(code.id)
    world.send(webhook)
    assert world.receiver.kinds == [
        "code.created", "limit.reached", "scan", "conversion", "code.updated", "code.deleted"
    ]  # fmt: skip
    assert all(one.is_signed_with(webhook.secret) for one in world.receiver.sent)
    assert [one.headers["webhook-id"] for one in world.receiver.sent] == [one["id"] for one in world.receiver.events]
    events = dict(zip(world.receiver.kinds, world.receiver.events, strict=True))
    assert {one["subject"] for one in events.values()} == {code.id}
    assert events["scan"]["data"] | {"systemName": "iOS", "device": "phone", "content": HOME} == events["scan"]["data"]
    assert events["limit.reached"]["data"]["scans"] == 1
    assert events["conversion"]["data"]["conversion"] == {"id": "1", "name": "order", "value": 9.5, "currency": "EUR"}
    assert events["code.updated"]["data"]["name"] == events["code.deleted"]["data"]["name"] == "Gate"
    assert world.kept() == []


def test_nothing_says_who_the_visitor_was(world):
    webhook = world.add()
    world.shop.insert_qrcode(HOME, short_code="door")
    world.scan()
    (visitor,) = {row["visitor"] for row in world.store.rows("SELECT visitor FROM visits")}
    world.send(webhook)
    text = b"".join(one.body for one in world.receiver.sent)
    assert not any(secret.encode() in text for secret in (ADDRESS, str(visitor), "visitor", IPHONE))


def test_an_import_and_an_edit_tell_each_code(world):
    webhook = world.add(batch=100)
    world.shop.import_file(b"Content,Name\r\n" + b"".join(b"https://e.example/%d,N%d\r\n" % (n, n) for n in range(150)))
    codes = world.shop.list_qrcodes()
    world.shop.edit_qrcodes([code.id for code in codes[:2]], add_tags=["x"])
    world.shop.restore_qrcodes(world.shop.delete_qrcodes([codes[0].id]))
    campaign = world.shop.insert_campaign("Spring")
    world.shop.edit_qrcodes([codes[1].id], campaign_id=campaign.id)
    world.shop.delete_campaign(campaign.id, keep=True)
    world.send(webhook)
    assert [len(one.events) for one in world.receiver.sent] == [100, 56]
    told = [*codes, *codes[:2], codes[0], codes[0], codes[1], codes[1]]
    assert [one["subject"] for one in world.receiver.events] == [one.id for one in told]
    assert world.receiver.kinds[-4:] == ["code.deleted", "code.created", "code.updated", "code.updated"]
    assert "campaign" not in world.receiver.events[-1]["data"]
    assert world.receiver.sent[0].headers["content-type"].startswith("application/cloudevents-batch+json")


def test_requests_keep_a_distance_while_many_events_wait(world, monkeypatch):
    pauses = []
    monkeypatch.setattr("qrkit.portfolio.delivering.sleep", pauses.append)
    webhook = world.add(batch=10)
    world.shop.import_file(b"Content\r\n" + b"".join(b"https://e.example/%d\r\n" % n for n in range(150)))
    world.send(webhook)
    assert len(world.receiver.sent) == 15
    assert pauses == [GAP] * 9


def test_a_webhook_gets_only_what_it_asks_for(world):
    shop = world.shop
    shop.insert_campaign("Spring")
    campaign = shop.find_campaign("Spring").id
    door = shop.insert_qrcode(HOME, short_code="door", campaign_id=campaign, tags=['a "b"'])
    gate = shop.insert_qrcode(HOME, short_code="gate", tags=["b"])
    asked = [{}, {"kinds": ["scan"]}, {"campaign": "Spring"}, {"code": "gate"}, {"tag": "b"}, {"tag": 'a "b"'}]
    webhooks = [world.add(**one) for one in asked]
    other = Portfolio(world.store, create_account(world.store, "other"))
    foreign = other.webhooks.add(world.receiver.url, private=True)
    for code in (door, gate):
        world.scan(code.short_code)
        shop.update_qrcode(code.id, comment="seen")
    got = []
    for webhook in (*webhooks, foreign):
        world.receiver.sent.clear()
        world.send(webhook)
        got.append([(kind, one["data"]["shortCode"]) for kind, one in
                    zip(world.receiver.kinds, world.receiver.events, strict=True)])  # fmt: skip
    both = [("scan", "door"), ("code.updated", "door"), ("scan", "gate"), ("code.updated", "gate")]
    assert got == [both, [both[0], both[2]], both[:2], both[2:], both[2:], both[:2], []]
    assert world.kept() == []


def test_without_a_webhook_nothing_is_kept(world):
    world.shop.insert_qrcode(HOME, short_code="door")
    world.scan()
    assert world.store.rows("SELECT * FROM events") == []


@pytest.mark.slow
def test_failures_never_lose_an_event(world):
    """Whatever a receiver answers, what it did not take becomes a dead letter, and the rest comes in order."""
    webhook = world.add(batch=3)
    shop = world.shop

    @settings(max_examples=7, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.sampled_from([200, 204, 302, 404, 500]), max_size=30), st.integers(1, 12))
    def check(statuses, number):
        answers = iter(statuses)
        world.receiver.answer = lambda _sent: next(answers, 200)
        world.receiver.sent.clear()
        names = [shop.insert_qrcode(HOME).id for _ in range(number)]
        world.send_until_quiet(webhook, days=20)
        taken = [one["subject"] for one in world.receiver.events]
        dead = [one["subject"] for one in shop.webhooks.dead(webhook.id)]
        assert taken == [name for name in names if name not in dead]
        assert sorted(taken + dead) == sorted(names)
        assert world.kept() == []
        world.receiver.sent.clear()
        assert shop.webhooks.replay(webhook.id) == len(dead)
        world.send(webhook)
        assert [one["subject"] for one in world.receiver.events] == dead
        assert shop.webhooks.dead(webhook.id) == []

    check()


@pytest.mark.slow
def test_pauses_grow_to_a_day_until_it_is_off(world):
    webhook = world.add()
    world.receiver.answer = lambda _sent: 500
    for _ in range(50):
        world.shop.insert_qrcode(HOME)
    times = world.send_until_quiet(webhook)
    assert [after - before for before, after in pairwise(times)][: len(PAUSES)] == PAUSES
    assert len(times) == MOST_FAILURES
    assert not world.shop.webhooks.get(webhook.id).active
    assert len(world.shop.webhooks.dead(webhook.id)) == MOST_FAILURES - len(PAUSES)
    assert set(world.shop.webhooks.log(webhook.id)["status"]) == {500}
    world.receiver.answer = lambda _sent: 200
    world.shop.webhooks.replay(webhook.id)
    world.send(webhook)
    assert len(world.receiver.sent) == 50


def test_one_bad_event_holds_up_others_a_day(world):
    webhook = world.add(batch=10)
    codes = [world.shop.insert_qrcode(HOME, name=f"N{n}") for n in range(5)]
    world.receiver.answer = lambda sent: 500 if any(one["subject"] == codes[2].id for one in sent.events) else 200
    world.send_until_quiet(webhook, days=3)
    assert [one["data"]["name"] for one in world.receiver.events] == ["N0", "N1", "N3", "N4"]
    assert [one["data"]["name"] for one in world.shop.webhooks.dead(webhook.id)] == ["N2"]


def test_events_of_a_process_that_died_come_again(world):
    webhook = world.add()
    world.shop.insert_qrcode(HOME)
    assert claim(world.store, webhook.id, world.now, world.now + CLAIMED)  # and then the process dies
    world.send(webhook)
    assert world.receiver.sent == []
    world.now += CLAIMED
    world.send(webhook)
    assert world.receiver.kinds == ["code.created"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://127.0.0.1/scans", "public"),
        ("https://[::1]/scans", "public"),
        ("https://169.254.169.254/latest", "public"),
        ("https://localhost/scans", "public"),
        ("https://no-such-host.invalid/scans", "has no address"),
        ("https://a..b/scans", "a..b has no address"),
    ],
)
def test_addresses_of_our_own_network_are_refused(same_world, url, reason):
    webhook = same_world.shop.webhooks.add(url)
    done = same_world.shop.webhooks.test(webhook.id)
    assert done.status is None
    assert reason in done.error


def test_a_redirect_is_not_followed(world):
    webhook = world.add()
    world.receiver.answer = lambda _sent: 307
    assert world.shop.webhooks.test(webhook.id)[3:6:2] == (307, "the answer has status 307")
    assert world.receiver.tried == 1


def test_the_body_of_an_answer_is_not_awaited(world):
    webhook = world.add()
    world.receiver.is_endless = True
    assert world.shop.webhooks.test(webhook.id)[3:6:2] == (200, "")


def test_a_request_that_is_not_read_ends_in_time(world, monkeypatch):
    monkeypatch.setattr("qrkit.portfolio.posting.SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(Unreachable, match=r"no answer within 0\.2 s"):
            post(url, bytes(20_000_000), {}, private=True)


def test_a_replay_leaves_a_running_attempt_alone(world):
    webhook = world.add()
    world.shop.insert_qrcode(HOME)
    assert claim(world.store, webhook.id, world.now, world.now + CLAIMED)
    world.shop.webhooks.replay(webhook.id)
    world.send(webhook)
    assert world.receiver.sent == []
    assert due_webhooks(world.store, world.now) == {}
    assert due_webhooks(world.store, world.now + CLAIMED) == {webhook.id: world.shop.account.id}


def test_a_receiver_that_hangs_is_given_up(world, monkeypatch):
    monkeypatch.setattr("qrkit.portfolio.posting.SECONDS", 0.1)
    webhook = world.add()
    world.receiver.answer = lambda _sent: None
    assert world.shop.webhooks.test(webhook.id).error == "no answer within 0.1 s"


@pytest.mark.parametrize(
    "url",
    [
        "", "ftp://example.com", "https://", "https://joe:pw@example.com/", "https://example.com/#a",
        "https://ex ample/",
        "https://exämple.com/", "https://example.com:0/", "https://[::1/", f"https://example.com/{'a' * 2_048}",
        "http://example.com/", "https://example.com/\r\nHost: other",
    ],
)  # fmt: skip
def test_what_is_no_https_url_is_refused(same_world, url):
    with pytest.raises(InvalidParameter) as caught:
        same_world.shop.webhooks.add(url)
    assert caught.value.problems[0].name == "url"


def test_a_refused_http_url_says_what_allows_it(same_world):
    with pytest.raises(InvalidParameter) as caught:
        same_world.shop.webhooks.add("http://127.0.0.1:8000/")
    told = {"python": "private=True", "command": "--private", "http": "operator"}
    assert all(words in caught.value.told(door) for door, words in told.items())


@pytest.mark.parametrize("how", [{"kinds": ["scans"]}, {"batch": 0}, {"batch": 101}, {"tag": "x" * 101}])
def test_invalid_fields_are_refused(same_world, how):
    with pytest.raises(InvalidParameter):
        same_world.add(**how)


def test_a_removed_webhook_leaves_nothing(world):
    webhook = world.add()
    world.shop.insert_qrcode(HOME)
    world.shop.webhooks.test(webhook.id)
    world.shop.webhooks.remove(webhook.id)
    assert world.kept() == []
    assert [world.store.rows(f"SELECT * FROM {table}") for table in ("receivers", "deliveries")] == [[], []]
    with pytest.raises(NotFound):
        world.shop.webhooks.log(webhook.id)


def test_webhooks_outlive_the_process(new_path):
    with receiving() as receiver:
        place = new_path()
        with open_portfolio(place) as shop:
            webhook = shop.webhooks.add(receiver.url, private=True, kinds=EVENT_KINDS[:3], tag="x")
            shop.insert_qrcode(HOME, tags=["x"])
        with open_portfolio(place) as shop:
            assert shop.webhooks.get(webhook.id) == webhook
            deliver(shop.store, webhook.id, shop.now)
    assert receiver.kinds == ["code.created"]
