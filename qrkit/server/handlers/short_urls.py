"""Handles short URLs: follows them, shows the image of their code, or previews where they lead."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, quote, urlsplit

from qrkit.contents.calendar_files import calendar_file
from qrkit.contents.cards import card
from qrkit.contents.contacts import vcard_of
from qrkit.contents.gs1_paths import is_gs1_key
from qrkit.design.brand import Brand
from qrkit.errors import BadRequest, LeadsNowhere, NotFound, QrkitError, WrongMethod
from qrkit.pictures.generate_request import in_format
from qrkit.pictures.image import QRImage
from qrkit.portfolio.brands import brand_behind
from qrkit.portfolio.portfolio import design_behind
from qrkit.server.clients import unlocking
from qrkit.server.clients.shares import Client, network_of
from qrkit.server.requests.request import Response, tagged
from qrkit.server.service import Call, Service
from qrkit.server.statuses import status_of
from qrkit.tracking import passwords
from qrkit.tracking.short_urls import is_short_code, short_url
from qrkit.visits import redirect

NEVER_STORED = {"Cache-Control": "private, no-store, max-age=0", "X-Robots-Tag": "noindex, nofollow"}
RAW = "raw=1"
MOST_OF_FORM = 4_096
MOST_FIELDS = 10
"""Bytes and fields of a form with a password."""
KEPT_AWHILE = "public, max-age=300"
HTML = "text/html; charset=utf-8"
MEDIA_TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}


def follow(call: Call) -> Response:
    """Record the visit, then redirect to the content or show it."""
    request, code = call.request, _code(call)
    if _wants_raw(call):
        return _raw(_looked(call, code))
    visit = redirect.Request(request.method, code, request.headers, request.address, request.query)
    service, redirects = call.service, call.service.redirects
    answer = redirects.answer(visit)
    if answer.asks_password:
        if not unlocking.is_let_in(service.store, code, answer.asks_password, request.headers):
            return asking(call, code)
        answer = redirects.answer(replace(visit, is_let_in=True))
    if answer.destination.kind == "redirect":
        headers = {"Location": answer.destination.link or ""} | _cookie(call, code, answer.cookie)
        return Response(302, headers=service.redirect_headers | headers)
    return shown(call, code, answer)


def shown(call: Call, code: str, answer: redirect.Answer) -> Response:
    """Return the page that shows a content."""
    from qrkit.server.pages.landing import page

    found = _page(page(answer, brand_of(call.service, code), call.request.headers))
    return replace(found, headers={**found.headers, **_cookie(call, code, answer.cookie)})


def _cookie(call: Call, code: str, cookie: str) -> dict[str, str]:
    return {"Set-Cookie": unlocking.for_code(cookie, code, call.service.base_url)} if cookie else {}


def unlock(call: Call) -> Response:
    """Check the password of a QR Code that a visitor has sent; lead on if it is right, else ask again.

    Raises:
        TooManyRequests: If an address tries more than five passwords of a code in a minute.
        WrongMethod: If the QR Code asks for no password.
    """
    request, service, redirects = call.request, call.service, call.service.redirects
    path = "/".join(request.path.values())
    code, _ = redirects.split(path) or (_code(call), "")
    hash = redirects.look(code, request.address).asks_password if redirects.knows(code) else ""
    if not hash:
        raise WrongMethod(request.method, ["GET", "HEAD", "OPTIONS"])
    password = _password_in(request.body(MOST_OF_FORM))
    network = network_of(request.address)
    service.gates.passwords.take(f"{network} {code}")
    with service.gates.plain.passing(Client(network)):
        is_right = passwords.is_right(hash, password)
    if not is_right:
        return asking(call, code, is_wrong=True)
    base = urlsplit(service.base_url).path.rstrip("/")
    headers = {"Location": f"{base}/{quote(path)}" + (f"?{request.query}" if request.query else "")}
    headers["Set-Cookie"] = unlocking.cookie(service.store, code, hash, service.base_url)
    return Response(303, headers=NEVER_STORED | headers)


def _password_in(form: bytes) -> str:
    try:
        fields = parse_qs(form.decode("utf-8", "replace"), max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise BadRequest(f"the form has more than {MOST_FIELDS} fields") from error
    return fields.get("password", [""])[0]


def look(call: Call) -> Response:
    """Show where a short URL leads, without following it and without counting a visit."""
    from qrkit.server.pages.landing import failure, preview

    code = _code(call)
    try:
        answer = _looked(call, code)
    except LeadsNowhere as error:
        html = failure(error, call.request.headers, brand_of(call.service, code), why=error.reason)
        return replace(_page(html), status=status_of(error))
    if answer.asks_password:
        return asking(call, code)
    if _wants_raw(call):
        return _raw(answer)
    url = short_url(call.service.base_url, code)
    return _page(preview(url, answer, brand_of(call.service, code), call.request.headers))


def picture(call: Call) -> Response:
    """Return the image of a tracked QR Code."""
    code, ext = call.request.path["code"], call.request.path["ext"].lower()
    if ext not in MEDIA_TYPES:
        path = f"{code}.{ext}"
        if path != "favicon.ico":  # which browsers ask for without being told
            call.service.redirects.refuse(call.request.address)
        raise NotFound("page", f"/{path}")
    call.service.redirects.check(code, call.request.address)
    account, design = design_behind(call.service.store, code, base_url=call.service.base_url)
    # A slow design counts against the account that created it, no matter who requests the picture.
    with call.drawing(design, Client(f"pictures of {account.id}")):
        data = QRImage(in_format(design, ext)).to_bytes(ext)
    return tagged(Response(200, MEDIA_TYPES[ext], data, {"X-Robots-Tag": "noindex, nofollow"}), KEPT_AWHILE)


def _looked(call: Call, code: str) -> redirect.Answer:
    request = call.request
    return call.service.redirects.look(code, request.address, headers=request.headers, query=request.query)


def asking(call: Call, code: str, *, is_wrong: bool = False) -> Response:
    """Return the page that asks for the password of a QR Code."""
    from qrkit.server.pages.landing import FORM_HEADERS, password_page

    html = password_page(call.request.headers, brand_of(call.service, code), is_wrong=is_wrong)
    return Response(403 if is_wrong else 200, HTML, html, NEVER_STORED | FORM_HEADERS)


def _code(call: Call) -> str:
    """Return the short code in the path."""
    code = call.request.path["code"]
    if not is_short_code(code) and not is_gs1_key(code):
        raise NotFound("page", "/".join(["", *call.request.path.values()]))
    return code


def brand_of(service: Service, code: str) -> Brand | None:
    """Return the brand of a page about a short code; None if there is none, or if the store cannot be asked now."""
    try:
        return brand_behind(service.store, code) if service.redirects.knows(code) else None
    except QrkitError:
        return None


def _wants_raw(call: Call) -> bool:
    """Whether the content itself is requested, as the pages do to save contacts and events."""
    return RAW in call.request.query.split("&")


def _page(html: bytes) -> Response:
    from qrkit.server.pages.landing import PAGE_HEADERS

    return Response(200, HTML, html, NEVER_STORED | PAGE_HEADERS)


def _raw(answer: redirect.Answer) -> Response:
    """Return the content: a contact or an event as a file to save, anything else as text."""
    if answer.asks_password or card(answer.content).is_secret:
        raise NotFound("page", f"?{RAW}")
    name, media_type = answer.destination.download or ("", "text/plain")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'} if name else {}
    file = vcard_of(answer.content) or calendar_file(answer.content)
    return Response(200, f"{media_type}; charset=utf-8", file.encode(), NEVER_STORED | headers)
