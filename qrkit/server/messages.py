"""`Request` and `Response` of the HTTP interface, and errors as responses (rulings H1, H3)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from qrkit.errors import InvalidParameter, NotAuthenticated, QrkitError, TooManyRequests, WrongMethod

__all__ = [
    "JSON",
    "PREFLIGHT_HEADERS",
    "STANDARD_HEADERS",
    "Request",
    "Response",
    "header_text",
    "ignored",
    "problem",
    "tagged",
    "unless_known",
    "warning",
]

JSON = "application/json; charset=utf-8"

LONGEST_HEADER_TEXT = 512
EXPOSED = (
    "X-Api-Error",
    "X-Api-Error-Code",
    "X-Api-Version",
    "X-Api-Warning",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-Scan-Score",
    "Content-Disposition",
    "ETag",
    "Retry-After",
)
STANDARD_HEADERS = {
    "X-Api-Version": "3.0",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Whatever is served cannot run or load anything, even where a file holds a stranger's text.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Expose-Headers": ", ".join(EXPOSED),
}
"""On every response."""
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
    "Access-Control-Max-Age": "86400",
}
"""On every answer to OPTIONS."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request.

    Attributes:
        method: GET, POST, …
        query: The query string as it was sent.
        headers: By lower-case name.
        path: Variable parts of the path, by name.
        address: Of the client.
        joining: Headers that join the response, be it an answer or an error.
        noting: What the access log says of it beside what every request has.
        warnings: What of it was not read as the client may think: joins the response, too.
        body: What was sent with it: called with the most bytes that are taken, it gives them or raises `BodyTooLarge`.
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
    """An HTTP response; the standard headers join when it is sent.

    Attributes:
        status: Of HTTP.
        media_type: For `Content-Type`.
        body: As it is sent.
        headers: By name.
        warnings: Sentences on what is not as the client may think, for `X-Api-Warning`.
    """

    status: int = 200
    media_type: str = "text/plain; charset=utf-8"
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()


def ignored(unknown: Iterable[str]) -> list[str]:
    """The sentence that names fields that were sent and are not known, if there are any (ruling H2)."""
    return [f"unknown fields were ignored: {', '.join(names)}"] if (names := list(unknown)) else []


def warning(sentences: Iterable[str]) -> dict[str, str]:
    """The header that tells what is not as the client may think, if anything is."""
    text = "; ".join(sentences)
    return {"X-Api-Warning": header_text(text)} if text else {}


def tagged(answer: Response, caching: str) -> Response:
    """An answer that browsers and proxies may keep as `Cache-Control` says, and ask for by its `ETag` later."""
    tag = f'"{sha256(answer.body).hexdigest()[:32]}"'
    return replace(answer, headers=dict(answer.headers) | {"ETag": tag, "Cache-Control": caching})


def unless_known(asked: Request, answer: Response) -> Response:
    """The answer, or 304 without a body where the client says that it has it (RFC 9110, section 13.1.2)."""
    tag, known = answer.headers.get("ETag"), asked.headers.get("if-none-match", "")
    tags = {one.strip().removeprefix("W/") for one in known.split(",")}
    if answer.status != 200 or tag is None or tags.isdisjoint({tag, "*"}):
        return answer
    return Response(304, "", headers={name: answer.headers[name] for name in ("ETag", "Cache-Control")})


def header_text(text: str) -> str:
    """A text as one header line of 1..512 printable ASCII characters (ruling H3).

    Control characters and line ends become spaces; `%` and everything beyond ASCII is percent-encoded as UTF-8, never
    cut inside a sequence, so that decoding gives the text back.
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


def problem(error: QrkitError, *, highest: int = 599) -> Response:
    """An error as RFC 9457 problem details, with its text in `X-Api-Error` and its word in `X-Api-Error-Code`.

    Args:
        error: What went wrong.
        highest: The status it has at most: generate promises no more than 500 (ruling H4).
    """
    status, text = min(error.status, highest), error.told("http")
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
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, NotAuthenticated):
        headers["WWW-Authenticate"] = 'ApiKey realm="qrkit"'
    return Response(status, "application/problem+json; charset=utf-8", json.dumps(body).encode(), headers)


def _pointer(name: str) -> str:
    """A field as a JSON pointer (RFC 6901)."""
    return "/" + name.replace("~", "~0").replace("/", "~1").replace(".", "/")
