"""HTTP as bytes on a socket: for requests that no client library would send, and servers that run in a test."""

import gc
import re
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from qrkit.server.settings import Settings
from qrkit.server.sockets.http_server import listen

LONGEST_WAIT = 20
"""Seconds after which a test gives up; none waits so long when all is well."""


@dataclass(frozen=True)
class Answer:
    """A response; `headers` by lower-case name."""

    status: int
    headers: dict[str, str]
    body: bytes


@contextmanager
def serving(app, **settings):
    """A server of an app, on a port that is free."""
    server = listen(app, Settings(**({"port": 0} | settings)))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        if not server.is_stopping:
            server.ask_to_stop()
        thread.join(LONGEST_WAIT)
        assert not thread.is_alive()


def connect(server, *, buffer=None):
    """A connection to a server; with a small buffer it takes little before it is read."""
    connection = socket.socket()
    connection.settimeout(LONGEST_WAIT)
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    try:
        connection.connect(("127.0.0.1", server.port))
    except OSError:
        connection.close()
        raise
    return connection


def wait_until_closed(server):
    """Knock until nobody is there any more."""
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end:
        try:
            connect(server).close()
        except ConnectionError:
            return
    raise AssertionError("it goes on listening")


def request(path, *fields, method="GET", body=b"", version="1.1"):
    """The bytes of a request."""
    lines = [f"{method} {path} HTTP/{version}", "Host: localhost", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def sent_all(connection, data):
    """Send as far as the other side lets us."""
    try:
        connection.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


def ask(server, data, *, heads=()):
    """Send bytes on a new connection, and read answers until the server closes it; those in `heads` are to HEAD."""
    with connect(server) as connection:
        sent_all(connection, data)
        return answers(everything(connection), heads=heads)


def open_files():
    """How many files and sockets this process has open, where the system tells."""
    gc.collect()  # those that another test left behind do not go later on
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def everything(connection):
    """What comes until the other side closes."""
    found = bytearray()
    while piece := connection.recv(65_536):
        found += piece
    return bytes(found)


def one_answer(connection):
    """The next answer on a connection that stays open."""
    with connection.makefile("rb") as file:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = file.readline()
            assert line, f"closed after {head!r}"
            head += line
        status, headers = _head(head)
        return Answer(status, headers, file.read(int(headers["content-length"])))


def answers(data, *, heads=()):
    """The answers that bytes hold, which must hold nothing else."""
    found = []
    while data:
        head, end, data = data.partition(b"\r\n\r\n")
        assert end, head
        status, headers = _head(head + end)
        if status == 100:
            continue
        length = 0 if len(found) in heads else int(headers["content-length"])
        assert len(data) >= length, "a body was cut off"
        found.append(Answer(status, headers, data[:length]))
        data = data[length:]
    return found


def comparable(headers):
    """Headers without the ID of the request, which no two answers share."""
    return {name: value for name, value in headers.items() if name != "x-request-id"}


def _head(data):
    assert re.fullmatch(rb"[\r\n -~]+", data), data
    first, *lines = data.decode("ascii").removesuffix("\r\n\r\n").split("\r\n")
    pairs = [line.split(": ", 1) for line in lines]
    headers = {name.lower(): value for name, value in pairs}
    assert len(headers) == len(pairs), pairs
    return int(re.fullmatch(r"HTTP/1\.[01] ([1-5]\d\d) [ -~]+", first)[1]), headers


def assert_keeps_the_contract(answer):
    """Ruling H3 on the wire: every failure tells its text, its word and the version, and nothing of the inside."""
    assert re.fullmatch("[ -~]{1,512}", answer.headers["x-api-error"])
    assert re.fullmatch("[a-z0-9-]+", answer.headers["x-api-error-code"])
    assert unquote(answer.headers["x-api-error"], errors="strict")
    assert answer.headers["x-api-version"] == "3.0"
    assert answer.headers["content-type"] == "application/problem+json; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert 400 <= answer.status <= 500
    assert "server" not in answer.headers
    assert "via" not in answer.headers
    assert not [word for word in (b"Traceback", b"waitress", b".py") if word in answer.body]
