"""Reads any text as a `Content`: the reverse of the functions that write one.

Texts come from strangers. Nothing here raises, and the time is proportional to the length of the text: a text that
cannot be parsed is of the kind `text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from qrkit.contents.app_codes import app_code_title
from qrkit.contents.content import Content
from qrkit.contents.kinds import MODULES, kind_named
from qrkit.contents.syntax import BLANKS, IN_FRONT

ON_THE_WEB = {
    "gs1_digital_link": "read_gs1_digital_link",
    "app": "read_app",
    "whatsapp": "read_whatsapp",
    "location": "read_location",
    "link": "read_link",
}
READERS: Mapping[str, Mapping[str, str]] = {
    "HTTPS:": ON_THE_WEB,
    "HTTP:": ON_THE_WEB,
    "WIFI:": {"wifi": "read_wifi"},
    "BCD": {"epc_transfer": "read_epc_transfer"},
    "SPC": {"swiss_bill": "read_swiss_bill"},
    "000201": {"pix": "read_pix", "gs1_elements": "read_gs1_elements"},
    "UPI:": {"upi": "read_upi"},
    "BITCOIN:": {"bitcoin": "read_bitcoin"},
    "OTPAUTH:": {"otp": "read_otp"},
    "BEGIN:VCARD": {"contact": "read_contact"},
    "MECARD:": {"contact": "read_mecard"},
    "BIZCARD:": {"contact": "read_bizcard"},
    "BEGIN:VCALENDAR": {"event": "read_event"},
    "BEGIN:VEVENT": {"event": "read_event"},
    "MATMSG:": {"email": "read_matmsg"},
    "MEBKM:": {"link": "read_bookmark"},
    "URLTO:": {"link": "read_bookmark"},
    "URL:": {"link": "read_bookmark"},
    "URI:": {"link": "read_bookmark"},
    "SMTP:": {"email": "read_smtp"},
    "MAILTO:": {"email": "read_email"},
    "SMSTO:": {"sms": "read_sms"},
    "SMS:": {"sms": "read_sms"},
    "MMSTO:": {"sms": "read_sms"},
    "MMS:": {"sms": "read_sms"},
    "TEL:": {"phone": "read_phone"},
    "GEO:": {"location": "read_location"},
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
    start = text.lstrip(BLANKS)
    for kind, reader in READERS[_beginning(start)].items():
        fields = getattr(import_module(f"qrkit.contents.{MODULES[kind]}"), reader)(start)
        if fields is not None:
            return kind_named(kind).content(text, fields)
    return Content(text, "text", {"text": text})


def title_if_read_from_code(text: str) -> str:
    """Return the title of a content that apps read from the code itself and not from a web page, such as a transfer.

    Returns "" for other contents, which work behind a short URL.
    """
    start = text.lstrip(IN_FRONT)
    if (needing := _kinds_that_need_the_code(_beginning(start))) and (kind := read(start).kind) in needing:
        return kind_named(kind).title
    return app_code_title(start)


# An import asks this of each of its rows.
@cache
def _kinds_that_need_the_code(beginning: str) -> frozenset[str]:
    """Return the kinds of texts with this beginning that apps read from the code itself."""
    return frozenset(kind for kind in READERS[beginning] if kind_named(kind).behind == "never")


def _beginning(start: str) -> str:
    """Return the first key of `READERS` that a text begins with. The last key is empty, so there always is one."""
    for beginning in READERS:
        if start[: len(beginning)].upper() == beginning:
            break
    return beginning
