import html
import logging
import re
import zipfile
from datetime import UTC, datetime
from io import BytesIO
from urllib.parse import quote
from wsgiref.validate import validator

import pytest
from PIL import Image

from qrkit import decode, open_portfolio
from qrkit.design.limits import FORMATS, RASTER_FORMATS
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app
from qrkit.store import Store
from qrkit.store.records.accounts import insert_account
from qrkit.tracking.records import PLANS, Account, Plan
from qrkit.tracking.short_urls import new_id
from tests.conformance import readers
from tests.server.raw import comparable

GENERATE = "/api/v3/generate"
LINK = "https://example.com/Grüße?a=1&b=2"
NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
MIDNIGHT = 1773532800  # the next one, in Unix seconds


@pytest.fixture(scope="module")
def store():
    with Store() as opened:
        yield opened


@pytest.fixture(scope="module")
def client(store):
    return Client(
        validator(
            make_app(
                store,
                Settings(base_url="https://go.example.com", generates_a_minute=0, unknown_codes_a_minute=0),
                clock=lambda: NOON,
            )
        )
    )


@pytest.fixture
def account(store):
    """An account that no other test counts on."""
    made = Account(new_id(), f"account {new_id()}", "premium")
    insert_account(store, made, NOON)
    return made


@pytest.fixture
def key(store, account):
    return create_key(store, account)


def picture(client, **query):
    reply = client.get(GENERATE, **query)
    assert reply.status == 200, reply.text
    return reply.body


def shown(client, **query):
    return decode(picture(client, **query))


# Parameters -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H1", "H3")
def test_content_alone_gives_a_png_of_the_defaults(client):
    """Open: what every reply carries. The version of the interface, and that nothing in it may run."""
    reply = client.get(GENERATE, content=LINK)
    assert reply.status == 200
    assert reply.headers["content-type"] == "image/png"
    assert reply.headers["x-api-version"] == "3.0"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-disposition"] == "inline"
    assert int(reply.headers["content-length"]) == len(reply.body)
    assert "sandbox" in reply.headers["content-security-policy"]
    assert {"x-api-error", "x-api-error-code", "x-ratelimit-limit"}.isdisjoint(reply.headers)
    found = decode(reply.body)
    assert (found.content, found.ec) == (LINK, "M")
    assert Image.open(BytesIO(reply.body)).size == ((found.dimension + 8) * 8,) * 2


@pytest.mark.parametrize(
    "content", ["a", "0", " ", "a b+c", "%41", "100%", "&=?#", "日本語 😀", "línea\n2\t", "x" * 500]
)
def test_content_arrives_as_it_was_sent(client, content):
    assert shown(client, content=content).content == content


def test_a_plus_in_the_query_is_a_space_and_bare_utf_8_is_read(client):
    forms = ["content=a+%C3%BC", "content=a%20%C3%BC", "content=a+\u00c3\u00bc"]
    assert {decode(client.request("GET", GENERATE, query=query).body).content for query in forms} == {"a ü"}


@pytest.mark.parametrize(
    ("query", "version", "ec"),
    [
        ({}, 1, "M"),
        ({"version": "7"}, 7, "M"),
        ({"version": "40", "size": "2"}, 40, "M"),
        ({"ec": "L"}, 1, "L"),
        ({"ec": "q"}, 1, "Q"),
        ({"ec": "H", "version": "2"}, 2, "H"),
    ],
)
def test_version_and_error_correction_are_those_asked_for(client, query, version, ec):
    found = shown(client, content="hello", **query)
    assert (found.version, found.ec) == (version, ec)


@pytest.mark.rule("G1")
@pytest.mark.parametrize("version", ["", "0", "-1", "3", "3.0"])
def test_version_may_be_automatic_or_end_in_point_zero(client, version):
    """A fact: clients write 0, -1 or nothing for automatic, and one writes `3.0` for 3."""
    assert shown(client, content="x" * 40, version=version).version == 3


