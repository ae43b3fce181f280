"""Short URLs beside the redirect itself: pictures, looks, what is hung behind them, and what they answer to whom."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from urllib.parse import urlencode, urlsplit
from wsgiref.validate import validator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Portfolio, decode, generate, open_portfolio
from qrkit.drawing.untrusted.rasteriser import rasterise
from qrkit.portfolio.access import create_account, create_key
from qrkit.server import Client, Settings, make_app
from qrkit.store.recording.recorder import drain
from qrkit.tracking.records import PLANS
from qrkit.tracking.short_urls import new_id
from tests.server.test_errors import assert_keeps_the_contract
from tests.server.test_follow import Page, kinds

BASE_URL = "https://go.example.com"
TARGET = "https://example.com/spring"
NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
QUIET = Settings(base_url=BASE_URL, generates_a_minute=0, unknown_codes_a_minute=0)
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PAGE = "text/html; charset=utf-8"


@pytest.fixture(scope="module")
def client(shop):
    """Its clock stands still: two requests of it to a code are one scan, however long the machine takes."""
    return Client(validator(make_app(shop.store, QUIET, clock=lambda: NOON)), headers={"User-Agent": IPHONE})


def content_of(reply, side=0):
    """What a reader sees in a picture; of an svg, drawn with this side."""
    assert reply.status == 200, reply.text
    if not side:
        assert reply.headers["content-type"] == "image/png"
        return decode(reply.body)
    assert reply.headers["content-type"] == "image/svg+xml"
    return decode(Image.frombytes("RGBA", (side, side), rasterise(reply.body, side, side)))


# Pictures -------------------------------------------------------------------------------------------------------------

PROPERTIES = [
    {},
    {"ec": "H", "size": 3, "padding": 1, "version": 9},
    {"foreground": "#FF0B3D91", "background": "#FFFFF8E7", "size": 1, "padding": 0},
]


@pytest.mark.rule("T2")
@pytest.mark.parametrize("properties", PROPERTIES)
@pytest.mark.parametrize("urlinfo", ["", "Für uns"])
def test_the_picture_of_a_short_code_says_its_short_url_and_looks_as_the_record_says(shop, client, properties, urlinfo):
    """A fact: `{short url}.png` is the picture. With the record's properties, as svg too."""
    record = shop.insert_qrcode(TARGET, properties=properties, urlinfo=urlinfo)
    png, svg = (client.get(f"/{record.short_code}.{ext}") for ext in ("png", "svg"))
    found = content_of(png)
    assert found.content == record.encoded
    assert (found.ec, found.version) == (properties.get("ec", "M"), properties.get("version", found.version))
    side = (found.dimension + 2 * properties.get("padding", 4)) * properties.get("size", 8)
    assert Image.open(BytesIO(png.body)).size == (side, side)
    assert png.body == generate(record.encoded, **properties).to_bytes("png")
    assert svg.body == generate(record.encoded, **properties, modules={"union": False}).to_bytes("svg")
    assert content_of(svg, side).content == record.encoded
    for reply in (png, svg):
        assert reply.headers["cache-control"] == "public, max-age=300"
        assert reply.headers["x-robots-tag"] == "noindex, nofollow"
    again = client.get(f"/{record.short_code}.png", headers={"If-None-Match": png.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert client.get(f"/{record.short_code}.svg", headers={"If-None-Match": png.headers["etag"]}).body == svg.body


@pytest.mark.rule("T2", "X5")
def test_the_picture_of_a_static_code_says_its_content(shop, client):
    """Open: the picture of a code that is not dynamic. Its content, as its image URL has it."""
    record = shop.insert_qrcode("WIFI:S:net;T:WPA;P:secret;;", is_dynamic=False)
    assert content_of(client.get(f"/{record.short_code}.png")).content == "WIFI:S:net;T:WPA;P:secret;;"
    shop.update_qrcode(record.id, is_dynamic=True)
    assert content_of(client.get(f"/{record.short_code}.png")).content == record.short_url


@pytest.mark.rule("T2")
@pytest.mark.parametrize("properties", PROPERTIES)
def test_the_image_url_is_the_very_same_picture(shop, client, properties):
    """A fact: `imageUrl` is a generate URL. It and `{short url}.png` are one picture."""
    record = shop.insert_qrcode(TARGET, properties=properties, urlinfo="Für uns")
    url = urlsplit(record.image_url)
    assert f"{url.scheme}://{url.netloc}" == BASE_URL
    reply = client.request("GET", url.path, query=url.query)
    assert reply.body == client.get(f"/{record.short_code}.png").body
    in_svg = client.request("GET", url.path, query=f"{url.query}&format=svg")
    assert in_svg.body == client.get(f"/{record.short_code}.svg").body


@pytest.mark.rule("T2", "T9")
def test_a_picture_and_a_look_are_no_visits(shop, client):
    """Open: requests for a picture. Nobody scanned anything."""
    code = shop.insert_qrcode(TARGET).short_code
    for path in (f"/{code}.png", f"/{code}.svg", f"/{code}+", f"/{code}.pdf"):
        client.get(path)
        client.request("HEAD", path)
    client.get(f"/{code}", raw=1)
    assert kinds(shop, code) == []


@pytest.mark.rule("T2", "T6")
@pytest.mark.parametrize("tail", [".png", ".svg", "+"])
def test_a_picture_of_no_code_is_404_and_that_of_a_deleted_one_410(shop, client, tail):
    """Open: pictures that are not there. As the short URL itself: 404 for what never was, 410 for what was deleted."""
    record = shop.insert_qrcode(TARGET)
    assert client.get(f"/{record.short_code}{tail}").status == 200
    shop.delete_qrcode(record.id)
    for code, status, word in (("nobody", 404, "not-found"), (record.short_code, 410, "gone")):
        before = len(kinds(shop, code))
        reply = client.get(f"/{code}{tail}")
        assert (reply.status, reply.headers["x-api-error-code"]) == (status, word)
        assert_keeps_the_contract(reply)
        assert len(kinds(shop, code)) == before


@pytest.mark.parametrize("ext", ["gif", "jpg", "json", "html", "png.png", "p"])
def test_other_formats_of_a_short_code_are_404(shop, client, ext):
    code = shop.insert_qrcode(TARGET).short_code
    reply = client.get(f"/{code}.{ext}")
    assert (reply.status, reply.headers["x-api-error-code"]) == (404, "not-found")


@pytest.mark.rule("T2", "T13")
def test_codes_that_a_plan_hides_have_their_picture_and_lead_on(shop, client):
    """Open: pictures of what the plan does not show. Whoever printed the code may print it again."""
    account = create_account(shop.store, new_id())
    free = Portfolio(shop.store, account, base_url=BASE_URL)
    made = [free.insert_qrcode(TARGET, properties={"ec": "Q"}) for _ in range(PLANS["free"].most_qrcodes + 1)]
    assert (made[-2].is_available, made[-1].is_available) == (True, False)
    (row,) = shop.store.rows("SELECT short_code FROM qrcodes WHERE id = ?", [made[-1].id])
    code = row["short_code"]
    found = content_of(client.get(f"/{code}.png"))
    assert (found.content, found.ec) == (f"{BASE_URL}/{code}?q", "Q")
    drawn = generate(f"{BASE_URL}/{code}?q", ec="Q", modules={"union": False})
    assert client.get(f"/{code}.svg").body == drawn.to_bytes("svg")
    assert client.get(f"/{code}").headers["location"] == TARGET
    assert TARGET in client.get(f"/{code}+").text


# A look ---------------------------------------------------------------------------------------------------------------


def test_a_plus_shows_where_a_code_leads_without_going_there(shop, client):
    record = shop.insert_qrcode("http://example.com/spring?a=1&b=<2>")
    reply = client.get(f"/{record.short_code}+")
    assert (reply.status, reply.headers["content-type"]) == (200, PAGE)
    assert "location" not in reply.headers
    page = Page(reply)
    assert [link["href"] for link in page.links()] == ["http://example.com/spring?a=1&b=%3C2%3E"]
    assert "not counted" in reply.text
    assert reply.headers["cache-control"] == "private, no-store, max-age=0"
    assert shop.get_qrcode(record.id).scans == 0


def test_a_plus_shows_what_is_active_now(shop):
    moments = [NOON]
    client = Client(make_app(shop.store, QUIET, clock=lambda: moments[0]))
    event = {"content": "https://example.com/later", "date": NOON + SECOND}
    record = shop.insert_qrcode(TARGET, schedule=[event], is_schedule_enabled=True)
    assert TARGET in client.get(f"/{record.short_code}+").text
    moments[0] += SECOND
    assert "https://example.com/later" in client.get(f"/{record.short_code}+").text


@pytest.mark.rule("T8")
@pytest.mark.parametrize("content", [TARGET, "hello\n<b>", "tel:+39040", "javascript:alert(1)"])
def test_raw_gives_the_content_as_text(shop, client, content):
    """Open: how a program reads a content. As text, whatever it is, at ?raw=1."""
    code = shop.insert_qrcode(content).short_code
    for query in ("raw=1", "utm_source=x&raw=1", "raw=1&%FF"):
        reply = client.request("GET", f"/{code}", query=query)
        assert (reply.status, reply.body) == (200, content.encode())
        assert reply.headers["content-type"] == "text/plain; charset=utf-8"
        assert reply.headers["x-content-type-options"] == "nosniff"
    for query in ("raw=0", "raw", "draw=1", "raw=12"):
        assert client.request("GET", f"/{code}", query=query).body != content.encode()


# Targets of our own ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tail",
    [
        "{base}/other",
        "HTTPS://GO.Example.com/other",
        "{base}/other/tail?x=1#y",
        "{base}//other",
        "https://go.example.com:443/other",
        "http://go.example.com/other",
        "https://go.example.com./other",
        "{base}/api/../other",
        "{base}/api/%2e%2e/other",
        "{base}/api/v3/../../other",
    ],
)
def test_nobody_is_sent_from_one_short_url_to_another(shop, client, tail):
    """RED-12: it may lead back, and round forever; a person may still go there by hand."""
    if "other" not in {code.short_code for code in shop.list_qrcodes()}:
        shop.insert_qrcode("https://example.com/other", short_code="other")
    target = tail.format(base=BASE_URL)
    reply = client.get(f"/{shop.insert_qrcode(target).short_code}")
    assert (reply.status, reply.headers["content-type"]) == (200, PAGE)
    assert "location" not in reply.headers
    assert len(Page(reply).links()) == 1


@pytest.mark.rule("T1")
@pytest.mark.parametrize("tail", ["", "/", "/x", "/x/", "/x/y", "/x/y/z.png", "//", "/x//y", "/%2F", "/a+", "/api/v3"])
def test_whatever_follows_the_code_is_ignored(shop, client, tail):
    """Open: what the redirect does with words behind the code. Nothing: they are there for people."""
    code = shop.insert_qrcode("https://example.com/spring").short_code
    assert client.get(f"/{code}{tail}").headers["location"] == "https://example.com/spring"


@pytest.mark.parametrize("host", ["my.example", "MY.example:8080", "localhost", "localhost:1"])
def test_nobody_is_sent_round_by_another_of_our_names(host):
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(f"http://{host}/loop", short_code="loop")
        client = Client(make_app(shop.store, Settings(hosts=("my.example",))))
        assert client.get("/loop").status == 200


@pytest.mark.parametrize(
    "target",
    [
        f"{BASE_URL}/api/v3/generate?content=hi",
        f"{BASE_URL}/nobody-has-this",
        f"{BASE_URL}/api/v3/generate?content=../../x",
        "https://go.example.com.evil.example/other",
        "https://go.example.community/other",
        "https://other.example/https://go.example.com/x",
        "https://example.com/?next=https://go.example.com/x",
    ],
)
def test_other_targets_are_followed_and_so_are_our_pictures(shop, client, target):
    reply = client.get(f"/{shop.insert_qrcode(target).short_code}")
    assert (reply.status, reply.headers["location"]) == (302, target)


# What is hung behind a short URL --------------------------------------------------------------------------------------

QUERIES = {
    "utm": "utm_source=poster&utm_medium=qr",
    "twice": "a=1&a=2&auth=x&auth=y&auth=x",
    "no encoding": "%FF&%&%zz=%u1234&=&&&==",
    "bare bytes": "é=ü\xff",
    "long": "x=" + "y" * 20_000,
    "many": "&".join(f"a{number}=1" for number in range(200)),
    "a wrong key": "auth=qk_wrong&format=exe&content=",
    "fields of the interface": "size=99&version=x&keep=perhaps",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_whatever_is_hung_behind_a_printed_short_url_it_works(shop, client, query):
    record = shop.insert_qrcode(TARGET)
    for path in (f"/{record.short_code}", f"/{record.short_code}/tail"):
        reply = client.request("GET", path, query=query)
        assert (reply.status, reply.headers["location"]) == (302, TARGET)
        assert "x-ratelimit-limit" not in reply.headers
    for tail in (".png", ".svg", "+"):
        assert client.request("GET", f"/{record.short_code}{tail}", query=query).status == 200
    assert kinds(shop, record.short_code) == ["scan"]


@settings(max_examples=60)
@given(query=st.binary(max_size=60).map(lambda data: data.decode("latin-1")).filter(lambda query: "raw=1" not in query))
def test_any_bytes_as_a_query_lead_to_the_target(shop, client, query):
    code = shop.insert_qrcode(TARGET).short_code
    assert client.request("GET", f"/{code}", query=query).headers["location"] == TARGET


def test_a_query_too_long_is_refused_by_the_interface_alone(client):
    reply = client.request("GET", "/api/v3/generate", query=f"content=hi&{QUERIES['long']}")
    assert (reply.status, reply.headers["x-api-error-code"]) == (414, "uri-too-long")
    assert client.request("GET", "/api/v3/health", query=QUERIES["long"]).status == 200


# Errors, to people and to programs ------------------------------------------------------------------------------------


@pytest.mark.rule("H3")
@pytest.mark.parametrize("path", ["/nobody", "/nobody/tail", "/nobody.png", "/nobody+", "/a", "/a/b/c", "/{gone}"])
def test_a_browser_gets_a_page_and_a_program_json(shop, client, path):
    """Open: an error for people. A page where they may come to, with the same headers as for programs."""
    record = shop.insert_qrcode(TARGET)
    shop.delete_qrcode(record.id)
    path = path.format(gone=record.short_code)
    page = client.get(path, headers={"Accept": BROWSER})
    assert (page.status, page.headers["content-type"]) == (410 if record.short_code in path else 404, PAGE)
    assert "script" not in {tag for tag, _ in Page(page).tags}
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-robots-tag"] == "noindex, nofollow"
    for accept in ("*/*", "application/json", "image/png", ""):
        reply = client.get(path, headers={"Accept": accept})
        assert_keeps_the_contract(reply)
        for name in ("x-api-error", "x-api-error-code", "x-api-version"):
            assert reply.headers[name] == page.headers[name]
        assert (reply.status, reply.json()["code"]) == (page.status, page.headers["x-api-error-code"])


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v3/generate", 400),
        ("GET", "/api/v3/nothing", 404),
        ("GET", "/api/v2/generate", 404),
        ("GET", "/api/v3/track/list", 401),
        ("POST", "/api/v3/health", 405),
        ("GET", "/api/", 404),
        ("GET", "/api/v3", 404),
        ("GET", "/api/v2", 404),
    ],
)
def test_the_interface_answers_json_to_browsers_too(client, method, path, status):
    """Open: errors of the interface in a browser. JSON: whoever calls it reads that."""
    reply = client.request(method, path, headers={"Accept": BROWSER})
    assert reply.status == status
    assert_keeps_the_contract(reply)


