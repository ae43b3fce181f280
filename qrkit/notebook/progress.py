"""Progress bars, on a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["progress_bar"]

Item = TypeVar("Item")


def progress_bar(items: Iterable[Item], what: str, total: int | None) -> Iterator[Item]:
    """The same items, while a bar shows how many of them are done.

    Args:
        items: What a loop goes through.
        what: What is done with them, in a word.
        total: How many there are; None where that is not known.
    """
    from tqdm.auto import tqdm

    yield from tqdm(items, desc=what, total=total, unit=" rows", leave=False)
