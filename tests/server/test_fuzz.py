"""Good requests with bytes changed: never a bug, always the contract (rulings H3, H4).

What was found once stands in `FOUND`, so that it is tried in every run.
"""

import json
import random
import re
import sys
import time
from io import BytesIO
from typing import NamedTuple

import pytest

from qrkit import open_portfolio
from qrkit.server import Reply
from tests.server.posted import FULL
from tests.server.test_errors import assert_keeps_the_contract
from tests.server.test_statuses import API, BASE_URL, CSV, ENDPOINTS, EVENT, World
from tests.sweeps import night_after

ROUNDS = 1_000
SEED = 20_260_301


class Sent(NamedTuple):
    """A request as a server hands it on: texts are bytes as Latin-1."""

    method: str
    path: str
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


RECORD = {
    "content": "https://example.com/", "name": "Door", "comment": "a", "urlinfo": "b", "campaignId": "<campaign>",
    "properties": {"size": 3, "version": 5, "em": "byte", "ec": "H", "foreground": "#FF0B3D91"},
    "location": {"address": "Main street", "latitude": 46.05, "longitude": 14.5}, "isScheduleEnabled": True,
    "schedule": [EVENT],
}  # fmt: skip
TABLE = (
    b"Campaign Name,QR Code Name,Content,Trackable URL,Created (UTC),Scans,Address,Latitude,Longitude,Comment,Dynamic,"
    b'Size,Padding,Version,Encode Mode,Error Correction\r\nA,B,"https://a.example/,""",https://go.example.com/zz9,'
    b"2026-01-01 00:00:00,5,here,1.5,2.5,'=c,true,8,4,-1,Byte,M\r\n"
)
KEY = (("Authorization", "Bearer <key>"),)
CORPUS = [
    *(Sent(one.method, one.path, f"{one.query}auth=<key>", (), one.body) for one in ENDPOINTS),
    Sent("GET", f"{API}/generate", "content=https%3A%2F%2Fa.example&format=png&version=4&size=2&padding=1&em=byte&ec=Q"
         "&foreground=%230B3D91&background=%2380FFFFFF&shorten=local&attachment=true&filename=a.png&style=ascii", KEY),
    *(Sent("GET", f"{API}/generate", f"content=HI&format={one}&style=binary&attachment=1&filename=%C3%BC")
      for one in ("gif", "webp", "eps", "pdf", "xaml", "txt", "html", "zip", "bmp")),
    Sent("POST", f"{API}/generate", "", (*KEY, ("Content-Type", "application/json")), json.dumps(FULL).encode()),
    Sent("POST", f"{API}/track/qrcode", "", KEY, json.dumps(RECORD).encode()),
    Sent("PUT", f"{API}/track/qrcode/<qrcode>", "", KEY, json.dumps(RECORD).encode()),
    Sent("POST", f"{API}/track/import", "format=csv", KEY, TABLE),
    Sent("POST", f"{API}/track/import", "format=csv", KEY, CSV.decode().encode("utf-16")),
    Sent("DELETE", f"{API}/track/campaign/<campaign>", "keep=true", KEY),
    *(Sent("GET", f"{API}/track/statistics/<campaign>.{one}", "", KEY) for one in ("csv", "xml")),
    *(Sent("GET", path, "", (("Accept", "text/html"), ("User-Agent", "Mozilla/5.0"), ("Referer", "https://a.example"),
                             ("Accept-Language", "de"), ("X-Forwarded-For", "1.2.3.4"), ("Purpose", "prefetch")))
      for path in ("/<code>", "/<code>/tail", "/<code>+", "/<code>.png", "/<code>.svg", "/nobody", "/")),
    Sent("GET", "/<code>", "raw=1"),
    Sent("OPTIONS", f"{API}/generate", "", (("Origin", "https://a.example"),)),
    Sent("HEAD", f"{API}/health"), Sent("GET", f"{API}/openapi.json"),
]  # fmt: skip

STRANGE_HOSTS = ["\x80", "\xe2\x80\xa8", "-\xe9", "\xad.a", "\xe9" * 300, "\xfc.example", "[\x80"]
FOUND = [
    # HEAD was answered with a body, which a client takes for the next answer, where the host or the path is refused.
    Sent("HEAD", f"{API}/health", "", (("Host", "evil.example"),)),
    Sent("HEAD", "/" + "x" * 20_000),
    # A host of bytes that no name has.
    *(Sent("GET", f"{API}/health", "", (("Host", host),)) for host in STRANGE_HOSTS),
]
"""Requests that were not answered well once."""

WORDS = [
    b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x80\xa8", "漢".encode(), b"%", b"%00", b"%FF", b"%0d%0aX:%20y",
    b"&", b"=", b"+", b"/", b"..", b"\\", b'"', b"'", b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"NaN",
    b"1e999", b"-1", b"0", b"99999999999999999999", b"1.5", b"\\ud800", b"\\u0000", b"\r\n", b"<script>", b"auth=",
    b"content=", b"\xef\xbb\xbf", b"data:image/png;base64,AAAA", b"icon:", b"https://", b"{}", b"[]", b'""', b" " * 300,
    b"x" * 3_000, b"[" * 50,
]  # fmt: skip
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "BREW", ""]
HEADERS = [
    "Content-Type", "Content-Length", "Authorization", "Host", "Accept", "Expect", "Range", "If-None-Match", "Cookie",
    "X-Forwarded-For", "X-Api-Key", "Transfer-Encoding", "User-Agent", "Referer", "Accept-Language", "Origin",
]  # fmt: skip


