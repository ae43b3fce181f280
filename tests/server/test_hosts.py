"""NET-07: a name that is not ours is a browser that was led here by somebody's DNS."""

from urllib.parse import urlencode
from wsgiref.validate import validator

import pytest

from qrkit import open_portfolio
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app
from qrkit.store.recording.recorder import drain
from tests.server.test_errors import assert_keeps_the_contract

BASE_URL = "https://go.example.com:8443"
TARGET = "https://example.com/spring"
QUIET = {"generates_a_minute": 0, "unknown_codes_a_minute": 0}


def asked(shop, *hosts, base_url=BASE_URL):
    """A client of an app that takes these names."""
    return Client(validator(make_app(shop.store, Settings(base_url=base_url, hosts=hosts, **QUIET))))


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", base_url=BASE_URL) as portfolio:
        portfolio.insert_qrcode(TARGET, short_code="door")
        yield portfolio


@pytest.fixture(scope="module")
def client(shop):
    return asked(shop, "Shop.example", "xn--bcher-kva.example")


def status(client, host):
    """What a short URL and the interface answer under a name."""
    headers = {"Host": host}
    found = client.get("/door", headers=headers), client.get("/api/v3/health", headers=headers)
    assert found[0].status == {200: 302}.get(found[1].status, found[1].status)
    return found[1].status


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8443",
        "go.example.com.evil.example",
        "xgo.example.com",
        "example.com",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1.nip.io",
        "go.example.com@evil.example",
        "2130706433",
        "127.1",
        "0x7f.0.0.1",
        "*",
        " ",
        "[127.0.0.1",
        "[::1]evil.example",
        "[evil.example]",
        "127.0.0.1:80:evil.example",
        "localhost:evil.example",
    ],
)
def test_an_unknown_name_is_400_everywhere(client, host):
    for method, path in (
        ("GET", "/door"),
        ("GET", "/door.png"),
        ("GET", "/nobody"),
        ("GET", "/api/v3/generate"),
        ("GET", "/api/v3/health"),
        ("POST", "/api/v3/decode"),
        ("OPTIONS", "/api/v3/generate"),
        ("GET", "/no/such/path"),
    ):
        reply = client.request(method, path, headers={"Host": host})
        assert_keeps_the_contract(reply)
        assert (reply.status, reply.headers["x-api-error-code"]) == (400, "unknown-host")


def test_an_unknown_name_is_refused_before_a_visit_is_recorded(shop, client):
    drain(shop.store)
    before = shop.store.rows("SELECT count(*) FROM visits")
    assert client.get("/door", headers={"Host": "evil.example"}).status == 400
    drain(shop.store)
    assert shop.store.rows("SELECT count(*) FROM visits") == before


@pytest.mark.parametrize(
    "host",
    [
        "go.example.com",
        "go.example.com:8443",
        "go.example.com:80",
        "GO.Example.COM",
        "go.example.com.",
        "go.example.com.:8443",
        "localhost",
        "LOCALHOST:8080",
        "localhost.",
        "127.0.0.1",
        "127.0.0.1:8080",
        "192.168.1.20:8080",
        "[::1]",
        "[::1]:8080",
        "[2001:DB8::7]:8080",
        "shop.example",
        "SHOP.example:8080",
        "xn--bcher-kva.example",
    ],
)
def test_our_own_names_localhost_and_numbers_are_taken(client, host):
    assert status(client, host) == 200


def test_without_names_the_base_url_alone_is_taken(shop):
    client = asked(shop)
    assert [status(client, host) for host in ("go.example.com", "shop.example", "localhost")] == [200, 400, 200]


def test_a_star_takes_any_name(shop):
    client = asked(shop, "*")
    assert {status(client, host) for host in ("evil.example", "a.b.c:1", "[::1]", "go.example.com")} == {200}


def test_a_request_without_a_host_is_taken(shop, client):
    """HTTP/1.0 knows none, and what a browser sends always has one."""
    app = make_app(shop.store, Settings(base_url=BASE_URL, **QUIET))
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/door",
        "QUERY_STRING": "",
        "SERVER_NAME": "x",
        "SERVER_PORT": "1",
    }
    environ |= {"wsgi.url_scheme": "http", "wsgi.input": None, "wsgi.errors": None, "SERVER_PROTOCOL": "HTTP/1.0"}
    started = []
    b"".join(app(environ, lambda status, headers, exc_info=None: started.append((status, dict(headers)))))
    ((line, headers),) = started
    assert line.startswith("302")
    assert {name.lower(): value for name, value in headers.items()}["location"] == TARGET


@pytest.mark.parametrize(
    ("base_url", "host"),
    [
        ("http://[2001:db8::7]:8080", "[2001:db8::7]:8080"),
        ("http://192.168.1.20", "192.168.1.20"),
        ("https://go.example.com.", "go.example.com"),
        ("https://GO.example.com/q", "go.example.com"),
        ("https://bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_the_host_of_the_base_url_is_taken_as_a_browser_writes_it(shop, base_url, host):
    """Whoever scans a printed code comes under this name."""
    assert asked(shop, base_url=base_url).get("/door", headers={"Host": host}).status == 302


@pytest.mark.parametrize("name", ["shop.example.", "SHOP.EXAMPLE", "shop.example:8080", "bücher.example"])
def test_a_configured_name_is_taken_however_an_operator_writes_it(shop, name):
    host = "xn--bcher-kva.example" if name.startswith("b") else "shop.example"
    assert asked(shop, name).get("/door", headers={"Host": host}).status == 302


@pytest.mark.parametrize("host", ["localhost:9", "evil.example", "127.0.0.1"])
def test_nothing_that_is_answered_holds_the_name_that_was_asked(shop, host):
    client = asked(shop, "*")
    key = create_key(shop.store, shop.account)
    headers = {"Host": host, "X-Forwarded-Host": host, "Forwarded": f"host={host}"}

    def ask(method, path, body=b"", **query):
        asked = urlencode({**query, "auth": key})
        return client.request(method, f"/api/v3/{path}", query=asked, body=body, headers=headers)

    id = ask("POST", "track/qrcode", b'{"content": "https://example.com/spring"}').json()["id"]
    record = ask("GET", f"track/qrcode/{id}").json()
    assert record["shortUrl"].startswith(f"{BASE_URL}/")
    assert record["imageUrl"].startswith(f"{BASE_URL}/api/v3/generate?")
    replies = [
        ask("GET", f"track/qrcode/{id}"),
        ask("GET", "track/list"),
        ask("GET", "track/export.csv"),
        ask("GET", "generate", content=TARGET, shorten="local", format="svg"),
        ask("GET", "openapi.json"),
        client.get("/door", headers=headers),
        client.get("/door+", headers=headers),
        client.get("/door.svg", headers=headers),
        client.get("/nobody", headers=headers),
    ]
    assert [reply.status for reply in replies] == [200] * 5 + [302, 200, 200, 404]
    for reply in replies:
        assert host not in reply.text + repr(reply.headers)


def test_printed_codes_work_under_the_host_of_an_earlier_base_url(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb", base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://example.com/spring", short_code="door")
    with pytest.warns(UserWarning, match="began with https://go"):
        shop = open_portfolio(tmp_path / "shop.duckdb", base_url="https://new.example.com")
    with shop:
        client = Client(make_app(shop.store))
        for host, status in (("go.example.com", 302), ("new.example.com", 302), ("evil.example", 400)):
            assert client.get("/door", headers={"Host": host}).status == status
