import re
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from html.parser import HTMLParser
from wsgiref.validate import validator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.server import Client, Settings, make_app
from qrkit.store.recording.recorder import drain
from qrkit.tracking.records import Place
from tests.inboxes import failing
from tests.server.raw import comparable

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
TARGET = "https://example.com/spring"
CARD = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana Žnidaršič\r\nNOTE:<b>"&\r\nEND:VCARD\r\n'
CALENDAR = "\n".join(
    (
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20260101T000000Z", "SUMMARY:Ö",
        "END:VEVENT", "END:VCALENDAR",
    )
)  # fmt: skip
HOSTILE = "\"'><script>document.title='ran'</script><img src=x onerror=alert(1)></pre></title>&lt;{{7*7}}"


@pytest.fixture(scope="module")
def client(shop):
    return Client(
        validator(
            make_app(shop.store, Settings(base_url=shop.base_url, generates_a_minute=0, unknown_codes_a_minute=0))
        ),
        headers={"User-Agent": IPHONE},
    )


def follow(shop, client, content):
    return client.get(f"/{shop.insert_qrcode(content).short_code}")


def kinds(shop, short_code):
    drain(shop.store)
    rows = shop.store.rows("SELECT kind FROM visits WHERE short_code = ? ORDER BY time", [short_code])
    return [row["kind"] for row in rows]


class Page(HTMLParser):
    """What a browser would make of a page: tags with their attributes, and texts by the tag they are in."""

    def __init__(self, reply):
        super().__init__()
        self.tags, self.texts, self.inside = [], {}, ""
        self.feed(reply.text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        self.texts[self.inside] = self.texts.get(self.inside, "") + data

    def links(self):
        return [attributes for tag, attributes in self.tags if tag == "a"]


@pytest.mark.rule("T8")
@pytest.mark.parametrize(
    ("content", "location"), [(TARGET, TARGET), ("HTTPS://Example.com/ü?a=b c", "https://example.com/%C3%BC?a=b%20c")]
)
def test_a_web_address_is_answered_with_302_that_nobody_keeps(shop, client, content, location):
    """Open: which redirect. 302 and not kept: a later content must reach those who scanned before, and be counted."""
    reply = follow(shop, client, content)
    assert (reply.status, reply.headers["location"], reply.body) == (302, location, b"")
    assert reply.headers["cache-control"] == "private, no-store, max-age=0"
    assert reply.headers["x-robots-tag"] == "noindex, nofollow"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["x-api-version"] == "3.0"
    assert "x-api-error" not in reply.headers


@pytest.mark.rule("T1", "T2", "T8")
def test_what_follows_the_code_is_ignored(shop, client):
    """Open: the readable tail. It is for people: whatever stands there, an old print with an old tail leads on."""
    code = shop.insert_qrcode(TARGET, urlinfo="Spring window").short_code
    paths = [f"/{code}", f"/{code}/", f"/{code}/spring-window", f"/{code}/something-else", f"/{code}/f%C3%BCr"]
    paths += [f"/{code}/für", f"/{code}/a.png"]
    assert {client.get(path).headers["location"] for path in paths} == {TARGET}
    assert client.request("GET", f"/{code}", query="utm_source=x&a=1&a=2&%FF").headers["location"] == TARGET


WAYS = (
    {},
    {"Accept": "text/html", "Accept-Language": "de"},
    {"Accept": "application/json", "Origin": "https://evil.example"},
    {"If-None-Match": "*", "Range": "bytes=0-1"},
    {"Purpose": "prefetch"},
    {"Content-Length": "7"},
    {"Host": "evil.example"},
)


@pytest.mark.parametrize("headers", WAYS, ids=str)
def test_a_short_url_is_answered_alike_with_and_without_a_tail(shop, client, headers):
    """Without one, it takes a shorter way through the server."""
    deleted = shop.insert_qrcode(TARGET)
    shop.delete_qrcode(deleted.id)
    codes = ["nobody", deleted.short_code, *(shop.insert_qrcode(text).short_code for text in (TARGET, "hello", CARD))]
    for code in codes:
        for method in ("GET", "HEAD"):
            short, full = (
                client.request(method, f"/{code}{tail}", query="a=%FF", headers=headers) for tail in ("", "/")
            )
            assert (short.status, short.text) == (full.status, full.text.replace(f"/{code}/", f"/{code}"))
            told = [{name: value for name, value in one.headers.items() if name != "x-request-id"}
                    for one in (short, full)]  # fmt: skip
            assert told[0] == told[1]


def test_a_path_without_its_slash_is_not_cut(shop):
    """As some servers of WSGI give it."""
    app = make_app(shop.store, Settings(base_url=shop.base_url))
    shop.insert_qrcode(TARGET, short_code="xylophone")
    shop.insert_qrcode("https://example.com/wrong", short_code="ylophone")
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "xylophone", "QUERY_STRING": "", "wsgi.url_scheme": "https"}
    environ |= {
        "SERVER_NAME": "x",
        "SERVER_PORT": "1",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.input": None,
        "wsgi.errors": None,
    }
    found = []
    b"".join(app(environ, lambda status, headers, exc_info=None: found.append(dict(headers))))
    assert [headers.get("location", headers.get("Location")) for headers in found] == [TARGET]


