"""Files in bodies: as bytes, in forms as `curl -F` sends them, and as lists of bytes; the same comes of each (H9)."""

import gzip
import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from urllib3 import encode_multipart_formdata

from qrkit import generate
from qrkit.errors import BadRequest, InvalidParameter
from qrkit.server.requests.bodies import MOST_PARTS, read_file
from tests.server.test_errors import assert_keeps_the_contract

some = settings(max_examples=50)
API = "/api/v3"
PICTURE = generate("https://example.com/tram").to_bytes("png")
ROWS = "Content,QR Code Name\r\nhttps://example.com/{0},žluť {0}\r\n"


def form(*parts):
    """A form as urllib3 writes it: its body, and its type."""
    body, kind = encode_multipart_formdata(parts)
    return body, {"Content-Type": kind}


@pytest.fixture
def ask(client, key):
    def ask(path, body, headers=None, query=""):
        return client.request("POST", f"{API}/{path}", query=f"auth={key}&{query}", body=body, headers=headers)

    return ask


def refusal(reply):
    assert_keeps_the_contract(reply)
    return reply.status, reply.json()["code"], [one["pointer"] for one in reply.json().get("errors", ())]


# Lists of bytes -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H9")
@some
@given(st.binary(max_size=300), st.booleans(), st.sampled_from([None, 2, "\t"]))
def test_a_list_of_bytes_is_these_bytes(data, is_last, indent):
    members = {"type": "Buffer", "data": list(data)}
    body = json.dumps(dict(reversed(members.items())) if is_last else members, indent=indent).encode()
    assert read_file(body, "application/json").data == data


@pytest.mark.rule("H9")
@some
@given(st.binary(max_size=300))
def test_any_other_body_is_its_own_bytes(data):
    assert read_file(data, "").data == data


@pytest.mark.rule("H9")
@pytest.mark.parametrize(
    ("entries", "pointer", "code"),
    [
        ("[1, 256]", "data.1", "out-of-range"),
        ("[-1]", "data.0", "out-of-range"),
        ("[0, 1, 1.5]", "data.2", "out-of-range"),
        ("[true]", "data.0", "out-of-range"),
        ('["1"]', "data.0", "out-of-range"),
        ("[null]", "data.0", "out-of-range"),
        ("[[1]]", "data", "wrong-type"),
        ("[{}]", "data", "wrong-type"),
        ('"AAEC"', "data", "wrong-type"),
        ("null", "data", "wrong-type"),
        ("7", "data", "wrong-type"),
    ],
)
def test_what_is_no_byte_is_refused_by_its_place(entries, pointer, code):
    with pytest.raises(InvalidParameter, match=r"0\.\.255") as caught:
        read_file(f'{{"type": "Buffer", "data": {entries}}}'.encode(), "")
    assert (caught.value.name, caught.value.code) == (pointer, code)


@pytest.mark.rule("H9")
def test_a_list_of_bytes_that_is_no_json_is_refused():
    for body in (b'{"type": "Buffer", "data": [1,]}', b'{"type": "Buffer", "data": [1'):
        with pytest.raises(BadRequest) as caught:
            read_file(body, "")
        assert caught.value.code == "bad-json"


@pytest.mark.rule("H9")
def test_decode_check_and_import_read_lists_of_bytes(ask, shop):
    """A fact: an old client writes the bytes of a file so."""
    assert ask("decode", buffer(PICTURE)).json() == ask("decode", PICTURE).json()
    assert ask("check", buffer(PICTURE), query="level=static").json()["content"] == "https://example.com/tram"
    reply = ask("track/import", buffer(ROWS.format("buffer").encode()), query="format=csv")
    assert (reply.status, reply.json()) == (200, [])
    assert "https://example.com/buffer" in [one.content for one in shop.list_qrcodes()]
    assert refusal(ask("decode", b'{"type": "Buffer", "data": [137, 800]}')) == (400, "out-of-range", ["/data/1"])
    assert refusal(ask("decode", b'{"type": "Buffer", "data": []}')) == (400, "empty-body", [])


def buffer(data):
    return json.dumps({"type": "Buffer", "data": list(data)}).encode()


# Forms ----------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H1")
@some
@given(st.binary(max_size=300))
def test_the_file_of_a_form_is_its_bytes(data):
    body, headers = form(("note", "ž"), ("upload", ("x.csv", data, "text/csv")))
    sent = read_file(body, headers["Content-Type"])
    assert (sent.data, sent.name, sent.format, dict(sent.fields)) == (data, "x.csv", "csv", {"note": "ž"})


