"""Describes payments in one line without account numbers, for lists, reports and alternative texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from qrkit.contents.content import Content
from qrkit.contents.reading import read
from qrkit.languages import say

LONGEST_LINE = 120


def payment_summary(content: str) -> str:
    """Return a line for a payment: who gets the money, and how much.

    A name may be made of a content that was cut or whose line breaks became spaces; such a payment cannot be read, so
    the line says only what it is.

    Args:
        content: A text that begins as a payment does.
    """
    found = read(content)
    for beginning, (kind, title, detail, describe) in PAYMENTS.items():
        if re.match(beginning, content, re.IGNORECASE):
            told = describe(found) if found.kind == kind else ""
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


PAYMENTS: Mapping[str, tuple[str, str, str, Callable[[Content], str]]] = {
    r"BCD\s+[0-9]{3}\b": ("epc_transfer", "Transfer", "IBAN hidden", _named("EUR")),
    r"SPC\s+[0-9]{4}\b": ("swiss_bill", "Swiss bill: payment", "IBAN hidden", _swiss),
    "000201.*br.gov.bcb.pix": ("pix", "Pix payment", "key hidden", _named("BRL")),
    "000201[0-9]{4}|lightning:": ("", "Payment", "details hidden", _named("")),
    "upi:": ("upi", "UPI payment", "address hidden", _named("INR")),
    "bitcoin:": ("bitcoin", "Bitcoin payment", "address hidden", _named("BTC", "label")),
}
"""Maps how a payment begins to its kind, its title, what is hidden, and the function that describes it.

The kind is "" for payments that no kind of content here can hold."""
