"""Defines the ranges and choices of the interface as types, each in one place.

A `Within` contains a range and its unit. A type that has the same meaning everywhere also contains the label and the
help text of its fields. Parsers, error messages, `help()`, widgets, the command line and the OpenAPI description all
take these texts from the type.
"""

from __future__ import annotations

import re
from codecs import lookup
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, StrictStr, WrapValidator
from pydantic_core import PydanticCustomError, core_schema

from qrkit.design.bounds import LONGEST_TEXT, MILLIMETRES_PER_INCH, MODULE_SIZES, PADDINGS
from qrkit.design.characters import ECI, Charset
from qrkit.design.formats import (
    FORMAT_ALIASES,
    FORMATS,
    GET_ONLY_FORMATS,
    RASTER_FORMATS,
    TEXT_STYLES,
    FormatName,
    TextStyle,
)
from qrkit.model import Bound, broken

__all__ = [
    "ALIKE", "FORMATS", "FORMAT_ALIASES", "GET_ONLY_FORMATS", "ICON", "ICON_BOX", "MARKER_PATTERNS", "MICRO_EYES",
    "MILLIMETRES_PER_INCH", "MODULE_TYPES", "MOST_DAYS_KEPT", "MOST_PIXELS", "RASTER_FORMATS", "SPRITE_NAMES",
    "TEXT_STYLES", "AnyCase", "Asset", "CharsetChoice", "Content", "Coordinate", "Display", "EncodingMode",
    "ErrorCorrection", "Extent", "Flip", "FormatName", "GradientKind", "GradientUnits", "Latitude", "Length",
    "Longitude", "MarkerPattern", "Mask", "ModuleSize", "ModuleType", "ModuleWidth", "Most", "Number", "Offset",
    "Opacity", "PadChoice", "Padding", "PhotoPlace", "PictureSide", "Recurrence", "SpriteName", "SpriteType",
    "StoredMode", "Text", "TextStyle", "Tolerance", "Version", "Whole", "Within", "WrapperSide", "read_whole",
]  # fmt: skip

_WHOLE = re.compile(r"([+-]?[0-9]{1,20})(?:\.0+)?")


@dataclass(frozen=True, slots=True)
class Within(Bound):
    """An annotation for a number from `low` to `high`, both inclusive, with its unit."""

    low: float
    high: float
    unit: str

    def _check(self, number: float) -> float:
        # "Not inside" instead of "outside", because NaN is neither.
        if not self.low <= number <= self.high:
            raise broken(f"must be in {self}", code="out-of-range")
        return number

    def __str__(self) -> str:
        return f"{self.low}..{self.high} {self.unit}"

    @property
    def _keywords(self) -> dict[str, Any]:
        return {"minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Length(Bound):
    """An annotation for a string of `low` to `high` characters that can be encoded as UTF-8."""

    low: int
    high: int

    def _check(self, text: str) -> str:
        if not self.low <= len(text) <= self.high:
            rule = "must not be empty" if not text else f"must have {self}, not {len(text)}"
            raise broken(rule, code="out-of-range")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            rule = f"holds half a character (a lone surrogate) at position {error.start + 1}"
            raise broken(rule, code="bad-content") from error
        return text

    def __str__(self) -> str:
        return f"{self.low}..{self.high} characters"

    @property
    def _keywords(self) -> dict[str, Any]:
        return {"minLength": self.low, "maxLength": self.high}


@dataclass(frozen=True, slots=True)
class Most(Bound):
    """An annotation for a list of `low` to `high` items."""

    low: int
    high: int

    def _check(self, entries: Any) -> Any:
        # Runs before the items are validated, because there may be a million of them.
        if isinstance(entries, list | tuple) and not self.low <= len(entries) <= self.high:
            raise broken(f"must have {self}, not {len(entries)}", code="out-of-range")
        return entries

    def __str__(self) -> str:
        return f"{self.low}..{self.high} entries"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self._check, handler(source))

    @property
    def _keywords(self) -> dict[str, Any]:
        return {"minItems": self.low, "maxItems": self.high}


