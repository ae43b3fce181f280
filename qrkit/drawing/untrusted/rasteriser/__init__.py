"""SVG -> pixels -> PNG, in processes of their own: whatever a drawing does to the renderer, this process goes on.

A renderer is a function `(svg, width, height) -> RGBA bytes`; `worker.ENGINES` has them. Workers are started when the
first picture is asked for, kept, killed when they take too long, and replaced.
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
"""Environment variable that names one of `worker.ENGINES`; without it, the first one that is installed."""

MOST_WORKERS = max(1, min(4, os.cpu_count() or 1))
LONGEST_SECONDS = 20.0
"""What one drawing may take, and all drawings for one file together."""
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", ENGINE_VARIABLE)
"""Environment variables that workers see."""

_log = logging.getLogger("qrkit")

DRAW, COMPRESS = b"d", b"c"
"""What is asked for; the digit of a level asks to compress by it."""
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
_REQUEST = struct.Struct(">cIII")
_ANSWER = struct.Struct(">BI")


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Give all that is drawn inside so many seconds together; inside another limit, that one holds."""
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
        seconds: How long it may take.

    Returns:
        4 · width · height bytes: red, green, blue, alpha of each pixel, row by row; alpha is not multiplied in.

    Raises:
        RenderingFailed: The renderer refused it, broke down on it, or took too long.
    """
    return _asked(DRAW, svg, width, height, seconds)


def compress_png(pixels: bytes, width: int, height: int, level: int | None = None) -> bytes:
    """Write pixels as PNG, several times as fast as Pillow does.

    Args:
        pixels: 3 or 4 bytes a pixel: red, green, blue, and alpha where there is any.
        width: Pixels.
        height: Pixels.
        level: 0..9, from fast and large to slow and small; None leaves it to the encoder.

    Raises:
        RenderingFailed: There is not enough memory, or it took too long.
    """
    return _asked(COMPRESS if level is None else b"%d" % level, pixels, width, height, LONGEST_SECONDS)


def _asked(what: bytes, data: bytes, width: int, height: int, seconds: float) -> bytes:
    deadline = _deadline.get()
    if deadline is not None:
        seconds = min(seconds, deadline - monotonic())
        if seconds <= 0:
            raise RenderingFailed("the drawing cannot be rendered: all its parts together take too long")
    slots = _slots  # those of this process: a fork in between would have others
    if not slots.acquire(timeout=seconds):
        raise RenderingFailed("the drawing cannot be rendered: too many others are being drawn; try again later")
    try:
        outcome, answer = _answer(_REQUEST.pack(what, len(data), width, height), data, seconds)
    finally:
        slots.release()
    if outcome == NO_RENDERER:
        raise RenderingFailed(f"the drawing cannot be rendered: {answer.decode()}")
    if outcome == NO_DRAWING:
        # What the renderer says of a stranger's drawing is for whoever runs this, not for the stranger.
        _log.info("a drawing cannot be rendered: %s", answer.decode("utf-8", "replace"))
        raise RenderingFailed("the drawing cannot be rendered: it is too complex, too large, or no drawing")
    return answer


def _answer(head: bytes, data: bytes, seconds: float) -> tuple[int, bytes]:
    worker = _taken()
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
    """One process that draws, a picture at a time."""

    def __init__(self) -> None:
        self._is_late = False
        self._process = subprocess.Popen(
            # As a file, not as a module: it starts without the rest of qrkit.
            [sys.executable, "-P", str(Path(__file__).with_name("worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # It finds the libraries this process finds, but no secrets that its environment may hold.
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ}
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def ask(self, head: bytes, data: bytes, seconds: float) -> tuple[int, bytes]:
        """How it ended, and the answer."""
        alarm = threading.Timer(seconds, self._give_up)
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

    def _give_up(self) -> None:
        self._is_late = True
        self._process.kill()

    def is_alive(self) -> bool:
        """Whether it can draw another picture; one that was late may be killed the moment it is done."""
        return not self._is_late and self._process.poll() is None

    def stop(self) -> None:
        """End the process and wait for it."""
        self._process.kill()
        self._close()
        self._process.wait()

    def forget(self) -> None:
        """Let go of a process that belongs to the parent of this one."""
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


def _taken() -> _Worker:
    while True:
        try:
            worker = _idle.pop()
        except IndexError:
            return _Worker()
        if worker.is_alive():
            return worker
        worker.stop()  # whoever killed it while it had nothing to do


def _stop_all() -> None:
    while _idle:
        _idle.pop().stop()


def _after_fork() -> None:
    """In a forked child: the workers and the locks belong to the parent."""
    global _slots
    for worker in _idle:
        worker.forget()
    _idle.clear()
    _slots = threading.BoundedSemaphore(MOST_WORKERS)


atexit.register(_stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
