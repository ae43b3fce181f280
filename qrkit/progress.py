"""Progress bars: shown to whoever asks for them, on a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["UNSEEN", "Watch", "watch"]

Item = TypeVar("Item")
Watch = Callable[[Iterable[Any], str, int | None], Iterable[Any]]
"""Things, what is done with them in a word, and how many there are where that is known -> the same things."""


def watch(*, progress: bool) -> Watch:
    """What shows how far a loop has come, on the error stream or below a cell; or what shows nothing."""
    return _shown if progress else UNSEEN


def _shown(things: Iterable[Item], what: str, total: int | None) -> Iterator[Item]:
    from tqdm.auto import tqdm

    yield from tqdm(things, desc=what, total=total, unit=" rows", leave=False)


def _unseen(things: Iterable[Item], _what: str, _total: int | None) -> Iterator[Item]:
    return iter(things)


UNSEEN: Watch = _unseen
"""What shows nothing."""