@pytest.mark.rule("H1")
def test_decode_and_check_read_the_picture_in_a_form(ask):
    """What `curl -F file=@tram.png` sends."""
    body, headers = form(("file", ("tram.png", PICTURE, "image/png")))
    assert ask("decode", body, headers).json() == ask("decode", PICTURE).json()
    assert ask("check", body, headers, "level=static").json()["content"] == "https://example.com/tram"


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("name", "parts", "query"),
    [
        ("field", [("format", "csv")], ""),
        ("capitals", [("Format", "CSV")], ""),
        ("query", [], "format=csv"),
        ("both", [("format", "xml")], "format=csv"),
        ("suffix", [], ""),
    ],
)
def test_import_reads_the_file_in_a_form_and_its_format_from_query_field_or_name(ask, shop, name, parts, query):
    body, headers = form(*parts, ("file", ("codes.csv", ROWS.format(name).encode(), "text/csv")))
    reply = ask("track/import", body, headers, query)
    assert (reply.status, reply.json()) == (200, [])
    assert f"žluť {name}" in [one.name for one in shop.list_qrcodes()]


@pytest.mark.parametrize("place", ["query", "field"])
def test_import_reads_columns_of_other_names(ask, shop, place):
    pairs, rows = 'content=Website,name="Poster, big"', f'"Poster, big",Website\n{place},https://example.com\n'.encode()
    parts = [("columns", pairs)] if place == "field" else []
    body, headers = form(*parts, ("file", ("codes.csv", rows, "text/csv")))
    reply = ask("track/import", body, headers, "" if parts else f"columns={quote(pairs)}")
    assert (reply.status, reply.json()) == (200, [])
    assert [one.content for one in shop.list_qrcodes() if one.name == place] == ["https://example.com"]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("content=Websit", "columns.content='Websit': is not a column of the file; did you mean 'Website'?"),
        ("Website=content", "columns='Website': is not a column of an import, but 'content' is; swap the two"),
        ("Website", "columns='Website': must be pairs such as content=Website,name=Poster"),
    ],
)
def test_columns_that_are_not_there_are_named_by_their_parameter(ask, columns, words):
    reply = ask("track/import", b"Website\nhttps://example.com\n", query=f"format=csv&columns={quote(columns)}")
    assert (reply.status, words in reply.text) == (400, True)
    assert reply.json()["errors"][0]["pointer"].startswith("/columns")


@pytest.mark.rule("X14")
@pytest.mark.parametrize("place", ["query", "field"])
def test_import_reads_a_table_where_it_is_said_to_be(ask, shop, place):
    said = {"columns": "content=B,name=A", "headerRow": "0", "encoding": "cp1250"}
    rows = f"Łuk {place},https://example.com/{place}\n".encode("cp1250")
    body, headers = form(*(said.items() if place == "field" else ()), ("file", ("codes.csv", rows, "text/csv")))
    query = "" if place == "field" else "&".join(f"{name}={quote(text)}" for name, text in said.items())
    reply = ask("track/import", body, headers, query)
    assert (reply.status, reply.json()) == (200, [])
    assert f"Łuk {place}" in [one.name for one in shop.list_qrcodes()]


@pytest.mark.rule("X14")
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("headerRow", "x", "headerRow='x': must be the row of the headings"),
        ("encoding", "klingon", "encoding='klingon': is not the name of an encoding"),
        ("sheet", "One", "sheet='One': is given, but the file has no sheets"),
    ],
)
def test_a_place_that_is_not_there_is_named_by_its_parameter(ask, name, value, words):
    reply = ask("track/import", b"Content\nhttps://example.com\n", query=f"format=csv&{name}={value}")
    assert (reply.status, words in reply.text) == (400, True)
    assert reply.json()["errors"][0]["pointer"] == f"/{name}"


def test_an_import_changes_the_codes_that_a_column_identifies(ask, shop):
    rows = "Name,Content,Plate\nShed,https://example.com/{},12\n"
    assert ask("track/import", rows.format("old").encode(), query="format=csv").status == 200
    reply = ask("track/import", rows.format("new").encode(), query="format=csv&updateBy=Plate")
    assert (reply.status, reply.headers["x-created"], reply.headers["x-updated"]) == (200, "0", "1")
    assert [code.content for code in shop.list_qrcodes() if code.name == "Shed"] == ["https://example.com/new"]


@pytest.mark.parametrize("is_form", [False, True])
def test_error_names_the_parameter_of_what_cannot_identify_codes(ask, is_form):
    rows, headers = b"Content\nhttps://example.com\n", {}
    if is_form:
        rows, headers = form(("updateBy", "name"), ("file", ("codes.csv", rows, "text/csv")))
    reply = ask("track/import", rows, headers, f"format=csv{'' if is_form else '&updateBy=Plat'}")
    rule = "updateBy='name': must be in the query string" if is_form else "updateBy='Plat': must be name, short_url, or"
    assert (reply.status, rule in reply.text) == (400, True)


