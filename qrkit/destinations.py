"""What a short URL does with the content behind it: follow it, or show it (ruling T8).

A browser is sent on to clean http and https URLs alone. Everything else is shown as text; `tel:`, `mailto:` and the
like with a link to tap. What a browser might read differently than it looks (control characters, blanks in front,
user names in the host) is never followed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlsplit

__all__ = ["Destination", "destination"]

TAPPED_SCHEMES = frozenset({"tel", "mailto", "sms", "smsto", "geo"})
CARDS = {"BEGIN:VCARD": ("contact.vcf", "text/vcard"), "BEGIN:VCALENDAR": ("event.ics", "text/calendar")}
LONGEST_LOCATION = 8_192

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\]")


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a scan ends.

    Attributes:
        kind: `redirect` sends the browser on, `page` shows the content.
        link: The URL to follow, or for a page the one to tap; ASCII. None for text alone.
        download: File name and media type under which a contact or an event is offered; None for anything else.
    """

    kind: Literal["redirect", "page"]
    link: str | None = None
    download: tuple[str, str] | None = None


def destination(content: str) -> Destination:
    """Decide what a short URL with this content does."""
    text = content.strip(" \t\r\n")
    for beginning, download in CARDS.items():
        if text.upper().startswith(beginning):
            return Destination("page", download=download)
    scheme = _SCHEME.match(text)
    if scheme is None or _UNSEEN.search(text.replace(" ", "")):
        return Destination("page")
    name = scheme[1].lower()
    if name in ("http", "https"):
        location = _location(text)
        return Destination("redirect", location) if location else Destination("page")
    if name in TAPPED_SCHEMES:
        return Destination("page", link=quote(text, safe="%:/?#[]@!$&'()*+,;=-._~"))
    return Destination("page")


def _location(url: str) -> str | None:
    """The URL as ASCII for a `Location` header; None when its host is not what it looks like."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except ValueError:
        return None
    shown = f"[{host}]" if ":" in host else host
    if not _HOST.fullmatch(shown) or "@" in parts.netloc or " " in parts.netloc:
        return None
    rest = quote(url[url.index("//") + 2 + len(parts.netloc) :], safe="%/:?#[]@!$&'()*+,;=~-._|")
    location = f"{parts.scheme.lower()}://{shown}{f':{port}' if port is not None else ''}{rest}"
    return location if len(location) <= LONGEST_LOCATION else None
