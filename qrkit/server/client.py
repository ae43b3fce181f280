"""Calls the app without a socket, for tests, notebooks and replays: `Client`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from json import dumps, loads
from typing import Any
from urllib.parse import quote, urlencode
from wsgiref.types import WSGIApplication
from wsgiref.util import setup_testing_defaults


@dataclass(frozen=True, slots=True)
class Reply:
    """A response of the app.

    Attributes:
        status: HTTP status code, such as 200.
        headers: Headers by lower-case name.
        body: Bytes of the body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body decoded as UTF-8."""
        return self.body.decode()

    def json(self) -> Any:
        """Parse the body as JSON."""
        return loads(self.body)

    def __repr__(self) -> str:
        return f"<Reply {self.status}, {self.headers.get('content-type', '')}, {len(self.body)} bytes>"


class Client:
    """Calls a WSGI app the way a server does.

    Args:
        app: The WSGI app.
        headers: Headers sent with every request.
        address: IP address of the client, as the app sees it.
    """

    def __init__(
        self, app: WSGIApplication, *, headers: Mapping[str, str] | None = None, address: str = "127.0.0.1"
    ) -> None:
        self._app = app
        self._headers = dict(headers or {})
        self._address = address

    def __repr__(self) -> str:
        return f"<Client of {self._app!r}, from {self._address}>"

    def get(self, path: str, *, headers: Mapping[str, str] | None = None, **query: Any) -> Reply:
        """Send a GET request.

        Args:
            path: The path from its first slash, without a query string.
            headers: Headers in addition to those of the client.
            **query: Parameters of the query string.

        Example:
            >>> from qrkit.store import Store
            >>> from qrkit.server import make_app
            >>> client = Client(make_app(Store()))
            >>> client.get("/api/v3/generate", content="hi", size=99).headers["x-api-error"]
            'size=99: must be in 1..20 pixels per module'
        """
        return self.request("GET", path, headers=headers, query=urlencode(query, quote_via=quote))

    def post(self, path: str, json: Any, *, headers: Mapping[str, str] | None = None, **query: Any) -> Reply:
        """Send a POST request with a JSON body.

        Args:
            path: The path from its first slash, without a query string.
            json: A value that JSON can represent: dictionaries, lists, strings, numbers, True, False and None.
            headers: Headers in addition to those of the client.
            **query: Parameters of the query string.
        """
        text = dumps(json).encode()
        return self.request("POST", path, headers=headers, query=urlencode(query, quote_via=quote), body=text)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        address: str | None = None,
        body: bytes = b"",
    ) -> Reply:
        """Send any request.

        Args:
            method: GET, HEAD, POST, PUT, DELETE …
            path: The path from its first slash, without a query string.
            query: The encoded query string.
            headers: Headers in addition to those of the client, which they override.
            address: IP address of the client; by default the address of this `Client`.
            body: Bytes of the body.
        """
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            # WSGI passes the bytes of the path decoded as Latin-1.
            "PATH_INFO": path.encode().decode("latin-1"),
            "QUERY_STRING": query,
            "REMOTE_ADDR": address or self._address,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": BytesIO(body),
        }
        setup_testing_defaults(environ)
        for name, value in (self._headers | dict(headers or {})).items():
            key = name.upper().replace("-", "_")
            environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
        started: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            started[:] = [status, headers]
            return lambda data: None

        chunks = self._app(environ, start_response)
        try:
            body = b"".join(chunks)
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()
        status, sent = started
        return Reply(int(status[:3]), {name.lower(): value for name, value in sent}, body)
