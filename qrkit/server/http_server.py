"""waitress as a server of ours: its refusals keep ruling H3, nobody holds it up for long, and it ends without loss.

Its loop reads whole requests before a thread sees them, and writes what a thread left, so slow clients hold no thread.
Import this module late: it loads waitress.
"""

from __future__ import annotations

import logging
import re
import socket
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from wsgiref.types import WSGIApplication

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask

from qrkit.errors import BadRequest, BodyTooLarge, HeaderTooLarge, InvalidParameter, Problem, QrkitError
from qrkit.server.http_parser import StrictParser
from qrkit.server.messages import STANDARD_HEADERS, problem
from qrkit.server.proxies import has_its_share
from qrkit.server.settings import Settings

__all__ = ["StrictServer", "listen"]

MOST_BODY_BYTES = 17 * 2**20
"""A little more than the app takes, so that its own limits answer first."""
MOST_HEADER_BYTES = 65_536

OPTIONS: dict[str, Any] = {
    "ident": None,
    "expose_tracebacks": False,
    "max_request_body_size": MOST_BODY_BYTES,
    "max_request_header_size": MOST_HEADER_BYTES,
    "channel_timeout": 30,
    "cleanup_interval": 5,
    "connection_limit": 512,
    "asyncore_use_poll": True,
}
LONGEST_REQUEST = 300
"""Seconds in which a request must have come: a byte now and then does not keep a connection for ever."""
LONGEST_HEADER = 20
"""Seconds in which its header must have come."""
LINGERING = 10
"""Seconds for which a refused client may go on sending: closing at once would take the answer from it."""
MOST_DISCARDED_BYTES = 64 * 2**20

GRACE = 8
"""Seconds for requests in flight when the server ends."""
THREADS_GRACE = 1
"""Seconds for threads that are still busy after that."""
HURRIED_GRACE = 0.2
"""Seconds for threads, idle ones too, when there is no time."""

UNPRINTABLE = re.compile(rb"[^\r\n -~]")


def listen(app: WSGIApplication, settings: Settings) -> StrictServer:
    """A server that listens where the settings say; it answers once `run` is called.

    Raises:
        InvalidParameter: The host cannot be one.
        OSError: There is no such host, or its port is in use or not for us to take.
    """
    # It would tell of every request that waits a moment for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    _check_host(settings.host)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Who asks for all addresses means those of both kinds.
    both = settings.host == "::" and socket.has_dualstack_ipv6()
    listening = socket.create_server((settings.host, settings.port), family=family, dualstack_ipv6=both)
    try:
        return StrictServer(app, settings, listening)
    except BaseException:
        listening.close()
        raise


def _check_host(host: str) -> None:
    """What cannot be a host is an error of its own: `socket.create_server` would forget a socket over it."""
    try:
        host.encode("idna")
        is_good = host.isprintable()
    except UnicodeError:
        is_good = False
    if not is_good:
        raise InvalidParameter(Problem("host", host, "must be a name or an address"))


class _Answer:
    """What the tasks of waitress have in common here: the answer to HEAD is its headers."""

    channel: Any
    request: Any
    wrote_header: bool

    @property
    def _is_head(self) -> bool:
        # An error inside the app is answered by a task whose request is made up.
        return bool((self.channel.requests or [self.request])[0].command == "HEAD")

    def write(self, data: bytes) -> None:
        super().write(b"" if self._is_head else data)  # type: ignore[misc]

    def finish(self) -> None:
        if not self._is_head:
            super().finish()  # type: ignore[misc]
        elif not self.wrote_header:
            self.write(b"")


