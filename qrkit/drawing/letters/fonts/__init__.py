"""Reads fonts from strangers in a separate process, because a damaged font may take forever or exhaust memory."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

from qrkit.drawing.letters.fonts.worker import DONE
from qrkit.errors import AssetError, Problem
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy

__all__ = ["FONT_STARTS", "MOST_FONT_BYTES", "letters_of_font"]

MOST_FONT_BYTES = 2 * 2**20
"""Bytes of one font."""
LONGEST_SECONDS = 5.0
"""Time limit for reading the letters of one text."""
MOST_ANSWER = 2**20
"""Bytes of the letters of one text, as JSON."""
FONT_STARTS = (b"\0\1\0\0", b"true", b"OTTO")
"""The first bytes of TrueType and OpenType fonts."""

_DATA_URI = re.compile(r"data:[\w.+/-]*(?:;[\w.+=\"-]*)*;base64,", re.IGNORECASE | re.ASCII)
_workers = Workers(Path(__file__).with_name("worker.py"), most=2)


def letters_of_font(uri: str, text: str, *, part: str) -> dict[str, Any]:
    """Read the letters of a text from a font in base64, as `worker.Font.letters` does; errors name the field `part`."""
    data = _decode(uri, part)
    try:
        outcome, answer = _workers.ask(data, text.encode(), seconds=LONGEST_SECONDS)
    except (WorkerLate, WorkerBroke, WorkersBusy) as error:
        raise _font_error(part, uri, "cannot be read: it takes too long or too much memory", "bad-font") from error
    if outcome != DONE or len(answer) > MOST_ANSWER:
        raise _font_error(part, uri, "is a damaged font", "bad-font")
    letters: dict[str, Any] = json.loads(answer)
    if not 16 <= letters["units"] <= 16_384:
        raise _font_error(part, uri, "is a damaged font", "bad-font")
    return letters


def _decode(uri: str, part: str) -> bytes:
    start = _DATA_URI.match(uri)
    if start is None:
        rule = "is not a font; use a data URI of a TrueType or OpenType font (data:font/ttf;base64,...)"
        advice = "For a .ttf or .otf file, use qrkit.data_uri('MyFont.ttf')."
        raise _font_error(part, uri, rule, "bad-data-uri").advising({"python": advice})
    if len(uri) > 2 * MOST_FONT_BYTES:
        raise _too_large(part, uri)
    try:
        data = b64decode(uri[start.end() :].rstrip("=") + "==")
    except ValueError as error:
        raise _font_error(part, uri, "is a data URI that is not base64", "bad-data-uri") from error
    if len(data) > MOST_FONT_BYTES:
        raise _too_large(part, uri)
    if not data.startswith(FONT_STARTS):
        rule = "is not a TrueType or OpenType font; convert WOFF files and collections to .ttf or .otf"
        raise _font_error(part, uri, rule, "bad-font")
    return data


def _too_large(part: str, uri: str) -> AssetError:
    return _font_error(part, uri, f"is too large: a font may have {MOST_FONT_BYTES // 2**20} MiB", "font-too-large")


def _font_error(part: str, uri: str, rule: str, code: str) -> AssetError:
    return AssetError(Problem(part, uri[:80], rule, code))
