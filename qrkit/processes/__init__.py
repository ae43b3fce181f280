"""Runs work on untrusted input in separate processes, because the work may crash or take too long.

The work is drawing or reading images, and running SQL. A worker runs a script, as `qrkit.processes.worker` describes.
Workers are started when needed and reused. A worker that takes too long is killed and replaced.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import IO

from qrkit.processes.worker import ANSWER, LAST, request_head

__all__ = ["PASSED_ON", "WorkerBroke", "WorkerLate", "Workers", "WorkersBusy"]

PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
"""Environment variables that are passed to workers."""
_RUNNER = str(Path(__file__).with_name("worker.py"))


class WorkersBusy(Exception):
    """No worker was free in time."""


class WorkerLate(Exception):
    """The worker took too long and was killed."""


class WorkerBroke(Exception):
    """The worker ended without an answer."""


class Workers:
    """A pool of processes of one script (see `worker`), which takes idle ones of a lender rather than start its own.

    `environment` has variables for the processes, besides those that are passed on.
    """

    def __init__(
        self, script: Path, most: int, lender: Workers | None = None, *, environment: Mapping[str, str] | None = None
    ) -> None:
        self._script, self._most, self._lender, self._environment = script, most, lender, environment or {}
        self._idle: list[_Worker] = []
        self._slots = threading.BoundedSemaphore(most)
        _pools.add(self)

    def ask(self, *request: bytes, seconds: float) -> tuple[int, bytes]:
        """Send the parts of a request to a worker, and return the outcome and the bytes of the answer.

        Raises:
            WorkersBusy: If no worker is free in time.
            WorkerLate: If the worker takes longer than `seconds`.
            WorkerBroke: If the worker ends without an answer.
        """
        slots = self._slots  # keep a reference, because a fork replaces the attribute
        if not slots.acquire(timeout=seconds):
            raise WorkersBusy
        try:
            return self._answer(request, seconds)
        finally:
            slots.release()

    def _answer(self, request: tuple[bytes, ...], seconds: float) -> tuple[int, bytes]:
        worker = self._acquire()
        try:
            outcome, answer = worker.ask(request, seconds)
        except BaseException:
            worker.stop()
            raise
        if worker.is_alive() and not outcome & LAST:
            self._idle.append(worker)
        else:
            worker.stop()
        if outcome & LAST:
            self.get_ready()
        return outcome & ~LAST, answer

    def _acquire(self) -> _Worker:
        while True:
            try:
                worker = self._idle.pop()
            except IndexError:
                return self._lender._acquire() if self._lender else _Worker(self._script, self._environment)
            if worker.is_alive():
                return worker
            worker.stop()  # it was killed while idle

    def get_ready(self) -> None:
        """Start a worker unless one is idle, so that the next request need not wait for the start."""
        if not self._idle:
            self._idle.append(_Worker(self._script, self._environment))

    def stop(self) -> None:
        """End idle workers."""
        while self._idle:
            self._idle.pop().stop()

    def forget(self) -> None:
        """Discard workers and locks in a forked child, because they belong to the parent."""
        for worker in self._idle:
            worker.forget()
        self._idle.clear()
        self._slots = threading.BoundedSemaphore(self._most)


class _Worker:
    """A process that works on one request at a time."""

    def __init__(self, script: Path, environment: Mapping[str, str]) -> None:
        self._is_late = False
        # Without `site`, which takes 3 ms: `PYTHONPATH` has all folders that it would find.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-S", _RUNNER, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Pass on the variables needed to find libraries, but no secrets from the environment. With an arena for
            # each thread, the C library would reserve half of the address space that a worker of user SQL may have.
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ}
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "MALLOC_ARENA_MAX": "2", **environment},
        )

    def ask(self, request: tuple[bytes, ...], seconds: float) -> tuple[int, bytes]:
        """Send a request and return the outcome and the answer."""
        try:
            _watch.begin(self, monotonic() + seconds)
            requests, answers = self._pipes()
            requests.writelines([request_head(request), *request])
            requests.flush()
            outcome, length = ANSWER.unpack(_read(answers, ANSWER.size))
            answer = _read(answers, length)
        except (OSError, EOFError) as error:
            raise (WorkerLate if self._is_late else WorkerBroke) from error
        finally:
            _watch.end(self)
        return outcome, answer

    def kill_late(self) -> None:
        """End the process because its time is over."""
        self._is_late = True
        self._process.kill()

    def is_alive(self) -> bool:
        """Return True if the worker can take another request; one past its deadline cannot, as it may yet be killed."""
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
            raise OSError("the worker has no pipes")
        return process.stdin, process.stdout


class _Watch:
    """Kills workers whose time is over.

    One thread watches all of them: starting one for each request takes longer than the rest of the exchange.
    """

    def __init__(self) -> None:
        self._deadlines: dict[_Worker, float] = {}
        self._changed = threading.Condition()
        self._next = inf
        self._is_watching = False

    def begin(self, worker: _Worker, deadline: float) -> None:
        """Kill this worker at this time, unless it has ended its work."""
        with self._changed:
            self._deadlines[worker] = deadline
            if not self._is_watching:
                threading.Thread(target=self._run, daemon=True).start()
                self._is_watching = True
            elif deadline < self._next:
                self._changed.notify()

    def end(self, worker: _Worker) -> None:
        """Stop watching a worker."""
        with self._changed:
            self._deadlines.pop(worker, None)

    def _run(self) -> None:
        with self._changed:
            while self._deadlines:
                self._next = min(self._deadlines.values())
                self._changed.wait(self._next - monotonic())
                for worker in [one for one, deadline in self._deadlines.items() if deadline <= monotonic()]:
                    del self._deadlines[worker]
                    worker.kill_late()
            self._is_watching = False


def _read(pipe: IO[bytes], length: int) -> bytes:
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return data


_pools: weakref.WeakSet[Workers] = weakref.WeakSet()
_watch = _Watch()


def _stop_all() -> None:
    for pool in _pools:
        pool.stop()


def _forget_all() -> None:
    global _watch  # its thread stays with the parent
    _watch = _Watch()
    for pool in _pools:
        pool.forget()


atexit.register(_stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
