"""Handles requests for pages about the server itself: its home page, its documentation, and what crawlers may do."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from qrkit.errors import NotFound
from qrkit.server.handlers import short_urls
from qrkit.server.pages.docs import docs_page
from qrkit.server.requests.request import Response, is_browser, tagged
from qrkit.server.service import Call, called
from qrkit.store.records.report_links import linked_report

ROBOTS = b"""\
# Crawlers may follow short URLs: the answers say noindex, previews of links need them, and bots do not count as scans.
User-agent: *
Disallow:
"""
REPORT_HEADERS = short_urls.NEVER_STORED | {
    # The page allows its own script alone; the sandbox keeps it apart from everything else at this address.
    "Content-Security-Policy": "sandbox allow-scripts allow-downloads allow-modals allow-popups"
}
CHECKED_AGAIN = "public, no-cache"


def home(call: Call) -> Response:
    """Explain to people with a browser what this address is."""
    if not is_browser(call.request.headers):
        raise NotFound("page", "/")
    from qrkit.server.pages import landing

    path = urlsplit(call.service.base_url).path
    return _page(landing.home(call.service.host, f"{path}/api/v3/docs", call.request.headers))


def docs(call: Call, description: bytes) -> Response:
    """Show the documentation of the interface."""
    return _page(docs_page(description))


def report(call: Call) -> Response:
    """Show a report to people who have its link, until that expires."""
    asked = called(call.service, call.request, needs_key=False, is_exchange=False).parameters
    page = linked_report(call.service.store, asked.get("token", ""), call.service.clock())
    if page is None:
        raise NotFound("page", "/api/v3/report", hint="the link has expired, or is not complete")
    return Response(200, short_urls.HTML, page.encode(), REPORT_HEADERS)


def robots(_call: Call) -> Response:
    """Let crawlers follow short URLs."""
    return tagged(Response(200, body=ROBOTS), "public, max-age=86400")


def code_behind(call: Call, code: str) -> Response | None:
    """Follow a short URL at the address of a page, if a QR Code has it or the client is not a browser; else None."""
    if is_browser(call.request.headers) and not call.service.redirects.knows(code):
        return None
    return short_urls.follow(replace(call, request=replace(call.request, path={"code": code})))


def _page(html: bytes) -> Response:
    from qrkit.server.pages import landing

    headers = landing.PAGE_HEADERS | {"X-Robots-Tag": "noindex, nofollow", "Vary": "Accept, Accept-Language"}
    return tagged(Response(200, "text/html; charset=utf-8", html, headers), CHECKED_AGAIN)
