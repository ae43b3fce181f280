"""Shows progress bars, in terminals and in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress_bar(items: Iterable[Item], what: str, total: int | None) -> Iterator[Item]:
    """Yield the items while a bar shows how many are done, beside one word for the activity."""
    from tqdm.auto import tqdm

    yield from tqdm(items, desc=what, total=total, unit=" rows", leave=False)
