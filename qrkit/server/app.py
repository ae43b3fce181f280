"""Builds the WSGI app: a route is found, its handler answers, and every answer has the standard headers."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit
from wsgiref.types import StartResponse, WSGIEnvironment

from qrkit.contents.gs1_compression import SHORTEST, is_compressed_key
from qrkit.contents.gs1_identifiers import KEYS
from qrkit.contents.gs1_paths import is_gs1_key
from qrkit.design.brand import Brand
from qrkit.drawing.untrusted.fetching import Fetcher
from qrkit.errors import BadRequest, BodyTooLarge, NotFound, QrkitError, WrongMediaType, WrongMethod, extra, ignored
from qrkit.pictures.generate_request import Shortener
from qrkit.portfolio.access import RequestCounter
from qrkit.portfolio.base_urls import earlier_base_urls, kept_base_url
from qrkit.server.clients.hosts import Hosts
from qrkit.server.clients.proxies import client_address
from qrkit.server.description.routes import ROUTES, Route
from qrkit.server.handlers.short_urls import NEVER_STORED, brand_of
from qrkit.server.operation.access_log import REQUEST_ID, Access, request_id
from qrkit.server.operation.health import Health
from qrkit.server.operation.metrics import metrics_of
from qrkit.server.requests.request import (
    GOES_ON,
    PREFLIGHT_HEADERS,
    STANDARD_HEADERS,
    Request,
    Response,
    header_text,
    headers_of,
    is_browser,
    problem,
    unless_known,
    warning,
)
from qrkit.server.service import NO_PLACES, Call, Gates, Service, called
from qrkit.server.settings import Settings
from qrkit.store import Store
from qrkit.store.records.qrcodes import asks_for_places
from qrkit.store.records.short_codes import set_ignores_case
from qrkit.tracking.times import Clock, now
from qrkit.visits.countries_of_addresses import Places
from qrkit.visits.redirect import Locate, Redirects, nowhere

with extra("server"):
    for library in ("babel", "falcon"):  # which are loaded when a visitor needs a page, or a client sends a form
        if not find_spec(library):
            raise ModuleNotFoundError(name=library)

if TYPE_CHECKING:
    from qrkit.drawing.untrusted.assets import Fetch

_log = logging.getLogger("qrkit")

Answering = Callable[[WSGIEnvironment, Mapping[str, str]], Response]
"""Answers a request, given its environment and the variable parts of its path."""

ASKED = "qrkit.request"
"""Key of the WSGI environment that holds the parsed `Request`."""
ROUTE = "qrkit.route"
"""Key of the WSGI environment that holds the path template of the route."""

STATUS_LINES = {one.value: f"{one.value} {one.phrase}" for one in HTTPStatus}
WITH_SLASHES = ("urlinfo", "gs1")
"""The variable parts of paths that go on behind a slash."""
_PLAIN_CODE = re.compile(r"/[0-9A-Za-z_-]{1,200}")
"""The path of nearly all short URLs."""
OWN_PATHS = frozenset(["/api", *(route.path for route in ROUTES if "{" not in route.path)])
"""Paths that look like short URLs but are not."""
STANDARD = {name.lower(): (name, value) for name, value in STANDARD_HEADERS.items()}
PREFLIGHT = STANDARD | {name.lower(): (name, value) for name, value in PREFLIGHT_HEADERS.items()}
COMPRESSED = frozenset(["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"])
"""The content codings of compressed bodies; other values, such as utf-8, are no coding, and change nothing."""


def make_app(
    store: Store,
    settings: Settings | None = None,
    *,
    clock: Clock = now,
    locate: Locate | None = None,
    shorteners: Mapping[str, Shortener] | None = None,
    fetch: Fetch | None = None,
) -> App:
    """Create the WSGI app of a store.

    Args:
        store: Contains the QR Codes and receives the visits.
        settings: How the app behaves. The fields about sockets concern only the server.
        clock: Returns the current time.
        locate: Returns the `Place` of an IP address; by default from the GeoIP database in the settings.
        shorteners: Further shortening services by name, each a callable URL -> short URL.
        fetch: Downloads images that designs reference by URL; by default a `Fetcher` for the hosts in the settings.

    Raises:
        UnreadableFile: If the GeoIP database or the file with the token for metrics cannot be read.
        InvalidParameter: If the file with the token for metrics contains none, or case is to be ignored and short codes
            differ only in case.
    """
    chosen = settings or Settings()
    kept = [kept_base_url(store), *earlier_base_urls(store)]
    base_url = chosen.base_url or kept[0]
    hosts = Hosts(chosen.hosts, [base_url, *kept])
    gates = Gates(chosen)
    set_ignores_case(store, is_ignored=chosen.ignore_case)
    redirects = Redirects(
        store,
        clock=clock,
        locate=locate or _locator(chosen.places),
        strict=chosen.strict,
        records=chosen.record_visits,
        hosts=hosts.names,
        path=urlsplit(base_url).path,
        on_unknown=lambda address: gates.unknown_codes.take(address),
        pass_query=chosen.pass_query,
    )
    service = Service(
        store,
        base_url,
        clock,
        redirects,
        Health(store, redirects),
        gates,
        shorteners=shorteners or {},
        counter=RequestCounter(store),
        fetch=fetch or (Fetcher(allow=chosen.fetch_from) if chosen.fetch_from else None),
        metrics=metrics_of(chosen.metrics_token_file),
        redirect_headers=NEVER_STORED | {"Referrer-Policy": chosen.referrer_policy},
    )
    return App(service, chosen, hosts, locate, {unquote(urlsplit(url).path) for url in (base_url, *kept)})


class App:
    """The WSGI app of a store; `make_app` creates it.

    Attributes:
        settings: How the app behaves.
        health: Reports whether the app is ready for requests.
        redirects: Answers requests to short URLs, and counts lost visits.
    """

    def __init__(
        self, service: Service, settings: Settings, hosts: Hosts, locate: Locate | None, paths: set[str]
    ) -> None:
        self._service = service
        self._paths = sorted(paths - {""}, key=len, reverse=True)
        self.settings = settings
        self.health = service.health
        self.redirects = service.redirects
        self._gates = service.gates
        self._metrics = service.metrics
        self._hosts = hosts
        self._locate = locate
        self._access = Access(settings, clock=service.clock)
        self._answering: dict[str, dict[str, Answering]] = {}
        for route in ROUTES:
            methods = self._answering.setdefault(route.path, {})
            methods[route.method] = _answering(service, settings, route)
            if route.method == "GET":
                methods["HEAD"] = methods["GET"]
        self._answering["/{gs1}"]["OPTIONS"] = self._answering["/{gs1}"]["GET"]
        if self.redirects.locate is nowhere and asks_for_places(service.store):
            _log.warning("rules of QR Codes ask where a visitor is, but %s", NO_PLACES)

    def __repr__(self) -> str:
        return f"<App of {self._service.store!r}>"

    @contextmanager
    def working(self) -> Iterator[None]:
        """Context manager: does in background threads what a server does besides answering requests."""
        with self.health.checking(), self._service.deliveries.running():
            yield

    def set_base_url(self, url: str) -> None:
        """Set what short URLs start with, before the first request, to a URL with the same path."""
        self._service.base_url = url

    def reload(self, settings: Settings) -> None:
        """Apply the settings that can change while the app runs: the access log, the rates and the GeoIP database.

        The GeoIP database is read again even if its path is the same. The rate limits of all addresses are reset.

        Raises:
            UnreadableFile: If the GeoIP database cannot be read; nothing changes in that case.
        """
        self.redirects.locate = self._locate or _locator(settings.places)
        self._gates.set_rates(settings)
        self.settings = self._access.settings = settings

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request. Every response has the standard headers."""
        begun, id = time.perf_counter(), request_id(environ, self.settings)
        token = REQUEST_ID.set(id)
        try:
            answer = self._answer(environ)
            status, headers = _head(environ["REQUEST_METHOD"], answer)
            headers.append(("X-Request-ID", id))
            self._access.write(environ, status, headers, environ.get(ASKED), begun)
            if self._metrics:
                self._metrics.count(environ.get(ROUTE, ""), status, time.perf_counter() - begun)
            start_response(STATUS_LINES[status], headers)
            if environ["REQUEST_METHOD"] == "HEAD":
                return []
            return iter([answer.body]) if answer.goes_on else [answer.body]  # the length of an iterator is unknown
        finally:
            REQUEST_ID.reset(token)

    def _answer(self, environ: WSGIEnvironment) -> Response:
        try:
            self._hosts.check(environ)
            path = environ.get("PATH_INFO", "")
            if not path.startswith("/") or path.startswith("//"):  # some servers give none, some clients two
                environ["PATH_INFO"] = f"/{path.lstrip('/')}"
            if self._paths:
                _remove_base_path(environ, self._paths, self.redirects)
            # Almost all requests scan a printed code; comparing them with all routes would take as long as answering.
            route, parts = _short_url(environ, self.redirects)
            if not route:
                return self._answer_other(environ)
            return self._answering[route][environ["REQUEST_METHOD"]](environ, parts)
        except QrkitError as error:
            return problem(error)
        except Exception:
            answer, asked = _bug(_text(environ.get("PATH_INFO", ""))), environ.get(ASKED)
            return replace(answer, headers=asked.joining | dict(answer.headers)) if asked else answer

    def _answer_other(self, environ: WSGIEnvironment) -> Response:
        """Answer a request that follows no short URL."""
        method, path = environ["REQUEST_METHOD"], _text(environ.get("PATH_INFO", ""))
        try:
            route, parts = _route_of(path)
            methods = self._answering[route]
            allowed = [*sorted(methods), "OPTIONS"]
            if method == "OPTIONS":
                return Response(headers={"Allow": ", ".join(allowed)})
            if method not in methods:
                raise WrongMethod(method, allowed)
        except (NotFound, WrongMethod) as error:
            answer, headers = problem(error), headers_of(environ)
            return _as_page(error, answer, headers) if _reads_pages(headers, path) else answer
        return methods[method](environ, parts)


