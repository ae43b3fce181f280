"""API keys and plans as a client of the HTTP interface meets them, and how often anybody may ask (rulings T13, T14)."""

import json
import logging
import random
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from wsgiref.validate import validator

import pytest

from qrkit import open_portfolio
from qrkit.errors import TooManyRequests
from qrkit.portfolio.access import (
    RequestCounter,
    change_plan,
    create_account,
    create_key,
    key_id,
    list_accounts,
    list_keys,
    local_account,
    revoke_key,
)
from qrkit.server import Client, Settings, make_app
from qrkit.server.description.routes import ROUTES
from qrkit.store import Store
from qrkit.store.recording.recorder import drain
from qrkit.tracking.records import PLANS, Account
from tests.server.raw import comparable
from tests.server.test_errors import assert_keeps_the_contract
from tests.server.test_statuses import API, BASE_URL, BY_NUMBER, ENDPOINTS, EXCHANGE, World, assert_refused
from tests.sweeps import quick_first

LIST = f"{API}/track/list"
GENERATE = f"{API}/generate"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MIDNIGHT = NOON + timedelta(hours=12)
TARGET = "https://example.com/spring"


class Moment:
    """A clock that stands still until it is set."""

    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", base_url=BASE_URL) as portfolio:
        yield portfolio


@pytest.fixture(scope="module")
def world():
    with open_portfolio(":memory:", base_url=BASE_URL) as portfolio:
        yield World(portfolio)


@pytest.fixture(scope="module")
def clock():
    return Moment()


@pytest.fixture(scope="module")
def app(shop, clock):
    free = Settings(base_url=BASE_URL, generates_a_minute=0, unknown_codes_a_minute=0)
    return make_app(shop.store, free, clock=clock)


@pytest.fixture(scope="module")
def client(app):
    return Client(validator(app))


@pytest.fixture(scope="module")
def key(shop):
    return create_key(shop.store, shop.account)


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


# Where a key never is -------------------------------------------------------------------------------------------------


def parts_of(key):
    """What of a key would be too much: all of it, half of it, and its first letters, in whatever encoding."""
    texts = (key, key[3:], key[3:23], key[-20:])
    return [form for text in texts for form in (text.encode(), text.encode("utf-16-le"), text.encode().hex().encode())]


def assert_is_nowhere(key, *places):
    found = [(part, number) for part in parts_of(key) for number, place in enumerate(places) if part in place]
    assert found == []


def asked_in_all_ways(world, key, wrong):
    """Send a key to every endpoint, rightly and wrongly; give what came back."""
    twice = f"auth={key}&auth={key}"
    for endpoint in ENDPOINTS:
        for auth in (key, wrong, "<revoked>"):
            yield world.send(endpoint, auth)
            yield world.send(endpoint, "", headers=bearer(world.filled(auth)))
        yield world.send(endpoint, "", query=f"{endpoint.query}%61uth={key}")
        yield world.send(endpoint, "", query=f"{endpoint.query}{twice}")
        yield world.send(endpoint, key, headers=bearer(wrong))
        yield world.send(endpoint, "", query=f"x=%uD800&auth={key}")
        yield world.send(endpoint, "", query=f"auth={key}%uD800")
        yield world.send(endpoint, "", query=f"auth={key}%FF")
        yield world.send(endpoint, "", query=f"AUTH={key}&x=%FF")
        yield world.send(endpoint, "", query=f"auth={key}{'&x' * 60}")
        yield world.send(endpoint, "", query=f"auth={key}&x={'x' * 17_000}")
        yield world.send(endpoint, "", query=f"{key}")
        yield world.send(endpoint, key, body=b"{")
        yield world.send(endpoint, key, method="PUT" if endpoint.method == "POST" else "POST")
        yield world.send(endpoint, "", headers={"Authorization": key, "X-Api-Key": key, "Cookie": f"auth={key}"})
        world.renew()
    for path in ("/<code>", "/<code>.png", "/<code>+", "/nobody", f"{API}/health", f"{API}/nothing"):
        yield world.client.request("GET", world.filled(path), query=f"auth={key}", headers=bearer(key))
        yield world.client.request("GET", world.filled(path), headers={"Referer": f"https://a.example/?auth={key}"})


