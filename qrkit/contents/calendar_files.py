"""Makes a file that calendar apps take from an event that a code contains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256

CALENDAR = {"VERSION": "VERSION:2.0", "PRODID": "PRODID:-//qrkit//qrkit//EN"}
EVENT = {"UID": "UID:{id}@qrkit", "DTSTAMP": "DTSTAMP:19700101T000000Z"}
"""Lines that a calendar and an event must have (RFC 5545, 3.4 and 3.6.1), the same ones each time, so that an event is
not saved twice."""


def calendar_file(content: str) -> str:
    """Return a calendar or an event as a file, with the lines that RFC 5545 demands; if none lacks, as it is.

    Codes often contain only the event, because that is shorter, and leave out the lines that no person reads.
    """
    written = [line for line in re.split("\r\n|\r|\n", content.strip(" \t\r\n")) if line]
    heads = [line.strip().upper() for line in written]
    if not heads or heads[0] not in ("BEGIN:VEVENT", "BEGIN:VCALENDAR") or "END:VCALENDAR" in heads[:-1]:
        return content
    inside = slice(heads[0] == "BEGIN:VCALENDAR", len(heads) - (heads[-1] == "END:VCALENDAR"))
    lines, heads = written[inside], heads[inside]
    made, digest = ["BEGIN:VCALENDAR", *_missing(lines, CALENDAR)], sha256(content.encode("utf-8", "replace"))
    count = heads.count("BEGIN:VEVENT")
    for place, line in enumerate(lines):
        made.append(line)
        if heads[place] == "BEGIN:VEVENT":
            id = digest.hexdigest()[:32] + (f"-{place}" if count > 1 else "")
            made += [added.format(id=id) for added in _missing(lines[place + 1 :], EVENT)]
    made += ["END:VEVENT"] * (count - heads.count("END:VEVENT")) + ["END:VCALENDAR"]
    return content if len(made) == len(written) else "\r\n".join([*made, ""])


def _missing(lines: Iterable[str], needed: Mapping[str, str]) -> list[str]:
    """Return the needed lines that a component lacks; those of one inside it, such as an alarm, do not count."""
    depth, named = 0, set[str]()
    for line in lines:
        name = re.split("[:;]", line, maxsplit=1)[0].upper()
        depth -= name == "END"
        if depth < 0:
            break
        if depth == 0:
            named.add(name)
        depth += name == "BEGIN"
    return [line for name, line in needed.items() if name not in named]
