"""Provides `MessagePart`: which part of a message a symbol holds, if several symbols share it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from qrkit.design.limits import Whole, Within
from qrkit.model import Model, broken

MOST_SYMBOLS = 16
"""Symbols that can share a message (ISO/IEC 18004:2015, clause 8)."""


class MessagePart(Model):
    """The part of a message that a symbol holds, if several symbols share the message (structured append).

    `qrkit.generate_sequence` splits a message and sets these fields.
    """

    number: Annotated[Whole, Within(1, MOST_SYMBOLS, "(1 is the first)")] = Field(description="Place of the symbol.")
    of: Annotated[Whole, Within(2, MOST_SYMBOLS, "symbols")] = Field(
        title="Symbols", description="Number of symbols that share the message."
    )
    parity: Annotated[Whole, Within(0, 255, "")] = Field(
        description="All bytes of the message, combined by exclusive or, so that readers know which symbols belong "
        "together."
    )

    @model_validator(mode="after")
    def _check_number(self) -> Self:
        if self.number > self.of:
            raise broken(f"must be at most {self.of}, the number of symbols", "number", code="out-of-range")
        return self
