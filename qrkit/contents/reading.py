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
from qrkit.errors import uncapitalized

READERS: Mapping[str, str] = {
    **dict.fromkeys(("HTTPS:", "HTTP:"), "gs1_digital_link app whatsapp location link"),
    "WIFI:": "wifi",
    "BCD": "epc_transfer",
    "SPC": "swiss_bill",
    "000201": "pix gs1_elements",
    "UPI:": "upi",
    "BITCOIN:": "bitcoin",
    "OTPAUTH:": "otp",
    "BEGIN:VCARD": "contact",
    "MECARD:": "contact:read_mecard",
    "BIZCARD:": "contact:read_bizcard",
    **dict.fromkeys(("BEGIN:VCALENDAR", "BEGIN:VEVENT"), "event"),
    "MATMSG:": "email:read_matmsg",
    "SMTP:": "email:read_smtp",
    "MAILTO:": "email",
    **dict.fromkeys(("MEBKM:", "URLTO:", "URL:", "URI:"), "link:read_bookmark"),
    **dict.fromkeys(("SMSTO:", "SMS:", "MMSTO:", "MMS:"), "sms"),
    "TEL:": "phone",
    "GEO:": "location",
    "": "gs1_elements",
}
"""Maps how a text begins, in capitals, to the kinds it may be, each with the function of its module that reads the
fields, unless that is `read_` and the kind.

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
    for origin in READERS[_beginning(start)].split():
        kind, _, reader = origin.partition(":")
        fields = getattr(import_module(f"qrkit.contents.{MODULES[kind]}"), reader or f"read_{kind}")(start)
        if fields is not None:
            return kind_named(kind).content(text, fields)
    return Content(text, "text", {"text": text})


def title_if_read_from_code(text: str) -> str:
    """Return the title of a content that apps read from the code itself and not from a web page, such as a transfer.

    It begins with a small letter, as within a sentence. Returns "" for other contents, which work behind a short URL.
    """
    start = text.lstrip(IN_FRONT)
    if (needing := _kinds_that_need_the_code(_beginning(start))) and (kind := read(start).kind) in needing:
        return uncapitalized(kind_named(kind).title)
    return app_code_title(start)


# An import asks this of each of its rows.
@cache
def _kinds_that_need_the_code(beginning: str) -> frozenset[str]:
    """Return the kinds of texts with this beginning that apps read from the code itself."""
    kinds = (origin.partition(":")[0] for origin in READERS[beginning].split())
    return frozenset(kind for kind in kinds if kind_named(kind).behind == "never")


def _beginning(start: str) -> str:
    """Return the first key of `READERS` that a text begins with. The last key is empty, so there always is one."""
    for beginning in READERS:
        if start[: len(beginning)].upper() == beginning:
            break
    return beginning
