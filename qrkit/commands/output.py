"""Prints the results of commands: messages on the error stream, JSON for programs, an exit status for scripts."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from errno import ENOSPC
from itertools import groupby
from typing import TYPE_CHECKING, Any

from qrkit.errors import QrkitError

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio
    from qrkit.tracking.records import QRCode


CONTROLS = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+"
MOST_ROWS = 20
"""Maximum rows printed as messages; --json contains all of them."""


class Status(IntEnum):
    """Exit status of a command."""

    DONE = 0
    IN_PART = 1
    REFUSED = 2
    STOPPED = 130


class ImportStatus(IntEnum):
    """Exit status of `qrkit import`."""

    ALL_IN = 0
    NOTHING_READ = 1
    WRONG_USAGE = Status.REFUSED
    NOT_ALL = 3


EXIT_STATUSES = {
    Status.DONE: "done",
    Status.IN_PART: "done in part: some rows or pictures failed, a check fell short, or a store has faults",
    Status.REFUSED: "nothing was done: an invalid command, bad input, or a store in use",
    Status.STOPPED: "stopped by Ctrl-C",
}
"""Meaning of each exit status."""


def status_of(done: int, failed: int) -> Status:
    """Return the exit status of a command with this many successful and failed parts."""
    if not failed:
        return Status.DONE
    return Status.IN_PART if done else Status.REFUSED


def in_one_line(text: str) -> str:
    """Return a text without control characters, which files may contain and which could affect the terminal."""
    return re.sub(CONTROLS, " ", text)


def complain(command: str, what: object) -> None:
    """Print one message on the error stream."""
    text = str(what)
    if isinstance(what, QrkitError):
        text = what.told("command")
    elif isinstance(what, OSError):
        place = what.filename or ("the output cannot be written" if what.errno == ENOSPC else "")
        text = (f"{place}: " if place else "") + (what.strerror or text)
    with suppress(OSError):  # a full disk or a closed pipe: there is nowhere to report it
        print(f"{f'qrkit {command}'.rstrip()}: {in_one_line(text)}", file=sys.stderr, flush=True)


@contextmanager
def complaining(command: str) -> Iterator[None]:
    """Print warnings of the library as messages of a command, for the duration of the context."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", UserWarning)
        yield
    for one in heard:
        complain(command, one.message)


def tell_rows(rows: Sequence[tuple[int, str]]) -> None:
    """Print messages about rows, by their numbers in the file, once for neighbors; only the first of many."""
    runs = [[row for _, row in run] for _, run in groupby(enumerate(rows), lambda one: (one[1][1], one[1][0] - one[0]))]
    for run in runs[:MOST_ROWS]:
        (first, what), (last, _) = run[0], run[-1]
        numbers = f"row {first}" if first == last else f"rows {first}-{last}"
        print(f"{numbers}: {in_one_line(what)}", file=sys.stderr)
    if left := sum(map(len, runs[MOST_ROWS:])):
        print(f"… and {left:,} more", file=sys.stderr)


def print_json(**members: Any) -> None:
    """Print one object per line in ASCII, so that it is valid JSON in any encoding of the output."""
    import json

    print(json.dumps(members))


def print_result(asked: argparse.Namespace, text: object, **members: Any) -> None:
    """Print the result of a command: as one line of JSON if `--json` was given, else as text."""
    if asked.json:
        print_json(**members)
    else:
        print(text)


def tell_of_local_urls(command: str, portfolio: Portfolio, codes: Iterable[QRCode] | None = None) -> None:
    """Warn if the short URLs of QR Codes, by default of new ones, lead to this machine alone."""
    from qrkit.tracking.short_urls import leads_to_this_machine

    has_urls = codes is None or any(code.is_dynamic for code in codes)
    if has_urls and leads_to_this_machine(portfolio.base_url):
        rule = "leads only to this computer; set the address of your server with --base-url before you print anything"
        complain(command, f"short URLs begin with {portfolio.base_url}, which {rule}")