def _remove_base_path(environ: WSGIEnvironment, paths: Sequence[str], redirects: Redirects) -> None:
    """Move the path of a base URL out of the path of a request, unless the short code is in it or goes on behind it.

    Some proxies pass the path of a base URL on, others remove it. A code that is called like the path of a base URL
    hides none of the codes below that path.
    """
    path = _text(environ.get("PATH_INFO", ""))
    base = next((base for base in paths if f"{path}/".startswith(f"{base}/")), "")
    if not base:
        return
    found, below = redirects.split(path[1:]), path.removeprefix(base)
    if found is None or (len(found[0]) < len(base) and redirects.split(below[1:])):
        environ["PATH_INFO"] = below.encode().decode("latin-1") or "/"


def _text(path: str) -> str:
    """Return the text of a path in an environment, where each byte is a letter of Latin-1."""
    return path if path.isascii() else path.encode("latin-1", "replace").decode("utf-8", "replace")


def _short_url(environ: WSGIEnvironment, redirects: Redirects) -> tuple[str, dict[str, str]]:
    """Return the route of a GET, a HEAD or, for a GS1 Digital Link, an OPTIONS, and the parts of its path.

    The route is "" for all other requests, and where a path that is not just a word begins with no known short code.
    """
    path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
    lowered = path.lower()
    if method not in ("GET", "HEAD", "OPTIONS") or lowered in OWN_PATHS or lowered.startswith("/api/"):
        return "", {}
    if _PLAIN_CODE.fullmatch(path):
        code, rest = path[1:], ""
        is_digital_link = len(code) >= SHORTEST and not redirects.knows(code) and is_compressed_key(code)
    else:
        key = "/".join(path.split("/", 3)[1:3])
        if key.partition("/")[0] in KEYS and redirects.knows(key) and is_gs1_key(key):
            return "/{gs1}", {"gs1": _as_sent(environ)}
        code, rest = redirects.split(_text(path[1:])) or ("", "")
        begins_with_key = path[1:].partition("/")[0] in KEYS
        is_digital_link = rest[:1] in ("", "/") and (is_gs1_key(code) if code else begins_with_key)
    if is_digital_link:
        return "/{gs1}", {"gs1": _as_sent(environ)}
    if method == "OPTIONS" or not code:
        return "", {}
    if rest.startswith("."):
        return "/{code}.{ext}", {"code": code, "ext": rest[1:]}
    if rest.startswith("/"):
        return "/{code}/{urlinfo}", {"code": code, "urlinfo": rest[1:]}
    return f"/{{code}}{rest}", {"code": code}