def _whole(value: Any) -> int:
    """Accept any whole number, including NumPy integers and 3.0, but not booleans or strings."""
    # NaN and infinities have a remainder other than 0.
    if not _is_number(value) or value % 1 != 0:
        raise PydanticCustomError("wrong-type", "must be a whole number")
    return int(value)


def _automatic(value: Any) -> Any:
    """Convert "auto" and an empty string to None, which means automatic."""
    return None if isinstance(value, str) and value.lower() in ("", "auto") else value


def _automatic_version(value: Any) -> Any:
    """Convert 0 and -1 as well, which are no versions; 0 is a mask."""
    return None if _is_number(value) and value in (0, -1) else _automatic(value)


def _number(value: Any) -> float:
    """Accept any finite number, including NumPy's, but not booleans or strings."""
    try:
        if _is_number(value) and isfinite(value):
            return float(value)
    except OverflowError:  # an integer with hundreds of digits
        pass
    raise PydanticCustomError("wrong-type", "must be a number")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _pad_choice(text: str) -> str:
    """Accept `standard`, the 1.0.0 name for `iso`, which saved templates and designs may contain."""
    return "iso" if text.lower() == "standard" else text.lower()


def _charset(text: str) -> str | None:
    """Accept every name by which Python knows a charset, such as `latin2`; an empty string means none."""
    try:
        codec = lookup(text).name
    except (LookupError, ValueError):
        return text.lower() or None
    return next((name for name in ECI if lookup(name).name == codec), text)


def _folded(fold: Callable[[str], str | None]) -> WrapValidator:
    """Return a validator of a choice in any case; an error shows the choice as it was written."""

    def read(value: Any, choose: Callable[[Any], Any]) -> Any:
        if isinstance(value, str):
            with suppress(ValueError):
                return choose(fold(value))
        return choose(value)

    return WrapValidator(read)


AnyCase = _folded(str.lower)
"""Annotates a choice that may be written in capitals, too."""
Whole = Annotated[int, BeforeValidator(_whole)]


def read_whole(text: str) -> int | None:
    """Return the whole number that a text says, or None if it says none.

    pandas and spreadsheets write 3 as 3.0. `int` alone would also accept 1_0 and the digits of other scripts.
    """
    match = _WHOLE.fullmatch(text)
    return int(match[1]) if match else None


Text = Annotated[StrictStr, Length(0, LONGEST_TEXT)]
Content = Annotated[StrictStr, Length(1, LONGEST_TEXT)]

Version = Annotated[
    Annotated[Whole, Within(1, 40, "(automatic when absent)")] | None,
    BeforeValidator(_automatic_version),
    Field(description="Size of the symbol, 1 to 40; by default, and for 0 or -1, the smallest that fits."),
]
ModuleSize = Annotated[
    Whole,
    Within(MODULE_SIZES[0], MODULE_SIZES[-1], "pixels per module"),
    Field(title="Module size", description="Pixels per module."),
]
Padding = Annotated[
    Whole,
    Within(PADDINGS[0], PADDINGS[-1], "modules"),
    Field(
        title="Quiet zone",
        description="Width of the light border in modules. The standard requires 4, or 2 for Micro QR Codes.",
    ),
]
MODES = "`byte` accepts any text, `numeric` digits, `alphanumeric` also capital letters, spaces and $%*+-./:"
EncodingMode = Annotated[
    Literal["byte", "numeric", "alphanumeric", "kanji", "auto"],
    AnyCase,
    Field(
        title="Encoding mode",
        description=f"{MODES}; `kanji` accepts two-byte characters of Shift JIS. "
        "`auto` uses the shortest mix of the first three.",
    ),
]
StoredMode = Annotated[
    Literal["byte", "numeric", "alphanumeric"],
    AnyCase,
    Field(title="Encoding mode", description=f"{MODES}."),
]
"""The modes of tracked codes. The interface has no `auto` or `kanji`, so a generate URL could not express them."""
CharsetChoice = Annotated[
    Charset | None,
    _folded(_charset),
    Field(
        title="Character set",
        description="Character set of byte mode, which the symbol declares as an ECI. By default, the symbol uses "
        "UTF-8 without declaring it, which scanners recognize. With `binary`, each character is one "
        "byte, and nothing is declared.",
    ),
]
ErrorCorrection = Annotated[
    Literal["L", "M", "Q", "H"],
    _folded(str.upper),
    Field(
        title="Error correction level",
        description="Higher levels correct more damage (L 7%, M 15%, Q 25%, H 30%) but need more modules. "
        "Use H if a logo covers modules.",
    ),
]
Mask = Annotated[
    Annotated[Whole, Within(0, 7, "(lowest penalty when absent)")] | None,
    BeforeValidator(_automatic),
    Field(
        title="Data mask",
        description="By default, the mask with the lowest penalty or, with free pad "
        "codewords, the one that leaves the most error correction.",
    ),
]
PadChoice = Annotated[
    Literal["iso", "segno", "free"],
    _folded(_pad_choice),
    Field(
        title="Unused data",
        description="`iso` pads as specified in ISO/IEC 18004:2015, 7.4.10; `segno` gives the same modules as the "
        "library segno; `free` chooses the padding, which readers ignore, so that the modules match the layers and "
        "sprites over them. The more room the content leaves, the more a logo may cover.",
    ),
]

