"""The WSGI app: Falcon finds the route, a handler answers, and every answer keeps the contract of ruling H3."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import falcon

from qrkit.assets import Fetch
from qrkit.errors import BadRequest, BodyTooLarge, NotFound, QrkitError, WrongMethod
from qrkit.generate_request import Shortener
from qrkit.links import base_url_of
from qrkit.portfolio import kept_base_url
from qrkit.redirect import Locate, Redirects, nowhere
from qrkit.store import Store
from qrkit.times import Clock, now
from qrkit.wsgi.handlers import Service
from qrkit.wsgi.messages import STANDARD_HEADERS, Request, Response, header_text, problem
from qrkit.wsgi.routes import ROUTES, Handler

__all__ = ["make_app"]

_log = logging.getLogger("qrkit")

Responder = Callable[..., None]


def make_app(  # noqa: PLR0913 - what an operator decides, each by its name
    store: Store,
    *,
    base_url: str | None = None,
    clock: Clock = now,
    locate: Locate | None = None,
    shorteners: Mapping[str, Shortener] | None = None,
    fetch: Fetch | None = None,
    strict: bool = False,
) -> WSGIApplication:
    """Make the WSGI app of a store.

    Args:
        store: Where QR Codes are and visits go.
        base_url: What short URLs begin with, by default what the store keeps; never taken from a request.
        clock: What time it is.
        locate: Where an address is: address in, `Place` out; without it nobody knows.
        shorteners: Further shortening services by name, each a callable URL -> short URL (ruling G19).
        fetch: What reads pictures that designs name by their URL, `Fetcher(allow=("img.example.com",))`; without it,
            none is read (ruling G20).
        strict: Whether a redirect whose visit is not durable in two seconds is answered by 503; else it happens
            (ruling T11).

    Raises:
        InvalidParameter: `base_url` is no http or https URL.
    """
    redirects = Redirects(store, clock=clock, locate=locate or nowhere, strict=strict)
    url = base_url_of(base_url) if base_url else kept_base_url(store)
    service = Service(store, url, clock, redirects, shorteners or {}, fetch=fetch)
    app = falcon.App()
    app.add_error_handler(Exception, _on_bug)
    app.add_error_handler(falcon.HTTPError, _on_http_error)
    app.add_error_handler(QrkitError, _on_error)
    for path in dict.fromkeys(route.path for route in ROUTES):
        responders = {route.method: route.handler for route in ROUTES if route.path == path}
        app.add_route(path, _resource(service, responders))
    return _guarded(app)


def _resource(service: Service, handlers: Mapping[str, Handler]) -> Any:
    """What Falcon asks for: an object with a method `on_get` for GET, and so on."""
    resource = type("Resource", (), {})()
    for method, handler in handlers.items():
        setattr(resource, f"on_{method.lower()}", _responder(service, handler))
        if method == "GET":
            resource.on_head = resource.on_get
    return resource


def _responder(service: Service, handler: Handler) -> Responder:
    def respond(request: falcon.Request, response: falcon.Response, **path: str) -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = Request(
            request.method, request.query_string, headers, path, request.remote_addr, body=partial(_body, request)
        )
        try:
            _fill(response, handler(service, asked))
        finally:
            response.set_headers(asked.joining)

    return respond


def _body(request: falcon.Request, most: int) -> bytes:
    """The body of a request; a longer one is refused before it is read."""
    too_long = BodyTooLarge(f"the body is too long; at most {most:,} bytes are taken")
    if (request.content_length or 0) > most:
        raise too_long
    found = bytes(request.bounded_stream.read(most + 1))
    if len(found) > most:
        raise too_long
    return found


def _fill(response: falcon.Response, answer: Response) -> None:
    response.status = falcon.code_to_http_status(answer.status)
    response.content_type = answer.media_type
    response.data = answer.body
    for name, value in answer.headers.items():
        response.set_header(name, value)


def _on_error(_request: falcon.Request, response: falcon.Response, error: QrkitError, _path: Any) -> None:
    _fill(response, problem(error))


def _on_http_error(request: falcon.Request, response: falcon.Response, error: falcon.HTTPError, _path: Any) -> None:
    """What Falcon itself refuses, in the same form as everything else."""
    if isinstance(error, falcon.HTTPMethodNotAllowed):
        allowed = str(dict(error.headers or {}).get("Allow", "GET")).split(", ")
        _fill(response, problem(WrongMethod(request.method, allowed)))
    elif error.status_code == 404:
        _fill(response, problem(NotFound("page", request.path)))
    else:
        _fill(response, problem(BadRequest(error.description or error.title)))


def _on_bug(request: falcon.Request, response: falcon.Response, _error: Exception, _path: Any) -> None:
    _fill(response, _bug(request.path))


def _bug(path: str) -> Response:
    """An unforeseen error: logged with an id, which is all that is told outside (ruling H4)."""
    id = secrets.token_hex(4)
    _log.exception("error %s at %s", id, header_text(path))
    return problem(QrkitError(f"an internal error happened; it was logged as {id}"))


def _guarded(app: Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]) -> WSGIApplication:
    """The outermost layer: standard headers on every response, and an answer even where Falcon itself fails."""

    def guarded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            given = {name.lower() for name, _ in headers}
            standard = [(name, value) for name, value in STANDARD_HEADERS.items() if name.lower() not in given]
            return start_response(status, headers + standard, exc_info)

        try:
            return app(environ, start)
        except Exception:
            answer = _bug(environ.get("PATH_INFO", ""))
            headers = [("Content-Type", answer.media_type), *answer.headers.items()]
            start(falcon.code_to_http_status(answer.status), headers)
            return [answer.body]

    return guarded
