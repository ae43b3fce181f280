"""The WSGI app of a trial: a page for the person who runs it, behind a token, and short URLs for phones."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable
from http import HTTPStatus
from importlib.resources import files
from threading import Event
from typing import TypeAlias
from wsgiref.types import StartResponse, WSGIEnvironment

from qrkit.server.pages.landing import PAGE_HEADERS, notice
from qrkit.server.requests.request import headers_of
from qrkit.trials.session import Said, Session
from qrkit.trials.trial_result import page_named
from qrkit.visits.visitors import kind_of

NOTICES: dict[Said, tuple[str, str, str]] = {
    "joined": ("seen", "This phone takes part", "Look at the screen, and press Start there when all phones are in."),
    "seen": ("seen", "Seen. Look at the screen.", "The next code appears there."),
    "over": ("wait", "Too late for this code", "Look at the screen, and scan the code that is there now."),
    "full": ("wait", "All places are taken", "12 phones take part in this trial already."),
}
"""Icon, heading and text of the page that a phone gets."""

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}
"""Headers of everything behind the token. Nothing is loaded from elsewhere."""

HTML = "text/html; charset=utf-8"
LEAST_SCREEN, MOST_SCREEN = 1.0, 20.0
"""CSS pixels per millimeter that a screen may have."""

Answer: TypeAlias = tuple[str, bytes]
"""Media type and body."""
NO_PAGE: Answer = ("", b"")


class TrialPages:
    """The WSGI app of a trial. Whatever is not an address of it gets the same answer: 404, without a word.

    `note` says what had to change in the code, and `pause` is the seconds between two codes, in which people get their
    phones ready. `token` is the secret part of the address; `is_told` is set once the page has the result.
    """

    def __init__(self, session: Session, note: str, pause: float, result: Callable[[], str]) -> None:
        self.token, self.is_told = secrets.token_urlsafe(16), Event()
        self._session, self._note, self._pause, self._result = session, note, pause, result

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        first, *rest = environ.get("PATH_INFO", "")[1:].split("/")
        headers = HEADERS
        if len(rest) == 1 and secrets.compare_digest(first.encode(), self.token.encode()):
            media_type, body = self._of_page(environ["REQUEST_METHOD"], rest[0], environ.get("QUERY_STRING", ""))
        else:
            headers, (media_type, body) = HEADERS | PAGE_HEADERS, self._of_phone(environ, "/".join((first, *rest)))
        status = HTTPStatus.OK if media_type else HTTPStatus.NOT_FOUND
        sent = headers | {"Content-Type": media_type or "text/plain", "Content-Length": str(len(body))}
        start_response(f"{status.value} {status.phrase}", list(sent.items()))
        return [body]

    def _of_phone(self, environ: WSGIEnvironment, id: str) -> Answer:
        headers, address = headers_of(environ), environ.get("REMOTE_ADDR", "")
        # Programs that look ahead, such as link previews, do not count as phones.
        if environ["REQUEST_METHOD"] != "GET" or kind_of("GET", headers) != "scan":
            return NO_PAGE
        said = self._session.scan(id, address, headers.get("user-agent", ""))
        return (HTML, notice(*NOTICES[said], headers)) if said else NO_PAGE

    def _of_page(self, method: str, what: str, query: str) -> Answer:
        session, number = self._session, _number(query)
        match method, what:
            case "GET", "":
                return HTML, page_named("trial").render(note=self._note).encode()
            case "GET", "trial.js":
                return "text/javascript", files("qrkit.trials").joinpath("trial.js").read_bytes()
            case "GET", "state":
                return "application/json", json.dumps(session.wait(int(number)) | {"pause": self._pause}).encode()
            case "GET", "picture" if png := session.picture(int(number)):
                return "image/png", png
            case "GET", "result" if session.is_done:
                self.token = secrets.token_urlsafe(16)  # the address of the page ends with the trial
                self.is_told.set()
                return HTML, self._result().encode("utf-8", "replace")
            case "POST", "screen" if LEAST_SCREEN <= number <= MOST_SCREEN:
                session.screen = number
            case "POST", "next":
                session.go_on(int(number))
            case "POST", "stop":
                session.stop()
            case _:
                return NO_PAGE
        return "text/plain", b""


def _number(query: str) -> float:
    """Return the number in the query; -1, which no round has, if it is not a number."""
    return float(query) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", query, re.ASCII) else -1
