"""SVG -> pixels -> PNG, in processes of their own: whatever a drawing does to the renderer, this process goes on.

A renderer is a function `(svg, width, height) -> RGBA bytes`; `worker.ENGINES` has them. Workers are started when the
first picture is asked for, kept, killed when they take too long, and replaced.
"""

from __future__ import annotations

import atexit
import os
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO

from qrkit.errors import RenderingFailed

__all__ = ["ENGINE_VARIABLE", "compress_png", "rasterise"]

ENGINE_VARIABLE = "QRKIT_RASTERISER"
"""Environment variable that names one of `worker.ENGINES`; without it, the first one that is installed."""

MOST_WORKERS = max(1, min(4, os.cpu_count() or 1))
LONGEST_SECONDS = 20.0
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", ENGINE_VARIABLE)
"""Environment variables that workers see."""

DRAW, COMPRESS = b"d", b"c"
_REQUEST = struct.Struct(">cIII")
_ANSWER = struct.Struct(">BI")


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


def compress_png(pixels: bytes, width: int, height: int) -> bytes:
    """Write pixels as PNG, several times as fast as Pillow does.

    Args:
        pixels: 3 or 4 bytes a pixel: red, green, blue, and alpha where there is any.
        width: Pixels.
        height: Pixels.

    Raises:
        RenderingFailed: There is not enough memory, or it took too long.
    """
    return _asked(COMPRESS, pixels, width, height, LONGEST_SECONDS)


def _asked(what: bytes, data: bytes, width: int, height: int, seconds: float) -> bytes:
    with _slots:
        worker = _taken()
        try:
            answer = worker.ask(_REQUEST.pack(what, len(data), width, height), data, seconds)
        except BaseException:
            worker.stop()
            raise
        if worker.is_alive():
            _idle.append(worker)
        else:
            worker.stop()
    if isinstance(answer, str):
        raise RenderingFailed(f"the drawing cannot be rendered: {answer}")
    return answer


class _Worker:
    """One process that draws, a picture at a time."""

    def __init__(self) -> None:
        self._is_late = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "qrkit.rasteriser.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # It finds the libraries this process finds, but no secrets that its environment may hold.
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ}
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def ask(self, head: bytes, data: bytes, seconds: float) -> bytes | str:
        """The answer, or why there is none."""
        alarm = threading.Timer(seconds, self._give_up)
        alarm.start()
        try:
            requests, answers = self._pipes()
            requests.write(head)
            requests.write(data)
            requests.flush()
            failed, length = _ANSWER.unpack(_read(answers, _ANSWER.size))
            answer = _read(answers, length)
        except (OSError, EOFError) as error:
            reason = f"it took longer than {seconds:g} s" if self._is_late else "the renderer broke down on it"
            raise RenderingFailed(f"the drawing cannot be rendered: {reason}") from error
        finally:
            alarm.cancel()
        return answer.decode("utf-8", "replace") if failed else answer

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
