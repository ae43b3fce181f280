"""POST /api/v3/generate with any body there is, with pictures of strangers, and with shortening."""

import json
import struct
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from urllib.parse import urlsplit
from wsgiref.validate import validator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import data_uri, decode
from qrkit.errors import AssetError, Problem
from qrkit.server import Client, Settings, make_app
from tests.server.posted import FULL, PLAIN, RED, changed, paths, png, uri
from tests.server.test_errors import assert_keeps_the_contract

HI = b'{"content": "hi"}'
LAYER = {"x": 90, "y": 90, "width": 40, "height": 40}


# Bodies ---------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/x-www-form-urlencoded", "text/plain; charset=latin-1", "image/png", "",
     "nonsense", "application/json; charset=utf-16"],
)  # fmt: skip
def test_a_body_is_json_whatever_its_content_type_says(send, picture, kind):
    """A fact: one client posts JSON as form data. The endpoint knows what it needs."""
    reply = send('{"content": "Grüße"}'.encode(), Content_Type=kind)
    assert (reply.status, reply.body) == (200, picture({"content": "Grüße"}))


@pytest.mark.parametrize(
    "body", [b"\xef\xbb\xbf" + HI, b" \r\n\t" + HI + b"\n", b'{"content": "\\u0068i"}', b'{"content": "hi", "x": []}']
)
def test_json_is_read_in_all_its_forms(send, picture, body):
    assert (send(body).status, send(body).body) == (200, picture({"content": "hi"}))


@pytest.mark.rule("H4")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "empty-body"),
        (b" \n", "empty-body"),
        (b"hi", "bad-json"),
        (b"[]", "bad-json"),
        (b"null", "bad-json"),
        (b'"hi"', "bad-json"),
        (b"content=hi", "bad-json"),
        (HI + HI, "bad-json"),
        (HI[:-1], "bad-json"),
        (b'{"content": "hi",}', "bad-json"),
        (b'{"content": "hi", "width": NaN}', "bad-json"),
        (b'{"content": "hi", "width": -Infinity}', "bad-json"),
        (b'{"content": "hi", "width": 1e999}', "bad-json"),
        (b'{"content": "hi", "width": ' + b"9" * 5_000 + b"}", "bad-json"),
        (b'{"content": "hi", "content": "hi"}', "bad-json"),
        (b'{"content": "hi", "x": {"a": 1, "a": 1}}', "bad-json"),
        (b'{"content": "h\xff"}', "bad-json"),
        ("\ufeff{}".encode("utf-16"), "bad-json"),
        (b'{"content": "\\ud800"}', "bad-content"),
        (b'{"content": "hi", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "json-too-deep"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "json-too-deep"),
        (b'{"content": "hi", "layers": ' + b"[" * 500 + b"]" * 500 + b"}", "json-too-deep"),
        (b'{"content": "hi", "layers": [' + b"{}," * 300_000 + b"{}]}", "json-too-large"),
        (b"{" + b"," * 200_001 + b"}", "json-too-large"),
        (b"{}", "missing-parameter"),
        (b'{"Content": "hi"}', "missing-parameter"),
    ],
    ids=lambda value: str(value)[:36],
)
def test_a_body_that_is_no_json_object_of_a_design_says_why(refused, body, code):
    """Open: statuses of bodies. 400 with a word for each kind, whatever nesting or numbers do to a parser."""
    assert refused(body, 400, code).keys() == ({"/content"} if code in ("bad-content", "missing-parameter") else set())


@pytest.mark.rule("H4")
def test_a_body_of_more_than_12_mb_is_413_before_it_is_read(refused, key, shop):
    """Open: the longest body. All the pictures a design may have fit into 12 MiB; a longer one is not even read."""
    refused(b'{"content": "' + b"x" * 13_000_000 + b'"}', 413, "body-too-large")
    app = make_app(shop.store)

    class Unread:
        def read(self, *_):
            raise AssertionError("read")

    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/api/v3/generate", "QUERY_STRING": f"auth={key}",
               "CONTENT_LENGTH": "13000000", "wsgi.input": Unread(), "SERVER_NAME": "a", "SERVER_PORT": "80",
               "wsgi.url_scheme": "http", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.errors": None}  # fmt: skip
    answers = []
    list(app(environ, lambda status, headers, exc_info=None: answers.append(status)))
    assert [answer[:3] for answer in answers] == ["413"]


