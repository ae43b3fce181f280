"""The types of numbers of bank accounts, banks and payment references, which have check digits."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field, StrictStr
from stdnum import bic, iban, iso11649
from stdnum.exceptions import ValidationError
from stdnum.iso7064 import mod_97_10

from qrkit.contents.content import LastShown
from qrkit.contents.single_lines import Pasted, check_digits_rule, matching, requiring
from qrkit.design.limits import Length
from qrkit.model import broken

LONGEST_REFERENCE = 25
"""Characters of an ISO 11649 reference, with RF and the check digits."""


def compact(text: str) -> str:
    """Return a number without spaces, hyphens and dots, in capitals."""
    return re.sub("[ .-]", "", text).upper()


def _check_iban(number: str) -> str:
    expected = iban.calc_check_digits(number)
    if number[2:4] != expected:
        raise broken(check_digits_rule(number[2:4], expected))
    try:
        # Rules of single countries change; the check digits of the standard find typing errors.
        return iban.validate(number, check_country=False)
    except ValidationError:
        raise broken(f"is not as long as account numbers of {number[:2]} are, or has letters in other places") from None


def check_creditor_reference(number: str) -> str:
    """Return an ISO 11649 reference without what only separates its characters; wrong check digits are refused."""
    number = compact(number)
    if not number.isascii() or not number.isalnum() or not 5 <= len(number) <= LONGEST_REFERENCE:
        raise broken("must be RF, two check digits, and 1..21 letters and digits (ISO 11649)")
    expected = mod_97_10.calc_check_digits(f"{number[4:]}RF")
    if number[2:4] != expected:
        raise broken(check_digits_rule(number[2:4], expected))
    return iso11649.validate(number)


Iban = Annotated[
    StrictStr,
    AfterValidator(compact),
    Length(15, 34),
    matching("[A-Z]{2}[0-9]{2}[A-Z0-9]+", "must be an IBAN: a country, two check digits, letters and digits"),
    AfterValidator(_check_iban),
    Pasted(),
    Field(
        title="IBAN",
        repr=False,
        description="The account that gets the money; spaces and hyphens are removed. Lists show only its last four "
        "characters.",
        examples=["CH93 0076 2011 6238 5295 7"],
    ),
    LastShown(4),
]
_IS_BIC = requiring(
    bic.is_valid, "must be a BIC: 8 or 11 letters and digits, with a country in places 5 and 6, such as BPOTBEB1"
)
Bic = Annotated[
    Annotated[StrictStr, AfterValidator(compact), _IS_BIC, Pasted()] | None,
    Field(title="BIC", description="The bank of that account."),
]
