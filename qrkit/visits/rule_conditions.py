"""Decides whether the conditions of a rule apply to a request to a short URL."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from hashlib import blake2b
from ipaddress import ip_address
from itertools import accumulate
from operator import attrgetter
from socket import AF_INET, inet_pton
from urllib.parse import parse_qsl

from qrkit.store.recording.scan_numbers import ScanNumber
from qrkit.store.recording.user_agents import LONGEST, parse_user_agent
from qrkit.tracking.countries import OTHER_COUNTRIES
from qrkit.tracking.records import Place
from qrkit.tracking.redirect_rules import (
    BROWSERS,
    WEEKDAYS,
    Condition,
    RedirectRule,
    Variant,
    hours_in,
    networks_in,
    numbers_in,
    share_in,
)
from qrkit.tracking.referrers import referrer_host
from qrkit.tracking.times import utc, zone_of

LEAST_QUALITY = 0.9
"""A language is accepted from this quality on."""
OTHER_LANGUAGES = {"nb": "no", "nn": "no", "iw": "he", "he": "iw", "in": "id", "id": "in", "ji": "yi", "yi": "ji"}
"""Languages that people and rules also know by another code: Norwegian, and old codes of Java and Android."""
SCRIPT = 4
"""Letters of a script in a language tag, such as Hant."""
MOST_LANGUAGES = 50
MOST_PARAMETERS = 100
MOST_COMPILED = 1_000

SYSTEMS = {"iOS": "ios", "Mac OS X": "macos", "Chrome OS": "chromeos", "Android": "android", "Windows": "windows"}
LINUX = frozenset({"Linux", "Ubuntu", "Debian", "Fedora"})
GROUPS = {"mobile": ("android", "ios"), "desktop": ("windows", "macos", "linux", "chromeos")}
"""Words for several systems."""
FAMILIES = {"android": "android_browser", "chromium": "chrome", "mobile": "safari", "samsung": "samsung_internet"}
"""First words of browser families that have another name in rules; Mobile Safari is Safari."""
_LANGUAGE = re.compile(
    r"\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})\s*(?:;\s*[qQ]\s*=\s*([01](?:\.\d{0,9})?|\.\d{1,9}))?\s*"
)


FIRST = ScanNumber(1, 1)


@dataclass(eq=False)  # not frozen, because every redirect by rules makes one
class Visitor:
    """What is known of the request that a rule is asked about.

    Headers have lower-case names; the query is as it was sent. The key, 64 bits, is that of the visitor on this day,
    and `is_new` says whether this is the visitor's first scan of the code today. `number` is that of the scan.
    `elements` are values by application identifier, of a GS1 Digital Link.
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
    def located(self) -> Place:
        """The place of the address, looked up once."""
        return self.place()

    @cached_property
    def device(self) -> frozenset[str]:
        """The words for the device and the browser."""
        return _words_for(self.headers.get("user-agent", "")[:LONGEST])

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages that are accepted with a quality of at least 0.9, in lower case, with and without regions."""
        return _languages_in(self.headers.get("accept-language", ""))

    @cached_property
    def ip(self) -> tuple[int, int]:
        """The version of the IP address, 4 if it can be written so, and the address as a number; 0 if it is invalid."""
        with suppress(OSError):
            return 4, int.from_bytes(inet_pton(AF_INET, self.address), "big")
        try:
            address = ip_address(self.address)
        except ValueError:
            return 0, 0
        address = getattr(address, "ipv4_mapped", None) or address
        return address.version, int(address)

    @cached_property
    def referrer(self) -> str | None:
        """The host of the page that led here; None if there is none."""
        return referrer_host(self.headers.get("referer", ""))

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The parameters of the query; of several with one name, the last."""
        if not self.query:
            return {}
        try:
            return dict(parse_qsl(self.query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS))
        except ValueError:
            return {}


def drawn_variant(rule: RedirectRule, visitor: Visitor) -> Variant:
    """Return the variant that a visitor is given on this day: by chance, but the same at each scan."""
    ends = list(accumulate(one.weight for one in rule.variants))
    return rule.variants[bisect(ends, _drawn(visitor, b"variant") * ends[-1] >> 64)]


