"""`Gate`: lets only those requests through to Voila that the console's page sends, with the token of the console."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape
from http.cookies import CookieError
from secrets import compare_digest
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tornado.routing import Router
from tornado.web import Application, RequestHandler

from qrkit.errors import BadRequest
from qrkit.server.clients.hosts import Hosts

if TYPE_CHECKING:
    from tornado.httputil import HTTPMessageDelegate, HTTPServerRequest

__all__ = ["HEADERS", "Gate"]

COOKIE = "qrkit-console"
"""Name of the cookie with the token; the port follows, because browsers send a host's cookies to all its ports."""

KERNEL = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
OFFERED = (
    ("GET", r"/"),
    ("GET", r"/voila/(?:static|templates|labextensions)/.+"),
    ("GET", rf"/api/kernels/{KERNEL}(?:/channels)?"),
    ("POST", rf"/voila/api/shutdown/{KERNEL}"),
)
"""Methods and paths that the console's page asks for. Voila has more, such as files, logging in, deleting kernels."""

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "style-src 'self' 'unsafe-inline' blob:; img-src 'self' data: blob:; font-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of all answers. Widgets load their scripts as blobs; nothing is loaded from other hosts."""

NO_TOKEN = (
    "This address needs its token",
    "Open the complete address that the terminal showed when the console started. It ends with ?token= and a long "
    "word. If the console was started again, its address is new.",
)
ELSEWHERE = (
    "This request came from another page",
    "The console takes requests from its own page only. Open its address in a new tab.",
)
NOTHING_HERE = ("There is nothing at this address", "The console has one page. Open the address without a path.")
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
:root{{color-scheme:light dark}}
body{{max-width:34rem;margin:18vh auto;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}}
h1{{font-size:1.5rem;line-height:1.25;text-wrap:balance}}
</style><main><h1>{title}</h1><p>{text}</p></main></html>
"""


class Gate(Router):
    """Decides about each request, also those for static files and WebSockets, before Voila sees it.

    The first request has the token in its query. The answer moves it to a cookie, so that it does not stay in the
    address bar and the history. A proxy can send the token as `Authorization: Bearer TOKEN` instead.

    Args:
        token: What requests must know.
    """

    def __init__(self, app: Application, token: str, hosts: Collection[str]) -> None:
        self._app, self._token, self._hosts = app, token, Hosts(hosts, [])
        self._own = Application()

    def find_handler(self, request: HTTPServerRequest, **_: Any) -> HTTPMessageDelegate | None:
        """Return what answers a request: Voila, a redirect to the address without the token, or a refusal."""
        if (refusal := self._refusal(request)) is not None:
            status, (title, text) = refusal
            return self._own.get_handler_delegate(request, _Refused, {"status": status, "title": title, "text": text})
        if "token" in request.query_arguments:
            cookie = {"name": _cookie_name(request), "token": self._token}
            return self._own.get_handler_delegate(request, _Admitted, cookie)
        return self._app.find_handler(request)

    def _refusal(self, request: HTTPServerRequest) -> tuple[int, tuple[str, str]] | None:
        try:
            self._hosts.check({"HTTP_HOST": request.headers.get("Host", "")})
        except BadRequest as error:
            return 400, ("This host is not served here", f"{error}.")
        origin = request.headers.get("Origin")
        # Browsers write an origin in one way, so that nothing in it needs to be parsed.
        own = [f"{scheme}://{request.headers.get('Host', '')}".lower() for scheme in ("http", "https")]
        if origin is not None and origin.lower() not in own:
            return 403, ELSEWHERE
        if not any(compare_digest(one, self._token.encode()) for one in _tokens(request)):
            return 403, NO_TOKEN
        is_offered = any(request.method == method and re.fullmatch(path, request.path) for method, path in OFFERED)
        return None if is_offered else (404, NOTHING_HERE)


def _tokens(request: HTTPServerRequest) -> list[bytes]:
    """Return what a request has where a token may be: in its query, its cookie or its header, in this order."""
    found = list(request.query_arguments.get("token", []))
    try:
        cookie = request.cookies.get(_cookie_name(request))
    except CookieError:
        cookie = None
    if cookie is not None:
        found.append(cookie.value.encode())
    scheme, _, word = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        found.append(word.strip().encode())
    return found


def _cookie_name(request: HTTPServerRequest) -> str:
    port = urlsplit(f"//{request.headers.get('Host', '')}").port
    return COOKIE if port is None else f"{COOKIE}-{port}"


class _Answer(RequestHandler):
    """Answers any method alike, with the headers of the console."""

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Cache-Control", "no-store")
        self.clear_header("Server")


class _Refused(_Answer):
    """Says in plain words why a request is refused."""

    def initialize(self, status: int, title: str, text: str) -> None:
        self._refusal = status, title, text

    def prepare(self) -> None:
        status, title, text = self._refusal
        self.set_status(status)
        self.finish(PAGE.format(title=escape(title), text=escape(text)))


class _Admitted(_Answer):
    """Sets the cookie and leads to the same page without the token."""

    def initialize(self, name: str, token: str) -> None:
        self._cookie = name, token

    def prepare(self) -> None:
        name, token = self._cookie
        is_secure = self.request.headers.get("X-Forwarded-Proto", "") == "https"
        # Lax, because a strict cookie is not sent after a click on the address in another program's page.
        self.set_cookie(name, token, httponly=True, samesite="Lax", secure=is_secure)
        self.redirect(self.request.path)
