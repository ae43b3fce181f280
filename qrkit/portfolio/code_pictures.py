"""The design and the URLs of a tracked QR Code's picture.

The version or mode of a QR Code may no longer fit the encoded text, for example after the base URL changed, or after an
import from a service with shorter URLs. Such a QR Code is drawn with the closest version or mode that fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qrkit.design.design import Design
from qrkit.errors import ContentTooLong, InvalidParameter, Problem
from qrkit.symbol import encode
from qrkit.tracking.records import Properties, encoded_text
from qrkit.tracking.short_urls import image_url, short_url

FITS_ANYWAY = 300
"""Any text of this length fits the largest symbol at every error correction level, even at four bytes per character."""
NEAREST: tuple[dict[str, Any], ...] = ({"em": "byte"}, {"version": None}, {"em": "byte", "version": None})
"""Property changes to try when the content does not fit, smallest change first."""


def links_of(fields: Mapping[str, Any], base_url: str) -> dict[str, str]:
    """Return the short URL and the image URL of a QR Code."""
    url = short_url(base_url, fields["short_code"], fields["urlinfo"])
    content, is_marked = fields["content"], fields["scan_marker"]
    text = encoded_text(is_dynamic=fields["is_dynamic"], short_url=url, content=content, scan_marker=is_marked)
    return {"short_url": url, "image_url": image_url(base_url, text, fitting(text, fields["properties"]))}


def short_link_of(fields: Mapping[str, Any], base_url: str) -> dict[str, str]:
    """Return the short URL of a QR Code alone, as `links_of` does: files do not contain the image URL."""
    return {"short_url": short_url(base_url, fields["short_code"], fields["urlinfo"])}


def check_drawable(text: str, properties: Properties, *, is_dynamic: bool) -> None:
    """Check that a QR Code can be drawn with its properties; if it is dynamic, the text is the short URL."""
    check = _check_holds if is_dynamic else _check_fits
    check(text, properties)


def drawn(content: str, properties: Properties, **changes: Any) -> Design:
    """Return the design of a picture; unlike changes, properties are adjusted if the content does not fit."""
    return _design(content, fitting(content, properties), **changes)


def fitting(content: str, properties: Properties) -> Properties:
    """Return the properties unchanged if the content fits, or else with byte mode, an automatic version, or both.

    If the content still does not fit, the properties are returned unchanged, and drawing raises the error.
    """
    if fits(content, properties):
        return properties
    changed = (properties.replace(**change) for change in NEAREST)
    return next((one for one in changed if fits(content, one)), properties)


def fits(content: str, properties: Properties) -> bool:
    """Return whether the content fits a symbol of this version, mode and error correction level."""
    try:
        _check_fits(content, properties)
    except (InvalidParameter, ContentTooLong):
        return False
    return True


def _check_fits(content: str, properties: Properties) -> None:
    """Check that the content can be encoded with these properties."""
    if properties.em == "byte" and properties.version is None and len(content) <= FITS_ANYWAY:
        return
    encode.check_fits(_design(content, properties))


def _check_holds(short_url: str, properties: Properties) -> None:
    """Check that a short URL can be encoded; errors quote the short URL, because the caller did not supply one."""
    try:
        _check_fits(short_url, properties)
    except InvalidParameter as error:
        rule = f"cannot encode the short URL {short_url!r}, which the picture shows; byte can"
        raise InvalidParameter(Problem("properties.em", properties.em, rule, "bad-content")) from error
    except ContentTooLong as error:
        message = f"the picture encodes the short URL {short_url!r}, which does not fit: {error}"
        raise ContentTooLong(message, needed_bits=error.needed_bits, capacity_bits=error.capacity_bits) from error


def _design(content: str, properties: Properties, **changes: Any) -> Design:
    fields = {name: getattr(properties, name) for name in Properties.model_fields}
    return Design(content=content, **(fields | Design.by_field(changes)))
