"""Lists of links that other tools write: one small table a tool, read only, so that codes which hang somewhere live on.

A tool is known by names that only it gives its columns (csv, xls, xlsx) or the members of its objects (json). What a
table does not name is left out without a word. Where the sources below were seen in public code in 2026 is said at
each table; none of these tools promises its names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from qrkit.errors import InvalidParameter
from qrkit.tracking.times import from_iso, to_table

__all__ = ["TOOLS", "Tool", "tool_of", "unwrapped"]

UNKNOWN_HOST = "host.invalid"
"""Stands in a short URL where a file has the short codes alone: the code is kept, whatever its host was."""
OUR_NAME = "content"
"""The one name that each file of ours has, and no foreign one."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NO_MOMENT = re.compile(r"0000-00-00([ T][0:.]+Z?)?")
"""What MySQL writes for a moment that nobody knows."""
_IN_THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """How a tool writes its links. Names are read in any case; `a.b` is the member b of the object a.

    Of several names the first counts that has a text.

    Attributes:
        name: The tool, and the form where it has several.
        known_by: Names that together only this tool writes.
        alone: Whether it writes no further ones; for names that others use, too.
        content: Where the link leads.
        url: The short URL.
        code: The short code alone, or a URL that ends with it; only where the tool writes it.
        domain: The host of the short URL, where the code stands alone.
        title: What people call the link.
        created: When it was made: ISO 8601, in UTC where no offset is written; a date of zeros is none.
        count: How often it was followed; there may be commas between the thousands.
        comment: What people wrote about it.
        tags: Its tags, as a text with `|` or `,` between them, or as a list.
        envelope: The members that lead from the whole of a json file to the links.
    """

    name: str
    known_by: tuple[str, ...]
    content: tuple[str, ...]
    alone: bool = False
    url: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    count: tuple[str, ...] = ()
    comment: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    envelope: tuple[str, ...] = ()

    def row(self, link: Mapping[str, Any]) -> tuple[dict[str, str], str]:
        """The cells of a link by the names of our columns, and what is wrong with it, "" where nothing is."""
        link = {name.strip().lower(): value for name, value in link.items()}
        created, error = _moment(link, self.created)
        tags = _tags(link, self.tags)
        comment = _text(link, self.comment)
        if len(tags) > 1:
            comment = "\n".join(filter(None, (comment, f"Tags: {', '.join(tags)}")))
        cells = {
            "Campaign Name": tags[0] if len(tags) == 1 else "",
            "QR Code Name": _text(link, self.title),
            "Content": _text(link, self.content),
            "Trackable URL": self._short_url(link),
            "Created (UTC)": created,
            "Scans": _count(link, self.count),
            "Comment": comment,
        }
        for name, text in cells.items():
            if _SURROGATE.search(text):
                cells[name] = _SURROGATE.sub("?", text)
                error = error or f"{name}: holds half a character (a lone surrogate)"
        return cells, error

    def _short_url(self, link: Mapping[str, Any]) -> str:
        """The short URL with its code right behind the host, where `links.read_short_url` looks for it."""
        url = _text(link, self.url)
        if url and "://" not in url and "/" in url:
            url = f"https://{url}"
        code = _text(link, self.code).strip("/")
        if "://" in code:
            _, slash, code = code.partition("://")[2].rpartition("/")
            code = code if slash else ""
        if not code or (url and not url.rstrip("/").endswith(f"/{code}")):
            return url
        scheme, _, rest = url.partition("://")
        host = rest.partition("/")[0] or _text(link, self.domain) or UNKNOWN_HOST
        return f"{scheme or 'https'}://{host}/{code}"


BITLY_FILE = Tool(
    name="Bitly, csv",
    known_by=("Link", "Custom Link", "Destination URL"),
    content=("Destination URL",),
    # bit.ly itself never becomes ours; the custom link may stand on a domain that does.
    url=("Custom Link", "Link"),
    title=("Title",),
    created=("Date created",),
    count=("Engagements",),
)
"""The export of the page Links: the three names it is known by as URLR/urlr-docs (`migration/bitly.md`) describes the
file, the others as Linketry's import of it (`detectBitlyCsv`) reads them."""

BITLY_API = Tool(
    name="Bitly, json",
    known_by=("link", "long_url", "created_at"),
    content=("long_url",),
    url=("custom_bitlinks", "link"),
    title=("title",),
    created=("created_at",),
    tags=("tags",),
    envelope=("links",),
)
"""API v4, `GET /groups/{group_guid}/bitlinks`, as shlinkio/shlink-importer (`BitlyApiImporter`) reads it and as it is
quoted in thedevs-network/kutt#382. It counts nothing."""

SHLINK_FILE = Tool(
    name="Shlink, csv",
    known_by=("createdAt", "shortUrl", "longUrl", "visits"),
    content=("longUrl",),
    url=("shortUrl",),
    code=("shortCode",),
    domain=("domain",),
    title=("title",),
    created=("createdAt",),
    count=("visits",),
    tags=("tags",),
)
"""The export of shlink-web-client and shlink-web-component, `ExportableShortUrl`; older ones lack shortCode, domain."""

SHLINK_API = Tool(
    name="Shlink, json",
    known_by=("shortUrl", "longUrl", "dateCreated"),
    content=("longUrl",),
    url=("shortUrl",),
    code=("shortCode",),
    domain=("domain",),
    title=("title",),
    created=("dateCreated",),
    count=("visitsSummary.nonBots", "visitsSummary.total", "visitsCount"),
    tags=("tags",),
    envelope=("shortUrls", "data"),
)
"""`GET /rest/v3/short-urls`, as shlinkio/shlink 3 (`ShortUrlDataTransformer`) writes it; before, it had visitsCount.

Visits of bots are no scans, so they are left out of the count where the file tells them apart."""

