"""What the server takes as HTTP, and how it stands people who are slow, many, or up to no good: on real sockets."""

import json
import resource
import threading
import time
from wsgiref.validate import validator

import pytest

from qrkit import decode
from qrkit.server import make_app
from qrkit.server.sockets.http_server import (
    GRACE,
    LINGERING,
    LONGEST_CHUNK_LINE,
    LONGEST_HEADER,
    LONGEST_REQUEST,
    LONGEST_TRAILER,
    MOST_BODY_BYTES,
    MOST_HEADER_BYTES,
)
from tests.server.raw import (
    LONGEST_WAIT,
    answers,
    ask,
    assert_keeps_the_contract,
    connect,
    everything,
    one_answer,
    open_files,
    request,
    sent_all,
    serving,
    wait_until_closed,
)

pytestmark = pytest.mark.needs("loopback")

BIG = bytes(4 * 2**20)
HUGE = bytes(20 * 2**20)
SMUGGLED = request("/smuggled", "Connection: close")
CHUNKED = ("POST /echo HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked")
POST = ("POST /echo HTTP/1.1", "Host: localhost")
END = "Connection: close"


class Desk:
    """An app that does what its path says, and knows what it was asked; other paths go to the real one."""

    def __init__(self, app):
        self.app = app
        self.asked = []
        self.came = threading.Semaphore(0)
        self.may_go_on = threading.Event()

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        self.asked.append(path)
        self.came.release()
        act = getattr(self, "do_" + path.strip("/").replace("-", "_"), None)
        if act is None:
            return self.app(environ, start_response)
        body, headers = act(environ)
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body))), *headers])
        return [body]

    def do_echo(self, environ):
        return environ["wsgi.input"].read(), []

    def do_environ(self, environ):
        kept = {name: value for name, value in environ.items() if isinstance(value, str)}
        return json.dumps(kept).encode(), []

    def do_big(self, environ):
        return BIG, []

    def do_huge(self, environ):
        return HUGE, []

    def do_wait(self, environ):
        assert self.may_go_on.wait(LONGEST_WAIT)
        return b"waited", []

    def do_bug(self, environ):
        raise ZeroDivisionError("a secret")

    def do_split(self, environ):
        return b"", [("X-Name", "a\r\nSet-Cookie: b=c")]

    def do_nul(self, environ):
        return b"", [("X-Name", "a\0b")]

    def do_accent(self, environ):
        return b"", [("X-Name", "\u00e9")]

    def do_smuggled(self, environ):
        return b"smuggled", []


@pytest.fixture
def desk(shop):
    return Desk(make_app(shop.store))


@pytest.fixture
def server(desk):
    with serving(desk, threads=8) as server:
        yield server


def head(*lines):
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


# What is no HTTP ------------------------------------------------------------------------------------------------------