MOST_PIXELS = 40_000_000
"""Maximum number of pixels in a whole image."""

MOST_DAYS_KEPT = 36_500
"""Maximum number of days in a retention limit for visits."""

Number = Annotated[float, BeforeValidator(_number)]
PictureSide = Annotated[Whole, Within(1, 10_000, "pixels")]
WrapperSide = Annotated[Number, Within(1, 10_000, "pixels")]
EXTENT = Within(0.1, 10_000, "pixels")
Extent = Annotated[Number, EXTENT]
"""Width or height of an element in an image."""
Coordinate = Annotated[Number, Within(-10_000, 10_000, "pixels")]
Tolerance = Annotated[
    Number,
    Within(-1_000, 1_000, "pixels"),
    Field(
        title="Margin",
        description="Extra space to clear around the layer, in pixels. Negative values clear less.",
    ),
]
Opacity = Annotated[
    Number, Within(0, 1, "(1 is opaque)"), Field(description="The lowest value is transparent, the highest opaque.")
]
Offset = Annotated[
    Number,
    Within(0, 1, "of the gradient's length"),
    Field(title="Position", description="Position on the gradient, from its start to its end."),
]
ICON = "icon:"
"""What the content of an icon begins with; the name of the icon follows."""
ICON_BOX = 24
"""Units per side of the box in which icons are drawn."""
Asset = Annotated[
    StrictStr,
    Length(1, 60_000_000),  # 40 MiB in base64
    Field(title="Image", description="A data URI of a PNG, JPEG, SVG or WebP, `icon:` and a name, or a URL."),
]
"""A picture is read when the image is drawn."""

Flip = Annotated[
    Literal["none", "horizontal", "vertical", "both"],
    AnyCase,
    Field(description="Mirrors the code. Some scanners cannot read mirrored codes."),
]
GradientKind = Annotated[
    Literal["linear", "radial"],
    AnyCase,
    Field(title="Type", description="Colors change along a line (`linear`) or outward from a center (`radial`)."),
]
GradientUnits = Annotated[
    Literal["relative", "absolute"],
    AnyCase,
    Field(description="Unit of positions: shares of the image (0 to 1), or pixels of the output."),
]
Display = Annotated[
    Literal["overlay", "box-hit-test", "pixel-hit-test"],
    AnyCase,
    Field(
        title="Overlap",
        description="`overlay` covers the modules. `box-hit-test` removes the data modules that touch the layer's box; "
        "`pixel-hit-test` removes those that touch a pixel of the layer that is not fully transparent.",
    ),
]
SpriteType = Annotated[
    Literal["fill", "blank", "padding", "both"],
    AnyCase,
    Field(
        title="Use for",
        description="Where the sprite is drawn: on dark modules (`fill`), on light ones (`blank`), on the quiet zone "
        "(`padding`), or on light modules and the quiet zone (`both`).",
    ),
]

