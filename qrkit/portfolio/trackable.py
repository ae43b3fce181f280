"""Rejects contents that cannot work behind a short URL."""

from __future__ import annotations

from qrkit.contents.kinds import kind_named
from qrkit.contents.reading import read, works_behind_short_url
from qrkit.errors import InvalidParameter, Problem
from qrkit.tracking.records import QRCode

__all__ = ["check_trackable"]


def check_trackable(code: QRCode) -> None:
    """Check that scans of a QR Code can be counted: its content must work behind a short URL.

    Raises:
        InvalidParameter: If the code is dynamic, and its content or a scheduled one does not work that way.
    """
    if not code.is_dynamic:
        return
    problems = [] if works_behind_short_url(code.content) else [_problem("content", code.content)]
    problems += [
        _problem(f"schedule.{number}.content", event.content)
        for number, event in enumerate(code.schedule)
        if not works_behind_short_url(event.content)
    ]
    if problems:
        raise InvalidParameter(*problems)


def _problem(name: str, content: str) -> Problem:
    kind = kind_named(read(content).kind)
    rule = (
        f"is a {kind.title}, which apps read from the code itself and not from a page, so no short URL can stand for "
        "it: draw it with generate, or make the code static"
    )
    return Problem(name, None, rule, "never-behind-short-url")