@pytest.mark.parametrize(("size", "padding", "side"), [(1, 0, 21), (8, 4, 232), (20, 20, 1220), (3, 1, 69)])
def test_a_picture_has_size_pixels_a_module_and_padding_modules_around(client, size, padding, side):
    data = picture(client, content="hi", size=size, padding=padding)
    assert Image.open(BytesIO(data)).size == (side, side)


@pytest.mark.rule("H5")
@pytest.mark.parametrize(
    ("em", "ec", "content", "bits"),
    [("NUMERIC", "h", "12345", 1), ("Alphanumeric", "H", "AB-1", 2), ("byte", "L", "1", 4)],
)
def test_em_and_ec_are_read_in_any_case_and_taken_at_their_word(client, em, ec, content, bits):
    """Open: case. Any: stored records write `Byte`, and forms send what people type."""
    found = shown(client, content=content, em=em, ec=ec)
    assert (found.content, found.ec) == (content, ec.upper())
    assert picture(client, content=content, em=em, ec=ec) == picture(client, content=content, em=em.lower(), ec=ec)


@pytest.mark.rule("H6")
@pytest.mark.parametrize(
    ("text", "color"),
    [
        ("%238000FF00", (0, 255, 0, 128)),
        ("8000FF00", (0, 255, 0, 128)),
        ("%2300ff00", (0, 255, 0, 255)),
        ("00FF00", (0, 255, 0, 255)),
        ("%230f0", (0, 255, 0, 255)),
        ("hsl(120%20100%25%2050%25)", (0, 255, 0, 255)),
        ("Lime", (0, 255, 0, 255)),
        ("transparent", (0, 0, 0, 0)),
    ],
)
@pytest.mark.parametrize(("name", "place"), [("background", (0, 0)), ("foreground", (32, 32))])
def test_a_colour_is_read_alpha_first_or_by_name_and_without_its_lost_hash(client, text, color, name, place):
    """Open: colours by GET. Alpha first, as the interface says; a `#` that was not encoded never arrives."""
    reply = client.request("GET", GENERATE, query=f"content=hi&{name}={text}")
    found = Image.open(BytesIO(reply.body)).convert("RGBA").getpixel(place)
    assert found == color or (color[3] == 0 and found[3] == 0) or (name == "foreground" and color[3] < 255)
    if name == "foreground" and color[3] == 128:
        assert found == (127, 255, 127, 255)


@pytest.mark.rule("H2")
def test_unknown_parameters_change_nothing(client):
    """A fact: plug-ins send parameters of their own."""
    assert picture(client, content="hi", source="blender", v="2.1") == picture(client, content="hi")


@pytest.mark.rule("H8")
def test_names_of_parameters_are_read_in_any_case(client):
    """Open: `FORMAT=svg`. It is `format`: what is ignored in silence gives a picture that nobody asked for."""
    reply = client.request("GET", GENERATE, query="CONTENT=hi&FORMAT=svg&Size=3")
    assert reply.headers["content-type"] == "image/svg+xml"
    assert reply.body == picture(client, content="hi", format="svg", size=3)


@pytest.mark.rule("H8")
@pytest.mark.parametrize(
    "query", ["content=%u017Dlu%u0165%E1%20%uD83C%uDF37", "content=%u017Dlu%u0165%E1+%uD83C%uDF37"]
)
def test_what_old_scripts_escaped_is_in_the_symbol_and_a_warning_says_how_it_was_read(client, query):
    """A fact: old pages send what `escape` makes. A client that sends something else by mistake can see it."""
    reply = client.request("GET", GENERATE, query=query)
    assert decode(reply.body).content == "Žluťá 🌷"
    assert reply.headers["x-api-warning"].startswith("content: is not percent-encoded UTF-8; it was read as")
    assert "x-api-warning" not in client.get(GENERATE, content="Žluťá 🌷").headers


@pytest.mark.rule("H8", "H3")
def test_a_refused_request_says_too_what_was_read_in_the_old_spelling(client):
    reply = client.request("GET", GENERATE, query="content=x%E9&size=99")
    assert reply.status == 400
    assert reply.headers["x-api-warning"].startswith("content: is not")


