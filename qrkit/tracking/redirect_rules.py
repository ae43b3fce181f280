"""Rules that lead visitors of one QR Code to different contents: what they may say, and which of them never answer.

Types, `matchKey` and `matchValue` are those of Shlink, so that its rules are read as they are; types that Shlink does
not have follow its spelling.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cached_property, lru_cache
from hashlib import blake2b
from ipaddress import IPv4Network, IPv6Network, ip_network
from operator import itemgetter
from typing import Annotated, Any, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, model_validator

from qrkit.design.limits import Content, Length, Most, Text, Whole, Within
from qrkit.errors import InvalidParameter, nearest
from qrkit.model import UNLESS_EMPTY, Model, broken, plain
from qrkit.tracking.countries import is_country
from qrkit.tracking.times import utc, zone_of

__all__ = [
    "BROWSERS", "MOST_RULES", "MOST_VARIANTS", "NEEDS_A_NUMBER", "PLACES", "SCANS", "TYPES", "Condition", "GivenRules",
    "RedirectRule", "Rules", "Variant", "from_shlink", "hours_in", "needs_places", "networks_in",
    "numbers_in", "share_in", "unanswered",
]  # fmt: skip

MOST_RULES = 50
MOST_CONDITIONS = 20
MOST_VARIANTS = 10
MOST_WEIGHT = 10_000
MOST_DAYS_REMEMBERED = 365
MOST_VALUES = 300
"""Values of a condition: all countries fit."""
LONGEST_VALUE = 1_000
SHLINKS_OWN = ("longUrl", "priority")
"""What a rule of Shlink has, but none of ours."""

DEVICES = (
    "android", "ios", "windows", "macos", "linux", "chromeos", "mobile", "desktop", "phone", "tablet", "computer",
)  # fmt: skip
BROWSERS = ("android_browser", "chrome", "edge", "firefox", "opera", "safari", "samsung_internet")
VISITORS = ("new", "returning")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SCANS = ("", "all", "day")

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_COUNTRY = re.compile(r"[A-Za-z]{2}")
_HOST = re.compile(r"[^\s/:@]+")
_HOURS = re.compile(r"([01]?\d|2[0-4]):([0-5]\d) *[-\u2013] *([01]?\d|2[0-4]):([0-5]\d)", re.ASCII)
_NUMBERS = re.compile(r"every ([1-9]\d{0,8})|([1-9]\d{0,11})(?:-([1-9]\d{0,11})?)?")
_SHARE = re.compile(r"(?:(\d{1,3}(?:\.\d{1,4})?)-)?(\d{1,3}(?:\.\d{1,4})?)")
_ANY_OCTETS = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,2})((?:\.\*){1,3})")
MINUTES_A_DAY = 1_440


def hours_in(text: str) -> tuple[int, int]:
    """Return the minutes of the day at which hours such as `18:00-02:00` begin and end.

    Raises:
        ValueError: If the text says none.
    """
    found = _HOURS.fullmatch(text)
    if not found:
        raise ValueError
    hour, minute, last_hour, last_minute = map(int, found.groups())
    first, last = hour * 60 + minute, last_hour * 60 + last_minute
    if first == last or first >= MINUTES_A_DAY or last > MINUTES_A_DAY:
        raise ValueError
    return first, last


def numbers_in(text: str) -> tuple[int, int | None, int]:
    """Return the first and the last number, None for no end, and the step of `7`, `1-100`, `101-` or `every 10`.

    Raises:
        ValueError: If the text says none.
    """
    found = _NUMBERS.fullmatch(text)
    if not found:
        raise ValueError
    step, first, last = found.groups()
    if step:
        return int(step), None, int(step)
    if int(last or 0) < int(first) and last:
        raise ValueError
    return int(first), int(last) if last else None if text.endswith("-") else int(first), 1


def share_in(text: str) -> tuple[float, float]:
    """Return the percentages between which a visitor is drawn: `30` is 0 to 30, `30-60` is the next 30.

    Raises:
        ValueError: If the text says none.
    """
    found = _SHARE.fullmatch(text)
    low, high = (float(found[1] or 0), float(found[2])) if found else (0.0, 0.0)
    if not low < high <= 100:
        raise ValueError
    return low, high


@lru_cache(1_000)
def networks_in(text: str) -> IPv4Network | IPv6Network:
    """Return the network of an address, of a block such as `10.0.0.0/8`, or of a pattern such as `10.0.*.*`.

    Raises:
        ValueError: If the text says none.
    """
    if found := _ANY_OCTETS.fullmatch(text):
        octets = found[1].split(".")
        if len(octets) + found[2].count("*") != 4:
            raise ValueError
        text = f"{'.'.join([*octets, *['0'] * found[2].count('*')])}/{8 * len(octets)}"
    return ip_network(text, strict=False)


def _moment(text: str) -> datetime:
    return utc(datetime.fromisoformat(text))


class Type(NamedTuple):
    """What a type of condition says.

    Values and the key are what is allowed, in words; "" for a type without them. For a value that is not allowed,
    `check` returns False or None, or raises ValueError. Choices are the values, if they are a closed list.
    """

    label: str
    values: str = ""
    check: Callable[[str], object] = lambda _: True
    key: str = ""
    choices: tuple[str, ...] = ()


def _choice(label: str, choices: tuple[str, ...], key: str = "") -> Type:
    return Type(label, f"one of {', '.join(choices)}", lambda text: text.lower() in choices, key, choices)


TYPES = {
    "device": _choice("Device", DEVICES),
    "browser": _choice("Browser", BROWSERS),
    "language": Type("Language", "a language such as en or en-GB", _LANGUAGE.fullmatch),
    "query-param": Type("Query parameter", "the value of the parameter", key="the name of a parameter"),
    "any-value-query-param": Type("Query parameter with any value", key="the name of a parameter"),
    "valueless-query-param": Type("Query parameter without a value", key="the name of a parameter"),
    "ip-address": Type(
        "IP address", "an address, a block such as 10.0.0.0/8, or a pattern such as 10.0.*.*", networks_in
    ),
    "geolocation-country-code": Type("Country", "a country code of two letters, such as SI", _COUNTRY.fullmatch),
    "geolocation-region-name": Type("Region", "the name of a region"),
    "geolocation-city-name": Type("City", "the name of a city"),
    "referrer-host": Type(
        "Referring site", "a host, such as example.com, which includes www.example.com", _HOST.fullmatch
    ),
    "visitor": _choice("Visitor", VISITORS)._replace(values="new or returning (within a UTC day)"),
    "scan-number": Type("Number of the scan", "numbers such as 7, 1-100, 101- or every 10", numbers_in, "all or day"),
    "before-date": Type("Date before", "a date and time such as 2026-12-24T18:00:00Z", _moment),
    "after-date": Type("Date after", "a date and time such as 2026-12-24T18:00:00Z", _moment),
    "weekday": _choice("Weekday", WEEKDAYS, "a time zone"),
    "hours": Type("Time of day", "hours such as 18:00-02:00", hours_in, "a time zone"),
    "share": Type("Share of visitors", "a percentage of visitors such as 30, or a range such as 30-60", share_in),
    "gs1-element": Type(
        "Value of a GS1 element", "a value, such as a lot number", key="an application identifier such as 10"
    ),
}
"""The types of conditions by name."""
PLACES = "geolocation-"
"""How the types begin that ask where a visitor is."""
CASED = frozenset({"query-param", "gs1-element"})
"""The types whose values are case-sensitive."""
NEEDS_A_NUMBER = frozenset({"scan-number"})


def _as_texts(value: Any) -> Any:
    """Return the values of a condition as texts; a single one needs no list, and numbers and dates need no quotes."""
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)  # as the order of a set differs between processes
    is_one = isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable)
    values = () if value is None else (value,) if is_one else value
    return tuple(str(one) if type(one) in (int, date, datetime) else one for one in values)


def _alone(values: tuple[str, ...]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)


def _refuse(rule: str, field: str = "match_value") -> None:
    raise broken(rule, field=field)


def _known(name: str) -> str:
    if name not in TYPES:
        raise broken(f"is not a type of condition; {nearest(name, TYPES)}")
    return name


_Key = Annotated[str, BeforeValidator(lambda key: "" if key is None else key), Length(0, 100), UNLESS_EMPTY]
_Value = Annotated[str, Length(0, LONGEST_VALUE)]
_Values = Annotated[
    tuple[_Value, ...],
    BeforeValidator(_as_texts),
    Most(0, MOST_VALUES),
    UNLESS_EMPTY,
    PlainSerializer(_alone, when_used="json"),
    Field(json_schema_extra={"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class Condition(Model):
    """What a visitor must be like, or what the time must be, for a rule to answer.

    With several values, one of them is enough.
    """

    leading = "type"

    type: Annotated[str, AfterValidator(_known)] = Field(
        description="What is compared.", json_schema_extra={"enum": list(TYPES)}
    )
    match_key: _Key = Field(
        default="",
        description="The name of the query parameter, the time zone of weekdays and hours, or the scans to number.",
    )
    match_value: _Values = Field(
        default=(),
        description="The value, or several of which one is enough; an error says which are allowed.",
    )
    is_negated: Annotated[bool, UNLESS_EMPTY] = Field(default=False, description="Whether the condition must not hold.")

    @cached_property
    def values(self) -> frozenset[str]:
        """The values, in lower case where case does not matter."""
        return frozenset(value if self.type in CASED else value.lower() for value in self.match_value)

    @model_validator(mode="after")
    def _fits(self) -> Condition:
        kind = TYPES[self.type]
        if bool(kind.values) is not bool(self.match_value):
            _refuse(f"must be {kind.values}" if kind.values else "must be left out")
        for value in self.match_value:
            with suppress(ValueError, OverflowError):
                if kind.check(value):
                    continue
            _refuse(f"must be {kind.values}")
        if kind.key == "a time zone":
            try:
                zone_of(self.match_key or "UTC")
            except InvalidParameter as error:
                _refuse(error.problems[0].rule, "match_key")
        elif self.type in NEEDS_A_NUMBER:
            if self.match_key not in SCANS:
                _refuse("must be all or day", "match_key")
        elif bool(kind.key) is not bool(self.match_key):
            _refuse(f"must be {kind.key}" if kind.key else "must be left out", "match_key")
        return self


class Variant(Model):
    """One of the contents among which a rule splits its visitors."""

    name: Annotated[str, Length(1, 100)] = Field(description="Name of the variant, unique within the rule.")
    content: Content = Field(description="Content that the short URL serves to its visitors.")
    weight: Annotated[Whole, Within(1, MOST_WEIGHT, "parts")] = Field(
        default=1, description="Its part of the visitors, compared with the weights of the others."
    )


class RedirectRule(Model):
    """A content, or several variants, for the visitors to whom all conditions apply.

    Of several rules, the first that applies answers. Only a rule with variants goes without conditions: it splits
    everybody. Each visitor gets one variant for the whole UTC day, without a cookie.
    """

    conditions: Annotated[tuple[Condition, ...], Most(0, MOST_CONDITIONS)] = Field(
        default=(), description="Conditions, all of which must apply: at least one, unless there are variants."
    )
    content: Annotated[Text, UNLESS_EMPTY] = Field(
        default="",
        description="Content that the short URL serves to them: a URL, or text to show. Left out with variants.",
    )
    variants: Annotated[tuple[Variant, ...], Most(0, MOST_VARIANTS), UNLESS_EMPTY] = Field(
        default=(),
        description="Two to ten contents with names and weights, one of which each visitor is given by chance.",
    )
    remember_days: Annotated[Whole, Within(0, MOST_DAYS_REMEMBERED, "days"), UNLESS_EMPTY] = Field(
        default=0,
        description="How many days a cookie keeps the variant of a visitor; by default, there is no cookie.",
    )

    def __str__(self) -> str:
        return " and ".join(map(describe, self.conditions)) or "everybody"

    @model_validator(mode="after")
    def _has_contents(self) -> Self:
        if not self.variants:
            if not self.conditions:
                _refuse(f"must have 1..{MOST_CONDITIONS} entries, not 0", "conditions")
            if not self.content:
                _refuse("must not be empty", "content")
            if self.remember_days:
                _refuse("goes with variants only", "remember_days")
            return self
        if len(self.variants) == 1:
            _refuse(f"must have 2..{MOST_VARIANTS} entries, not 1", "variants")
        if self.content:
            _refuse("must be left out, because the variants have the contents", "content")
        if len({one.name for one in self.variants}) < len(self.variants):
            _refuse("must have different names", "variants")
        return self

    @cached_property
    def split(self) -> int:
        """A number of 31 bits for these variants, with their names, contents and weights; 0 without variants."""
        text = json.dumps([plain(one) for one in self.variants]).encode()
        return int.from_bytes(blake2b(text, digest_size=4).digest(), "big") >> 1 or 1 if self.variants else 0


def needs_places(rules: GivenRules) -> bool:
    """Return whether rules ask where a visitor is."""
    return f'"{PLACES}' in json.dumps([plain(rule) for rule in rules])


def describe(condition: Condition) -> str:
    """Say a condition in a few words."""
    told = " or ".join(condition.match_value)
    key = f" ({condition.match_key})" if condition.match_key else ""
    return f"{'not ' if condition.is_negated else ''}{condition.type}{key}{f' {told}' if told else ''}"


def from_shlink(given: Any) -> Any:
    """Convert rules as Shlink lists them, with `longUrl` and `priority`; return anything else unchanged."""
    if not isinstance(given, list) or not any(isinstance(one, dict) and "longUrl" in one for one in given):
        return given
    rules = given[: MOST_RULES + 1]
    if all(isinstance(one, dict) and isinstance(one.get("priority"), int) for one in rules):
        rules.sort(key=itemgetter("priority"))  # else they answer in the order of the list
    return list(map(_renamed, rules))


def _renamed(rule: Any) -> Any:
    if not isinstance(rule, dict) or "longUrl" not in rule:
        return rule
    return {name: one for name, one in rule.items() if name not in SHLINKS_OWN} | {"content": rule["longUrl"]}


GivenRules = Sequence[RedirectRule | Mapping[str, Any]]
"""Rules as they are given."""
Rules = Annotated[tuple[RedirectRule, ...], BeforeValidator(from_shlink), Most(0, MOST_RULES)]


def unanswered(rules: Sequence[RedirectRule]) -> Iterator[tuple[int, str]]:
    """Yield the index of each rule that never answers, with the reason."""
    for number, rule in enumerate(rules):
        if reason := _contradiction(rule):
            yield number, reason
            continue
        hidden_by = next((other for other in range(number) if _includes(rules[other], rule)), None)
        if hidden_by is not None:
            yield number, f"rule {hidden_by + 1} applies to all of its visitors and comes first"


def _contradiction(rule: RedirectRule) -> str:
    """Return why the conditions of a rule exclude each other; "" if they do not."""
    wanted: dict[tuple[str, str], set[str]] = {}
    refused: dict[tuple[str, str], set[str]] = {}
    first, last = None, None
    for one in rule.conditions:
        values = set(one.values)
        if one.type in ("before-date", "after-date"):
            moments = [_moment(value) for value in one.match_value]
            is_before = (one.type == "before-date") is not one.is_negated
            # Of several values one is enough, and all of a negated condition must fail.
            bound = max(moments) if is_before else min(moments)
            first, last = (first, min(last or bound, bound)) if is_before else (max(first or bound, bound), last)
        elif one.is_negated:
            refused.setdefault((one.type, one.match_key), set()).update(values)
        elif one.type in EXCLUSIVE:
            known = wanted.get((one.type, one.match_key), values)
            wanted[one.type, one.match_key] = known & values
            if not known & values:
                return f"no visitor has two of a {one.type}"
        if one.type == "geolocation-country-code" and not any(map(is_country, one.match_value)):
            return f"no country has the code {', '.join(one.match_value)}"
    if first and last and first >= last:
        return "it ends before it begins"
    for key, values in wanted.items():
        if values <= refused.get(key, set()):
            return f"what it wants of {key[0]}, it also excludes"
    return ""


EXCLUSIVE = frozenset({
    "browser", "geolocation-country-code", "geolocation-region-name", "geolocation-city-name", "visitor", "weekday",
    "query-param", "gs1-element",
})  # fmt: skip
"""Types of which a visitor has one value at most."""


def _includes(wider: RedirectRule, narrower: RedirectRule) -> bool:
    """Whether a rule applies to every visitor to whom another one applies, as far as their texts tell."""
    return all(any(_implies(one, other) for one in narrower.conditions) for other in wider.conditions)


def _implies(one: Condition, other: Condition) -> bool:
    if (one.type, one.match_key, one.is_negated) != (other.type, other.match_key, other.is_negated):
        return False
    return other.values <= one.values if one.is_negated else one.values <= other.values