def test_what_a_stranger_sends_is_judged_in_no_time(send):
    names = b",".join(b'"%d":1' % number for number in range(150_000))
    began = time.process_time()
    for body in (b"{" + names + b',"149999":2}', json.dumps({"layers": [{}] * 6_000}).encode()):
        assert send(body).status == 400
        assert len(send(body).body) < 100_000
    assert time.process_time() - began < 8


@pytest.mark.rule("H4")
@pytest.mark.parametrize("length", ["-1", "x", "99", "", "9" * 5_000])
def test_a_strange_content_length_keeps_the_contract(shop, key, length):
    """Open: a length that is none or not the body's. Refused, and nothing is read in part: the client may have gone."""
    reply = Client(make_app(shop.store)).request(
        "POST", "/api/v3/generate", query=f"auth={key}", body=HI, headers={"Content-Length": length}
    )
    assert reply.status == 400
    assert_keeps_the_contract(reply)


# Pictures -------------------------------------------------------------------------------------------------------------


def huge(width, height):
    """A PNG that says it is so large, and is not."""
    data = png(1, 2, 3, 255)
    head = struct.pack(">II", width, height) + data[24:29]
    return data[:16] + head + struct.pack(">I", zlib.crc32(b"IHDR" + head)) + data[33:]


BAD = [
    ("data:image/png;base64,%%%", "bad-data-uri"), ("data:image/png;base64,", "bad-data-uri"),
    ("data:text/html;base64,aGk=", "bad-data-uri"), ("data:image/gif;base64,R0lGODlhAQABAAAAACw=", "bad-image"),
    ("data:", "bad-data-uri"), ("data:image/png;base64,aGVsbG8=", "bad-image"), (uri(png(1, 2, 3)[:50]), "bad-image"),
    (uri(b"<svg>", "svg+xml"), "bad-image"), (uri(b"<html/>", "svg+xml"), "bad-image"),
    (uri(b'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///x">]><svg>&a;</svg>', "svg+xml"), "bad-image"),
    (uri(huge(50_000, 5_000)), "image-too-large"), (uri(b"\x89PNG\r\n\x1a\n" + b"\0" * 4_300_000), "bad-image"),
    ("hello", "bad-value"), ("file:///etc/passwd", "bad-value"), ("javascript:alert(1)", "bad-value"),
    ("/etc/passwd", "bad-value"), ("ftp://example.com/a.png", "bad-value"), ("icon:no such icon", "bad-value"),
]  # fmt: skip
PLACES = ["layers.0.content", "modules.sprites.1.content", "wrapper.source"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("content", "code"), BAD, ids=[row[0][:34] + " " + row[1] for row in BAD])
def test_what_is_no_picture_is_refused_at_its_field(refused, place, content, code):
    design = changed(FULL, "layers.0.color", None)
    assert refused(changed(design, place, content), 400, code) == {"/" + place.replace(".", "/"): code}


def test_all_bad_pictures_are_told_at_once(refused):
    design = changed(FULL, "layers.0.color", None)
    for place in PLACES:
        design = changed(design, place, "data:image/png;base64,aGVsbG8=")
    assert refused(design, 400, "bad-image") == {"/" + place.replace(".", "/"): "bad-image" for place in PLACES}


@pytest.mark.rule("G20")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "url", ["https://example.com/a.png", "HTTP://169.254.169.254/latest", "http://", "https://[::1"]
)
def test_an_address_is_403_where_nothing_may_be_fetched(refused, place, url):
    """Open: pictures by URL. None is fetched unless the operator allows it."""
    design = changed(FULL, "layers.0.color", None)
    assert refused(changed(design, place, url), 403, "remote-content-disabled", place) == {}


