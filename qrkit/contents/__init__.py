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
    from qrkit.contents.apps import app
    from qrkit.contents.contacts import contact
    from qrkit.contents.content import Content
    from qrkit.contents.events import event
    from qrkit.contents.links import link
    from qrkit.contents.messages import email, phone, sms, whatsapp
    from qrkit.contents.networks import wifi
    from qrkit.contents.places import location
    from qrkit.contents.reading import read
    from qrkit.contents.texts import text

__all__ = [
    "Content",
    "app",
    "contact",
    "email",
    "event",
    "link",
    "location",
    "phone",
    "read",
    "sms",
    "text",
    "whatsapp",
    "wifi",
]

__getattr__ = late_names(
    __name__,
    {
        "Content": "contents.content:Content",
        "app": "contents.apps:app",
        "contact": "contents.contacts:contact",
        "email": "contents.messages:email",
        "event": "contents.events:event",
        "link": "contents.links:link",
        "location": "contents.places:location",
        "phone": "contents.messages:phone",
        "read": "contents.reading:read",
        "sms": "contents.messages:sms",
        "text": "contents.texts:text",
        "whatsapp": "contents.messages:whatsapp",
        "wifi": "contents.networks:wifi",
    },
)


def __dir__() -> list[str]:
    return __all__
