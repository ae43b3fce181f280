"""Decodes pictures of strangers in separate processes, with limits on time, memory and pixels.

Only their pixels come back. Pictures with more than 16.7 million are reduced.
"""

from __future__ import annotations

import json
from pathlib import Path

from qrkit.drawing.scene import Bitmap
from qrkit.drawing.untrusted.decoding.worker import MOST_PIXELS, REFUSED, SIZE
from qrkit.drawing.untrusted.picture_errors import refused
from qrkit.errors import RenderingFailed
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy

__all__ = ["MOST_PIXELS", "fit_picture", "read_bitmap"]

MOST_WORKERS = 2
LONGEST_SECONDS = 20.0
"""Time limit for one picture; the slowest of 100 million pixels, a photo as AVIF, takes 8 s on a busy machine."""

_decoders = Workers(Path(__file__).with_name("worker.py"), MOST_WORKERS)


def read_bitmap(data: bytes) -> Bitmap:
    """Decode the first frame of a picture, turn it as its camera says, and encode its pixels again.

    Raises `AssetError` if the picture is at fault, and `RenderingFailed` if too many others are being read.
    """
    png = _ask(b"read", data)
    return Bitmap(png[SIZE.size :], *SIZE.unpack(png[: SIZE.size]))


def fit_picture(data: bytes, most_bytes: int) -> bytes:
    """Return a picture as a PNG or JPEG of at most `most_bytes` bytes, with fewer pixels if necessary."""
    return _ask(b"fit", data, b"%d" % most_bytes)


def _ask(*request: bytes) -> bytes:
    try:
        outcome, answer = _decoders.ask(*request, seconds=LONGEST_SECONDS)
    except WorkersBusy as error:
        raise RenderingFailed("too many other pictures are being read; try again later") from error
    except WorkerLate as error:
        raise refused("takes too long to read; make it smaller, or save it as a JPEG", "image-too-large") from error
    except WorkerBroke as error:
        raise refused("is a damaged picture") from error
    if outcome == REFUSED:
        raise refused(*json.loads(answer))
    return answer
