import json
import logging
import re
import time
import warnings
from urllib.parse import unquote
from wsgiref.validate import validator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.errors import InvalidParameter, Problem
from qrkit.portfolio.access import create_key, local_account
from qrkit.server import Client, Settings, make_app
from qrkit.server.requests.request import header_text, problem
from qrkit.store import Store
from tests.server.raw import comparable

some = settings(max_examples=80)

GENERATE = "/api/v3/generate"
SECRET = "the secret of the shortener"


def fails(url):
    raise ZeroDivisionError(SECRET)


@pytest.fixture(scope="module")
def store():
    with Store() as opened:
        yield opened


@pytest.fixture(scope="module")
def app(store):
    return make_app(
        store,
        Settings(base_url="https://go.example.com", generates_a_minute=0, unknown_codes_a_minute=0),
        shorteners={"broken": fails, "none2": lambda url: ""},
    )


@pytest.fixture(scope="module")
def client(app):
    return Client(validator(app))


def assert_keeps_the_contract(reply):
    """What ruling H3 promises of every failure."""
    text, code = reply.headers["x-api-error"], reply.headers["x-api-error-code"]
    assert 400 <= reply.status <= 500
    assert re.fullmatch("[ -~]{1,512}", text)
    assert re.fullmatch("[a-z0-9-]+", code)
    assert reply.headers["x-api-version"] == "3.0"
    assert reply.headers["content-type"] == "application/problem+json; charset=utf-8"
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"
    exposed = reply.headers["access-control-expose-headers"].split(", ")
    assert {"X-Api-Error", "X-Api-Error-Code", "X-Api-Version", "X-RateLimit-Remaining", "Retry-After"} <= set(exposed)
    assert reply.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in reply.headers
    assert int(reply.headers["content-length"]) == len(reply.body)
    body = reply.json()
    assert {"type", "title", "status", "detail", "code"} <= body.keys()
    assert (body["status"], body["code"]) == (reply.status, code)
    assert body["type"] == f"urn:qrkit:problem:{code}"
    assert body["title"]
    assert header_text(body["detail"]) == text
    for one in body.get("errors", ()):
        assert one.keys() == {"pointer", "reason", "code"}
        assert one["pointer"].startswith("/")
        assert one["reason"]
        assert re.fullmatch("[a-z0-9-]+", one["code"])


# What is refused ------------------------------------------------------------------------------------------------------

BAD_REQUESTS = [
    # query, status, code, words of the message
    ("", 400, "missing-parameter", "content: is required"),
    ("content=", 400, "missing-parameter", "content: is required"),
    ("format=svg&size=4", 400, "missing-parameter", "content: is required"),
    ("content=hi&version=41", 400, "out-of-range", "version=41: must be in 1..40"),
    ("content=hi&version=-2", 400, "out-of-range", "version=-2: must be in 1..40"),
    ("content=hi&version=two", 400, "wrong-type", "version='two': must be a whole number"),
    ("content=hi&version=1.5", 400, "wrong-type", "version='1.5': must be a whole number"),
    ("content=hi&size=0", 400, "out-of-range", "size=0: must be in 1..20 pixels per module"),
    ("content=hi&size=21", 400, "out-of-range", "size=21: must be in 1..20 pixels per module"),
    ("content=hi&size=99999999999", 400, "wrong-type", "size='99999999999'"),
    ("content=hi&padding=-1", 400, "out-of-range", "padding=-1: must be in 0..20 modules"),
    ("content=hi&padding=21", 400, "out-of-range", "padding=21: must be in 0..20 modules"),
    ("content=hi&em=auto", 400, "bad-value", "em='auto': must be one of byte, numeric, alphanumeric"),
    ("content=12a4&em=numeric", 400, "bad-content", "character 3 is 'a'"),
    ("content=ABc&em=alphanumeric", 400, "bad-content", "character 3 is 'c'"),
    ("content=hi&ec=X", 400, "bad-value", "ec='X': must be one of"),
    ("content=hi&foreground=blak", 400, "bad-colour", "did you mean 'black'"),
    ("content=hi&background=%23FFFFF", 400, "bad-colour", "background='#FFFFF': must be a color"),
    ("content=hi&format=pgn", 400, "bad-value", "format='pgn': must be one of png, jpg"),
    ("content=hi&style=dots&format=txt", 400, "bad-value", "style='dots': must be one of blocks, ascii, binary"),
    ("content=hi&attachment=maybe", 400, "wrong-type", "attachment='maybe': must be true or false"),
    ("content=hi&size=4&size=5", 400, "duplicate-parameter", "size: is given twice"),
    ("content=hi&content=hi", 400, "duplicate-parameter", "content: is given twice"),
    ("content=hi&Content=hi", 400, "duplicate-parameter", "content: is given twice"),
    ("content=%uD800", 400, "bad-encoding", "content: must be percent-encoded UTF-8"),
    ("content=hi&x=%uDFFF", 400, "bad-encoding", "x: must be percent-encoded UTF-8"),
    ("content=" + "x" * 16_400, 414, "uri-too-long", "at most 16384"),
    ("content=hi" + "&x" * 60, 400, "too-many-parameters", "at most 50"),
    ("content=" + "x" * 3_000, 400, "content-too-long", "at most 2953 bytes"),
    ("content=hello+world+hello&version=1&ec=H", 400, "content-too-long", "version 3 with ec=H"),
    ("content=" + "9" * 3_000, 400, "content-too-long", "em=numeric"),
    ("content=hi&shorten=local", 400, "shorten-not-applicable", "http or https"),
    ("content=http:x&shorten=local", 400, "shorten-not-applicable", "http or https"),
    ("content=https://a.example&shorten=lcal", 400, "bad-value", "did you mean 'local'"),
    ("content=https://a.example&shorten=local", 401, "missing-key", "needs an API key"),
    ("content=http://[&shorten=local", 401, "missing-key", "needs an API key"),
    ("content=hi&auth=wrong", 401, "unknown-key", "API key is not known"),
    ("auth=wrong", 401, "unknown-key", "API key is not known"),
    ("content=hi&size=99&auth=wrong", 401, "unknown-key", "API key is not known"),
]


