"""Overrides waitress, the server behind the HTTP interface: one file, for one exact version of waitress.

This module adds strict parsing of HTTP (`StrictParser`, `StrictChunks`), support for absolute request targets,
refusals in the same format as all other errors, deadlines for slow clients, fair sharing of connections, and a shutdown
that loses no request (`StrictServer`). The loop of waitress reads each request completely before a thread sees it, and
writes what a thread leaves unsent, so slow clients do not block threads.

Why waitress, although this module uses its internals: eight alternatives were tested with 109 raw requests, with slow
clients and with SIGTERM under load (waitress with its public options, granian as a WSGI server and embedded, uvicorn,
gunicorn, cheroot, hypercorn and pyvoy). Each of them broke something that this server promises:

- waitress with its public options ran a hidden second request in three kinds of request smuggling, waited forever for
  slow headers and for clients that never read, and cut off 12 requests at SIGTERM.
- gunicorn and cheroot stalled behind slow headers, both and granian behind slow bodies; gunicorn, hypercorn and pyvoy
  cut off 12 requests or more at SIGTERM.
- Embedded granian and uvicorn do not support WSGI: an adapter of about 150 lines would replace this file. granian does
  not report its port and starts on a port that is in use; uvicorn limits neither the time nor the size of a header.
- None of them can report a bad request in the same form as other errors, or limit the connections of one address.

waitress is pinned exactly in pyproject.toml, because an upper bound does not protect code that overrides internals. A
new version is acceptable once these tests in `tests/server/` pass: `test_http_server.py` (raw requests, deadlines, slow
and many clients), `test_server.py` (start, end), `test_crowds.py` (load), `test_kills.py` (signals), `test_fuzz.py`.
"""

from __future__ import annotations

import logging
import re
import socket
import string
import sys
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from wsgiref.types import WSGIApplication

from qrkit.errors import BadRequest, BodyTooLarge, HeaderTooLarge, QrkitError, extra
from qrkit.server.clients.hosts import listening_socket
from qrkit.server.clients.proxies import is_free, network_of_peer
from qrkit.server.clients.shares import CONNECTIONS, has_its_share, makes_room
from qrkit.server.requests.request import GOES_ON, STANDARD_HEADERS, problem
from qrkit.server.settings import Settings
from qrkit.server.sockets.pushing import Pushing
from qrkit.server.sockets.refused_connections import RefusedConnections

with extra("server"):
    from waitress import wasyncore
    from waitress.adjustments import Adjustments
    from waitress.channel import HTTPChannel
    from waitress.parser import HTTPRequestParser, ParsingError
    from waitress.receiver import ChunkedReceiver
    from waitress.server import TcpWSGIServer
    from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask
    from waitress.utilities import BadRequest as Refused


MOST_BODY_BYTES = 17 * 2**20
"""A little more than the app accepts, so that the app's own limits answer first."""
MOST_HEADER_BYTES = 65_536

OPTIONS: dict[str, Any] = {
    "ident": None,
    "expose_tracebacks": False,
    "max_request_body_size": MOST_BODY_BYTES,
    "max_request_header_size": MOST_HEADER_BYTES,
    "channel_timeout": 30,
    "cleanup_interval": 5,
    # The loop never stops listening: beyond the limit, an idle connection makes room for a new one.
    "connection_limit": sys.maxsize,
    "asyncore_use_poll": True,
}
LONGEST_REQUEST = 300
"""Seconds until a request must be complete, so that a client cannot hold a connection with a byte now and then."""
LONGEST_HEADER = 20
"""Seconds until the header of a request must be complete."""
PATIENCE = 1
"""Seconds between two requests during which a connection is not closed to make room for another."""
LINGERING = 10
"""Seconds during which a refused client may go on sending: closing at once could discard the answer."""
MOST_DISCARDED_BYTES = 64 * 2**20
GRACE = 8
"""Seconds to wait for requests in flight when the server stops."""
THREADS_GRACE = 1
"""Seconds to wait for threads that are still busy after that."""
HURRIED_GRACE = 0.2
"""Seconds to wait for all threads, including idle ones, when the server must stop at once."""

