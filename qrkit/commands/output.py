"""What commands tell: people on the error stream, programs as JSON, and scripts by the exit status."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from qrkit.errors import QrkitError

__all__ = ["EXIT_STATUSES", "Status", "complain", "complaining", "print_json", "status_of", "tell_rows"]

CONTROLS = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+"
MOST_ROWS = 20
"""Rows that people are told of; --json has them all."""


class Status(IntEnum):
    """What a command ends with."""

    DONE = 0
    IN_PART = 1
    REFUSED = 2
    STOPPED = 130


EXIT_STATUSES = {
    Status.DONE: "done",
    Status.IN_PART: "done, but rows or pictures failed, a check fell short, a store has faults",
    Status.REFUSED: "refused, or nothing could be done: wrong words, bad input, a store in use",
    Status.STOPPED: "stopped by Ctrl-C",
}
"""What each of them means."""


def status_of(done: int, failed: int) -> Status:
    """The status of a command of whose parts so many were done, and so many failed."""
    if not failed:
        return Status.DONE
    return Status.IN_PART if done else Status.REFUSED


def complain(command: str, what: object) -> None:
    """Tell people one line; control characters, which files may hold, can do things to a terminal."""
    text = what.told("command") if isinstance(what, QrkitError) else str(what)
    print(f"qrkit {command}: {re.sub(CONTROLS, ' ', text)}", file=sys.stderr)


@contextmanager
def complaining(command: str) -> Iterator[None]:
    """Tell warnings of the library as lines of a command."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", UserWarning)
        yield
    for one in heard:
        complain(command, one.message)


def tell_rows(rows: Sequence[tuple[int, str]]) -> None:
    """Name rows, by their numbers in the file, with what is to be said of them; the first of many."""
    for row, what in rows[:MOST_ROWS]:
        print(f"row {row}: {re.sub(CONTROLS, ' ', what)}", file=sys.stderr)
    if len(rows) > MOST_ROWS:
        print(f"… and {len(rows) - MOST_ROWS:,} more", file=sys.stderr)


def print_json(**members: Any) -> None:
    """Print one object on a line of its own, in ASCII: whatever the output is encoded in, it stays JSON."""
    print(json.dumps(members))