@pytest.mark.rule("H3", "H4")
@pytest.mark.parametrize(
    ("query", "status", "code", "words"), BAD_REQUESTS, ids=[f"{row[0][:40]} {row[2]}" for row in BAD_REQUESTS]
)
def test_a_bad_request_says_what_is_wrong_and_what_would_be_right(client, query, status, code, words):
    """Open: which condition answers what. The table of rulings H3 and H4, in a form programs and people read."""
    reply, head = (client.request(method, GENERATE, query=query) for method in ("GET", "HEAD"))
    assert_keeps_the_contract(reply)
    assert (head.status, comparable(head.headers), head.body) == (reply.status, comparable(reply.headers), b"")
    assert (reply.status, reply.headers["x-api-error-code"]) == (status, code)
    assert words in unquote(reply.headers["x-api-error"])


@pytest.mark.rule("H3")
def test_all_wrong_parameters_are_named_with_pointers(client):
    """Open: which of several mistakes is told. All of them: a client should not have to ask once for each."""
    reply = client.get(
        GENERATE, size="0", padding="x", em="foo", ec="Z", foreground="blak", format="pgn", attachment="?"
    )
    assert_keeps_the_contract(reply)
    found = {one["pointer"]: one["code"] for one in reply.json()["errors"]}
    assert found == {
        "/content": "missing-parameter",
        "/size": "out-of-range",
        "/padding": "wrong-type",
        "/em": "bad-value",
        "/ec": "bad-value",
        "/foreground": "bad-colour",
        "/format": "bad-value",
        "/attachment": "wrong-type",
    }


@pytest.mark.rule("H3")
def test_a_stranger_s_text_in_a_message_cannot_leave_its_line(client):
    """Open: non-Latin letters and line ends in the header. Percent-encoded: servers drop, cut or split such headers."""
    reply = client.get(GENERATE, content="hi", foreground="漢\r\nSet-Cookie: a=b\0%41")
    assert_keeps_the_contract(reply)
    assert "set-cookie" not in reply.headers
    assert "%E6%BC%A2" in reply.headers["x-api-error"]
    assert "%2541" in reply.headers["x-api-error"]
    assert "漢" in reply.json()["detail"]


names = st.sampled_from(
    ["content", "version", "size", "padding", "em", "ec", "foreground", "format", "shorten", "auth", "x"]
)
values = st.one_of(
    st.text(max_size=12), st.sampled_from(["1", "-1", "numeric", "H", "https://a", "local", "#8000FF00"])
)


