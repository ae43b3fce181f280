"""A query string -> named texts, and texts -> values. The rules of the values themselves stand in the models."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from qrkit.errors import InvalidParameter, Problem

__all__ = ["flag", "pairs", "whole"]

LONGEST_QUERY = 16_384
MOST_PARAMETERS = 50


def pairs(query: str) -> dict[str, str]:
    """The parameters of a query string; an empty value counts as absent (ruling H5).

    Errors name no values: one of them may be an API key (ruling T14).

    Raises:
        InvalidParameter: It is too long, has too many parameters, is not UTF-8, or gives a parameter twice.
    """
    if len(query) > LONGEST_QUERY:
        rule = f"has {len(query)} characters; at most {LONGEST_QUERY}"
        raise InvalidParameter(Problem("query", None, rule, "uri-too-long"))
    parts = [part for part in query.split("&") if part]
    if len(parts) > MOST_PARAMETERS:
        rule = f"has {len(parts)} parameters; at most {MOST_PARAMETERS}"
        raise InvalidParameter(Problem("query", None, rule, "too-many-parameters"))
    found: dict[str, str] = {}
    for part in parts:
        name, _, value = part.partition("=")
        name, value = _decoded(name, name), _decoded(value, name)
        if name in found:
            raise InvalidParameter(Problem(name, None, "is given twice", "duplicate-parameter"))
        found[name] = value
    return {name: value for name, value in found.items() if value}


def _decoded(text: str, name: str) -> str:
    try:
        # A WSGI server hands the bytes of the request on as Latin-1.
        return unquote_to_bytes(text.replace("+", " ").encode("latin-1")).decode("utf-8")
    except UnicodeError as error:
        raise InvalidParameter(Problem(name, None, "must be percent-encoded UTF-8", "bad-encoding")) from error


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
