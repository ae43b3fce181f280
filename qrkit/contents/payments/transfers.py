"""Contents that fill in a European bank transfer (SEPA), the "GiroCode" of bills in euros.

The format is that of the European Payments Council, EPC069-12: Quick Response Code, Guidelines to Enable the Data
Capture for the Initiation of a SEPA Credit Transfer, version 2.1.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictStr

from qrkit.contents.kinds import accepted, kind
from qrkit.contents.payments.account_numbers import Bic, Iban, check_creditor_reference
from qrkit.contents.single_lines import Money, OneLine, Pasted, matching
from qrkit.design.limits import Length
from qrkit.errors import InvalidParameter, Problem


def _check_reference(text: str) -> str:
    """Judge the check digits of a reference that begins like one of ISO 11649; a creditor may also use its own."""
    return check_creditor_reference(text) if text[:2].upper() == "RF" and text[2:4].isdigit() else text


Name = Annotated[OneLine, Length(1, 70), Field(description="Who gets the money.", examples=["Red Cross"])]
Amount = Annotated[
    Annotated[Decimal, Money("0.01", "999999999.99", "EUR")] | None,
    Field(description="The amount in euros; without it, the payer types it.", examples=["12.30"]),
]
Reference = Annotated[
    Annotated[OneLine, Length(1, 35), AfterValidator(_check_reference), Pasted()] | None,
    Field(description="A creditor reference (ISO 11649, `RF18 5390 0754 7034`) for matching the payment."),
]
Text = Annotated[
    Annotated[OneLine, Length(1, 140)] | None,
    Field(description="What the payment is for, in words; instead of a reference.", examples=["Donation"]),
]
Purpose = Annotated[
    Annotated[StrictStr, AfterValidator(str.upper), matching("[A-Z0-9]{1,4}", "must be 1..4 letters and digits")]
    | None,
    Field(description="A purpose code of ISO 20022, such as `CHAR` for a donation."),
]
Information = Annotated[
    Annotated[OneLine, Length(1, 70)] | None,
    Field(description="A note for the payer, which is not transferred."),
]
FormatVersion = Annotated[
    Literal["002", "001"],
    Field(title="Version", description="Version of the format; `001` also works outside the EEA and needs a BIC."),
]

FURTHER = ("bic", "name", "iban", "amount", "purpose", "reference", "text", "information")
"""The fields of the lines after the first four."""
MOST_BYTES = 331
"""What fits in version 13 with level M, the largest symbol that the guidelines allow."""


@kind("Bank transfer (SEPA)", behind="never", drawn={"ec": "M"})
def epc_transfer(
    name: Name,
    iban: Iban,
    amount: Amount = None,
    *,
    bic: Bic = None,
    reference: Reference = None,
    text: Text = None,
    purpose: Purpose = None,
    information: Information = None,
    version: FormatVersion = "002",
) -> str:
    """Fill in a European bank transfer in euros (EPC069-12), which banking apps scan.

    Raises:
        InvalidParameter: If a field breaks its rule, there is both a reference and a text, version 001 has no BIC, or
            the fields are longer together than the guidelines allow.

    Example:
        >>> from qrkit import contents
        >>> contents.epc_transfer("Red Cross of Belgium", "BE72 0000 0000 1616", 1, text="Urgency fund")
        <Content epc_transfer, name='Red Cross of Belgium', iban='…1616', amount=Decimal('1.00'), text='Urgency fund'>
    """
    if reference and text:
        raise InvalidParameter(Problem("text", text, "must be left out, because there is a reference"))
    if version == "001" and not bic:
        raise InvalidParameter(Problem("bic", None, "is required for version 001", "missing-parameter"))
    lines = ["BCD", version, "1", "SCT", bic, name, iban, _written(amount), purpose, reference, text, information]
    written = "\n".join(line or "" for line in lines).rstrip("\n")
    size = len(written.encode())
    if size > MOST_BYTES:
        rule = f"makes {size} bytes, but only {MOST_BYTES} are allowed; shorten name, text or information"
        raise InvalidParameter(Problem("information" if information else "text", None, rule, "out-of-range"))
    return written


def _written(amount: Decimal | None) -> str:
    """Return an amount as the guidelines write it, without trailing zeros after the point: `EUR1`, `EUR12.3`."""
    return "" if amount is None else f"EUR{amount:f}".rstrip("0").rstrip(".")


def read_epc_transfer(text: str) -> dict[str, Any] | None:
    """Return the fields of a transfer, or None for any other text."""
    lines = text[: 4 * MOST_BYTES].replace("\r\n", "\n").rstrip("\n").split("\n")
    version, further = "".join(lines[1:2]), lines[4:]
    is_transfer = version and (lines[0], lines[3:4]) == ("BCD", ["SCT"])
    if not is_transfer or len(further) > len(FURTHER) or len(text) > 4 * MOST_BYTES:
        return None
    fields = {"version": version, **dict(zip(FURTHER, further, strict=False))}
    return accepted("epc_transfer", fields | {"amount": fields.get("amount", "").removeprefix("EUR")})
