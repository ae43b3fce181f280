"""Handles the track operations: QR Codes and campaigns, lists, statistics, import and export."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from qrkit.errors import InvalidParameter, NotFound, Problem, QrkitError, check_whole, ignored
from qrkit.exchange import EXPORT_FORMATS, IMAGE_FORMATS, IN_SIZE
from qrkit.exchange.scan_file import SCAN_FORMATS
from qrkit.pictures.generate_request import choice, print_json
from qrkit.pictures.printing import PrintSize
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import is_valid
from qrkit.portfolio.exporting import list_json
from qrkit.server import jobs
from qrkit.server.handlers.generate import MOST_DESIGN_BYTES
from qrkit.server.operation.event_streams import Stream
from qrkit.server.requests.bodies import PLACING
from qrkit.server.requests.parsing import flag, plain_id, print_size, whole
from qrkit.server.requests.request import JSON, Response
from qrkit.server.requests.track_request import (
    Fields,
    json_named,
    named_as_sent,
    read_campaign,
    read_changes,
    read_qrcode,
)
from qrkit.server.service import NO_PLACES, Call, called
from qrkit.store.questions.conversions import keep_conversion
from qrkit.store.questions.following import begin_stream
from qrkit.tracking.conversion import Conversion, number_in
from qrkit.tracking.records import Campaign, QRCode
from qrkit.tracking.redirect_rules import needs_places
from qrkit.tracking.webhook import EventFilter
from qrkit.visits.redirect import nowhere

MOST_RECORD_BYTES = 4 * 2**20
"""Maximum size of one record: room for a hundred scheduled contents and all its text."""
MOST_FILE_BYTES = 16 * 2**20
MOST_A_PAGE = 1_000
PIXEL_FIELDS = ("clickId", "id", "name", "value", "currency")
_GIF = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
_PIXEL_HEADERS = {"Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "cross-origin"}
EVENT_DIGITS = 18
RETRY = b"retry: 1000\n\n"
"""Milliseconds after which a client asks again if the stream ends."""
_STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
ANSWERED = ("id", "created", "shortUrl", "imageUrl")
"""Fields of a new record that the client learns. Campaigns have no URLs, nor have QR Codes that the plan hides."""


def get_qrcode(call: Call) -> Response:
    """Return the record of a QR Code."""
    return Response(200, JSON, call.portfolio.get_qrcode(call.id).to_json().encode())


def insert_qrcode(call: Call) -> Response:
    """Add a tracked QR Code."""
    fields = call.json(MOST_RECORD_BYTES)
    with named_as_sent(fields):
        asked = read_qrcode(fields)
        _warn_of_places(call, asked)
        return _insert(asked, call.portfolio.insert_qrcode)


def update_qrcode(call: Call) -> Response:
    """Change a QR Code; fields that are absent or null stay as they are."""
    fields = call.json(MOST_RECORD_BYTES)
    with named_as_sent(fields), json_named():
        asked = read_changes(fields)
        code = call.portfolio.update_qrcode(call.id, **asked.values)
    _warn_of_places(call, asked)
    if (fields.get("shortCode") or fields.get("customSlug")) not in (None, "", code.short_code):
        call.request.warnings.append("shortCode was ignored; it cannot change, because the code may be printed")
    return _done(asked.unknown)


def delete_qrcode(call: Call) -> Response:
    """Delete a QR Code; its short URL answers 410 from then on."""
    call.portfolio.delete_qrcode(call.id)
    return _done()


def get_campaign(call: Call) -> Response:
    """Return the record of a campaign."""
    return Response(200, JSON, call.portfolio.get_campaign(call.id).to_json().encode())


def insert_campaign(call: Call) -> Response:
    """Add a campaign."""
    asked = read_campaign(call.json(MOST_RECORD_BYTES))
    _warn_of_places(call, asked)
    return _insert(asked, call.portfolio.insert_campaign)


def update_campaign(call: Call) -> Response:
    """Change the name, the description, the template and the rules of a campaign."""
    asked = read_campaign(call.json(MOST_RECORD_BYTES))
    _warn_of_places(call, asked)
    call.portfolio.update_campaign(call.id, **asked.values)
    return _done(asked.unknown)


def delete_campaign(call: Call) -> Response:
    """Delete a campaign, and its QR Codes unless they are kept."""
    call.portfolio.delete_campaign(call.id, keep=flag(call.parameters.get("keep", "false"), "keep"))
    return _done()


def add_conversion(call: Call) -> Response:
    """Add what came of a scan, such as an order. The same ID again changes nothing."""
    known, unknown = Conversion.known(call.json(MOST_RECORD_BYTES))
    with json_named():
        call.portfolio.conversions.record(Conversion(**known))
    return _done(unknown)


def conversion_pixel(call: Call) -> Response:
    """Add a conversion that a page reports; the answer is always a transparent picture, whatever was sent."""
    with suppress(QrkitError, ValueError):
        asked = called(call.service, call.request, needs_key=False, is_exchange=False).parameters
        given: dict[str, Any] = {name: value for name in PIXEL_FIELDS if (value := asked.get(name.lower()))}
        if call.request.method == "GET" and "clickId" in given:
            given |= {"value": number_in(given["value"])} if "value" in given else {}
            keep_conversion(call.service.store, Conversion(**given), call.service.clock())
    return Response(200, "image/gif", _GIF, _PIXEL_HEADERS)


def follow_events(call: Call) -> Response:
    """Stream events as they come, as server-sent events.

    Each is a CloudEvent. With `Last-Event-ID`, the stream begins behind that event, within a day.
    """
    store, clock, account = call.service.store, call.service.clock, call.portfolio.account
    wanted = EventFilter(kinds=tuple(filter(None, call.parameters.get("kinds", "").split(","))))
    last = call.request.headers.get("last-event-id", "")
    position = begin_stream(store, account.id, clock())
    if last:
        position = whole(last, "Last-Event-ID", EVENT_DIGITS)
    key = call.request.noting["key"]

    def is_allowed() -> bool:
        return is_valid(store, account, key, clock())

    def go_on(push: Callable[[bytes], bool]) -> None:
        call.service.deliveries.streams.append(Stream(account.id, wanted, position, is_allowed, push))

    return Response(200, "text/event-stream", RETRY, _STREAM_HEADERS, goes_on=go_on)


def list_everything(call: Call) -> Response:
    """List all campaigns and QR Codes, or one page of them.

    The QR Codes are listed without properties, location and schedule. A page has at most `limit` QR Codes, in the order
    in which they were added. `next` is the `after` of the next page; the last page has none. The campaigns are on the
    first page.
    """
    asked, gates = call.parameters, call.service.gates
    if asked.keys() & {"limit", "after"}:
        with gates.drawing.passing(call.client):
            return _page(call.portfolio, whole(asked.get("limit", str(MOST_A_PAGE)), "limit"), asked.get("after"))
    with gates.working.passing(call.client):
        return Response(200, JSON, jobs.list_everything(call.portfolio))


def statistics(call: Call) -> Response:
    """Return one record per scan of a QR Code, or of all QR Codes of a campaign."""
    ext = call.request.path["ext"].lower()
    if ext not in SCAN_FORMATS:
        raise NotFound("statistics in the format", ext, hint=f"the formats are {', '.join(SCAN_FORMATS)}")
    scans = call.portfolio.scans_of(call.id)
    with call.service.gates.working.passing(call.client):
        file = jobs.statistics(scans, ext)
    return Response(200, SCAN_FORMATS[ext].media_type, file, _attachment(f"statistics.{ext}") if ext != "json" else {})


def export(call: Call) -> Response:
    """Export all campaigns and QR Codes as a file."""
    size = print_size(call.parameters)
    return _export(call, EXPORT_FORMATS, size.to_json() if size else "")


def export_for_print(call: Call) -> Response:
    """Export the pictures of all QR Codes for a print shop.

    A zip or a PDF, in a size on paper, with bleed, and in the colors of the press whose profile is sent.
    """
    with call.service.gates.reading.passing(call.client):
        known, unknown = PrintSize.known(call.json(MOST_DESIGN_BYTES))
    call.request.warnings.extend(ignored(unknown))
    return _export(call, IN_SIZE, print_json(known))


def _export(call: Call, formats: Collection[str], size: str) -> Response:
    ext, asked = call.request.path["ext"].lower(), call.parameters
    if ext not in formats:
        hint = f"the formats are {', '.join(formats)}"
        raise NotFound("export in the format", ext, code="unknown-export-format", hint=hint)
    if "format" in asked and ext != "zip":
        raise InvalidParameter(Problem("format", asked["format"], "is allowed only for zip"))
    image_format = choice("format", asked.get("format", "png"), IMAGE_FORMATS)
    safe, names = not flag(asked.get("raw", "false"), "raw"), asked.get("names", "")
    if size and ext not in IN_SIZE:
        call.request.warnings.append("the size on paper was ignored; it is for zip and pdf")
    if names and ext != "zip":
        call.request.warnings.append("names was ignored; it is for zip")
    with call.service.gates.working.passing(call.client), json_named():
        file = jobs.export(call.portfolio, ext, image_format=image_format, size=size, names=names, safe=safe)
    return Response(200, EXPORT_FORMATS[ext].media_type, file, _attachment(f"portfolio.{ext}"))


def import_file(call: Call) -> Response:
    """Import the QR Codes of a file.

    The reply lists the rows that were skipped or changed, and the headers count them.
    """
    body, content_type = call.request.body(MOST_FILE_BYTES), call.request.headers.get("content-type", "")
    asked = {name: call.parameters.get(name.lower(), "") for name in ("format", "updateBy", *PLACING)}
    kind, update_by = asked.pop("format"), asked.pop("updateBy")
    gates, client = call.service.gates, call.client
    with gates.working.passing(client):
        turn = partial(gates.changing.passing, client)
        headers, issues = jobs.import_file(
            call.portfolio, body, content_type, kind, asked, update_by=update_by, turn=turn
        )
    return Response(200, JSON, issues, headers)


def _warn_of_places(call: Call, asked: Fields) -> None:
    """Warn if rules ask where a visitor is, and this server cannot know."""
    if needs_places(asked.values.get("rules") or ()) and call.service.redirects.locate is nowhere:
        call.request.warnings.append(f"rules ask where a visitor is, but {NO_PLACES}")


def _page(portfolio: Portfolio, limit: int, after: str | None) -> Response:
    check_whole("limit", limit, 1, MOST_A_PAGE)
    found = portfolio.list_qrcodes(after=plain_id(after) if after else None, limit=limit + 1)
    page = found[:limit]
    following = page[-1].id if len(found) > limit else ""
    campaigns = [] if after else portfolio.list_campaigns()
    return Response(200, JSON, list_json(campaigns, page, following=following).encode())


def _insert(asked: Fields, insert: Callable[..., QRCode | Campaign]) -> Response:
    with json_named():
        created = insert(**asked.values)
    record = json.loads(created.to_json())
    shown = {name: record[name] for name in ANSWERED if name in record}
    return Response(200, JSON, json.dumps(shown).encode(), warnings=ignored(asked.unknown))


def _done(unknown: Sequence[str] = ()) -> Response:
    """Return an empty success response."""
    return Response(warnings=ignored(unknown))


def _attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
