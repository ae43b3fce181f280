"""Writes texts into SQL where DuckDB takes no parameters: in views, and in COPY and SET with several values."""

from __future__ import annotations


def quoted(text: str) -> str:
    """Return a text as a literal of SQL: `'it''s'`."""
    return "'" + text.replace("'", "''") + "'"
