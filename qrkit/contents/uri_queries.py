"""Parses and writes the query of a URI, `name=value&name=value`, as payment and authenticator apps read it."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, unquote

__all__ = ["decode", "read_query", "write_query"]


def write_query(values: Iterable[tuple[str, str | None]], safe: str = "") -> str:
    """Write a query; values that are None or empty are left out, spaces are `%20`."""
    return "&".join(f"{name}={quote(value, safe=safe)}" for name, value in values if value)


def read_query(query: str) -> dict[str, str] | None:
    """Parse a query; None if a name is there twice or a value is not UTF-8, so that apps may read different values."""
    values: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        name, _, written = pair.partition("=")
        value = decode(written)
        if value is None or name in values:
            return None
        values[name] = value
    return values


def decode(written: str) -> str | None:
    """Decode percent-encoding; None if the result is not UTF-8."""
    try:
        return unquote(written, errors="strict")
    except UnicodeDecodeError:
        return None
