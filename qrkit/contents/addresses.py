"""The types of fields that several kinds of content share: addresses of mail and of the web."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

import idna
from pydantic import AfterValidator, BeforeValidator, Field, StrictStr, ValidationInfo

from qrkit.contents.content import note
from qrkit.contents.single_lines import OneLine, Pasted
from qrkit.design.bounds import LONGEST_TEXT
from qrkit.design.limits import Length, Most
from qrkit.model import broken

INVISIBLE = re.compile(r"[\x00-\x20\x7f-\xa0\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\\]")
"""Characters that cannot be seen in an address, and backslashes, which browsers read as slashes.

U+200C and U+200D (joiners) are allowed, because Persian words and emoji in paths need them.
"""

LONGEST_LOCATION = 8_192
EXAMPLE = "https://example.com"

_AUTHORITY = re.compile(r"([^][:]+|\[[^][]+\])(?::[0-9]*)?")
_LABEL = "[a-z0-9_][a-z0-9_-]{0,62}"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9a-f:.]+\]")
_MAIL = re.compile(r"""[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"?&%#/]{1,255}""")
_NAMED_MAIL = re.compile(r"(?:mailto:)?(?:([^<>]*)<([^<>]+)>|(.*))", re.IGNORECASE | re.DOTALL)
"""Matches an address as links and mail programs write it: `mailto:ana@example.com`, `Ana <ana@example.com>`."""
_SCHEME = re.compile("[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def _email_address(text: str, info: ValidationInfo) -> str:
    match = _NAMED_MAIL.fullmatch(text)
    address = (match[2] or match[3]).strip() if match else text
    if not _MAIL.fullmatch(address):
        raise broken("must be an e-mail address, such as ana@example.com")
    if match and match[1] and match[1].strip():
        note(info.field_name, f"was left without the name {match[1].strip()}")
    return address


def ascii_url(text: str) -> str:
    """Return a web address in ASCII, as browsers send it: `https://bücher.example` is `https://xn--bcher-kva.example`.

    An address that is in capitals as a whole stays so, because capitals take less room in a code. Raises
    PydanticCustomError if it is not an http or https URL that leads where it seems to lead.
    """
    url = text.strip(" \t\r\n")
    if not _SCHEME.match(url) or re.match(r"[^:/]+:\d+(/|$)", url):
        meant = f"https://{url[:40]}"
        raise broken(f"must begin with https:// or http://, as in {(meant if location_of(meant) else EXAMPLE)!r}")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = ascii_host(parts.hostname or "")
    except ValueError as error:
        raise broken(f"is not a valid URL: {error}") from error
    if parts.scheme.lower() not in ("http", "https") or not _HOST.fullmatch(host) or INVISIBLE.search(url):
        raise broken("must be an http or https URL with a host, without spaces and invisible characters")
    if "@" in parts.netloc:
        raise broken("must not hold a user name or a password")
    rest = quote(url[url.index("//") + 2 + len(parts.netloc) :], safe="%/:?#[]@!$&'()*+,;=~-._|")
    front = f"{parts.scheme.lower()}://{host}{f':{port}' if port is not None else ''}"
    return (front.upper() if url.isascii() and url.isupper() else front) + rest


def ascii_host(host: str) -> str:
    """Return a host in ASCII, as browsers write it (UTS 46; Python's own codec implements the older IDNA 2003).

    An IPv6 address gets its brackets, if it has none. An invalid host raises ValueError.
    """
    labels = idna.uts46_remap(host, std3_rules=False, transitional=False).split(".")
    name = ".".join(one if one.isascii() else f"xn--{one.encode('punycode').decode('ascii')}" for one in labels)
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def location_of(url: str) -> str | None:
    """Return an http or https URL in ASCII for a `Location` header; None if browsers could read it differently.

    Spaces in the path become `%20`. URLs without a plain host, with a user name, with invisible characters, or that
    are too long are never followed.
    """
    if INVISIBLE.search(url.replace(" ", "")):
        return None
    try:
        parts = urlsplit(url)
        authority, port = _AUTHORITY.fullmatch(parts.netloc), parts.port
        host = ascii_host(authority[1]) if authority else ""
    except ValueError:
        return None
    if not _HOST.fullmatch(host):
        return None
    rest = quote(url[url.index("//") + 2 + len(parts.netloc) :], safe="%/:?#[]@!$&'()*+,;=~-._|")
    location = f"{parts.scheme.lower()}://{host}{f':{port}' if port is not None else ''}{rest}"
    return location if len(location) <= LONGEST_LOCATION else None


def several(value: Any) -> Any:
    """Accept one text for a list with one entry."""
    return (value,) if isinstance(value, str) else value


def _several_addresses(value: Any) -> Any:
    """Accept one text for a list, as mail programs write it: `ana@example.com, bob@example.com`."""
    if isinstance(value, str) and value.count("@") > 1 and ("," in value or ";" in value):
        value = tuple(part for part in re.split("[,;]", value) if part.strip())
    return several(value)


MOST_OF_A_KIND = 5
LongText = Annotated[StrictStr, Length(1, LONGEST_TEXT)]
EmailAddress = Annotated[OneLine, Length(1, 320), AfterValidator(_email_address), Pasted()]
EmailAddresses = Annotated[tuple[EmailAddress, ...], Most(0, MOST_OF_A_KIND), BeforeValidator(_several_addresses)]
WebAddress = Annotated[
    StrictStr,
    Length(1, 4_096),
    AfterValidator(ascii_url),
    Pasted(is_url=True),
    Field(title="Web address", description="An http or https URL.", examples=[EXAMPLE]),
]
WebAddresses = Annotated[tuple[WebAddress, ...], Most(0, MOST_OF_A_KIND), BeforeValidator(several)]
