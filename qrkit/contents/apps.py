"""Contents that lead to an app in the stores of both kinds of phones, by a landing page."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StrictStr
from pydantic_core import PydanticCustomError

from qrkit.contents.addresses import WebAddress, ascii_url
from qrkit.contents.kinds import kind
from qrkit.contents.single_lines import Pasted
from qrkit.design.limits import Length
from qrkit.errors import InvalidParameter, Problem
from qrkit.model import broken

APPLE, GOOGLE = "apps.apple.com", "play.google.com"


def _ios(text: str) -> str:
    number = re.fullmatch(r"(?:id)?(\d{5,12})", text.strip(), re.ASCII)
    return f"https://{APPLE}/app/id{number[1]}" if number else _of_store(text, APPLE)


def _android(text: str) -> str:
    is_package = re.fullmatch(r"[a-z]\w*(\.[a-z]\w*)+", text.strip(), re.ASCII | re.IGNORECASE)
    return f"https://{GOOGLE}/store/apps/details?id={text.strip()}" if is_package else _of_store(text, GOOGLE)


def _of_store(text: str, host: str) -> str:
    url = ascii_url(text) if "://" in text else ""
    if urlsplit(url).hostname != host:
        what = "the number of an app (id1234567890)" if host == APPLE else "the name of a package (com.example.app)"
        raise broken(f"must be {what}, or a URL of {host}")
    return url


Ios = Annotated[
    Annotated[StrictStr, Length(1, 2_000), AfterValidator(_ios), Pasted(is_url=True)] | None,
    Field(title="App Store", description=f"The number of the app, or its URL at {APPLE}.", examples=["id1234567890"]),
]
Android = Annotated[
    Annotated[StrictStr, Length(1, 2_000), AfterValidator(_android), Pasted(is_url=True)] | None,
    Field(
        title="Google Play",
        description=f"The package of the app, or its URL at {GOOGLE}.",
        examples=["com.example.app"],
    ),
]
Other = Annotated[WebAddress | None, Field(title="Other devices", description="A web page for those who have neither.")]


@kind("App", behind="page")
def app(ios: Ios = None, android: Android = None, *, other: Other = None) -> str:
    r"""Lead to an app in both stores. Use it behind a short URL: phones cannot follow its text of several URLs.

    Raises:
        InvalidParameter: If a field breaks its rule, or no store is given.

    Example:
        >>> from qrkit import contents
        >>> str(contents.app("id1234567890", "com.example.app"))
        'https://apps.apple.com/app/id1234567890\nhttps://play.google.com/store/apps/details?id=com.example.app'
    """
    if not (ios or android):
        raise InvalidParameter(Problem("ios", None, "is required unless android is given", "missing-parameter"))
    return "\n".join(filter(None, (ios, android, other)))


def read_app(text: str) -> dict[str, Any] | None:
    """Return the fields of an app; None if a line is not a URL, or no URL is that of an app store."""
    fields: dict[str, Any] = {}
    lines = text.rstrip("\r\n").splitlines()
    for line in lines[:4]:
        try:
            is_url = ascii_url(line) == line
        except PydanticCustomError:
            return None
        name = {APPLE: "ios", GOOGLE: "android"}.get(urlsplit(line).hostname or "", "other")
        if not is_url or name in fields:
            return None
        fields[name] = line
    return fields if len(lines) <= 3 and fields.keys() & {"ios", "android"} else None