@pytest.mark.slow
@pytest.mark.rule("T14")
def test_a_key_is_in_no_file_no_log_line_no_header_and_no_error(tmp_path, caplog):
    """Open: where a key could be read. Nowhere: not in the store and its log, nor in ours, nor in any answer."""
    with open_portfolio(tmp_path / "shop.duckdb", base_url=BASE_URL) as shop:
        world = World(shop, access_log=True)
        key, wrong = world.names["key"], "qk_" + "Wrong" * 8 + "key"
        with caplog.at_level(logging.DEBUG):
            replies = list(asked_in_all_ways(world, key, wrong))
        export = world.send(BY_NUMBER["11"]).body
        statistics = world.send(BY_NUMBER["statistics"], path=f"{API}/track/statistics/<campaign>.csv").body
        files = [file.read_bytes() for file in sorted(tmp_path.iterdir())]
    files += [file.read_bytes() for file in sorted(tmp_path.iterdir())]
    assert len(files) == 5, "the file and its log, the inbox and its log, and the file when it was closed"
    lines = [f"{record.getMessage()} {record.__dict__!r}".encode() for record in caplog.records]
    assert len([record for record in caplog.records if record.name == "qrkit.access"]) >= len(replies)
    answers = [repr(reply.headers).encode() + reply.body for reply in replies]
    statuses = {reply.status for reply in replies}
    assert statuses >= {200, 302, 400, 401, 404, 405, 414}
    for one in (key, wrong, world.names["revoked"]):
        assert_is_nowhere(one, *files, *lines, *answers, export, statistics, caplog.text.encode())
    for reply in replies:
        if reply.status >= 400:
            assert_keeps_the_contract(reply)


@pytest.mark.rule("T14")
def test_the_access_log_names_a_key_by_its_id(shop, key, caplog):
    """Open: how it is seen whose requests they were. By the id of the key, which opens nothing."""
    assert key_id(key) in [one.id for one in list_keys(shop.store, shop.account)]
    with caplog.at_level(logging.INFO, logger="qrkit.access"):
        Client(make_app(shop.store, Settings(base_url=BASE_URL))).get(LIST, auth=key)
    (record,) = caplog.records
    line = json.loads(record.getMessage())
    assert (line["key"], line["path"], line["status"]) == (key_id(key), LIST, 200)
    assert line.keys() == {"time", "request", "method", "path", "status", "bytes", "ms", "key"}


MISTAKEN = ["/<key>", "/<key>/x", "/<key>.png", "/<key>+", f"{API}/track/qrcode/<key>", f"{API}/<key>"]


@pytest.mark.rule("T14")
def test_a_key_that_was_put_into_a_path_by_mistake_is_kept_nowhere(tmp_path, caplog):
    """Open: a key where a short code should be. It is taken for none, or the file would keep it as a lost visit."""
    with open_portfolio(tmp_path / "shop.duckdb", base_url=BASE_URL) as shop:
        world = World(shop, access_log=True)
        with caplog.at_level(logging.DEBUG):
            replies = [world.client.get(world.filled(path)) for path in MISTAKEN]
        files = [file.read_bytes() for file in sorted(tmp_path.iterdir())]
    files += [file.read_bytes() for file in sorted(tmp_path.iterdir())]
    assert {one.status for one in replies} <= {400, 401, 404}
    assert len(caplog.records) == len(MISTAKEN)
    assert_is_nowhere(world.names["key"], *files, caplog.text.encode())


@pytest.mark.rule("T14")
@pytest.mark.parametrize(
    ("path", "query"), [*((path, "auth=<key>") for path in MISTAKEN), (GENERATE, "content=hi&format=<key>")]
)
def test_a_key_that_was_put_elsewhere_by_mistake_is_not_repeated(world, path, query):
    """Open: a key that is no key where it stands. An error goes into other people's logs, so it does not repeat it."""
    reply = world.client.request("GET", world.filled(path), query=world.filled(query))
    assert_keeps_the_contract(reply)
    assert_is_nowhere(world.names["key"], repr(reply.headers).encode(), reply.body)


# Which keys open something --------------------------------------------------------------------------------------------

ODD = [
    "0", "1", "-1", "null", "None", "undefined", "[]", "{}", "true", "false", "NaN", "qk_", "qk", "*", "%",
    "' OR 1=1 --", "é", "漢字", "\N{PILE OF POO}", "\0", "qk_\0", "\r\n", " ", "a b", "x" * 200, "x" * 201,
    "x" * 10_000, "\x7f", "\u202e",
]  # fmt: skip


