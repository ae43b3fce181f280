"""Contents of Swiss QR-bills: the Swiss QR Code, which every bill in Swiss francs has.

The format is that of SIX: Swiss Implementation Guidelines for the QR-bill, version 2.3, with structured addresses, the
only ones that banks accept since November 2025.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal
from unicodedata import normalize

from pydantic import AfterValidator, Field, StrictStr
from stdnum.ch import esr

from qrkit.contents.kinds import accepted, kind
from qrkit.contents.payments.account_numbers import Iban, check_creditor_reference, compact
from qrkit.contents.single_lines import Money, OneLine, Pasted, check_digits_rule, matching
from qrkit.design.limits import Length, Most
from qrkit.errors import InvalidParameter, Problem
from qrkit.model import Model, broken

LETTERS = re.compile("[ -~\u00a0-\u017f\u0218-\u021b\u20ac]*")
"""Matches the characters of the guidelines (4.1.1): Latin letters of Europe, ASCII's signs, and the euro sign."""

QR_BANKS = range(30_000, 32_000)
"""Numbers of banks in a QR-IBAN, the account number for bills with a QR reference."""

NOTIFICATIONS = (
    "NICHT ZUR ZAHLUNG VERWENDEN",
    "NE PAS UTILISER POUR LE PAIEMENT",
    "NON UTILIZZARE PER IL PAGAMENTO",
    "BETG DUVRAR PER IL PAJAMENT",
    "DO NOT USE FOR PAYMENT",
)
"""The messages of bills with the amount 0.00, which notify of something and are not paid."""

LINES = {"iban": 3, "amount": 18, "currency": 19, "reference": 28, "message": 29, "billing_information": 31}
"""The lines of single fields, counted from 0."""
MOST_CHARACTERS = 997
LONGEST_NOTES = 140
"""Characters of the message and the billing information together."""


def _check_letters(text: str) -> str:
    text = normalize("NFC", text)  # some programs write an accent as a character of its own
    match = LETTERS.match(text)
    if match and match.end() < len(text):
        raise broken(f"has {text[match.end()]!r}, but Swiss bills have only Latin letters, digits and ASCII's signs")
    return text


def _check_reference(text: str) -> str:
    number = compact(text)
    if number.startswith("RF"):
        return check_creditor_reference(number)
    if not re.fullmatch("[0-9]{27}", number) or not number.strip("0"):
        raise broken("must be 27 digits, not all of them zeros (a QR reference), or begin with RF (ISO 11649)")
    expected = esr.calc_check_digit(number[:-1])
    if number[-1] != expected:
        raise broken(check_digits_rule(number[-1], expected))
    return number


def _check_country(iban: str) -> str:
    if iban[:2] not in ("CH", "LI"):
        raise broken(f"must be an account in Switzerland (CH) or Liechtenstein (LI), not {iban[:2]}")
    return iban


Latin = Annotated[OneLine, AfterValidator(_check_letters)]


class PostalAddress(Model):
    """An address on a Swiss bill.

    Example:
        >>> from qrkit import contents
        >>> contents.PostalAddress(name="Simon Muster", street="Seeweg", number="1", postcode="3000", town="Bern")
        PostalAddress(name='Simon Muster', postcode='3000', town='Bern', street='Seeweg', number='1')
    """

    name: Annotated[Latin, Length(1, 70), Field(description="A person or company.")]
    postcode: Annotated[Latin, Length(1, 16), Field(description="The postcode, without the country.")]
    town: Annotated[Latin, Length(1, 35), Field(description="The town.")]
    street: Annotated[Annotated[Latin, Length(1, 70)] | None, Field(description="The street, without the number.")] = (
        None
    )
    number: Annotated[Annotated[Latin, Length(1, 16)] | None, Field(description="The house number.")] = None
    country: Annotated[
        Annotated[StrictStr, AfterValidator(str.upper), matching("[A-Z]{2}", "must be two letters, such as CH")],
        Field(description="The country, by its two letters (ISO 3166-1)."),
    ] = "CH"

    def __str__(self) -> str:
        """Return the address in one line, as it stands on a letter."""
        land = "" if self.country == "CH" else self.country
        parts = ((self.name,), (self.street, self.number), (self.postcode, self.town), (land,))
        return ", ".join(filter(None, (" ".join(filter(None, part)) for part in parts)))


Account = Annotated[Iban, AfterValidator(_check_country)]
Amount = Annotated[
    Annotated[Decimal, Money("0.00", "999999999.99", "CHF or EUR")] | None,
    Field(
        description="The amount; without it, the payer writes it. 0.00 makes a notification, which nobody pays.",
        examples=["12.30"],
    ),
]
Currency = Annotated[Literal["CHF", "EUR"], Field(description="The currency of the amount.")]
Creditor = Annotated[
    PostalAddress,
    Field(
        description="Who gets the money, with an address.",
        examples=[{"name": "Max Muster & Söhne", "postcode": "8000", "town": "Seldwyla"}],
    ),
]
Debtor = Annotated[PostalAddress | None, Field(description="Who pays, with an address; else the payer writes it.")]
Reference = Annotated[
    Annotated[OneLine, AfterValidator(_check_reference), Pasted()] | None,
    Field(
        description="A reference for matching the payment: 27 digits for a QR-IBAN (a QR reference), else a creditor "
        "reference (ISO 11649), or nothing. Spaces are removed."
    ),
]
Message = Annotated[
    Annotated[Latin, Length(1, LONGEST_NOTES)] | None, Field(description="What the payment is for, in words.")
]
Billing = Annotated[
    Annotated[Latin, Length(1, LONGEST_NOTES), matching("//.*", "must begin with //, as in //S1/10/1234")] | None,
    Field(description="Details for programs, as Swico defines them: `//S1/10/1234/11/201021`."),
]
Schemes = Annotated[
    tuple[Annotated[Latin, Length(1, 100)], ...],
    Most(0, 2),
    Field(description="Lines for other payment schemes, such as eBill."),
]


