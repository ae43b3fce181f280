"""Pass a request on to Voila only if the console's page sends it, and its sender may see the console.

At a `Gate`, all who have the console's token may. At a `SignInGate`, people sign in with an API key, and each reaches
only the kernels of their own session, which show the account of the key.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from secrets import compare_digest
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tornado.ioloop import IOLoop
from tornado.routing import Router
from tornado.web import Application, RequestHandler

from qrkit.errors import BadRequest, NotAuthenticated, QrkitError, TooManyRequests
from qrkit.languages import LanguageTag, in_language, say
from qrkit.server.clients.hosts import Hosts
from qrkit.server.clients.proxies import client_address
from qrkit.server.settings import Settings

if TYPE_CHECKING:
    from tornado.httputil import HTTPMessageDelegate, HTTPServerRequest

    from qrkit.notebook.console.sessions import Sessions


TEMPLATE = Path(__file__).parent / "template"

COOKIE = "qrkit-console"
"""Name of the cookie with the token; the port follows, because browsers send a host's cookies to all its ports."""
ACCOUNT, SESSION = "X-Qrkit-Account", "X-Qrkit-Session"
"""Headers that tell a new kernel whom it serves. A gate that people sign in at sets both itself."""
MOST_PAGES = 8
"""Pages that an account may have open at a time; each has a process with about 200 MB."""

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
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of all answers. Widgets load their scripts as blobs; nothing is loaded from other hosts.

Without referrers in its own origin, browsers would not name the origin of a form, and the gate would refuse it.
"""

BESIDE = Settings(trusted_proxies=("127.0.0.1", "::1"))
"""Proxies that tell the address of their clients: those on this computer."""

NO_TOKEN = (
    "This address needs its token",
    "Open the complete address that the terminal showed when the console started. It ends with ?token= and a long "
    "word. If the console was started again, its address is new.",
)
ELSEWHERE = (
    "This request came from another page",
    "The console takes requests from its own page only. Open its address in a new tab.",
)
TOO_MANY_PAGES = (
    "Too many pages are open",
    "This account has as many pages open as the console allows. Close some, wait a minute, and reload this one.",
)
NOT_NOW = ("The console is busy", "It cannot reach its store at the moment. Reload this page in a minute.")
PROBLEMS = {
    NotAuthenticated: (401, "This key is not known, was revoked, or has expired. Check that you copied all of it."),
    TooManyRequests: (429, "Too many attempts. Wait a minute, then try again."),
}
"""Why nobody is signed in, with the HTTP status, by the error."""
NOTHING_HERE = ("There is nothing at this address", "The console has one page. Open the address without a path.")


class Gate(Router):
    """Checks every request, including those for static files and WebSockets, before Voila sees it.

    The first request has the token in its query. The answer moves it to a cookie, so that it does not stay in the
    address bar and the history. A proxy can send the token as `Authorization: Bearer TOKEN` instead.
    """

    def __init__(self, app: Application, token: str, hosts: Collection[str], language: LanguageTag = "en") -> None:
        self._app, self._token, self._hosts = app, token, Hosts(hosts, [])
        self._own = Application(template_path=str(TEMPLATE), language=language)

    def find_handler(self, request: HTTPServerRequest, **_: Any) -> HTTPMessageDelegate | None:
        """Return the handler of a request: Voila, an answer of the gate's own, or a refusal."""
        try:
            self._hosts.check({"HTTP_HOST": request.headers.get("Host", "")})
            origin = request.headers.get("Origin")
            # All browsers write an origin in the same form, so it can be compared as text.
            own = [f"{scheme}://{request.headers.get('Host', '')}".lower() for scheme in ("http", "https")]
            if origin is not None and origin.lower() not in own:
                return self._refuse(request, 403, ELSEWHERE)
            return self._admit(request)
        except BadRequest as error:
            return self._refuse(request, 400, ("This host is not served here", f"{error}."))
        except QrkitError:
            return self._refuse(request, 503, NOT_NOW)

    def _admit(self, request: HTTPServerRequest) -> HTTPMessageDelegate | None:
        """Return the handler of a request of the own page, if its sender may see the console."""
        if not any(compare_digest(one, self._token.encode()) for one in _tokens(request)):
            return self._refuse(request, 403, NO_TOKEN)
        if "token" in request.query_arguments:
            return self._own.get_handler_delegate(request, _Admitted, {"token": self._token})
        return self._pass(request)

    def _pass(self, request: HTTPServerRequest) -> HTTPMessageDelegate | None:
        is_offered = any(request.method == method and re.fullmatch(path, request.path) for method, path in OFFERED)
        return self._app.find_handler(request) if is_offered else self._refuse(request, 404, NOTHING_HERE)

    def _refuse(self, request: HTTPServerRequest, status: int, words: tuple[str, str]) -> HTTPMessageDelegate | None:
        return self._own.get_handler_delegate(request, _Refused, {"status": status, "words": words})


