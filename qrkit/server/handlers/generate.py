"""Generates and decodes images of QR Codes."""

from __future__ import annotations

from contextlib import nullcontext

from qrkit.contents.cards import summary
from qrkit.design.design import Design
from qrkit.design.limits import FORMAT_ALIASES
from qrkit.design.picture_files import PIXEL_FORMATS
from qrkit.drawing.writers import FORMATS
from qrkit.errors import BadRequest, NotAuthenticated, ignored
from qrkit.files import safe_name
from qrkit.pictures.generate_request import GenerateRequest, Shortener, choice, in_format, read_post
from qrkit.pictures.image import QRImage, read_pictures
from qrkit.scanning.untrusted import decode_untrusted
from qrkit.server import jobs
from qrkit.server.requests.generate_query import content_disposition, read_get
from qrkit.server.requests.parsing import json_object
from qrkit.server.requests.request import JSON, Response, tagged
from qrkit.server.requests.track_request import json_named
from qrkit.server.service import Call
from qrkit.tracking.short_urls import new_short_code

MOST_DESIGN_BYTES = 12 * 2**20
"""Maximum size of a design with its images, or of a print size with its profile, as data URIs, in a request."""
MOST_PICTURE_BYTES = 16 * 2**20
KEPT_A_DAY = "public, max-age=86400"
KEPT_AND_CHECKED = "private, no-cache"
"""With a key, each request counts against the quota, and the answer reports what is left."""


def generate(call: Call) -> Response:
    """Generate an image for any content."""
    asked = read_get(call.parameters)
    answer = _generate(call, asked)
    # G9: the same request gives the same bytes, unless it creates a short URL.
    return answer if asked.shorten else tagged(answer, KEPT_A_DAY if call.account is None else KEPT_AND_CHECKED)


def generate_decorated(call: Call) -> Response:
    """Generate a decorated image from a design as JSON."""
    body = call.body(MOST_DESIGN_BYTES)
    with call.service.gates.reading.passing(call.client):
        asked = read_post(json_object(body), call.portfolio.templates.get)
    return _generate(call, asked)


def decode_picture(call: Call) -> Response:
    """Decode the QR Code in an image."""
    name = call.parameters.get("format", "png").lower()
    choice("format", FORMAT_ALIASES.get(name, name), PIXEL_FORMATS)
    picture = call.file(MOST_PICTURE_BYTES).data
    if not picture:
        raise BadRequest("the body is empty; the bytes of a picture are needed", code="empty-body")
    with call.service.gates.decoding.passing(call.client):
        return Response(200, JSON, decode_untrusted(picture))


def _generate(call: Call, asked: GenerateRequest) -> Response:
    service, gates = call.service, call.service.gates

    def printed(design: Design) -> bytes:
        with gates.working.passing(call.client), json_named():
            return jobs.print_picture(design, pictures, asked.print_size, asked.format)

    with gates.changing.passing(call.client) if asked.shorten else nullcontext(), call.drawing(asked.design):
        # Keep slow work outside of the transaction: images are read before it and drawn after it.
        pictures = read_pictures(asked.design, service.fetch)
        if asked.shorten and asked.print_size:
            printed(asked.design)  # what cannot be printed is told before a code is tracked
        # A tracked code whose image cannot be drawn is not kept.
        with service.store.atomic() if asked.shorten else nullcontext():
            image = QRImage(in_format(asked.shortened(_services(call)), asked.format), pictures=pictures)
        picture = b"" if asked.print_size else _picture(image, asked)
        scan = image.known_scan
    if asked.print_size:
        picture = printed(image.design)
    headers = {"Content-Disposition": content_disposition(asked)}
    warnings = [*ignored(asked.unknown), *image.warnings]
    if scan:
        headers["X-Scan-Score"] = str(scan.score)
        warnings += [issue.message for issue in scan.issues if issue.severity != "note"]
    return Response(200, FORMATS[asked.format].media_type, picture, headers, warnings)


def _picture(image: QRImage, asked: GenerateRequest) -> bytes:
    if asked.format == "txt":
        return image.to_text(asked.style).encode()
    if asked.format == "zip":
        from qrkit.drawing.writers import zip_all

        return zip_all.write(image.scene, safe_name(summary(asked.filename), "zip").removesuffix(".zip"))
    return image.to_bytes(asked.format)


def _services(call: Call) -> dict[str, Shortener]:
    """Return the shortening services by name. Those of this service create a tracked QR Code."""
    changes_nothing = call.request.method == "HEAD"

    def track(url: str) -> str:
        if call.account is None:
            message = "shorten needs an API key here: the tracked QR Code belongs to its account"
            raise NotAuthenticated(message, code="missing-key")
        return f"{call.service.base_url}/{new_short_code()}" if changes_nothing else call.portfolio.shorten(url)

    # On a HEAD request, which must not change anything, `str` stands in for a shortener: the URL stays as it is.
    others = dict.fromkeys(call.service.shorteners, str) if changes_nothing else call.service.shorteners
    return {"local": track, call.service.host: track, **others}