PRINTABLE = b"\r\n" + bytes(range(0x20, 0x7F))
LONGEST_CHUNK_LINE = 1_024
"""Maximum bytes of a line with the size of a chunk and its extensions."""
LONGEST_TRAILER = 8_192
"""Maximum bytes of all fields after the last chunk; nothing reads them."""
TOKEN = (string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~").encode()
VERSIONS = ("1.0", "1.1")
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})(?:;[\t -~\x80-\xff]*)?")
HOST = re.compile(rb"[A-Za-z0-9._~%!$&'()*+,;=:\[\]-]*")
CONTROLS = re.compile(rb"[\x00-\x1f\x7f]")
NOT_ASCII = re.compile(rb"[\x80-\xff]")


def listen(app: WSGIApplication, settings: Settings) -> StrictServer:
    """Create a server that listens on the configured host and port. It answers once `run` is called."""
    # waitress would log every request that waits for a thread, even briefly.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    listening = listening_socket(settings.host, settings.port)
    try:
        return StrictServer(app, settings, listening)
    except BaseException:
        listening.close()
        raise


# ---- Reading requests. If a proxy and this server disagree on where a request ends, a second one can be smuggled past
# the proxy. So a body must have only one length, lines must end in CR LF, and the host must appear once (RFC 9112).


class StrictParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """Parses one request; `began` is when its first byte arrived, as returned by `time.monotonic`."""

    # For requests that are refused before these are known.
    command = ""
    path = ""
    body_rcv: Any = None
    has_begun = False

    def __init__(self, adj: object) -> None:
        super().__init__(adj)
        self.began = time.monotonic()

    def received(self, data: bytes) -> int:
        """Feed bytes of the connection to the parser; return how many of them belong to this request."""
        if not self.has_begun and (start := data.lstrip(b"\r\n")):
            self.has_begun = True
            if start[:1] not in TOKEN:
                # TLS or noise may never contain the empty line that waitress waits for.
                self.error = Refused("it does not begin with a method")
                self.completed = True
                return len(data)
        taken: int = super().received(data)
        if self.completed:
            # Do not wait for the body: waitress would otherwise forget that a refused request is complete.
            self.expect_continue = False
        return taken

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the first line and the fields."""
        first, end, fields = header_plus.partition(b"\r\n")
        plain = _encode_target(first)
        try:
            super().parse_header(plain + end + fields)
        except ValueError as error:
            # urlsplit fails on half an IPv6 address, int on thousands of digits.
            raise ParsingError("a number or an address in it cannot be read") from error
        if plain != first:
            # Keep the query as it was sent: its reader has to distinguish raw bytes from encoded ones.
            self.query = first.split(b" ")[1].partition(b"#")[0].partition(b"?")[2].decode("latin-1")
        pairs = [line.partition(b":")[::2] for line in fields.split(b"\r\n") if line]
        lines = [(name.lower(), value.strip(b" \t")) for name, value in pairs]
        # waitress recognizes an option only if it is the only one.
        if "close" in re.split(r"\s*,\s*", self.headers.get("CONNECTION", "").lower()):
            self.headers["CONNECTION"], self.connection_close = "close", True
        self._check_target()
        self._take_authority()
        self._check_host([value for name, value in lines if name == b"host"])
        self._check_length(dict.fromkeys(name for name, _ in lines), lines)
        if any(name[:1] in (b" ", b"\t") for name, _ in lines):
            raise ParsingError("a header is folded over two lines")

    def _check_target(self) -> None:
        if self.version not in VERSIONS:
            raise ParsingError("its version is neither HTTP/1.0 nor HTTP/1.1")
        if CONTROLS.search(self.first_line):
            raise ParsingError("its first line contains control characters")
        if self.proxy_netloc and not self.path:
            self.path = "/"
        if not self.path.startswith("/"):
            raise ParsingError("its target is not a path")

    def _take_authority(self) -> None:
        """Take the host from an absolute target (`GET http://host/path`) instead of the header, as RFC 9112 requires.

        Proxies use the target, too: if this server used the header, the two could see different hosts.
        """
        if not self.proxy_scheme:
            return
        host = self.proxy_netloc.encode("latin-1")
        if self.proxy_scheme not in ("http", "https") or not host or not HOST.fullmatch(host):
            raise ParsingError("its target is not a URL with http or https, a host and a path")
        self.headers["HOST"] = self.proxy_netloc

    def _check_host(self, hosts: list[bytes]) -> None:
        if len(hosts) > 1 or (self.version == "1.1" and not hosts):
            raise ParsingError("the host must be named exactly once")
        if hosts and not HOST.fullmatch(hosts[0]):
            raise ParsingError("its host is not a name or an address")

    def _check_length(self, names: dict[bytes, None], lines: list[tuple[bytes, bytes]]) -> None:
        encodings = [value.lower() for name, value in lines if name == b"transfer-encoding"]
        if not encodings:
            return
        if b"content-length" in names:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
        if self.version != "1.1" or encodings != [b"chunked"]:
            raise ParsingError("Transfer-Encoding must be chunked, given once, in HTTP/1.1")
        self.body_rcv = StrictChunks(self.body_rcv.getbuf())


def _encode_target(line: bytes) -> bytes:
    """Percent-encode the target of a first line, because old clients and curl send raw UTF-8."""
    method, space, rest = line.partition(b" ")
    if rest.isascii() or not rest.startswith(b"/"):
        return line
    try:
        rest.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParsingError("its target is not UTF-8") from error
    return method + space + NOT_ASCII.sub(lambda match: b"%%%02X" % match[0][0], rest)


class StrictChunks(ChunkedReceiver):  # type: ignore[misc]  # waitress has no types
    """Parses a chunked body: lines are limited in length and must end in CR LF; no byte is searched twice for LF."""

    _reads = "size"  # what the next line contains: "size", "end" of a chunk, or "trailer"
    _line = b""
    _due = _trailer_length = 0

    def received(self, data: bytes) -> int:
        """Feed bytes of the connection to the parser; return how many of them belong to this body."""
        at = 0
        while at < len(data) and not self.completed and not self.error:
            if self._due:
                piece = data[at : at + self._due]
                self.buf.append(piece)
                self._due -= len(piece)
                at += len(piece)
            else:
                at = self._take_line(data, at)
        return at

    def _take_line(self, data: bytes, at: int) -> int:
        end = data.find(b"\n", at)
        until = len(data) if end < 0 else end + 1
        self._line += data[at:until]
        if len(self._line) > LONGEST_CHUNK_LINE:
            self.error = Refused("a line between its chunks is too long")
        elif end >= 0:
            line, self._line = self._line, b""
            self._read(line)
        return until

    def _read(self, line: bytes) -> None:
        text = line.removesuffix(b"\r\n")
        size = CHUNK_SIZE.fullmatch(text)
        if text == line or CONTROLS.search(text.replace(b"\t", b"")):
            self.error = Refused("a line between its chunks holds control characters")
        elif self._reads == "trailer":
            self._trailer_length += len(line)
            self.completed = not text
            if self._trailer_length > LONGEST_TRAILER:
                self.error = Refused("what follows its last chunk is too long")
        elif self._reads == "end":
            self._reads = "size"
            if text:
                self.error = Refused("a chunk is longer than its size")
        elif size:
            self._due = int(size[1], 16)
            self._reads = "end" if self._due else "trailer"
        else:
            self.error = Refused("the size of a chunk is not a hexadecimal number")


# ---- Answering requests


class _Answer:
    """Base class of our tasks for waitress: sends the answer, without its body if the request is a HEAD."""

    channel: Any
    request: Any
    wrote_header: bool

    @property
    def _is_head(self) -> bool:
        # waitress answers an app error with a task whose request is a placeholder.
        return bool((self.channel.requests or [self.request])[0].command == "HEAD")

    def write(self, data: bytes) -> None:
        super().write(b"" if self._is_head else data)  # type: ignore[misc]

    def finish(self) -> None:
        if not self._is_head:
            super().finish()  # type: ignore[misc]
        elif not self.wrote_header:
            self.write(b"")


class _Refusal(_Answer, ErrorTask):  # type: ignore[misc]  # waitress has no types
    """Answers a request that waitress itself refuses, in the same form as every other error."""

    def execute(self) -> None:
        answer = problem(_error(self.request.error))
        self.status = f"{answer.status} {HTTPStatus(answer.status).phrase}"
        headers = {"Content-Type": answer.media_type} | STANDARD_HEADERS | dict(answer.headers)
        self.response_headers.extend(headers.items())
        self.request.headers.pop("CONNECTION", None)  # close the connection, even if the client asked to keep it
        self.set_close_on_finish()
        self.content_length = len(answer.body)
        self.channel.lingers = True
        self.write(answer.body)


class _Task(_Answer, WSGITask):  # type: ignore[misc]  # waitress has no types
    """Calls the app."""

    def build_response_header(self) -> bytes:
        server, waiting = self.channel.server, len(self.channel.requests) - 1
        if server.is_stopping and not waiting and self.version == "1.1":
            self.set_close_on_finish()
        head: bytes = super().build_response_header()
        if head.translate(None, PRINTABLE):
            raise ValueError("a header of the response is not printable ASCII")
        return head

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ["SERVER_SOFTWARE"] = "qrkit"  # PEP 3333 requires a string
        if self.request.command == "HEAD":
            environ.pop("wsgi.file_wrapper", None)  # a wrapped file would bypass `write` and be sent in full
        return environ

    def finish(self) -> None:
        if self.chunked_response and not self._is_head and (goes_on := self.environ.get(GOES_ON)):
            self.channel.is_stream, self.close_on_finish = True, False
            goes_on(self.channel.push)
        else:
            super().finish()


class _Channel(Pushing, HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection. After a refusal, the server keeps reading for a while and discards the data."""

    parser_class = StrictParser
    task_class = _Task
    error_task_class = _Refusal
    close_when_flushed = False
    lingers = False
    lingers_until: float | None = None
    discarded = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.network = network_of_peer(self.addr[0])
        self.heard = time.monotonic()

    def readable(self) -> bool:  # each turn of the loop asks every connection, so without the method of waitress
        is_full = self.total_outbufs_len or len(self.requests) > self.adj.channel_request_lookahead
        return not self.will_close and bool(self.lingers_until or not (self.close_when_flushed or is_full))

    def writable(self) -> bool:
        if not self.total_outbufs_len or self.will_close or self.close_when_flushed:
            return bool(self.will_close or self.close_when_flushed)
        # A thread that is writing reports what it leaves unsent; waiting for its lock would slow it down.
        if is_free := bool(self.outbuf_lock.acquire(blocking=False)):
            self.outbuf_lock.release()
        return is_free

    def received(self, data: bytes) -> bool:
        self.heard = time.monotonic()
        if self.is_stream:
            return False
        if not self.lingers_until:
            return bool(super().received(data))
        self.discarded += len(data)
        if self.discarded > MOST_DISCARDED_BYTES:
            self.handle_close()
        return False

    def handle_write(self) -> None:
        if self.will_close or not (self.lingers and self.close_when_flushed):
            super().handle_write()
            return
        self._flush_exception(self._flush_some)
        if self.connected and not self.total_outbufs_len and not self.will_close:
            self.close_when_flushed = False
            self.lingers_until = time.monotonic() + LINGERING
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                self.handle_close()

    def is_overdue(self, quiet_since: float) -> bool:
        """Whether to give up on the client: it is idle, does not read, or never finishes its request."""
        now = time.monotonic()
        if self.lingers_until:
            return now > self.lingers_until
        if self.requests and not self.total_outbufs_len:
            return False  # the app is still working
        return self._is_endless(now) or bool(self.last_activity < quiet_since)

    def _is_endless(self, now: float) -> bool:
        if self.requests or self.request is None:
            return False
        longest = LONGEST_REQUEST if self.request.headers_finished else LONGEST_HEADER
        return bool(now - self.request.began > longest)

    def idle_seconds(self) -> float | None:
        """Return how long the server has been waiting for the client; None if it is not waiting."""
        if self.requests and not self.total_outbufs_len:
            return None  # the app is still working
        is_partial = self.request is not None and not self.requests
        seconds = time.monotonic() - (float(self.request.began) if is_partial else self.heard)
        rests = not is_partial and self.last_activity > self.creation_time and seconds < PATIENCE
        return None if rests else seconds

    def is_idle(self) -> bool:
        """Whether the connection has no request, not even a partial one, and no unsent answer."""
        with self.requests_lock:
            has_request = self.requests or self.request is not None
        return bool(self.lingers_until) or not (has_request or self.total_outbufs_len)