def first_rule(rules: tuple[RedirectRule, ...], visitor: Visitor) -> int | None:
    """Return the index of the first rule that applies to a visitor; None if none does."""
    for number, test in enumerate(_tests_of(rules)):
        if test(visitor):
            return number
    return None


Test = Callable[[Visitor], bool | None]
"""Whether a visitor is as a condition says; None if that is not known, which applies to nobody, negated or not."""

_tests: dict[int, tuple[tuple[RedirectRule, ...], list[Test]]] = {}
"""The tests of the rules that were asked last, by the identity of the rules, which are kept beside them."""


def _tests_of(rules: tuple[RedirectRule, ...]) -> list[Test]:
    """Return the test of each rule. The values of its conditions are parsed once and kept."""
    kept = _tests.get(id(rules))
    if kept is None:
        if len(_tests) >= MOST_COMPILED:
            _tests.clear()
        kept = _tests[id(rules)] = (rules, [_all_of(rule.conditions) for rule in rules])
    return kept[1]


def _all_of(conditions: Sequence[Condition]) -> Test:
    tests = [_test_of(one, conditions) for one in conditions]
    return tests[0] if len(tests) == 1 else lambda visitor: all(test(visitor) for test in tests)


def _test_of(condition: Condition, beside: Sequence[Condition]) -> Test:
    """Return the test of a condition; `beside` are all conditions of its rule."""
    if condition.type == "weekday":
        return _weekday(condition, beside)
    test = TESTS[condition.type](condition)
    return (lambda visitor: test(visitor) is False) if condition.is_negated else test


@lru_cache(4_096)
def _words_for(user_agent: str) -> frozenset[str]:
    parsed = parse_user_agent(user_agent)
    system = "linux" if parsed.system in LINUX else SYSTEMS.get(parsed.system or "", "")
    family = (parsed.browser or "").split(" ")[0].lower()
    words = {system, parsed.device, *({FAMILIES.get(family, family)} & set(BROWSERS))}
    return frozenset(words | {group for group, systems in GROUPS.items() if system in systems})


@lru_cache(4_096)
def _languages_in(accepted: str) -> frozenset[str]:
    parts = accepted.replace("_", "-").split(",", MOST_LANGUAGES)[:MOST_LANGUAGES]
    found = [match for part in parts if (match := _LANGUAGE.fullmatch(part))]
    tags = [one[1].lower().split("-") for one in found if float(one[2] or 1) >= LEAST_QUALITY]
    tags += [[OTHER_LANGUAGES[tag[0]], *tag[1:]] for tag in tags if tag[0] in OTHER_LANGUAGES]
    tags += [[tag[0], *tag[2:]] for tag in tags if len(tag) > 2 and len(tag[1]) == SCRIPT]  # zh-Hant-TW is also zh-TW
    return frozenset("-".join(tag[:length]) for tag in tags for length in range(1, len(tag) + 1))


def _among(attribute: str) -> Callable[[Condition], Test]:
    def test_of(condition: Condition) -> Test:
        values, words = condition.values, attrgetter(attribute)
        return lambda visitor: not values.isdisjoint(words(visitor))

    return test_of


def _named(attribute: str, *given: str) -> Callable[[Condition], Test]:
    """Make tests of the value with the name of a condition, which is one of the values given here, or of its own."""

    def test_of(condition: Condition) -> Test:
        name, values, found = condition.match_key, given or condition.match_value, attrgetter(attribute)
        return lambda visitor: found(visitor).get(name) in values

    return test_of


def _query_of_any_value(condition: Condition) -> Test:
    name = condition.match_key
    return lambda visitor: name in visitor.parameters


def _address(condition: Condition) -> Test:
    networks = [networks_in(value) for value in condition.match_value]
    bounds = [(one.version, int(one.netmask), int(one.network_address)) for one in networks]

    def test(visitor: Visitor) -> bool | None:
        version, number = visitor.ip
        for known, mask, first in bounds:
            if known == version and number & mask == first:
                return True
        return False if version else None

    return test


