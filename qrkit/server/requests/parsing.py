"""Parses query strings, the values in them, and JSON bodies. The models validate the values."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from qrkit.design.limits import read_whole
from qrkit.errors import AddressTooLong, BadRequest, InvalidParameter, Problem

if TYPE_CHECKING:
    from qrkit.pictures.printing import PrintSize


LONGEST_QUERY = 16_384
MOST_PARAMETERS = 50
MOST_DEPTH = 24
"""Maximum nesting of objects and lists in a body."""
MOST_VALUES = 20_000
"""Maximum number of values in a body: members of all objects and items of all lists."""
MOST_COMMAS = 10 * MOST_VALUES
"""Maximum number of commas in a body, including strings: parsing a million values just to count them takes a second."""
LONGEST_NAME = 60
"""Maximum characters of a name that an error repeats."""
MOST_DIGITS = 9
"""Maximum digits of a whole number in a query; no parameter but the ID of an event needs more."""
LONGEST_NUMBER = 300
"""Maximum digits; a number of this length can still be converted to a float."""

GZIP = b"\x1f\x8b"
NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,30})?")
GUID = re.compile("[0-9a-f]{8}(-?)(?:[0-9a-f]{4}\\1){3}[0-9a-f]{12}", re.IGNORECASE)
"""Our IDs, as programs also write them."""
FIELDS_OF_IDS = ("campaignId", "qrcodeId")
OLD_ESCAPE = re.compile("%u[0-9A-Fa-f]{4}")
FORM_FIELD = re.compile(rb"[\w.%+\[\]-]+=")
"""Matches the first field of an HTML form, which many clients send unless they are told to send JSON."""
OTHER_JSON = {list: ", not a list", str: ", not a text; was it encoded as JSON twice?", type(None): ", not null"}
"""What errors add about other values in JSON."""
ESCAPED = re.compile("%u([0-9A-Fa-f]{4})|%([0-9A-Fa-f]{2})")
OLD_SPELLING = "is not percent-encoded UTF-8; it was read as units of UTF-16 (%u20AC) and Latin-1 (%E9)"
MOST_ACCEPTED = 50
"""Values of an `Accept` or `Accept-Language` header that are read."""
_OTHERS = r"(?:;(?!\s*q\s*=)[^;]*)*"
_WEIGHT = rf";\s*q\s*=\s*(0(?:\.[0-9]{{0,3}})?|1(?:\.0{{0,3}})?)\s*{_OTHERS}"
_ACCEPTED = re.compile(rf"\s*([^\s;]{{1,100}})\s*{_OTHERS}(?:{_WEIGHT})?")
ANY = ("*", "*/*", "undefined")
"""Values that accept anything; a helper of GS1's test suite sends the last one."""


@lru_cache(maxsize=256)  # few headers are common
def accepted(header: str) -> tuple[str, ...]:
    """Return the values of an `Accept` or `Accept-Language` header, in order of preference, in lower case.

    Parts of the header whose weight is malformed are ignored (RFC 9110, section 12.4.2).
    """
    matches = filter(None, map(_ACCEPTED.fullmatch, header.lower().split(",", MOST_ACCEPTED)[:MOST_ACCEPTED]))
    found = sorted(((match[1], float(match[2] or 1)) for match in matches), key=lambda one: -one[1])
    return tuple(name for name, weight in found if weight and name not in ANY)


def plain_id(text: str) -> str:
    """Return an ID as we write it, which clients may write in capitals and with hyphens, as a GUID."""
    return text.lower().replace("-", "") if GUID.fullmatch(text) else text


