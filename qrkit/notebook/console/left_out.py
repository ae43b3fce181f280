"""Leaves out optional libraries that make other libraries slow to load."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def without(library: str) -> Iterator[None]:
    """Import modules in this context as if an optional library were not installed; one imported before stays."""
    missing: Any = None
    before = sys.modules.setdefault(library, missing)
    try:
        yield
    finally:
        if before is None:
            del sys.modules[library]
