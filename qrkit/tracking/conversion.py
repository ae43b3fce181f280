"""What came of a scan, such as an order, as a shop tells it."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, Strict, model_validator

from qrkit.design.limits import Length, Within
from qrkit.model import Model, broken
from qrkit.tracking.records import Moment

__all__ = ["SHOPS", "Conversion", "number_in"]

MOST_VALUE = 10**12
SHOPS = {
    "shopify": {
        "click_id": "Note Attributes", "id": "Name", "time": "Created at", "value": "Total", "currency": "Currency",
    },
    "woocommerce": {
        "click_id": "meta:_wc_order_attribution_session_entry", "id": "order_id", "time": "order_date",
        "value": "order_total", "currency": "order_currency",
    },
    "ga4": {
        "click_id": "Landing page + query string", "id": "Transaction ID", "time": "Date + hour (YYYYMMDDHH)",
        "value": "Purchase revenue", "currency": "Currency",
    },
}  # fmt: skip
"""The columns with the fields of a conversion in the exports of shops."""
_CURRENCY = re.compile("[A-Za-z]{3}|")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?", re.ASCII)
"""Numbers as programs write them; `float` also reads 1_000, nan and the digits of other scripts."""


def number_in(text: str) -> float | str:
    """Return the number that a text is, or else the text, which no conversion accepts as its value."""
    return float(text) if _NUMBER.fullmatch(text.strip()) else text


def _currency(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    if not _CURRENCY.fullmatch(given := given.strip()):
        raise broken("must be a currency of three letters, such as EUR")
    return given.upper()


class Conversion(Model):
    """What came of a scan, such as an order. An ID that is sent again counts once."""

    click_id: Annotated[str, Length(0, 10_000)] = Field(
        default="", description="ID of the scan, as links carry it, or a text with it, such as the URL of the link."
    )
    short_code: Annotated[str, Length(0, 200)] = Field(
        default="",
        description="Short code of the QR Code, where there is no ID of the scan. The last scan before then stands for "
        "it, which is weaker evidence.",
    )
    id: Annotated[str, Length(0, 200)] = Field(
        default="", description="ID of your own, such as that of the order; by default, that of the other fields."
    )
    name: Annotated[str, Length(1, 100)] = Field(
        default="conversion", description="What happened, such as order or sign-up."
    )
    value: Annotated[float, Strict(), Within(0, MOST_VALUE, "of the currency")] | None = Field(
        default=None, description="What it is worth."
    )
    currency: Annotated[str, BeforeValidator(_currency)] = Field(
        default="",
        description="Currency of the value: three letters, such as EUR.",
        json_schema_extra={"pattern": "^([A-Za-z]{3})?$"},
    )
    time: Moment | None = Field(default=None, description="When it happened; by default now.")

    @model_validator(mode="after")
    def _names_scan(self) -> Conversion:
        if bool(self.click_id) is bool(self.short_code):
            rule = "must name the scan, or be left out if a short code names the QR Code; send exactly one of them"
            raise broken(rule, field="click_id")
        return self

    @property
    def key(self) -> str:
        """The ID that tells it from other conversions of its QR Code."""
        own = self.model_dump_json(exclude={"id"})
        return self.id or blake2b(own.encode(), digest_size=12).hexdigest()
