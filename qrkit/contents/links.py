"""Contents that open a web page: links, with the parameters by which web analytics tell campaigns apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote, unquote, urlsplit

from pydantic import Field
from pydantic_core import PydanticCustomError

from qrkit.contents.addresses import WebAddress, ascii_url, location_of
from qrkit.contents.content import note
from qrkit.contents.kinds import kind
from qrkit.contents.single_lines import OneLine
from qrkit.contents.syntax import pairs
from qrkit.design.characters import ALPHANUMERIC
from qrkit.design.limits import Length

Utm = Annotated[OneLine, Length(1, 200)]
Source = Annotated[Utm | None, Field(title="UTM source", description="Where the code hangs or is printed: `poster`.")]
Medium = Annotated[Utm | None, Field(title="UTM medium", description="The kind of medium: `print`, `qr`.")]
Campaign = Annotated[Utm | None, Field(title="UTM campaign", description="The campaign: `spring`.")]
Term = Annotated[Utm | None, Field(title="UTM term", description="The search term of a paid ad.")]
Variant = Annotated[Utm | None, Field(title="UTM variant", description="Tells two codes for the same page apart.")]
TrimTrackers = Annotated[
    bool, Field(description="Whether to remove parameters that follow people, such as `fbclid` and `gclid`.")
]

UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
TRACKERS = frozenset(
    {
        "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "twclid", "ttclid", "li_fat_id", "igshid",
        "igsh", "mc_cid", "mc_eid", "yclid", "_hsenc", "_hsmi", "mkt_tok", "oly_anon_id", "oly_enc_id", "vero_id",
        "s_cid", "epik", "_ga", "_gl", "srsltid",
    }
)  # fmt: skip
"""Parameters by which ad networks and mailing tools recognize a person or a click."""


@kind("Link", behind="redirect")
def link(
    url: WebAddress,
    *,
    utm_source: Source = None,
    utm_medium: Medium = None,
    utm_campaign: Campaign = None,
    utm_term: Term = None,
    utm_content: Variant = None,
    trim_trackers: TrimTrackers = False,
) -> str:
    """Open a web page.

    The URL becomes ASCII, as browsers send it; one that is in capitals as a whole stays so. UTM parameters replace
    those of the URL.

    Example:
        >>> from qrkit import contents
        >>> str(contents.link("https://example.com/#map", utm_source="poster", utm_medium="print"))
        'https://example.com/?utm_source=poster&utm_medium=print#map'
    """
    utm: dict[str, Any] = dict(zip(UTM, (utm_source, utm_medium, utm_campaign, utm_term, utm_content), strict=True))
    if trim_trackers:
        return link(_without(url, TRACKERS), **utm)
    written = _with_utm(url, utm)
    # UTM parameters that the URL brings along are fields, too.
    read = read_link(written)
    is_read = read == {"url": url, **{name: value for name, value in utm.items() if value}}
    if not is_read:
        return link(**read)
    if ALPHANUMERIC.issuperset(capitals := _in_capitals(written)):
        same = "" if capitals == written else f"leads to the same page as {capitals}, which "
        note("url", f"{same}makes a smaller code with em=auto")
    return written


def _in_capitals(url: str) -> str:
    """Return a URL with its scheme and host in capitals, which mean the same."""
    end = len(url) - len(re.sub("^[^:]*://[^/?#]*", "", url))
    return url[:end].upper() + url[end:]


def read_link(text: str) -> dict[str, Any]:
    """Return the fields of a link. UTM parameters are fields only where `link` would write the same text from them."""
    url = text.strip(" \t\r\n")
    try:
        is_ours = ascii_url(url) == url
    except PydanticCustomError:
        is_ours = False
    if not is_ours:
        return {"url": url}
    parameters = [pair.partition("=") for pair in urlsplit(url).query.split("&")]
    utm = {name: unquote(value) for name, _, value in parameters if name in UTM and value}
    plain = _without(url, frozenset(utm))
    return {"url": plain, **utm} if utm and _with_utm(plain, utm) == url else {"url": url}


def read_bookmark(text: str) -> dict[str, Any] | None:
    """Return the fields of a link as old phones write it: `MEBKM:TITLE:x;URL:y;;`, `URLTO:x:y`, `URL:y` or `URI:y`.

    Returns None for a text without a web address.
    """
    scheme, _, rest = text.partition(":")
    if scheme.upper() == "MEBKM":
        url = next((value for name, value in pairs(rest) if name == "URL"), "")
    else:
        url = rest if location_of(rest) else rest.partition(":")[2]
    return read_link(url) if location_of(url.strip()) else None


def _with_utm(url: str, utm: Mapping[str, str | None]) -> str:
    given = {name: value for name, value in utm.items() if value}
    if not given:
        return url
    front, mark, fragment = _without(url, frozenset(given)).partition("#")
    written = "&".join(f"{name}={quote(value, safe='~')}" for name, value in given.items())
    joint = "" if front.endswith(("?", "&")) else "&" if "?" in front else "?"
    return f"{front}{joint}{written}{mark}{fragment}"


def _without(url: str, names: frozenset[str]) -> str:
    """Return a URL without the parameters of these names, and without a question mark that nothing follows."""
    front, mark, fragment = url.partition("#")
    front, question, query = front.partition("?")
    if not question:
        return url
    kept = [pair for pair in query.split("&") if pair.partition("=")[0].lower() not in names]
    if len(kept) == query.count("&") + 1:
        return url
    return f"{front}{'?' if kept else ''}{'&'.join(kept)}{mark}{fragment}"
