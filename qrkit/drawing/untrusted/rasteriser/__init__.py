"""Renders SVG as pixels and PNG in separate processes, so that a drawing that crashes the renderer does no harm.

A renderer is a function `(svg, width, height) -> RGBA bytes`, listed in `worker.ENGINES`. Workers are started when
needed and reused. A worker that takes too long is killed and replaced.
"""

from __future__ import annotations

import atexit
import logging
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from time import monotonic
from typing import IO

from qrkit.drawing.untrusted.rasteriser.worker import NO_DRAWING, NO_RENDERER
from qrkit.errors import RenderingFailed

__all__ = ["ENGINE_VARIABLE", "LONGEST_SECONDS", "compress_png", "rasterise", "within"]

ENGINE_VARIABLE = "QRKIT_RASTERISER"
"""Environment variable with a name in `worker.ENGINES`; without it, the first installed engine is used."""

MOST_WORKERS = max(1, min(4, os.cpu_count() or 1))
LONGEST_SECONDS = 20.0
"""Time limit for one drawing, and for all drawings of one file together."""
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", ENGINE_VARIABLE)
"""Environment variables that are passed to workers."""

_log = logging.getLogger("qrkit")

DRAW, COMPRESS = b"d", b"c"
"""Kinds of requests; the digit of a level requests compression at that level."""
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
_REQUEST = struct.Struct(">cIII")
_ANSWER = struct.Struct(">BI")


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limit the total time of all drawings in the block; inside another limit, the outer one applies."""
    if _deadline.get() is not None:
        yield
        return
    token = _deadline.set(monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def rasterise(svg: bytes, width: int, height: int, *, seconds: float = LONGEST_SECONDS) -> bytes:
    """Draw an SVG.

    Args:
        svg: A document whose size is `width` x `height` pixels.
        width: Pixels.
        height: Pixels.
        seconds: Time limit.

    Returns:
        4 · width · height bytes: red, green, blue and alpha of each pixel, row by row, not premultiplied.

    Raises:
        RenderingFailed: If the renderer rejects the SVG, fails on it, or takes too long.
    """
    return _send_request(DRAW, svg, width, height, seconds)


def compress_png(pixels: bytes, width: int, height: int, level: int | None = None) -> bytes:
    """Write pixels as PNG, several times as fast as Pillow.

    Args:
        pixels: 3 or 4 bytes per pixel: red, green, blue, and optionally alpha.
        width: Pixels.
        height: Pixels.
        level: 0..9, from fast and large to slow and small; None uses the encoder's default.

    Raises:
        RenderingFailed: If there is not enough memory, or compression takes too long.
    """
    return _send_request(COMPRESS if level is None else b"%d" % level, pixels, width, height, LONGEST_SECONDS)


def _send_request(what: bytes, data: bytes, width: int, height: int, seconds: float) -> bytes:
    deadline = _deadline.get()
    if deadline is not None:
        seconds = min(seconds, deadline - monotonic())
        if seconds <= 0:
            raise RenderingFailed("the drawing cannot be rendered: all its parts together take too long")
    slots = _slots  # kept, because a fork replaces the global
    if not slots.acquire(timeout=seconds):
        raise RenderingFailed("the drawing cannot be rendered: too many others are being drawn; try again later")
    try:
        outcome, answer = _answer(_REQUEST.pack(what, len(data), width, height), data, seconds)
    finally:
        slots.release()
    if outcome == NO_RENDERER:
        raise RenderingFailed(f"the drawing cannot be rendered: {answer.decode()}")
    if outcome == NO_DRAWING:
        # The renderer's message is for the operator, not for the stranger who sent the drawing.
        _log.info("a drawing cannot be rendered: %s", answer.decode("utf-8", "replace"))
        raise RenderingFailed("the drawing cannot be rendered: it is too complex, too large, or no drawing")
    return answer


def _answer(head: bytes, data: bytes, seconds: float) -> tuple[int, bytes]:
    worker = _acquire_worker()
    try:
        answer = worker.ask(head, data, seconds)
    except BaseException:
        worker.stop()
        raise
    if worker.is_alive():
        _idle.append(worker)
    else:
        worker.stop()
    return answer


class _Worker:
    """A process that draws one image at a time."""

    def __init__(self) -> None:
        self._is_late = False
        self._process = subprocess.Popen(
            # Run as a file, not as a module, so that it starts without loading the rest of qrkit.
            [sys.executable, "-P", str(Path(__file__).with_name("worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Pass on what is needed to find libraries, but no secrets in the environment.
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ}
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def ask(self, head: bytes, data: bytes, seconds: float) -> tuple[int, bytes]:
        """Send a request and return its outcome and the answer."""
        alarm = threading.Timer(seconds, self._kill_late)
        alarm.start()
        try:
            requests, answers = self._pipes()
            requests.write(head)
            requests.write(data)
            requests.flush()
            outcome, length = _ANSWER.unpack(_read(answers, _ANSWER.size))
            answer = _read(answers, length)
        except (OSError, EOFError) as error:
            reason = f"it took longer than {seconds:g} s" if self._is_late else "the renderer broke down on it"
            raise RenderingFailed(f"the drawing cannot be rendered: {reason}") from error
        finally:
            alarm.cancel()
        return outcome, answer

    def _kill_late(self) -> None:
        self._is_late = True
        self._process.kill()

    def is_alive(self) -> bool:
        """Return True if the worker can take another request.

        The answer for a worker past its deadline is False: the worker may be killed even if it just finished.
        """
        return not self._is_late and self._process.poll() is None

    def stop(self) -> None:
        """End the process and wait for it."""
        self._process.kill()
        self._close()
        self._process.wait()

    def forget(self) -> None:
        """Detach from a process that belongs to this process's parent."""
        self._process.returncode = 0
        self._close()

    def _close(self) -> None:
        for pipe in self._pipes():
            with suppress(OSError):
                pipe.close()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise OSError("the renderer has no pipes")
        return process.stdin, process.stdout


def _read(pipe: IO[bytes], length: int) -> bytes:
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return data


_idle: list[_Worker] = []
_slots = threading.BoundedSemaphore(MOST_WORKERS)


def _acquire_worker() -> _Worker:
    while True:
        try:
            worker = _idle.pop()
        except IndexError:
            return _Worker()
        if worker.is_alive():
            return worker
        worker.stop()  # it was killed while idle


def _stop_all() -> None:
    while _idle:
        _idle.pop().stop()


def _after_fork() -> None:
    """Discard workers and locks in a forked child, because they belong to the parent."""
    global _slots
    for worker in _idle:
        worker.forget()
    _idle.clear()
    _slots = threading.BoundedSemaphore(MOST_WORKERS)


atexit.register(_stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
