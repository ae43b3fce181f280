"""Colours: `#AARRGGBB`, `#RRGGBB`, CSS names and `transparent` in, any of the forms out (ruling H6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from qrkit.design.color_names import COLOR_NAMES
from qrkit.errors import nearest
from qrkit.late import Shown

__all__ = ["BLACK", "LUMA", "TRANSPARENT", "WHITE", "Color"]

LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in how light a colour looks to readers (ITU-R BT.601)."""

_HEX = re.compile(r"#?(?:([0-9A-Fa-f]{2}))?([0-9A-Fa-f]{2})([0-9A-Fa-f]{2})([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Color(Shown):
    """A colour. `Color.parse` reads one; fields of designs take its text as well.

    Attributes:
        red: 0..255.
        green: 0..255.
        blue: 0..255.
        alpha: 0..255; 255 is opaque.

    Raises:
        ValueError: A part is not a whole number in 0..255.

    Example:
        >>> Color.parse("#80FF0000").rgb, Color.parse("navy").argb
        ('#FF0000', '#FF000080')
    """

    red: int
    green: int
    blue: int
    alpha: int = 255

    def __post_init__(self) -> None:
        """Refuse what no picture could show.

        Raises:
            ValueError: A part is not a whole number in 0..255.
        """
        parts = (self.red, self.green, self.blue, self.alpha)
        if not all(type(part) is int and 0 <= part <= 255 for part in parts):
            raise ValueError(f"a colour has four whole numbers in 0..255, not {parts}")

    @classmethod
    def parse(cls, text: str) -> Color:
        """Read `#AARRGGBB` (alpha first), `#RRGGBB`, a CSS colour name or `transparent`, in any case.

        The `#` may be missing, as it is when a URL did not encode it. `#RRGGBBAA` is never read (ruling H6).

        Raises:
            ValueError: The text is none of these; the message proposes near names.
        """
        name = text.strip().lower()
        if name == "transparent":
            return TRANSPARENT
        if name in COLOR_NAMES:
            number = COLOR_NAMES[name]
            return cls(number >> 16, number >> 8 & 255, number & 255)
        if found := _HEX.fullmatch(name):
            alpha, red, green, blue = (255 if part is None else int(part, 16) for part in found.groups())
            return cls(red, green, blue, alpha)
        hint = "" if name.startswith("#") else "; " + nearest(name, COLOR_NAMES)
        raise ValueError(f"must be a colour as #AARRGGBB, #RRGGBB or a CSS name{hint}")

    @property
    def argb(self) -> str:
        """`#AARRGGBB` in upper case."""
        return f"#{self.alpha:02X}{self.red:02X}{self.green:02X}{self.blue:02X}"

    @property
    def rgb(self) -> str:
        """`#RRGGBB` in upper case; alpha is left out."""
        return f"#{self.red:02X}{self.green:02X}{self.blue:02X}"

    @property
    def opacity(self) -> float:
        """Alpha as 0.0..1.0."""
        return self.alpha / 255

    @property
    def luma(self) -> float:
        """How light it looks, 0.0 (black) to 1.0 (white), as readers weigh red, green and blue; alpha is left out."""
        return sum(part * weight for part, weight in zip((self.red, self.green, self.blue), LUMA, strict=True)) / 255

    @property
    def opaque(self) -> Color:
        """The same colour with full alpha."""
        return Color(self.red, self.green, self.blue)

    def over(self, below: Color) -> Color:
        """What is seen when this colour is painted over `below` (source-over, as SVG does)."""
        if self.alpha == 255 or below.alpha == 0:
            return self
        kept = below.alpha * (255 - self.alpha) / 255
        alpha = self.alpha + kept
        red, green, blue = (
            round((mine * self.alpha + other * kept) / alpha)
            for mine, other in (
                (self.red, below.red),
                (self.green, below.green),
                (self.blue, below.blue),
            )
        )
        return Color(red, green, blue, round(alpha))

    def __repr__(self) -> str:
        return f"Color.parse({(self.rgb if self.alpha == 255 else self.argb)!r})"

    def __str__(self) -> str:
        return self.argb

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _judge, serialization=core_schema.to_string_ser_schema(when_used="json")
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _schema: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {
            "type": "string",
            "format": "color",
            # Which words are names of colours, would take long to say in a pattern.
            "pattern": "^(#?([0-9A-Fa-f]{2}){3,4}|[A-Za-z]+)$",
            "description": "#AARRGGBB, #RRGGBB, a CSS name or transparent",
        }


def _judge(value: Any) -> Color:
    if isinstance(value, Color):
        return value
    try:
        return Color.parse(value if isinstance(value, str) else "#")
    except ValueError as error:
        # The text goes in as data: a message with braces in it is a template otherwise.
        raise PydanticCustomError("bad-colour", "{rule}", {"rule": str(error)}) from error


BLACK = Color(0, 0, 0)
WHITE = Color(255, 255, 255)
TRANSPARENT = Color(0, 0, 0, 0)
