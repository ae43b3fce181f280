"""What the service says of itself: its health (H7, T11), the ID of each request, and a line of its access log."""

import json
import logging
import re
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from urllib.parse import quote, unquote, urlencode
from urllib.request import urlopen
from wsgiref.validate import validator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import CannotWrite, NotFound, StoreBusy, StoreClosed, StoreReadOnly
from qrkit.portfolio.access import create_key, key_id, list_keys
from qrkit.server import Client, Server, Settings, make_app
from qrkit.server.operation.health import Health
from qrkit.store.recording.recorder import drain
from qrkit.store.store_settings import get_setting
from qrkit.visits.redirect import Redirects, Request
from tests.inboxes import failing, standing_still
from tests.server.test_errors import assert_keeps_the_contract

HEALTH = "/api/v3/health"
LIVE = "/api/v3/health/live"
TARGET = "https://example.com/spring"
NOON = datetime(2026, 3, 14, 12, 0, 0, 123_456, tzinfo=UTC)
QUIET = Settings(base_url="https://go.example.com", generates_a_minute=0, unknown_codes_a_minute=0)
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
ADDRESS = "203.0.113.77"


def asking(store):
    return Client(validator(make_app(store, QUIET, clock=lambda: NOON)), headers={"User-Agent": IPHONE})


def counted(client):
    found = client.get(HEALTH).json()
    return found["lost"], found["late"]


# The ID of a request --------------------------------------------------------------------------------------------------

PROXIED = QUIET.replace(trusted_proxies=["10.0.0.1"])
IDS = ["8f14e45fceea167a5a36dedd4bea2543", "1b4e28ba-2fa1-11d2-883f-0016d3cca427", "Root=1-67891233-abcdef", "x" * 128]


@pytest.mark.parametrize("given", IDS)
def test_the_id_that_a_trusted_proxy_gave_is_kept(shop, given):
    client = Client(make_app(shop.store, PROXIED))
    for path in (LIVE, "/api/v3/nothing", f"/{'x' * 20_000}"):
        reply = client.request("GET", path, address="10.0.0.1", headers={"X-Request-ID": given})
        assert reply.headers["x-request-id"] == given
    assert "X-Request-ID" in reply.headers["access-control-expose-headers"].split(", ")


@pytest.mark.rule("T14")
@pytest.mark.parametrize(
    ("given", "address"),
    [
        (IDS[0], "10.0.0.2"),
        (IDS[0], "not an address"),
        ("", "10.0.0.1"),
        ("x" * 129, "10.0.0.1"),
        ("two words", "10.0.0.1"),
        ('a"b', "10.0.0.1"),
        ("qk_0123456789012345678901234567890123456789012", "10.0.0.1"),
    ],
)
def test_any_other_id_is_replaced(shop, given, address):
    client = Client(make_app(shop.store, PROXIED))
    replies = [client.request("GET", LIVE, address=address, headers={"X-Request-ID": given}) for _ in range(2)]
    ids = {reply.headers["x-request-id"] for reply in replies}
    assert len(ids) == 2
    assert all(re.fullmatch("[0-9a-f]{16}", id) for id in ids)


# Health ---------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H7", "T11")
def test_health_tells_that_the_store_works_without_a_key(client):
    """Open: what health says. That the store can be read and written, the version, and what was lost or late."""
    reply = client.get(HEALTH)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert reply.json() == {"status": "ok", "version": version("qrkit-studio"), "lost": 0, "late": 0}
    assert reply.headers["cache-control"] == "no-store"
    assert "x-ratelimit-limit" not in reply.headers
    assert client.get(HEALTH, auth="qk_wrong", headers={"Authorization": "Bearer x"}).status == 200
    head = client.request("HEAD", HEALTH)
    assert (head.status, head.body) == (200, b"")


