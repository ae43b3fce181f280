"""Provides `Recent`, which keeps what was used last: the same pictures are drawn several times in a row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """What was used last, by key; several threads may use it.

    `size` returns the size of a value, such as its bytes. Values are dropped if their sizes add up to more than `most`.
    """

    def __init__(self, size: Callable[[Key, Value], float], most: float) -> None:
        self._size, self._most = size, most
        self.forget()

    def forget(self) -> None:
        """Drop everything, and the lock, which another thread may hold while this process is forked."""
        self._lock, self._kept, self._sum = Lock(), OrderedDict[Key, Value](), 0.0

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; None if there is none."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Key, value: Value) -> None:
        """Keep a value, and drop those that were not used for longest if there are too many."""
        with self._lock:
            if key in self._kept:
                self._sum -= self._size(key, self._kept.pop(key))
            self._kept[key] = value
            self._sum += self._size(key, value)
            while self._sum > self._most:
                self._sum -= self._size(*self._kept.popitem(last=False))