YOURLS_API = Tool(
    name="YOURLS, json",
    known_by=("shorturl", "url", "timestamp", "clicks"),
    content=("url",),
    url=("shorturl",),
    # YOURLS may stand below a path, and its keywords have no slash.
    code=("shorturl",),
    title=("title",),
    created=("timestamp",),
    count=("clicks",),
    envelope=("links",),
)
"""API, `action=stats&format=json`: YOURLS/YOURLS, `yourls_get_stats`. Its times have no zone: UTC, as MySQL has it."""

YOURLS_TABLE = Tool(
    name="YOURLS, its table of URLs",
    known_by=("keyword", "url", "timestamp", "clicks"),
    content=("url",),
    code=("keyword",),
    title=("title",),
    created=("timestamp",),
    count=("clicks",),
)
"""The table of the database as a file: keyword, url, title, timestamp, ip, clicks, which `yourls_get_stats` reads."""

YOURLS_PLUGIN = Tool(
    name="YOURLS, plugin Import Export",
    known_by=("source", "target", "hits"),
    alone=True,
    content=("target",),
    code=("source",),
    count=("hits",),
)
"""GautamGupta/YOURLS-Import-Export 1.0, `fileio/csv.php`: the keyword between slashes, without its host."""

KUTT = Tool(
    name="Kutt",
    known_by=("address", "target", "visit_count"),
    content=("target",),
    # An object {link, url} in Kutt 3, before that the URL.
    url=("link.url", "link"),
    code=("address",),
    domain=("domain",),
    title=("description",),
    created=("created_at",),
    count=("visit_count",),
    envelope=("data",),
)
"""`GET /api/v2/links`: thedevs-network/kutt 2 and 3, `links.handler.js` and `sanitize.link`. It writes no csv."""

DUB_FILE = Tool(
    name="Dub, csv",
    known_by=("Short link", "Destination URL"),
    content=("Destination URL",),
    url=("Short link",),
    title=("Title",),
    created=("Created at",),
    count=("Clicks",),
    comment=("Comments",),
    tags=("Tags",),
)
"""dubinc/dub: `GET /api/links/export` heads its columns with the labels of the export dialog."""

DUB_OLD_FILE = Tool(
    name="Dub, csv of 2024",
    known_by=("link", "url", "clicks", "createdAt"),
    content=("url",),
    url=("link",),
    title=("title",),
    created=("createdAt",),
    count=("clicks",),
    comment=("comments",),
    tags=("tags",),
)
"""The same before the labels were written, with the names of its fields; these four columns are its default."""

DUB_API = Tool(
    name="Dub, json",
    known_by=("shortLink", "key", "url", "domain"),
    content=("url",),
    url=("shortLink",),
    code=("key",),
    domain=("domain",),
    title=("title",),
    created=("createdAt",),
    count=("clicks",),
    comment=("comments",),
    tags=("tags",),
)
"""`GET /links`, an array: dubinc/dub, `LinkSchema` of `lib/zod/schemas/links.ts`; tags are objects with a name."""

TOOLS = (
    BITLY_FILE, BITLY_API, SHLINK_FILE, SHLINK_API, YOURLS_API, YOURLS_TABLE, YOURLS_PLUGIN, KUTT, DUB_FILE,
    DUB_OLD_FILE, DUB_API,
)  # fmt: skip


def tool_of(names: Iterable[str]) -> Tool | None:
    """The tool whose file has these names; None for a file of ours, and for one that nobody knows."""
    found = {name.strip().lower() for name in names}
    if OUR_NAME in found:
        return None
    for tool in TOOLS:
        wanted = {name.lower() for name in tool.known_by}
        if found == wanted if tool.alone else found >= wanted:
            return tool
    return None


def unwrapped(value: Any) -> Any:
    """The list of links in the envelope of a tool; any other value as it is."""
    for tool in TOOLS:
        found = value if tool.envelope else None
        for name in tool.envelope:
            found = found.get(name) if isinstance(found, dict) else None
        # YOURLS numbers its links: {"link_1": {…}, "link_2": {…}}.
        links = list(found.values()) if isinstance(found, dict) else found
        if isinstance(links, list) and links and isinstance(links[0], dict) and tool_of(links[0]) is tool:
            return links
    return value


def _found(link: Mapping[str, Any], name: str) -> Any:
    first, *others = name.split(".")
    value = link.get(first.lower())
    for other in others:
        value = value.get(other) if isinstance(value, dict) else None
    return value


def _text(link: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first text or number among these."""
    for name in names:
        value = _found(link, name)
        if isinstance(value, list):
            value = next(iter(value), None)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, (str, int, float)) and str(value).strip():
            return str(value).strip()
    return ""


def _moment(link: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, str]:
    """The moment as tables have it, and what is wrong with it, under the name that the file gives it."""
    text = _text(link, names)
    if not text or _NO_MOMENT.fullmatch(text):
        return "", ""
    try:
        return to_table(from_iso(text, name=names[0])), ""
    except InvalidParameter as error:
        return "", str(error)


def _count(link: Mapping[str, Any], names: tuple[str, ...]) -> str:
    text = _text(link, names)
    return text.replace(",", "") if _IN_THOUSANDS.fullmatch(text) else text


def _tags(link: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    value: Any = next(filter(None, (_found(link, name) for name in names)), [])
    many = re.split(r"[|,]", value) if isinstance(value, str) else value if isinstance(value, list) else []
    texts = (one.get("name") if isinstance(one, dict) else one for one in many)
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]
