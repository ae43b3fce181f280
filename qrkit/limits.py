"""The bounds and lists of choices of the interface, each written once, as types.

A `Within` holds a bound and its unit, so that readers, error texts, widgets and the OpenAPI description all take them
from the type itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, Strict
from pydantic_core import PydanticCustomError, core_schema

__all__ = [
    "FORMATS",
    "FORMAT_ALIASES",
    "TEXT_STYLES",
    "Content",
    "EncodingMode",
    "ErrorCorrection",
    "FormatName",
    "Latitude",
    "Length",
    "Longitude",
    "ModuleSize",
    "Padding",
    "StoredMode",
    "Text",
    "TextStyle",
    "Version",
    "Whole",
    "Within",
]


@dataclass(frozen=True, slots=True)
class Within:
    """An annotation: the number lies in `low`..`high`, both included, in this unit."""

    low: float
    high: float
    unit: str

    def _check(self, number: float) -> float:
        # "not inside" rather than "outside": nan is neither.
        if not self.low <= number <= self.high:
            raise PydanticCustomError("out-of-range", "{rule}", {"rule": f"must be in {self}"})
        return number

    def __str__(self) -> str:
        return f"{self.low}..{self.high} {self.unit}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(schema) | {
            "minimum": self.low,
            "maximum": self.high,
            "description": self.unit,
        }


@dataclass(frozen=True, slots=True)
class Length:
    """An annotation: the text has `low`..`high` characters and can be written as UTF-8."""

    low: int
    high: int

    def _check(self, text: str) -> str:
        if not self.low <= len(text) <= self.high:
            rule = "must not be empty" if not text else f"must have {self.low}..{self.high} characters, not {len(text)}"
            raise PydanticCustomError("out-of-range", "{rule}", {"rule": rule})
        try:
            text.encode()
        except UnicodeEncodeError as error:
            rule = f"holds half a character (a lone surrogate) at position {error.start + 1}"
            raise PydanticCustomError("bad-content", "{rule}", {"rule": rule}) from error
        return text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(schema) | {"minLength": self.low, "maxLength": self.high}


def _whole(value: Any) -> int:
    """Take any whole number, those of numpy and 3.0 included; true and "8" are none."""
    # nan and the infinities leave a rest that is not 0.
    if not _is_number(value) or value % 1 != 0:
        raise PydanticCustomError("wrong-type", "must be a whole number")
    return int(value)


def _automatic(value: Any) -> Any:
    """0, -1 and an empty text mean automatic, as absent does (ruling G1)."""
    if _is_number(value) or isinstance(value, str):
        return None if value in (0, -1, "") else value
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


Whole = Annotated[int, BeforeValidator(_whole)]

LONGEST_TEXT = 32_767
"""Characters that one spreadsheet cell can hold: a longer text could not be exported (ruling X8)."""

Text = Annotated[str, Strict(), Length(0, LONGEST_TEXT)]
Content = Annotated[str, Strict(), Length(1, LONGEST_TEXT)]

Version = Annotated[
    Annotated[Whole, Within(1, 40, "(automatic when absent)")] | None,
    BeforeValidator(_automatic),
]
ModuleSize = Annotated[Whole, Within(1, 20, "pixels per module")]
Padding = Annotated[Whole, Within(0, 20, "modules")]
EncodingMode = Annotated[Literal["byte", "numeric", "alphanumeric", "auto"], BeforeValidator(_lower)]
StoredMode = Annotated[Literal["byte", "numeric", "alphanumeric"], BeforeValidator(_lower)]
"""The interface has no `auto` (ruling G2): the generate URL of a tracked code could not say it."""
ErrorCorrection = Annotated[Literal["L", "M", "Q", "H"], BeforeValidator(_upper)]

Latitude = Annotated[float, Within(-90, 90, "degrees north")]
Longitude = Annotated[float, Within(-180, 180, "degrees east")]

FormatName = Literal["png", "jpg", "bmp", "tif", "gif", "webp", "svg", "eps", "pdf", "xaml", "txt", "html", "zip"]
FORMATS: tuple[str, ...] = get_args(FormatName)
FORMAT_ALIASES = {"jpeg": "jpg", "tiff": "tif", "htm": "html"}
"""Other names of formats (ruling G4)."""

TextStyle = Literal["blocks", "ascii", "binary"]
TEXT_STYLES: tuple[str, ...] = get_args(TextStyle)
