"""Lists the routes of the HTTP interface, one row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from qrkit.server.description.openapi import describe, sent_name
from qrkit.server.handlers import generate, gs1, measured, pages, scannability, short_urls, track, webhooks
from qrkit.server.requests.request import JSON, Response
from qrkit.server.service import Call

Handler = Callable[[Call], Response]
Key = Literal["none", "optional", "required"]
"""For `none`, the query string is not read, so a printed short URL works no matter what is appended to it."""


class Route(NamedTuple):
    """A method, a path template and a handler. Every GET route also answers HEAD.

    Parameters, bodies and replies have names in `PARAMETERS`, `BODIES` and `REPLIES` of `server.description.openapi`.

    Attributes:
        path: The path, with variable parts in braces; `urlinfo` is the rest of the path, including slashes.
        is_exchange: Whether the plan must include import and export.
        most_status: The highest status of its responses; generate uses 500.
        is_page: Whether the description leaves it out, because it is for people with a browser or for the operator.
    """

    method: str
    path: str
    handler: Handler
    key: Key = "none"
    query: tuple[str, ...] = ()
    body: str = ""
    reply: str = "nothing"
    is_exchange: bool = False
    most_status: int = 599
    is_page: bool = False

    @property
    def sent_names(self) -> tuple[str, ...]:
        """The names of its query parameters in requests, including the API key."""
        return ("auth", *map(sent_name, self.query))

    @property
    def is_change(self) -> bool:
        """Whether the handler changes records at once; an import first reads its file, and then takes its turn."""
        return self.key == "required" and self.reply in ("nothing", "made", "added")


API = "/api/v3"
GET_FIELDS = (
    "content", "format", "version", "size", "padding", "em", "ec", "foreground", "background", "shorten", "attachment",
    "filename", "style",
)  # fmt: skip


def _openapi(call: Call) -> Response:
    """Return the OpenAPI description."""
    return Response(200, JSON, describe(ROUTES, call.service.base_url))


def _docs(call: Call) -> Response:
    """Show the documentation of the interface."""
    return pages.docs(call, describe(ROUTES, call.service.base_url))


def _docs_or_code(call: Call) -> Response:
    """Show the documentation of the interface in a browser, unless a QR Code has this address."""
    return pages.code_behind(call, "docs") or _docs(call)


ROUTES: tuple[Route, ...] = (
    Route("GET", f"{API}/generate", generate.generate, "optional", GET_FIELDS, reply="picture", most_status=500),
    Route(
        "POST", f"{API}/generate", generate.generate_decorated, "required", body="design", reply="picture",
        most_status=500,
    ),
    Route("POST", f"{API}/decode", generate.decode_picture, "optional", ("picture_format",), "picture", "decoded"),
    Route("POST", f"{API}/check", scannability.check, "required", ("level", "audience"), "checked", "scan"),
    Route("GET", f"{API}/track/qrcode/{{id}}", track.get_qrcode, "required", reply="qrcode"),
    Route("POST", f"{API}/track/qrcode", track.insert_qrcode, "required", body="qrcode", reply="added"),
    Route("PUT", f"{API}/track/qrcode/{{id}}", track.update_qrcode, "required", body="changes"),
    Route("DELETE", f"{API}/track/qrcode/{{id}}", track.delete_qrcode, "required"),
    Route("GET", f"{API}/track/campaign/{{id}}", track.get_campaign, "required", reply="campaign"),
    Route("POST", f"{API}/track/campaign", track.insert_campaign, "required", body="campaign", reply="made"),
    Route("PUT", f"{API}/track/campaign/{{id}}", track.update_campaign, "required", body="campaign"),
    Route("DELETE", f"{API}/track/campaign/{{id}}", track.delete_campaign, "required", ("keep",)),
    Route(
        "GET", f"{API}/track/export.{{ext}}", track.export, "required",
        ("image_format", "sizeMm", "dpi", "names", "raw"), reply="file", is_exchange=True,
    ),
    Route(
        "POST", f"{API}/track/export.{{ext}}", track.export_for_print, "required", ("image_format", "names"), "print",
        "file", is_exchange=True,
    ),
    Route(
        "POST", f"{API}/track/import", track.import_file, "required",
        ("file_format", "columns", "sheet", "headerRow", "encoding", "updateBy"), "file", "issues", is_exchange=True,
    ),
    Route("POST", f"{API}/track/conversion", track.add_conversion, "required", body="conversion"),
    Route("GET", f"{API}/track/conversion.gif", track.conversion_pixel, is_page=True),
    Route("GET", f"{API}/track/events", track.follow_events, "required", ("kinds",), reply="stream"),
    Route("GET", f"{API}/report", pages.report, is_page=True),
    Route("GET", f"{API}/track/list", track.list_everything, "required", ("limit", "after"), reply="list"),
    Route("GET", f"{API}/track/statistics/{{id}}.{{ext}}", track.statistics, "required", reply="scans"),
    Route("GET", f"{API}/gs1/{{gs1}}", gs1.get_linkset, "required", reply="linkset"),
    Route("PUT", f"{API}/gs1/{{gs1}}", gs1.set_linkset, "required", body="linkset", reply="set"),
    Route("DELETE", f"{API}/gs1/{{gs1}}", gs1.delete_linkset, "required"),
    Route("GET", f"{API}/webhooks", webhooks.list_webhooks, "required", reply="webhooks"),
    Route("POST", f"{API}/webhooks", webhooks.add_webhook, "required", body="webhook", reply="webhook"),
    Route("DELETE", f"{API}/webhooks/{{id}}", webhooks.remove_webhook, "required"),
    Route("POST", f"{API}/webhooks/{{id}}/test", webhooks.test_webhook, "required", reply="attempt"),
    Route("GET", f"{API}/webhooks/{{id}}/log", webhooks.webhook_log, "required", reply="attempts"),
    Route("POST", f"{API}/webhooks/{{id}}/replay", webhooks.replay_webhook, "required", reply="replayed"),
    Route("GET", f"{API}/openapi.json", _openapi, reply="description"),
    Route("GET", f"{API}/health", measured.health, reply="health"),
    Route("GET", f"{API}/health/live", measured.live, reply="live"),
    Route("GET", f"{API}/metrics", measured.metrics, is_page=True),
    Route("GET", f"{API}/docs", _docs, is_page=True),
    Route("GET", "/docs", _docs_or_code, is_page=True),
    Route("GET", "/", pages.home, is_page=True),
    Route("GET", "/robots.txt", pages.robots, is_page=True),
    Route("GET", "/.well-known/gs1resolver", gs1.describe, is_page=True),
    Route("GET", "/{gs1}", gs1.resolve, is_page=True),
    Route("GET", "/{code}", short_urls.follow, reply="landing"),
    Route("GET", "/{code}.{ext}", short_urls.picture, reply="picture"),
    Route("GET", "/{code}+", short_urls.look, reply="page"),
    Route("GET", "/{code}/{urlinfo}", short_urls.follow, reply="landing"),
    Route("POST", "/{code}", short_urls.unlock, is_page=True),
    Route("POST", "/{code}/{urlinfo}", short_urls.unlock, is_page=True),
)  # fmt: skip
