"""Web addresses that identify goods: GS1 Digital Link, which phones open and tills read.

The format is that of the GS1 Digital Link Standard: URI Syntax, version 1.3 and later, uncompressed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import AfterValidator, Field, StrictStr

from qrkit.contents.gs1_identifiers import KEYS, Elements, check_new, check_value, gtin_of
from qrkit.contents.gs1_paths import qualifiers, read_gs1_path
from qrkit.contents.kinds import kind, well_formed
from qrkit.contents.single_lines import Pasted, matching
from qrkit.contents.syntax import read_query, write_query
from qrkit.design.limits import Length
from qrkit.errors import InvalidParameter, Problem

DOMAIN = "https://id.gs1.org"
LONGEST_TEXT = 8_192
MOST_PAIRS = 5
"""A key and its qualifiers in a path."""

LINK = re.compile(r"(https?://[^/?#]+)(/[^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
"""Matches the parts of a web address: host, path and query."""

NAMES = {"gtin": "01", "variant": "22", "lot": "10", "serial": "21"}
"""The application identifiers that are parameters of their own."""


def _element(number: str) -> AfterValidator:
    def check(value: str) -> str:
        check_value(number, value)
        return value

    return AfterValidator(check)


def _without_end(text: str) -> str:
    return text.removesuffix("/")


Gtin = Annotated[
    Annotated[StrictStr, AfterValidator(gtin_of), Pasted()] | None,
    Field(
        title="GTIN",
        description="The number of the product, as printed below its barcode: 8, 12, 13 or 14 digits.",
        examples=["9520123456788"],
    ),
]
Variant = Annotated[
    Annotated[StrictStr, _element("22"), Pasted()] | None,
    Field(description="A variant of the product for consumers."),
]
Lot = Annotated[
    Annotated[StrictStr, _element("10"), Pasted()] | None,
    Field(description="A batch or lot of the product.", examples=["ABC123"]),
]
Serial = Annotated[
    Annotated[StrictStr, _element("21"), Pasted()] | None, Field(description="The serial number of one item.")
]
Others = Annotated[
    Elements,
    Field(
        description="Other values by application identifier, such as `{'17': '271231'}` for an expiration date; "
        "without a GTIN, also the key, such as `414` for a place, and its qualifiers. Also as text, `(17)271231`.",
        examples=["(17)281231"],
    ),
]
Domain = Annotated[
    StrictStr,
    AfterValidator(_without_end),
    Length(10, 500),
    matching(
        r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]+)*",
        "must be a web address without a query, such as https://example.com or https://example.com/products",
    ),
    Pasted(),
    Field(description="Where the link leads: `https://id.gs1.org`, or your own domain with a resolver."),
]


@kind("Product link (GS1 Digital Link)", behind="redirect")
def gs1_digital_link(
    gtin: Gtin = None,
    *,
    variant: Variant = None,
    lot: Lot = None,
    serial: Serial = None,
    elements: Others = {},  # noqa: B006  # the record copies it
    domain: Domain = DOMAIN,
) -> str:
    """Identify a product, place or thing by a web address (GS1 Digital Link).

    Raises:
        InvalidParameter: If a field breaks its rule, such as a GTIN with a wrong check digit, GS1 does not allow two of
            the values in one code, or there is not exactly one key.

    Example:
        >>> from qrkit import contents
        >>> str(contents.gs1_digital_link("9520123456788", lot="ABC1", serial="12345", elements={"17": "280426"}))
        'https://id.gs1.org/01/09520123456788/10/ABC1/21/12345?17=280426'
    """
    given = zip(NAMES, (gtin, variant, lot, serial), strict=True)
    named = {name: value for name, value in given if value is not None}
    in_path = _in_path(named, elements)
    check_new(in_path | elements)
    path = "".join(f"/{number}/{quote(value, safe='')}" for number, value in in_path.items())
    query = write_query((number, value) for number, value in elements.items() if number not in in_path)
    return domain + path + (f"?{query}" if query else "")


def _in_path(named: Mapping[str, str], elements: Mapping[str, str]) -> dict[str, str]:
    """Return the key of a link and its qualifiers by number, in the order of the path."""
    values = {**{NAMES[name]: value for name, value in named.items()}, **elements}
    key = _key(named, elements)
    return {number: values[number] for number in (key, *qualifiers(key, values))}


def _key(named: Mapping[str, str], elements: Mapping[str, str]) -> str:
    """Return the key of a link: the GTIN, or the one of the other elements that is a key."""
    for name, number in NAMES.items():
        if "gtin" in named and number in elements:
            raise InvalidParameter(Problem("elements", number, f"has its own parameter; use {name}"))
        if "gtin" not in named and name in named:
            raise InvalidParameter(Problem(name, named[name], "needs a gtin; with another key, use elements instead"))
    keys = [number for number in (*(NAMES[name] for name in named), *elements) if number in KEYS]
    if len(keys) != 1:
        rule = (
            "is required unless elements has another key" if not keys else f"must have one key, not {', '.join(keys)}"
        )
        raise InvalidParameter(Problem("elements" if keys else "gtin", None, rule))
    return keys[0]


def read_gs1_digital_link(text: str) -> dict[str, Any] | None:
    """Return the fields of a link of any domain, or None for any other text."""
    text = text.strip(" \t\r\n")
    match = LINK.match(text) if len(text) <= LONGEST_TEXT else None
    query = read_query(match[3] or "") if match else None
    found = _read_path(match[2]) if match else None
    if match is None or query is None or found is None:
        return None
    stem, values = found
    values |= {name: value for name, value in query.items() if name.isdigit() and name not in values}
    names = NAMES if "01" in values else {}
    named = {name: values.pop(number) for name, number in names.items() if number in values}
    fields = {"domain": match[1].lower() + stem, "elements": values, **named}
    with suppress(InvalidParameter):
        return well_formed("gs1_digital_link", fields) if _in_path(named, values) else None
    return None


def _read_path(path: str) -> tuple[str, dict[str, str]] | None:
    """Return what precedes the key in a path, and the values of the key and its qualifiers."""
    parts = path.removesuffix("/").split("/")
    for start in range(len(parts) - 2, max(0, len(parts) - 2 * MOST_PAIRS - 1), -2):
        with suppress(InvalidParameter):
            if found := read_gs1_path("/".join(parts[start:])):
                return "/".join(parts[:start]), dict(found.elements)
    return None
