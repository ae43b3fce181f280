"""Reads JSON of the tables. A damaged store may hold anything there, and says so instead of ending in a bug."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from qrkit.errors import StoreDamaged

Kind = TypeVar("Kind", list, dict)  # type: ignore[type-arg]  # of what the caller knows


@contextmanager
def reading_stored(text: str, of: str) -> Iterator[None]:
    """Context manager: raises `StoreDamaged` if a stored text is not valid.

    The error begins with `of`, such as "a QR Code has the damaged tags".
    """
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise StoreDamaged(f"{of} {text!r:.60}").advising("restore a backup, or set it again") from error


def stored_json(text: str, kind: type[Kind], of: str, *, items: type = str) -> Kind:
    """Return a stored list or object whose items or values have the type `items`; `of` is as for `reading_stored`."""
    with reading_stored(text, of):
        found = json.loads(text)
        values = found.values() if isinstance(found, dict) else found
        if type(found) is kind and all(isinstance(one, items) for one in values):
            return found
        raise TypeError(kind)
