"""A cursor of PostgreSQL that takes statements and values as one of DuckDB does, and texts with any character."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from qrkit.store.engine import Parameters

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["ESCAPE", "ServerCursor", "adapt"]

ESCAPE = "\U0010ffff"
"""A character that Unicode will never give to anything."""


class ServerCursor:
    """A cursor of psycopg that takes values as `?` and `$name`, as DuckDB does."""

    def __init__(self, connection: Connection[Any]) -> None:
        self.connection = connection
        self._cursor = connection.cursor()

    def execute(self, query: str, parameters: Parameters = ()) -> None:
        """Run a statement."""
        found = _read(query)
        if not parameters:
            values = None
        elif isinstance(parameters, dict):
            values = [parameters[name] for name in found.names]
        else:
            values = list(parameters)
        self._cursor.execute(found.sql, values)

    @property
    def description(self) -> Any:
        """Of each column of the answer a tuple that begins with its name."""
        return self._cursor.description

    def fetchall(self) -> list[Any]:
        """The rows of the answer; none where the statement has no answer."""
        return self._cursor.fetchall() if self._cursor.description else []


class _Read(NamedTuple):
    """A statement with `$1` for its first value, and the names of the values."""

    sql: str
    names: tuple[str, ...]


_PLACES = re.compile(r"'(?:[^']|'')*'|--[^\n]*|\$\$.*?\$\$|\?|\$([a-z_]+)", re.DOTALL)
"""Texts, comments and bodies of functions, in which nothing is a value; and what is."""


@lru_cache(maxsize=512)
def _read(sql: str) -> _Read:
    names: list[str] = []
    count = 0

    def place(found: re.Match[str]) -> str:
        nonlocal count
        if found[0] == "?":
            count += 1
            return f"${count}"
        if found[1]:
            if found[1] not in names:
                names.append(found[1])
            return f"${names.index(found[1]) + 1}"
        return found[0]

    return _Read(_PLACES.sub(place, sql), tuple(names))


def adapt(connection: Connection[Any]) -> None:
    """Keep texts with U+0000, which PostgreSQL has not, and give whole numbers of any size as int."""
    from psycopg.adapt import Loader
    from psycopg.types.string import StrDumper

    class Written(StrDumper):
        def dump(self, obj: str) -> Any:
            return super().dump(_written(obj))

    class Read(Loader):
        def load(self, data: Any) -> str:
            return _read_text(bytes(data).decode())

    class Whole(Loader):
        def load(self, data: Any) -> int:
            return int(bytes(data))

    connection.adapters.register_dumper(str, Written)
    for kind in ("text", "varchar"):
        connection.adapters.register_loader(kind, Read)
    connection.adapters.register_loader("numeric", Whole)


def _written(text: str) -> str:
    """A text as PostgreSQL can keep it: U+0000 is written as `ESCAPE` and 0, `ESCAPE` itself as `ESCAPE` and 1."""
    if "\0" in text or ESCAPE in text:
        return text.replace(ESCAPE, f"{ESCAPE}1").replace("\0", f"{ESCAPE}0")
    return text


def _read_text(text: str) -> str:
    """The text that was written so."""
    return text.replace(f"{ESCAPE}0", "\0").replace(f"{ESCAPE}1", ESCAPE) if ESCAPE in text else text