OF_X = {"Content-Type": "multipart/form-data; boundary=x"}
BAD_FORMS = {
    "no file": form(("format", "csv")),
    "two files": form(("a", ("a.csv", b"a", "text/csv")), ("b", ("b.csv", b"b", "text/csv"))),
    "many parts": form(*[(f"x{number}", "1") for number in range(MOST_PARTS)], ("file", ("a.csv", b"a", "text/csv"))),
    "no parts": (b"", OF_X),
    "no end": (form(("file", ("a.csv", b"a", "text/csv")))[0][:-9], OF_X),
    "no boundary": (b"--x--", {"Content-Type": "multipart/form-data"}),
    "a long boundary": (b"--x--", {"Content-Type": f"multipart/form-data; boundary={'x' * 90}"}),
    "a boundary beyond ASCII": (b"--x--", {"Content-Type": "multipart/form-data; boundary=\u00fc"}),
    "a long head": (b"--x\r\nA: " + b"a" * 9_000 + b"\r\n\r\n\r\n--x--", OF_X),
    "a name in no charset": (
        b"--x\r\nContent-Disposition: form-data; name=\"a\"; filename*=nope''%E9\r\n\r\na\r\n--x--",
        OF_X,
    ),
}  # fmt: skip


@pytest.mark.rule("H1", "H3")
@pytest.mark.parametrize("what", BAD_FORMS)
def test_a_form_that_cannot_be_read_is_400_and_says_how_to_send_the_bytes(ask, what):
    body, headers = BAD_FORMS[what]
    for path in ("decode", "track/import"):
        reply = ask(path, body, headers)
        assert refusal(reply) == (400, "bad-form", [])
        assert "--data-binary" in reply.json()["detail"]


@pytest.mark.rule("H1")
@settings(max_examples=300)
@given(st.data())
def test_a_form_with_anything_wrong_in_it_is_read_or_refused(data):
    """Open: what a library raises on nonsense. Whatever it is, the client gets a 400."""
    body, headers = form(("note", "ž"), ("file", ("ž.csv", b"content", "text/csv")))
    kind = headers["Content-Type"]
    where = data.draw(st.integers(0, len(body)))
    until = data.draw(st.integers(where, min(len(body), where + 20)))
    wrong = data.draw(
        st.binary(max_size=6) | st.sampled_from([b"\r\n", b"\r\n\r\n", b'"', b"filename*=x''%FF", b"; name=", b":"])
    )
    try:
        read_file(body[:where] + wrong + body[until:], kind)
    except BadRequest as error:
        assert error.code == "bad-form"


@pytest.mark.rule("H1")
@pytest.mark.parametrize("path", ["generate", "track/qrcode", "track/import"])
def test_a_compressed_body_is_refused_with_what_is_allowed(ask, path):
    """Open: which content codings are read. RFC 9110 asks for the status 415 and the header Accept-Encoding."""
    body = gzip.compress(b"Content\nhttps://example.com\n")
    answer = ask(path, body, {"Content-Encoding": "gzip"})
    assert refusal(answer) == (415, "unsupported-media-type", [])
    assert answer.headers["accept-encoding"] == "identity"
    assert "Content-Encoding 'gzip'; send it uncompressed" in answer.headers["x-api-error"]
    assert refusal(ask(path, body, {"Content-Encoding": "identity, GZIP"})) == (415, "unsupported-media-type", [])


@pytest.mark.rule("H1")
@pytest.mark.parametrize("coding", ["Identity", "utf-8", ""])
def test_a_content_encoding_that_compresses_nothing_is_ignored(ask, coding):
    """Some clients name the charset there."""
    assert ask("decode", b"no picture", {"Content-Encoding": coding}).status == 400
    headers = {"Content-Type": "application/json", "Content-Encoding": coding}
    assert ask("generate", b'{"content": "hi"}', headers).status == 200


@pytest.mark.rule("H1")
def test_a_form_is_no_json(ask):
    body, headers = form(("content", "hi"))
    for path in ("generate", "track/qrcode", "track/campaign"):
        assert refusal(ask(path, body, headers)) == (415, "unsupported-media-type", [])


def test_rows_of_cells_and_of_totals_are_read_over_http(ask):
    cells = '[["content", "name"], ["https://example.com", "A"]]'
    assert ask("track/import", cells.encode(), query="format=json").json() == []
    reply = ask("track/import", b"Content,Scans\nhttps://example.com/b,3\nTotal,3\n", query="format=csv")
    assert [issue["error"] for issue in reply.json()] == ["invalid: is a row of totals, and was left out"]
    reply = ask("track/import", b"<urlset><url/></urlset>", query="format=xml")
    assert reply.status == 400 and "save the table as csv" in reply.text
