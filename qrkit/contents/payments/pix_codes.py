"""Contents that fill in a Brazilian payment with Pix: a static BR Code.

The format is that of the Banco Central do Brasil, Manual de Padrões para Iniciação do Pix, which uses EMV QR Code
Specification for Payment Systems: Merchant-Presented Mode. A value follows two digits of its number and two of its
length; the last value is a checksum (CRC-16) of all before it.
"""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any
from unicodedata import normalize

from pydantic import AfterValidator, Field, StrictStr
from stdnum.br import cnpj, cpf

from qrkit.contents.content import LastShown
from qrkit.contents.kinds import accepted, kind
from qrkit.contents.single_lines import Money, OneLine, Pasted, check_digits_rule, matching
from qrkit.design.limits import Length
from qrkit.errors import InvalidParameter, Problem
from qrkit.model import broken

SYSTEM = "br.gov.bcb.pix"
UNNAMED = "***"
"""The transaction id of a payment that has none."""

HEAD = re.compile("([0-9]{2})([0-9]{2})")
"""Matches the number of a value and its length."""

LONGEST_VALUE = 99
LONGEST_TEXT = 512


def _check_ascii(text: str) -> str:
    if not text.isascii():
        plain = normalize("NFKD", text).encode("ascii", "ignore").decode()
        raise broken(f"must have letters without accents, as in {plain!r}" if plain else "must have Latin letters only")
    return text


def _check_key(key: str) -> str:
    """Return a key in the form in which banks keep it."""
    if "@" in key:
        if not re.fullmatch(r"[^\s@]{1,64}@[^\s@]+\.[^\s@]+", key):
            raise broken("must be an e-mail address, because it has an @")
        return key.lower()
    if re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", key):
        return key.lower()
    if key.startswith("+"):
        number = re.sub("[ ().-]", "", key)
        if not re.fullmatch(r"\+[1-9][0-9]{7,14}", number):
            raise broken("must be a phone number with its country, such as +5511912345678, because it begins with +")
        return number
    number = re.sub("[ ./-]", "", key).upper()
    if re.fullmatch("[0-9]{11}", number):
        return _checked_number(number, cpf.is_valid, "; a phone number begins with +55")
    if re.fullmatch("[0-9A-Z]{12}[0-9]{2}", number):
        return _checked_number(number, cnpj.is_valid, "")
    raise broken(
        "must be a CPF, a CNPJ, an e-mail address, a phone number that begins with +55, or a random key (UUID)"
    )


def _checked_number(number: str, is_valid: Callable[[str], bool], advice: str) -> str:
    if is_valid(number):
        return number
    # The library only judges numbers, so the right digits are looked for; numbers of equal digits have none.
    endings = (f"{ending:02}" for ending in range(100))
    expected = next((ending for ending in endings if is_valid(number[:-2] + ending)), "others")
    raise broken(check_digits_rule(number[-2:], expected) + advice)


Ascii = Annotated[OneLine, AfterValidator(_check_ascii)]
Key = Annotated[
    Ascii,
    Length(1, 77),
    AfterValidator(_check_key),
    Pasted(),
    Field(
        title="Pix key",
        repr=False,
        description="A CPF, CNPJ, e-mail address, phone number or random key of who gets the money. Lists show only "
        "its last four characters.",
        examples=["123e4567-e12b-12d1-a456-426655440000"],
    ),
    LastShown(4),
]
Name = Annotated[
    Ascii, Length(1, 25), Field(description="Who gets the money, without accents.", examples=["Fulano de Tal"])
]
City = Annotated[
    Ascii, Length(1, 15), Field(description="The city of that person, without accents.", examples=["BRASILIA"])
]
Amount = Annotated[
    Annotated[Decimal, Money("0.01", "9999999999.99", "BRL")] | None,
    Field(description="The amount in reais; without it, the payer types it.", examples=["12.30"]),
]
Txid = Annotated[
    StrictStr,
    matching(r"[A-Za-z0-9]{1,25}|\*\*\*", "must be 1..25 letters and digits, or *** for none"),
    Pasted(),
    Field(title="Transaction id", description="A reference for matching the payment; `***` means none."),
]
Description = Annotated[
    Annotated[Ascii, Length(1, 72)] | None,
    Field(description="What the payment is for. Key and description have at most 73 characters together."),
]


@kind("Pix payment", behind="never")
def pix(
    key: Key, name: Name, city: City, *, amount: Amount = None, txid: Txid = UNNAMED, description: Description = None
) -> str:
    """Fill in a Brazilian payment with Pix (a static BR Code), which banking apps scan.

    Raises:
        InvalidParameter: If a field breaks its rule, or the description is too long beside the key.

    Example:
        >>> from qrkit import contents
        >>> str(contents.pix("123e4567-e12b-12d1-a456-426655440000", "Fulano de Tal", "BRASILIA"))[-31:]
        '6008BRASILIA62070503***63041D3D'
    """
    account = tagged("00", SYSTEM) + tagged("01", key) + tagged("02", description)
    if len(account) > LONGEST_VALUE:
        rule = f"is {len(account) - LONGEST_VALUE} characters too long beside this key"
        raise InvalidParameter(Problem("description", description, rule, "out-of-range"))
    values = [("00", "01"), ("26", account), ("52", "0000"), ("53", "986"), ("54", f"{amount:.2f}" if amount else "")]
    values += [("58", "BR"), ("59", name), ("60", city), ("62", tagged("05", txid))]
    return with_checksum("".join(tagged(number, value) for number, value in values))


def tagged(number: str, value: str | None) -> str:
    """Return a value with its number and its length before it; "" if there is none, and as it is without a number."""
    if not number:
        return value or ""
    return f"{number}{len(value):02}{value}" if value else ""


def with_checksum(values: str) -> str:
    """Return values with the last one, their checksum."""
    return f"{values}6304{_checksum(f'{values}6304')}"


def _checksum(text: str) -> str:
    """Return the CRC-16 of the standard: polynomial 0x1021, beginning with 0xFFFF."""
    return f"{crc_hqx(text.encode(), 0xFFFF):04X}"


def read_pix(text: str) -> dict[str, Any] | None:
    """Return the fields of a static BR Code, or None for any other text, such as one with a wrong checksum."""
    text = text.strip()
    values = values_of(text) if len(text) <= LONGEST_TEXT else {}
    if not text.isascii() or values.get("63", "").upper() != _checksum(text[:-4]) or values.get("53") != "986":
        return None
    account, more = values_of(values.get("26", "")), values_of(values.get("62", ""))
    if account.get("00", "").lower() != SYSTEM or values.get("58") != "BR":
        return None
    fields = {field: values.get(number) for number, field in {"59": "name", "60": "city", "54": "amount"}.items()}
    fields |= {"key": account.get("01"), "description": account.get("02"), "txid": more.get("05")}
    return accepted("pix", fields)


def values_of(text: str) -> dict[str, str]:
    """Parse values by their numbers; {} if the text contains anything else, or a number twice."""
    values: dict[str, str] = {}
    place = 0
    while place < len(text):
        head = HEAD.match(text, place)
        end = head.end() + int(head[2]) if head else 0
        if head is None or end > len(text) or head[1] in values:
            return {}
        values[head[1]] = text[head.end() : end]
        place = end
    return values
