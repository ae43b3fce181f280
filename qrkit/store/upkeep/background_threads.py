"""Threads that work in the background of a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread


@contextmanager
def in_background(work: Callable[[Event], None], name: str, patience: float | None = None) -> Iterator[None]:
    """Context manager: runs `work` in a thread, which gets an event that is set on exit, and should end then.

    The exit waits for the thread, `patience` seconds at most.
    """
    ended = Event()
    thread = Thread(target=work, args=[ended], name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(patience)
