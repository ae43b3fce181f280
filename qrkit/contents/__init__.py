"""Writes and reads contents by kind: links, Wi-Fi networks, contacts, events, payments and more.

    >>> from qrkit import contents
    >>> contents.wifi("Cafe Nero", "espresso")
    <Content wifi, ssid='Cafe Nero', password='…'>

Each function returns a `Content`, a `str` that knows its kind and fields. `read` turns any text into a `Content`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import late_names

if TYPE_CHECKING:
    from qrkit.contents.content import Content
    from qrkit.contents.networks import wifi
    from qrkit.contents.reading import read

__all__ = ["Content", "read", "wifi"]

__getattr__ = late_names(
    __name__,
    {
        "Content": "contents.content:Content",
        "read": "contents.reading:read",
        "wifi": "contents.networks:wifi",
    },
)


def __dir__() -> list[str]:
    return __all__
