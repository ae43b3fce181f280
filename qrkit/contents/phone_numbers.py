"""The type of phone numbers: as people write and paste them, without what only separates digits."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Strict

from qrkit.contents.addresses import MOST_OF_A_KIND, several
from qrkit.contents.pasted import Pasted
from qrkit.contents.single_lines import broken
from qrkit.design.limits import Length, Most

__all__ = ["DialedNumber", "PhoneNumber", "PhoneNumbers", "number_in"]

_SEPARATORS = re.compile("[ ()./-]")
_NUMBER = re.compile(r"\+?[0-9]{3,15}(?:;ext=[0-9]{1,10})?")
_CODE = re.compile("[*#][0-9*#]{1,30}")
"""Matches a code that phones run, such as `*100#`."""
_EXTENSION = re.compile(
    r"[\s,;]*(?:ext=|#|(?:extension|extn?|durchwahl|dw|poste|int)\b[.:]?|x(?=[ .]?[0-9]))[ .:]*([0-9]{1,10})$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s*(?:[;,|&\n\t/]|\b(?:or|and|oder|und|ou|et|o|y|e)\b| {2,}(?=[0+])|(?<=[0-9]) *(?=\+))\s*", re.IGNORECASE
)
"""Matches what may stand between two numbers."""
AREA_CODE, INTERNATIONAL_AREA_CODE = 5, 7
"""Digits that an area code has at most before a slash: alone, and with its country; zeros in front do not count."""


def number_in(text: str) -> str:
    """Return a phone number without the separators that people write: `+49 (0)30 12-34` is `+49301234`.

    An extension becomes a parameter (RFC 3966): `+1 555 0100 ext. 12` is `+15550100;ext=12`.

    Raises:
        PydanticCustomError: If it is no phone number, or two of them.
    """
    written = re.sub("^(?:tel|phone|fax):", "", text.strip(), flags=re.IGNORECASE).strip()
    extension = _EXTENSION.search(written)
    front = written[: extension.start()] if extension else written
    front = front.replace("(0)", "") if front.startswith("+") else front
    if found := _two_numbers(front):
        raise broken(f"has two phone numbers, {found[0]!r} and {found[1]!r}; give one of them")
    number = _SEPARATORS.sub("", front) + (f";ext={extension[1]}" if extension else "")
    if not _NUMBER.fullmatch(number):
        raise broken("must be a phone number of 3..15 digits, best with + and the country code: +49 30 123456")
    return number


def _two_numbers(text: str) -> list[str]:
    """Return the first two of several numbers; none if there is one, or an area code with a slash behind it."""
    parts = [part for part in _BETWEEN.split(text) if part]
    digits = [re.sub("[^0-9]", "", part) for part in parts]
    if len(parts) < 2 or not all(digits):
        return []
    most = INTERNATIONAL_AREA_CODE if parts[0].startswith(("+", "00")) else AREA_CODE
    is_area_code = "/" in text and len(digits[0].lstrip("0")) <= most and parts[1][0] not in "0+"
    return [] if is_area_code else parts[:2]


def _dialed(text: str) -> str:
    """Return a number, or a code that phones run."""
    code = text.replace(" ", "")
    return code if _CODE.fullmatch(code) else number_in(text)


PhoneNumber = Annotated[str, Strict(), Length(1, 60), AfterValidator(number_in), Pasted()]
PhoneNumbers = Annotated[tuple[PhoneNumber, ...], Most(0, MOST_OF_A_KIND), BeforeValidator(several)]
DialedNumber = Annotated[str, Strict(), Length(1, 60), AfterValidator(_dialed), Pasted()]
