"""Handles requests for pages about the server itself: its home page, its documentation, and what crawlers may do."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from qrkit.errors import NotFound
from qrkit.server.handlers import short_urls
from qrkit.server.pages import landing
from qrkit.server.pages.docs import docs_page
from qrkit.server.requests.request import Response, is_browser, tagged
from qrkit.server.service import Call

__all__ = ["code_behind", "docs", "home", "robots"]

ROBOTS = b"""\
# Crawlers may follow short URLs: the answers say noindex, previews of links need them, and bots do not count as scans.
User-agent: *
Disallow:
"""
CHECKED_AGAIN = "public, no-cache"


def home(call: Call) -> Response:
    """Explain to people with a browser what this address is."""
    if not is_browser(call.request.headers):
        raise NotFound("page", "/")
    path = urlsplit(call.service.base_url).path
    return _page(landing.home(call.service.host, f"{path}/api/v3/docs", call.request.headers))


def docs(call: Call, description: bytes) -> Response:
    """Show the documentation of the interface."""
    return _page(docs_page(description))


def robots(_call: Call) -> Response:
    """Let crawlers follow short URLs."""
    return tagged(Response(200, body=ROBOTS), "public, max-age=86400")


def code_behind(call: Call, code: str) -> Response | None:
    """Follow a short URL at the address of a page, if a QR Code has it or the client is not a browser; else None."""
    if is_browser(call.request.headers) and not call.service.redirects.knows(code):
        return None
    return short_urls.follow(replace(call, request=replace(call.request, path={"code": code})))


def _page(html: bytes) -> Response:
    headers = landing.PAGE_HEADERS | {"X-Robots-Tag": "noindex, nofollow", "Vary": "Accept, Accept-Language"}
    return tagged(Response(200, "text/html; charset=utf-8", html, headers), CHECKED_AGAIN)
