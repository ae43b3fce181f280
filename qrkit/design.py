"""`Design`: what a QR Code picture looks like, as plain data that can be saved, compared and reused."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from qrkit.color import BLACK, WHITE, Color
from qrkit.limits import (
    Content,
    EncodingMode,
    ErrorCorrection,
    ModuleSize,
    Padding,
    Version,
)
from qrkit.model import Model

__all__ = ["ALPHANUMERIC", "Design"]

NUMERIC = frozenset("0123456789")
ALPHANUMERIC = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
"""The 45 characters of alphanumeric mode (ISO/IEC 18004:2015, 7.3.4)."""


class Design(Model):
    """A QR Code picture. Every field but `content` has the interface's default.

    Attributes:
        content: Text to encode, 1..32,767 characters; how many fit depends on version, `em` and `ec`.
        version: 1..40; None (also 0, -1 or "") takes the smallest that fits (ruling G1).
        size: Pixels per module, 1..20.
        padding: Quiet zone in modules, 0..20; the standard asks for 4.
        em: Encoding mode: `byte` (UTF-8), `numeric`, `alphanumeric`, or `auto` for the shortest mix (ruling G2).
        ec: Error correction level L, M, Q or H; never raised silently (ruling G3).
        foreground: Colour of dark modules.
        background: Colour of everything else.

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.
    """

    content: Content
    version: Version = None
    size: ModuleSize = 8
    padding: Padding = 4
    em: EncodingMode = "byte"
    ec: ErrorCorrection = "M"
    foreground: Color = BLACK
    background: Color = WHITE

    @model_validator(mode="after")
    def _content_fits_mode(self) -> Self:
        allowed = {"numeric": NUMERIC, "alphanumeric": ALPHANUMERIC}.get(self.em)
        if allowed is None:
            return self
        wrong = next(
            (index for index, character in enumerate(self.content) if character not in allowed),
            None,
        )
        if wrong is not None:
            characters = "digits" if self.em == "numeric" else "0-9 A-Z space $ % * + - . / :"
            rule = (
                f"em={self.em} allows {characters}, but character {wrong + 1} is {self.content[wrong]!r}; "
                "em=byte takes any text"
            )
            raise PydanticCustomError("bad-content", "{rule}", {"rule": rule, "field": "content"})
        return self