def _place(part: str) -> Callable[[Condition], Test]:
    def test_of(condition: Condition) -> Test:
        values = condition.values | {OTHER_COUNTRIES.get(value, value) for value in condition.values}

        def test(visitor: Visitor) -> bool | None:
            found = getattr(visitor.located, part)
            return None if found is None else found.lower() in values

        return test

    return test_of


def _referrer(condition: Condition) -> Test:
    values = {value.removeprefix("*.") for value in condition.values}
    ends = tuple(f".{value}" for value in values)
    return lambda visitor: (host := visitor.referrer) is not None and (host in values or host.endswith(ends))


def _visitor(condition: Condition) -> Test:
    values = condition.values
    return lambda visitor: ("new" if visitor.is_new() else "returning") in values


def _number(condition: Condition) -> Test:
    which, ranges = condition.match_key == "day", [numbers_in(value) for value in condition.match_value]

    def test(visitor: Visitor) -> bool:
        number = visitor.number[which]
        return any(
            number >= first and (last is None or number <= last) and (number - first) % step == 0
            for first, last, step in ranges
        )

    return test


def _before(condition: Condition) -> Test:
    last = max(utc(datetime.fromisoformat(value)) for value in condition.match_value)
    return lambda visitor: visitor.moment < last


def _after(condition: Condition) -> Test:
    first = min(utc(datetime.fromisoformat(value)) for value in condition.match_value)
    return lambda visitor: visitor.moment > first


def _weekday(condition: Condition, beside: Sequence[Condition]) -> Test:
    """Make the test of a weekday. Hours over midnight in the same rule belong to the day on which they begin."""
    values, key = condition.values, condition.match_key or "UTC"
    hours = [one for one in beside if one.type == "hours" and (one.match_key or "UTC") == key]
    spans, zone = [hours_in(value) for one in hours for value in one.match_value], zone_of(key)

    def test(visitor: Visitor) -> bool:
        local = visitor.moment.astimezone(zone)
        minute, today = _minute(local), local.weekday()
        days = {today - (minute < last < first) for first, last in spans if _is_within(minute, first, last)}
        return any((WEEKDAYS[day] in values) is not condition.is_negated for day in days or {today})

    return test


def _hours(condition: Condition) -> Test:
    spans, zone = [hours_in(value) for value in condition.match_value], zone_of(condition.match_key or "UTC")

    def test(visitor: Visitor) -> bool:
        minute = _minute(visitor.moment.astimezone(zone))
        return any(_is_within(minute, first, last) for first, last in spans)

    return test


def _is_within(minute: int, first: int, last: int) -> bool:
    return first <= minute < last if first < last else minute >= first or minute < last


def _minute(local: datetime) -> int:
    return local.hour * 60 + local.minute


def _drawn(visitor: Visitor, purpose: bytes = b"") -> int:
    """Return 64 bits by chance, the same for a visitor all day, and others for each QR Code and each purpose."""
    key = visitor.key.to_bytes(8, "big")
    digest = blake2b(visitor.short_code.encode(), digest_size=8, key=key, person=purpose)
    return int.from_bytes(digest.digest(), "big")


def _share(condition: Condition) -> Test:
    shares = [share_in(value) for value in condition.match_value]

    def test(visitor: Visitor) -> bool:
        # The same for all rules of a QR Code, so that 0-30 and 30-60 are different visitors.
        drawn = _drawn(visitor) * 100 / 2**64
        return any(low <= drawn < high for low, high in shares)

    return test


TESTS: dict[str, Callable[[Condition], Test]] = {
    "device": _among("device"),
    "browser": _among("device"),
    "language": _among("languages"),
    "query-param": _named("parameters"),
    "any-value-query-param": _query_of_any_value,
    "valueless-query-param": _named("parameters", ""),
    "ip-address": _address,
    "geolocation-country-code": _place("country"),
    "geolocation-region-name": _place("region"),
    "geolocation-city-name": _place("city"),
    "referrer-host": _referrer,
    "visitor": _visitor,
    "scan-number": _number,
    "before-date": _before,
    "after-date": _after,
    "hours": _hours,
    "gs1-element": _named("elements"),
    "share": _share,
}
"""Makes the test of a condition, by its type; that of a weekday depends on the conditions beside it."""
