"""Reads any text as a `Content`: the reverse of the functions that write one.

Texts come from strangers. Nothing here raises, and the time is proportional to the length of the text: a text that
cannot be parsed is of the kind `text`.
"""

from __future__ import annotations

from importlib import import_module

from qrkit.contents.content import Content
from qrkit.contents.kinds import MODULES, kind_named

__all__ = ["read"]

READERS = {
    "WIFI:": {"wifi": "read_wifi"},
    "BCD": {"epc_transfer": "read_epc_transfer"},
    "SPC": {"swiss_bill": "read_swiss_bill"},
    "000201": {"pix": "read_pix"},
    "UPI:": {"upi": "read_upi"},
    "BITCOIN:": {"bitcoin": "read_bitcoin"},
    "OTPAUTH:": {"otp": "read_otp"},
    "HTTP": {"gs1_digital_link": "read_gs1_digital_link"},
    "": {"gs1_elements": "read_gs1_elements"},
}
"""Maps how a text begins, in capitals, to the kinds it may be, with the function in their module that reads the fields.

The first function that does not return None decides.
"""


def read(text: str) -> Content:
    """Read a text as a content: what `qrkit.contents` has written gets the fields that it was written from.

    Never raises. Fields that have their default are left out; other texts are of the kind `text`.

    Example:
        >>> from qrkit import contents
        >>> contents.read("WIFI:T:WPA;S:Cafe Nero;P:espresso;;").fields["ssid"]
        'Cafe Nero'
    """
    start = text.lstrip(" \t\r\n")
    for beginning, readers in READERS.items():
        if start[: len(beginning)].upper() == beginning:
            for kind, reader in readers.items():
                fields = getattr(import_module(f"qrkit.contents.{MODULES[kind]}"), reader)(start)
                if fields is not None:
                    return kind_named(kind).content(text, fields)
    return Content(text, "text", {"text": text})
