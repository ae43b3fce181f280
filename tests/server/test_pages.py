"""Pages about the server itself: its home page, its documentation, and what browsers and crawlers ask for unasked."""

import re
import shlex
from html import escape
from html.parser import HTMLParser
from json import dumps, loads
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit
from urllib.robotparser import RobotFileParser

import pytest

from qrkit import open_portfolio
from qrkit.server import Client, Settings, make_app
from qrkit.server.pages.page_languages import LANGUAGES
from tests.server.test_errors import assert_keeps_the_contract
from tests.server.test_landing import MEASURE, SIZES, Page, browse
from tests.server.test_statuses import API, BASE_URL, CSV, PNG, World

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
HTML = "text/html; charset=utf-8"


@pytest.fixture(scope="module")
def world():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        yield World(shop)


@pytest.fixture(scope="module")
def docs(world):
    reply = world.client.get("/docs", headers=BROWSER)
    assert (reply.status, reply.headers["content-type"]) == (200, HTML)
    return reply.text


@pytest.fixture(scope="module")
def spec(world):
    return world.client.get(f"{API}/openapi.json").json()


def test_the_home_page_says_what_the_address_is_and_leads_to_the_documentation(world):
    reply = world.client.get("/", headers=BROWSER)
    assert (reply.status, reply.headers["content-type"]) == (200, HTML)
    page = Page(reply.body)
    assert page.heading() == "go.example.com"
    ((label, link),) = page.buttons().items()
    assert label == "Documentation for developers"
    assert world.client.get(link["href"]).headers["content-type"] == HTML
    assert "Door" not in reply.text


@pytest.mark.parametrize("tag", LANGUAGES)
def test_the_home_page_is_in_the_language_of_the_visitor(world, tag):
    text = world.client.get("/", headers=BROWSER | {"Accept-Language": tag}).text
    assert f'<html lang="{tag}">' in text
    assert ("Documentation for developers" in text) == (tag == "en")


