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
    from qrkit.contents.gs1_links import gs1_digital_link
    from qrkit.contents.gs1_strings import gs1_elements
    from qrkit.contents.networks import wifi
    from qrkit.contents.one_time_passwords import otp
    from qrkit.contents.pix_codes import pix
    from qrkit.contents.reading import read
    from qrkit.contents.swiss_bills import PostalAddress, swiss_bill
    from qrkit.contents.transfers import epc_transfer
    from qrkit.contents.wallets import bitcoin, upi

__all__ = [
    "Content",
    "PostalAddress",
    "bitcoin",
    "epc_transfer",
    "gs1_digital_link",
    "gs1_elements",
    "otp",
    "pix",
    "read",
    "swiss_bill",
    "upi",
    "wifi",
]

__getattr__ = late_names(
    __name__,
    {
        "Content": "contents.content:Content",
        "PostalAddress": "contents.swiss_bills:PostalAddress",
        "bitcoin": "contents.wallets:bitcoin",
        "epc_transfer": "contents.transfers:epc_transfer",
        "gs1_digital_link": "contents.gs1_links:gs1_digital_link",
        "gs1_elements": "contents.gs1_strings:gs1_elements",
        "otp": "contents.one_time_passwords:otp",
        "pix": "contents.pix_codes:pix",
        "read": "contents.reading:read",
        "swiss_bill": "contents.swiss_bills:swiss_bill",
        "upi": "contents.wallets:upi",
        "wifi": "contents.networks:wifi",
    },
)


def __dir__() -> list[str]:
    return __all__
