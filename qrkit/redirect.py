"""Redirects: a request to a short URL is recorded, then answered (rulings T8 to T11)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from qrkit.destinations import Destination, destination
from qrkit.errors import NotFound
from qrkit.records import NOWHERE, Place, Visit
from qrkit.store import Store
from qrkit.store import portfolio as table
from qrkit.store.visits import insert_visit
from qrkit.times import Clock, now
from qrkit.visitors import Visitors, first_language, kind_of, referrer_host

__all__ = ["Answer", "Locate", "Redirects", "Request"]

Locate = Callable[[str], Place]
"""Where an address is: address in, place out."""

_log = logging.getLogger("qrkit")


def _nowhere(_address: str) -> Place:
    return NOWHERE


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a short URL: `method` GET or HEAD, `headers` by lower-case name, `address` of the visitor."""

    method: str
    short_code: str
    headers: Mapping[str, str]
    address: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a visitor gets: the content of the code and what is done with it."""

    content: str
    destination: Destination


class Redirects:
    """Answers requests to the short URLs of a store.

    Args:
        store: Where the codes are and the visits go.
        clock: What time it is.
        locate: Where an address is; by default nobody knows.

    Attributes:
        lost: Visits that could not be stored: a printed code must not go dead because of statistics (ruling T11).
    """

    def __init__(self, store: Store, *, clock: Clock = now, locate: Locate = _nowhere) -> None:
        self.store = store
        self.lost = 0
        self._clock = clock
        self._locate = locate
        self._visitors = Visitors()

    def answer(self, request: Request) -> Answer:
        """Record a visit and say where it leads; the answer is given when the visit is stored.

        Raises:
            NotFound: No QR Code has this short code; the visit is kept as an orphan.
        """
        target = table.target(self.store, request.short_code)
        self._record(request, target)
        if target is None:
            raise NotFound("short URL", request.short_code)
        return Answer(target.content, destination(target.content))

    def _record(self, request: Request, target: table.Target | None) -> None:
        headers, moment = request.headers, self._clock()
        user_agent = headers.get("user-agent", "")
        kind = kind_of(request.method, headers) if target else "orphan"
        visitor = self._visitors.key(request.address, user_agent, moment)
        if kind == "scan" and self._visitors.is_repeat(request.short_code, visitor, moment):
            return
        visit = Visit(
            time=moment,
            kind=kind,
            short_code=request.short_code,
            qrcode=target.qrcode if target else None,
            content=target.content if target else None,
            user_agent=user_agent,
            referrer=referrer_host(headers.get("referer", "")),
            language=first_language(headers.get("accept-language", "")),
            visitor=visitor,
            place=self._place(request.address),
        )
        try:
            insert_visit(self.store, visit)
        except Exception:
            # Whatever the store's trouble is, the redirect happens (ruling T11).
            self.lost += 1
            _log.exception("a visit to %s could not be stored; %d lost so far", request.short_code, self.lost)

    def _place(self, address: str) -> Place:
        try:
            return self._locate(address)
        except Exception as error:
            # Nor does a table of places hold a redirect up. Its own words may name the address, which is not kept.
            _log.error("a visitor could not be located: %s", type(error).__name__)
            return NOWHERE