_ModuleType = Literal[
    "default", "rounded", "sprite", "liquid", "bars", "columns", "dots",
    "gapped", "extra-rounded", "classy", "classy-rounded", "fluid",
    "bubbles", "lattice", "diagonal", "bricks", "crosses",
]  # fmt: skip
MODULE_TYPES: tuple[_ModuleType, ...] = get_args(_ModuleType)
"""All module styles. The interface defines default, rounded and sprite; qrkit adds the others."""
ModuleType = Annotated[
    _ModuleType,
    AnyCase,
    Field(
        title="Shape",
        description="`default`: plain squares; `rounded`: round corners where there is no neighbor; `liquid`: also "
        "filled inner corners; `bars`: joined rows; `columns`: joined columns; `dots`: dots; `gapped`: squares with "
        "gaps; `extra-rounded`: rounder corners of larger areas; `classy` and `classy-rounded`: two opposite round "
        "corners; `fluid`: shapes that flow together, across corners as well; `bubbles`: discs and rings over several "
        "modules; `lattice`: joined rows and columns; `diagonal`: joined diagonals; `bricks`: bricks, pale ones for "
        "light modules; `crosses`: X marks over several modules; `sprite`: images.",
    ),
]

ALIKE: tuple[_ModuleType, ...] = ("dots", "gapped")
"""The styles whose modules are all alike. As built-in sprites, they can have several sizes and colors."""
PhotoPlace = Annotated[
    Literal["behind", "inside", "halftone"],
    AnyCase,
    Field(
        description="`behind`: under the modules, lightened until they stand out. `inside`: only in the modules, "
        "darkened until they stand out from the background. `halftone`: between small dark and light squares, one for "
        "each module."
    ),
]

ModuleWidth = Annotated[
    Number,
    Within(0.3, 1, "modules"),
    Field(title="Width", description="Width of the drawn shape, in modules; phones need about 0.8."),
]

_SpriteName = Literal[
    "circle", "diamond", "diamond2", "five", "four", "plus", "six", "smiley", "star", "triangle", "x",
    "heart", "hexagon", "octagon", "pentagon",
]  # fmt: skip
SPRITE_NAMES: tuple[_SpriteName, ...] = get_args(_SpriteName)
"""The built-in sprites, as named in `Modules.sprite`."""

SpriteName = Annotated[_SpriteName, AnyCase]

_MarkerPattern = Literal[
    "default", "eye-1", "eye-2", "eye-3", "eye-4", "eye-5", "eye-6", "eye-7", "eye-8", "eye-9", "eye-10", "eye-11",
    "eye-12", "eye-13", "eye-14", "eye-15", "eye-16", "eye-17", "arch", "circle", "diamond", "dot", "drop",
    "extra-rounded", "flower", "heart", "hexagon", "leaf", "leaf-dot", "modules", "octagon", "pentagon", "petal",
    "pillow", "rounded", "soft", "soft-circle", "soft-dot", "soft-square", "squircle", "star",
]  # fmt: skip
MARKER_PATTERNS: tuple[_MarkerPattern, ...] = get_args(_MarkerPattern)
"""All marker patterns. The interface defines default and eye-1 to eye-17; qrkit adds the others."""
MICRO_EYES: tuple[_MarkerPattern, ...] = (
    "default", "eye-2", "eye-5", "eye-8", "eye-9", "eye-10", "eye-11", "eye-12", "eye-13", "eye-15",
)  # fmt: skip
"""Eyes that zxing-cpp reads at any size in a Micro QR Code, which has only one."""
MarkerPattern = Annotated[
    _MarkerPattern,
    AnyCase,
    Field(
        title="Shape",
        description="Shape of the ring and center of the finder pattern; `modules` draws it like the other modules, "
        "joined by a thread so that phones find it. Scanners on web pages that use jsQR often miss centers that are "
        "not squares in grainy pictures, such as those of `eye-10`, `eye-11` and `eye-12`.",
    ),
]

Recurrence = Annotated[
    Whole,
    Within(0, 7, "(0 is once, 1..7 are Monday..Sunday)"),
    Field(description="0 is once, at `date`; 1..7 is weekly on Monday..Sunday at the time in `date`, from `date` on."),
]
Latitude = Annotated[float, Within(-90, 90, "degrees north")]
Longitude = Annotated[float, Within(-180, 180, "degrees east")]
