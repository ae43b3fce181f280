"""What the picture of a tracked QR Code is drawn with, and the URLs that lead to it (rulings T2, X12).

A code may ask for a version or a mode that cannot hold what its picture says: the base URL of its short URL has changed
since, or a file brought it from a service with shorter ones. It is drawn all the same, with the nearest that can.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qrkit.design.design import Design
from qrkit.errors import ContentTooLong, InvalidParameter, Problem
from qrkit.symbol import encode
from qrkit.tracking.records import Properties, QRCode, encoded_text
from qrkit.tracking.short_urls import image_url, short_url

__all__ = ["check_drawable", "drawn", "fits", "fitting", "links_of"]

FITS_ANYWAY = 300
"""Characters that the largest symbol holds at any level, though UTF-8 takes four bytes for each."""
NEAREST: tuple[dict[str, Any], ...] = ({"em": "byte"}, {"version": None}, {"em": "byte", "version": None})
"""What gives way when a content does not fit, the least of it first."""


def links_of(fields: Mapping[str, Any], base_url: str) -> dict[str, str]:
    """The short URL and the image URL of a QR Code.

    Args:
        fields: The other fields of its record.
        base_url: What both begin with.
    """
    url = short_url(base_url, fields["short_code"], fields["urlinfo"])
    text = encoded_text(is_dynamic=fields["is_dynamic"], short_url=url, content=fields["content"])
    return {"short_url": url, "image_url": image_url(base_url, text, fitting(text, fields["properties"]))}


def check_drawable(code: QRCode) -> None:
    """Refuse properties that the picture cannot have, before it is printed.

    Args:
        code: A record with its short URL.

    Raises:
        InvalidParameter: If the mode of the record cannot encode what its picture says.
        ContentTooLong: If what its picture says does not fit the version of the record.
    """
    check = _check_holds if code.is_dynamic else _check_fits
    check(code.encoded, code.properties)


def drawn(content: str, properties: Properties, **changes: Any) -> Design:
    """The design of a picture that says `content`.

    Args:
        content: What it says.
        properties: How it is drawn, as far as the content fits.
        **changes: Fields of `Design` in their place; these are taken at their word.
    """
    return _design(content, fitting(content, properties), **changes)


def fitting(content: str, properties: Properties) -> Properties:
    """The same properties where the content fits; else with byte mode, an automatic version, or both.

    Where nothing helps they stay as they are, so that drawing says what is wrong.
    """
    if fits(content, properties):
        return properties
    changed = (properties.replace(**change) for change in NEAREST)
    return next((one for one in changed if fits(content, one)), properties)


def fits(content: str, properties: Properties) -> bool:
    """Whether a symbol of this version, mode and level can hold the content."""
    try:
        _check_fits(content, properties)
    except (InvalidParameter, ContentTooLong):
        return False
    return True


def _check_fits(content: str, properties: Properties) -> None:
    """Refuse properties that the picture of a content cannot have.

    Raises:
        InvalidParameter: The content has characters that the mode does not have.
        ContentTooLong: It does not fit the version.
    """
    if properties.em == "byte" and properties.version is None and len(content) <= FITS_ANYWAY:
        return
    encode.check_fits(_design(content, properties))


def _check_holds(short_url: str, properties: Properties) -> None:
    """Refuse properties that the picture of a short URL cannot have; the error names the URL, which nobody sent.

    Raises:
        InvalidParameter: If the mode cannot encode the short URL.
        ContentTooLong: If the short URL does not fit the version.
    """
    try:
        _check_fits(short_url, properties)
    except InvalidParameter as error:
        rule = f"cannot encode the short URL {short_url!r}, which the picture shows; byte can"
        raise InvalidParameter(Problem("properties.em", properties.em, rule, "bad-content")) from error
    except ContentTooLong as error:
        message = f"the picture shows the short URL {short_url!r}, and that does not fit: {error}"
        raise ContentTooLong(message, needed_bits=error.needed_bits, capacity_bits=error.capacity_bits) from error


def _design(content: str, properties: Properties, **changes: Any) -> Design:
    fields = {name: getattr(properties, name) for name in Properties.model_fields}
    return Design(content=content, **(fields | Design.by_field(changes)))
