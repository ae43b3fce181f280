"""GS1 application identifiers: which there are, what their values look like, and which identify a thing.

The table of all identifiers is that of python-stdnum, which is made from GS1's own. This module knows what the table
leaves out: check digits, the keys of GS1 Digital Link (URI Syntax 1.3 and later) and the order of their qualifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import chain, permutations
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from qrkit.contents.single_lines import check_digits_rule, clean
from qrkit.errors import InvalidParameter, Problem
from qrkit.model import broken


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in Path(__file__).with_name(name).read_text("ascii").splitlines()[1:]]


KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    key: tuple(tuple(one.split()) for one in groups) for key, *groups in _rows("gs1_keys.tsv")
}
"""Identifiers that are a key of GS1 Digital Link, with the qualifiers that may go together, in the path's order."""
_LISTED = [(one, *rest) for names, *rest in _rows("gs1_rules.tsv") for one in names.split()]
_EXCLUSIVE = [(first, tuple(others.split())) for first, others, _, _ in _LISTED if others]
"""Beginnings of identifiers, each with those of others that GS1's General Specifications forbid beside it."""
_RULES = {number: (pattern, rule) for number, _, pattern, rule in _LISTED if pattern}
"""What the values of an identifier must match beyond their format, as a pattern and in words."""

CHECKED = {
    "00": 18, "01": 14, "02": 14, "03": 14, "253": 13, "255": 13, "402": 17, "410": 13, "411": 13, "412": 13, "413": 13,
    "414": 13, "415": 13, "416": 13, "417": 13, "8003": 14, "8006": 14, "8017": 18, "8018": 18, "8026": 14,
}  # fmt: skip
"""The number of leading digits of these identifiers' values; the last of these digits is a check digit."""

SETS = {"N": "[0-9]", "X": r"[!\"%&'()*+,\-./0-9:;<=>?A-Z_a-z]", "Y": "[#\\-/0-9A-Z]", "Z": "[A-Za-z0-9_=\\-]"}
"""The characters of values: digits, and the sets 82, 39 and 64 of the GS1 General Specifications."""
WORDS = {"N": "digits", "X": "letters, digits and signs of GS1", "Y": "capital letters, digits and -/#", "Z": "base64"}

LETTERS = "!\"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
CHECK_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83)
"""Letters, check letters and weights of the check pair of a model number (GMN, AI 8013)."""

MONTHS = frozenset({"11", "12", "13", "15", "16", "17"})
"""Identifiers whose date may have the day 00, which stands for the last day of the month."""
BIRTHS = frozenset({"7250", "7251"})
"""Identifiers whose date has a year of four digits."""
DAYS, UNSPECIFIED = frozenset({"4324", "4325"}), "9999"
"""Identifiers whose time may be 9999, which means any time of the day."""

PIECES = frozenset({"8006", "8026"})
"""Identifiers of a piece of a trade item; a value ends with the number of the piece and the number of pieces."""

GTIN_LENGTHS = (8, 12, 13, 14)


@dataclass(frozen=True, slots=True)
class Identifier:
    """An application identifier, such as `10`.

    Attributes:
        title: What it stands for, in words.
        format: The values as GS1 writes it, such as `X..20` for up to 20 letters, digits and signs.
        pattern: Matches a value of this format.
        is_date: Whether the value is a date or begins with one.
        is_variable: Whether a separator (FNC1) ends its value before another one.
    """

    number: str
    title: str
    format: str
    pattern: re.Pattern[str]
    is_date: bool
    is_variable: bool


@cache
def identifier(number: str) -> Identifier | None:
    """Return an application identifier by its number, or None if there is none."""
    return identifier_at(number) if (found := _row(number)) and found[0] == number else None


def identifier_at(text: str) -> Identifier | None:
    """Return the application identifier with which an element string begins, or None."""
    row = _row(text[:4])
    if row is None:
        return None
    number, row_values = row
    form = row_values["format"]
    is_date, is_variable = row_values["type"] == "date", "fnc1" in row_values
    return Identifier(number, row_values["description"], form, _pattern(form), is_date, is_variable)


def _row(text: str) -> tuple[str, dict[str, str]] | None:
    from stdnum import numdb  # loads ssl and pydoc, which only GS1 identifiers need

    if not re.match("[0-9]{2,4}", text, re.ASCII):
        return None
    number, row = numdb.get("gs1_ai").info(text)[0]
    return (number, row) if "format" in row else None


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """Return what matches a format such as `N13[+X..17]`, `N3+N..15` or `N6+[-]`."""
    text = re.sub(r"\[\+(.*?)\]", r"(?:\1)?", form)
    text = text.replace("+[-]", "-?").replace("+[N1..N2]", "(?:N..2)?").replace("+", "")
    return re.compile(re.sub(r"([NXYZ])(\.\.)?([0-9]+)", _part, text))


def _part(match: re.Match[str]) -> str:
    return f"{SETS[match[1]]}{{{'1,' if match[2] else ''}{match[3]}}}"