@pytest.mark.rule("H4")
@some
@given(st.dictionaries(names, values, max_size=8))
def test_generate_answers_200_or_400_to_499_to_any_parameters(client, parameters):
    """The interface promises 400 to 500; 500 is a bug, and no parameter may bring one about."""
    parameters = {name: value.encode("utf-8", "replace").decode() for name, value in parameters.items()}
    reply = client.get(GENERATE, **parameters)
    assert reply.status == 200 or 400 <= reply.status < 500
    if reply.status != 200:
        assert_keeps_the_contract(reply)


@some
@given(st.one_of(st.binary(max_size=30), st.text("acontefm=&%+;0123456789ABCDEF\xff", max_size=40).map(str.encode)))
def test_any_bytes_as_a_query_keep_the_contract(client, query):
    reply = client.request("GET", GENERATE, query=query.decode("latin-1"))
    assert reply.status in (200, 400, 401)
    if reply.status != 200:
        assert_keeps_the_contract(reply)


# Paths and methods ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("H1", "H3", "H4")
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api",
        "/api/v3",
        "/api/v2/generate",
        "/api/v4/generate",
        "/api/v3/Generate",
        "/api/v3/generate/x",
        "/generate/x/y",
        "/nobody",
        "/nobody/tail",
        "/a/b/c/d",
        "/favicon.ico",
        "/漢字",
        "/a%0d%0aX: y",
        "/\r\nX: y",
        "/<script>",
        "//",
        "/" + "x" * 5_000,
    ],
)
def test_an_unknown_path_is_404_with_the_contract(client, path):
    """Open: unknown paths. 404 in the same form as every failure, without a slash at the end and in this case alone."""
    reply, head = (client.request(method, path) for method in ("GET", "HEAD"))
    assert_keeps_the_contract(reply)
    assert (head.status, comparable(head.headers), head.body) == (reply.status, comparable(reply.headers), b"")
    assert (reply.status, reply.headers["x-api-error-code"]) == (404, "not-found")