@pytest.mark.rule("T14", "H4")
@pytest.mark.parametrize("auth", ODD, ids=ascii)
def test_what_is_no_key_is_401_whatever_it_is(client, auth):
    """Open: keys that are none. 401 as for any that is not known, whatever their letters do to a comparison."""
    for path, query in ((LIST, {}), (GENERATE, {"content": "hi"})):
        assert_refused(client.get(path, auth=auth, **query), 401, "unknown-key")


@pytest.mark.rule("T14", "H4")
@pytest.mark.parametrize(
    "auth", ["é", "qk_é", "x" * 10_000, "x" * 2**20, "null", "[]"], ids=lambda one: ascii(one)[:20]
)
def test_a_header_with_what_is_no_key_is_401_too(app, auth):
    reply = Client(app).request("GET", LIST, headers=bearer(auth))
    assert_refused(reply, 401, "unknown-key")


@pytest.mark.rule("T14", "H4")
@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic cWs6", "qk_", "Bearer a b", "Bearer\u00a0a", "\u00e9", "Bearer a, Bearer b"],
)
def test_a_header_that_holds_no_key_is_as_none(app, header):
    reply = Client(app).request("GET", LIST, headers={"Authorization": header})
    assert_refused(reply, 401, "missing-key")


@pytest.mark.rule("T14", "H4")
def test_a_key_of_a_megabyte_is_refused_unread(client):
    assert_refused(client.get(LIST, auth="x" * 2**20), 414, "uri-too-long")


