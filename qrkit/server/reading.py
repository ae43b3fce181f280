"""A query string -> named texts, texts -> values, a body -> JSON. The rules of the values stand in the models."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import isfinite
from typing import Any
from urllib.parse import unquote_to_bytes

from qrkit.errors import AddressTooLong, BadRequest, InvalidParameter, Problem

__all__ = ["flag", "json_object", "pairs", "whole"]

LONGEST_QUERY = 16_384
MOST_PARAMETERS = 50
MOST_DEPTH = 24
"""Of objects and lists inside each other in a body."""
MOST_VALUES = 20_000
"""Of a body: members of all its objects and entries of all its lists."""
MOST_COMMAS = 10 * MOST_VALUES
"""Of a body: a million values would take a second to read, before they could be counted. Texts have commas, too."""
LONGEST_NAME = 60
"""Characters of a name that an error repeats."""
LONGEST_NUMBER = 300
"""Digits: any such number can be converted to a float."""

OLD_ESCAPE = re.compile("%u[0-9A-Fa-f]{4}")
ESCAPED = re.compile("%u([0-9A-Fa-f]{4})|%([0-9A-Fa-f]{2})")
OLD_SPELLING = "is not percent-encoded UTF-8; it was read as units of UTF-16 (%uXXXX) and Latin-1 (%XX)"


def pairs(query: str, told: list[str] | None = None) -> dict[str, str]:
    """The parameters of a query string, their names in lower case; an empty value counts as absent (ruling H5).

    Errors and warnings name no values: one of them may be an API key (ruling T14).

    Args:
        query: As it was sent, its bytes as Latin-1, as a WSGI server hands them on.
        told: Takes sentences on what was read in the spelling of old scripts (ruling H8).

    Raises:
        AddressTooLong: It is too long.
        InvalidParameter: It has too many parameters, cannot be decoded, or gives a parameter twice.
    """
    if len(query) > LONGEST_QUERY:
        raise AddressTooLong(f"the query has {len(query)} characters; at most {LONGEST_QUERY} are taken")
    parts = [part for part in query.split("&") if part]
    if len(parts) > MOST_PARAMETERS:
        rule = f"has {len(parts)} parameters; at most {MOST_PARAMETERS}"
        raise InvalidParameter(Problem("query", None, rule, "too-many-parameters"))
    found: dict[str, str] = {}
    for part in parts:
        raw_name, _, raw_value = part.partition("=")
        name = _decoded(raw_name, raw_name).lower()
        if name in found:
            raise InvalidParameter(Problem(name, None, "is given twice", "duplicate-parameter"))
        found[name] = _decoded(raw_value, name)
        if told is not None and (_is_old(raw_name) or _is_old(raw_value)):
            told.append(f"{name}: {OLD_SPELLING}")
    return {name: value for name, value in found.items() if value}


def _decoded(text: str, name: str) -> str:
    try:
        if _is_old(text):
            return _unescaped(_bytes(text).decode("utf-8"))
        return unquote_to_bytes(_bytes(text)).decode("utf-8")
    except UnicodeError as error:
        raise InvalidParameter(Problem(name, None, "must be percent-encoded UTF-8", "bad-encoding")) from error


def _bytes(text: str) -> bytes:
    """What was sent, with spaces for plus signs."""
    return text.replace("+", " ").encode("latin-1")


def _is_old(text: str) -> bool:
    """Whether a text is percent-encoded as old scripts do it (ruling H8): with `%uXXXX`, or with bytes of Latin-1."""
    if OLD_ESCAPE.search(text):
        return True
    try:
        unquote_to_bytes(_bytes(text)).decode("utf-8")
    except UnicodeError:
        # Bare bytes that are no UTF-8 are no spelling of anything.
        return "%" in text
    return False


def _unescaped(text: str) -> str:
    """What `escape` of old scripts made of a text: units of UTF-16, those below 256 as two digits."""
    units = ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def whole(text: str, name: str) -> int:
    """A whole number, also as one client writes it, `3.0` (ruling G1).

    Raises:
        InvalidParameter: It is none.
    """
    digits = text.strip().removesuffix(".0")
    if not digits.removeprefix("-").isdecimal() or not digits.isascii() or len(digits) > 9:
        raise InvalidParameter(Problem(name, text, "must be a whole number", "wrong-type"))
    return int(digits)


def flag(text: str, name: str) -> bool:
    """`true` or `false` in any case, or `1` or `0` (ruling H5).

    Raises:
        InvalidParameter: It is neither.
    """
    value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
    if value is None:
        raise InvalidParameter(Problem(name, text, "must be true or false", "wrong-type"))
    return value


def json_object(body: bytes, *, what: str = "the body") -> dict[str, Any]:
    """The JSON object that a body holds: UTF-8, no name twice, no number that JSON does not have or that is too large.

    Args:
        body: Its bytes.
        what: What an error calls it.

    Raises:
        BadRequest: It is empty, no JSON, no object, nested too deeply, or has too many values.
    """
    if not body.strip():
        raise BadRequest(f"{what} is empty; a JSON object is needed", code="empty-body")
    if body.count(b",") > MOST_COMMAS:
        raise _too_large()
    try:
        found = json.loads(
            body.decode("utf-8-sig"),
            object_pairs_hook=_unique,
            parse_constant=_no_number,
            parse_float=_finite,
            parse_int=_whole,
        )
    except RecursionError as error:
        raise _too_deep() from error
    except UnicodeDecodeError as error:
        raise BadRequest(f"{what} is not JSON: byte {error.start} is no UTF-8", code="bad-json") from error
    except ValueError as error:
        raise BadRequest(f"{what} is not JSON: {error}", code="bad-json") from error
    if not isinstance(found, dict):
        raise BadRequest(f"{what} must be a JSON object", code="bad-json")
    _check_extent(found)
    return found


def _check_extent(found: dict[str, Any]) -> None:
    """Refuse what would take long to judge, or deeper recursion than there is."""
    level: list[Any] = [found]
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
    return BadRequest(f"the body has too many values; at most {MOST_VALUES:,} are taken", code="json-too-large")


def _too_deep() -> BadRequest:
    return BadRequest(f"the body is nested too deeply; at most {MOST_DEPTH} levels are taken", code="json-too-deep")


def _unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        counts = Counter(name for name, _ in members)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"a name is given twice: {twice[:LONGEST_NAME]!r}")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number is too large")
    return number


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError("a number is too large")
    return int(text)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")
