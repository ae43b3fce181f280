"""Short codes, short URLs and image URLs: strings only (rulings T1, T2)."""

from __future__ import annotations

import re
import secrets
import unicodedata
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlencode, urlsplit

from qrkit.errors import InvalidParameter, Problem
from qrkit.records import Properties

__all__ = [
    "ShortLink",
    "base_url_of",
    "image_url",
    "is_short_code",
    "new_id",
    "new_short_code",
    "read_short_url",
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


def read_short_url(url: str, base_url: str = "") -> ShortLink | None:
    """Code and tail of a short URL of any host; None when its path does not begin with a short code.

    Args:
        url: An http or https URL.
        base_url: Where it has a path of its own, the short code may stand behind that.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return None
    path = parts.path.removeprefix(urlsplit(base_url).path + "/")
    code, _, tail = path.lstrip("/").partition("/")
    return ShortLink(code, slug(unquote(tail))) if is_short_code(code) else None


def image_url(base_url: str, content: str, properties: Properties) -> str:
    """A generate URL of the picture that encodes `content`; properties at their default are left out."""
    return f"{base_url}/api/v3/generate?content={quote(content, safe='')}{_changed(properties)}"


@lru_cache(maxsize=1_000)
def _changed(properties: Properties) -> str:
    """The parameters of properties that are not at their default; the codes of a portfolio are drawn in few ways."""
    changed = properties.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return "".join(f"&{urlencode({name: value}, quote_via=quote)}" for name, value in changed.items())
