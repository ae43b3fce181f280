"""Provides `Color`, which reads `#AARRGGBB` and what CSS has, such as `rgb(0 51 204)`, and knows what it is seen on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qrkit.design.color_names import COLOR_NAMES
from qrkit.errors import nearest
from qrkit.late import Shown

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import core_schema


LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in the lightness that readers see (ITU-R BT.601)."""
LUMINANCE = (0.2126, 0.7152, 0.0722)
"""Weights of red, green and blue in the light that people see (WCAG 2.2)."""
STEP = 5
"""Of 255: how much of black or white is added at a time until a color is visible."""

_FOUR_DIGITS = re.compile("#?[0-9a-f]{4}")
_SHORT_HEX = re.compile(r"#[0-9A-Fa-f]{3}")
_HEX = re.compile(r"#?(?:([0-9A-Fa-f]{2}))?([0-9A-Fa-f]{2})([0-9A-Fa-f]{2})([0-9A-Fa-f]{2})")


def expanded_hex(text: str) -> str | None:
    """Return the CSS color `#RGB` as `#RRGGBB`, in upper case; None for any other text."""
    return f"#{''.join(2 * digit for digit in text[1:])}".upper() if _SHORT_HEX.fullmatch(text) else None


def linear_light(part: float) -> float:
    """Return the light of a gray or of one component of a color, both 0..1 (IEC 61966-2-1, the sRGB curve)."""
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _hint(name: str) -> str:
    """Suggest colors for an unknown name; "" if no name is similar."""
    if _FOUR_DIGITS.fullmatch(name):
        return "; four digits may begin or end with alpha, so write eight, alpha first"
    if "(" in name:
        return "; the functions of CSS are rgb(), hsl(), hwb(), oklab() and oklch()"
    return "" if name.startswith("#") else "; " + nearest(name, COLOR_NAMES)


