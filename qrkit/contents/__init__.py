"""Writes and reads contents by kind: links, Wi-Fi networks, contacts, events, payments and more.

    >>> from qrkit import contents
    >>> contents.wifi("Cafe Nero", "espresso")
    <Content wifi, ssid='Cafe Nero', password='…'>

Each function returns a `Content`, a `str` that knows its kind and fields. `read` turns any text into a `Content`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import by_name, late_names

if TYPE_CHECKING:
    from qrkit.contents.apps import app
    from qrkit.contents.contacts import contact
    from qrkit.contents.content import Content
    from qrkit.contents.events import event
    from qrkit.contents.gs1_links import gs1_digital_link
    from qrkit.contents.gs1_strings import gs1_elements
    from qrkit.contents.links import link
    from qrkit.contents.messages import email, phone, sms, text, whatsapp
    from qrkit.contents.networks import wifi
    from qrkit.contents.one_time_passwords import otp
    from qrkit.contents.payments.pix_codes import pix
    from qrkit.contents.payments.swiss_bills import PostalAddress, swiss_bill
    from qrkit.contents.payments.transfers import epc_transfer
    from qrkit.contents.payments.wallets import bitcoin, upi
    from qrkit.contents.places import location
    from qrkit.contents.reading import read

__all__ = [
    "Content", "PostalAddress", "app", "bitcoin", "contact", "email", "epc_transfer", "event", "gs1_digital_link",
    "gs1_elements", "link", "location", "otp", "phone", "pix", "read", "sms", "swiss_bill", "text", "upi", "whatsapp",
    "wifi",
]  # fmt: skip

MODULES = {
    "link": "links",
    "wifi": "networks",
    "contact": "contacts",
    "event": "events",
    "email": "messages",
    "sms": "messages",
    "phone": "messages",
    "whatsapp": "messages",
    "location": "places",
    "app": "apps",
    "epc_transfer": "payments.transfers",
    "swiss_bill": "payments.swiss_bills",
    "pix": "payments.pix_codes",
    "upi": "payments.wallets",
    "bitcoin": "payments.wallets",
    "otp": "one_time_passwords",
    "gs1_digital_link": "gs1_links",
    "gs1_elements": "gs1_strings",
    "text": "messages",
}
"""The module of each kind, in the order in which people are offered them."""

_OTHERS = {"contents.content": "Content", "contents.payments.swiss_bills": "PostalAddress", "contents.reading": "read"}

__getattr__ = late_names(
    __name__, {name: f"contents.{module}:{name}" for name, module in MODULES.items()} | by_name(_OTHERS)
)

__dir__ = __all__.copy
