"""Renders SVG as pixels and PNG in separate processes, so that a drawing that crashes the renderer does no harm.

`qrkit.processes` starts the processes. Separate processes draw and write PNG, so plain images never wait for a drawing.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate, pairwise
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from qrkit.drawing.untrusted.rasteriser.worker import NO_DRAWING, PNG, SIZE, STEP
from qrkit.errors import RenderingFailed
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy

__all__ = [
    "LONGEST_SECONDS", "MOST_WORKERS", "Step", "check_time", "compress_png", "paint_png", "rasterise", "rasterise_all",
    "within",
]  # fmt: skip

MOST_WORKERS = 1 + min(4, os.cpu_count() or 1)
"""Processes that draw; one more than the processors, because a server keeps one from each of its clients."""
LONGEST_SECONDS = 20.0
"""Time limit for one drawing, and for all drawings of one file together."""
_log = logging.getLogger("qrkit")

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
_SCRIPT = Path(__file__).with_name("worker.py")
_KEEPING = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**26)}
"""Has the C library of Linux keep freed memory for the next picture: to get it anew took up to a third of the time."""
_drawers = Workers(_SCRIPT, MOST_WORKERS, environment=_KEEPING)
_compressors = Workers(_SCRIPT, MOST_WORKERS, lender=_drawers, environment=_KEEPING)


class Step(NamedTuple):
    """A step of a painting, of a kind that `worker` knows, in a box of whole pixels within it.

    The shape is a document as large as the box, or how far `color` (red, green, blue) covers each pixel, row by row.
    """

    kind: bytes
    left: int
    top: int
    width: int
    height: int
    color: tuple[int, ...] = ()
    shape: bytes = b""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limit the total time of all drawings in the block; if limits are nested, the outer one applies."""
    if _deadline.get() is not None:
        yield
        return
    token = _deadline.set(monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def rasterise(svg: bytes, width: int, height: int) -> bytes:
    """Return red, green, blue and alpha of each pixel of an SVG, row by row, not premultiplied.

    The SVG has this size. Raises `RenderingFailed` if the renderer rejects it, fails on it, or takes too long.
    """
    return rasterise_all([(svg, width, height)])[0]


def rasterise_all(drawings: Sequence[tuple[bytes, int, int]], *, covers: bool = False) -> list[bytes]:
    """Draw several SVGs as `rasterise` does, in one request, which takes less time than a request for each of them.

    Each drawing is an SVG with its width and height. `covers` is for the alpha alone.
    """
    parts = [part for svg, width, height in drawings for part in (SIZE.pack(width, height), svg)]
    pixels = _send_request(_drawers, b"cover" if covers else b"draw", parts)
    ends = [*accumulate((1 if covers else 4) * width * height for _, width, height in drawings)]
    return [pixels[start:end] for start, end in pairwise([0, *ends])]


def paint_png(steps: Sequence[Step], width: int, height: int, level: int) -> bytes:
    """Paint steps one over the other, and write them as PNG; only the file leaves the process that draws.

    The level is that of `compress_png`.
    """
    parts = [part for step in steps for part in (STEP.pack(*step[:5]), bytes(step.color), step.shape)]
    return _send_request(_drawers, b"paint", [PNG.pack(width, height, level), *parts])


def compress_png(pixels: bytes, width: int, height: int, level: int) -> bytes:
    """Write RGB or RGBA pixels as PNG, several times as fast as Pillow; level 0 is fast and large, 9 slow and small."""
    return _send_request(_compressors, b"compress", [PNG.pack(width, height, level), pixels])


def check_time() -> float:
    """Return the time limit of one drawing, or what `within` leaves of it; `RenderingFailed` if no time is left."""
    deadline = _deadline.get()
    seconds = LONGEST_SECONDS if deadline is None else min(LONGEST_SECONDS, deadline - monotonic())
    if seconds <= 0:
        raise RenderingFailed("the drawing cannot be rendered: all its parts together take too long")
    return seconds


def _send_request(pool: Workers, job: bytes, parts: Sequence[bytes]) -> bytes:
    seconds = check_time()
    try:
        outcome, answer = pool.ask(job, *parts, seconds=seconds)
    except WorkersBusy as error:
        reason = "too many others are being drawn; try again later"
        raise RenderingFailed(f"the drawing cannot be rendered: {reason}") from error
    except WorkerLate as error:
        raise RenderingFailed(f"the drawing cannot be rendered: it took longer than {seconds:.2g} s") from error
    except WorkerBroke as error:
        raise RenderingFailed("the drawing cannot be rendered: the renderer broke down on it") from error
    if outcome == NO_DRAWING:
        # The renderer's message is for the operator, not for the stranger who sent the drawing.
        _log.info("a drawing cannot be rendered: %s", answer.decode("utf-8", "replace"))
        raise RenderingFailed("the drawing cannot be rendered: it is too complex, too large, or no drawing")
    return answer