@pytest.mark.rule("T8", "H4")
@pytest.mark.parametrize("path", ["/nobody", "/nobody/tail", "/k3Jd9Qa"])
def test_an_unknown_code_is_404_and_an_orphan(shop, client, path):
    """Open: a code nobody has. 404, and the visit is kept as an orphan."""
    code = path.split("/")[1]
    before = len(kinds(shop, code))
    reply = client.get(path)
    assert (reply.status, reply.headers["x-api-error-code"]) == (404, "not-found")
    assert kinds(shop, code)[before:] == ["orphan"]


@pytest.mark.parametrize(
    "path",
    ["/", "/api", "/api/v3", "/api/x", "/favicon.ico", "/ab%20c", "/dö or", "/" + "x" * 201, "/.."],
)
def test_what_can_be_no_code_is_404_and_no_visit(shop, client, path):
    drain(shop.store)
    before = shop.store.rows("SELECT count(*) FROM visits")
    assert client.get(path).status == 404
    drain(shop.store)
    assert shop.store.rows("SELECT count(*) FROM visits") == before


@pytest.mark.rule("T9")
def test_head_is_answered_like_get_but_not_counted(shop, client):
    """Open: HEAD. The same headers, no body, no scan."""
    for content in (TARGET, "hello"):
        code = shop.insert_qrcode(content).short_code
        got, asked = client.get(f"/{code}"), client.request("HEAD", f"/{code}")
        assert (asked.status, comparable(asked.headers), asked.body) == (got.status, comparable(got.headers), b"")
        assert kinds(shop, code) == ["scan", "head"]


@pytest.mark.rule("T9", "T10")
def test_headers_and_address_of_the_request_reach_the_visit(shop):
    """Open: what is taken from a request. Its headers, and the address of the connection."""
    moment = datetime(2026, 3, 14, 12, tzinfo=UTC)
    places = {"203.0.113.7": Place("SI", city="Koper")}
    app = make_app(shop.store, clock=lambda: moment, locate=lambda address: places.get(address, Place("XX")))
    client = Client(validator(app), address="203.0.113.7", headers={"User-Agent": IPHONE})
    code = shop.insert_qrcode(TARGET).short_code
    client.get(
        f"/{code}",
        headers={"Referer": "https://news.example/x", "Accept-Language": "sl", "X-Forwarded-For": "192.0.2.1"},
    )
    client.get(f"/{code}", headers={"Sec-Purpose": "prefetch"})
    client.get(f"/{code}", headers={"User-Agent": "curl/8"})
    drain(shop.store)
    found = shop.store.rows(
        "SELECT kind, referrer, language, country, city, time FROM visits WHERE short_code = ?", [code]
    )
    assert [row["kind"] for row in found] == ["scan", "prefetch", "bot"]
    assert tuple(found[0].values())[1:] == ("news.example", "sl", "SI", "Koper", moment.replace(tzinfo=None))


