"""A PostgreSQL cursor with DuckDB's syntax for parameters, for text with any character, including U+0000."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from qrkit.store.engine import Parameters

if TYPE_CHECKING:
    from psycopg import Connection


ESCAPE = "\U0010ffff"
"""A code point that Unicode guarantees never to assign to a character."""
_NUL_IN_JSON = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
"""After an odd number of backslashes, because two of them are a backslash of the text itself."""


class ServerCursor:
    """A psycopg cursor that accepts the parameters `?` and `$name`, as DuckDB does."""

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
        """Return a tuple for each column of the result, starting with the column name."""
        return self._cursor.description

    def fetchall(self) -> list[Any]:
        """Return the rows of the result, or an empty list if the statement has no result."""
        return self._cursor.fetchall() if self._cursor.description else []

    def fetchmany(self, size: int) -> list[Any]:
        """Return the next rows of the result; all rows of it are in memory already."""
        return self._cursor.fetchmany(size)


class _Read(NamedTuple):
    """A statement with numbered parameters (`$1`), and the names of the parameters."""

    sql: str
    names: tuple[str, ...]


_PLACES = re.compile(r"'(?:[^']|'')*'|--[^\n]*|\$\$.*?\$\$|\?|\$([a-z_]+)", re.DOTALL)
"""Matches strings, comments and function bodies, which contain no parameters, and the parameters `?` and `$name`."""


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
    """Make a connection store text with U+0000, which PostgreSQL does not support, and read NUMERIC as int."""
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


def escape_json(text: str) -> str:
    """Replace U+0000 in JSON, which is written with six characters, with the character, which `adapt` escapes."""
    return _NUL_IN_JSON.sub("\\1\0", text) if "\\u0000" in text else text


def _written(text: str) -> str:
    """Escape text for PostgreSQL: U+0000 becomes `ESCAPE` followed by 0, and `ESCAPE` itself `ESCAPE` followed by 1."""
    if "\0" in text or ESCAPE in text:
        return text.replace(ESCAPE, f"{ESCAPE}1").replace("\0", f"{ESCAPE}0")
    return text


def _read_text(text: str) -> str:
    """Unescape text that `_written` escaped."""
    return text.replace(f"{ESCAPE}0", "\0").replace(f"{ESCAPE}1", ESCAPE) if ESCAPE in text else text