def is_qr_iban(iban: str) -> bool:
    """Return whether an account number is a QR-IBAN, which needs a QR reference and takes no other."""
    return iban[4:9].isdigit() and int(iban[4:9]) in QR_BANKS


@kind("Swiss QR-bill", behind="never", drawn={"ec": "M"})
def swiss_bill(
    creditor: Creditor,
    iban: Account,
    amount: Amount = None,
    *,
    currency: Currency = "CHF",
    debtor: Debtor = None,
    reference: Reference = None,
    message: Message = None,
    billing_information: Billing = None,
    alternative_schemes: Schemes = (),
) -> str:
    """Write the content of a Swiss QR Code, which banking apps and the post office scan.

    `qrkit.pictures.payment_part.SwissPaymentPart` draws the receipt and payment part with it, as the guidelines
    prescribe: the symbol is 46 mm wide, with a Swiss cross of 7 mm in its center.

    Raises:
        InvalidParameter: If a field breaks its rule, the reference does not suit the account, an amount of 0.00 has
            another message than a notification, or message and billing information are longer than 140 characters
            together, or all fields than 997.

    Example:
        >>> from qrkit import contents
        >>> max_muster = contents.PostalAddress(name="Max Muster & Söhne", postcode="8000", town="Seldwyla")
        >>> bill = contents.swiss_bill(max_muster, "CH93 0076 2011 6238 5295 7", "12.30", message="Bread")
        >>> bill.splitlines()[:4]
        ['SPC', '0200', '1', 'CH9300762011623852957']
    """
    kind_of_reference = "NON" if reference is None else "SCOR" if reference.startswith("RF") else "QRR"
    _check_account(iban, kind_of_reference)
    if amount == 0 and message not in NOTIFICATIONS:
        rule = f"must be one of {', '.join(NOTIFICATIONS)}, because the amount is 0.00"
        raise InvalidParameter(Problem("message", message, rule))
    if len(message or "") + len(billing_information or "") > LONGEST_NOTES:
        rule = f"must have {LONGEST_NOTES} characters at most together with billing_information"
        raise InvalidParameter(Problem("message", message, rule, "out-of-range"))
    lines = ["SPC", "0200", "1", iban, *_address(creditor), *_address(None), "" if amount is None else f"{amount:.2f}"]
    lines += [currency, *_address(debtor), kind_of_reference, reference or "", message or "", "EPD"]
    lines += [billing_information or "", *alternative_schemes]
    # An alternative scheme needs the line of the billing information before it; nothing needs an empty line at the end.
    written = "\n".join(lines).removesuffix("\n")
    if len(written) > MOST_CHARACTERS:
        rule = f"makes {len(written)} characters, but only {MOST_CHARACTERS} are allowed; shorten names and addresses"
        raise InvalidParameter(Problem("creditor", None, rule, "out-of-range"))
    return written


def _check_account(iban: str, kind_of_reference: str) -> None:
    if is_qr_iban(iban) and kind_of_reference != "QRR":
        raise InvalidParameter(Problem("reference", None, "must be a QR reference (27 digits), as for every QR-IBAN"))
    if not is_qr_iban(iban) and kind_of_reference == "QRR":
        rule = "is a QR reference, which needs a QR-IBAN: the bank's number in it is 30000..31999"
        raise InvalidParameter(Problem("reference", None, rule))


def _address(address: PostalAddress | None) -> list[str]:
    if address is None:
        return [""] * 7
    parts = [address.name, address.street, address.number, address.postcode, address.town, address.country]
    return ["S", *(part or "" for part in parts)]


def read_swiss_bill(text: str) -> dict[str, Any] | None:
    """Return the fields of a Swiss bill, or None for any other text."""
    if len(text) > 2 * MOST_CHARACTERS:
        return None
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    lines += [""] * (32 - len(lines))
    if lines[0] != "SPC" or not re.fullmatch("02[0-9]{2}", lines[1]) or lines[30] != "EPD" or any(lines[11:18]):
        return None
    fields: dict[str, Any] = {name: lines[place] for name, place in LINES.items()}
    fields |= {"creditor": _read_address(lines[4:11]), "debtor": _read_address(lines[20:27]) or None}
    return accepted("swiss_bill", fields | {"alternative_schemes": tuple(lines[32:])})


def _read_address(lines: Sequence[str]) -> dict[str, str]:
    kind_of_address, *values = lines
    if kind_of_address == "K":  # two lines, which were allowed until November 2025
        name, street, place, *_, country = values
        postcode, _, town = place.partition(" ")
        values = [name, street, "", postcode, town.strip(), country]
    names = ["name", "street", "number", "postcode", "town", "country"]
    found = {name: value for name, value in zip(names, values, strict=True) if value}
    return found if kind_of_address in ("S", "K") or not found else {"type": kind_of_address}
