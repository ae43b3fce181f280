"""Reads and checks images from strangers in separate processes, with limits on time and memory."""

from __future__ import annotations

import json
from pathlib import Path

from qrkit.design.picture_files import PIXEL_FORMATS, SVG, media_type, unread_rule
from qrkit.errors import NoSymbol, UnreadableFile
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy
from qrkit.scanning.scan_report import Audience, Level
from qrkit.scanning.untrusted.worker import BUG, DONE

__all__ = ["MOST_READERS", "check_untrusted", "decode_untrusted"]

MOST_READERS = 2
"""Processes that read images."""
LONGEST_SECONDS = 20.0
"""Wall-clock time limit, for systems that cannot limit processor time; it includes the start of a process."""

_readers = Workers(Path(__file__).with_name("worker.py"), MOST_READERS)
_ERRORS = {cls.__name__: cls for cls in (NoSymbol, UnreadableFile)}


def decode_untrusted(picture: bytes) -> bytes:
    """Read the QR Code in an image; return the fields of `Decoded` as JSON. See `qrkit.decode`.

    Raises `UnreadableFile` if the bytes are not such an image, or take too much time or memory, and `NoSymbol` without
    a QR Code.
    """
    return _ask("decode", picture)


def check_untrusted(picture: bytes, level: Level, audience: Audience = "phones") -> bytes:
    """Check whether an image scans, at a level below full; return the `ScanReport` as JSON. See `qrkit.check`.

    Raises what `decode_untrusted` raises.
    """
    return _ask(f"{level} {audience}", picture)


def _ask(job: str, picture: bytes) -> bytes:
    if (kind := media_type(picture)) is None:
        raise UnreadableFile(f"this {unread_rule(picture, PIXEL_FORMATS)}")
    if kind == SVG:
        raise UnreadableFile("this is an svg, which is not read here; send it as png")
    try:
        outcome, answer = _readers.ask(job.encode(), picture, seconds=LONGEST_SECONDS)
    except WorkersBusy as error:
        raise UnreadableFile("too many other pictures are being read; try again later") from error
    except (WorkerLate, WorkerBroke) as error:
        raise UnreadableFile("this picture takes too long to read; crop it to the code") from error
    if outcome == BUG:
        raise RuntimeError(f"a picture could not be read: {answer.decode('utf-8', 'replace')}")
    if outcome == DONE:
        return answer
    told = json.loads(answer)
    raise _ERRORS[told["kind"]](told["text"]).advising({"python": told["advice"], "http": told["advice"]})
