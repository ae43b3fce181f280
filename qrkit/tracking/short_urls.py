"""Short codes, short URLs and image URLs: strings only (rulings T1, T2)."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlencode, urlsplit

from qrkit.errors import InvalidParameter, Problem
from qrkit.tracking.records import Properties

__all__ = [
    "ShortLink",
    "base_url_of",
    "image_url",
    "is_short_code",
    "new_id",
    "new_short_code",
    "read_short_url",
    "shared_paths",
    "short_url",
    "slug",
]

BASE_58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
"""Letters and digits without 0, O, I and l, which people mistake for each other."""
CODE_LENGTH = 6
RESERVED = frozenset({"api"})
_CODE = re.compile(r"[0-9A-Za-z_-]{2,64}")
_BASE_URL = re.compile(r"https?://[^ /?#@\\]+(/[^ ?#\\]*)?", re.IGNORECASE)


class ShortLink(NamedTuple):
    """The parts of a short URL that a portfolio keeps."""

    code: str
    urlinfo: str


def new_id() -> str:
    """An id: 32 lower-case hex characters from a cryptographic source (ruling T1)."""
    return secrets.token_hex(16)


def new_short_code() -> str:
    """A short code: 6 characters of base 58 from a cryptographic source (ruling T1)."""
    return "".join(secrets.choice(BASE_58) for _ in range(CODE_LENGTH))


def is_short_code(text: str) -> bool:
    """Whether a text can be the short code of a short URL: 2..64 of `0-9 A-Z a-z _ -`, and no path of the interface."""
    return _CODE.fullmatch(text) is not None and text not in RESERVED


def slug(text: str) -> str:
    """The readable tail of a short URL: lower case, words joined by hyphens, at most 80 characters."""
    if not text:
        return ""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
    # Marks are parts of words in Hindi, Thai or Arabic, though \w does not know them.
    kept = (one if one == "_" or one.isalnum() or unicodedata.category(one)[0] == "M" else " " for one in plain)
    words = (word for word in "".join(kept).split() if re.search(r"\w", word))
    return "-".join(words)[:80].strip("-")


def base_url_of(text: str) -> str:
    """The base URL without a slash at its end.

    Raises:
        InvalidParameter: It is not an http or https URL with a host, or has a user, a query or a fragment.
    """
    try:
        parts = urlsplit(text)
        is_good = _BASE_URL.fullmatch(text) and text.isprintable() and parts.hostname and (parts.port or 1)
    except ValueError:
        is_good = False
    if not is_good:
        raise InvalidParameter(Problem("base_url", text, "must be like https://go.example.com"))
    return text.rstrip("/")


def short_url(base_url: str, code: str, urlinfo: str = "") -> str:
    """`{base_url}/{code}`, with `/{slug}` behind it when there is an `urlinfo`."""
    tail = quote(slug(urlinfo), safe="")
    return f"{base_url}/{code}/{tail}" if tail else f"{base_url}/{code}"


def read_short_url(url: str, base_url: str = "", paths: Mapping[str, str] | None = None) -> ShortLink | None:
    """Code and tail of a short URL of any host; None when its path does not begin with a short code.

    Args:
        url: An http or https URL.
        base_url: Where it has a path of its own, the short code may stand behind that.
        paths: Those of other base URLs, by their host, as `shared_paths` finds them.
    """
    parts = _http_parts(url)
    if parts is None:
        return None
    own = urlsplit(base_url).path + "/"
    theirs = (paths or {}).get(parts.netloc, "/")
    path = parts.path.removeprefix(own if parts.path.startswith(own) and len(own) > 1 else theirs)
    code, _, tail = path.lstrip("/").partition("/")
    return ShortLink(code, slug(unquote(tail))) if is_short_code(code) else None


def shared_paths(urls: Iterable[str]) -> dict[str, str]:
    """The path of the base URL by host, where several short URLs tell it: no two of them have the same short code.

    Args:
        urls: Short URLs; what is none is passed over.

    Example:
        >>> shared_paths(["https://a.example/qr/door", "https://a.example/qr/gate", "https://b.example/shelf"])
        {'a.example': '/qr/'}
    """
    steps: dict[str, list[list[str]]] = {}
    for url in set(urls):
        parts = _http_parts(url)
        if parts is not None:
            steps.setdefault(parts.netloc, []).append(parts.path.strip("/").split("/"))
    found = {}
    for host, paths in steps.items():
        # The last step of each is a short code at the earliest.
        same = takewhile(lambda step: len(set(step)) == 1, zip(*(path[:-1] for path in paths), strict=False))
        shared = [step[0] for step in same] if len(paths) > 1 else []
        if shared:
            found[host] = f"/{'/'.join(shared)}/"
    return found


def _http_parts(url: str) -> SplitResult | None:
    """The parts of an http or https URL with a host; None for anything else."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.netloc else None


def image_url(base_url: str, content: str, properties: Properties) -> str:
    """A generate URL of the picture that encodes `content`; properties at their default are left out."""
    return f"{base_url}/api/v3/generate?content={quote(content, safe='')}{_changed(properties)}"


@lru_cache(maxsize=1_000)
def _changed(properties: Properties) -> str:
    """The parameters of properties that are not at their default; the codes of a portfolio are drawn in few ways."""
    changed = properties.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return "".join(f"&{urlencode({name: value}, quote_via=quote)}" for name, value in changed.items())
