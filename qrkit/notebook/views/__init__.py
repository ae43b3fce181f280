"""Displays objects in notebooks: as text, as HTML and, for QR Codes, as an image.

Equal objects look the same. A view loads nothing external and takes its colors from the page around it, light or dark.
Text written by strangers is always shown as text.

`media` in `fields.py` is one function for all classes (`functools.singledispatch`): it shows the fields of a record.
The other modules here register views for their own classes. A class that notebooks show has `Shown` among its bases.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from qrkit.errors import QrkitError
from qrkit.notebook.views.html import media

__all__ = ["view"]

VIEWS = {
    "design": "drawing",
    "drawing": "drawing",
    "exchange": "results",
    "pictures": "results",
    "portfolio": "tracking",
    "scanning": "scanning",
    "server": "servers",
    "store": "tracking",
    "symbol": "drawing",
    "tracking": "tracking",
}
"""Room of a class -> the module here that shows its classes."""


def view(subject: Any) -> dict[str, Any]:
    """Return the representations of an object by media type; only text if it cannot be drawn or read."""
    for cls in type(subject).__mro__:
        package, _, module = cls.__module__.partition(".")
        room = module.partition(".")[0]
        if package == "qrkit" and room in VIEWS:
            import_module(f"{__name__}.{VIEWS[room]}")
    bundle = {"text/plain": repr(subject)}
    with suppress(QrkitError):
        bundle |= media(subject)
    return bundle
