"""Defines `Service`, what all handlers share, and `Call`, an authorized request to the service."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from qrkit.design.design import Design
from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, MOST_WORKERS, within
from qrkit.errors import InvalidParameter, NotAuthenticated, Problem, WrongMediaType
from qrkit.pictures.generate_request import Shortener
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import Quota, RequestCounter, authenticate, check_exchange, key_id
from qrkit.scanning.untrusted import MOST_READERS
from qrkit.server.clients.shares import Buckets, Client, Gate, Spent, network_of
from qrkit.server.jobs import MOST_JOBS
from qrkit.server.operation.deliveries import Deliveries
from qrkit.server.operation.health import Health
from qrkit.server.operation.metrics import Metrics
from qrkit.server.requests.bodies import Sent, is_form, read_file
from qrkit.server.requests.parsing import json_object, pairs, plain_id
from qrkit.server.requests.request import Request
from qrkit.server.settings import Settings
from qrkit.store import Store
from qrkit.tracking.records import Account
from qrkit.tracking.times import Clock
from qrkit.visits.redirect import Redirects

if TYPE_CHECKING:
    from qrkit.drawing.untrusted.assets import Fetch

LONGEST_WAIT = 20.0
"""Maximum number of seconds that a request waits for its turn."""

_BEARER = re.compile(r"Bearer +(\S+)", re.IGNORECASE)


LONGEST_WAIT_TO_WORK = 60.0
"""The same for jobs, which take seconds themselves."""
SHARES = {"plain": 33, "drawing": 16, "reading": 4, "decoding": 3, "changing": 22, "working": 22}
"""How the requests that may wait are divided among the gates, in percent.

