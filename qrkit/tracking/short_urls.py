"""Build and parse short codes, short URLs and image URLs, without access to the store."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlencode, urlsplit

from qrkit.contents.gs1_identifiers import KEYS
from qrkit.contents.gs1_paths import is_gs1_key
from qrkit.errors import InvalidParameter, Problem
from qrkit.tracking.records import Properties

THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
"""Hosts that lead to the computer itself."""
BASE_58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
"""Letters and digits without 0, O, I and l, which are easily confused."""
CODE_LENGTH = 6
LONGEST_CODE = 200
PICTURES = (".png", ".svg", ".pdf")
"""Suffixes of a short URL that stand for its picture."""
RESERVED = frozenset({"api", ".well-known"})
"""First parts of paths that are not short URLs."""
CODE_RULE = (
    "must be 1..200 letters, digits or -._~!$'()*+,;=:@, with / between parts, and not begin with api or .well-known"
)
_CODE = re.compile(r"[\w.~!$'()*+,;=:@-]+(/[\w.~!$'()*+,;=:@-]+)*")
_PLAIN_CODE = re.compile(r"[0-9A-Za-z_-]{1,200}")
"""Nearly all short codes, which are judged in a tenth of the time of others."""
_DIGITAL_LINK = re.compile(rf"({'|'.join(KEYS)})/[0-9]{{8}}.*")
"""The path of a GS1 Digital Link: the number of a key, such as 01, and its value."""
_PLAIN_URL = re.compile(r"https?://([0-9A-Za-z.-]+)((?:/[0-9A-Za-z_.~/-]*)?)")
"""Most short URLs. `urlsplit`, which takes several times as long, reads all others."""
_PLAIN_TEXT = re.compile(r"[0-9A-Za-z_.~:/?-]*")
"""Texts in which only colons, slashes and question marks are quoted, such as short URLs of pictures."""
_INVISIBLE = (
    " \t\r\n\xa0\ufeff\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\xad"
)
_BARE_URL = re.compile(r"([^\s/:?#@\\.]+\.)+[^\s/:?#@\\.0-9]{2}[^\s/:?#@\\.]*(:[0-9]+)?/\S+")
"""A short URL as some services write it: a host with a dot and a path, without a scheme."""
BEHIND = (
    ".,:;!?'\"*)]}>\\\u2019\u201d\xbb\u2026\u3002\u3001\uff0c\uff01\uff1f"
    " \t\r\n\xa0\u3000\xad\u200b\u200e\u200f\u2060\ufeff"
)
"""Punctuation, blanks and invisible characters that often follow a pasted short URL."""
BEFORE = "<([{'\"\u2018\u201a\u201c\u201e\xab\u2039\ufeff\u200b \t\r\n\xa0"
"""Quotation marks, brackets, blanks and invisible characters that often stand before a pasted short URL."""
IN_PATH = "/!$'()*+,;=:@"
"""Characters of short codes that are not quoted in a URL, besides letters, digits and -._~."""
_BASE_URL = re.compile(r"https?://[^ /?#@\\]+(/[^ ?#\\]*)?", re.IGNORECASE)


class ShortLink(NamedTuple):
    """The parts of a short URL that a portfolio keeps."""

    code: str
    urlinfo: str


def new_id() -> str:
    """Return a new id: 32 lower-case hex characters from a cryptographic source."""
    return secrets.token_hex(16)


def new_ids(count: int) -> Iterator[str]:
    """Yield this many new IDs. For many of them, this takes a quarter of the time of `new_id`."""
    digits = secrets.token_hex(16 * count)
    return (digits[start : start + 32] for start in range(0, len(digits), 32))


def sought_id(id: object) -> str:
    """Return the ID to look up; for a value that cannot be an ID, "", which no record has."""
    return id if isinstance(id, str) and id.isascii() else ""


def new_short_code() -> str:
    """Return a new short code: 6 base 58 characters from a cryptographic source."""
    number, code = secrets.randbelow(len(BASE_58) ** CODE_LENGTH), ""  # a third of the time of a choice per character
    for _ in range(CODE_LENGTH):
        number, place = divmod(number, len(BASE_58))
        code += BASE_58[place]
    return code


def is_short_code(text: str) -> bool:
    """Return whether a text can be a short code: see `CODE_RULE`. Letters of any script count, in NFC."""
    if _PLAIN_CODE.fullmatch(text):
        return text.lower() not in RESERVED
    parts = text.lower().split("/")
    is_path = {".", ".."}.isdisjoint(parts) and parts[0] not in RESERVED and text != "robots.txt"
    if not is_path or len(text) > LONGEST_CODE or not unicodedata.is_normalized("NFC", text):
        return False
    # In Hindi, Thai or Arabic, combining marks are part of a word, although \w does not match them.
    letters = "".join("m" if unicodedata.category(one)[0] == "M" else one for one in text)
    return _CODE.fullmatch(letters) is not None and _DIGITAL_LINK.fullmatch(text) is None


def tidy_code(text: str) -> str:
    """Return a part of a path as a short code is written: percent-decoded, in NFC."""
    return unicodedata.normalize("NFC", unquote(text))


def beginnings(path: str) -> Iterator[str]:
    """Yield the texts at the beginning of a path that may be its short code, the longest first.

    A path may go on behind its short code with `+`, the suffix of a picture, or a slash and any words.

    Example:
        >>> list(beginnings("summer/2024.png"))
        ['summer/2024.png', 'summer/2024', 'summer']
    """
    path = path if len(path) <= LONGEST_CODE else path[: LONGEST_CODE + 1].rpartition("/")[0]
    folder, _, last = path.rpartition("/")
    shorter = last.removesuffix("+") if last.endswith("+") else last.rpartition(".")[0]
    found = [path] + ([path[: len(path) - len(last) + len(shorter)]] if shorter not in ("", last) else [])
    while folder:
        found.append(folder)
        folder = folder.rpartition("/")[0]
    return (code for code in found if is_short_code(code) or (_DIGITAL_LINK.fullmatch(code) and is_gs1_key(code)))


def without_mistakes(path: str) -> list[str]:
    """Return what a path may be without what people and programs add when they paste a short URL, the longest last.

    That is the punctuation of a sentence, invisible characters, and a query whose question mark is encoded or missing.
    A short code may end with punctuation, too.

    Example:
        >>> without_mistakes("door)."), without_mistakes("door&utm_source=news")
        (['door', 'door)', 'door).'], ['door'])
    """
    path = re.split("[?&#]", unicodedata.normalize("NFC", path), maxsplit=1)[0]
    shortest = path.rstrip(BEHIND)
    longer = range(len(shortest) + 1, min(len(path), LONGEST_CODE) + 1)
    return [shortest, *(path[:end] for end in longer)]


def is_address_of(path: str, code: str, urlinfo: str) -> bool:
    """Return whether a path that begins with a code is its short URL with the readable tail, its picture or preview."""
    rest = path[len(code) :]
    return rest == "+" or rest in PICTURES or (rest != "" and rest == f"/{slug(urlinfo)}")


class Claims:
    """Which short codes were ever given, and which addresses may be printed, with the readable tails of codes."""

    def __init__(self, codes: Iterable[str], tails: Mapping[str, str], *, ignores_case: bool = False) -> None:
        self._folded = str.lower if ignores_case else str
        # The garbage collector looks through a set again and again, but not through a dict of texts.
        self._codes = dict.fromkeys(map(self._folded, codes))
        self._tails = dict(tails)

    def are_free(self, link: ShortLink) -> bool:
        """Return whether nothing that may be printed would lead elsewhere if a new QR Code had this short URL."""
        code = self._folded(link.code)
        if code in self._codes or (link.urlinfo and self._folded(f"{link.code}/{link.urlinfo}") in self._codes):
            return False
        if _PLAIN_CODE.fullmatch(code):
            return True
        _, *shorter = beginnings(code)
        return not any(one in self._codes and is_address_of(code, one, self._tails.get(one, "")) for one in shorter)

    def take(self, link: ShortLink) -> None:
        """Give the short code and the address of a new QR Code."""
        code = self._folded(link.code)
        self._codes[code] = None
        if link.urlinfo:
            self._tails[code] = link.urlinfo


def slug(text: str) -> str:
    """Convert text to the readable tail of a short URL: lower case, words joined by hyphens, at most 80 characters."""
    if not text:
        return ""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
    # In Hindi, Thai or Arabic, combining marks are part of a word, although \w does not match them.
    kept = (one if one == "_" or one.isalnum() or unicodedata.category(one)[0] == "M" else " " for one in plain)
    words = (word for word in "".join(kept).split() if re.search(r"\w", word))
    return "-".join(words)[:80].strip("-")


def base_url_of(text: str, *, name: str = "base_url") -> str:
    """Return a base URL (http or https, without a user, query or fragment) without the trailing slash."""
    try:
        parts = urlsplit(text)
        is_good = _BASE_URL.fullmatch(text) and text.isprintable() and parts.hostname and (parts.port or 1)
    except ValueError:
        is_good = False
    if not is_good:
        raise InvalidParameter(Problem(name, text, "must be like https://go.example.com"))
    return text.rstrip("/")


def short_url(base_url: str, code: str, urlinfo: str = "") -> str:
    """Return `{base_url}/{code}`, followed by `/{slug}` if `urlinfo` is not empty."""
    tail = urlinfo and quote(slug(urlinfo), safe="")
    start = f"{base_url}/{code if code.isascii() else quote(code, safe=IN_PATH)}"
    return f"{start}/{tail}" if tail else start


def path_of(url: str, base_url: str = "", paths: Mapping[str, str] | None = None) -> str | None:
    """Return the path of a short URL on any host below that of its base URL; None for other text.

    If the base URL has a path, the short code may follow it. `paths` are those of other base URLs by host in lower
    case, such as {"a.example": "/qr/"}.
    """
    parts = _http_parts(url)
    if parts is None:
        return None
    bases = (urlsplit(base_url).path + "/", (paths or {}).get(parts.host.lower(), "/"))
    # In an export of whole paths as short codes, the slashes of the path of the base URL are quoted, too.
    starts = (start for base in bases if base != "/" for start in (base, "/" + base[1:].replace("/", "%2F")))
    start = next(filter(parts.path.startswith, starts), "/")
    return parts.path.removeprefix(start).strip("/")


def read_short_url(url: str, base_url: str = "", paths: Mapping[str, str] | None = None) -> ShortLink | None:
    """Return the code and tail of a short URL on any host; None if the path does not start with a short code.

    Only who knows all codes can tell where a code with slashes ends. Here the first part is the code if the rest may be
    a readable tail as we write it, else the whole path is. `%2F` is a slash within a code. Base URLs count as in
    `path_of`.
    """
    path = path_of(url, base_url, paths)
    if not path:
        return None
    if _DIGITAL_LINK.fullmatch(path):  # of which the number of the key is no short code
        return ShortLink(whole, "") if is_gs1_key(whole := tidy_code(path)) else None
    first, _, rest = path.partition("/")
    code, tail = tidy_code(first), unquote(rest)
    if tail != slug(tail) and is_short_code(whole := tidy_code(path)):
        return ShortLink(whole, "")
    return ShortLink(code, slug(tail)) if is_short_code(code) else None


def with_scheme(url: str) -> str:
    """Return a short URL with https:// in front if it has no scheme, as in `bit.ly/3xYz`; return other text as it is.

    Invisible characters around it, which copying adds, are removed.

    Example:
        >>> with_scheme("bit.ly/3xYz")
        'https://bit.ly/3xYz'
    """
    url = url.strip(_INVISIBLE)
    bare = url.strip().removeprefix("//")
    return f"https://{bare}" if _BARE_URL.fullmatch(bare) else url


def host_of(url: str) -> str:
    """Return the host of an http or https URL in lower case, with its port if that matters; "" for other text."""
    parts = _http_parts(url)
    return parts.host.lower() if parts else ""


def leads_to_this_machine(url: str) -> bool:
    """Return whether a URL leads to the computer itself, and so nowhere from a phone."""
    return urlsplit(url).hostname in THIS_MACHINE


def shared_paths(urls: Iterable[str]) -> dict[str, str]:
    """Return the path that all short URLs of a host share before their last part, for hosts with several short URLs.

    It may be the path of the host's base URL, or a part of all short codes. Other texts are ignored.

    Example:
        >>> shared_paths(["https://a.example/qr/door", "https://a.example/qr/gate", "https://b.example/shelf"])
        {'a.example': '/qr/'}
    """
    shared: dict[str, str] = {}
    several = set()
    for url in set(urls):
        parts = _http_parts(url)
        if parts is None:
            continue
        # The last segment of a path cannot be part of the base URL.
        folder = f"/{parts.path.strip('/')}".rpartition("/")[0] + "/"
        if parts.host in shared:
            several.add(parts.host)
            folder = _shared_folder(shared[parts.host], folder)
        shared[parts.host] = folder
    return {host: shared[host] for host in shared if host in several and shared[host] != "/"}


def _shared_folder(one: str, other: str) -> str:
    """Return the longest path that two paths begin with; all of them end with a slash."""
    while not other.startswith(one):
        one = one[:-1].rpartition("/")[0] + "/"
    return one


class _HttpParts(NamedTuple):
    """The host of a URL, with its port unless that is the usual one, and its path."""

    host: str
    path: str


def _http_parts(url: str) -> _HttpParts | None:
    """Return the parts of an http or https URL with a host; None for other text."""
    text = url.strip()
    if plain := _PLAIN_URL.fullmatch(text):
        return _HttpParts(plain[1], plain[2])
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    host = parts.netloc.removesuffix(":443" if parts.scheme == "https" else ":80")
    return _HttpParts(host, parts.path) if parts.scheme in ("http", "https") and host else None


def image_url(base_url: str, content: str, properties: Properties) -> str:
    """Return the URL that generates the picture with `content`; properties with default values are omitted."""
    return f"{base_url}/api/v3/generate?content={_quoted(content)}{_changed(properties)}"


def _quoted(text: str) -> str:
    """Quote a text for a query. Lists do so for each QR Code, and `quote` goes through a text byte by byte."""
    if _PLAIN_TEXT.fullmatch(text):
        return text.replace(":", "%3A").replace("/", "%2F").replace("?", "%3F")
    return quote(text, safe="")


@lru_cache(maxsize=1_000)
def _parameters(properties: Properties) -> str:
    changed = properties.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return "".join(f"&{urlencode({name: value}, quote_via=quote)}" for name, value in changed.items())


_last: list[tuple[Properties | None, str]] = [(None, "")]
"""The last properties and their parameters: most QR Codes of a list have those of the one before."""


def _changed(properties: Properties) -> str:
    """Return the query parameters of non-default properties."""
    kept = _last[0]
    if kept[0] is not properties:
        _last[0] = kept = (properties, _parameters(properties))
    return kept[1]