@pytest.mark.slow
@pytest.mark.rule("G20")
def test_with_a_fetch_the_picture_behind_an_address_is_used(send, picture, shop):
    """Open: what an operator may allow. Whatever `fetch` gives is used as a data URI would be, and asked for once."""
    asked = []

    def fetch(url):
        asked.append(url)
        return png(255, 0, 0, 255)

    fetching, url = Client(validator(make_app(shop.store, fetch=fetch))), "https://img.example.com/red.png?key=1"
    for place in PLACES:
        design = changed(FULL, "layers.0.color", None)
        reply = send(changed(design, place, url), client=fetching)
        assert (reply.status, reply.body) == (200, picture(changed(design, place, RED)))
    assert asked == [url] * 3
    layers = [LAYER | {"content": url}, LAYER | {"content": url, "x": 9}]
    assert send(PLAIN | {"layers": layers}, client=fetching).status == 200
    assert asked == [url] * 4
    assert (
        send(PLAIN | {"modules": {"sprites": [{"content": url, "width": 1, "height": 1}]}}, client=fetching).status
        == 200
    )
    assert asked == [url] * 4


FAILURES = [
    OSError("connection to 10.0.0.7 refused"), TimeoutError("10 s"), AssetError(Problem("a", "b", "10.0.0.7")),
    b"", b"<html>10.0.0.7</html>", b"<svg", huge(9_000, 9_000), b"\x89PNG\r\n\x1a\n" + b"\0" * 5_000_000,
]  # fmt: skip


@pytest.mark.rule("G20")
def test_whatever_fails_behind_an_address_looks_the_same_outside(send, shop):
    """Open: what a failed fetch tells. One answer for all: else strangers could probe our network by it."""
    answers = set()
    for failure in FAILURES:

        def fetch(url, failure=failure):
            if isinstance(failure, bytes):
                return failure
            raise failure

        design = PLAIN | {"layers": [LAYER | {"content": "https://img.example.com/a.png?secret=7"}]}
        reply = send(design, client=Client(validator(make_app(shop.store, fetch=fetch))))
        assert_keeps_the_contract(reply)
        answers.add((reply.status, reply.headers["x-api-error-code"], reply.body, reply.headers["x-api-error"]))
    ((status, code, body, _),) = answers
    assert (status, code) == (400, "remote-content-unavailable")
    assert json.loads(body)["errors"][0]["pointer"] == "/layers/0/content"
    assert b"secret" not in body
    assert b"10.0.0.7" not in body


# Shortening -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("G19")
@pytest.mark.parametrize("service", ["local", "go.example.com"])
def test_shorten_stores_a_tracked_code_and_the_picture_says_its_short_url(shop, client, send, service):
    """Open: what `shorten` does by POST. As by GET: a tracked code of the key's account."""
    target = f"https://example.com/post/{service}"
    reply = send(FULL | {"content": target, "shorten": service, "wrapper": None, "layers": [], "version": None})
    said = decode(reply.body).content
    (code,) = [one for one in shop.list_qrcodes() if one.content == target]
    assert said == code.short_url
    assert client.get(urlsplit(said).path).headers["location"] == target
    assert shop.get_qrcode(code.id).scans == 0


@pytest.mark.rule("G19")
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"layers": [LAYER | {"content": "data:image/png;base64,aGk="}]}, "bad-image"),
        ({"layers": [LAYER | {"content": "https://example.com/a.png"}]}, "remote-content-disabled"),
        ({"width": 20}, "out-of-range"),
        ({"padding": 99}, "out-of-range"),
        ({"content": "mailto:a@example.com"}, "shorten-not-applicable"),
        ({"shorten": "locl"}, "bad-value"),
    ],
)
def test_a_request_that_is_refused_stores_no_tracked_code(shop, send, fields, code):
    """Open: a code whose picture cannot be drawn. It is not kept: nobody could have printed it."""
    before = len(shop.list_qrcodes())
    reply = send({"content": "https://example.com/never", "shorten": "local"} | fields)
    assert_keeps_the_contract(reply)
    assert reply.headers["x-api-error-code"] == code
    assert len(shop.list_qrcodes()) == before


# Anything -------------------------------------------------------------------------------------------------------------

