"""Contents that open a payment in an app: UPI of India, and Bitcoin.

The formats are those of the National Payments Corporation of India, UPI Linking Specifications 1.6, and of Bitcoin's
BIP 21. Addresses of Bitcoin are base58check (those that begin with 1 or 3) or segwit (bc1, BIP 173 and BIP 350).
"""

from __future__ import annotations

import re
from decimal import Decimal
from hashlib import sha256
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StrictStr
from stdnum import bitcoin as bitcoin_numbers

from qrkit.contents.content import LastShown
from qrkit.contents.kinds import accepted, kind
from qrkit.contents.single_lines import Money, OneLine, Pasted, matching
from qrkit.contents.syntax import decode, read_query, write_query
from qrkit.design.limits import Length
from qrkit.model import broken

LONGEST_TEXT = 4_096

VERSIONS = {0x00, 0x05, 0x6F, 0xC4}
"""The first byte of base58check addresses: to a key or a script, in the network or the test network."""
NETWORKS = ("bc", "tb", "bcrt")
"""How segwit addresses begin: those of the network, the test network, and networks of developers."""
BECH32, BECH32M = 1, 0x2BC830A3
"""The checksums of BIP 173, for version 0, and of BIP 350, for later versions."""
LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
KINDS = "must begin with 1, 3 or bc1 (or m, n, 2, tb1 or bcrt1 for test networks)"


def _check_address(address: str) -> str:
    """Return a valid address; a segwit address in lowercase."""
    if re.match("(?:bc|tb|bcrt)1", address, re.IGNORECASE):
        return _check_segwit(address)
    if not re.fullmatch("[1-9A-HJ-NP-Za-km-z]{25,35}", address):
        raise broken(f"{KINDS} and have 25..35 letters and digits without 0, O, I and l")
    data = bitcoin_numbers.b58decode(address)
    if len(data) != 25 or data[0] not in VERSIONS:
        raise broken(KINDS)
    if sha256(sha256(data[:-4]).digest()).digest()[:4] != data[-4:]:
        raise broken("has a wrong checksum; look for a typing error")
    return address


def _check_segwit(address: str) -> str:
    lower = address.lower()
    network, _, written = lower.rpartition("1")
    if address not in (lower, address.upper()):
        raise broken("must not have both capital and small letters")
    if network not in NETWORKS or len(written) < 8 or not set(written) <= set(LETTERS):
        raise broken("must have only the letters and digits of segwit addresses after bc1")
    values = [LETTERS.index(letter) for letter in written]
    expanded = [ord(letter) >> 5 for letter in network] + [0] + [ord(letter) & 31 for letter in network]
    version = values[0]
    if bitcoin_numbers.bech32_checksum(expanded + values) != (BECH32M if version else BECH32):
        raise broken("has a wrong checksum; look for a typing error")
    _check_program(version, values[1:-6])
    return lower


def _check_program(version: int, values: list[int]) -> None:
    size, rest = divmod(5 * len(values), 8)
    is_padded = rest < 5 and (not values or values[-1] & ((1 << rest) - 1) == 0)
    if version > 16 or not is_padded or not 2 <= size <= 40 or (version == 0 and size not in (20, 32)):
        raise broken("has a valid checksum but is no address of a known version (BIP 173)")


UpiAddress = Annotated[
    StrictStr,
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
Name = Annotated[OneLine, Length(1, 99), Field(description="Who gets the money.", examples=["Chai Point"])]
Rupees = Annotated[
    Annotated[Decimal, Money("0.01", "9999999999.99", "INR")] | None,
    Field(description="The amount in rupees; without it, the payer types it.", examples=["20"]),
]
Note = Annotated[Annotated[OneLine, Length(1, 80)] | None, Field(description="What the payment is for, in words.")]
Reference = Annotated[
    Annotated[StrictStr, matching("[A-Za-z0-9./_-]{1,35}", "must be 1..35 letters, digits and signs of ./_-"), Pasted()]
    | None,
    Field(description="A reference for matching the payment, such as an order number."),
]
MerchantCode = Annotated[
    Annotated[StrictStr, matching("[0-9]{4}", "must be four digits"), Pasted()] | None,
    Field(description="The merchant category (ISO 18245) of a business."),
]

BitcoinAddress = Annotated[
    StrictStr,
    Length(14, 90),
    AfterValidator(_check_address),
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
Label = Annotated[Annotated[OneLine, Length(1, 255)] | None, Field(description="Who gets the money.")]
Message = Annotated[Annotated[OneLine, Length(1, 255)] | None, Field(description="What the payment is for, in words.")]


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
    values = read_query(query, is_form=True) if len(text) <= LONGEST_TEXT else None
    if values is None or start.lower() != "upi://pay" or values.get("cu", "INR").upper() != "INR":
        return None
    names = {"pa": "address", "pn": "name", "am": "amount", "tn": "note", "tr": "reference", "mc": "merchant_code"}
    return accepted("upi", {field: values.get(name) for name, field in names.items()})


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
    values = values and {name.lower(): value for name, value in values.items()}  # BIP 321, for codes in capitals
    if values is None or any(name.startswith("req-") for name in values):
        return None
    fields = {name: values.get(name) for name in ("amount", "label", "message")}
    return accepted("bitcoin", {"address": decode(start.partition(":")[2].removeprefix("//")), **fields})