def test_too_many_tries_are_told_to_a_browser_as_a_page(shop):
    client = Client(
        make_app(shop.store, Settings(base_url=BASE_URL, unknown_codes_a_minute=2)), headers={"Accept": BROWSER}
    )
    known = shop.insert_qrcode(TARGET).short_code
    replies = [client.get(f"/nobody{number}") for number in range(6)]
    assert {reply.status for reply in replies} == {404, 429}
    last = replies[-1]
    assert (last.status, last.headers["content-type"], last.headers["x-api-error-code"]) == (429, PAGE, "rate-limited")
    assert int(last.headers["retry-after"]) >= 1
    assert client.get(f"/{known}").status == 302


# Visits ---------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("T9")
@pytest.mark.parametrize(
    ("method", "headers", "kind"),
    [
        ("GET", {}, "scan"),
        ("HEAD", {}, "head"),
        ("GET", {"Purpose": "prefetch"}, "prefetch"),
        ("GET", {"Sec-Purpose": "prefetch;prerender"}, "prefetch"),
        ("GET", {"X-Purpose": "preview"}, "prefetch"),
        ("GET", {"X-Moz": "prefetch"}, "prefetch"),
        ("GET", {"Sec-Fetch-Dest": "image"}, "prefetch"),
        ("GET", {"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"}, "scan"),
        ("GET", {"User-Agent": "WhatsApp/2.23.20.0"}, "bot"),
        ("GET", {"User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"}, "bot"),
        ("GET", {"User-Agent": ""}, "bot"),
        ("OPTIONS", {}, None),
        ("POST", {}, None),
    ],
)
def test_persons_alone_are_scans(shop, client, method, headers, kind):
    """RED-07, RED-08: who only looks ahead is answered and kept apart."""
    record = shop.insert_qrcode(TARGET)
    reply = client.request(method, f"/{record.short_code}", headers=headers)
    assert reply.status == {"OPTIONS": 204, "POST": 405}.get(method, 302)
    assert kinds(shop, record.short_code) == ([kind] if kind else [])
    assert shop.get_qrcode(record.id).scans == (kind == "scan")


