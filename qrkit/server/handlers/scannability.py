"""Checks whether a design or an image scans."""

from __future__ import annotations

from qrkit.errors import BadRequest, BodyTooLarge, ignored
from qrkit.pictures.generate_request import choice, read_post
from qrkit.pictures.image import QRImage
from qrkit.scanning import audience_named, level_named
from qrkit.scanning.scan_report import AUDIENCES, Audience, Level
from qrkit.scanning.untrusted import check_untrusted
from qrkit.server.handlers.generate import MOST_DESIGN_BYTES, MOST_PICTURE_BYTES
from qrkit.server.requests.parsing import json_object
from qrkit.server.requests.request import JSON, Response
from qrkit.server.service import Call

HTTP_LEVELS: tuple[Level, ...] = ("static", "quick", "standard")
"""The levels offered here; a full check takes too long to offer it to anyone."""


def check(call: Call) -> Response:
    """Check whether a design as JSON, or an image, scans.

    Raises:
        BadRequest: If the body is empty.
    """
    level = level_named(choice("level", call.parameters.get("level", "standard"), HTTP_LEVELS))
    audience = audience_named(choice("audience", call.parameters.get("audience", "phones"), AUDIENCES))
    body = call.file(MOST_PICTURE_BYTES).data
    if not body.strip():
        raise BadRequest("the body is empty; a design as JSON or the bytes of a picture are needed", code="empty-body")
    if body.lstrip()[:1] == b"{":
        return _check_design(call, body, level, audience)
    with call.service.gates.decoding.passing(call.client):
        return Response(200, JSON, check_untrusted(body, level, audience))


def _check_design(call: Call, body: bytes, level: Level, audience: Audience) -> Response:
    if len(body) > MOST_DESIGN_BYTES:
        raise BodyTooLarge(f"the body is too long; at most {MOST_DESIGN_BYTES:,} bytes are allowed for a design")
    service = call.service
    with service.gates.reading.passing(call.client):
        asked = read_post(json_object(body), call.portfolio.templates.get)
    with call.drawing(asked.design):
        image = QRImage(asked.design, fetch=service.fetch)
        report = image.check(level, audience=audience)
    return Response(200, JSON, report.to_json().encode(), warnings=[*ignored(asked.unknown), *image.warnings])