@pytest.mark.rule("H7")
def test_health_is_503_when_the_store_is_closed():
    """Open: a store that is gone. 503, with the words of every failure."""
    with open_portfolio(":memory:") as shop:
        client = asking(shop.store)
        assert client.get(HEALTH).status == 200
    reply = client.get(HEALTH)
    assert reply.status == 503
    assert reply.headers["x-api-error-code"] == "store-unavailable"
    assert reply.headers["cache-control"] == "no-store"
    assert reply.json()["detail"] == unquote(reply.headers["x-api-error"])
    assert (reply.json()["status"], reply.json()["lost"]) == (503, 0)
    live = client.get(LIVE)
    assert (live.status, live.json(), live.headers["cache-control"]) == (200, {"status": "ok"}, "no-store")


@pytest.mark.rule("H7")
@pytest.mark.needs("loopback")
def test_probes_wait_for_nothing_and_write_nothing():
    """Open: what probes cost. They are answered from memory, also while a long write keeps others out of the store."""
    with open_portfolio(":memory:") as shop, Server(shop, port=0, threads=4) as server:
        with urlopen(f"{server.url}{HEALTH}", timeout=20) as reply:
            assert json.load(reply)["status"] == "ok"
        with shop.store.database.visiting:  # as a bulk insert that takes long
            checked = get_setting(shop.store, "checked")
            assert checked
            for path in (HEALTH, LIVE) * 12:
                with urlopen(f"{server.url}{path}", timeout=20) as reply:
                    assert json.load(reply)["status"] == "ok"
            assert get_setting(shop.store, "checked") == checked


@pytest.mark.rule("H7", "T11")
def test_a_server_is_not_ready_for_a_minute_after_it_lost_a_visit(caplog):
    """Open: when a server is ready. Not while visits are lost, because another server may store them."""
    times = [0.0]
    with open_portfolio(":memory:") as shop:
        redirects = Redirects(shop.store)
        health = Health(shop.store, redirects, seconds=lambda: times[-1])
        assert health.problem == ""
        with failing(shop.store), pytest.raises(NotFound):
            redirects.answer(Request("GET", "nobody", {}))
        found = []
        for moment in (1.0, 61.0, 62.0):
            times.append(moment)
            found.append(health.problem)
        assert found == ["visits are being lost; please try again later"] * 2 + [""]
    told = [record.getMessage() for record in caplog.records if "ready" in record.getMessage()]
    assert told[0] == "this server is not ready: 1 visits were lost so far"
    assert len(told) == 1


@pytest.mark.rule("H7")
def test_a_check_that_does_not_end_makes_a_server_not_ready():
    times = [0.0]
    with open_portfolio(":memory:") as shop:
        health = Health(shop.store, Redirects(shop.store), seconds=lambda: times[-1])
        with health.checking():
            times.append(14.0)
            assert health.problem == ""
            times.append(16.0)
            assert health.problem == "the store does not answer now; please try again later"


SECRETS = ("secret-folder", "db.internal", "5432", "operator", "shop", "No space left", "Errno", "IO Error")


