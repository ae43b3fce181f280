"""A receiver of events on this machine, which answers as a test wants."""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple


class Sent(NamedTuple):
    """A request that was answered with 2xx."""

    headers: dict[str, str]
    body: bytes

    @property
    def events(self) -> list[dict[str, Any]]:
        told = json.loads(self.body)
        return told if isinstance(told, list) else [told]

    def is_signed_with(self, secret: str) -> bool:
        """Whether its signature is right, by Standard Webhooks."""
        text = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + self.body
        expected = b64encode(hmac.digest(b64decode(secret.removeprefix("whsec_")), text, "sha256"))
        return self.headers["webhook-signature"] == f"v1,{expected.decode()}"


class Receiver(ThreadingHTTPServer):
    """A receiver; `answer` gives the status of the answer to a request, or None to hang until the client gives up."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/scans?from=qrkit"
        self.sent: list[Sent] = []
        self.tried = 0
        self.is_endless = False
        self.answer: Callable[[Sent], int | None] = lambda _sent: 200

    @property
    def events(self) -> list[dict[str, Any]]:
        return [event for one in self.sent for event in one.events]

    @property
    def kinds(self) -> list[str]:
        return [event["type"].removeprefix("qrkit.") for event in self.events]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = Sent(headers, self.rfile.read(int(headers["content-length"])))
        self.server.tried += 1
        status = self.server.answer(sent)
        if status is None:
            self.rfile.read()  # until the client has closed the connection
            return
        if status < 300:
            self.server.sent.append(sent)
        self.send_response(status)
        self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.send_header("Content-Length", "1" if self.server.is_endless else "0")
        self.end_headers()
        if self.server.is_endless:
            self.rfile.read()  # until the client has closed the connection

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Context manager: a receiver that answers all requests with 200, until told otherwise."""
    receiver = Receiver()
    thread = Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        receiver.server_close()
        thread.join()
