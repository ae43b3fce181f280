"""Work in other processes, for what one processor takes too long to do.

The processes are new ones (spawn), not copies of this one (fork): a copy of a process with threads, as those of
notebooks and DuckDB are, may hang. A new process would run the script that started it once more, to have what is
defined there; these do not, so that a script needs no `if __name__ == "__main__"` and none of its lines runs twice.
They know nothing but qrkit.
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
"""Parts for each process that are under way: one in work, and one at hand."""
MOST_PROCESSES = 61
"""Windows has no more."""

_starts = Lock()
_work: Callable[[Any], Any] | None = None
"""In a worker process: what it does with each part."""


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def can_start() -> bool:
    """Whether this process may start others: a frozen program, and a process of a pool that is daemonic, may not."""
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
    """What stays here of each part, with what was made of the rest, in their order; few parts are taken ahead.

    Args:
        work: What to do with a part; it is of qrkit, and so is all in it, for that is what the processes know.
        parts: Pairs of what stays in this process and what is sent to another.
        count: How many processes, at most 61.

    Raises:
        RenderingFailed: A process ended before its work was done.
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
                under_way.append((kept, pool.submit(_worked, sent)))
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
    """Hide the script from a process that is started inside, and keep Ctrl-C from it: that is for this process."""
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
    """What a worker process does first."""
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _work = work


def _end_with_parent() -> None:
    """Wait until the process that started this one is gone, however it ended; then end as well."""
    from multiprocessing import connection, parent_process

    if parent := parent_process():
        connection.wait([parent.sentinel])
    os._exit(1)


def _worked(part: Any) -> Any:
    return _work(part) if _work else None
