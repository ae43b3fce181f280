"""Runs work in other processes.

Processes are started anew (spawn) instead of copied (fork), because a copy of a process with threads, such as that of a
notebook or DuckDB, may hang. Normally, a spawned process imports the main script again. These processes do not, so
scripts need no `if __name__ == "__main__"` and none of their lines runs twice. The processes can only use qrkit.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from types import ModuleType
from typing import Any, TypeVar

from qrkit.errors import RenderingFailed

__all__ = ["can_start", "in_workers", "processors"]

Kept = TypeVar("Kept")
Sent = TypeVar("Sent")
Result = TypeVar("Result")

AHEAD = 2
"""Parts submitted per process: one in progress and one waiting."""
MOST_PROCESSES = 61
"""The limit on Windows."""

_starts = Lock()
_work: Callable[[Any], Any] | None = None
"""The function that a worker process applies to each part."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def can_start() -> bool:
    """Return True if this process may start others, which frozen programs and daemonic processes may not."""
    if getattr(sys, "frozen", False) or not sys.executable:
        return False
    try:
        import multiprocessing.synchronize  # which is missing where the system has no semaphores
    except ImportError:
        return False
    return not multiprocessing.process.current_process().daemon


def in_workers(
    work: Callable[[Sent], Result], parts: Iterator[tuple[Kept, Sent]], count: int
) -> Generator[tuple[Kept, Result]]:
    """Apply a function to parts in other processes, and yield the results in order; few parts are read ahead.

    Args:
        work: The function; it may only refer to qrkit, because the processes do not import the main script.
        parts: Pairs of a value that stays in this process and a value to send to another.
        count: Number of processes, at most 61.

    Yields:
        Pairs of the value that stayed and the result.
    """
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    count = min(count, MOST_PROCESSES)
    pool = ProcessPoolExecutor(count, get_context("spawn"), _begin, (work,))
    under_way: deque[tuple[Kept, Future[Any]]] = deque()
    try:
        for kept, sent in parts:
            with _starting():
                under_way.append((kept, pool.submit(_apply_work, sent)))
            if len(under_way) >= AHEAD * count:
                first, future = under_way.popleft()
                yield first, future.result()
        while under_way:
            first, future = under_way.popleft()
            yield first, future.result()
    except BrokenProcessPool as error:
        remedy = "it was killed, or memory ran out; processes=1 does all the work in this one"
        raise RenderingFailed(f"a process that drew pictures ended before it was done: {remedy}") from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _starting() -> Iterator[None]:
    """Hide the main script and Ctrl-C from processes that are started in the block."""
    with _starts:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else ()
        try:
            yield
        finally:
            sys.modules["__main__"] = main
            if hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(work: Callable[[Any], Any]) -> None:
    """Initialize a worker process."""
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _work = work


def _end_with_parent() -> None:
    """End this process when the process that started it has ended for any reason."""
    from multiprocessing import connection, parent_process

    if parent := parent_process():
        connection.wait([parent.sentinel])
    os._exit(1)


def _apply_work(part: Any) -> Any:
    return _work(part) if _work else None