@pytest.mark.rule("T9")
def test_a_second_get_within_two_seconds_is_the_same_scan_unless_another_asks(shop):
    """RED-09: a reader that asks twice scanned once."""
    moments = [NOON]
    client = Client(make_app(shop.store, QUIET, clock=lambda: moments[0]), headers={"User-Agent": IPHONE})
    record = shop.insert_qrcode(TARGET)
    path = f"/{record.short_code}"
    for after, address, scans in ((0, "1.1.1.1", 1), (1.9, "1.1.1.1", 1), (0, "1.1.1.2", 2), (0.2, "1.1.1.1", 3)):
        moments[0] += timedelta(seconds=after)
        assert client.request("GET", path, address=address).status == 302
        assert shop.get_qrcode(record.id).scans == scans
    assert client.get(f"{path}/tail", headers={"User-Agent": IPHONE + " GSA/319"}).status == 302
    assert shop.get_qrcode(record.id).scans == 4


@pytest.mark.rule("T7", "T8")
@pytest.mark.parametrize(
    ("after", "target"),
    [(-SECOND, TARGET), (0 * SECOND, "https://example.com/later"), (SECOND, "https://example.com/later")],
)
def test_a_scheduled_change_happens_at_its_second(shop, after, target):
    """RED-06: before the second of an event the old content holds, from it on the new one."""
    client = Client(validator(make_app(shop.store, QUIET, clock=lambda: NOON + after)))
    event = {"content": "https://example.com/later", "date": "2026-03-14T13:00:00+01:00"}
    record = shop.insert_qrcode(TARGET, schedule=[event], is_schedule_enabled=True)
    reply = client.get(f"/{record.short_code}")
    assert (reply.status, reply.headers["location"]) == (302, target)
    assert client.get(f"/{record.short_code}", raw=1).text == target
    shop.update_qrcode(record.id, is_schedule_enabled=False)
    assert client.get(f"/{record.short_code}").headers["location"] == TARGET


