"""What notebooks show of each kind of object: text, HTML and, where it is one, a picture.

All of it is the same for equal objects, holds nothing from elsewhere, and takes its colours from the page around it, be
that light or dark. What strangers wrote is text in it, whatever it looks like.

    fields      any record: the fields that were given
    drawings    designs, their parts, symbols and scenes: pictures
    tracked     QR Codes, campaigns, portfolios, templates
    scanning    what checks found and repairs did
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from qrkit.errors import QrkitError

__all__ = ["view"]

MODULES = {
    "Design": "drawings",
    "Gradient": "drawings",
    "Markers": "drawings",
    "Marker": "drawings",
    "Modules": "drawings",
    "Symbol": "drawings",
    "Scene": "drawings",
    "Campaign": "tracked",
    "QRCode": "tracked",
    "Portfolio": "tracked",
    "Templates": "tracked",
    "Batch": "results",
    "ImportResult": "results",
    "Budget": "scanning",
    "Grade": "scanning",
    "LargestLogo": "scanning",
    "Panel": "scanning",
    "Repair": "scanning",
}
"""Which module here shows a class; all others are shown by their fields."""


def view(subject: Any) -> dict[str, Any]:
    """By media type: what is to be shown of an object; its text alone where it cannot be drawn or read."""
    name = next((one.__name__ for one in type(subject).__mro__ if one.__name__ in MODULES), "")
    module = import_module(f"qrkit.notebook.views.{MODULES.get(name, 'fields')}")
    bundle = {"text/plain": repr(subject)}
    with suppress(QrkitError):
        bundle |= module.view(subject)
    return bundle