@pytest.mark.rule("H3", "H4")
@pytest.mark.parametrize("path", [GENERATE, "/k3Jd9Qa", "/k3Jd9Qa/tail"])
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE"])
def test_a_method_that_is_not_offered_is_405_with_those_that_are(client, path, method):
    """Open: wrong methods. 405, with `Allow`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the validator does not know PATCH and TRACE
        reply = client.request(method, path)
    assert_keeps_the_contract(reply)
    assert (reply.status, reply.headers["x-api-error-code"]) == (405, "method-not-allowed")
    assert {"GET", "HEAD"} <= set(reply.headers["allow"].split(", "))
    assert method in reply.headers["x-api-error"]


@pytest.mark.rule("H3")
@pytest.mark.parametrize("method", ["BREW", "get", "PROPFIND", "X" * 100, "G\u00c9T"])
@pytest.mark.parametrize("path", [GENERATE, "/nobody", "/"])
def test_a_strange_method_keeps_the_contract(app, path, method):
    """Open: methods nobody knows. Refused in the same form; which of 400 and 405 says nothing to anybody."""
    reply = Client(app).request(method, path)
    assert_keeps_the_contract(reply)
    assert reply.status in (400, 404, 405)


@pytest.mark.parametrize("path", ["/" + "." * 16_000 + "/", "/api/v3/track/statistics/" + "." * 16_000 + "/"])
def test_the_route_of_a_long_path_is_found_in_no_time(client, path):
    began = time.process_time()
    assert client.request("PUT", path).status in (404, 405)
    assert time.process_time() - began < 0.2


def test_options_may_be_asked_by_browsers_of_other_origins(client):
    reply = client.request("OPTIONS", GENERATE)
    assert reply.status in (200, 204)
    assert reply.headers["access-control-allow-origin"] == "*"
    assert {"GET", "OPTIONS"} <= set(reply.headers["allow"].split(", "))
    assert reply.body == b""


# Bugs -----------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H3", "H4")
def test_browsers_of_other_origins_may_send_a_key_in_a_header(client):
    reply = client.request("OPTIONS", GENERATE, headers={"Access-Control-Request-Headers": "authorization"})
    assert "Authorization" in reply.headers["access-control-allow-headers"]


def test_a_bug_is_500_with_an_id_that_is_in_the_log_and_nothing_else_outside(client, caplog):
    """Open: what a bug tells. An id, which finds its traceback in the log; everything else stays inside."""
    with caplog.at_level(logging.ERROR, logger="qrkit"):
        reply = client.get(GENERATE, content="https://a.example", shorten="broken")
    assert_keeps_the_contract(reply)
    assert (reply.status, reply.headers["x-api-error-code"]) == (500, "internal")
    id = reply.headers["x-request-id"]
    assert reply.json()["detail"] == f"an internal error happened; it was logged as {id}"
    (record,) = caplog.records
    assert record.getMessage() == f"error {id} at {GENERATE}"
    assert SECRET in caplog.text
    assert record.exc_info[0] is ZeroDivisionError
    outside = reply.text + repr(reply.headers)
    assert not [word for word in (SECRET, "ZeroDivision", "Traceback", ".py", "a.example") if word in outside]


@pytest.mark.rule("H3", "H4")
def test_a_lost_store_is_a_500_with_the_contract(caplog):
    """Open: a store that cannot be read. 500 for generate too, because it promises no more than 500.

    Short URLs are known without it: they are answered as ever, and the visit is lost (ruling T11).
    """
    store = Store()
    key = create_key(store, local_account(store))
    client = Client(validator(make_app(store)))
    store.close()
    for path, query, status in ((GENERATE, {"content": "hi", "auth": key}, 500), ("/k3Jd9Qa", {}, 404)):
        reply = client.get(path, **query)
        assert_keeps_the_contract(reply)
        assert reply.status == status
    assert client.get(GENERATE, content="hi").status == 200
    assert key not in caplog.text


def test_each_bug_has_an_id_of_its_own(client):
    texts = [
        client.get(GENERATE, content="https://a.example", shorten="broken").headers["x-api-error"] for _ in range(3)
    ]
    assert len(set(texts)) == 3


# The text of the header -----------------------------------------------------------------------------------------------


def cleaned(text):
    """The text as one line, as far as it can be written as UTF-8."""
    line = re.sub(r"[\x00-\x1f\x7f\u2028\u2029]+", " ", text).strip() or "error"
    return line.encode("utf-8", "replace").decode()


@pytest.mark.rule("H3")
@settings(max_examples=200)
@given(st.one_of(st.text(max_size=60), st.text("%aé漢😀\r\n\t \ud800\x7f\u2028", max_size=700)))
def test_the_header_gives_the_text_back_when_it_is_decoded(text):
    """Open: how text gets into a header. Printable ASCII, so that unquote (decodeURIComponent) gives the text back."""
    header = header_text(text)
    assert re.fullmatch("[ -~]{1,512}", header)
    assert re.fullmatch("([^%]|%[0-9A-F]{2})*", header)
    assert cleaned(text).startswith(unquote(header, errors="strict"))
    if len(header) <= 500:
        assert unquote(header, errors="strict") == cleaned(text)


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("size=99: must be in 1..20", "size=99: must be in 1..20"),
        ("", "error"),
        (" \r\n\t", "error"),
        ("a\r\nSet-Cookie: b", "a Set-Cookie: b"),
        ("50%", "50%25"),
        ("é", "%C3%A9"),
        ("😀", "%F0%9F%98%80"),
        ("\ud800", "%3F"),
        ("x" * 600, "x" * 512),
        ("x" * 511 + "é", "x" * 511),
        ("x" * 506 + "é", "x" * 506 + "%C3%A9"),
        ("x" * 507 + "é", "x" * 507),
        ("😀" * 50, "%F0%9F%98%80" * 42),
    ],
)
def test_the_header_is_cut_between_characters(text, header):
    """Open: long texts. At most 512 characters, and never half a sequence."""
    assert header_text(text) == header


@pytest.mark.rule("H3")
def test_a_pointer_is_a_json_pointer():
    """Open: how a field is named. By a JSON pointer (RFC 6901), also inside objects."""
    error = InvalidParameter(
        Problem("location.latitude", 91, "must be in -90..90"), Problem("a/b~c", None, "is given twice")
    )
    assert [one["pointer"] for one in json.loads(problem(error).body)["errors"]] == ["/location/latitude", "/a~1b~0c"]