def test_without_recording_short_urls_work_and_nothing_is_kept():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        client = Client(validator(make_app(shop.store, QUIET.replace(record_visits=False, strict=True))))
        record = shop.insert_qrcode(TARGET)
        gone = shop.insert_qrcode(TARGET)
        shop.delete_qrcode(gone.id)
        found = {code: client.get(f"/{code}").status for code in (record.short_code, gone.short_code, "nobody")}
        assert list(found.values()) == [302, 410, 404]
        assert client.get(f"/{record.short_code}").headers["location"] == TARGET
        drain(shop.store)
        assert shop.store.rows("SELECT * FROM visits") == []
        assert shop.store.rows("SELECT * FROM user_agents") == []
        assert shop.get_qrcode(record.id).scans == 0
        health = client.get("/api/v3/health").json()
        assert (health["lost"], health["late"]) == (0, 0)


# Shorten --------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("G19")
def test_head_with_shorten_makes_no_code(shop, client):
    """Open: HEAD where GET would store something. It has the headers of the answer, and changes nothing."""
    key = create_key(shop.store, shop.account)
    query = urlencode({"content": f"{TARGET}?head", "shorten": "local", "format": "svg", "auth": key})
    before = len(shop.list_qrcodes())
    asked = client.request("HEAD", "/api/v3/generate", query=query)
    assert (asked.status, asked.body, asked.headers["content-type"]) == (200, b"", "image/svg+xml")
    assert len(shop.list_qrcodes()) == before
    got = client.request("GET", "/api/v3/generate", query=query)
    made = shop.list_qrcodes()[before:]
    assert [one.content for one in made] == [f"{TARGET}?head"]
    assert got.body == generate(made[0].short_url, modules={"union": False}).to_bytes("svg")
    assert client.get(f"/{made[0].short_code}").headers["location"] == f"{TARGET}?head"