@pytest.mark.rule("T9")
def test_two_requests_at_once_are_one_scan(shop):
    """Open: readers that ask twice. Less than 2 s apart it was one scan; both requests are answered."""
    moments = [datetime(2026, 3, 14, 12, tzinfo=UTC)]
    client = Client(make_app(shop.store, clock=lambda: moments[0]), headers={"User-Agent": IPHONE})
    record = shop.insert_qrcode(TARGET)
    for seconds in (0, 1, 2):
        assert client.get(f"/{record.short_code}").status == 302
        moments[0] += timedelta(seconds=seconds)
    assert shop.get_qrcode(record.id).scans == 1
    assert client.get(f"/{record.short_code}").status == 302
    assert shop.get_qrcode(record.id).scans == 2


@pytest.mark.rule("T8")
@pytest.mark.parametrize(
    ("content", "link"),
    [
        ("tel:+39 040", "tel:+39%20040"),
        ('mailto:a@example.com?subject="><b>', "mailto:a@example.com?subject=%22%3E%3Cb%3E"),
        ("sms:+39040", "sms:+39040"),
        ("geo:45.6497,13.7681", "https://maps.apple.com/?q=45.6497%2C13.7681&ll=45.6497%2C13.7681"),
        ("hello", None),
        ("WIFI:S:net;;", None),
        ("javascript:alert(1)", None),
        ("data:text/html,<script>alert(1)</script>", None),
        ("https://user:pw@example.com/", None),
        (HOSTILE, None),
    ],
)
def test_other_content_is_a_page_that_shows_it_with_a_link_where_that_is_safe(shop, client, content, link):
    """Open: contents that are no web address. They are shown as text, with a link where it is safe."""
    reply = follow(shop, client, content)
    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert reply.headers["cache-control"] == "private, no-store, max-age=0"
    page = Page(reply)
    assert page.texts["pre"] == content
    assert [found["href"] for found in page.links()] == ([link] if link else [])
    assert "download" not in repr(page.links())


@pytest.mark.rule("T8")
@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (CARD, "contact.vcf", "text/vcard"),
        (CALENDAR, "event.ics", "text/calendar"),
    ],
)
def test_a_contact_or_an_event_can_be_saved_as_it_is(shop, client, content, name, media_type):
    """Open: vCard and iCalendar. A file to save with the very bytes, which phones open in contacts and calendar."""
    code = shop.insert_qrcode(content)
    page = client.get(f"/{code.short_code}")
    saving = [link for link in Page(page).links() if link["href"] == "?raw=1" and link.get("download") == name]
    assert len(saving) == 1
    file = client.get(f"/{code.short_code}/tail", raw=1)
    assert (file.status, file.headers["content-type"], file.body) == (
        200,
        f"{media_type}; charset=utf-8",
        content.encode(),
    )
    assert file.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert file.headers["cache-control"] == "private, no-store, max-age=0"
    assert kinds(shop, code.short_code) == ["scan"]


@pytest.mark.rule("T8")
@pytest.mark.parametrize("content", ["hello", "WIFI:S:net;P:secret;;"])
def test_a_page_may_run_nothing_but_its_own_script_and_open_its_link(shop, client, content):
    """Open: what the page may do. Run its one script; but a sandbox would keep its link and file from opening."""
    reply = follow(shop, client, content)
    policy = reply.headers["content-security-policy"]
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    assert rules["default-src"] == ["'none'"]
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == ["'none'"]
    assert "sandbox" not in rules
    assert "navigate-to" not in rules
    assert [rule for rule in rules["script-src"] if not re.fullmatch("'sha256-[A-Za-z0-9+/]{43}='", rule)] == []
    for script in re.findall("<script[^>]*>(.*?)</script>", reply.text, re.DOTALL):
        digest = b64encode(sha256(script.encode()).digest()).decode()
        assert rules["script-src"] == [f"'sha256-{digest}'"]
    assert ("<script" in reply.text) == content.startswith("WIFI")
    assert "sandbox" in client.get("/api/v3/generate", content="hi").headers["content-security-policy"]
    assert "sandbox" in client.get("/api/v3/generate", content="hi", format="html").headers["content-security-policy"]