def _as_sent(environ: WSGIEnvironment) -> str:
    """Return the path of a request without its first slash, percent-encoded: a value of GS1 may have slashes."""
    path = _text(environ.get("PATH_INFO", ""))[1:]
    sent = str(environ.get("REQUEST_URI") or environ.get("RAW_URI") or "").partition("?")[0]
    base = unquote(sent).removesuffix(path)  # a base URL may have a path
    tail = sent.split("/", base.count("/"))[-1]
    return tail if unquote(tail) == path else quote(path)


def _locator(path: str | None) -> Locate:
    return Places(path) if path else nowhere


def _pattern(path: str) -> re.Pattern[str]:
    """Return what matches the paths of a route."""

    def part(found: re.Match[str]) -> str:
        return f"(?P<{found[1]}>{'.*' if found[1] in WITH_SLASHES else '[^/]+'})"

    # Atomic: to try shorter parts of a path that goes on behind them would take time by the square of its length.
    return re.compile("(?>" + re.sub(r"\\{(\w+)\\}", part, re.escape(path)) + ")", re.DOTALL)


PATTERNS = {path: _pattern(path) for path in dict.fromkeys(route.path for route in ROUTES) if path != "/{gs1}"}
"""What matches the paths of each route, in the order in which they are tried; GS1 Digital Links are found before."""
PATTERNS["/{code}"] = PATTERNS.pop("/{code}")  # last, because pictures and previews have such paths, too


def _route_of(path: str) -> tuple[str, dict[str, str]]:
    """Return the route of a path, and the parts of the path. `api` is no short code."""
    for route, pattern in PATTERNS.items():
        if (found := pattern.fullmatch(path)) and found.groupdict().get("code", "").lower() != "api":
            return route, found.groupdict()
    raise NotFound("page", path)


