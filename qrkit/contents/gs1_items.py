"""Items of a table: rows with a GTIN, a lot, a serial number and dates become GS1 Digital Links for labels."""

from __future__ import annotations

import re
from collections.abc import Mapping

from qrkit.contents.gs1_identifiers import KEYS, identifier
from qrkit.contents.gs1_links import DOMAIN, NAMES, gs1_digital_link
from qrkit.errors import InvalidParameter, Problem

__all__ = ["read_item"]

DATES = {"produced": "11", "packed": "13", "best_before": "15", "expiry": "17"}
COLUMNS = NAMES | {"batch": NAMES["lot"]} | DATES
_DAY = re.compile(r"20([0-9]{2})-([0-9]{2})-([0-9]{2})([ T]00:00(:00)?)?")
"""A day as spreadsheets and databases write it."""


def read_item(row: Mapping[str, str], domain: str = DOMAIN) -> tuple[str, str]:
    """Return the GS1 Digital Link of an item, and its human-readable text for the label: `(01)09506000134352 (10)ABC`.

    Args:
        row: Cells by column: gtin, variant, lot or batch, serial, produced, packed, best before, expiry, or the number
            of an application identifier, such as 3103. Dates are 271231 or 2027-12-31. Other columns are ignored.
        domain: What the link begins with, such as `https://id.example.com`.

    Raises:
        InvalidParameter: If there is no key, such as a GTIN, or a value breaks its rule.

    Example:
        >>> read_item({"GTIN": "9506000134352", "Lot": "ABC", "Expiry": "2027-12-31"}, "https://id.example.com")
        ('https://id.example.com/01/09506000134352/10/ABC?17=271231', '(01)09506000134352 (10)ABC (17)271231')
    """
    values = {}
    for column, cell in row.items():
        name = column.strip(" ()").lower().replace(" ", "_")
        number = COLUMNS.get(name, name)
        if cell.strip() and (found := identifier(number)):
            values[number] = _DAY.sub(r"\1\2\3", cell.strip()) if found.is_date else cell.strip()
    if not KEYS.keys() & values.keys():
        raise InvalidParameter(Problem("gtin", None, "is missing; a row needs a GTIN or the number of another key"))
    named = {name: values.pop(number) for name, number in NAMES.items() if number in values}
    link = gs1_digital_link(**named, elements=values, domain=domain)
    elements = {number: link.fields[name] for name, number in NAMES.items() if name in named} | values
    return str(link), " ".join(f"({number}){value}" for number, value in elements.items())