@pytest.mark.rule("H5")
def test_empty_parameters_change_nothing(client):
    """Open: what `size=` means. Nothing: forms send all of their fields."""
    names = ("auth", "format", "version", "size", "padding", "em", "ec", "foreground", "background", "shorten")
    empty = dict.fromkeys((*names, "attachment", "filename", "style"), "")
    assert picture(client, content="hi", **empty) == picture(client, content="hi")


# Formats --------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("G4")
def test_the_table_of_media_types_is_complete():
    """Open: the media types. Those registered; a format that joins needs its row here."""
    assert readers.MEDIA_TYPES.keys() == set(FORMATS), "here is tests/conformance/readers.py"


@pytest.mark.rule("G4")
@pytest.mark.parametrize("format", readers.MEDIA_TYPES)
def test_every_format_is_served_with_its_media_type_in_any_case(client, format):
    """Open: the media types, and case. Those registered; `SVG` is what some clients write."""
    reply = client.get(GENERATE, content="hi", format=format.upper())
    assert (reply.status, reply.headers["content-type"]) == (200, readers.MEDIA_TYPES[format])
    assert reply.body == picture(client, content="hi", format=format)


@pytest.mark.rule("G4")
@pytest.mark.parametrize(("alias", "format"), [("jpeg", "jpg"), ("tiff", "tif"), ("JPEG", "jpg")])
def test_formats_have_other_names(client, alias, format):
    """Open: `jpeg` and `tiff`. People write them."""
    reply = client.get(GENERATE, content="hi", format=alias)
    assert (reply.headers["content-type"], reply.body) == (
        readers.MEDIA_TYPES[format],
        picture(client, content="hi", format=format),
    )


@pytest.mark.parametrize("format", RASTER_FORMATS)
def test_a_raster_format_opens_in_pillow_and_decodes(client, format):
    data = picture(client, content=LINK, format=format)
    assert Image.open(BytesIO(data)).format == {"jpg": "JPEG", "tif": "TIFF"}.get(format, format.upper())
    assert decode(data).content == LINK


@pytest.mark.parametrize(
    ("format", "read"), [("svg", readers.svg), ("xaml", readers.xaml), ("html", readers.html_table)]
)
def test_a_vector_format_opens_in_its_reader_and_decodes(client, format, read):
    assert readers.zxing(read(picture(client, content=LINK, format=format))) == LINK.encode()


@pytest.mark.needs("gs")
def test_eps_and_pdf_open_in_ghostscript_and_decode(client, tmp_path):
    files = []
    for format in ("eps", "pdf"):
        files.append(tmp_path / f"code.{format}")
        files[-1].write_bytes(picture(client, content=LINK, format=format))
    assert [readers.zxing(page) for page in readers.ghostscript(tmp_path, files)] == [LINK.encode()] * 2


@pytest.mark.rule("G6")
@pytest.mark.parametrize(("style", "light", "dark"), [("", "  ", "██"), ("ASCII", "  ", "xx"), ("binary", "0", "1")])
def test_text_is_served_in_three_styles(client, style, light, dark):
    """Open: what "txt" is. Two characters a module for people, and two forms for programs."""
    text = picture(client, content=LINK, format="txt", style=style).decode()
    assert readers.zxing(readers.of_modules(readers.txt(text, light, dark))) == LINK.encode()


@pytest.mark.rule("G6")
def test_html_is_a_page_with_the_content_as_title(client):
    """Open: what "html" is. A complete page, with the content as text and nothing that runs."""
    content = "</title><script>alert('1')</script>"
    page = picture(client, content=content, format="html").decode()
    assert page.startswith("<!doctype html>")
    assert f"<title>{html.escape(content)}</title>" in page
    assert "<script" not in page