REFUSED = {
    # length and encoding of bodies: what proxies and servers disagree about
    "length and chunks": head(*CHUNKED, "Content-Length: 4") + b"0\r\n\r\n",
    "chunks and length": head(*POST, "Content-Length: 4", "Transfer-Encoding: chunked") + b"0\r\n\r\n",
    "two lengths": head(*POST, "Content-Length: 0", "Content-Length: 9"),
    "one length twice": head(*POST, "Content-Length: 3", "Content-Length: 3") + b"abc",
    "a list of lengths": head(*POST, "Content-Length: 3, 3") + b"abc",
    "length +5": head(*POST, "Content-Length: +5") + b"abcde",
    "length -5": head(*POST, "Content-Length: -5"),
    "length 1_0": head(*POST, "Content-Length: 1_0") + b"0123456789",
    "length 0x5": head(*POST, "Content-Length: 0x5") + b"abcde",
    "length 5.0": head(*POST, "Content-Length: 5.0") + b"abcde",
    "no length": head(*POST, "Content-Length: ") + b"abcde",
    "length in other digits": head(*POST, "Content-Length: \xb2"),
    "a length of 5000 digits": head(*POST, "Content-Length: " + "1" * 5_000),
    "xchunked": head(*POST, "Transfer-Encoding: xchunked") + b"0\r\n\r\n",
    "identity": head(*POST, "Transfer-Encoding: identity"),
    "gzip": head(*POST, "Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n",
    "chunked twice": head(*POST, "Transfer-Encoding: chunked, chunked") + b"0\r\n\r\n",
    "two fields chunked": head(*CHUNKED, "Transfer-Encoding: chunked") + b"0\r\n\r\n",
    "no encoding": head(*POST, "Transfer-Encoding: "),
    "encoding with a vertical tab": head(*POST, "Transfer-Encoding: \x0bchunked") + b"0\r\n\r\n",
    "encoding with a blank before its colon": head(*POST, "Transfer-Encoding : chunked") + b"0\r\n\r\n",
    "chunks in 1.0": head("POST /echo HTTP/1.0", "Connection: keep-alive", "Transfer-Encoding: chunked") + b"0\r\n\r\n",
    # chunks
    "chunk size +1": head(*CHUNKED) + b"+1\r\na\r\n0\r\n\r\n",
    "chunk size -1": head(*CHUNKED) + b"-1\r\na\r\n0\r\n\r\n",
    "chunk size 0x1": head(*CHUNKED) + b"0x1\r\na\r\n0\r\n\r\n",
    "chunk size in letters": head(*CHUNKED) + b"xyz\r\na\r\n0\r\n\r\n",
    "chunk size with a blank": head(*CHUNKED) + b" 1\r\na\r\n0\r\n\r\n",
    "chunk size of many digits": head(*CHUNKED) + b"0" * 20 + b"1\r\na\r\n0\r\n\r\n",
    "no chunk size": head(*CHUNKED) + b"\r\n1\r\na\r\n0\r\n\r\n",
    "chunk size ends in LF": head(*CHUNKED) + b"1\na\r\n0\r\n\r\n",
    "chunk size ends in LF CR LF": head(*CHUNKED) + b"1\n\r\na\r\n0\r\n\r\n",
    "chunk ends in LF": head(*CHUNKED) + b"1\r\na\n0\r\n\r\n",
    "chunk longer than its size": head(*CHUNKED) + b"1\r\nabc\r\n0\r\n\r\n",
    "chunk extension with LF": head(*CHUNKED) + b"1;a\n=b\r\na\r\n0\r\n\r\n",
    "chunk extension without end": head(*CHUNKED) + b"1;" + b"a" * LONGEST_CHUNK_LINE,
    "a trailer without end": head(*CHUNKED) + b"0\r\n" + b"a: b\r\n" * LONGEST_TRAILER,
    # hosts
    "no host": head("GET /echo HTTP/1.1"),
    "two hosts": head("GET /echo HTTP/1.1", "Host: localhost", "Host: evil.example"),
    "one host twice": head("GET /echo HTTP/1.1", "Host: localhost", "Host: localhost"),
    "two hosts in 1.0": head("GET /echo HTTP/1.0", "Host: localhost", "Host: evil.example"),
    "a host with a slash": head("GET /echo HTTP/1.1", "Host: localhost/evil"),
    "a host with a user": head("GET /echo HTTP/1.1", "Host: me@localhost"),
    "a URL without a host": head("GET http:///echo HTTP/1.1", "Host: localhost"),
    "a URL with a user": head("GET http://me@localhost/echo HTTP/1.1", "Host: localhost"),
    "a URL with another scheme": head("GET ftp://localhost/echo HTTP/1.1", "Host: localhost"),
    # first lines
    "HTTP/0.9": b"GET /echo\r\n\r\n",
    "HTTP/1.2": head("GET /echo HTTP/1.2", "Host: localhost"),
    "HTTP/2.0": head("PRI * HTTP/2.0") + b"SM\r\n\r\n",
    "HTTP/11": head("GET /echo HTTP/11", "Host: localhost"),
    "http in small letters": head("GET /echo http/1.1", "Host: localhost"),
    "a method in small letters": head("get /echo HTTP/1.1", "Host: localhost"),
    "no method": head(" /echo HTTP/1.1", "Host: localhost"),
    "two blanks": head("GET  /echo HTTP/1.1", "Host: localhost"),
    "a blank at the start": head(" GET /echo HTTP/1.1", "Host: localhost"),
    "a blank inside": head("GET /ec ho HTTP/1.1", "Host: localhost"),
    "NUL in the path": head("GET /ec\0ho HTTP/1.1", "Host: localhost"),
    "a tab in the path": head("GET /ec\tho HTTP/1.1", "Host: localhost"),
    "half an IPv6 address": head("GET http://[/echo HTTP/1.1", "Host: localhost"),
    "a path without a slash": head("GET echo HTTP/1.1", "Host: localhost"),
    "CONNECT": head("CONNECT evil.example:443 HTTP/1.1", "Host: localhost"),
    "a path of 70 KB": head("GET /" + "a" * 70_000 + " HTTP/1.1", "Host: localhost"),
    "a path of Latin-1": head("GET /x\xe9 HTTP/1.1", "Host: localhost"),
    "a query of Latin-1": head("GET /echo?a=x\xe9 HTTP/1.1", "Host: localhost"),
    "half a character": head("GET /echo?a=\xc5 HTTP/1.1", "Host: localhost"),
    "a character in too many bytes": head("GET /echo?a=\xc0\xaf HTTP/1.1", "Host: localhost"),
    "half a surrogate pair": head("GET /echo?a=\xed\xa0\x80 HTTP/1.1", "Host: localhost"),
    "two slashes and Latin-1": head("GET //x\xe9 HTTP/1.1", "Host: localhost"),
    "a blank behind UTF-8": head("GET /echo?a=\xc5\xbe b HTTP/1.1", "Host: localhost"),
    "NUL behind UTF-8": head("GET /echo?a=\xc5\xbe\0 HTTP/1.1", "Host: localhost"),
    "a tab behind UTF-8": head("GET /echo?a=\xc5\xbe\t HTTP/1.1", "Host: localhost"),
    "an address in full with UTF-8": head("GET http://\xc5\xbe/echo HTTP/1.1", "Host: localhost"),
    "UTF-8 in the method": head("G\xc5\xbeT /echo HTTP/1.1", "Host: localhost"),
    "UTF-8 in the version": head("GET /echo HTTP/1.\xc5\xbe", "Host: localhost"),
    # fields
    "a field without a colon": head("GET /echo HTTP/1.1", "Host: localhost", "nonsense"),
    "a field without a name": head("GET /echo HTTP/1.1", "Host: localhost", ": x"),
    "NUL in a field": head("GET /echo HTTP/1.1", "Host: localhost", "X-A: a\0b"),
    "CR in a field": head("GET /echo HTTP/1.1", "Host: localhost", "X-A: a\rX-B: b"),
    "LF in a field": head("GET /echo HTTP/1.1", "Host: localhost", "X-A: a\nX-B: b"),
    "a folded field": head("GET /echo HTTP/1.1", "Host: localhost", "X-A: a", " b"),
    "a folded first field": head("GET /echo HTTP/1.1", " Host: localhost"),
    "a header of 70 KB": head("GET /echo HTTP/1.1", "Host: localhost", "X-A: " + "a" * 70_000),
    "5000 fields": head("GET /echo HTTP/1.1", "Host: localhost", *["X-A: abcdefghi"] * 5_000),
    # no HTTP at all
    "TLS": bytes.fromhex("16030100b3010000af0303") + bytes(range(200)),
    "noise": bytes(range(128, 256)) * 4,
    "NUL": bytes(100),
    "10 GB announced": head(*POST, "Content-Length: 10737418240") + b"abc",
    "10 GB announced, and permission asked": head(*POST, "Content-Length: 10737418240", "Expect: 100-continue"),
    "a bad length, and permission asked": head(*POST, "Content-Length: +5", "Expect: 100-continue"),
}
STATUSES = {
    "a path of 70 KB": (431, "header-too-large"),
    "a header of 70 KB": (431, "header-too-large"),
    "5000 fields": (431, "header-too-large"),
    "10 GB announced": (413, "body-too-large"),
    "10 GB announced, and permission asked": (413, "body-too-large"),
}


@pytest.mark.rule("H3")
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_http_is_refused_with_the_contract_and_what_follows_is_not_run(server, desk, what):
    """Open: what the server itself refuses. The form of every failure, and the end of the connection."""
    (answer,) = ask(server, REFUSED[what] + SMUGGLED)
    assert_keeps_the_contract(answer)
    assert (answer.status, answer.headers["x-api-error-code"]) == STATUSES.get(what, (400, "bad-request"))
    assert answer.headers["connection"] == "close"
    assert json.loads(answer.body)["status"] == answer.status
    assert desk.asked == []
    (answer,) = ask(server, request("/echo", END, method="POST", body=b"alive"))
    assert (answer.status, answer.body) == (200, b"alive")


@pytest.mark.rule("H3")
def test_a_refusal_does_not_repeat_the_header_that_it_is_about(server):
    """Open: what waitress quotes. Nothing of it: that header may hold a key."""
    for line in ("Authorization: Bearer qk_secret\rX: y", " Authorization: Bearer qk_secret", "qk_secret"):
        (answer,) = ask(server, head("GET /echo HTTP/1.1", line))
        assert_keeps_the_contract(answer)
        assert "qk_secret" not in repr(answer)


TAKEN = {
    "a plain request": (request("/echo", END), b""),
    "HTTP/1.0 without a host": (head("GET /echo HTTP/1.0"), b""),
    "HTTP/1.0 that keeps alive": (head("GET /echo HTTP/1.0", "Connection: keep-alive") + request("/echo", END), b""),
    "an end among other options": (request("/echo", "Connection: TE, Close"), b""),
    "empty lines before it": (b"\r\n\r\n" + request("/echo", END), b""),
    "a length": (request("/echo", END, method="POST", body=b"abc"), b"abc"),
    "chunks": (head(*CHUNKED, END) + b"3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n", b"abc0123456789"),
    "no chunk": (head(*CHUNKED, END) + b"0\r\n\r\n", b""),
    "chunks with extensions": (head(*CHUNKED, END) + b'3;a=b;c="d"\r\nabc\r\n0;e\r\n\r\n', b"abc"),
    "chunks with a trailer": (head(*CHUNKED, END) + b"3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n", b"abc"),
    "Chunked in capitals": (head(*POST, END, "transfer-encoding:  CHUNKED ") + b"1\r\na\r\n0\r\n\r\n", b"a"),
    "an address in full": (head("POST http://localhost/echo HTTP/1.1", "Host: localhost", END), b""),
    "permission asked for a body": (head(*POST, END, "Content-Length: 3", "Expect: 100-continue") + b"abc", b"abc"),
    "permission asked for nothing": (request("/echo", END, "Expect: 100-continue"), b""),
    "fields with underscores, which are dropped": (request("/echo", END, "Content_Length: 9", "Host_: x"), b""),
}


@pytest.mark.parametrize("what", TAKEN)
@pytest.mark.parametrize("size", [10**6, 1, 7])
def test_what_is_http_is_taken_however_it_is_cut(server, what, size):
    data, body = TAKEN[what]
    with connect(server) as connection:
        for at in range(0, len(data), size):
            sent_all(connection, data[at : at + size])
        found = answers(everything(connection))
    assert [answer.status for answer in found] == [200] * len(found)
    assert found[-1].body == body


@pytest.mark.parametrize(
    ("target", "host"),
    [("http://localhost:81/environ?a=b", "localhost:81"), ("HTTPS://localhost/environ?a=b", "localhost")],
)
def test_the_host_of_a_target_counts_more_than_the_header(server, target, host):
    (answer,) = ask(server, head(f"GET {target} HTTP/1.1", "Host: other.example", END))
    seen = json.loads(answer.body)
    assert (seen["HTTP_HOST"], seen["PATH_INFO"], seen["QUERY_STRING"]) == (host, "/environ", "a=b")


def test_an_unknown_host_in_a_target_is_refused(server):
    (answer,) = ask(server, head("GET http://evil.example/door HTTP/1.1", "Host: localhost", END))
    assert (answer.status, answer.headers["x-api-error-code"]) == (400, "unknown-host")


@pytest.mark.rule("H8")
def test_a_target_may_hold_raw_utf_8(server, shop):
    """A fact: old clients and curl send the bytes of UTF-8 as they are, in the path and in the query."""

    def asked(target):
        data = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n{END}\r\n\r\n".encode()
        (answer,) = ask(server, data)
        return answer

    for target in ("/environ?a=ž&b=%C5%BE#ž", "/environ?a=ž&b=%C5%BE"):
        told = json.loads(asked(target).body)
        assert told["QUERY_STRING"].encode("latin-1").decode() == "a=ž&b=%C5%BE"
    assert decode(asked("/api/v3/generate?content=žluť🌷").body).content == "žluť🌷"
    assert decode(asked("/api/v3/generate?content=žluť%uD83C%uDF37%E9").body).content == "žluť🌷é"
    code = shop.insert_qrcode("https://example.com/spring", urlinfo="Žluť 🌷")
    answer = asked(f"/{code.short_code}/žluť-🌷?utm=ž")
    assert (answer.status, answer.headers["location"]) == (302, "https://example.com/spring")
    assert asked("/žluť").status == 404


def test_refusals_are_the_same_however_the_request_is_cut(server, desk):
    for what in ("length and chunks", "chunk size ends in LF CR LF", "chunk longer than its size", "folded"):
        data = REFUSED.get(what, REFUSED["a folded field"])
        with connect(server) as connection:
            for byte in data:
                sent_all(connection, bytes([byte]))
            (answer,) = answers(everything(connection))
        assert_keeps_the_contract(answer)
    assert desk.asked == []


def test_many_small_chunks_are_read_in_time(server):
    """Waitress copies what it has for each chunk; a megabyte in chunks of a byte would hold all others up."""
    chunks = b"1\r\na\r\n" * 150_000
    (answer,) = ask(server, head(*CHUNKED, END) + chunks + b"0\r\n\r\n")
    assert answer.body == b"a" * 150_000


@pytest.mark.rule("H3")
def test_a_client_that_sends_all_of_a_body_that_is_too_long_reads_why_it_was_refused(server):
    """Open: how a refusal arrives while the client still sends. It is written first, and the rest is thrown away."""
    length = MOST_BODY_BYTES + 1
    with connect(server) as connection:
        connection.sendall(head(*POST, f"Content-Length: {length}"))
        connection.sendall(bytes(length))
        (answer,) = answers(everything(connection))
    assert_keeps_the_contract(answer)
    assert answer.status == 413
    (answer,) = ask(server, head(*CHUNKED) + b"100000\r\n" + (bytes(2**20) + b"\r\n100000\r\n") * 17)
    assert answer.status == 413


def test_a_hundred_pipelined_requests_are_answered_in_order(server):
    texts = [b"%d" % number for number in range(100)]
    data = b"".join(request("/echo", method="POST", body=text) for text in texts) + request("/echo", END)
    found = ask(server, data)
    assert [answer.body for answer in found] == [*texts, b""]


def test_a_bad_request_ends_what_was_pipelined_behind_it(server, desk):
    good = request("/echo", method="POST", body=b"first")
    first, second = ask(server, good + REFUSED["two hosts"] + SMUGGLED * 20)
    assert (first.body, second.status) == (b"first", 400)
    assert desk.asked == ["/echo"]


# What goes out --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/echo", "/big", "/api/v3/generate?content=hi", "/nobody", "/api/v3/generate"])
def test_head_is_answered_as_get_without_a_byte_of_the_body(server, path):
    (got,) = ask(server, request(path, END))
    (told,) = ask(server, request(path, END, method="HEAD"), heads=[0])
    volatile = {"date", "x-request-id"}
    assert told.status == got.status
    assert {name: told.headers[name] for name in told.headers.keys() - volatile} == {
        name: got.headers[name] for name in got.headers.keys() - volatile
    }
    assert int(told.headers["content-length"]) == len(got.body)


def test_what_a_client_has_is_not_sent_again(server):
    path = "/api/v3/generate?content=hi"
    (first,) = ask(server, request(path, END))
    with connect(server) as connection:
        sent_all(connection, request(path, f"If-None-Match: {first.headers['etag']}", END))
        head, end, body = everything(connection).partition(b"\r\n\r\n")
    assert (head[:13], end, body) == (b"HTTP/1.1 304 ", b"\r\n\r\n", b"")


@pytest.mark.rule("H3", "H4")
@pytest.mark.parametrize("path", ["/split", "/nul", "/accent", "/bug"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_header_that_splits_the_response_and_a_bug_of_the_app_are_500(server, caplog, path, method):
    """Open: what an app may put into headers. Printable ASCII; else it is a bug, and nothing of it gets out."""
    (answer,) = ask(server, request(path, method=method), heads=[0] * (method == "HEAD"))
    assert_keeps_the_contract(answer)
    assert (answer.status, answer.headers["x-api-error-code"]) == (500, "internal")
    assert "set-cookie" not in answer.headers
    assert b"secret" not in answer.body
    assert caplog.records


def test_the_environment_is_what_pep_3333_asks_for_and_nothing_of_the_machine_s(server, desk, monkeypatch):
    monkeypatch.setenv("HTTP_HOST", "evil.example")
    monkeypatch.setenv("HTTP_X_FORWARDED_FOR", "6.6.6.6")
    desk.app = validator(Desk(desk.app))
    with serving(validator(desk)) as checked:
        (answer,) = ask(checked, request("/environ", END))
    environ = json.loads(answer.body)
    assert environ["HTTP_HOST"] == "localhost"
    assert "HTTP_X_FORWARDED_FOR" not in environ
    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert environ["wsgi.url_scheme"] == "http"


@pytest.mark.parametrize(
    "line",
    [
        "X-Forwarded-For: 6.6.6.6",
        "X_Forwarded_For: 6.6.6.6",
        "X-Forwarded_For: 6.6.6.6",
        "Forwarded: for=6.6.6.6;proto=https",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: evil.example",
    ],
)
def test_forwarding_headers_of_strangers_do_not_reach_the_app(server, line):
    (answer,) = ask(server, request("/environ", END, line))
    environ = json.loads(answer.body)
    assert not [name for name in environ if "FORWARDED" in name]
    assert (environ["REMOTE_ADDR"], environ["wsgi.url_scheme"]) == ("127.0.0.1", "http")


def test_behind_a_trusted_proxy_its_header_reaches_the_app_and_its_double_does_not(desk):
    with serving(desk, trusted_proxies=["127.0.0.1"]) as server:
        (answer,) = ask(server, request("/environ", END, "X-Forwarded-For: 1.2.3.4", "X_Forwarded_For: 6.6.6.6"))
    environ = json.loads(answer.body)
    assert (environ["HTTP_X_FORWARDED_FOR"], environ["REMOTE_ADDR"]) == ("1.2.3.4", "127.0.0.1")
    assert environ["wsgi.url_scheme"] == "http"


# Who is slow ----------------------------------------------------------------------------------------------------------


def test_slow_clients_hold_nobody_up(server, desk):
    """40 that say nothing, 40 in the middle of a header, 40 of a body, 40 who do not read: eight threads are enough."""
    parts = [b"", b"GET /echo HTTP/1.1\r\nHost: lo", head(*POST, "Content-Length: 100") + b"abc"]
    slow = []
    try:
        for part in parts * 40:
            slow.append(connect(server))
            slow[-1].sendall(part)
        for _ in range(40):
            slow.append(connect(server, buffer=4_096))
            slow[-1].sendall(request("/big"))
        for connection in slow[-40:]:
            assert connection.recv(1) == b"H"
        with connect(server) as connection:
            connection.settimeout(5)
            connection.sendall(request("/echo", END, method="POST", body=b"quick"))
            (answer,) = answers(everything(connection))
        assert answer.body == b"quick"
    finally:
        for connection in slow:
            connection.close()


def test_clients_that_ask_for_much_and_read_nothing_do_not_keep_their_threads(desk):
    with serving(desk, threads=4) as server:
        hogs = [connect(server, buffer=4_096) for _ in range(4)]
        try:
            for hog in hogs:
                hog.sendall(request("/huge") * 3)
            for _ in hogs:
                assert desk.came.acquire(timeout=LONGEST_WAIT)
            with connect(server) as connection:
                connection.sendall(request("/echo", END, method="POST", body=b"next"))
                while sum(bool(channel.requests) for channel in list(server.active_channels.values())) <= len(hogs):
                    server.pull_trigger()
                while not desk.came.acquire(timeout=0.1):
                    # As waitress does it, only half a minute later than it is.
                    server.maintenance(time.time() + 31)
                    server.pull_trigger()
                (answer,) = answers(everything(connection))
            assert answer.body == b"next"
        finally:
            for hog in hogs:
                hog.close()


HALF_A_BODY = request("/echo", END, method="POST", body=b"body")[:-2]


@pytest.mark.parametrize(
    ("sent", "is_so", "seconds", "later"),
    [
        (b"", lambda channel: True, 0, 31),
        (b"GET / HT", lambda channel: channel.request is not None, LONGEST_HEADER + 1, 0),
        (HALF_A_BODY, lambda channel: channel.request is not None, LONGEST_REQUEST + 1, 0),
        (b"\x16\x03", lambda channel: channel.lingers_until, LINGERING + 1, 0),
    ],
    ids=["idle", "half a header", "half a body", "refused"],
)
def test_idle_unfinished_and_refused_connections_are_closed_in_time(server, monkeypatch, sent, is_so, seconds, later):
    with connect(server) as connection:
        connection.sendall(sent)
        while not [channel for channel in list(server.active_channels.values()) if is_so(channel)]:
            server.pull_trigger()
        server.maintenance(time.time())
        (channel,) = server.active_channels.values()
        monkeypatch.setattr(
            "qrkit.server.sockets.http_server.time.monotonic", lambda now=time.monotonic: now() + seconds
        )
        server.maintenance(time.time() + later)
        monkeypatch.undo()
        server.pull_trigger()
        found = everything(connection)
        while channel.connected:
            server.pull_trigger()
    assert (b"X-Api-Error" in found) == (sent == b"\x16\x03")


def test_a_body_may_take_longer_than_a_header(server, monkeypatch):
    with connect(server) as connection:
        connection.sendall(HALF_A_BODY)
        while not any(channel.request for channel in list(server.active_channels.values())):
            server.pull_trigger()
        monkeypatch.setattr(
            "qrkit.server.sockets.http_server.time.monotonic", lambda now=time.monotonic: now() + LONGEST_HEADER + 1
        )
        server.maintenance(time.time())
        monkeypatch.undo()
        connection.sendall(b"dy")
        (answer,) = answers(everything(connection))
    assert answer.body == b"body"


@pytest.fixture
def many_files():
    """As many open files as the test needs, where the machine allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2_048:
        pytest.skip("needs 2048 open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2_048), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


HALF_A_HEADER = b"GET /echo HTTP/1.1\r\nHost: lo"


@pytest.mark.slow
@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize("sent", [b"", HALF_A_HEADER, HALF_A_BODY], ids=["nothing", "half a header", "half a body"])
def test_however_many_are_slow_the_next_one_is_answered(desk, sent):
    before = open_files()
    with serving(desk) as server:
        slow = []
        for _ in range(530):
            slow.append(connect(server))
            slow[-1].sendall(sent)
        with connect(server) as connection:
            connection.settimeout(5)
            connection.sendall(request("/echo", END, method="POST", body=b"quick"))
            (answer,) = answers(everything(connection))
        assert answer.body == b"quick"
        # The oldest of them made room.
        assert everything(slow[0]) == b""
        slow[-1].setblocking(False)
        with pytest.raises(BlockingIOError):
            slow[-1].recv(1)
        for connection in slow:
            connection.close()
    assert open_files() == before


def test_a_thread_starts_when_all_others_are_busy_until_there_are_as_many_as_set(desk):
    before = set(threading.enumerate())

    def answering():
        return len([one for one in set(threading.enumerate()) - before if one.name.startswith("qrkit-answers")])

    with serving(desk, threads=4) as server:
        assert answering() == 0
        ask(server, request("/echo", END))
        assert desk.came.acquire(timeout=LONGEST_WAIT)
        assert answering() == 1
        connections = [connect(server) for _ in range(6)]
        for connection in connections:
            connection.sendall(request("/wait", END))
        for _ in range(4):
            assert desk.came.acquire(timeout=LONGEST_WAIT)
        assert answering() == 4
        assert not desk.came.acquire(blocking=False)
        desk.may_go_on.set()
        assert [answer.body for one in connections for answer in answers(everything(one))] == [b"waited"] * 6
        for connection in connections:
            connection.close()


@pytest.fixture
def stacks_of_any_size():
    """Threads get stacks of the usual size again."""
    yield threading.stack_size
    threading.stack_size(0)


def test_requests_wait_for_the_threads_there_are_if_the_system_starts_no_more(desk, stacks_of_any_size):
    with serving(desk, threads=4) as server:
        first, second, third = connections = [connect(server) for _ in range(3)]
        first.sendall(request("/wait") + request("/echo", END))
        assert desk.came.acquire(timeout=LONGEST_WAIT)
        stacks_of_any_size(2**62)  # more than any memory
        second.sendall(request("/echo", END))
        third.sendall(head(*POST, "Content-Length: 1", "Expect: 100-continue"))
        assert third.recv(100).startswith(b"HTTP/1.1 100 ")  # so the second request has been read
        desk.may_go_on.set()
        assert [answer.body for answer in answers(everything(first))] == [b"waited", b""]
        assert [answer.body for answer in answers(everything(second))] == [b""]
        for connection in connections:
            connection.close()


@pytest.mark.usefixtures("many_files")
def test_more_than_512_connections_with_requests_wait_and_are_answered_when_others_leave(desk):
    with serving(desk, threads=4) as server:
        connections = [connect(server) for _ in range(520)]
        for connection in connections:
            connection.sendall(request("/wait", END))
        for _ in range(4):
            assert desk.came.acquire(timeout=LONGEST_WAIT)
        assert len(server.active_channels) <= 512
        desk.may_go_on.set()
        assert {answer.body for one in connections for answer in answers(everything(one))} == {b"waited"}
        for connection in connections:
            connection.close()


# The end --------------------------------------------------------------------------------------------------------------


def test_a_server_that_is_asked_to_stop_answers_what_it_was_asked(desk):
    with serving(desk, threads=8) as server, connect(server) as idle, connect(server) as used:
        used.sendall(request("/echo"))
        one_answer(used)
        with connect(server) as waiting, connect(server) as piped, connect(server) as sending, connect(server) as big:
            sending.sendall(head(*POST, "Content-Length: 6", "Expect: 100-continue"))
            assert sending.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
            big.sendall(request("/big"))
            waiting.sendall(request("/wait"))
            piped.sendall(request("/wait") + request("/echo", method="POST", body=b"second"))
            for _ in range(4):
                assert desk.came.acquire(timeout=LONGEST_WAIT)
            server.ask_to_stop()
            wait_until_closed(server)
            assert (everything(idle), everything(used)) == (b"", b"")
            desk.may_go_on.set()
            sending.sendall(b"abcdef")
            found = [answers(everything(connection)) for connection in (waiting, sending, big)]
            assert [answer.body for (answer,) in found] == [b"waited", b"abcdef", BIG]
            assert {answer.headers.get("connection") for (answer,) in found[:2]} == {"close"}
            assert [answer.body for answer in answers(everything(piped))] == [b"waited", b"second"]


def test_a_server_that_is_asked_twice_does_not_wait(desk):
    with serving(desk, threads=4) as server, connect(server) as waiting:
        waiting.sendall(request("/wait"))
        assert desk.came.acquire(timeout=LONGEST_WAIT)
        server.ask_to_stop()
        wait_until_closed(server)
        server.ask_to_stop()
        assert everything(waiting) == b""
        desk.may_go_on.set()


def test_a_server_does_not_wait_for_ever(desk, monkeypatch):
    assert GRACE <= 10
    monkeypatch.setattr("qrkit.server.sockets.http_server.GRACE", 0.2)
    monkeypatch.setattr("qrkit.server.sockets.http_server.THREADS_GRACE", 0.2)
    with serving(desk, threads=4) as server, connect(server) as half, connect(server) as waiting:
        half.sendall(b"GET / HTTP/1.1\r\n")
        waiting.sendall(request("/wait"))
        assert desk.came.acquire(timeout=LONGEST_WAIT)
        server.ask_to_stop()
        assert everything(half) == everything(waiting) == b""
    desk.may_go_on.set()
    assert MOST_HEADER_BYTES == 65_536
