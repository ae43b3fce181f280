"""Reads files that may be damaged, on which DuckDB may crash; the script of a worker process.

A request is JSON: the files to attach, by name, and a statement with its parameters. The connection is kept for the
next request with the same files, and closed after a fatal error.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import duckdb

MOST_MEMORY = None
"""No limit: only owners of a store ask, and reading a large file takes memory."""
FATAL = (duckdb.FatalException, duckdb.InternalException)
"""Errors after which DuckDB refuses all further work on the files of a connection."""


class _Reader:
    def __init__(self) -> None:
        self._files: dict[str, str] | None = None
        self._open = ExitStack()

    def answer(self, files: dict[str, str], sql: str, parameters: list[Any]) -> tuple[int, object]:
        """Run a statement and return 0 and its rows, or 1 and the class and the message of its error."""
        try:
            if files != self._files:
                self._attach(files)
            cursor = self._connection.execute(sql, parameters)
            names = [column[0] for column in cursor.description or ()]
            return 0, [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        except Exception as error:  # a text that is not UTF-8, for example
            if isinstance(error, FATAL) or files != self._files:
                self._close()
            return 1, [type(error).__name__, str(error)]

    def _attach(self, files: dict[str, str]) -> None:
        self._close()
        self._connection = self._open.enter_context(duckdb.connect(":memory:"))
        for name, path in files.items():
            self._connection.execute(f"ATTACH ? AS {name}{' (READ_ONLY)' if name == 'old' else ''}", [path])
        self._files = files

    def _close(self) -> None:
        self._open.close()
        self._files = None


_reader = _Reader()


def answer(request: bytes) -> tuple[int, bytes]:
    """Run a statement and return its rows, or its error, as JSON."""
    outcome, found = _reader.answer(**json.loads(request))
    return outcome, json.dumps(found, default=str).encode()