class SignInGate(Gate):
    """Admits people who have signed in with an API key, each to the kernels of their own session.

    The app is Voila; `kernel_manager` in its settings has the kernels.
    """

    def __init__(
        self, app: Application, sessions: Sessions, hosts: Collection[str], language: LanguageTag = "en"
    ) -> None:
        super().__init__(app, "", hosts, language)
        self._sessions = self._own.settings["sessions"] = sessions

    async def end_kernels(self) -> None:
        """End the kernels of all sessions that are over."""
        kernels, lasting = self._app.settings["kernel_manager"], self._sessions.ids()
        for kernel in kernels.list_kernel_ids():
            if not kernel.startswith(lasting):
                await kernels.shutdown_kernel(kernel, now=True)

    def _admit(self, request: HTTPServerRequest) -> HTTPMessageDelegate | None:
        asked, token = (request.method, request.path), _cookie(request)
        if asked == ("POST", "/sign-out"):
            self._sessions.end(token)
            IOLoop.current().add_callback(self.end_kernels)
            return self._own.get_handler_delegate(request, _Admitted, {"token": ""})
        if (session := self._sessions.of(token)) is None or asked == ("POST", "/sign-in"):
            return self._own.get_handler_delegate(request, _SigningIn)
        kernel = re.search(KERNEL, request.path)
        if kernel and not kernel[0].startswith(session.id):
            return self._refuse(request, 404, NOTHING_HERE)
        if request.path == "/" and self._count_pages(session.account.id) >= MOST_PAGES:
            return self._refuse(request, 429, TOO_MANY_PAGES)
        # These take the place of what the browser may have sent under their names.
        request.headers[ACCOUNT], request.headers[SESSION] = session.account.id, session.id
        return self._pass(request)

    def _count_pages(self, account_id: str) -> int:
        own, kernels = self._sessions.ids(account_id), self._app.settings["kernel_manager"].list_kernel_ids()
        return sum(kernel.startswith(own) for kernel in kernels)


def _tokens(request: HTTPServerRequest) -> list[bytes]:
    """Return the possible tokens of a request: from its query, its cookie and its header, in this order."""
    scheme, _, word = request.headers.get("Authorization", "").partition(" ")
    bearer = [word.strip().encode()] if scheme.lower() == "bearer" else []
    return [*request.query_arguments.get("token", []), _cookie(request).encode(), *bearer]


def _cookie(request: HTTPServerRequest) -> str:
    cookie = request.cookies.get(_cookie_name(request))
    return cookie.value if cookie else ""


def _cookie_name(request: HTTPServerRequest) -> str:
    port = urlsplit(f"//{request.headers.get('Host', '')}").port
    return COOKIE if port is None else f"{COOKIE}-{port}"


class _Answer(RequestHandler):
    """Answers every method in the same way, with the headers of the console."""

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Cache-Control", "no-store")
        self.clear_header("Server")

    def answer(self, status: int, template: str, **texts: str) -> None:
        """Answer with a page that says these texts in the language of the console."""
        self.set_status(status)
        with in_language(self.settings["language"]):
            said = {name: say(text) for name, text in texts.items()}
            self.render(template, language=self.settings["language"], say=say, **said)


class _Refused(_Answer):
    """Says in plain words why a request is refused."""

    def initialize(self, status: int, words: tuple[str, str]) -> None:
        self._refusal = status, words

    def prepare(self) -> None:
        status, (title, text) = self._refusal
        self.answer(status, "refused.html", title=title, text=text)


class _Admitted(_Answer):
    """Sets the cookie, or removes it if the token is empty, and redirects to the page."""

    def initialize(self, token: str = "") -> None:
        self._token = token

    def prepare(self) -> None:
        name, is_secure = _cookie_name(self.request), self.request.headers.get("X-Forwarded-Proto", "") == "https"
        days = None if self._token else -1
        # Lax, because a strict cookie is not sent after a click on the address in another program's page.
        self.set_cookie(name, self._token, expires_days=days, httponly=True, samesite="Lax", secure=is_secure)
        self.redirect("/")


class _SigningIn(_Admitted):
    """Shows the page where people sign in, and signs them in."""

    def prepare(self) -> None:
        status, problem, headers = 401, "", self.request.headers
        if key := self.get_body_argument("key", ""):
            told = {"REMOTE_ADDR": self.request.remote_ip, "HTTP_X_FORWARDED_FOR": headers.get("X-Forwarded-For", "")}
            try:
                self._token = self.settings["sessions"].begin(key, client_address(told, BESIDE))
            except QrkitError as error:
                status, problem = PROBLEMS.get(type(error), (503, NOT_NOW[1]))
        if self._token:
            super().prepare()
        else:
            self.answer(status, "sign_in.html", problem=problem)