The gates for pictures have room for all pictures of a page, because browsers request them all at once, and those for
changes and jobs have room for some thirty people.
"""
PASSWORDS_A_MINUTE = 5
NO_PLACES = "this server has no GeoIP database, so they apply to nobody; see the setting places"
FOR_VISITORS = 8
"""Threads that the gates leave free for redirects."""


def waiting_room(threads: int) -> dict[str, int]:
    """Return the maximum number of requests that may wait at each gate, by the name of the gate.

    `threads` are left when every gate is full; they may be negative.
    """
    return {name: max(0, threads - FOR_VISITORS) * share // 100 for name, share in SHARES.items()}


class Gates:
    """Limits concurrent and repeated work, so that short URLs work under any load.

    Clients share the work fairly (`qrkit.server.clients.shares`), and the time that a client spends in one gate counts
    in all.

    Attributes:
        plain: For drawing designs without images, which is quick.
        drawing: For drawing designs with images and answering with many records, which take processor time and memory.
        reading: For reading large bodies: one at a time.
        decoding: For reading images, which run in processes of their own.
        changing: For changing records: one at a time.
        working: For imports, exports, lists and statistics, which run in processes of their own.
        generates: Requests without a key, per network.
        unknown_codes: Requests for unknown short URLs, per network.
        passwords: Passwords that are tried, per network and short code.
    """

    def __init__(self, settings: Settings) -> None:
        spent, renders = Spent(), settings.renders or min(os.cpu_count() or 1, settings.threads // 2)
        # One place more than a single client may use, and no more than the number of processes that draw.
        drawing = min(renders + 1, MOST_WORKERS)
        waiting = waiting_room(settings.threads - (renders + drawing + 1 + MOST_READERS + 1 + MOST_JOBS))

        def gate(
            name: str, places: int, message: str, *, most_each: int | None = None, seconds: float = LONGEST_WAIT
        ) -> Gate:
            return Gate(
                places, waiting=waiting[name], seconds=seconds, message=message, most_each=most_each, spent=spent
            )

        pictures = "too many pictures are asked for at once; please try again"
        self.plain = gate("plain", renders, pictures)
        self.drawing = gate("drawing", drawing, pictures, most_each=drawing - 1)
        reading = "too much is being read at once; please try again"
        self.reading = gate("reading", 1, reading)
        self.decoding = gate("decoding", MOST_READERS, reading, most_each=MOST_READERS - 1)
        self.changing = gate("changing", 1, "too many changes are under way; please try again")
        jobs = "too many imports, exports, lists and statistics are under way; please try again"
        self.working = gate("working", MOST_JOBS, jobs, most_each=MOST_JOBS - 1, seconds=LONGEST_WAIT_TO_WORK)
        self.set_rates(settings)

    def set_rates(self, settings: Settings) -> None:
        """Set the limits per minute and network, and reset the counts of all clients."""
        # Each process gets about the same share of an address's requests.
        a_minute = -(-settings.generates_a_minute // settings.processes)
        self.generates = Buckets(
            a_minute, f"{settings.generates_a_minute} requests a minute are allowed without an API key; send one"
        )
        unknown = -(-settings.unknown_codes_a_minute // settings.processes)
        self.unknown_codes = Buckets(unknown, "too many short URLs that do not exist; wait")
        self.passwords = Buckets(PASSWORDS_A_MINUTE, "too many passwords for this QR Code; wait a minute")


@dataclass(slots=True)
class Service:
    """Holds all that handlers need: the store, the settings, the limits and the functions to call.

    Only `base_url` changes, once: a server without one knows its port when it listens.
    """

    store: Store
    base_url: str
    clock: Clock
    redirects: Redirects
    health: Health
    gates: Gates
    shorteners: Mapping[str, Shortener] = field(default_factory=dict)
    counter: RequestCounter = field(default_factory=RequestCounter)
    fetch: Fetch | None = None
    metrics: Metrics | None = None
    redirect_headers: dict[str, str] = field(default_factory=dict)
    deliveries: Deliveries = field(init=False)

    def __post_init__(self) -> None:
        """Prepare to send events."""
        self.deliveries = Deliveries(self.store, self.clock)

    @property
    def host(self) -> str:
        """Name and port of the base URL."""
        return urlsplit(self.base_url).netloc


@dataclass(frozen=True, slots=True)
class Call:
    """An authorized request: its API key, if any, is valid, and the plan of the account includes the request."""

    service: Service
    request: Request
    parameters: Mapping[str, str] = field(default_factory=dict)
    account: Account | None = None

    @property
    def portfolio(self) -> Portfolio:
        """The portfolio of the account."""
        if self.account is None:
            raise _no_key()
        service = self.service
        warn = self.request.warnings.append
        return Portfolio(service.store, self.account, base_url=service.base_url, clock=service.clock, warn=warn)

    @property
    def client(self) -> Client:
        """The client that the work for the request counts against."""
        return Client(self.account.id, has_key=True) if self.account else Client(network_of(self.request.address))

    @contextmanager
    def drawing(self, design: Design, client: Client | None = None) -> Iterator[None]:
        """Context manager: waits for a place to draw a design and holds it; images and frames have a time limit.

        Images count against `client`, by default the sender.
        """
        gates = self.service.gates
        if design.pictures or design.frame:
            with gates.drawing.passing(client or self.client), within(LONGEST_SECONDS):
                yield
        else:
            with gates.plain.passing(self.client):
                yield

    @property
    def id(self) -> str:
        """The ID in the path."""
        return plain_id(self.request.path["id"])

    @property
    def _content_type(self) -> str:
        return self.request.headers.get("content-type", "")

    def body(self, most: int) -> bytes:
        """Return the body, at most `most` bytes; a form with parts raises WrongMediaType."""
        if is_form(self._content_type):
            raise WrongMediaType("the body is a form with parts; send the JSON itself as the body")
        return self.request.body(most)

    def json(self, most: int) -> dict[str, Any]:
        """Return the JSON object in the body, at most `most` bytes."""
        return json_object(self.body(most))

    def file(self, most: int) -> Sent:
        """Return the file in the body, at most `most` bytes; a form must have exactly one."""
        body = self.request.body(most)
        with self.service.gates.reading.passing(self.client):
            return read_file(body, self._content_type)


def called(service: Service, request: Request, *, needs_key: bool, is_exchange: bool) -> Call:
    """Authorize a request: check the address's rate limit, the API key, its rate limit and the plan, in this order."""
    parameters = pairs(request.query, request.warnings)
    account = _account(service, request, parameters)
    if account is None and needs_key:
        raise _no_key()
    if account and is_exchange:
        check_exchange(account)
    return Call(service, request, parameters, account)


def _no_key() -> NotAuthenticated:
    message = "auth is required: an API key, as a parameter or as a Bearer token"
    return NotAuthenticated(message, code="missing-key")


def _account(service: Service, request: Request, parameters: Mapping[str, str]) -> Account | None:
    """Return the account of the key, or None without a key, and add the remaining quota to the response headers."""
    key = _key(request, parameters)
    if not key:
        service.gates.generates.take(request.address)
        return None
    moment = service.clock()
    try:
        account = authenticate(service.store, key, moment)
    except NotAuthenticated:
        service.gates.generates.take(request.address)
        raise
    request.noting["key"] = key_id(key)
    try:
        service.counter.count(account, moment)
    finally:
        request.joining.update(_quota_headers(service.counter.left(account, moment)))
    return account


def _key(request: Request, parameters: Mapping[str, str]) -> str | None:
    key, bearer = parameters.get("auth"), bearer_token(request)
    if key and bearer and bearer != key:
        rule = "differs from the key in the Authorization header; send one of them"
        raise InvalidParameter(Problem("auth", "(not shown)", rule, "bad-value"))
    return key or bearer or None


def bearer_token(request: Request) -> str:
    """Return the Bearer token in the Authorization header; an empty text if there is none."""
    match = _BEARER.fullmatch(request.headers.get("authorization", ""))
    return match[1] if match else ""


def _quota_headers(quota: Quota) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(quota.limit),
        "X-RateLimit-Remaining": str(quota.remaining),
        "X-RateLimit-Reset": str(quota.reset),
        "Cache-Control": "no-store",
    }
