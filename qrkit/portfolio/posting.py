"""Sends requests to receivers of events: to addresses that were checked, in a limited time, and nowhere else.

A receiver is a URL from a stranger, as an image is (`drawing.untrusted.fetching`): its host is resolved once, and the
connection uses one of the addresses that were checked. Redirects are not followed.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Mapping
from functools import cache
from http.client import HTTPException, HTTPResponse
from time import monotonic
from urllib.parse import SplitResult, urlsplit

from qrkit.drawing.untrusted.fetching import MOST_ADDRESSES, Source, is_public, request_head, resolved, target_of

SECONDS = 10.0
"""How long a request may take in all."""
CONNECT_SECONDS = 3.0


class Unreachable(Exception):
    """The reason why a receiver gave no answer."""


def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool) -> int:
    """Send a POST request and return the status of the answer; raise Unreachable if there is none.

    With `private`, the URL may be http, and may lead to an address that is not public.
    """
    end = monotonic() + SECONDS

    def left() -> float:
        if (seconds := end - monotonic()) <= 0:
            raise TimeoutError
        return seconds

    try:
        parts = urlsplit(url)
        own = {"Host": parts.netloc, "Content-Length": str(len(body))}
        waiting = memoryview(request_head("POST", target_of(parts), {**own, **headers}) + body)
        with _connection(parts, left, private=private) as connection:
            while waiting:  # not `sendall`, whose time limit begins anew with each part that TLS sends
                connection.settimeout(left())
                waiting = waiting[connection.send(waiting) :]
            with HTTPResponse(Source(connection, left), method="POST") as response:  # type: ignore[arg-type]  # it only calls makefile
                response.begin()
                return response.status
    except TimeoutError as error:
        raise Unreachable(f"no answer within {SECONDS:g} s") from error
    except (OSError, HTTPException, ValueError) as error:
        raise Unreachable(str(error) or type(error).__name__) from error


def _connection(parts: SplitResult, left: Callable[[], float], *, private: bool) -> socket.socket:
    host, is_plain = parts.hostname or "", parts.scheme == "http"
    addresses = resolved(host, min(CONNECT_SECONDS, left()))
    if not private and (is_plain or not all(map(is_public, addresses))):
        raise Unreachable(f"{host} is not public, or the URL is not https; only a private webhook sends there")
    for address in addresses[:MOST_ADDRESSES]:
        seconds = min(CONNECT_SECONDS, left())
        try:
            plain = socket.create_connection((address, parts.port or (80 if is_plain else 443)), seconds)
        except OSError as error:
            reason = error.strerror or str(error)
            continue
        try:
            plain.settimeout(left())
            return plain if is_plain else _tls().wrap_socket(plain, server_hostname=host)
        except BaseException:
            plain.close()
            raise
    raise Unreachable(f"{host} does not answer: {reason}" if addresses else f"{host} has no address")


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