def with_plain_ids(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a body with their IDs as we write them."""
    ids = {name: plain_id(fields[name]) for name in FIELDS_OF_IDS if isinstance(fields.get(name), str)}
    return {**fields, **ids}


def pairs(query: str, told: list[str] | None = None) -> dict[str, str]:
    """Parse a query string to its parameters, with names in lower case. An empty value counts as absent.

    Errors and warnings never contain values, because one of them may be an API key. The query is decoded as Latin-1, as
    WSGI servers provide it. `told` collects warnings about the outdated encoding of old scripts.
    """
    if len(query) > LONGEST_QUERY:
        raise AddressTooLong(f"the query has {len(query)} characters; at most {LONGEST_QUERY} are allowed")
    parts = [part for part in query.split("&") if part]
    if len(parts) > MOST_PARAMETERS:
        rule = f"has {len(parts)} parameters; at most {MOST_PARAMETERS} are allowed"
        raise InvalidParameter(Problem("query", None, rule, "too-many-parameters"))
    parameters: dict[str, str] = {}
    for part in parts:
        raw_name, _, raw_value = part.partition("=")
        name = _decode(raw_name, raw_name).lower()
        if name in parameters:
            raise InvalidParameter(Problem(name, None, "is given twice", "duplicate-parameter"))
        parameters[name] = _decode(raw_value, name)
        if told is not None and (_is_old(raw_name) or _is_old(raw_value)):
            told.append(f"{name}: {OLD_SPELLING}")
    return {name: value for name, value in parameters.items() if value}


def _decode(text: str, name: str) -> str:
    try:
        sent = _bytes(text)
        return _unescape(sent.decode("utf-8")) if _is_old(text) else unquote_to_bytes(sent).decode("utf-8")
    except UnicodeError as error:
        raise InvalidParameter(Problem(name, None, "must be percent-encoded UTF-8", "bad-encoding")) from error


def _bytes(text: str) -> bytes:
    """Return the bytes as sent, with plus signs replaced by spaces."""
    return text.replace("+", " ").encode("latin-1")


def _is_old(text: str) -> bool:
    """Whether a string is percent-encoded the way old scripts do it: with `%u20AC`, or with bytes of Latin-1."""
    if OLD_ESCAPE.search(text):
        return True
    try:
        unquote_to_bytes(_bytes(text)).decode("utf-8")
    except UnicodeError:
        # Raw bytes that are not UTF-8 are not valid in any encoding.
        return "%" in text
    return False


def _unescape(text: str) -> str:
    """Decode the output of JavaScript's `escape`: UTF-16 code units, those below 256 as two hex digits."""
    units = ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def whole(text: str, name: str, digits: int = MOST_DIGITS) -> int:
    """Parse a whole number of at most nine digits, or of more, which may be written as `3.0`."""
    number = read_whole(text.strip())
    if number is None or abs(number) >= 10**digits:
        raise InvalidParameter(Problem(name, text, "must be a whole number", "wrong-type"))
    return number


def flag(text: str, name: str) -> bool:
    """Parse `true` or `false` in any case, or `1` or `0`."""
    value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
    if value is None:
        raise InvalidParameter(Problem(name, text, "must be true or false", "wrong-type"))
    return value


def print_size(parameters: Mapping[str, str]) -> PrintSize | None:
    """Parse the parameters `sizeMm` and `dpi`; None if there are none."""
    from qrkit.pictures.printing import PrintSize

    texts = {name: parameters[name.lower()] for name in ("sizeMm", "dpi") if name.lower() in parameters}
    given: dict[str, Any] = {name: float(text) if NUMBER.fullmatch(text) else text for name, text in texts.items()}
    return PrintSize(**given) if given else None


def json_object(body: bytes, *, what: str = "the body") -> dict[str, Any]:
    """Parse a JSON object in UTF-8. Duplicate names, NaN, infinity and numbers that are too large are errors.

    Errors are BadRequest, and call the body `what`.
    """
    if not body.strip():
        raise BadRequest(f"{what} is empty; a JSON object is needed", code="empty-body")
    if body.startswith(GZIP):
        raise BadRequest(f"{what} is compressed with gzip; send it uncompressed", code="bad-json")
    if body.count(b",") > MOST_COMMAS:
        raise _too_large()
    try:
        value = json.loads(
            body.decode("utf-8-sig"),
            object_pairs_hook=_to_unique_dict,
            parse_constant=_reject_constant,
            parse_float=_parse_float,
            parse_int=_parse_int,
        )
    except RecursionError as error:
        raise _too_deep() from error
    except UnicodeDecodeError as error:
        raise BadRequest(f"{what} is not JSON: byte {error.start} is not UTF-8", code="bad-json") from error
    except ValueError as error:
        words = "a form; a JSON object is needed" if FORM_FIELD.match(body) else f"not JSON: {error}"
        raise BadRequest(f"{what} is {words}", code="bad-json") from error
    if not isinstance(value, dict):
        raise BadRequest(f"{what} must be a JSON object{OTHER_JSON.get(type(value), '')}", code="bad-json")
    _check_extent(value)
    return value


def _check_extent(value: dict[str, Any]) -> None:
    """Raise an error for a value that would take too long to validate or exceed the recursion limit."""
    level: list[Any] = [value]
    values = 0
    for _ in range(MOST_DEPTH):
        entries = [list(one.values()) if isinstance(one, dict) else one for one in level]
        values += sum(map(len, entries))
        if values > MOST_VALUES:
            raise _too_large()
        level = [one for inside in entries for one in inside if isinstance(one, dict | list)]
    if level:
        raise _too_deep()


def _too_large() -> BadRequest:
    return BadRequest(f"the body has too many values; at most {MOST_VALUES:,} are allowed", code="json-too-large")


def _too_deep() -> BadRequest:
    return BadRequest(f"the body is nested too deeply; at most {MOST_DEPTH} levels are allowed", code="json-too-deep")


def _to_unique_dict(members: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(members)
    if len(unique) < len(members):
        twice = next(name for name, count in Counter(name for name, _ in members).items() if count > 1)
        raise ValueError(f"a name is given twice: {twice[:LONGEST_NAME]!r}")
    return unique


def _parse_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number is too large")
    return number


def _parse_int(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError("a number is too large")
    return int(text)


def _reject_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")
