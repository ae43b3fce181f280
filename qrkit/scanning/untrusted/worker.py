"""Reads images; the script of a worker process."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable

from qrkit.scanning.scan_report import Audience, Level

DONE, REFUSED, BUG = 0, 1, 2
"""Outcomes of a request. For `REFUSED`, the answer is the error as JSON; for `BUG`, it is a traceback."""
MOST_MEMORY = 3 * 2**29
"""Bytes of address space: images of 50 million pixels fit unless they need several copies."""

MOST_CHECKED_SIDE = 3_200
"""Pixels of the longer side to which photos are reduced: a code that fills a tenth still has 10 pixels a module."""


def _decode(picture: bytes) -> bytes:
    from qrkit.symbol.decode import MOST_READ_SIDE, decode

    return json.dumps(decode(picture, most_side=MOST_READ_SIDE).as_dict(), ensure_ascii=False).encode()


def _check(picture: bytes, level: Level, audience: Audience) -> bytes:
    from qrkit.scanning.picture_check import check_picture

    return check_picture(picture, level, audience=audience, most_side=MOST_CHECKED_SIDE).to_json().encode()


JOBS: dict[str, tuple[int, Callable[..., bytes]]] = {
    "decode": (2, _decode), "static": (5, _check), "quick": (10, _check), "standard": (15, _check),
}  # fmt: skip
"""Maps a job, of a check its level, to its limit of processor time in seconds and its function."""


def start() -> None:
    """Load what every job needs."""
    import qrkit.symbol.decode  # noqa: F401


def answer(job: bytes, picture: bytes) -> tuple[int, bytes]:
    """Do one of `JOBS` and return its outcome; its processor time is limited, no matter how busy the machine is."""
    from qrkit.errors import NoSymbol, UnreadableFile
    from qrkit.processes.worker import limit_time

    name, *audience = job.decode().split()
    seconds, read = JOBS[name]
    limit_time(seconds)
    try:
        return DONE, read(picture, *([name, *audience] if audience else ()))
    except (NoSymbol, UnreadableFile) as error:
        text = str(error)
        told = {"kind": type(error).__name__, "text": text, "advice": error.told("http")[len(text) + 2 :]}
        return REFUSED, json.dumps(told).encode()
    except MemoryError:
        told = {"kind": "UnreadableFile", "text": "this needs too much memory to read", "advice": "send a smaller one"}
        return REFUSED, json.dumps(told).encode()
    except Exception:
        return BUG, traceback.format_exc().encode("utf-8", "replace")
