"""Reads when and for whom the links of other tools lead where, as rules, times, limits and passwords of QR Codes.

Shlink: `ShortUrlDataTransformer` writes `meta` and `hasRedirectRules`, `RedirectCondition` the conditions of
`redirectRules`. Dub: `LinkSchema` has `ios`, `android`, `geo`, `expiresAt`, `expiredUrl`, `password` and
`testVariants`, and `LinkMiddleware` asks for them in the order expired, iOS, Android, country, variants. Kutt:
`sanitize.link` has `expire_in` and `banned`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from qrkit.exchange.columns import HEADINGS
from qrkit.tracking.redirect_rules import MOST_VARIANTS

SINCE, UNTIL = ("meta.validSince", "validsince"), ("meta.validUntil", "validuntil")
LIMIT, LIMIT_A_DAY = ("meta.maxVisits", "maxvisits"), ("maxvisitsaday",)
LIMITS = frozenset((*SINCE, *UNTIL, *LIMIT, *LIMIT_A_DAY))
_WORDS: dict[str, Any] = HEADINGS["terms"]
_COUNTED, _NUMBER, _LARGEST, _DAY = (f"({'|'.join(_WORDS[part])})" for part in ("counted", "number", "largest", "day"))
_MOST = f"{_NUMBER}?{_LARGEST}{_NUMBER}?"
_MOST_COUNTED = f"({_MOST}(of|de|di|d|der|van)?(qr)?{_COUNTED}|(qr)?{_COUNTED}{_MOST})"
_NAMED = {
    "validsince": "|".join(_WORDS["valid_since"]),
    "validuntil": "|".join(_WORDS["valid_until"]),
    "password": "|".join(_WORDS["password"]),
    "maxvisitsaday": f"{_MOST_COUNTED}(a|per|pro|par|por|al|na|je)?{_DAY}"
    f"|(daily|täglich(e|es|er)?|tages)((qr)?{_COUNTED})?{_LARGEST}|{_LARGEST}(a|per|pro|par|por|al){_DAY}",
    "maxvisits": _MOST_COUNTED,
}
"""The names of the times, the limits and the password in any language, as one name for each."""
OTHERWISE = ("expiredurl", "expirationurl")
DEVICES, OFF = _WORDS["devices"], _WORDS["off"]
RULES = ("redirectrules", "hasredirectrules")
TEST = ("testvariants", "teststartedat", "testcompletedat")
PASSWORD = frozenset({"password", "haspassword"})
NAMES = (*LIMITS, *OTHERWISE, *DEVICES, *OFF, *RULES, *PASSWORD, *TEST, "geo")
"""What is read here, or else refused, by plain name; a password must not become a field of its own."""
_NO_PASSWORD = re.compile(r".{0,3}|true|protected|enabled|\W+|[*•x]+|\$2.*", re.IGNORECASE)
"""What says that there is a password, but not which: also a hash."""

_ADDRESS = re.compile(r"\s*[a-z][a-z0-9+.-]+:\S", re.IGNORECASE)
"""How an address begins, also one that opens an app or a call: `intent:`, `tel:`."""


def term_named(name: str) -> str:
    """Return the one name of a time, a limit or a password with this plain name in some language; else the name."""
    return next((term for term, names in _NAMED.items() if re.fullmatch(names, name)), name)


Find = Callable[[Mapping[str, Any], tuple[str, ...]], str]


def read_terms(link: Mapping[str, Any], text: Find, moment: Find) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the cells of a link's terms under our column names, and the link (by plain name) without what they say."""
    cells: dict[str, str] = {}
    read: set[str] = set()
    for column, find, names in (
        ("Valid Since (UTC)", moment, SINCE),
        ("Valid Until (UTC)", moment, UNTIL),
        ("Limit", text, LIMIT),
        ("Limit a Day", text, LIMIT_A_DAY),
        ("Otherwise", text, OTHERWISE),
    ):
        if cell := find(link, names):
            cells[column] = cell
            read |= {*names}
    rules = link.get("redirectrules")
    if isinstance(rules, list):
        read |= {*RULES}
    else:
        rules = _targets(link, read) + _variants(link, read, moment)
    if off := [name for name in OFF if name in link]:
        cells["Active"] = "false"
        read |= {*off}
    password = text(link, ("password",))
    if not _NO_PASSWORD.fullmatch(password):
        cells["Password"] = password
        read |= PASSWORD
    if rules:
        cells["Rules"] = json.dumps(rules, ensure_ascii=False)
    return cells, _without(link, read)


def _targets(link: Mapping[str, Any], read: set[str]) -> list[dict[str, Any]]:
    """Return the rules that the targets of a link by device and country are, and add their names to `read`."""
    rules = []
    for name, device in DEVICES.items():
        target = link.get(name)
        if isinstance(target, str) and _ADDRESS.match(target):
            rules.append({"conditions": [{"type": "device", "matchValue": device}], "content": target.strip()})
            read.add(name)
    countries = link.get("geo")
    if isinstance(countries, dict) and all(isinstance(one, str) for one in countries.values()):
        read.add("geo")
        rules += [
            {"conditions": [{"type": "geolocation-country-code", "matchValue": country}], "content": target}
            for country, target in countries.items()
            if target
        ]
    return rules


def _variants(link: Mapping[str, Any], read: set[str], moment: Find) -> list[dict[str, Any]]:
    """Return the rule that the variants of a link are, until their test ends, and add their names to `read`."""
    given = link.get("testvariants")
    if (
        not isinstance(given, list)
        or not 2 <= len(given) <= MOST_VARIANTS
        or not all(isinstance(one, dict) for one in given)
    ):
        return []
    read |= {*TEST}
    end = moment(link, ("testcompletedat",))
    named = zip("ABCDEFGHIJ", given, strict=False)
    variants = [{"name": name, "content": one.get("url"), "weight": one.get("percentage")} for name, one in named]
    until = [{"type": "before-date", "matchValue": f"{end.replace(' ', 'T')}Z"}] if end else []
    return [{"conditions": until, "variants": variants}]


def _without(link: Mapping[str, Any], read: set[str]) -> dict[str, Any]:
    inner = {name.partition(".")[2] for name in read if "." in name}
    return {
        name: {key: one for key, one in value.items() if key not in inner} if name == "meta" else value
        for name, value in link.items()
        if name not in read and (name != "meta" or isinstance(value, dict))
    }
