"""Names that had others before: they work until 1.1, and say what they are called now."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["old_names"]


def old_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module some of whose names have changed.

    Args:
        module: The module, `__name__`.
        names: Old name to new name; a new name with a dot is one of another module, written in full.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        home, _, new = names[name].rpartition(".")
        hint = f"{module}.{name} goes with qrkit 1.1: use {home or module}.{new}"
        warnings.warn(hint, DeprecationWarning, stacklevel=2)
        return getattr(import_module(home or module), new)

    return find
