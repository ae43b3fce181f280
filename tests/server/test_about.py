"""What the service says of itself: its health (H7, T11), and a line of its access log for each request."""

import json
import logging
import re
from datetime import UTC, datetime
from importlib.metadata import version
from urllib.parse import quote, urlencode
from wsgiref.validate import validator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.portfolio.access import create_key, key_id, list_keys
from qrkit.server import Client, Settings, make_app
from qrkit.store.recording import drain
from tests.server.test_errors import assert_keeps_the_contract

HEALTH = "/api/v3/health"
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
    assert reply.json()["status"] == 503


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
        shop.store.execute("ALTER TABLE visits RENAME TO gone")
        assert client.request("GET", f"/{code}", address=ADDRESS).headers["location"] == TARGET
        assert client.request("HEAD", f"/{code}").headers["location"] == TARGET
        assert counted(client) == (2, 0)
        shop.store.execute("ALTER TABLE gone RENAME TO visits")
        assert client.request("GET", f"/{code}", address="203.0.113.78").status == 302
        assert counted(client) == (2, 0)
    losses = [one for one in caplog.records if "could not be stored" in one.getMessage()]
    assert len(losses) == 2
    assert ADDRESS not in caplog.text


@pytest.mark.rule("T11")
def test_a_visit_that_is_not_durable_in_two_seconds_is_counted_as_late_and_stored_later(caplog):
    """Open: a disk that takes long. After 2 s the redirect happens; the visit is stored when the disk is done."""
    with open_portfolio(":memory:") as shop:
        record = shop.insert_qrcode(TARGET)
        client = asking(shop.store)
        with shop.store.database.visiting:  # as a commit that does not end
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
        shop.store.execute("ALTER TABLE visits RENAME TO gone")
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
    assert line.get("error") == error == reply.headers.get("x-api-error-code")
    assert line.keys() <= {"time", "method", "path", "status", "bytes", "ms", "error"}


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
def test_any_path_is_one_line(shop, logged, path):
    reply, text = logged(asking(shop.store), "GET", "/" + path)
    line = json.loads(text)
    assert line["status"] == reply.status
    assert ("/" + path).startswith(line["path"])
    assert len(line["path"]) == min(len(path) + 1, 200)
