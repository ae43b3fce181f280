"""Decides whether the conditions of a rule apply to a request to a short URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from hashlib import blake2b
from ipaddress import ip_address
from urllib.parse import parse_qsl

from qrkit.store.recording.scan_numbers import ScanNumber
from qrkit.store.recording.user_agents import LONGEST, parse_user_agent
from qrkit.tracking.records import Place
from qrkit.tracking.redirect_rules import (
    WEEKDAYS,
    Condition,
    RedirectRule,
    hours_in,
    networks_in,
    numbers_in,
    share_in,
)
from qrkit.tracking.referrers import referrer_host
from qrkit.tracking.times import utc, zone_of

__all__ = ["Visitor", "applies", "first_rule"]

LEAST_QUALITY = 0.9
"""A language is accepted from this quality on."""
MOST_LANGUAGES = 50
MOST_PARAMETERS = 100

SYSTEMS = {"iOS": "ios", "Mac OS X": "macos", "Chrome OS": "chromeos", "Android": "android", "Windows": "windows"}
LINUX = frozenset({"Linux", "Ubuntu", "Debian", "Fedora"})
GROUPS = {"mobile": ("android", "ios"), "desktop": ("windows", "macos", "linux", "chromeos")}
"""Words for several systems."""
FAMILIES = {
    "Android": "android_browser",
    "Chrome": "chrome",
    "Chromium": "chrome",
    "Edge": "edge",
    "Firefox": "firefox",
    "Opera": "opera",
    "Safari": "safari",
    "Samsung": "samsung_internet",
}
"""The browser by the first word of a family; families such as Chrome Mobile iOS have several."""
_LANGUAGE = re.compile(r"\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*")


FIRST = ScanNumber(1, 1)


@dataclass(frozen=True)
class Visitor:
    """What is known of the request that a rule is asked about.

    Attributes:
        moment: When it arrived.
        headers: Headers by lower-case name.
        query: The query as it was sent.
        short_code: The short code that was asked for.
        address: The IP address.
        place: The place of the address.
        key: Key of the visitor on this day, 64 bits.
        is_new: Whether this is the visitor's first scan of the code today.
        number: The number of the scan.
        elements: Values by application identifier, of a GS1 Digital Link.
    """

    moment: datetime
    headers: Mapping[str, str]
    query: str = ""
    short_code: str = ""
    address: str = ""
    place: Callable[[], Place] = Place
    key: int = 0
    is_new: Callable[[], bool] = lambda: True
    number: ScanNumber = FIRST
    elements: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def device(self) -> frozenset[str]:
        """The words for the device and the browser."""
        return _words_for(self.headers.get("user-agent", "")[:LONGEST])

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages that are accepted with a quality of at least 0.9, in lower case, with and without regions."""
        return _languages_in(self.headers.get("accept-language", ""))

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The parameters of the query; of several with one name, the last."""
        try:
            return dict(parse_qsl(self.query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS))
        except ValueError:
            return {}


def first_rule(rules: tuple[RedirectRule, ...], visitor: Visitor) -> int | None:
    """Return the index of the first rule that applies to a visitor; None if none does."""
    for number, rule in enumerate(rules):
        for condition in rule.conditions:
            if not applies(condition, visitor):
                break
        else:
            return number
    return None


def applies(condition: Condition, visitor: Visitor) -> bool:
    """Return whether a condition applies to a visitor. What is not known applies to nobody, negated or not."""
    found = CHECKS[condition.type](condition, visitor)
    return found is not None and found is not condition.is_negated


@lru_cache(4_096)
def _words_for(user_agent: str) -> frozenset[str]:
    parsed = parse_user_agent(user_agent)
    system = "linux" if parsed.system in LINUX else SYSTEMS.get(parsed.system or "", "")
    words = {system, parsed.device, FAMILIES.get((parsed.browser or "").split(" ")[0], "")}
    return frozenset(words | {group for group, systems in GROUPS.items() if system in systems})


@lru_cache(4_096)
def _languages_in(accepted: str) -> frozenset[str]:
    parts = accepted.split(",", MOST_LANGUAGES)[:MOST_LANGUAGES]
    found = [match for part in parts if (match := _LANGUAGE.fullmatch(part))]
    tags = [one[1].lower().split("-") for one in found if float(one[2] or 1) >= LEAST_QUALITY]
    return frozenset("-".join(tag[:length]) for tag in tags for length in range(1, len(tag) + 1))


def _address(condition: Condition, visitor: Visitor) -> bool | None:
    try:
        address = ip_address(visitor.address)
    except ValueError:
        return None
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in networks_in(value) for value in condition.match_value)


def _place(part: str) -> Callable[[Condition, Visitor], bool | None]:
    def check(condition: Condition, visitor: Visitor) -> bool | None:
        found = getattr(visitor.place(), part)
        return None if found is None else found.lower() in condition.values

    return check


def _referrer(condition: Condition, visitor: Visitor) -> bool:
    host = referrer_host(visitor.headers.get("referer", "")) or ""
    return any(host == value or host.endswith(f".{value}") for value in condition.values)


def _number(condition: Condition, visitor: Visitor) -> bool:
    number = visitor.number.of_day if condition.match_key == "day" else visitor.number.of_all
    for first, last, step in map(numbers_in, condition.match_value):
        if number >= first and (last is None or number <= last) and (number - first) % step == 0:
            return True
    return False


def _weekday(condition: Condition, visitor: Visitor) -> bool:
    local = visitor.moment.astimezone(zone_of(condition.match_key or "UTC"))
    return WEEKDAYS[local.weekday()] in condition.values


def _hours(condition: Condition, visitor: Visitor) -> bool:
    local = visitor.moment.astimezone(zone_of(condition.match_key or "UTC"))
    minute = local.hour * 60 + local.minute
    spans = [hours_in(value) for value in condition.match_value]
    return any(first <= minute < last if first < last else minute >= first or minute < last for first, last in spans)


def _share(condition: Condition, visitor: Visitor) -> bool:
    # The same for all rules of a QR Code, so that 0-30 and 30-60 are different visitors, and another one for each code.
    digest = blake2b(visitor.short_code.encode(), digest_size=8, key=visitor.key.to_bytes(8, "big")).digest()
    drawn = int.from_bytes(digest, "big") * 100 / 2**64
    return any(low <= drawn < high for low, high in map(share_in, condition.match_value))


CHECKS: dict[str, Callable[[Condition, Visitor], bool | None]] = {
    "device": lambda one, visitor: not visitor.device.isdisjoint(one.values),
    "browser": lambda one, visitor: not visitor.device.isdisjoint(one.values),
    "language": lambda one, visitor: not visitor.languages.isdisjoint(one.values),
    "query-param": lambda one, visitor: visitor.parameters.get(one.match_key) in one.match_value,
    "any-value-query-param": lambda one, visitor: one.match_key in visitor.parameters,
    "valueless-query-param": lambda one, visitor: visitor.parameters.get(one.match_key) == "",
    "ip-address": _address,
    "geolocation-country-code": _place("country"),
    "geolocation-region-name": _place("region"),
    "geolocation-city-name": _place("city"),
    "referrer-host": _referrer,
    "visitor": lambda one, visitor: ("new" if visitor.is_new() else "returning") in one.values,
    "scan-number": _number,
    "before-date": lambda one, visitor: any(visitor.moment < utc(datetime.fromisoformat(v)) for v in one.match_value),
    "after-date": lambda one, visitor: any(visitor.moment > utc(datetime.fromisoformat(v)) for v in one.match_value),
    "weekday": _weekday,
    "hours": _hours,
    "gs1-element": lambda one, visitor: visitor.elements.get(one.match_key) in one.match_value,
    "share": _share,
}
"""Whether a visitor is as a condition says, by its type; None if that is not known."""