class _Refusal(_Answer, ErrorTask):  # type: ignore[misc]  # waitress has no types
    """Answers what waitress itself refuses, in the form of every failure (ruling H3)."""

    def execute(self) -> None:
        answer = problem(_error(self.request.error))
        self.status = f"{answer.status} {HTTPStatus(answer.status).phrase}"
        headers = {"Content-Type": answer.media_type} | STANDARD_HEADERS | dict(answer.headers)
        self.response_headers.extend(headers.items())
        self.request.headers.pop("CONNECTION", None)  # whatever was asked for, this is the end
        self.set_close_on_finish()
        self.content_length = len(answer.body)
        self.channel.lingers = True
        self.write(answer.body)


class _Task(_Answer, WSGITask):  # type: ignore[misc]  # waitress has no types
    """Asks the app."""

    def build_response_header(self) -> bytes:
        server, waiting = self.channel.server, len(self.channel.requests) - 1
        if server.is_stopping and not waiting and self.version == "1.1":
            self.set_close_on_finish()
        head: bytes = super().build_response_header()
        if UNPRINTABLE.search(head):
            raise ValueError("a header of the response is not printable ASCII")
        return head

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ["SERVER_SOFTWARE"] = "qrkit"  # PEP 3333 wants a text
        if self.request.command == "HEAD":
            environ.pop("wsgi.file_wrapper", None)  # what it wraps is sent unseen
        return environ


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection. One that was refused is read on for a while, and what comes is thrown away."""

    parser_class = StrictParser
    task_class = _Task
    error_task_class = _Refusal
    close_when_flushed = False
    lingers = False
    lingers_until: float | None = None
    discarded = 0

    def readable(self) -> bool:
        return bool((self.lingers_until and not self.will_close) or super().readable())

    def writable(self) -> bool:
        if self.will_close or self.close_when_flushed or not self.total_outbufs_len:
            return bool(super().writable())
        # A thread that writes just now tells when it leaves something; asking meanwhile would keep it from its work.
        if not self.outbuf_lock.acquire(blocking=False):
            return False
        self.outbuf_lock.release()
        return True

    def received(self, data: bytes) -> bool:
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
        """Whether nothing more is to be expected: of an idle client, of one that does not read, of an endless one."""
        now = time.monotonic()
        if self.lingers_until:
            return now > self.lingers_until
        if self.requests and not self.total_outbufs_len:
            return False  # the app is at work
        return self._is_endless(now) or bool(self.last_activity < quiet_since)

    def _is_endless(self, now: float) -> bool:
        if self.requests or self.request is None:
            return False
        longest = LONGEST_REQUEST if self.request.headers_finished else LONGEST_HEADER
        return bool(now - self.request.began > longest)

    def is_idle(self) -> bool:
        """Whether it has no request, not even half of one, and no answer that is still on its way."""
        with self.requests_lock:
            has_request = self.requests or self.request is not None
        return bool(self.lingers_until) or not (has_request or self.total_outbufs_len)


class _Threads(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """The threads that ask the app; when they are shut down, they are gone."""

    def __init__(self) -> None:
        super().__init__()
        self._started: list[threading.Thread] = []

    def wait(self) -> None:
        """Wait until no thread is left."""
        for thread in self._started:
            thread.join()

    def start_new_thread(self, target: Callable[[int], None], thread_no: int) -> None:
        thread = threading.Thread(target=target, args=(thread_no,), name=f"qrkit-answers-{thread_no}", daemon=True)
        self._started.append(thread)
        thread.start()

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:  # noqa: FBT001, FBT002 - waitress's
        end = time.monotonic() + timeout
        super().shutdown(cancel_pending, timeout)
        for thread in self._started:
            thread.join(max(0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._started)


class StrictServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """A server of one app on one socket.

    Attributes:
        port: Where it listens.
        is_stopping: Whether it was asked to end.
    """

    channel_class = _Channel
    port: int

    def __init__(self, app: WSGIApplication, settings: Settings, listening: socket.socket) -> None:
        # With trusted proxies, `proxies.client_address` reads what they forward; else nobody gets to see it.
        forwards = bool(settings.trusted_proxies)
        adjustments = Adjustments(
            sockets=[listening], threads=settings.threads, clear_untrusted_proxy_headers=not forwards, **OPTIONS
        )
        where = (listening.family, listening.type, listening.proto, listening.getsockname())
        self.is_stopping = self._is_hurried = self._is_shut = self._is_woken = False
        self._overdue: list[_Channel] = []
        self._settings = settings
        self._ending = threading.RLock()  # a signal may come while its own thread holds it
        super().__init__(
            app, {}, _sock=listening, dispatcher=_Threads(), adj=adjustments, sockinfo=where, bind_socket=False
        )
        self.port = int(self.effective_port)
        self.task_dispatcher.set_thread_count(settings.threads)

    def handle_accept(self) -> None:
        """Take a connection in, or hang up on an address that has its share of them."""
        try:
            accepted = self.accept()
            if accepted is None:
                return
            connection, address = accepted
            self.set_socket_options(connection)
        except OSError:
            return  # gone already
        others = [channel.addr[0] for channel in list(self.active_channels.values())]
        if has_its_share(address[0], others, self._settings):
            connection.close()
        else:
            self.channel_class(self, connection, address, self.adj, map=self._map)

    def run(self) -> None:
        """Answer until asked to stop; then let the requests in flight end, and close everything."""
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
        """Have `run` end, from any thread or signal handler; asked again, it does not wait for requests in flight."""
        with self._ending:
            self._is_hurried = self.is_stopping
            self.is_stopping = True
            self.pull_trigger()

    def shut(self) -> None:
        """Close all connections and end all threads; once is enough."""
        if self._is_shut:
            return
        # Threads that wait for a client to read wake up from this.
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
        """Close the pipe; a thread that outlives the server must not write into what is another file by then."""
        self.task_dispatcher.wait()
        self.trigger.close()

    def pull_trigger(self) -> None:
        """Wake the loop up."""
        # Without a lock: threads that wait for one another here would answer a tenth of the requests.
        if not (self._is_shut or self._is_woken):
            self._is_woken = True
            super().pull_trigger()

    def maintenance(self, now: float) -> None:
        """Find connections from which nothing more is to be expected; waitress calls it every few seconds."""
        quiet_since = now - self.adj.channel_timeout
        self._overdue = [channel for channel in list(self.active_channels.values()) if channel.is_overdue(quiet_since)]

    def _turn(self, timeout: float) -> None:
        # Before it is asked what to wait for: whoever comes later wakes the loop up again.
        self._is_woken = False
        wasyncore.loop(timeout=timeout, use_poll=self.adj.asyncore_use_poll, map=self._map, count=1)
        overdue, self._overdue = self._overdue, []
        for channel in overdue:
            # waitress marks them only, and waits with closing until a client reads that never will.
            channel.handle_close()

    def _stop_accepting(self) -> None:
        """Take in those who have knocked already, then hear what they want."""
        count = -1
        while count < len(self.active_channels) < self.adj.connection_limit:
            count = len(self.active_channels)
            self.handle_accept()
        wasyncore.dispatcher.close(self)
        self._turn(0)

    def _has_work(self) -> bool:
        """Whether a request is in flight; connections without one are closed."""
        for channel in list(self.active_channels.values()):
            if channel.is_idle():
                channel.handle_close()
        return bool(self.active_channels)


def _error(refused: Any) -> QrkitError:
    """What waitress says, in our words; it may quote a header, and headers hold keys."""
    if refused.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return BodyTooLarge(f"the body is too long; at most {MOST_BODY_BYTES:,} bytes are taken")
    if refused.code == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
        return HeaderTooLarge(f"the header is too long; at most {MOST_HEADER_BYTES:,} bytes are taken")
    if refused.code == HTTPStatus.INTERNAL_SERVER_ERROR:
        return QrkitError("an internal error happened; it was logged")
    reason = refused.body.partition('"')[0].strip()
    return BadRequest(f"this is no HTTP request that is understood here: {reason}")
