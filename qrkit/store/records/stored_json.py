"""Reads JSON of the tables. A damaged store may hold anything there, and says so instead of ending in a bug."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar

from qrkit.errors import StoreDamaged

Kind = TypeVar("Kind", list, dict)  # type: ignore[type-arg]  # of what the caller knows


def stored_json(text: str, kind: type[Kind], of: str, *, items: type = str) -> Kind:
    """Return a stored list or object.

    Args:
        of: What it is, for the error, such as "a QR Code has the tags".
        items: The type of its items or values.

    Raises:
        StoreDamaged: If the text is something else.
    """
    try:
        found = json.loads(text)
        if type(found) is kind and all(isinstance(one, items) for one in _items(found)):
            return found
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreDamaged(f"{of} {text!r:.60}") from error
    raise StoreDamaged(f"{of} {text!r:.60}")


def _items(found: Any) -> Iterable[Any]:
    return found.values() if isinstance(found, dict) else found