@pytest.mark.rule("T14", "H4")
def test_256_wrong_keys_open_nothing(client):
    """Open: what guessing brings. The same answer each time."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
    pick = random.Random(5)
    answers = set()
    for _ in range(256):
        reply = client.get(LIST, auth="qk_" + "".join(pick.choices(letters, k=43)))
        assert_refused(reply, 401, "unknown-key")
        answers.add((reply.body, json.dumps(comparable(reply.headers))))
    assert len(answers) == 1


@pytest.mark.rule("T14", "H4")
def test_a_key_that_differs_in_one_character_opens_nothing(client, key):
    """Open: what is near a key. Nothing: no case is folded, no blank taken off, no part compared."""
    near = [key[:place] + ("A" if letter != "A" else "B") + key[place + 1 :] for place, letter in enumerate(key)]
    near += [key.lower(), key.upper(), key.swapcase(), key + " ", " " + key, key + "=", key + "\0", key[:-1], key[3:]]
    near += [key + key, key + "\n", f'"{key}"', key.replace("_", "-", 1)]
    assert client.get(LIST, auth=key).status == 200
    for one in near:
        assert_refused(client.get(LIST, auth=one), 401, "unknown-key")


@pytest.mark.rule("T14")
def test_a_key_is_taken_from_the_query_and_from_the_header(client, key):
    """Open: where a key may be sent. As `auth`, as a Bearer token, or as both when they are the same."""
    for query, headers in (
        ({"auth": key}, {}),
        ({}, bearer(key)),
        ({"auth": key}, bearer(key)),
        ({"auth": ""}, bearer(key)),
    ):
        assert client.get(LIST, headers=headers, **query).status == 200
    assert client.get(LIST, headers={"Authorization": f"bearer   {key}"}).status == 200
    for name in ("Auth", "AUTH"):
        assert client.get(LIST, **{name: key}).status == 200
    for name in ("auth[]", "key", "api_key"):
        assert_refused(client.get(LIST, **{name: key}), 401, "missing-key")


@pytest.mark.rule("T14", "H5")
def test_two_keys_in_one_request_are_400(client, key):
    """Open: which of two keys counts. Neither: who checks the one and who uses the other must not be two."""
    for query in (
        f"auth={key}&auth={key}",
        f"auth={key}&auth=x",
        f"auth=&auth={key}",
        f"auth={key}&%61uth={key}",
        f"auth={key}&AUTH={key}",
    ):
        assert_refused(client.request("GET", LIST, query=query), 400, "duplicate-parameter", ["/auth"])
    for header, query in (("wrong", key), (key, "wrong"), (key.lower(), key)):
        reply = client.get(LIST, headers=bearer(header), auth=query)
        assert_refused(reply, 400, "bad-value", ["/auth"])


@pytest.mark.rule("T14")
def test_a_key_ends_at_once_when_it_is_revoked_or_has_expired(shop, client, clock):
    """Open: from when on a key is refused. From the next request on, in the words of any other that is not known."""
    lost = create_key(shop.store, shop.account, label="lost")
    short = create_key(shop.store, shop.account, expires=NOON + timedelta(seconds=10))
    assert [client.get(LIST, auth=one).status for one in (lost, short)] == [200, 200]
    (id,) = (one.id for one in list_keys(shop.store, shop.account) if one.label == "lost")
    revoke_key(shop.store, shop.account, id)
    refusals = [client.get(LIST, auth=lost)]
    clock.now = NOON + timedelta(seconds=9)
    assert client.get(LIST, auth=short).status == 200
    clock.now = NOON + timedelta(seconds=10)
    refusals.append(client.get(LIST, auth=short))
    clock.now = NOON
    refusals.append(client.get(LIST, auth="qk_" + "A" * 43))
    for reply in refusals:
        assert_refused(reply, 401, "unknown-key")
    assert len({(one.body, json.dumps(comparable(one.headers))) for one in refusals}) == 1


@pytest.mark.rule("H4")
def test_a_refused_key_says_how_keys_are_sent(client):
    for reply in (client.get(LIST), client.get(LIST, auth="x")):
        assert reply.headers["www-authenticate"] == 'ApiKey realm="qrkit"'


# Plans ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def planned():
    """A world for each plan: its app, and the key of an account on this plan that has records."""
    worlds = {}
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        world = World(shop)
        for plan in PLANS:
            account = shop.account if plan == "premium" else create_account(shop.store, f"on {plan}")
            account = change_plan(shop.store, account, plan)
            worlds[plan] = account, create_key(shop.store, account)
        yield world, worlds


@pytest.mark.rule("T13", "H4")
@pytest.mark.parametrize("plan", quick_first(PLANS, 2))
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_a_plan_includes_everything_but_files_on_the_free_one(planned, plan, endpoint):
    """Open: what a plan excludes. Import and export on the free one, with 403; everything else is for all."""
    world, plans = planned
    account, key = plans[plan]
    owner = type(world.shop)(world.store, account, base_url=BASE_URL)
    campaign = owner.insert_campaign("Spring")
    qrcode = owner.insert_qrcode(TARGET, campaign_id=campaign.id, name="Door")
    world.names |= {"campaign": campaign.id, "qrcode": qrcode.id}
    reply = world.send(endpoint, key)
    if plan == "free" and endpoint.number in EXCHANGE:
        assert_refused(reply, 403, "plan-required")
        assert "pro and premium" in reply.headers["x-api-error"]
    else:
        assert reply.status == 200, reply.text
    assert reply.headers["x-ratelimit-limit"] == str(PLANS[plan].requests_a_day)


@pytest.mark.rule("T13")
def test_another_plan_holds_for_the_next_request():
    """Open: from when on a changed plan holds. At once, in both directions."""
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        world = World(shop)
        statuses = []
        for plan in ("free", "pro", "free", "premium"):
            change_plan(shop.store, shop.account, plan)
            statuses.append(world.send(BY_NUMBER["11"]).status)
    assert statuses == [403, 200, 403, 200]


# Nobody makes a key over HTTP -----------------------------------------------------------------------------------------

WORDS = ["key", "keys", "auth", "account", "accounts", "user", "users", "login", "signup", "register", "token", "setup",
         "install", "admin", "session", "profile", "plan", "me", "oauth", "password", "reset", "bootstrap"]  # fmt: skip


def who_there_is(store):
    return [(one, list_keys(store, one)) for one in list_accounts(store)]


@pytest.mark.rule("T14")
def test_no_route_makes_accounts_or_keys(shop, client, key):
    """Open: who may make a key. Who holds the file, in Python or on the command line: a page for it would be found."""
    before = who_there_is(shop.store)
    for route in ROUTES:
        assert not re.search("|".join(WORDS[:-1]), re.sub("statistics|metrics", "", route.path))
    paths = [f"{start}{word}" for word in WORDS for start in (f"{API}/", f"{API}/track/", "/api/", "/")]
    for path in [*paths, *(f"{path}/1" for path in paths[:20])]:
        for method in ("POST", "PUT", "DELETE"):
            reply = client.request(method, path, query=f"auth={key}", body=b'{"name": "mallory", "plan": "premium"}')
            assert reply.status in (404, 405)
            assert_keeps_the_contract(reply)
        assert client.get(path, auth=key).status == 404
    assert who_there_is(shop.store) == before


@pytest.mark.rule("T14")
def test_no_request_makes_accounts_or_keys():
    """Nor does a key of one account change another, whatever is sent."""
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        world = World(shop)
        before = who_there_is(shop.store)
        mallory = {"content": "hi", "name": "mallory", "plan": "premium", "key": "qk_a", "account": "other"}
        body = json.dumps(mallory).encode()
        for endpoint in ENDPOINTS:
            for auth in ("", "<key>", "<free>", "qk_new"):
                world.send(endpoint, auth, body=body)
                world.send(endpoint, auth, query=f"{endpoint.query}plan=premium&account=other&key=qk_new&")
            world.renew()
        assert who_there_is(shop.store) == before


# Requests a day -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.rule("T13", "H3", "H4")
def test_a_plan_s_requests_a_day_are_exactly_so_many():
    """Open: what happens beyond a plan's requests. 429 until the next UTC day, everywhere; nothing else stops."""
    clock = Moment()
    most = PLANS["free"].requests_a_day
    reset = str(int(MIDNIGHT.timestamp()))
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        world = World(shop)
        app = make_app(shop.store, Settings(base_url=BASE_URL, access_log=False), clock=clock)
        client = Client(app)
        free = world.names["free"]
        query = f"auth={free}&x=1&x=1"
        assert client.request("GET", LIST, query=query).status == 400  # not counted: nobody's yet
        remaining = []
        for _ in range(most):
            reply = client.request("GET", f"{API}/track/export.csv", query=f"auth={free}")
            remaining.append(int(reply.headers["x-ratelimit-remaining"]))
            assert reply.status == 403
        assert remaining == list(range(most - 1, -1, -1))
        for endpoint in ENDPOINTS:
            reply = world.send(endpoint, free, client=Client(validator(app)))
            assert_refused(reply, 429, "rate-limited")
            assert int(reply.headers["retry-after"]) == 12 * 3600 + 1
            limits = {name: reply.headers[f"x-ratelimit-{name}"] for name in ("limit", "remaining", "reset")}
            assert limits == {"limit": str(most), "remaining": "0", "reset": reset}
        # Others go on, as do short URLs and what needs no key.
        assert client.get(LIST, auth=world.names["key"]).status == 200
        assert client.get(GENERATE, content="hi").status == 200
        assert client.get(f"/{world.names['code']}").status == 302
        clock.now = MIDNIGHT - timedelta(seconds=1)
        assert client.get(LIST, auth=free).headers["retry-after"] == "2"
        clock.now = MIDNIGHT
        reply = client.get(LIST, auth=free)
        assert (reply.status, reply.headers["x-ratelimit-remaining"]) == (200, str(most - 1))


