"""Answers requests to short URLs, and records each visit first.

Everything needed to answer is in memory, so a redirect never waits for the database, a change of records or a query. A
redirect waits only until its visit is durable in the inbox on disk (`qrkit.store.recording.recorder`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from qrkit.contents.gs1_paths import Gs1Path
from qrkit.errors import Gone, LeadsNowhere, NotFound, NotStored, StoreBusy
from qrkit.store import Store
from qrkit.store.recording.click_ids import Click, click_id
from qrkit.store.recording.recorder import record_visit
from qrkit.store.recording.salts_and_quotas import salts_of
from qrkit.store.recording.scan_numbers import Limits, has_scanned, next_number, take_number
from qrkit.store.records.short_codes import (
    DELETED,
    MARKED,
    NO_TERMS_AT_ALL,
    Target,
    Terms,
    ignores_case,
    longest_pasted,
    read_entities,
    spelling,
    target,
)
from qrkit.tracking.gs1_choosing import Wishes, choose, filled, levels_of
from qrkit.tracking.gs1_entities import Gs1Entity, Gs1Link
from qrkit.tracking.records import NOWHERE, SCAN_MARKER, Kind, Place, Visit
from qrkit.tracking.referrers import referrer_host
from qrkit.tracking.times import Clock, now
from qrkit.visits.decision import Decision, decide
from qrkit.visits.follow_or_show import Destination, destination, path_below, with_query, with_utm
from qrkit.visits.remembered_variants import variant_cookie
from qrkit.visits.rule_conditions import Visitor
from qrkit.visits.visitors import Visitors, first_language, kind_of

__all__ = ["Answer", "Locate", "OnUnknown", "Redirects", "Request", "Resolved", "nowhere"]

Locate = Callable[[str], Place]
"""Returns the `Place` of an IP address."""

OnUnknown = Callable[[str], None]
"""Called with the IP address that asked for an unknown short code, before the answer; may raise an error instead."""

LONGEST_SECONDS = 2.0
MARKS = (SCAN_MARKER[1:], f"{SCAN_MARKER[1:]}=")
"""The marker in a query, as pictures and as programs write it that read and write URLs."""
NO_HEADERS: Mapping[str, str] = MappingProxyType({})

_log = logging.getLogger("qrkit")


def nowhere(_address: str) -> Place:
    """Return an empty `Place` for any address; the locator used without a GeoIP database."""
    return NOWHERE


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a short URL.

    Attributes:
        method: GET or HEAD.
        short_code: The short code.
        headers: Headers by lower-case name.
        address: IP address of the visitor.
        query: The query string as it was sent.
        is_let_in: Whether the visitor has typed the password of the QR Code.
        elements: Application identifiers and values of a GS1 Digital Link.
    """

    method: str
    short_code: str
    headers: Mapping[str, str]
    address: str = ""
    query: str = ""
    is_let_in: bool = False
    elements: Sequence[tuple[str, str]] = ()

    @property
    def is_marked(self) -> bool:
        """Whether it comes from a picture with a marker of scans."""
        return self.query.partition("&")[0] in MARKS

    @property
    def asked(self) -> str:
        """The query without the marker."""
        return self.query.partition("&")[2] if self.is_marked else self.query


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a visitor: the content of the code, and whether to redirect to it or show it.

    `asks_password` is the hash of the password that the visitor has to type first; there is no content then. `why` says
    to the owner what decided. `cookie` keeps the variant of the visitor, if the owner asks for that.
    """

    content: str
    destination: Destination
    asks_password: str = ""
    why: str = ""
    cookie: str = ""


class Resolved(NamedTuple):
    """What a GS1 Digital Link leads to.

    Attributes:
        answer: The answer to who asks for one link.
        levels: What is identified, with its entities, the nearest first.
        links: The links that fit; several if they fit alike, none if a rule or a time decided.
        reserved: A parameter of a visitor's query that is never passed on; "" if all may be.
    """

    answer: Answer
    levels: Sequence[tuple[Gs1Path, Gs1Entity]]
    links: tuple[Gs1Link, ...]
    reserved: str = ""


class Redirects:
    """Answers requests to the short URLs of a store.

    Args:
        locate: Returns the `Place` of an IP address; by default an empty one.
        strict: Whether to refuse a redirect if the visit is not durable in time. By default, the visitor is redirected
            anyway, because a printed code must not stop working for the sake of statistics.
        seconds: How long a redirect waits while other visits are written to disk.
        hosts: Host names of this service. A short URL never redirects to another short URL on these hosts, to prevent
            loops.
        path: Path of the base URL.
        on_unknown: Limits how often an address may guess short codes.
        pass_query: Parameters of a visitor's query that are added to the link, unless the QR Code says; `*` is all.

    Attributes:
        locate: Returns the `Place` of an IP address; can be replaced while redirects use it.
        recorded: Visits that were durable in time.
        lost: Visits that could not be stored.
        late: Visits that were not durable in time, but have been or will be stored later.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock = now,
        locate: Locate = nowhere,
        strict: bool = False,
        seconds: float = LONGEST_SECONDS,
        records: bool = True,
        hosts: Collection[str] = (),
        path: str = "",
        on_unknown: OnUnknown = lambda _address: None,
        pass_query: Collection[str] = (),
    ) -> None:
        self.store = store
        self.recorded = 0
        self.lost = 0
        self.late = 0
        self._clock = clock
        self.locate = locate
        self._strict = strict
        self._seconds = seconds
        self._records = records
        self._hosts = frozenset(hosts)
        self._path = path
        self._on_unknown = on_unknown
        self._pass_query = frozenset(pass_query)
        self._visitors = Visitors(salts_of(store).of)
        # Query once now, so that the first visitor does not wait for a change of the store to end.
        target(store, "")
        self._ignores_case = ignores_case(store)

    def __repr__(self) -> str:
        return f"<Redirects of {self.store!r}: {self.recorded:,} recorded, {self.late:,} late, {self.lost:,} lost>"

    def answer(self, request: Request) -> Answer:
        """Record a visit and return the answer to it; waits up to `seconds` until the visit is durable.

        Raises:
            NotFound: If no QR Code ever had this short code; the visit is kept as an orphan.
            Gone: If its QR Code was deleted, or leads nowhere now; the visit is kept as an orphan.
            StoreBusy: If its QR Code has a limit, and the scan cannot be counted now.
        """
        code, entry = self._find(request.short_code, request.address)
        if code != request.short_code:
            request = replace(request, short_code=code)
        moment = self._clock()
        if entry is None or entry.terms in (None, MARKED):
            content = None if entry is None or entry is DELETED else entry.content_at(moment)
            if self._records:
                self._record(request, moment, entry, Decision("content", content, None, ""))
            return self._answer(request, entry, content)
        return self._answer_on_terms(request, moment, entry, entry.terms)

    def _answer_on_terms(self, request: Request, moment: datetime, entry: Target, terms: Terms) -> Answer:
        kind = kind_of(request.method, request.headers)
        visitor = self._visitor(request, moment, entry)
        decision = self._decide(request, visitor, entry, takes_number=kind == "scan")
        if decision.reason == "password":
            return Answer("", Destination("page"), terms.password)
        if self._records:
            self._record(request, moment, entry, decision, visitor=visitor, kind=kind)
        if decision.content is None:
            raise LeadsNowhere(request.short_code, decision.sentence)
        answer = self._answer(request, entry, decision.content)
        if kind == "scan" and decision.rule is not None and (rule := terms.rules[decision.rule]).remember_days:
            answer = replace(answer, cookie=variant_cookie(rule, decision.variant or ""))
        return self._with_click_id(answer, entry, visitor, kind)

    def _with_click_id(self, answer: Answer, entry: Target, visitor: Visitor, kind: Kind) -> Answer:
        """Add the ID of a scan to the link, if the QR Code has a name for it."""
        name = entry.terms.click_id if entry.terms else ""
        if name and kind == "scan" and self._records and answer.destination.kind == "redirect":
            with suppress(StoreBusy):  # a link without the ID is better than none
                id = click_id(self.store, Click(entry.qrcode, visitor.moment, visitor.key))
                link = with_query(answer.destination.link or "", f"{name}={id}", (name,))
                answer = replace(answer, destination=replace(answer.destination, link=link))
        return answer

    def resolve(self, request: Request, path: Gs1Path, wishes: Wishes | None) -> Resolved:
        """Record a visit to a GS1 Digital Link, and return where it leads; waits as `answer` does.

        Args:
            request: The request; its short code is that of the key.
            path: What the link identifies.
            wishes: What the request asks for; None if it asks for all links.

        Raises:
            NotFound: If there is no such key, or no link of the type; the visit is kept as an orphan.
            Gone: If the key was deleted, or leads nowhere now; the visit is kept as an orphan.
            StoreBusy: If there is a limit, and the scan cannot be counted now.
        """
        moment = self._clock()
        request = replace(request, short_code=path.key, elements=path.elements)
        _, entry = self._find(path.key, request.address)
        levels = levels_of(read_entities(entry.terms.gs1 if entry and entry.terms else "[]"), path)
        links = choose(levels, wishes or Wishes())
        decision = visitor = None
        kind = kind_of(request.method, request.headers)
        if entry and entry is not DELETED:
            visitor = self._visitor(request, moment, entry)
            decision = self._decide(request, visitor, entry, takes_number=kind == "scan")
            if decision.reason == "password":
                return Resolved(Answer("", Destination("page"), (entry.terms or NO_TERMS_AT_ALL).password), levels, ())
        content = decision.content if decision else None
        is_for_all = decision is not None and decision.reason == "content"
        if content is not None and (wishes is None or wishes.link_type or (is_for_all and links)):
            content = filled(links[0].href, path) if links else None
        else:
            links = []
        if self._records:
            told = decision or Decision("content", None, None, "")
            asked = "linkset" if wishes is None else wishes.link_type or None
            told = told._replace(content=content)
            self._record(request, moment, entry, told, visitor=visitor, kind=kind, path=path, link_type=asked)
        if decision and decision.content is None:
            raise LeadsNowhere(path.key, decision.sentence)
        if decision and content is None:
            raise NotFound("link of the type", wishes.link_type if wishes else "linkset")
        found = Answer(content or "", self._leads_to(content or "")) if links else self._answer(request, entry, content)
        if entry and visitor:
            found = self._with_click_id(found, entry, visitor, kind)
        return Resolved(found, levels, tuple(links), entry.terms.click_id if entry and entry.terms else "")

    def decide(self, request: Request, moment: datetime, entry: Target) -> Decision:
        """Decide what a request gets from the target of its short code, as the next scan that arrives at a moment."""
        return self._decide(request, self._visitor(request, moment, entry), entry, takes_number=False)

    def _visitor(self, request: Request, moment: datetime, entry: Target) -> Visitor:
        key = self._key(request, moment)
        return Visitor(
            moment,
            request.headers,
            request.asked,
            request.short_code,
            request.address,
            partial(self._place, request.address),
            key,
            lambda: not has_scanned(self.store, entry.qrcode, key, moment),
            elements=dict(request.elements),
        )

    def _decide(self, request: Request, visitor: Visitor, entry: Target, *, takes_number: bool) -> Decision:
        """Decide what a request gets, which counts against limits if it takes a number."""
        terms = entry.terms or NO_TERMS_AT_ALL
        number = take_number if takes_number else next_number
        limits = Limits(terms.limit, terms.limit_a_day)
        take = partial(number, self.store, entry.qrcode, visitor.moment, limits)
        decision = decide(entry, visitor, take, is_let_in=request.is_let_in)
        is_tagged = terms.utm and decision.content
        return decision._replace(content=with_utm(decision.content or "", terms.utm)) if is_tagged else decision

    def look(
        self, short_code: str, address: str = "", *, headers: Mapping[str, str] = NO_HEADERS, query: str = ""
    ) -> Answer:
        """Return the answer to a request now, without recording a visit.

        Raises:
            NotFound: If no QR Code ever had this short code.
            Gone: If its QR Code was deleted, or leads nowhere now.
        """
        code, entry = self._find(short_code, address)
        request = Request("GET", code, headers, address, query)
        if entry is None or entry.terms in (None, MARKED):
            return self._answer(request, entry, entry.content_at(self._clock()) if entry and entry.qrcode else None)
        decision = self.decide(request, self._clock(), entry)
        if decision.reason == "password":
            return Answer("", Destination("page"), entry.terms.password)
        if decision.content is None:
            raise LeadsNowhere(code, decision.sentence)
        return replace(self._answer(request, entry, decision.content), why=decision.sentence)

    def knows(self, short_code: str) -> bool:
        """Whether a short code was ever assigned."""
        return target(self.store, short_code) is not None

    def check(self, short_code: str, address: str) -> None:
        """Raise if no QR Code has a short code, which an IP address asks for.

        Raises:
            NotFound: If no QR Code ever had this short code; it counts as an attempt to guess one.
            Gone: If its QR Code was deleted.
        """
        code, entry = self._find(short_code, address)
        if entry is None:
            raise NotFound("short URL", code)
        if entry is DELETED:
            raise Gone("short URL", code)

    def split(self, path: str) -> tuple[str, str] | None:
        """Return the longest short code that a path begins with, and what follows it; None if there is none."""
        return longest_pasted(self.store, path)

    def _find(self, short_code: str, address: str) -> tuple[str, Target | None]:
        """Return a short code as it was assigned, and its target; an unknown one counts against the address."""
        entry = target(self.store, short_code)
        if entry is None and self._ignores_case:
            short_code = spelling(self.store, short_code) or short_code
            entry = target(self.store, short_code)
        if entry is None:
            self._on_unknown(address)
        return short_code, entry

    def _answer(self, request: Request, entry: Target | None, content: str | None) -> Answer:
        if entry is None:
            raise NotFound("short URL", request.short_code)
        if content is None:
            raise Gone("short URL", request.short_code)
        where = destination(content)
        if where.kind == "redirect":
            where = self._leads_to(where.link or "")
        if where.kind == "redirect" and (asked := request.asked) and (names := self._passed(entry)):
            own = entry.terms.click_id if entry.terms else ""  # from a visitor, it would name another's scan
            where = Destination("redirect", with_query(where.link or "", asked, names, own))
        return Answer(content, where)

    def _leads_to(self, link: str) -> Destination:
        """Return where a link leads: to a page with it, if a redirect could go in circles."""
        path = path_below(link, self._hosts, self._path)
        return Destination("page" if path and self._leads_on(path) else "redirect", link=link)

    def _passed(self, entry: Target) -> Collection[str]:
        """Return the parameters of a visitor's query that are added to the link of a QR Code."""
        chosen = entry.terms and entry.terms.pass_query
        return self._pass_query if chosen is None else ("*",) if chosen else ()

    def refuse(self, address: str) -> None:
        """Count a request for what is no short code as an attempt to guess one; raises an error if there are many."""
        self._on_unknown(address)

    def _leads_on(self, path: str) -> bool:
        """Return whether a path of ours is that of a short URL, and not of a picture."""
        found = self.split(path)
        return found is not None and found[1][:1] in ("", "/")

    def _key(self, request: Request, moment: datetime) -> int:
        return self._visitors.key(request.address, request.headers.get("user-agent", ""), moment)

    def _record(
        self,
        request: Request,
        moment: datetime,
        entry: Target | None,
        decision: Decision,
        *,
        visitor: Visitor | None = None,
        kind: Kind | None = None,
        path: Gs1Path | None = None,
        link_type: str | None = None,
    ) -> None:
        """Record a visit; without a content, it is an orphan."""
        content, elements = decision.content, dict(request.elements)
        headers, terms = request.headers, entry.terms if entry else None
        qrcode = entry.qrcode if entry and content is not None else None
        kind = "orphan" if qrcode is None else kind or kind_of(request.method, headers)
        key = visitor.key if visitor else self._key(request, moment)
        is_numbered = terms is not None and terms.needs_number
        # Each scan that took a number is counted, so that the limit is the count.
        scanned = str(path or request.short_code)  # two items of a product are two scans
        if kind == "scan" and self._visitors.is_repeat(scanned, key, moment) and not is_numbered:
            return
        visit = Visit(
            time=moment,
            kind=kind,
            short_code=request.short_code,
            qrcode=qrcode,
            content=content,
            user_agent=headers.get("user-agent", ""),
            referrer=visitor.referrer if visitor else referrer_host(headers.get("referer", "")),
            language=first_language(headers.get("accept-language", "")),
            visitor=key,
            place=visitor.located if visitor else self._place(request.address),
            via="scan" if request.is_marked else "link" if terms and terms.scan_marker else None,
            lot=elements.get("10"),
            serial=elements.get("21"),
            link_type=link_type,
            variant=decision.variant,
            split=decision.split,
        )
        self._keep(visit, scanned, key)

    def _keep(self, visit: Visit, scanned: str, key: int) -> None:
        try:
            is_durable = record_visit(self.store, visit, seconds=self._seconds, keep_late=not self._strict)
        except Exception as error:  # any error: a printed code must not stop working
            self.lost += 1
            self._visitors.forget(scanned, key)
            _log.error("a visit to %s could not be stored: %s; %d lost so far", visit.short_code, error, self.lost)
            is_durable = False
        else:
            if is_durable:
                self.recorded += 1
            else:
                self.late += 1
                _log.warning("a visit to %s is not yet durable; %d were late so far", visit.short_code, self.late)
        if self._strict and not is_durable:
            # The visit was withdrawn, so the visitor's next attempt counts.
            raise NotStored("the visit could not be stored in time; please try again")

    def _place(self, address: str) -> Place:
        try:
            return self.locate(address)
        except Exception as error:
            # A failing GeoIP database must not stop a redirect. Its error message is not logged, because it may contain
            # the address.
            _log.error("a visitor could not be located: %s", type(error).__name__)
            return NOWHERE