@pytest.mark.parametrize("path", ["/", "/docs", f"{API}/docs"])
def test_pages_about_the_server_load_and_run_nothing_and_stay_out_of_search_results(world, path):
    reply = world.client.get(path, headers=BROWSER)
    tags = Page(reply.body).tags
    assert {"script", "img", "iframe", "form"}.isdisjoint(tag for tag, _ in tags)
    loaded = [given for tag, given in tags if tag == "link"]
    assert all(one["href"].startswith("data:image/svg+xml,") for one in loaded)
    assert reply.headers["content-security-policy"].startswith("default-src 'none'; ")
    assert reply.headers["x-robots-tag"] == "noindex, nofollow"
    assert "Accept" in reply.headers["vary"].split(", ")
    again = world.client.get(path, headers=BROWSER | {"If-None-Match": reply.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.rule("H3")
@pytest.mark.parametrize("accept", ["*/*", "application/json", ""])
@pytest.mark.parametrize(("path", "words"), [("/", "no page '/'"), ("/docs", "no short URL 'docs'")])
def test_programs_get_the_answers_that_they_always_got(world, path, words, accept):
    reply = world.client.get(path, headers={"Accept": accept})
    assert_keeps_the_contract(reply)
    assert (reply.status, reply.headers["x-api-error-code"]) == (404, "not-found")
    assert words in reply.json()["detail"]


def test_a_printed_code_named_docs_lives_on():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode("https://example.com/manual", short_code="docs")
        client = Client(make_app(shop.store, Settings(base_url=BASE_URL)), headers=BROWSER)
        assert client.get("/docs").headers["location"] == "https://example.com/manual"
        (link,) = Page(client.get("/").body).buttons().values()
        assert "HTTP interface" in client.get(link["href"]).text


def test_links_keep_the_path_of_the_base_url():
    with open_portfolio(":memory:", base_url="https://example.com/qr") as shop:
        client = Client(make_app(shop.store, Settings(base_url=shop.base_url)), headers=BROWSER)
        (link,) = Page(client.get("/").body).buttons().values()
        assert link["href"] == f"/qr{API}/docs"


def test_crawlers_may_follow_short_urls(world):
    reply = world.client.get("/robots.txt")
    assert (reply.status, reply.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    robots = RobotFileParser()
    robots.parse(reply.text.splitlines())
    assert robots.can_fetch("Twitterbot", f"{BASE_URL}/{world.names['code']}")


def test_what_browsers_ask_for_by_themselves_is_no_try_to_guess_a_code():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        client = Client(make_app(shop.store, Settings(base_url=BASE_URL, unknown_codes_a_minute=1)))
        for _ in range(3):
            assert client.get("/favicon.ico", headers={"Accept": "image/avif,image/webp,*/*"}).status == 404
        assert client.get("/nobody").status == 404
        assert client.get("/nobody").status == 429


@pytest.mark.parametrize("path", ["/favicon.ico", "/a%20b", "/.well-known/x", "/wp-login.php"])
def test_a_browser_on_an_address_of_no_code_is_not_told_to_scan(world, path):
    page = Page(world.client.get(path, headers=BROWSER).body)
    assert page.heading() == "There is no such page"
    assert "can" not in " ".join(page.texts["p"])


# Documentation --------------------------------------------------------------------------------------------------------


class Places(HTMLParser):
    """The ids of a page, and where its links lead."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if tag == "a" else []


def test_the_documentation_has_all_operations_parameters_and_objects(docs, spec):
    for path, item in spec["paths"].items():
        assert path in docs.replace("<wbr>", "")
        for operation in item.values():
            assert f'id="{operation["operationId"]}"' in docs
            assert escape(operation["summary"]) in docs
            assert all(f"<dt><code>{one['name']}</code>" in docs for one in operation["parameters"])
    for name, schema in spec["components"]["schemas"].items():
        assert f'id="object-{name}"' in docs
        assert all(f"<dt><code>{field}</code>" in docs for field in schema.get("properties", ()))


def test_every_link_of_the_documentation_leads_somewhere(docs):
    places = Places(docs)
    assert len({*places.ids}) == len(places.ids)
    assert {one.removeprefix("#") for one in places.links if one.startswith("#")} <= {*places.ids}
    assert {one for one in places.links if not one.startswith("#")} == {f"{BASE_URL}{API}/openapi.json"}


def samples(docs, pattern):
    return [Page(f"<pre>{one}</pre>".encode()).texts["pre"][0] for one in re.findall(pattern, docs, re.DOTALL)]


def assert_works(world, method, address, *, query="", key="", body=b""):
    """Send what an example sends, with ids and a key of a store in the place of those that are made up."""
    parts = urlsplit(address)
    id = world.names["campaign" if "/campaign/" in parts.path else "qrcode"]
    if "/webhooks/" in parts.path:
        id = world.shop.webhooks.add("https://127.0.0.1/").id  # this machine, which is refused, so that nothing is sent
    path = re.sub("[0-9a-f]{32}", id, parts.path).replace("x7Kq2B", world.names["code"])
    body = body.replace(b"x7Kq2B", world.names["code"].encode())
    headers = {"Authorization": key} if key else {}
    reply = world.client.request(method, path, query=query or parts.query, headers=headers, body=body)
    world.renew()
    assert reply.status in (200, 302), (method, address, reply.text)


@pytest.mark.slow
def test_the_examples_of_curl_work_as_they_are(world, docs):
    files = {"@code.png": PNG, "@posters.csv": CSV}
    found = samples(docs, r'<pre class="command">(.*?)</pre>')
    assert len(found) > 20
    for text in found:
        command, *words = shlex.split(text.replace("\\\n", "").replace("$QRKIT_KEY", world.names["key"]))
        assert command == "curl"
        (address,) = [one for one in words if one.startswith("http")]
        words.remove(address)
        options = [*zip(words[::2], words[1::2], strict=True)]
        given = dict(options)
        body = given.get("-d", "").encode() or files.get(given.get("--data-binary"), b"")
        (key,) = [value[15:] for _, value in options if value.startswith("Authorization: ")] or [""]
        assert_works(world, given.get("-X", "POST" if body else "GET"), address, key=key, body=body)


class Requests:
    """Stands for the library in the examples, and sends what they send to an app."""

    def __init__(self, world):
        self.world = world

    def __getattr__(self, method):
        def send(address, *, params=None, headers=None, json=None, data=None):
            body = dumps(json).encode() if json else data or b""
            key = (headers or {}).get("Authorization", "")
            assert_works(self.world, method.upper(), address, query=urlencode(params or {}), key=key, body=body)
            return SimpleNamespace(raise_for_status=lambda: None, json=dict, content=b"")

        return send


@pytest.mark.slow
def test_the_examples_of_python_work_as_they_are(world, docs):
    files = {"code.png": PNG, "posters.csv": CSV}
    found = samples(docs, r'<summary>Python</summary><pre tabindex="0">(.*?)</pre>')
    assert len(found) > 20
    for text in found:
        names = {
            "requests": Requests(world),
            "key": world.names["key"],
            "print": list,
            "open": lambda name, _: files[name],
        }
        exec(text, names | {"Path": lambda _: SimpleNamespace(write_bytes=len)})


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize(("mode", "scheme"), [(1, "light"), (0, "dark")])
def test_the_documentation_fits_every_screen_and_is_readable(tmp_path, docs, mode, scheme):
    frames = "".join(
        f'<iframe name="docs {width}" srcdoc="{escape(docs)}" width={width} height={height} '
        f'style="border:0;color-scheme:{scheme}"></iframe>'
        for width, height in SIZES
    )
    sheet = tmp_path / "sheet.html"
    sheet.write_text(f'<!doctype html><meta charset="utf-8"><script>{MEASURE}</script>{frames}', encoding="utf-8")
    dom = browse(sheet.as_uri(), tmp_path, "dump-dom", f"blink-settings=preferredColorScheme={mode}")
    found = loads(re.search("<body>(.*)</body>", dom, re.DOTALL)[1])
    assert len(found) == len(SIZES)
    for one in found:
        assert one["needs"] <= one["width"], one
        assert one["contrast"] >= 4.5, one
        assert one["smallest"] >= 12, one