def changed_bytes(pick, data):
    """Some bytes with one thing changed, or a few."""
    found = bytearray(data)
    for _ in range(pick.choice((1, 1, 1, 2, 5))):
        place, end = sorted(pick.randrange(len(found) + 1) for _ in range(2))
        kind = pick.randrange(6)
        if kind == 0 and found:
            found[min(place, len(found) - 1)] = pick.randrange(256)
        elif kind == 1 and found:
            found[min(place, len(found) - 1)] ^= 1 << pick.randrange(8)
        elif kind == 2:
            del found[place : min(end, place + 20)]
        elif kind == 3:
            found[place:place] = found[place : min(end, place + 200)]
        else:
            found[place : place + pick.choice((0, 0, 1, 4))] = pick.choice(WORDS)
    return bytes(found)


def changed_text(pick, text):
    return changed_bytes(pick, text.encode("latin-1")).decode("latin-1")


def mutated(pick, sent):
    """A request with one of its parts changed."""
    part = pick.choice(("path", "query", "query", "headers", "body", "body", "method", "other"))
    if part == "path":
        return sent._replace(path="/" + changed_text(pick, sent.path[1:]))
    if part == "query":
        return sent._replace(query=changed_text(pick, sent.query))
    if part == "body":
        return sent._replace(body=changed_bytes(pick, sent.body))
    if part == "method":
        return sent._replace(method=pick.choice(METHODS))
    if part == "other":  # a part of another request
        other = pick.choice(CORPUS)
        name = pick.choice(("query", "body", "headers"))
        return sent._replace(**{name: getattr(other, name)})
    name, value = pick.choice([*sent.headers, (pick.choice(HEADERS), "1")])
    # A server lets no line ends through inside of a header.
    value = re.sub(r"[\r\n\0]", "", changed_text(pick, value))
    return sent._replace(headers=(*(one for one in sent.headers if one[0] != name), (name, value)))


class Asker:
    """Sends requests to the app as a server hands them on."""

    def __init__(self, world):
        self.world = world

    def send(self, sent):
        filled = self.world.filled
        body = filled(sent.body.decode("latin-1")).encode("latin-1")
        environ = {
            "REQUEST_METHOD": sent.method, "SCRIPT_NAME": "", "PATH_INFO": filled(sent.path),
            "QUERY_STRING": filled(sent.query), "REMOTE_ADDR": "192.0.2.1", "CONTENT_LENGTH": str(len(body)),
            "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": "localhost",
            "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.input": BytesIO(body), "wsgi.errors": sys.stderr,
            "wsgi.multithread": True, "wsgi.multiprocess": False, "wsgi.run_once": False,
        }  # fmt: skip
        for name, value in sent.headers:
            key = name.upper().replace("-", "_")
            environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = filled(value)
        started = []
        chunks = self.world.app(environ, lambda status, headers, exc_info=None: started.append((status, headers)))
        found = b"".join(chunks)
        (status, headers) = started[-1]
        return Reply(int(status[:3]), {name.lower(): value for name, value in headers}, found), headers


def assert_is_answered_well(asker, sent):
    reply, headers = asker.send(sent)
    for name, value in headers:
        assert re.fullmatch("[A-Za-z-]+", name)
        assert re.fullmatch("[ -~]*", value), (name, value)
    assert len({name.lower() for name, _ in headers}) == len(headers)
    assert reply.status < 500
    assert reply.headers["x-api-version"] == "3.0"
    if reply.status >= 400 and sent.method == "HEAD":
        assert reply.body == b""
        assert re.fullmatch("[a-z0-9-]+", reply.headers["x-api-error-code"])
    elif reply.status >= 400 and reply.headers["content-type"].startswith("text/html"):
        assert re.fullmatch("[ -~]{1,512}", reply.headers["x-api-error"])
        assert re.fullmatch("[a-z0-9-]+", reply.headers["x-api-error-code"])
    elif reply.status >= 400:
        assert_keeps_the_contract(reply)
    return reply.status


@pytest.fixture(scope="module")
def world():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        yield World(shop)


@pytest.mark.slow
def test_the_requests_that_are_changed_are_good_ones(world):
    statuses = {}
    for sent in CORPUS:
        statuses[sent] = assert_is_answered_well(Asker(world), sent)
        world.renew()
    bad = {sent.path: status for sent, status in statuses.items() if status >= 400}
    assert bad == {"/nobody": 404}


@pytest.mark.parametrize("sent", FOUND, ids=lambda one: f"{one.method} {one.path[:60]}")
def test_what_was_found_once_is_answered_well(world, sent):
    assert_is_answered_well(Asker(world), sent)


@pytest.mark.slow
@pytest.mark.rule("H3", "H4")
@pytest.mark.parametrize("seed", night_after([SEED + 1, SEED + 2]))
def test_whatever_is_changed_in_a_request_no_bug_answers(world, seed):
    """Open: requests that nobody thought of. A good one with bytes changed is answered well, or refused in our form."""
    assert {200, 302, 400, 401, 404, 405} <= fuzzed(world, seed, ROUNDS)


def fuzzed(world, seed, rounds):
    """Change requests and send them; gives the statuses there were."""
    pick, asker, statuses = random.Random(seed), Asker(world), set()
    began = time.process_time()
    for number in range(rounds):
        sent = mutated(pick, pick.choice(CORPUS))
        if pick.random() < 0.3:
            sent = mutated(pick, sent)
        try:
            statuses.add(assert_is_answered_well(asker, sent))
        except Exception as error:
            raise AssertionError(f"seed {seed}, request {number}: {sent!r}") from error
        if sent.method == "DELETE" or number % 100 == 0:
            world.renew()
    assert time.process_time() - began < rounds / 10, "some requests take long"
    return statuses