def _answering(service: Service, settings: Settings, route: Route) -> Answering:
    """Return the function that answers the requests of a route, and formats errors for the client."""
    known = frozenset(map(str.lower, route.sent_names))

    def answering(environ: WSGIEnvironment, path: Mapping[str, str]) -> Response:
        address, query = client_address(environ, settings), environ.get("QUERY_STRING", "")
        if "gs1" in path and environ["PATH_INFO"] != "/" + path["gs1"]:
            sent = _as_sent(environ).partition("/gs1/")[2]
            path = {"gs1": sent if "/" in sent else path["gs1"]}  # some programs quote the slashes of a parameter
        method, body = environ["REQUEST_METHOD"], partial(_body, environ)
        asked = Request(method, query, headers_of(environ), path, address, body=body)
        environ[ASKED], environ[ROUTE] = asked, route.path
        try:
            answer = unless_known(asked, _answer(service, route, asked, known))
            environ[GOES_ON] = answer.goes_on
        except QrkitError as error:
            answer = _to_response(error, asked, route, service)
        warnings = [*answer.warnings, *asked.warnings]
        joining = asked.joining | warning(warnings) if warnings else asked.joining
        return replace(answer, headers=joining | dict(answer.headers)) if joining else answer

    return answering


def _answer(service: Service, route: Route, asked: Request, known: Collection[str]) -> Response:
    if route.key == "none":
        return route.handler(Call(service, asked))
    call = called(service, asked, needs_key=route.key == "required", is_exchange=route.is_exchange)
    unknown = [name for name in call.parameters if name not in known]
    asked.warnings.extend(ignored(unknown, what="parameters"))
    if not route.is_change:
        return route.handler(call)
    with service.gates.changing.passing(call.client):
        return route.handler(call)


def _to_response(error: QrkitError, asked: Request, route: Route, service: Service) -> Response:
    """Convert an error to a format for the client: a page for a person who scans a code, JSON for a program."""
    answer = problem(error, highest=route.most_status)
    is_page = route.key == "none" and _reads_pages(asked.headers, "/" + "/".join(asked.path.values()))
    if not is_page:
        return answer
    return _as_page(error, answer, asked.headers, brand_of(service, asked.path.get("code", "")))


def _reads_pages(headers: Mapping[str, str], path: str) -> bool:
    """Whether the client is a browser, and the request is not a call of the interface."""
    return is_browser(headers) and not f"{path}/".startswith("/api/")


def _as_page(error: QrkitError, answer: Response, asked: Mapping[str, str], brand: Brand | None = None) -> Response:
    from qrkit.server.pages.landing import PAGE_HEADERS, failure  # loads Babel, which most servers never need

    headers = dict(answer.headers) | PAGE_HEADERS | {"X-Robots-Tag": "noindex, nofollow"}
    return Response(answer.status, "text/html; charset=utf-8", failure(error, asked, brand), headers)


def _body(environ: WSGIEnvironment, most: int) -> bytes:
    """Return the body of a request; one that is compressed or too long is refused before it is read."""
    coding = environ.get("HTTP_CONTENT_ENCODING", "").strip()
    if not COMPRESSED.isdisjoint(re.split(r"[\s,]+", coding.lower())):
        raise WrongMediaType(
            f"the body has the Content-Encoding {coding[:40]!r}; send it uncompressed, without the header"
        )
    length = environ.get("CONTENT_LENGTH") or "0"
    if not re.fullmatch("[0-9]{1,18}", length):
        raise BadRequest("the Content-Length is not a whole number of at most 18 digits")
    if int(length) > most:
        raise BodyTooLarge(f"the body is too long; at most {most:,} bytes are allowed")
    body = bytes(environ["wsgi.input"].read(int(length)))
    if len(body) < int(length):
        raise BadRequest("the body ends before its Content-Length")
    return body


def _head(method: str, answer: Response) -> tuple[int, list[tuple[str, str]]]:
    """Return the status and the headers of a response; its own headers replace standard ones."""
    own = {name.lower(): (name, value) for name, value in answer.headers.items()}
    if method == "OPTIONS" and answer.status == 200:
        return 204, list((PREFLIGHT | own).values())
    content = {} if answer.status == 304 else {"content-type": ("Content-Type", answer.media_type)}
    if content and not answer.goes_on:
        content["content-length"] = ("Content-Length", str(len(answer.body)))
    return answer.status, list((STANDARD | content | own).values())


def _bug(path: str) -> Response:
    """Log an unexpected error with the ID of the request. The client gets only the ID."""
    id = REQUEST_ID.get()
    _log.exception("error %s at %s", id, header_text(path))
    return problem(QrkitError(f"an internal error happened; it was logged as {id}"))
