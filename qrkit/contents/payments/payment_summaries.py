"""Describes payments in one line without account numbers, for lists, reports and alternative texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from qrkit.contents.content import Content
from qrkit.contents.payments.pix_codes import values_of
from qrkit.contents.reading import read
from qrkit.contents.syntax import PAYMENTS_OF_APPS, WALLET_LINK
from qrkit.languages import say

LONGEST_LINE = 120
CURRENCIES = {
    "116": "KHR", "156": "CNY", "344": "HKD", "356": "INR", "360": "IDR", "410": "KRW", "418": "LAK", "446": "MOP",
    "458": "MYR", "586": "PKR", "608": "PHP", "702": "SGD", "704": "VND", "764": "THB", "784": "AED", "840": "USD",
    "901": "TWD", "978": "EUR", "986": "BRL",
}  # fmt: skip
"""Currencies of payments in the format of EMV, by their number (ISO 4217)."""


def payment_summary(content: str) -> str:
    """Return a line for a payment: who gets the money, and how much.

    A name may be made of a content that was cut or whose line breaks became spaces; such a payment cannot be read, so
    the line says only what it is.
    """
    found = read(content)
    for beginning, (kind, title, detail, describe) in PAYMENTS.items():
        if re.match(beginning, content, re.IGNORECASE):
            told = describe(found) if kind in ("", found.kind) else ""
            return _shortened(f"{say(title)}{told}", f" ({say(detail)})")
    return content


def _shortened(text: str, ending: str) -> str:
    most = LONGEST_LINE - len(ending)
    return (text if len(text) <= most else f"{text[: most - 1]}…") + ending


def _to(name: str | None, amount: Any, currency: str) -> str:
    whom = f" {say('to {name}', name=' '.join(name.split()))}" if name else ""
    how_much = f"{amount:f} {currency}" if amount is not None else ""
    if whom and how_much:
        return f"{whom}, {how_much}"
    return whom or (how_much and f" {say('of {amount}', amount=how_much)}")


def _named(currency: str, name: str = "name") -> Callable[[Content], str]:
    def describe(content: Content) -> str:
        return _to(content.fields.get(name), content.fields.get("amount"), currency)

    return describe


def _swiss(content: Content) -> str:
    fields = content.fields
    return _to(fields["creditor"].name, fields.get("amount"), fields.get("currency", "CHF"))


def _emv(content: Content) -> str:
    """Return whom a payment in the format of EMV is to, and how much: one with Pix, PayNow or PromptPay."""
    values = values_of(content.strip())
    amount, currency = values.get("54", ""), CURRENCIES.get(values.get("53", ""), "")
    is_amount = currency and re.fullmatch(r"[0-9]{1,13}(?:\.[0-9]{0,3})?", amount, re.ASCII)
    return _to(values.get("59"), Decimal(amount) if is_amount else None, currency)


PAYMENTS: Mapping[str, tuple[str, str, str, Callable[[Content], str]]] = {
    r"BCD\s+[0-9]{3}\b": ("epc_transfer", "Transfer", "IBAN hidden", _named("EUR")),
    r"SPC\s+[0-9]{4}\b": ("swiss_bill", "Swiss bill: payment", "IBAN hidden", _swiss),
    "000201.*br.gov.bcb.pix": ("", "Pix payment", "key hidden", _emv),
    "upi:": ("upi", "UPI payment", "address hidden", _named("INR")),
    "bitcoin:": ("bitcoin", "Bitcoin payment", "address hidden", _named("BTC", "label")),
    "000201[0-9]{4}": ("", "Payment", "details hidden", _emv),
    f"{PAYMENTS_OF_APPS}|{WALLET_LINK}": ("", "Payment", "details hidden", lambda _: ""),
}
"""Maps how a payment begins to its kind, its title, what is hidden, and the function that describes it.

The kind is "" for payments that no kind of content here can hold."""
