"""Rulings as a client of the HTTP interface meets them, where no test of a module proves them.

`grep -rn '"T2"' tests` finds the others.
"""

from io import BytesIO
from urllib.parse import urlsplit
from wsgiref.validate import validator

import pytest
from PIL import Image

from qrkit import decode, generate, open_portfolio
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app

BASE_URL = "https://go.example.com"
GENERATE = "/api/v3/generate"


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", base_url=BASE_URL) as portfolio:
        yield portfolio


@pytest.fixture(scope="module")
def client(shop):
    return Client(
        validator(make_app(shop.store, Settings(base_url=BASE_URL, generates_a_minute=0, unknown_codes_a_minute=0)))
    )


def fetched(client, url):
    """What is behind a URL of ours, as a browser would ask for it."""
    parts = urlsplit(url)
    assert f"{parts.scheme}://{parts.netloc}" == BASE_URL
    reply = client.request("GET", parts.path, query=parts.query)
    assert reply.status == 200, reply.text
    return reply.body


@pytest.mark.rule("T2")
@pytest.mark.parametrize(
    ("urlinfo", "properties"),
    [
        ("", {}),
        ("Spring window, für uns", {}),
        ("", {"ec": "H", "size": 3, "padding": 1, "version": 9}),
        ("", {"foreground": "#FF0B3D91", "background": "#80FFFFFF", "em": "byte"}),
        ("", {"size": 1, "version": -1}),
    ],
)
def test_the_image_url_of_a_tracked_code_is_a_picture_of_its_short_url(shop, client, urlinfo, properties):
    """A fact: `imageUrl` is a generate URL with the record's properties. Its content is the short URL."""
    record = shop.insert_qrcode("https://example.com/spring?a=b&c=d", urlinfo=urlinfo, properties=properties)
    picture = fetched(client, record.image_url)
    found = decode(picture)
    assert found.content == record.encoded
    assert picture == shop.image(record).to_bytes("png") == generate(record.encoded, **properties).to_bytes("png")
    side = found.dimension + 2 * properties.get("padding", 4)
    assert Image.open(BytesIO(picture)).size == (side * properties.get("size", 8),) * 2
    assert client.get(urlsplit(found.content).path).headers["location"] == record.content


@pytest.mark.rule("T2", "X5")
def test_the_image_url_of_a_static_code_is_a_picture_of_its_content(shop, client):
    """Open: codes that are not dynamic. Their picture says their content, and scans of it are not seen."""
    record = shop.insert_qrcode("WIFI:S:net;T:WPA;P:se+cr et&%41;;", is_dynamic=False)
    assert decode(fetched(client, record.image_url)).content == record.content


@pytest.mark.rule("G2")
@pytest.mark.parametrize("content", ["0123456789", "HELLO WORLD", "é"])
def test_byte_mode_is_used_though_another_would_be_shorter(client, content):
    """Open: whether digits in byte mode become numeric. They do not: clients expect the symbol they asked for."""
    picture = client.get(GENERATE, content=content).body
    assert picture == client.get(GENERATE, content=content, em="byte").body
    assert picture == generate(content, em="byte").to_bytes("png")
    assert generate(content, em="byte").symbol.mode == "byte"


@pytest.mark.rule("G2")
@pytest.mark.parametrize(
    ("em", "content", "words"),
    [
        ("numeric", "12 4", "character 3 is ' '"),
        ("numeric", "-1", "character 1 is '-'"),
        ("alphanumeric", "ABc", "character 3 is 'c'"),
        ("alphanumeric", "A,B", "character 2 is ','"),
    ],
)
def test_a_character_that_the_mode_lacks_is_named_with_its_position(client, em, content, words):
    """Open: content that the mode cannot hold. 400 with the first such one; lower case is not raised."""
    reply = client.get(GENERATE, content=content, em=em)
    assert (reply.status, reply.headers["x-api-error-code"]) == (400, "bad-content")
    assert words in reply.headers["x-api-error"]


@pytest.mark.rule("G3")
@pytest.mark.parametrize("ec", ["L", "M", "Q", "H"])
@pytest.mark.parametrize("version", ["", "10"])
def test_the_level_asked_for_is_kept_though_a_better_one_would_fit(client, ec, version):
    """Open: room that is left. It is not used for a higher level: whoever asks for L gets L."""
    assert decode(client.get(GENERATE, content="1", ec=ec, version=version).body).ec == ec


