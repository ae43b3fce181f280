"""Decides what a short URL does with its content: follow it, or show it.

Browsers are redirected only to clean http and https URLs. Everything else is shown on a page; `tel:`, `mailto:` and
similar schemes get a link to tap, there and where a contact or an event has them. A URL that a browser might read
differently than it looks (control characters, user names in the host) is never followed. Spaces at the ends are
removed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from posixpath import normpath
from typing import Literal
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlsplit

from qrkit.contents.addresses import INVISIBLE, location_of
from qrkit.contents.contacts import vcard_of
from qrkit.contents.kinds import kind_named
from qrkit.contents.reading import read
from qrkit.contents.syntax import APP_LINK, BLANKS, HTML_AMPERSAND, OTHER_SYSTEM, WALLET_LINK
from qrkit.errors import InvalidParameter

OLD_FORMS = ("MEBKM:", "URLTO:", "URL:", "URI:", "MATMSG:", "SMTP:")
"""How links and e-mails begin that no browser follows as they are written."""
CALENDAR = ("event.ics", "text/calendar")
CONTACT = ("contact.vcf", "text/vcard")
CARDS = {"BEGIN:VCARD": CONTACT, "BEGIN:VCALENDAR": CALENDAR, "BEGIN:VEVENT": CALENDAR}

MOST_PASSED = 100
"""Parameters of a query that may pass."""
LONGEST_LINK = 8_000
"""Characters of a link with a query that browsers and proxies take; a longer query does not pass."""
IN_QUERY = "%/?:@!$'()*+,;=-._~"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_TAPPED = re.compile(
    rf"(?:tel|mailto|sms|smsto|mms|mmsto):|{APP_LINK}|geo:(?!{OTHER_SYSTEM})|{WALLET_LINK}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a scan leads: `redirect` sends the browser to the link, `page` shows the content.

    The link is in ASCII; a page has it to tap, or None for plain text. `download` has the file name and the media type
    of a contact or an event.
    """

    kind: Literal["redirect", "page"]
    link: str | None = None
    download: tuple[str, str] | None = None


@lru_cache(4096)  # the same few codes are scanned repeatedly
def destination(content: str) -> Destination:
    """Decide what a short URL with this content does."""
    text = _in_new_form(content.strip(" \t\r\n"))
    for beginning, download in CARDS.items():
        if text.lstrip(BLANKS)[: len(beginning)].upper() == beginning:
            return Destination("page", download=download)
    if vcard_of(text):
        return Destination("page", download=CONTACT)
    scheme = _SCHEME.match(text)
    if scheme is None or INVISIBLE.search(text.replace(" ", "")):
        return Destination("page")
    name = scheme[1].lower()
    if name in ("http", "https"):
        location = location_of(text)
        return Destination("redirect", location) if location else Destination("page")
    if _TAPPED.match(text):
        mark = "" if name == "tel" else "#"  # the # key of a phone, not the fragment of an address
        text = HTML_AMPERSAND.sub("&", text)
        return Destination("page", link=quote(text, safe=f"%:/?{mark}[]@!$&'()*+,;=-._~"))
    return Destination("page")


def _in_new_form(text: str) -> str:
    """Return a link or an e-mail of an old phone, or a place with blanks, as browsers follow it; others as they are."""
    if text[:4].upper() == "GEO:":
        point, mark, query = text.partition("?")
        return point.replace(" ", "") + mark + query
    if text[:7].upper().startswith(OLD_FORMS):
        content = read(text)
        with suppress(InvalidParameter):
            return str(kind_named(content.kind).write(**content.fields))
    return text


def with_query(link: str, query: str, names: Collection[str], reserved: str = "") -> str:
    """Return a link with those parameters of a visitor's query that may pass and that the link does not have itself.

    The link is one that `destination` returns; the query is as it was sent, each byte a letter of Latin-1. Parameters
    with these names may pass (`*` stands for all), but not the reserved one.
    """
    location, hash_sign, fragment = link.partition("#")
    own = {reserved, *(name for name, _ in parse_qsl(urlsplit(location).query, keep_blank_values=True))}
    passed = []
    for part in query.split("&", MOST_PASSED)[:MOST_PASSED]:
        name = unquote_plus(part.partition("=")[0])
        if name and name not in own and ("*" in names or name in names):
            passed.append(quote(part.encode("latin-1", "replace"), safe=IN_QUERY))
    joined = "&".join(passed)
    if not joined or len(location) + len(joined) > LONGEST_LINK:
        return link
    mark = "" if location.endswith(("?", "&")) else "&" if "?" in location else "?"
    return f"{location}{mark}{joined}{hash_sign}{fragment}"


@lru_cache(4096)
def with_utm(content: str, utm: str) -> str:
    """Add the UTM parameters of a query that a link lacks; return contents other than web addresses unchanged."""
    where = destination(content)
    return with_query(where.link or "", utm, "*") if where.kind == "redirect" else content


def link_behind(written: str, target: str) -> str | None:
    """Return the link of a text on a page, in ASCII; None if it is unsafe, or leads elsewhere than the text says."""
    link = None if INVISIBLE.search(re.sub(r"[ \n]", "", written)) else destination(target).link
    if link and link.startswith(("http:", "https:")):
        # Letters of other alphabets can look like those of a well-known host.
        shown = re.sub("^https?://", "", written.strip().lower())
        return link if shown.startswith(urlsplit(link).netloc) else None
    return link


@lru_cache(maxsize=4_096)
def path_below(location: str, hosts: frozenset[str], path: str = "") -> str:
    """Return what follows `path` in the path of a location on one of these hosts; "" if nothing does.

    The location is one that `destination` returns, and its port is ignored. Hosts are in lower case; the path has no
    trailing slash.
    """
    parts = urlsplit(location)
    target_path, home = _normalize(parts.path), f"{_normalize(path).rstrip('/')}/"
    if (parts.hostname or "").rstrip(".") not in hosts or not target_path.startswith(home):
        return ""
    return target_path.removeprefix(home)


def _normalize(path: str) -> str:
    """Resolve `.` and `..` in a path, as a browser does."""
    return re.sub("^/+", "/", normpath(unquote(path) or "/"))
