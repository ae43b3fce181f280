"""The types of texts that stand on one line of a content, of amounts of money, and of values that people paste.

What is pasted from web pages, documents and tables often holds characters that nobody sees or that look like others:
marks of the writing direction, soft hyphens, non-breaking spaces and dashes, digits of full width. Names and other
texts are not cleaned of them, because they may need them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Annotated, Any
from unicodedata import category, decimal, name, normalize

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, StrictStr, ValidationInfo
from pydantic_core import PydanticCustomError, core_schema

from qrkit.contents.content import note
from qrkit.errors import first_of
from qrkit.model import Bound, broken

SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810))))
"""Variation selectors, which choose between two looks of the character before."""
UNSEEN = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Further characters that nobody sees, though Unicode counts them as letters, marks and symbols."""
DASHES = frozenset("\u02d7\u2043\u2212\u2796")
"""Characters that look like a hyphen, though Unicode counts them as signs."""
JOINERS = "\u200c\u200d"
"""Needed by Persian words and by emoji, also in web addresses."""
SOFT_HYPHENS = "\u2010\u2011"
"""Hyphens of word processors. Other dashes are a part of many paths, such as those of Wikipedia."""
MOST_NAMED = 4

_URL = re.compile(r"([^/?#]*(?://[^/?#]*)?)(.*)", re.DOTALL)
_LONG_VOWEL = re.compile("(?<=[0-9 ])\u30fc(?=[0-9 ])")
"""Matches the Japanese mark of a long vowel between digits, where it stands for a hyphen."""
CONTROLS = {"Cc", "Zl", "Zp"}
"""Unicode's categories of characters that end lines or control a terminal."""


def check_digits_rule(found: str, expected: str) -> str:
    """Return the rule that wrong check digits break."""
    digits = "digit" if len(found) == 1 else "digits"
    return f"has the check {digits} {found}, but the rest of the number needs {expected}; look for a typing error"


def clean(text: str, *, is_url: bool = False) -> str:
    """Return a pasted value as it would have been typed: without invisible characters, with plain spaces and hyphens.

    Letters and their accents become one character, and digits of other scripts ASCII's. In the path of a URL, what may
    be a part of the address stays: joiners, dashes, letters of full width.
    """
    if not text.isascii():
        front, path = _URL.fullmatch(text).groups() if is_url else (text, "")  # type: ignore[union-attr]  # matches any text
        front = "".join(map(_typed, front))
        text = front + "".join(_typed_in_path(path, place) for place in range(len(path)))
        text = normalize("NFC", text) if is_url else _LONG_VOWEL.sub("-", normalize("NFKC", text))
    return text.strip(" ")


@dataclass(frozen=True, slots=True)
class Pasted:
    """An annotation for a text that is cleaned before it is judged; a note says what was cleaned."""

    is_url: bool = False

    def _clean(self, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, str):
            return value
        cleaned = clean(value, is_url=self.is_url)
        if gone := [one for one in dict.fromkeys(value) if not one.isascii() and one not in cleaned]:
            note(info.field_name, f"was cleaned of {_named(gone)}")
        return cleaned

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.with_info_before_validator_function(self._clean, handler(source))


def check_characters(
    text: str, is_wrong: Callable[[str], bool], rule: str = "must be without control characters"
) -> str:
    """Return a text, unless one of its characters is wrong."""
    for position, character in enumerate(text, 1):
        if is_wrong(character):
            raise broken(f"{rule}, but has U+{ord(character):04X} at {position}")
    return text


def requiring(is_right: Callable[[Any], object], rule: str) -> AfterValidator:
    """Return an annotation for a value that passes a test; the rule says which values do."""

    def check(value: Any) -> Any:
        if not is_right(value):
            raise broken(rule)
        return value

    return AfterValidator(check)


def matching(pattern: str, rule: str) -> AfterValidator:
    """Return an annotation for a text that matches a pattern as a whole; the rule says which texts do."""
    return requiring(re.compile(pattern, re.ASCII).fullmatch, rule)


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


def _typed(character: str) -> str:
    """Return what would have been typed for a character."""
    kind = category(character)
    if kind == "Cf" or character in SELECTORS or character in UNSEEN:
        return ""
    if kind == "Nd":
        return str(decimal(character))
    return " " if kind == "Zs" else "-" if kind == "Pd" or character in DASHES else character


def _typed_in_path(path: str, place: int) -> str:
    character = path[place]
    is_part = character in JOINERS or (character in SELECTORS and not path[place - 1 : place].isascii())
    if is_part or category(character) == "Nd" or (category(character) == "Pd" and character not in SOFT_HYPHENS):
        return character
    return _typed(character) if character not in DASHES else character


def _named(characters: Sequence[str]) -> str:
    """Return the names of the first few characters, and how many more there are."""
    return first_of([f"U+{ord(one):04X} ({name(one, 'unnamed').lower()})" for one in characters], MOST_NAMED)


def _one_line(text: str) -> str:
    """Refuse line breaks and control characters, which would begin another field, and remove spaces at both ends."""
    check_characters(text, lambda one: category(one) in CONTROLS, "must be one line without control characters")
    return text.strip(" ")


OneLine = Annotated[StrictStr, AfterValidator(_one_line)]
"""A text without line breaks and control characters."""


def _decimal(value: Any) -> Decimal:
    """Convert a number or a text such as "12.30"; a float is what Python shows of it."""
    if isinstance(value, Decimal) and value.is_finite():
        return value
    if isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
        return Decimal(int(value)) if isinstance(value, int) else Decimal(repr(float(value)))
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,20}(?:\.[0-9]{1,20})?", number := clean(value)):
        return Decimal(number)
    raise PydanticCustomError("wrong-type", "must be a number such as 1234.50, with no separators but a decimal point")
