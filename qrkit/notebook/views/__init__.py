"""What notebooks show of each kind of object: text, HTML and, where it is one, a picture.

All of it is the same for equal objects, holds nothing from elsewhere, and takes its colors from the page around it, be
that light or dark. What strangers wrote is text in it, whatever it looks like.

`media` in `fields.py` is one function for all classes (`functools.singledispatch`): it shows the fields of a record.
The other modules here register what they show instead.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from qrkit.errors import QrkitError
from qrkit.notebook.views.fields import media

__all__ = ["view"]

VIEWS = {
    "design": "drawing",
    "drawing": "drawing",
    "exchange": "results",
    "pictures": "results",
    "portfolio": "tracking",
    "scanning": "scanning",
    "server": "servers",
    "symbol": "drawing",
    "tracking": "tracking",
}
"""Room of a class -> the module here that shows the classes of that room."""


def view(subject: Any) -> dict[str, Any]:
    """What a notebook shows of an object, by media type; its text alone where it cannot be drawn or read."""
    for cls in type(subject).__mro__:
        package, _, module = cls.__module__.partition(".")
        room = module.partition(".")[0]
        if package == "qrkit" and room in VIEWS:
            import_module(f"{__name__}.{VIEWS[room]}")
    bundle = {"text/plain": repr(subject)}
    with suppress(QrkitError):
        bundle |= media(subject)
    return bundle
