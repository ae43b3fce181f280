"""Defines `Request`, its headers, and `Response` of the HTTP interface, and converts errors to responses."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from wsgiref.types import WSGIEnvironment

from qrkit.errors import InvalidParameter, NotAuthenticated, QrkitError, TooManyRequests, WrongMediaType, WrongMethod
from qrkit.server.statuses import outside_text, status_of

if TYPE_CHECKING:
    from qrkit.exchange.merge import ImportResult

WITHOUT_PREFIX = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}
"""Headers whose keys in an environment have no prefix (PEP 3333). Keys with it, as some servers set, are ignored."""

_log = logging.getLogger("qrkit")

JSON = "application/json; charset=utf-8"
GOES_ON = "qrkit.goes_on"
"""Key of the WSGI environment under which `Response.goes_on` is stored."""

LONGEST_HEADER_TEXT = 512
EXPOSED = (
    "X-Api-Error", "X-Api-Error-Code", "X-Api-Version", "X-Api-Warning", "X-Created", "X-RateLimit-Limit",
    "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-ID", "X-Scan-Score", "X-Skipped", "X-Updated",
    "X-Warnings", "Content-Disposition", "ETag", "Retry-After",
)  # fmt: skip
STANDARD_HEADERS = {
    "X-Api-Version": "3.0",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # No response can run or load anything, even if a file contains text from strangers.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Expose-Headers": ", ".join(EXPOSED),
}
"""Headers of every response."""
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
    "Access-Control-Max-Age": "86400",
}
"""Headers of every answer to OPTIONS."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request.

    Attributes:
        query: The query string as it was sent.
        headers: Headers by lower-case name.
        path: Variable parts of the path, by name.
        address: IP address of the client.
        joining: Headers to add to any response, including errors.
        noting: Additional fields for the access log.
        warnings: What to warn of in the response: parts of the request that the client may have meant differently.
        body: Called with the maximum number of bytes, returns the body or raises `BodyTooLarge`.
    """

    method: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    joining: dict[str, str] = field(default_factory=dict)
    noting: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    body: Callable[[int], bytes] = lambda _most: b""


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response; the standard headers are added when it is sent.

    Attributes:
        warnings: Sentences for `X-Api-Warning`, about anything that differs from what the client may expect.
        goes_on: For a body that goes on after these bytes: takes the function that sends more of it without waiting
            (`Stream.push`). A server that cannot do this ends the body.
    """

    status: int = 200
    media_type: str = "text/plain; charset=utf-8"
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    goes_on: Callable[[Callable[[bytes], bool]], None] | None = None


def is_browser(headers: Mapping[str, str]) -> bool:
    """Whether a person with a browser sent these headers, who reads pages and not JSON."""
    return "text/html" in headers.get("accept", "")


def warning(sentences: Iterable[str]) -> dict[str, str]:
    """Return the `X-Api-Warning` header, or nothing if there are no warnings."""
    text = "; ".join(sentences)
    return {"X-Api-Warning": header_text(text)} if text else {}


def tagged(answer: Response, caching: str) -> Response:
    """Return a response with an `ETag` and with the `Cache-Control` header `caching`."""
    tag = f'"{sha256(answer.body).hexdigest()[:32]}"'
    return replace(answer, headers=dict(answer.headers) | {"ETag": tag, "Cache-Control": caching})


def unless_known(asked: Request, answer: Response) -> Response:
    """Return the response, or 304 without a body if the client already has it (RFC 9110, section 13.1.2)."""
    tag = answer.headers.get("ETag")
    if answer.status != 200 or tag is None:
        return answer
    known = {one.strip().removeprefix("W/") for one in asked.headers.get("if-none-match", "").split(",")}
    if known.isdisjoint({tag, "*"}):
        return answer
    return Response(304, "", headers={name: answer.headers[name] for name in ("ETag", "Cache-Control")})


def header_text(text: str) -> str:
    """Encode a string as one header line of 1..512 printable ASCII characters.

    Control characters and line ends become spaces; `%` and all non-ASCII characters are percent-encoded as UTF-8. A
    sequence is never cut in the middle, so decoding restores the string.
    """
    line = re.sub(r"[\x00-\x1f\x7f\u2028\u2029]+", " ", text).strip() or "error"
    parts, length = [], 0
    for character in line:
        part = character
        if character == "%" or not character.isascii():
            part = "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))
        length += len(part)
        if length > LONGEST_HEADER_TEXT:
            break
        parts.append(part)
    return "".join(parts)


def import_headers(result: ImportResult) -> dict[str, str]:
    """Return the headers that count the QR Codes an import added and changed, the rows left out, and its issues."""
    changed = {"X-Created": result.created, "X-Updated": len(result.updates)}
    counts = changed | {"X-Skipped": result.skipped, "X-Warnings": len(result.issues)}
    return {name: str(count) for name, count in counts.items()}


def issues_json(result: ImportResult) -> str:
    """Convert the rows of an import that were skipped or changed to JSON."""
    names = ("campaign", "name", "content", "error")
    rows = [{name: getattr(issue, name) for name in names} for issue in result.issues]
    return json.dumps(rows, ensure_ascii=False)


def problem(error: QrkitError, *, highest: int = 599) -> Response:
    """Convert an error to RFC 9457 problem details, with its text in `X-Api-Error` and its code in `X-Api-Error-Code`.

    Messages of the store contain paths, hosts and messages of the database. They are only logged, and clients get
    another text. The status is at most `highest`; generate uses 500.
    """
    status, text = min(status_of(error), highest), outside_text(error)
    if text is None:
        text = error.told("http")
    else:
        _log.warning("a request failed: %s", error)
    body: dict[str, Any] = {
        "type": f"urn:qrkit:problem:{error.code}",
        "status": status,
        "title": HTTPStatus(status).phrase,
        "detail": text,
        "code": error.code,
    }
    if isinstance(error, InvalidParameter):
        body["errors"] = [
            {"pointer": _pointer(one.name), "reason": one.rule, "code": one.code} for one in error.problems
        ]
    headers = {"X-Api-Error": header_text(text), "X-Api-Error-Code": error.code, "Cache-Control": "no-store"}
    if isinstance(error, WrongMethod):
        headers["Allow"] = ", ".join(error.allowed)
    if isinstance(error, WrongMediaType):
        headers["Accept-Encoding"] = "identity"
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, NotAuthenticated):
        headers["WWW-Authenticate"] = 'ApiKey realm="qrkit"'
    return Response(status, "application/problem+json; charset=utf-8", json.dumps(body).encode(), headers)


def _pointer(name: str) -> str:
    """Convert a field name to a JSON pointer (RFC 6901)."""
    return "/" + name.replace("~", "~0").replace("/", "~1").replace(".", "/")


# ---- headers


def headers_of(environ: WSGIEnvironment) -> dict[str, str]:
    """Return the headers of a request by lower-case name."""
    headers = {key[5:].replace("_", "-").lower(): value for key, value in environ.items() if key[:5] == "HTTP_"}
    for name, key in WITHOUT_PREFIX.items():
        headers.pop(name, None)
        if key in environ:
            headers[name] = environ[key]
    return headers
