"""Element strings of GS1: a number of a product with its lot, dates and weights, for tills, warehouses and hospitals.

The format is that of the GS1 General Specifications, 7.8. A symbol with such a string begins with the character FNC1
(ISO/IEC 18004, 7.4.8.2), which tells readers that this is not plain text.
"""

from __future__ import annotations

from typing import Any

from qrkit.contents.gs1_identifiers import CHECKED, KEYS, Elements, check_new, identifier, identifier_at
from qrkit.contents.kinds import kind, well_formed
from qrkit.errors import InvalidParameter, Problem

SEPARATOR = "\u001d"
"""Ends a value of variable length before another one; FNC1 in other symbols."""

DRAWN = {"fnc1": True}
"""The field of a `Design` that puts FNC1 in first position."""

SYMBOLOGY = "]Q3"
"""What scanners send before the text of a QR Code with FNC1 in first position (ISO/IEC 15424)."""

LONGEST_TEXT = 8_192


@kind("Product data (GS1)", behind="never", drawn=DRAWN)
def gs1_elements(elements: Elements) -> str:
    """Write a GS1 element string, which checkouts and warehouses read, and phones do not open.

    Values of a fixed length come first, as GS1 recommends; a separator ends a value of variable length before another
    one. A key without check digit, such as a GIAI (8004), begins with the company prefix; `contents.read` takes others
    for text.

    Raises:
        InvalidParameter: If an application identifier does not exist, a value breaks its rule, such as a wrong check
            digit, GS1 does not allow two of them in one code, or there is no key, such as a GTIN (01) or SSCC (00).

    Example:
        >>> from qrkit import contents
        >>> str(contents.gs1_elements("(01)09506000134352(10)ABC123(17)281231"))
        '01095060001343521728123110ABC123'
    """
    if KEYS.keys().isdisjoint(elements):
        rule = "must have a key, such as 01 (GTIN), 00 (SSCC) or 414 (GLN), which says what the other values are about"
        raise InvalidParameter(Problem("elements", elements, rule))
    check_new(elements)
    found = [(number, value) for number, value in elements.items() if not _is_variable(number)]
    variable = [number + value for number, value in elements.items() if _is_variable(number)]
    return "".join(number + value for number, value in found) + SEPARATOR.join(variable)


def _is_variable(number: str) -> bool:
    found = identifier(number)
    return found is None or found.is_variable


def read_gs1_elements(text: str) -> dict[str, Any] | None:
    """Return the fields of an element string, or None for any other text, also for one without a key.

    A key without check digit or company prefix is there by chance, as in a phone number, unless the text has FNC1.
    """
    # Scanners may send the symbology and FNC1 before the text.
    is_marked = text.startswith(SYMBOLOGY) or SEPARATOR in text
    text = text.removeprefix(SYMBOLOGY).removeprefix(SEPARATOR)
    if len(text) > LONGEST_TEXT:
        return None
    elements: dict[str, str] = {}
    place = 0
    while place < len(text):
        found = identifier_at(text[place : place + 4])
        match = found and found.pattern.match(text, place + len(found.number))
        if found is None or not match or found.number in elements:
            return None
        elements[found.number] = match[0]
        place = match.end()
        # A separator after a value of fixed length is needless, and readers have to take it.
        if text[place : place + 1] == SEPARATOR:
            place += 1
        elif found.is_variable and place < len(text):
            return None
    keys = [(number, elements[number]) for number in KEYS.keys() & elements.keys()]
    # Company prefixes most often have 7 digits or more.
    has_key = any(is_marked or number in CHECKED or (key[:7].isdecimal() and key[7:]) for number, key in keys)
    return well_formed("gs1_elements", {"elements": elements}) if has_key else None