@pytest.mark.rule("T8")
def test_an_event_alone_is_saved_as_a_calendar(shop, client):
    """Open: vCard and iCalendar. Calendar apps want a whole calendar, so that a bare event gets one around it."""
    event = "BEGIN:VEVENT\nSUMMARY:Opening\nDTSTART:20260614T180000Z\nEND:VEVENT"
    code = shop.insert_qrcode(event)
    file = client.get(f"/{code.short_code}", raw=1)
    assert file.headers["content-type"] == "text/calendar; charset=utf-8"
    assert file.headers["content-disposition"] == 'attachment; filename="event.ics"'
    lines = file.text.split("\r\n")
    assert lines[:2] == ["BEGIN:VCALENDAR", "VERSION:2.0"] and lines[-2:] == ["END:VCALENDAR", ""]
    assert client.get(f"/{code.short_code}", raw=1).body == file.body


def test_the_secret_of_a_one_time_password_is_served_to_nobody(shop, client):
    code = shop.insert_qrcode("otpauth://totp/Shop:ada?secret=JBSWY3DP", is_dynamic=False).short_code
    for path in (f"/{code}", f"/{code}+"):
        assert "JBSWY3DP" not in client.get(path).text
        assert client.get(path, raw=1).status == 404


def test_pages_are_in_the_language_of_the_visitor_and_caches_know_it(shop, client):
    code = shop.insert_qrcode("tel:+39040").short_code
    for path in (f"/{code}", f"/{code}+", "/nobody"):
        accepting = {"Accept": "text/html", "Accept-Language": "pl,en;q=0.5"}
        reply = client.get(path, headers=accepting)
        assert reply.headers["vary"] == "Accept-Language"
        assert "no-store" in reply.headers["cache-control"]
        assert '<html lang="pl">' in reply.text
        assert '<html lang="en">' in client.get(path, headers={"Accept": "text/html"}).text


@settings(max_examples=50)
@given(st.one_of(st.text(min_size=1, max_size=40), st.text("<>&\"'/= abconerrscipt-!{}%;\n", min_size=1, max_size=60)))
def test_any_content_stays_text(shop, client, content):
    path = f"/{shop.insert_qrcode(content).short_code}"
    reply = client.get(path)
    if reply.status == 302:
        return
    assert not {tag for tag, _ in Page(reply).tags} & {"script", "img", "iframe", "object", "embed", "form", "base"}
    assert not [name for _, attributes in Page(reply).tags for name in attributes if name.startswith("on")]
    raw = client.get(path, raw=1)
    assert (raw.headers["content-type"].partition(";")[0], raw.body) == ("text/plain", content.encode())


@pytest.mark.rule("T8")
def test_a_changed_content_is_followed_at_once(shop, client):
    """Open: whether anything is kept in between. No: a printed code follows its content the moment that changes."""
    record = shop.insert_qrcode(TARGET)
    assert client.get(f"/{record.short_code}").headers["location"] == TARGET
    shop.update_qrcode(record.id, content="https://example.com/summer")
    assert client.get(f"/{record.short_code}").headers["location"] == "https://example.com/summer"


@pytest.mark.rule("T13")
def test_a_short_url_needs_no_key_and_no_plan(shop, client):
    """Open: short URLs of accounts beyond their plan. They go on working, without a key."""
    reply = client.get(
        f"/{shop.insert_qrcode(TARGET).short_code}", auth="wrong", headers={"Authorization": "Bearer wrong"}
    )
    assert (reply.status, "x-ratelimit-limit" in reply.headers) == (302, False)


@pytest.mark.rule("T11")
def test_a_printed_code_works_without_its_statistics(caplog):
    """Open: a store that cannot take the visit. The redirect happens all the same."""
    with open_portfolio(":memory:") as shop:
        code = shop.insert_qrcode(TARGET).short_code
        with failing(shop.store):
            reply = Client(validator(make_app(shop.store))).get(f"/{code}")
        assert (reply.status, reply.headers["location"]) == (302, TARGET)
        assert "could not be stored" in caplog.text