def check_value(number: str, value: str) -> None:
    """Check the value of an application identifier; raise PydanticCustomError if either is not valid."""
    found = identifier(number)
    if found is None:
        raise broken(f"has no application identifier {number!r}; GS1 lists them at ref.gs1.org/ai")
    if not found.pattern.fullmatch(value):
        sets = " and ".join(WORDS[one] for one in dict.fromkeys(re.findall("[NXYZ]", found.format)))
        raise broken(f"({number}) {found.title} must have the format {found.format} ({sets}), not {value[:40]!r}")
    if number in CHECKED:
        head = value[: CHECKED[number]]
        _compare(number, head[-1], _check_digit(head[:-1]))
    elif number == "8013":
        _compare(number, value[-2:], _check_pair(value[:-2]))
    elif number == "8007" and not _is_iban(value):
        raise broken(f"({number}) is not a valid IBAN")
    elif number == "8003" and not value.startswith("0"):
        raise broken("(8003) must begin with 0, before the 13 digits of the asset type")


def check_new(elements: Mapping[str, str]) -> None:
    """Raise if there is no such value or date, or if GS1 forbids two in one code, such as a net weight given twice.

    Only new codes are judged by this: printed ones may have such values, and must still be read and resolved.
    """
    if rule := next(chain(_unknown(elements), _exclusive(elements)), ""):
        raise InvalidParameter(Problem("elements", None, rule))


def _unknown(elements: Mapping[str, str]) -> Iterator[str]:
    for number, value in elements.items():
        pattern, rule = _RULES.get(number, (".*", ""))
        if not re.fullmatch(pattern, value):
            yield f"({number}) {rule}, not {value[:40]!r}"
        if number in PIECES and not "00" < value[-4:-2] <= value[-2:]:
            yield f"({number}) must end with the piece and the number of pieces, such as 0102 for piece 1 of 2"
        if (found := identifier(number)) and found.is_date and not _is_date(number, value):
            yield f"({number}) must begin with a date, YYMMDD; {value!r} has no such day or time"


def _exclusive(numbers: Iterable[str]) -> Iterator[str]:
    for one, other in permutations(numbers, 2):
        is_same_measure = one[0] == "3" and one[:3] == other[:3]
        if is_same_measure or any(one.startswith(first) and other.startswith(no) for first, no in _EXCLUSIVE):
            yield f"must not have both ({one}) and ({other}), which GS1 does not allow in one code"


def _compare(number: str, found: str, expected: str) -> None:
    if found != expected:
        raise broken(f"({number}) {check_digits_rule(found, expected)}")


def _check_digit(digits: str) -> str:
    from stdnum import ean

    return str(ean.calc_check_digit(digits))


def _is_iban(text: str) -> bool:
    from stdnum import iban

    return bool(iban.is_valid(text, check_country=False))


def _check_pair(value: str) -> str:
    """Return the check pair of a model number (GS1 General Specifications, 7.9.5)."""
    weights = reversed(PRIMES[: len(value)])
    total = sum(LETTERS.index(letter) * weight for letter, weight in zip(value, weights, strict=True)) % 1021
    return CHECK_LETTERS[total >> 5] + CHECK_LETTERS[total & 31]


def _is_date(number: str, value: str) -> bool:
    """Return whether there is such a day, and the time that follows it."""
    parts = [value[:6], value[6:]] if number == "7007" else [value]  # the first and the last day of a harvest
    for part in filter(None, parts):
        moment = part if number in BIRTHS else f"20{part}"
        day, hours = moment[:8], moment[8:]
        day = day.removesuffix("00") + "01" if number in MONTHS and day.endswith("00") else day
        hours = "" if number in DAYS and hours == UNSPECIFIED else hours
        try:
            # The length of the format makes sure that each part has two digits.
            datetime.strptime(day + hours, "%Y%m%d%H%M%S"[: 6 + len(hours)])
        except ValueError:
            return False
    return True


def gtin_of(text: str) -> str:
    """Return a GTIN with 14 digits, padded with zeros; spaces and hyphens are removed.

    A wrong length or check digit raises PydanticCustomError.
    """
    number = re.sub("[ -]", "", text)
    if not re.fullmatch("[0-9]+", number) or len(number) not in GTIN_LENGTHS:
        raise broken("must have 8, 12, 13 or 14 digits, as printed below a barcode")
    expected = _check_digit(number[:-1])
    if number[-1] != expected:
        raise broken(check_digits_rule(number[-1], expected))
    return number.zfill(14)


def _elements(given: Any) -> Any:
    """Read elements as a mapping, or as text with the identifiers in brackets; refuse wrong values."""
    if isinstance(given, str):
        given = re.sub(" *([()]) *", r"\1", clean(given))  # labels have spaces between the elements
        pairs = re.findall(r"\(([0-9]{2,4})\)([^(]+)", given)
        if "".join(f"({number}){value}" for number, value in pairs) != given:
            raise broken("must be like (01)09506000134352(10)ABC; a value with a bracket needs a mapping")
        if len({number for number, _ in pairs}) < len(pairs):
            raise broken("has an application identifier twice")
        given = dict(pairs)
    if not isinstance(given, Mapping) or not all(isinstance(one, str) for pair in given.items() for one in pair):
        raise PydanticCustomError("wrong-type", "must be an object of application identifiers and texts, or a text")
    for number, value in given.items():
        check_value(number, value)
    return dict(given)


Elements = Annotated[
    dict[str, str],
    BeforeValidator(_elements),
    Field(
        title="Elements",
        description="Values by application identifier, `{'01': '09506000134352', '10': 'ABC'}`, or as text, "
        "`(01)09506000134352(10)ABC`.",
        examples=["(01)09506000134352(10)ABC123"],
    ),
]
"""The type of values by application identifier."""