@pytest.mark.rule("G5")
def test_svg_has_one_rect_a_line(client):
    """A fact: clients read the lines with a regular expression."""
    root, background, *squares, end, nothing = picture(client, content="hi", format="svg").decode().split("\n")
    assert root.startswith('<svg xmlns="http://www.w3.org/2000/svg" width="232" height="232" ')
    assert background == '<rect x="0" y="0" width="232" height="232" style="fill:rgb(255,255,255);"/>'
    form = re.compile(r'<rect x="\d+" y="\d+" width="8" height="8" style="fill:rgb\(0,0,0\);"/>')
    assert [line for line in squares if not form.fullmatch(line)] == []
    assert len(squares) > 200
    assert (end, nothing) == ("</svg>", "")


@pytest.mark.rule("G6", "G7")
@pytest.mark.parametrize(
    ("filename", "stem"), [("", "qrcode"), ("poster", "poster"), ("Poster.ZIP", "Poster"), ("../é 日", "é 日")]
)
def test_zip_holds_three_formats_named_by_filename(client, filename, stem):
    """Open: what "zip" holds by GET. The symbol as png, svg and eps, under the name asked for."""
    with zipfile.ZipFile(BytesIO(picture(client, content=LINK, format="zip", filename=filename))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [f"{stem}.png", f"{stem}.svg", f"{stem}.eps"]
        for name in archive.namelist():
            assert archive.read(name) == picture(client, content=LINK, format=name[-3:])


@pytest.mark.rule("G9")
@pytest.mark.parametrize("format", readers.MEDIA_TYPES)
def test_the_same_request_gives_the_same_bytes(client, format):
    """Open: whether pictures carry dates or ids. They do not, so they can be cached and compared."""
    with Store() as other:
        again = Client(make_app(other)).get(GENERATE, content=LINK, format=format)
    assert again.body == picture(client, content=LINK, format=format)


# Attachments ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("G7")
@pytest.mark.parametrize(
    ("query", "header"),
    [
        ({}, "inline"),
        ({"attachment": "false", "filename": "a.png"}, "inline"),
        ({"attachment": "0"}, "inline"),
        ({"attachment": "true"}, "attachment; filename=\"qrcode.png\"; filename*=UTF-8''qrcode.png"),
        (
            {"attachment": "TRUE", "filename": "poster"},
            "attachment; filename=\"poster.png\"; filename*=UTF-8''poster.png",
        ),
        ({"attachment": "1", "filename": "ü"}, "attachment; filename=\"_.png\"; filename*=UTF-8''%C3%BC.png"),
        (
            {"attachment": "True", "filename": 'a"\r\nX: y', "format": "JPEG"},
            "attachment; filename=\"a_X_ y.jpg\"; filename*=UTF-8''a_X_%20y.jpg",
        ),
    ],
)
def test_an_attachment_has_a_name_and_everything_else_is_inline(client, query, header):
    """Open: the header. By RFC 6266; a name is made safe and gets the suffix of its format."""
    assert client.get(GENERATE, content="hi", **query).headers["content-disposition"] == header


def test_head_is_get_without_its_body(client):
    got = client.get(GENERATE, content="hi", format="svg", attachment="true")
    asked = client.request("HEAD", GENERATE, query="content=hi&format=svg&attachment=true")
    assert (asked.status, comparable(asked.headers), asked.body) == (got.status, comparable(got.headers), b"")


# Keys -----------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H3", "T14")
@pytest.mark.parametrize(
    ("query", "authorization"),
    [
        ("auth={key}", None),
        ("%61uth={key}", None),
        ("", "Bearer {key}"),
        ("", "bearer  {key}"),
        ("auth={key}", "Bearer {key}"),
    ],
)
def test_a_key_adds_what_is_left_of_its_plan(client, key, query, authorization):
    """Open: how a key is sent, and rates. As `auth` or as a bearer token; `Reset` is in Unix seconds."""
    headers = {"Authorization": authorization.format(key=key)} if authorization else {}
    replies = [
        client.request("GET", GENERATE, query="content=hi&" + query.format(key=key), headers=headers) for _ in range(2)
    ]
    rates = [
        [int(reply.headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining", "reset")] for reply in replies
    ]
    most = PLANS["premium"].requests_a_day
    assert rates == [[most, most - 1, MIDNIGHT], [most, most - 2, MIDNIGHT]]
    assert replies[0].body == picture(client, content="hi")
    assert replies[0].headers["cache-control"] == "private, no-cache"


@pytest.mark.rule("H3")
@pytest.mark.parametrize("query", ["content=hi&size=99", "", "content=hi&shorten=local", "content=x&em=numeric"])
def test_a_refused_request_with_a_key_says_what_is_left_too(client, key, query):
    """Open: which replies carry the rates. Every one with a key: a refused request was counted as well."""
    reply = client.request("GET", GENERATE, query=f"{query}&auth={key}")
    assert reply.status == 400
    assert int(reply.headers["x-ratelimit-remaining"]) == PLANS["premium"].requests_a_day - 1


@pytest.mark.rule("H4", "T14")
@pytest.mark.parametrize(
    "wrong",
    [
        "x",
        "qk_",
        "qk_" + "A" * 43,
        "{key}x",
        "{upper}",
        "{key} ",
        "é",
        "日本",
        "\0",
        "null",
        "' OR 1=1 --",
        "x" * 10_000,
    ],
)
def test_an_unknown_key_is_refused_even_where_none_is_needed(client, key, wrong):
    """Open: a wrong key at GET generate. 401: whoever sends one wants to know that it does not hold."""
    text = wrong.format(key=key, upper=key.upper()) if "{" in wrong else wrong
    reply = client.get(GENERATE, content="hi", auth=text)
    assert (reply.status, reply.headers["x-api-error-code"]) == (401, "unknown-key")
    assert reply.headers["www-authenticate"] == 'ApiKey realm="qrkit"'
    assert "x-ratelimit-limit" not in reply.headers
    assert reply.body == client.get(GENERATE, content="hi", auth="other").body


@pytest.mark.rule("T14")
@pytest.mark.parametrize("column", ["revoked", "expires"])
def test_a_revoked_or_expired_key_is_unknown_from_that_moment(client, store, account, key, column):
    """Open: the end of a key. The answer is that to an unknown one, so that nothing is learned from it."""
    unknown = client.get(GENERATE, content="hi", auth="other")
    change = f"UPDATE api_keys SET {column} = TIMESTAMP '2026-03-14 12:00:00' WHERE account_id = ?"
    store.execute(change, [account.id])
    reply = client.get(GENERATE, content="hi", auth=key)
    assert (reply.status, reply.body) == (401, unknown.body)


@pytest.mark.rule("T14")
def test_two_different_keys_are_refused(client, store, account, key):
    """Open: a key in the query and another in the header. 400: neither is the right one more than the other."""
    other = create_key(store, account)
    reply = client.get(GENERATE, content="hi", auth=key, headers={"Authorization": f"Bearer {other}"})
    assert (reply.status, reply.headers["x-api-error-code"]) == (400, "bad-value")
    assert "Authorization" in reply.headers["x-api-error"]


def test_other_kinds_of_authorization_are_not_ours(client):
    reply = client.get(GENERATE, content="hi", headers={"Authorization": "Basic YTpi"})
    assert (reply.status, "x-ratelimit-limit" in reply.headers) == (200, False)


# What is kept ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("G9")
@pytest.mark.parametrize("format", ["png", "svg", "zip"])
@pytest.mark.parametrize("is_keyed", [False, True])
def test_a_picture_may_be_kept_and_is_not_sent_again_to_who_has_it(client, key, format, is_keyed):
    """The same request gives the same bytes. With a key, it counts each time, and only its own client keeps it."""
    query = f"content=hi&format={format}" + (f"&auth={key}" if is_keyed else "")

    def ask(method="GET", **headers):
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.request(method, GENERATE, query=query, headers=sent)

    first = ask()
    assert first.headers["cache-control"] == ("private, no-cache" if is_keyed else "public, max-age=86400")
    tag = first.headers["etag"]
    assert re.fullmatch('"[0-9a-f]{32}"', tag)
    assert tag != client.get(GENERATE, content="ho", format=format).headers["etag"]
    for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = ask(If_None_Match=known)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["cache-control"] == first.headers["cache-control"]
        assert ("x-ratelimit-remaining" in again.headers) == is_keyed
        assert "content-type" not in again.headers
    assert ask("HEAD", If_None_Match=tag).status == 304
    for other in ('"x"', "", tag.strip('"')):
        assert (ask(If_None_Match=other).status, ask(If_None_Match=other).body) == (200, first.body)


def test_what_makes_a_short_url_is_never_kept(client, key):
    reply = client.get(GENERATE, content=LINK, shorten="local", auth=key)
    assert (reply.status, reply.headers["cache-control"], "etag" in reply.headers) == (200, "no-store", False)


def test_a_refusal_is_not_kept_even_by_who_has_a_picture(client):
    reply = client.get(GENERATE, content="hi", size=99, headers={"If-None-Match": "*"})
    assert (reply.status, reply.headers["cache-control"]) == (400, "no-store")


def leaking(error):
    def shorten(url):
        raise error(url)

    return shorten


@pytest.mark.rule("T14")
@pytest.mark.parametrize(
    "query",
    [
        "content=hi&auth={key}",
        "content=hi&auth={key}x",
        "content=hi&size=99&auth={key}",
        "auth={key}",
        "content=hi&auth={key}&auth={key}",
        "content=hi&auth={key}&AUTH={key}&key={key}",
        "content=hi&auth={key}%FF",
        "content=hi&auth={key}%uD800",
        "auth={key}&content=" + "x" * 17_000,
        "auth={key}&" + "&".join(f"p{number}=1" for number in range(60)),
        "content=https%3A%2F%2Fexample.com&shorten=broken&auth={key}",
        "content=https%3A%2F%2Fexample.com&shorten=local&auth={key}&format=svg",
        "content=https%3A%2F%2Fexample.com&shorten=nothing&auth={key}",
        "content=hi&format=pgn&auth={key}&attachment=true&filename=x",
    ],
)
def test_a_key_is_in_no_reply_and_in_no_log(store, key, query, caplog):
    """Open: where a key may show. Nowhere: replies are shared, and logs are read by others."""
    app = make_app(store, shorteners={"broken": leaking(ZeroDivisionError)})
    with caplog.at_level(logging.DEBUG):
        for headers in (
            {},
            {"Authorization": f"Bearer {key}"},
            {"Authorization": "Bearer x", "Referer": f"/?auth={key}"},
        ):
            reply = Client(app).request("GET", GENERATE, query=query.format(key=key), headers=headers)
            assert key.encode() not in reply.body
            assert key not in repr(reply.headers)
    assert key not in caplog.text
    assert key[3:] not in repr([record.__dict__ for record in caplog.records])


@pytest.mark.rule("T14")
def test_a_key_is_not_in_the_file_of_the_store(tmp_path):
    """Open: how keys are stored. As SHA-256: who reads the file cannot use them."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        key = create_key(shop.store, shop.account, label="till")
        assert Client(make_app(shop.store)).get(GENERATE, content="hi", auth=key).status == 200
        journal = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    data = path.read_bytes()
    assert b"till" in data
    assert key.encode() not in data + journal
    assert re.fullmatch(r"qk_[A-Za-z0-9_-]{43}", key)


@pytest.mark.rule("T13", "H4")
def test_a_plan_s_requests_of_a_day_end_in_429_and_begin_again_with_the_next(store, account, key, monkeypatch):
    """Open: quotas. Counted a UTC day; then 429, with the seconds to wait in `Retry-After`."""
    monkeypatch.setitem(PLANS, "small", Plan(most_qrcodes=1, requests_a_day=3, may_exchange=False))
    store.execute("UPDATE accounts SET plan = 'small' WHERE id = ?", [account.id])
    moments = [NOON]
    client = Client(make_app(store, clock=lambda: moments[0]))
    assert [client.get(GENERATE, content=content, auth=key).status for content in ("hi", "", "hi")] == [200, 400, 200]
    reply = client.get(GENERATE, content="hi", auth=key)
    assert (reply.status, reply.headers["x-api-error-code"]) == (429, "rate-limited")
    assert reply.headers["retry-after"] == str(12 * 60 * 60 + 1)
    rates = [reply.headers[f"x-ratelimit-{name}"] for name in ("limit", "remaining", "reset")]
    assert rates == ["3", "0", str(MIDNIGHT)]
    assert client.get(GENERATE, content="hi").status == 200
    moments[0] = datetime(2026, 3, 15, tzinfo=UTC)
    assert client.get(GENERATE, content="hi", auth=key).headers["x-ratelimit-remaining"] == "2"


# Shortening -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("G19", "T2")
@pytest.mark.parametrize("service", ["local", "go.example.com"])
def test_our_own_service_stores_a_tracked_code_and_draws_its_short_url(client, store, account, key, service):
    """Open: which services there are. Ours, under two names: a tracked QR Code of the key's account."""
    data = picture(client, content=LINK, shorten=service, auth=key)
    (row,) = store.rows("SELECT short_code, content FROM qrcodes WHERE account_id = ?", [account.id])
    assert row["content"] == LINK
    assert decode(data).content == f"https://go.example.com/{row['short_code']}"
    assert client.get(f"/{row['short_code']}").headers["location"] == quote(LINK, safe=":/?=&")


@pytest.mark.rule("G19", "H4")
def test_a_code_whose_picture_cannot_be_drawn_is_not_kept(client, store, account, key):
    """Open: what a failed request with shorten leaves. Nothing: its short URL was told to nobody."""
    reply = client.get(GENERATE, content=LINK, shorten="local", version=1, ec="H", auth=key)
    assert (reply.status, reply.headers["x-api-error-code"]) == (400, "content-too-long")
    assert Portfolio(store, account).list_qrcodes() == []


@pytest.mark.rule("G9", "G19")
def test_the_same_request_with_shorten_gives_the_same_bytes_and_one_code(client, store, account, key):
    """Open: what asking twice does. The same as asking once: the code of the first request serves again."""
    first, again = (client.get(GENERATE, content=LINK, shorten="local", auth=key) for _ in range(2))
    assert (first.status, first.body) == (200, again.body)
    assert len(Portfolio(store, account).list_qrcodes()) == 1


@pytest.mark.rule("G19", "H4")
def test_our_own_service_needs_a_key(client, store):
    """Open: whose the tracked QR Code is. The key's account; without a key 401, as wherever one is needed."""
    count = store.row("SELECT count(*) FROM qrcodes")
    reply = client.get(GENERATE, content=LINK, shorten="local")
    assert (reply.status, reply.headers["x-api-error-code"]) == (401, "missing-key")
    assert reply.headers["www-authenticate"] == 'ApiKey realm="qrkit"'
    assert store.row("SELECT count(*) FROM qrcodes") == count


@pytest.mark.rule("G19")
def test_an_operator_s_service_is_a_callable(store):
    """Open: what else can shorten. Any callable the operator registers by name; it needs no key."""
    count = store.row("SELECT count(*) FROM qrcodes")
    client = Client(validator(make_app(store, shorteners={"tiny": lambda url: f"https://t.example/{len(url)}"})))
    assert shown(client, content=LINK, shorten="tiny").content == f"https://t.example/{len(LINK)}"
    assert shown(client, content=LINK, shorten="None").content == LINK
    assert store.row("SELECT count(*) FROM qrcodes") == count


@pytest.mark.rule("G4")
@pytest.mark.parametrize("format", ["jpg", "bmp"])
@pytest.mark.parametrize("background", ["transparent", "#80FFFFFF", "white"])
def test_warnings_are_about_the_file_whose_background_is_opaque(client, format, background):
    reply = client.get(GENERATE, content=LINK, format=format, background=background)
    assert "x-api-warning" not in reply.headers
    assert reply.body == client.get(GENERATE, content=LINK, format=format).body
    assert "transparent" in client.get(GENERATE, content=LINK, background="transparent").headers["x-api-warning"]