@pytest.mark.rule("H3", "H7")
@pytest.mark.parametrize(
    "error",
    [
        StoreBusy("postgresql://operator@db.internal:5432/shop does not answer: No space left on device"),
        StoreClosed("/secret-folder/shop.duckdb was closed; open it again"),
        StoreReadOnly("/secret-folder/shop.duckdb is a snapshot"),
        CannotWrite("/secret-folder/x cannot be written: [Errno 28] No space left on device"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_strangers_learn_nothing_about_the_store_and_the_log_has_all_of_it(shop, error, accept, caplog):
    """Open: what a failure of the store tells. Clients get a fixed sentence; the log has the message."""

    def broken(_url):
        raise error

    client = Client(make_app(shop.store, QUIET, shorteners={"broken": broken}), headers={"Accept": accept})
    reply = client.get("/api/v3/generate", content=TARGET, shorten="broken")
    assert_keeps_the_contract(reply)
    assert reply.status == 500
    assert not [word for word in SECRETS if word in unquote(reply.text + repr(reply.headers))]
    assert str(error) in caplog.text


@pytest.mark.rule("H3", "H7")
def test_no_answer_names_the_file_of_a_closed_store(tmp_path):
    folder = tmp_path / "secret-folder"
    folder.mkdir()
    with open_portfolio(folder / "shop.duckdb") as shop:
        key = create_key(shop.store, shop.account)
        client = asking(shop.store)
    for path in (HEALTH, "/api/v3/track/list", f"/api/v3/track/qrcode/{'0' * 32}", "/api/v3/track/export.csv"):
        reply = client.get(path, auth=key)
        assert reply.status == 503
        assert "secret-folder" not in unquote(reply.text + repr(reply.headers))


@pytest.mark.rule("H7", "T11")
def test_health_is_503_when_nothing_can_be_written_though_short_urls_work(tmp_path, caplog):
    """Open: a store that can only be read. It redirects, and says that it is not well."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        shop.insert_qrcode(TARGET, short_code="door")
    with open_portfolio(snapshot_of=path) as copy:
        client = asking(copy.store)
        reply = client.get(HEALTH)
        assert (reply.status, reply.headers["x-api-error-code"]) == (503, "store-unavailable")
        assert client.get("/door").headers["location"] == TARGET
        assert "could not be stored" in caplog.text
        assert client.get("/api/v3/generate", content="hi").status == 200


@pytest.mark.rule("T11")
def test_a_visit_that_cannot_be_stored_is_counted_as_lost(caplog):
    """Open: what becomes of a loss. The redirect happens; the loss is logged, and health counts it."""
    with open_portfolio(":memory:") as shop:
        code = shop.insert_qrcode(TARGET).short_code
        client = asking(shop.store)
        assert client.get(f"/{code}").status == 302
        assert counted(client) == (0, 0)
        with failing(shop.store):
            assert client.request("GET", f"/{code}", address=ADDRESS).headers["location"] == TARGET
            assert client.request("HEAD", f"/{code}").headers["location"] == TARGET
            assert counted(client) == (2, 0)
        assert client.request("GET", f"/{code}", address="203.0.113.78").status == 302
        assert counted(client) == (2, 0)
    losses = [one for one in caplog.records if "could not be stored" in one.getMessage()]
    assert len(losses) == 2
    assert ADDRESS not in caplog.text


@pytest.mark.slow
@pytest.mark.rule("T11")
def test_a_visit_that_is_not_durable_in_two_seconds_is_counted_as_late_and_stored_later(caplog):
    """Open: a disk that takes long. After 2 s the redirect happens; the visit is stored when the disk is done."""
    with open_portfolio(":memory:") as shop:
        record = shop.insert_qrcode(TARGET)
        client = asking(shop.store)
        with standing_still(shop.store):
            reply = client.get(f"/{record.short_code}")
        assert (reply.status, reply.headers["location"]) == (302, TARGET)
        assert counted(client) == (0, 1)
        assert "not yet durable" in caplog.text
        assert client.request("GET", f"/{record.short_code}", address=ADDRESS).status == 302
        assert shop.get_qrcode(record.id).scans == 2
        assert counted(client) == (0, 1)


@pytest.mark.rule("T11")
def test_an_operator_may_choose_to_turn_visitors_away():
    """Open: who cannot do without a scan. Strict answers 503 in place of a redirect that was not recorded."""
    with open_portfolio(":memory:") as shop:
        code = shop.insert_qrcode(TARGET).short_code
        client = Client(validator(make_app(shop.store, QUIET.replace(strict=True))), headers={"User-Agent": IPHONE})
        assert client.get(f"/{code}").status == 302
        with failing(shop.store):
            reply = client.get(f"/{code}", headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0"})
        assert (reply.status, reply.headers["x-api-error-code"]) == (503, "store-unavailable")
        assert counted(client)[0] == 1


# Access log -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lines():
    """Lines of the log, as long as the module lasts; not by caplog, for `qrkit serve` keeps them to itself."""
    found = []
    handler = logging.Handler()
    handler.emit = lambda record: found.append(record.getMessage())
    log = logging.getLogger("qrkit.access")
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    yield found
    log.removeHandler(handler)
    log.setLevel(level)


@pytest.fixture(scope="module")
def logged(lines):
    """Ask, and get the reply and the one line that was written."""

    def logged(client, method, path, **options):
        before = len(lines)
        reply = client.request(method, path, **options)
        (line,) = lines[before:]
        assert re.fullmatch(r"\{[ -~]*\}", line)
        return reply, line

    return logged


@pytest.mark.parametrize(
    ("method", "path", "query", "status", "error"),
    [
        ("GET", "/api/v3/generate", "content=hi&format=svg", 200, None),
        ("HEAD", "/api/v3/generate", "content=hi&format=svg", 200, None),
        ("GET", "/api/v3/generate", "", 400, "missing-parameter"),
        ("POST", "/api/v3/generate", "", 401, "missing-key"),
        ("GET", "/api/v3/track/list", "auth=qk_wrong", 401, "unknown-key"),
        ("GET", "/{code}", "utm=1", 302, None),
        ("GET", "/nobody", "", 404, "not-found"),
        ("PATCH", "/api/v3/generate", "", 405, "method-not-allowed"),
        ("OPTIONS", "/api/v3/generate", "", 204, None),
    ],
)
def test_each_request_is_one_line_of_json(shop, logged, method, path, query, status, error):
    path = path.format(code=shop.insert_qrcode(TARGET).short_code)
    reply, text = logged(asking(shop.store), method, path, query=query)
    line = json.loads(text)
    assert {name: line[name] for name in ("method", "path", "status")} == {
        "method": method, "path": path, "status": reply.status,
    }  # fmt: skip
    assert reply.status == status
    assert line["time"] == "2026-03-14T12:00:00Z"
    assert line["bytes"] == int(reply.headers.get("content-length", 0))
    assert isinstance(line["ms"], float)
    assert 0 <= line["ms"] < 60_000
    assert line["request"] == reply.headers["x-request-id"]
    assert line.get("error") == error == reply.headers.get("x-api-error-code")
    assert ("client" in line) == (status >= 400)
    assert line.keys() <= {"time", "request", "method", "path", "status", "bytes", "ms", "error", "client"}


@pytest.mark.rule("T14")
@pytest.mark.parametrize("how", ["auth", "bearer"])
def test_a_request_with_a_key_names_the_key_by_its_id(shop, logged, how):
    """Open: who asked. The id that the list of keys has, never the key."""
    key = create_key(shop.store, shop.account)
    options = {"query": f"auth={key}"} if how == "auth" else {"headers": {"Authorization": f"Bearer {key}"}}
    for path, status in (("list", 200), (f"qrcode/{'0' * 32}", 404), ("export.doc", 404)):
        reply, text = logged(asking(shop.store), "GET", f"/api/v3/track/{path}", **options)
        assert reply.status == status
        assert json.loads(text)["key"] == key_id(key) == list_keys(shop.store, shop.account)[-1].id
        assert key not in text
        assert key[3:] not in text


@pytest.mark.rule("T14")
def test_a_line_holds_neither_query_nor_key_nor_address_nor_header(shop, logged):
    """Open: what a log may keep. Nothing by which a key or a visitor could be known."""
    key, code = create_key(shop.store, shop.account), shop.insert_qrcode(TARGET).short_code
    headers = {"Referer": "https://secret.example/", "User-Agent": IPHONE, "X-Forwarded-For": "198.51.100.9"}
    client = asking(shop.store)
    places = [
        f"/{code}/{key}",
        f"/{key}",
        f"/{key}.png",
        f"/api/v3/track/qrcode/{key}",
        f"/api/v3/track/qrcode/x{key}{key}/y",
        f"/api/v3/{'x' * 190}{key}",
        "/" + quote(key),
    ]
    for path in places:
        for query in (f"auth={key}&secret=1", f"%61uth={key}&secret=1", ""):
            _, text = logged(client, "GET", path, query=query, headers=headers, address=ADDRESS)
            for secret in (key, key[3:], key[3:20], "secret", ADDRESS, "198.51.100.9", "Mozilla", "auth"):
                assert secret not in text
            assert json.loads(text)["path"].startswith(path[:10].partition("qk_")[0])


def test_refused_requests_of_one_client_have_the_same_mark_for_a_day(shop, logged):
    """A mark finds an abuser: an IPv4 address, or a whole /64 of IPv6; it is another one on the next day."""
    times = iter([NOON, NOON, NOON, NOON, NOON, NOON + timedelta(days=1)])

    def mark(address):
        client = Client(make_app(shop.store, QUIET, clock=lambda: moment))
        _, text = logged(client, "GET", "/api/v3/nothing", address=address)
        return json.loads(text)["client"]

    marks = []
    for address in ("203.0.113.7", "203.0.113.7", "203.0.113.8", "2001:db8::1", "2001:db8::2", "203.0.113.7"):
        moment = next(times)
        marks.append(mark(address))
    assert all(re.fullmatch("[0-9a-f]{12}", one) for one in marks)
    assert marks[0] == marks[1]
    assert marks[3] == marks[4]
    assert len(set(marks)) == 4


@pytest.mark.rule("T14")
@pytest.mark.parametrize("path", ["/{key}", "/{key}.png", "/{key}+", "/api/v3/{key}", "/api/v3/track/qrcode/{key}"])
@pytest.mark.parametrize("accept", ["text/html", "*/*"])
def test_a_key_in_a_path_is_in_no_answer_and_in_no_store(path, accept, caplog):
    """Open: a key at the wrong place. It is not repeated, and not kept: errors and visits are read by others."""
    with open_portfolio(":memory:") as shop:
        key = create_key(shop.store, shop.account)
        client = asking(shop.store)
        reply = client.get(path.format(key=key), auth=key, headers={"Accept": accept})
        assert (reply.status, reply.headers["x-api-error-code"]) == (400, "key-in-path")
        assert key not in reply.text + repr(reply.headers)
        drain(shop.store)
        assert key not in repr(shop.store.rows("SELECT short_code FROM visits"))
        assert key not in caplog.text


def test_the_log_can_be_switched_off(shop, lines):
    client, before = Client(make_app(shop.store, QUIET.replace(access_log=False))), len(lines)
    assert client.get(HEALTH).status == 200
    assert lines[before:] == []


def test_a_bug_has_a_line_with_its_word(shop, logged):
    def broken(_url):
        raise ZeroDivisionError

    app = make_app(shop.store, QUIET, shorteners={"broken": broken})
    query = urlencode({"content": TARGET, "shorten": "broken"})
    reply, text = logged(Client(app), "GET", "/api/v3/generate", query=query)
    assert_keeps_the_contract(reply)
    assert (json.loads(text)["status"], json.loads(text)["error"]) == (500, "internal")


def test_an_unknown_host_has_a_line_too(shop, logged):
    reply, text = logged(asking(shop.store), "GET", "/x", headers={"Host": "evil.example"})
    assert (reply.status, json.loads(text)["error"]) == (400, "unknown-host")
    assert "evil" not in text


@settings(max_examples=60)
@given(path=st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
@example(path="/0")
def test_any_path_is_one_line(shop, logged, path):
    reply, text = logged(asking(shop.store), "GET", "/" + path)
    line = json.loads(text)
    assert line["status"] == reply.status
    answered = "/" + path.lstrip("/")  # slashes at the beginning count as one
    assert answered.startswith(line["path"])
    assert len(line["path"]) == min(len(answered), 200)