@pytest.mark.rule("T13")
def test_eight_threads_share_a_plan_s_requests_exactly():
    """Open: requests that come at once. Counted one after the other: exactly the plan's number gets through."""
    counter, account = RequestCounter(), Account("f" * 32, "free rider", "free")
    most = PLANS["free"].requests_a_day
    together = Barrier(8)

    def ask(_):
        together.wait(timeout=30)
        found = []
        for _ in range(most // 4):
            try:
                found.append(counter.count(account, NOON).remaining)
            except TooManyRequests:
                found.append(None)
        return found

    with ThreadPoolExecutor(8) as pool:
        found = [one for part in pool.map(ask, range(8)) for one in part]
    assert sorted(one for one in found if one is not None) == list(range(most))
    assert found.count(None) == most
    assert counter.left(account, NOON).remaining == 0


# Requests of an address -----------------------------------------------------------------------------------------------


@pytest.fixture
def limited(shop):
    """An app that lets an address ask five times a minute, and a client of it."""
    return Client(
        validator(make_app(shop.store, Settings(base_url=BASE_URL, generates_a_minute=5, unknown_codes_a_minute=5)))
    )


def asked(client, times, path=GENERATE, **options):
    return [client.request("GET", path, **options) for _ in range(times)]


@pytest.mark.rule("H4")
def test_the_sixth_request_without_a_key_is_429_where_five_a_minute_are_allowed(limited, key):
    """Open: how often a stranger may ask. So many a minute and address; a key goes on, and so do other addresses."""
    hi, other = "content=hi&format=svg", "203.0.113.9"
    assert [one.status for one in asked(limited, 5, query=hi)] == [200] * 5
    (reply,) = asked(limited, 1, query=hi)
    assert_refused(reply, 429, "rate-limited")
    assert 1 <= int(reply.headers["retry-after"]) <= 13
    assert "API key" in reply.headers["x-api-error"]
    assert limited.request("POST", f"{API}/decode", body=b"x").status == 429
    assert [one.status for one in asked(limited, 9, query=f"{hi}&auth={key}")] == [200] * 9
    assert [one.status for one in asked(limited, 5, query=hi, address=other)] == [200] * 5
    assert limited.get(f"{API}/openapi.json").status == 200
    assert limited.get(f"{API}/health").status == 200


@pytest.mark.rule("H4", "T14")
def test_who_tries_keys_is_slowed_down_like_who_has_none(limited, key):
    """Open: guessing keys. It counts as asking without one, so that the sixth guess of a minute is not even judged."""
    assert [one.status for one in asked(limited, 5, path=LIST, query="auth=qk_guess")] == [401] * 5
    assert_refused(asked(limited, 1, path=LIST, query="auth=qk_guess")[0], 429, "rate-limited")
    assert asked(limited, 1, path=LIST, query=f"auth={key}")[0].status == 200


@pytest.mark.rule("H4")
def test_addresses_of_one_ipv6_network_count_as_one(limited):
    """Open: addresses that cost nothing. Those of one customer, a /64, share what an address may do."""
    hi = "content=hi&format=svg"

    def status(address):
        return limited.request("GET", GENERATE, query=hi, address=address).status

    assert [status(f"2001:db8:1:2::{number:x}") for number in range(1, 7)] == [200] * 5 + [429]
    assert status("2001:db8:1:3::1") == 200
    # IPv4 addresses that a socket for both writes as IPv6 stay as many customers.
    assert [status(f"::ffff:192.0.2.{number}") for number in range(1, 7)] == [200] * 6
    assert [status("::ffff:192.0.2.1"), *(status("192.0.2.1") for _ in range(4))] == [200] * 4 + [429]


@pytest.mark.rule("H4", "T8")
def test_who_tries_short_codes_is_stopped_and_leaves_no_trace_while_known_ones_go_on(shop, limited):
    """Open: trying codes one after the other. 429 after so many a minute; printed codes answer as ever."""
    live, gone = shop.insert_qrcode(TARGET), shop.insert_qrcode(TARGET)
    shop.delete_qrcode(gone.id)
    found = [limited.get(f"/tried{number}") for number in range(9)]
    assert [one.status for one in found] == [404] * 5 + [429] * 4
    for reply in found[5:]:
        assert_refused(reply, 429, "rate-limited")
        assert 1 <= int(reply.headers["retry-after"]) <= 13
    for path in ("/tried", "/tried/tail", "/tried+", "/tried.png"):
        assert limited.get(path).status == 429
    for _ in range(9):
        assert limited.get(f"/{live.short_code}").status == 302
        assert limited.get(f"/{gone.short_code}").status == 410
    assert limited.request("GET", "/tried", address="203.0.113.9").status == 404
    drain(shop.store)
    rows = shop.store.rows("SELECT short_code FROM visits WHERE kind = 'orphan' AND short_code LIKE 'tried%'")
    assert sorted(row["short_code"] for row in rows) == ["tried", *(f"tried{number}" for number in range(5))]


@pytest.mark.rule("H4")
def test_nobody_is_limited_where_the_operator_says_so(shop):
    client = Client(make_app(shop.store, Settings(generates_a_minute=0, unknown_codes_a_minute=0)))
    assert {one.status for one in asked(client, 50, path="/guess")} == {404}


def test_a_local_account_is_there_without_being_asked_for():
    with Store() as store:
        assert local_account(store).plan == "premium"
        assert list_keys(store, local_account(store)) == []