values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-50, 500), st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=8), st.characters(categories=["Cs", "Cc"]),
        st.sampled_from(["sprite", "fill", "both", "eye-2", "#80FF0000", "icon:home", "radial", "absolute", RED,
                         "https://a", "data:image/png;base64,AA==", "pixel-hit-test", "horizontal", "svg", "local"]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["x", "y", "content", "type", "width", "gradient", "stops", "pattern", "é.", ""]),
        inner, max_size=3,
    ),
    max_leaves=6,
)  # fmt: skip
fields = st.sampled_from([*paths(FULL), "modules.union", "modules.sprite", "template", "shorten", "format", "x"])
SMALL = FULL | {"width": 60, "height": 60, "version": None, "content": "hi", "format": "svg"}


@pytest.mark.rule("H4")
@settings(max_examples=120)
@given(st.lists(st.tuples(fields, values), min_size=1, max_size=3))
def test_any_value_in_any_field_is_200_or_400_to_499(send, key, places):
    """The interface promises 400 to 500; 500 is a bug, and no value of any field may bring one about."""
    design = SMALL
    for path, value in places:
        try:
            design = changed(design, path, value)
        except (KeyError, IndexError, TypeError):  # the way there is gone
            continue
    reply = send(design)
    assert reply.status == 200 or 400 <= reply.status < 500, reply.text
    if reply.status != 200:
        assert_keeps_the_contract(reply)
    assert key not in repr(reply.headers)


def is_number(path):
    value = FULL
    for part in path.split("."):
        value = value[int(part) if part.isdigit() else part]
    return isinstance(value, int | float)


numbers = st.one_of(
    st.floats(-10_000, 10_000), st.floats(0, 1), st.integers(0, 60), st.sampled_from([0.1, 1e-9, -10_000, 10_000])
)
NUMBERS = [path for path in paths(FULL) if is_number(path)]


@pytest.mark.slow
@pytest.mark.rule("H4")
@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from(NUMBERS), numbers), max_size=4),
    st.sampled_from(["svg", "png", "pdf", "jpg"]),
    st.sampled_from(["overlay", "box-hit-test", "pixel-hit-test"]),
    st.sampled_from(["relative", "absolute"]),
)
def test_whatever_numbers_a_design_has_it_is_drawn_or_refused(send, places, format, display, units):
    """Beyond the bounds of each field: numbers that are right by themselves must not break the drawing."""
    design = changed(changed(SMALL | {"format": format}, "layers.0.display", display), "background.units", units)
    for path, value in places:
        design = changed(design, path, value)
    reply = send(design)
    assert reply.status in (200, 400), (design, reply.text)


@pytest.mark.slow
def test_requests_at_once_get_their_own_pictures(send):
    designs = [
        FULL | {"content": f"https://example.com/{number}", "wrapper": None, "layers": []} for number in range(12)
    ]
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(send, designs))
    assert [decode(reply.body).content for reply in replies] == [design["content"] for design in designs]
    assert {Image.open(BytesIO(reply.body)).size for reply in replies} == {(300, 300)}


@pytest.mark.rule("G19")
def test_a_picture_that_is_slow_to_come_holds_the_store_up_for_nobody(shop, send):
    """Open: a code that is made while its logo is fetched. The fetch is over before the store is held."""
    other, written = ThreadPoolExecutor(1), []

    def fetch(url):
        written.append(other.submit(shop.insert_campaign, "while it is fetched").result(timeout=10).name)
        return png(255, 0, 0, 255)

    fetching = Client(make_app(shop.store, Settings(base_url=shop.base_url), fetch=fetch))
    layer = LAYER | {"content": "https://img.example.com/a.png"}
    asked = {"content": "https://example.com/new", "shorten": "local", "layers": [layer]}
    reply = send(asked, client=fetching)
    other.shutdown()
    assert (reply.status, written) == (200, ["while it is fetched"])


@pytest.mark.rule("H2")
def test_what_an_svg_loses_is_told_in_the_header(send):
    svg = (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/><foreignObject/></svg>'
    )
    reply = send({"content": "x", "colour": "red", "layers": [LAYER | {"content": data_uri(svg)}]})
    told = reply.headers["x-api-warning"]
    assert told.startswith("unknown fields were ignored: colour; layers.0.content: the SVG embeds HTML")
