"""Runs statements on files that may be damaged, in a process of its own.

DuckDB trusts what a block with the right checksum holds. After a disk has misdirected a write, reading such a block may
end in a fatal error, after which the connection is of no use, or in a crash of the process. Here, either is the failure
of one statement, and the next one runs on a new connection.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from qrkit.processes import WorkerBroke, WorkerLate, Workers

LONGEST_SECONDS = 6 * 3_600.0
"""Time limit of a statement, because a damaged list may be endless."""

_workers = Workers(Path(__file__).with_name("damaged_files_worker.py"), 1)
_alone = threading.Lock()


class CannotRead(Exception):
    """A statement failed; `kind` is DuckDB's class of the error, empty if DuckDB crashed or took too long."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Ask(Protocol):
    """Runs a statement and returns its rows as dictionaries."""

    def __call__(self, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Run a statement."""


def can_read(ask: Ask, sql: str) -> bool:
    """Return whether a statement, which reads a part of a file, does not fail."""
    try:
        ask(sql)
    except CannotRead:
        return False
    return True


@contextmanager
def asking(**files: Path) -> Iterator[Ask]:
    """Context manager: yields a function that runs statements on database files, attached by name.

    No process may have the files open. The file `old` is only read.
    """
    attached = {name: str(path.absolute()) for name, path in files.items()}

    def ask(sql: str, parameters: Sequence[Any] = ()) -> Any:
        request = json.dumps({"files": attached, "sql": sql, "parameters": list(parameters)}).encode()
        try:
            outcome, answer = _workers.ask(request, seconds=LONGEST_SECONDS)
        except (WorkerBroke, WorkerLate) as error:
            raise CannotRead("", "DuckDB crashed or took too long on what is in the file") from error
        found = json.loads(answer)
        if outcome:
            raise CannotRead(*found)
        return found

    with _alone:
        try:
            yield ask
        finally:
            attached.clear()
            ask("SELECT 1")  # closes the files
