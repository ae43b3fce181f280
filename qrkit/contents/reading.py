"""Reads any text as a `Content`: the reverse of the functions that write one.

Texts come from strangers. Nothing here raises, and the time is proportional to the length of the text: a text that
cannot be parsed is of the kind `text`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from qrkit.contents.content import Content
from qrkit.contents.kinds import MODULES, kind_named
from qrkit.contents.syntax import IN_FRONT, NATIONAL_PAYMENTS

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

UNREAD = {
    "payment": re.compile(
        rf"(?:BCD\s+0[0-9]{{2}}|SPC\s+0[0-9]{{3}})\s|000201[0-9]{{4}}.*6304[0-9A-F]{{4}}\s*\Z|{NATIONAL_PAYMENTS}",
        re.I | re.DOTALL,
    ),
    "one-time password": re.compile("otpauth(?:-migration)?:", re.I),
    "mobile plan (eSIM)": re.compile(r"LPA:1\$", re.I),
    "passkey sign-in": re.compile("FIDO:/[0-9]", re.I),
    "smart home device": re.compile(r"MT:[0-9A-Z.-]{19}|X-HM://[0-9A-Z]{9}"),
    "Wi-Fi device": re.compile("DPP:(?:.*;)?K:[A-Za-z0-9+/=]+;"),
}
"""Matches contents that apps read from the code itself, though none of our kinds holds all of them: transfers and bills
of other versions, payments of other countries, one-time passwords of a single app, and what sets up devices."""


def read(text: str) -> Content:
    """Read a text as a content: what `qrkit.contents` has written gets the fields that it was written from.

    Never raises. Fields that have their default are left out; other texts are of the kind `text`.

    Example:
        >>> from qrkit import contents
        >>> contents.read("WIFI:T:WPA;S:Cafe Nero;P:espresso;;").fields["ssid"]
        'Cafe Nero'
    """
    start = text.lstrip(" \t\r\n")
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
    needing = _kinds_that_need_the_code(_beginning(start))
    if not needing:
        return ""
    if (kind := read(start).kind) in needing:
        return kind_named(kind).title
    return next((title for title, pattern in UNREAD.items() if pattern.match(start)), "")


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
