"""One function a route: request in, response out. The rules stand where they are called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from qrkit import redirect
from qrkit.access import Quota, RequestCounter, authenticate
from qrkit.assets import Fetch, read_assets
from qrkit.errors import InvalidParameter, NotAuthenticated, NotFound, Problem
from qrkit.generate_request import GenerateRequest, Shortener, content_disposition, read_get, read_post, safe_name
from qrkit.image import QRImage
from qrkit.links import is_short_code
from qrkit.portfolio import Portfolio
from qrkit.reading import json_object, pairs
from qrkit.records import Account
from qrkit.store import Store
from qrkit.templates import Templates
from qrkit.times import Clock
from qrkit.writers import FORMATS, zip_all
from qrkit.wsgi.landing import page
from qrkit.wsgi.messages import Request, Response, header_text

__all__ = ["Service", "follow", "generate", "generate_posted"]

MOST_DESIGN_BYTES = 12 * 2**20
"""A body with all the pictures that a design may have, as data URIs."""

# Without "sandbox", which would keep `tel:` links and downloads from working.
PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
NEVER_STORED = {"Cache-Control": "private, no-store, max-age=0", "X-Robots-Tag": "noindex, nofollow"}
_BEARER = re.compile(r"Bearer +(\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Service:
    """What the handlers work with."""

    store: Store
    base_url: str
    clock: Clock
    redirects: redirect.Redirects
    shorteners: Mapping[str, Shortener] = field(default_factory=dict)
    counter: RequestCounter = field(default_factory=RequestCounter)
    fetch: Fetch | None = None


def generate(service: Service, request: Request) -> Response:
    """GET /api/v3/generate: a picture of any content (interface.md, endpoint 1)."""
    parameters = pairs(request.query)
    account = _account(service, request, parameters)
    return _generated(service, account, read_get(parameters))


def generate_posted(service: Service, request: Request) -> Response:
    """POST /api/v3/generate: a decorated picture (interface.md, endpoint 2).

    Raises:
        NotAuthenticated: There is no key.
    """
    account = _account(service, request, pairs(request.query))
    if account is None:
        raise NotAuthenticated("auth is required: an API key, as a parameter or as a Bearer token", code="missing-key")
    fields = json_object(request.body(MOST_DESIGN_BYTES))
    return _generated(service, account, read_post(fields, Templates(service.store, account.id).get))


def follow(service: Service, request: Request) -> Response:
    """GET /{code}: record the visit, then redirect or show (ruling T8).

    Raises:
        NotFound: It is no short code, or nobody has it.
    """
    code = request.path["code"]
    if not is_short_code(code):
        raise NotFound("page", "/".join(["", *request.path.values()]))
    visit = redirect.Request(request.method, code, request.headers, request.address)
    answer = service.redirects.answer(visit)
    if answer.destination.kind == "redirect":
        return Response(302, headers=NEVER_STORED | {"Location": answer.destination.link or ""})
    return Response(
        200, "text/html; charset=utf-8", page(answer), NEVER_STORED | {"Content-Security-Policy": PAGE_POLICY}
    )


def _generated(service: Service, account: Account | None, asked: GenerateRequest) -> Response:
    # What takes long happens outside of the transaction: pictures are read before it, and drawn after it.
    pictures = read_assets(asked.design.pictures, service.fetch)
    # A tracked code whose picture cannot be drawn is not kept.
    with service.store.atomic() if asked.shorten else nullcontext():
        image = QRImage(asked.shortened(_services(service, account)), pictures=pictures)
    picture = _picture(image, asked)
    headers = {"Content-Disposition": content_disposition(asked)}
    told = [f"unknown fields were ignored: {', '.join(asked.unknown)}"] if asked.unknown else []
    if told := told + image.warnings:
        headers["X-Api-Warning"] = header_text("; ".join(told))
    return Response(200, FORMATS[asked.format].media_type, picture, headers)


def _picture(image: QRImage, asked: GenerateRequest) -> bytes:
    if asked.format == "txt":
        return image.to_text(asked.style).encode()
    if asked.format == "zip":
        return zip_all.write_named(image.scene, safe_name(asked.filename, "zip").removesuffix(".zip"))
    return image.to_bytes(asked.format)


def _account(service: Service, request: Request, parameters: Mapping[str, str]) -> Account | None:
    """The account of the key, where one is given; what is left of its plan joins the response (ruling H3)."""
    key, bearer = parameters.get("auth"), _BEARER.fullmatch(request.headers.get("authorization", ""))
    if key and bearer and bearer[1] != key:
        rule = "differs from the key in the Authorization header; send one of them"
        raise InvalidParameter(Problem("auth", "(not shown)", rule, "bad-value"))
    key = key or (bearer[1] if bearer else None)
    if not key:
        return None
    moment = service.clock()
    account = authenticate(service.store, key, moment)
    try:
        service.counter.count(account, moment)
    finally:
        request.joining.update(_quota_headers(service.counter.left(account, moment)))
    return account


def _quota_headers(quota: Quota) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(quota.limit),
        "X-RateLimit-Remaining": str(quota.remaining),
        "X-RateLimit-Reset": str(quota.reset),
        "Cache-Control": "no-store",
    }


def _services(service: Service, account: Account | None) -> dict[str, Shortener]:
    """The shortening services by name; the one of this service makes a tracked QR Code (ruling G19)."""

    def track(url: str) -> str:
        if account is None:
            message = "shorten needs an API key here: the tracked QR Code belongs to its account"
            raise NotAuthenticated(message, code="missing-key")
        portfolio = Portfolio(service.store, account, base_url=service.base_url, clock=service.clock)
        return portfolio.shorten(url)

    host = urlsplit(service.base_url).netloc
    return {"local": track, host: track, **service.shorteners}
