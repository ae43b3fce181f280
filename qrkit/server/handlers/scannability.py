"""Whether a design or a picture scans: check."""

from __future__ import annotations

from collections.abc import Sequence

from qrkit.drawing.untrusted.assets import read_assets
from qrkit.errors import BadRequest, BodyTooLarge, InvalidParameter, Problem
from qrkit.pictures.generate_request import read_post
from qrkit.pictures.image import QRImage
from qrkit.portfolio.templates import Templates
from qrkit.scanning import check as checked
from qrkit.scanning import level_named
from qrkit.scanning.scan_report import Level, ScanReport
from qrkit.server.handlers.generate import MOST_DESIGN_BYTES, MOST_PICTURE_BYTES
from qrkit.server.messages import JSON, Response, ignored
from qrkit.server.reading import json_object
from qrkit.server.service import Call

__all__ = ["HTTP_LEVELS", "check"]

HTTP_LEVELS: tuple[Level, ...] = ("static", "quick", "standard")
"""Strangers are not given the time that a full check takes."""


def check(call: Call) -> Response:
    """Whether a design, as JSON, or a picture scans.

    Raises:
        InvalidParameter: There is no such level.
        BadRequest: The body is empty.
    """
    asked = call.parameters.get("level", "standard").lower()
    if asked not in HTTP_LEVELS:
        raise InvalidParameter(Problem("level", asked, f"must be one of {', '.join(HTTP_LEVELS)}"))
    level = level_named(asked)
    body = call.file(MOST_PICTURE_BYTES).data
    if not body.strip():
        raise BadRequest("the body is empty; a design as JSON or the bytes of a picture are needed", code="empty-body")
    if body.lstrip()[:1] == b"{":
        return _of_design(call, body, level)
    with call.service.gates.reading.passing():
        return _told(checked(body, level))


def _of_design(call: Call, body: bytes, level: Level) -> Response:
    if len(body) > MOST_DESIGN_BYTES:
        raise BodyTooLarge(f"the body is too long; at most {MOST_DESIGN_BYTES:,} bytes are taken of a design")
    gates, service = call.service.gates, call.service
    templates = Templates(service.store, call.portfolio.account.id)
    with gates.reading.passing():
        asked = read_post(json_object(body), templates.get)
    with gates.drawing.passing():
        image = QRImage(asked.design, pictures=read_assets(asked.design.pictures, service.fetch))
        return _told(image.check(level), [*ignored(asked.unknown), *image.warnings])


def _told(report: ScanReport, warnings: Sequence[str] = ()) -> Response:
    return Response(200, JSON, report.to_json().encode(), warnings=warnings)