@pytest.mark.rule("G1")
def test_automatic_is_the_smallest_version_that_fits(client):
    """Open: which version automatic is. The smallest: its modules are the largest on the same paper."""
    for length in (1, 14, 15, 26, 27, 150):
        version = decode(client.get(GENERATE, content="x" * length).body).version
        assert client.get(GENERATE, content="x" * length, version=version).status == 200
        assert version == 1 or client.get(GENERATE, content="x" * length, version=version - 1).status == 400


@pytest.mark.rule("H4")
@pytest.mark.parametrize("format", ["png", "svg", "zip"])
@pytest.mark.parametrize("attachment", ["true", "false"])
def test_success_of_generate_is_200(client, format, attachment):
    """Open: which 2xx. 200 everywhere, because clients compare with it."""
    assert client.get(GENERATE, content="hi", format=format, attachment=attachment).status == 200


DECODE = "/api/v3/decode"
HELLO = {"content": "hello world", "version": 1, "ec": "M", "dimension": 21, "capacity": 14, "length": 11}


def posted(client, picture, query="", **headers):
    return client.request("POST", DECODE, query=query, body=picture, headers=headers)


@pytest.mark.rule("G21")
@pytest.mark.parametrize("format", ["png", "jpg"])
@pytest.mark.parametrize("query", ["", "format=png", "format=jpg", "format=JPEG"])
def test_decode_tells_the_text_and_the_measures_of_a_symbol(client, format, query):
    """A fact: what comes back for "hello world". The format is a hint; the bytes say what they are."""
    reply = posted(client, generate("hello world").to_bytes(format), query)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert reply.json() == HELLO
    assert list(reply.json()) == list(HELLO)


@pytest.mark.rule("G21", "H1")
@pytest.mark.parametrize("kind", ["image/png", "application/octet-stream", "application/x-www-form-urlencoded", ""])
def test_decode_reads_the_bytes_whatever_they_are_called(client, kind):
    """A fact: the body is the picture itself. Its Content-Type is not looked at."""
    assert posted(client, generate("hello world").to_bytes("png"), **{"Content-Type": kind}).json() == HELLO


@pytest.mark.rule("G21")
def test_decode_needs_no_key_but_refuses_a_wrong_one(shop, client):
    """A fact: auth is optional. Open: a wrong key. 401, as everywhere."""
    picture, key = generate("hello world").to_bytes("png"), create_key(shop.store, shop.account)
    free = posted(client, picture)
    assert (free.status, "x-ratelimit-limit" in free.headers) == (200, False)
    paid = posted(client, picture, f"auth={key}")
    assert (paid.status, paid.json()) == (200, HELLO)
    assert paid.headers["x-ratelimit-limit"] == "1000000"
    assert posted(client, picture, "auth=qk_wrong").status == 401


@pytest.mark.rule("G21")
@pytest.mark.parametrize("format", ["png", "jpg", "gif"])
def test_a_picture_without_a_symbol_is_400_no_symbol(client, format):
    """A fact: no symbol found. 400; what is no picture at all is another error."""
    picture = BytesIO()
    Image.new("RGB", (120, 80), "white").save(picture, "jpeg" if format == "jpg" else format)
    reply = posted(client, picture.getvalue(), f"format={format}")
    assert (reply.status, reply.headers["x-api-error-code"]) == (400, "no-symbol")
    assert reply.json()["code"] == "no-symbol"
    assert posted(client, b"hello").headers["x-api-error-code"] == "bad-file"


@pytest.mark.rule("G21")
@pytest.mark.parametrize("content", ["é 日本 🌷", "0123456789", "a\x00b\r\n", "x" * 500])
def test_decode_gives_back_what_generate_was_given(client, content):
    """Open: whether anything is lost on the way. Not a character; length counts characters, capacity bytes."""
    found = posted(client, client.get(GENERATE, content=content, ec="H").body).json()
    assert (found["content"], found["ec"], found["length"]) == (content, "H", len(content))
    assert found["dimension"] == 4 * found["version"] + 17
    assert found["capacity"] >= len(content.encode())
