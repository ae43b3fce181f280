"""Contents that open a payment in an app: UPI of India, and Bitcoin.

The formats are those of the National Payments Corporation of India, UPI Linking Specifications 1.6, and of Bitcoin's
BIP 21.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, Field, Strict

from qrkit.contents.bitcoin_addresses import check_address
from qrkit.contents.content import LastShown
from qrkit.contents.kinds import accepted, kind
from qrkit.contents.pasted import Pasted
from qrkit.contents.single_lines import Money, OneLine, matching
from qrkit.contents.uri_queries import decode, read_query, write_query
from qrkit.design.limits import Length

__all__ = ["bitcoin", "read_bitcoin", "read_upi", "upi"]

LONGEST_TEXT = 4_096

UpiAddress = Annotated[
    str,
    Strict(),
    Length(3, 255),
    matching(r"[A-Za-z0-9._-]{1,191}@[A-Za-z][A-Za-z0-9.-]{0,62}", "must be a UPI address, such as name@bank"),
    Pasted(),
    Field(
        repr=False,
        description="The UPI ID of who gets the money (`name@bank`). Lists show only its last four characters.",
        examples=["chai@okbank"],
    ),
    LastShown(4),
]
Name = Annotated[
    str, Strict(), OneLine, Length(1, 99), Field(description="Who gets the money.", examples=["Chai Point"])
]
Rupees = Annotated[
    Annotated[Decimal, Money("0.01", "9999999999.99", "INR")] | None,
    Field(description="The amount in rupees; without it, the payer types it.", examples=["20"]),
]
Note = Annotated[
    Annotated[str, Strict(), OneLine, Length(1, 80)] | None, Field(description="What the payment is for, in words.")
]
Reference = Annotated[
    Annotated[
        str, Strict(), matching("[A-Za-z0-9./_-]{1,35}", "must be 1..35 letters, digits and signs of ./_-"), Pasted()
    ]
    | None,
    Field(description="A reference for matching the payment, such as an order number."),
]
MerchantCode = Annotated[
    Annotated[str, Strict(), matching("[0-9]{4}", "must be four digits"), Pasted()] | None,
    Field(description="The merchant category (ISO 18245) of a business."),
]

BitcoinAddress = Annotated[
    str,
    Strict(),
    Length(14, 90),
    AfterValidator(check_address),
    Pasted(),
    Field(
        repr=False,
        description="An address that begins with 1, 3 or bc1 (or those of a test network). Lists show only its last "
        "four characters.",
        examples=["1NS17iag9jJgTHD1VXjvLCEnZuQ3rJED9L"],
    ),
    LastShown(4),
]
Coins = Annotated[
    Annotated[Decimal, Money("0.00000001", "21000000", "BTC", places=8)] | None,
    Field(description="The amount in bitcoins; without it, the payer types it.", examples=["0.001"]),
]
Label = Annotated[Annotated[str, Strict(), OneLine, Length(1, 255)] | None, Field(description="Who gets the money.")]
Message = Annotated[
    Annotated[str, Strict(), OneLine, Length(1, 255)] | None, Field(description="What the payment is for, in words.")
]


@kind("UPI payment", behind="page")
def upi(
    address: UpiAddress,
    name: Name,
    *,
    amount: Rupees = None,
    note: Note = None,
    reference: Reference = None,
    merchant_code: MerchantCode = None,
) -> str:
    """Open an Indian payment with UPI in a banking app.

    Raises:
        InvalidParameter: If a field breaks its rule.

    Example:
        >>> from qrkit import contents
        >>> str(contents.upi("chai@okbank", "Chai Point", amount=20))
        'upi://pay?pa=chai@okbank&pn=Chai%20Point&am=20.00&cu=INR'
    """
    values = [("pa", address), ("pn", name), ("mc", merchant_code), ("tr", reference), ("tn", note)]
    return "upi://pay?" + write_query([*values, ("am", f"{amount:.2f}" if amount else None), ("cu", "INR")], safe="@")


def read_upi(text: str) -> dict[str, Any] | None:
    """Return the fields of a UPI payment, or None for any other text."""
    start, _, query = text.partition("?")
    values = read_query(query) if len(text) <= LONGEST_TEXT else None
    if values is None or start.lower() != "upi://pay" or values.get("cu", "INR").upper() != "INR":
        return None
    names = {"pa": "address", "pn": "name", "am": "amount", "tn": "note", "tr": "reference", "mc": "merchant_code"}
    return accepted("upi", {field: values[name] for name, field in names.items() if values.get(name)})


@kind("Bitcoin payment", behind="page")
def bitcoin(address: BitcoinAddress, *, amount: Coins = None, label: Label = None, message: Message = None) -> str:
    """Open a payment in a Bitcoin wallet (BIP 21).

    Raises:
        InvalidParameter: If a field breaks its rule, such as an address with a typing error.

    Example:
        >>> from qrkit import contents
        >>> str(contents.bitcoin("1NS17iag9jJgTHD1VXjvLCEnZuQ3rJED9L", amount="20.3", label="Luke-Jr"))
        'bitcoin:1NS17iag9jJgTHD1VXjvLCEnZuQ3rJED9L?amount=20.3&label=Luke-Jr'
    """
    # BIP 21 has a decimal point and no exponent; zeros at the end say nothing.
    coins = None if amount is None else f"{amount:f}".rstrip("0").rstrip(".")
    query = write_query([("amount", coins), ("label", label), ("message", message)])
    return f"bitcoin:{address}" + (f"?{query}" if query else "")


def read_bitcoin(text: str) -> dict[str, Any] | None:
    """Return the fields of a Bitcoin payment, or None for any other text, also for one with a feature it requires."""
    start, _, query = text.partition("?")
    values = read_query(query) if len(text) <= LONGEST_TEXT else None
    if values is None or any(name.startswith("req-") for name in values):
        return None
    fields = {name: values[name] for name in ("amount", "label", "message") if values.get(name)}
    return accepted("bitcoin", {"address": decode(start.partition(":")[2]), **fields})
