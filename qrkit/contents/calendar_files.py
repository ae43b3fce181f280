"""Makes a file that calendar apps take from an event that a code contains."""

from __future__ import annotations

import re
from hashlib import sha256

ADDED = {"UID": "UID:{digest}@qrkit", "DTSTAMP": "DTSTAMP:19700101T000000Z"}
"""Lines that an event must have (RFC 5545, 3.6.1), the same ones each time, so that an event is not saved twice."""


def calendar_file(content: str) -> str:
    """Return an event inside of a calendar, as RFC 5545 demands of a file; any other content as it is.

    Codes often contain only the event, because that is shorter, and leave out the lines in it that no person reads.
    """
    lines = [line for line in re.split("\r\n|\r|\n", content.strip(" \t\r\n")) if line]
    if not lines or lines[0].strip().upper() != "BEGIN:VEVENT":
        return content
    if not any(line.strip().upper() == "END:VEVENT" for line in lines):
        lines.append("END:VEVENT")
    named = {re.split("[:;]", line, maxsplit=1)[0].upper() for line in lines}
    digest = sha256(content.encode("utf-8", "replace")).hexdigest()[:32]
    added = [line.format(digest=digest) for name, line in ADDED.items() if name not in named]
    calendar = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//qrkit//qrkit//EN", "BEGIN:VEVENT", *added, *lines[1:]]
    return "\r\n".join([*calendar, "END:VCALENDAR", ""])
