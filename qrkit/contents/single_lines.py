"""The types of texts that stand on one line of a content, and of amounts of money."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Annotated, Any
from unicodedata import category

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, StrictStr
from pydantic_core import PydanticCustomError, core_schema

from qrkit.contents.pasted import clean
from qrkit.model import Bound, broken

CONTROLS = {"Cc", "Zl", "Zp"}
"""Unicode's categories of characters that end lines or control a terminal."""


def _one_line(text: str) -> str:
    """Refuse line breaks and control characters, which would begin another field, and remove spaces at both ends."""
    for position, character in enumerate(text, 1):
        if category(character) in CONTROLS:
            raise broken(f"must be one line without control characters, but has U+{ord(character):04X} at {position}")
    return text.strip(" ")


OneLine = Annotated[StrictStr, AfterValidator(_one_line)]
"""A text without line breaks and control characters."""


def matching(pattern: str, rule: str) -> AfterValidator:
    """Return an annotation for a text that matches a pattern as a whole; the rule says which texts do."""
    compiled = re.compile(pattern, re.ASCII)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise broken(rule)
        return text

    return AfterValidator(check)


@dataclass(frozen=True, slots=True)
class Money(Bound):
    """An annotation for an amount from `low` to `high`, both inclusive, with up to `places` decimals.

    Text has a decimal point and no other separators. Amounts are kept with all decimals: `12.3` is `12.30`.
    """

    low: str
    high: str
    unit: str
    places: int = 2

    def _check(self, value: Any) -> Decimal:
        amount = _decimal(value)
        if not Decimal(self.low) <= amount <= Decimal(self.high):
            raise broken(f"must be in {self}", code="out-of-range")
        rounded = amount.quantize(Decimal(1).scaleb(-self.places))
        if rounded != amount:
            raise broken(f"must have at most {self.places} decimals")
        return rounded

    def __str__(self) -> str:
        return f"{self.low}..{self.high} {self.unit}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "number", "minimum": float(self.low), "maximum": float(self.high)}


def _decimal(value: Any) -> Decimal:
    """Convert a number or a text such as "12.30"; a float is what Python shows of it."""
    if isinstance(value, Decimal) and value.is_finite():
        return value
    if isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
        return Decimal(int(value)) if isinstance(value, int) else Decimal(repr(float(value)))
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,20}(?:\.[0-9]{1,20})?", number := clean(value)):
        return Decimal(number)
    raise PydanticCustomError("wrong-type", "must be a number such as 1234.50, with no separators but a decimal point")