@dataclass(frozen=True, slots=True)
class Color(Shown):
    """A color. `Color.parse` reads one from a string; the fields of a design accept such strings directly.

    Attributes:
        red: 0..255.
        green: 0..255.
        blue: 0..255.
        alpha: 0..255; 255 is opaque.

    Raises:
        ValueError: If a component is not a whole number between 0 and 255.

    Example:
        >>> Color.parse("#80FF0000").rgb, Color.parse("navy").argb
        ('#FF0000', '#FF000080')
    """

    red: int
    green: int
    blue: int
    alpha: int = 255

    def __post_init__(self) -> None:
        """Validate the components."""
        parts = (self.red, self.green, self.blue, self.alpha)
        if not all(type(part) is int and 0 <= part <= 255 for part in parts):
            raise ValueError(f"a color has four whole numbers in 0..255, not {parts}")

    @classmethod
    def parse(cls, text: str) -> Color:
        """Parse `#AARRGGBB` (alpha first), `#RRGGBB`, `#RGB`, a name of CSS or one of its functions, in any case.

        The functions are `rgb()`, `hsl()`, `hwb()`, `oklab()` and `oklch()`, with or without alpha. The `#` is
        optional, because URLs that do not encode it lose it. `#RRGGBBAA` (alpha last) is not supported.

        Raises:
            ValueError: If the text is not a color; the message suggests similar names.
        """
        name = text.strip().lower()
        if name == "transparent":
            return TRANSPARENT
        if name in COLOR_NAMES:
            number = COLOR_NAMES[name]
            return cls(number >> 16, number >> 8 & 255, number & 255)
        if match := _HEX.fullmatch(expanded_hex(f"#{name.removeprefix('#')}") or name):
            alpha, red, green, blue = (255 if part is None else int(part, 16) for part in match.groups())
            return cls(red, green, blue, alpha)
        if "(" in name:
            from qrkit.design.css_colors import read_css_color  # few colors are written so

            if parts := read_css_color(name):
                return cls(*parts)
        raise ValueError(f"must be a color as #AARRGGBB, #RRGGBB or a CSS name{_hint(name)}")

    @property
    def channels(self) -> tuple[int, int, int]:
        """Red, green and blue, each 0..255."""
        return self.red, self.green, self.blue

    @property
    def argb(self) -> str:
        """The color as `#AARRGGBB`, in upper case."""
        return f"#{self.alpha:02X}{self.red:02X}{self.green:02X}{self.blue:02X}"

    @property
    def rgb(self) -> str:
        """The color as `#RRGGBB`, in upper case and without alpha."""
        return f"#{self.red:02X}{self.green:02X}{self.blue:02X}"

    @property
    def opacity(self) -> float:
        """Alpha as a number between 0.0 and 1.0."""
        return self.alpha / 255

    @property
    def luma(self) -> float:
        """Lightness as readers see it (ITU-R BT.601), 0.0 (black) to 1.0 (white); alpha is ignored."""
        return sum(part * weight for part, weight in zip(self.channels, LUMA, strict=True)) / 255

    @property
    def luminance(self) -> float:
        """Relative luminance as people see it (WCAG 2.2), 0.0 (black) to 1.0 (white); alpha is ignored."""
        parts = (linear_light(part / 255) for part in self.channels)
        return sum(part * weight for part, weight in zip(parts, LUMINANCE, strict=True))

    def contrast(self, other: Color) -> float:
        """Return the contrast ratio of two opaque colors (WCAG 2.2), 1.0 (none) to 21.0 (black on white)."""
        dark, light = sorted((self.luminance, other.luminance))
        return (light + 0.05) / (dark + 0.05)

    def visible_on(self, ground: Color, least: float = 3.0) -> Color:
        """Return the color, darkened on a light ground or lightened on a dark one until its contrast is enough.

        Args:
            ground: The color behind it.
            least: The smallest contrast ratio: 3 for graphics and large text, 4.5 for text (WCAG 2.2).

        Example:
            >>> Color.parse("#F97316").visible_on(WHITE), Color.parse("navy").visible_on(WHITE)
            (Color.parse('#EF6E15'), Color.parse('#000080'))
        """
        end = 0 if ground.contrast(BLACK) > ground.contrast(WHITE) else 255
        mixed = (Color(end, end, end, alpha).over(self) for alpha in range(0, 256, STEP))
        return next((color for color in mixed if color.contrast(ground) >= least), Color(end, end, end))

    @property
    def opaque(self) -> Color:
        """This color with full alpha."""
        return self if self.alpha == 255 else Color(*self.channels)

    def over(self, below: Color) -> Color:
        """Return the color that results from painting this color over `below` (source-over, as in SVG)."""
        if self.alpha == 255 or below.alpha == 0:
            return self
        kept = below.alpha * (255 - self.alpha) / 255
        alpha = self.alpha + kept
        pairs = zip(self.channels, below.channels, strict=True)
        red, green, blue = (round((mine * self.alpha + other * kept) / alpha) for mine, other in pairs)
        return Color(red, green, blue, round(alpha))

    def __repr__(self) -> str:
        return f"Color.parse({(self.rgb if self.alpha == 255 else self.argb)!r})"

    def __str__(self) -> str:
        return self.argb

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        from pydantic_core import core_schema  # a plain QR Code does without pydantic

        return core_schema.no_info_plain_validator_function(
            _validate, serialization=core_schema.to_string_ser_schema(when_used="json")
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _schema: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {
            "type": "string",
            "format": "color",
            # Any word: a pattern with all color names would be too long.
            "pattern": "^(#?([0-9A-Fa-f]{3}|([0-9A-Fa-f]{2}){3,4})|[A-Za-z]+([(][^()]*[)])?)$",
            "examples": ["#80FF0000", "#FF0000", "red", "transparent"],
        }


def _validate(value: Any) -> Color:
    if isinstance(value, Color):
        return value
    try:
        return Color.parse(value if isinstance(value, str) else "#")
    except ValueError as error:
        from pydantic_core import PydanticCustomError

        # The message is passed as data, because pydantic would treat braces in it as a template.
        raise PydanticCustomError("bad-colour", "{rule}", {"rule": str(error)}) from error


BLACK = Color(0, 0, 0)
WHITE = Color(255, 255, 255)
TRANSPARENT = Color(0, 0, 0, 0)