class _Threads(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """The threads that call the app, started when all others are busy. `shutdown` reports whether all have ended."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._started: list[threading.Thread] = []

    def add_task(self, task: object) -> None:
        with self.lock:
            number = len(self.threads)  # threads end only at the end
            if number < self._most and len(self.queue) >= number - self.active_count:
                try:
                    self.start_new_thread(self.handler_thread, number)
                    self.threads.add(number)
                    self.active_count += 1
                except RuntimeError as error:
                    logging.getLogger("qrkit").warning("no more than %d threads answer requests: %s", number, error)
        super().add_task(task)

    def wait(self) -> None:
        """Wait until all threads have ended."""
        for thread in self._started:
            thread.join()

    def start_new_thread(self, target: Callable[[int], None], thread_no: int) -> None:
        thread = threading.Thread(target=target, args=(thread_no,), name=f"qrkit-answers-{thread_no}", daemon=True)
        thread.start()
        self._started.append(thread)

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:  # noqa: FBT001, FBT002 - waitress's
        end = time.monotonic() + timeout
        self._most = 0  # a late task starts none
        super().shutdown(cancel_pending, timeout)
        for thread in self._started:
            thread.join(max(0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._started)


class StrictServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """A server for one app on one socket."""

    channel_class = _Channel
    port: int

    def __init__(self, app: WSGIApplication, settings: Settings, listening: socket.socket) -> None:
        # With trusted proxies, `proxies.client_address` reads the forwarded headers; otherwise they are dropped.
        forwards = bool(settings.trusted_proxies)
        adjustments = Adjustments(sockets=[listening], clear_untrusted_proxy_headers=not forwards, **OPTIONS)
        where = (listening.family, listening.type, listening.proto, listening.getsockname())
        self.is_stopping = self._is_hurried = self._is_shut = self._is_woken = False
        self._overdue: list[_Channel] = []
        self._refused = RefusedConnections(settings)
        self._settings = settings
        self._ending = threading.RLock()  # reentrant: a signal handler may run in the thread that holds it
        given = {"_sock": listening, "adj": adjustments, "sockinfo": where, "bind_socket": False}
        super().__init__(app, {}, dispatcher=_Threads(settings.threads), **given)
        self.port = int(self.effective_port)

    def handle_accept(self) -> None:
        """Accept a connection, or close it if its network has too many already."""
        try:
            accepted = self.accept()
            if accepted is None:
                return
            connection, address = accepted
            self.set_socket_options(connection)
        except OSError:
            return  # the client is already gone
        others = list(self.active_channels.values())
        if not is_free(address[0], self._settings) and has_its_share(network_of_peer(address[0]), others):
            connection.close()
            self._refused.count(address[0])
            return
        if len(others) >= CONNECTIONS and (leaving := makes_room(others)):
            leaving.handle_close()
        self.channel_class(self, connection, address, self.adj, map=self._map)

    def readable(self) -> bool:
        """Whether another connection can be accepted."""
        is_listening, channels = super().readable(), self.active_channels
        return is_listening and (len(channels) < CONNECTIONS or makes_room(list(channels.values())) is not None)

    def run(self) -> None:
        """Answer requests until asked to stop, then wait for the requests in flight and close everything."""
        try:
            while not self.is_stopping:
                self._turn(self.adj.asyncore_loop_timeout)
            self._stop_accepting()
            end = time.monotonic() + GRACE
            while self._has_work() and not self._is_hurried and (left := end - time.monotonic()) > 0:
                self._turn(min(left, 1))
        finally:
            self.shut()

    def ask_to_stop(self) -> None:
        """Make `run` return, from any thread or signal handler.

        After a second call, `run` returns without waiting for requests in flight.
        """
        with self._ending:
            self._is_hurried = self.is_stopping
            self.is_stopping = True
            self.pull_trigger()

    def shut(self) -> None:
        """Close all connections and end all threads. Further calls do nothing."""
        if self._is_shut:
            return
        # Wake up threads that wait for a client to read.
        for channel in list(self.active_channels.values()):
            channel.handle_close()
        is_done = self.task_dispatcher.shutdown(timeout=HURRIED_GRACE if self._is_hurried else THREADS_GRACE)
        with self._ending:
            self._is_shut = True
            wasyncore.dispatcher.close(self)
        self.trigger.del_channel()
        wasyncore.close_all(self._map)
        if is_done:
            self._close_trigger()
        else:
            threading.Thread(target=self._close_trigger, name="qrkit-end", daemon=True).start()

    def _close_trigger(self) -> None:
        """Close the pipe once all threads have ended: a late thread must not write to a reused file descriptor."""
        self.task_dispatcher.wait()
        self.trigger.close()

    def pull_trigger(self) -> None:
        """Wake up the loop."""
        # Without a lock: with one, threads would wait for each other and answer a tenth of the requests.
        if not (self._is_shut or self._is_woken):
            self._is_woken = True
            super().pull_trigger()

    def maintenance(self, now: float) -> None:
        """Close overdue connections and log refused ones; waitress calls this every few seconds."""
        self._refused.log()
        quiet_since = now - self.adj.channel_timeout
        self._overdue = [channel for channel in list(self.active_channels.values()) if channel.is_overdue(quiet_since)]

    def _turn(self, timeout: float) -> None:
        # Reset this before the loop asks what to wait for, so that a later event wakes it up again.
        self._is_woken = False
        wasyncore.loop(timeout=timeout, use_poll=self.adj.asyncore_use_poll, map=self._map, count=1)
        overdue, self._overdue = self._overdue, []
        for channel in overdue:
            # waitress only marks such connections and closes them once the client reads, which may never happen.
            channel.handle_close()

    def _stop_accepting(self) -> None:
        """Accept the connections that are already waiting, stop listening, and read once from all of them."""
        count = -1
        while count < len(self.active_channels) < CONNECTIONS:
            count = len(self.active_channels)
            self.handle_accept()
        wasyncore.dispatcher.close(self)
        self._turn(0)

    def _has_work(self) -> bool:
        """Whether a request is in flight. Closes connections without one."""
        for channel in list(self.active_channels.values()):
            if channel.is_idle():
                channel.handle_close()
        return bool(self.active_channels)


def _error(refused: Any) -> QrkitError:
    """Convert an error of waitress to our own. Drops quoted header text, because headers may contain API keys."""
    if refused.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return BodyTooLarge(f"the body is too long; at most {MOST_BODY_BYTES:,} bytes are allowed")
    if refused.code == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
        return HeaderTooLarge(f"the header is too long; at most {MOST_HEADER_BYTES:,} bytes are allowed")
    if refused.code == HTTPStatus.INTERNAL_SERVER_ERROR:
        return QrkitError("an internal error happened; it was logged")
    reason = refused.body.partition('"')[0].strip()
    return BadRequest(f"this is no HTTP request that is understood here: {reason}")
