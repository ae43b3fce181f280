"""Reads and writes the path of a GS1 Digital Link: a key, its value, and qualifiers in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from pydantic_core import PydanticCustomError

from qrkit.contents.gs1_identifiers import GTIN_LENGTHS, KEYS, check_value, gtin_of
from qrkit.errors import InvalidParameter, Problem

LONGEST_PATH = 1_000
"""Characters: a key and its three qualifiers have a few hundred, even if all are percent-encoded."""


class Gs1Path(NamedTuple):
    """What a GS1 Digital Link identifies, such as a lot of a product.

    The elements are the key and its qualifiers, each a number of an application identifier and a value.
    """

    elements: tuple[tuple[str, str], ...]

    @property
    def key(self) -> str:
        """The path of the key alone, as short codes of products are written: `01/09506000134352`."""
        return "/".join(self.elements[0])

    @property
    def below(self) -> str:
        """The path of the qualifiers, such as `10/ABC/21/7`; "" without any."""
        return str(Gs1Path(self.elements[1:]))

    def levels(self) -> Iterator[Gs1Path]:
        """Yield what this is a part of, beginning with itself and ending with the key."""
        for count in range(len(self.elements), 0, -1):
            yield Gs1Path(self.elements[:count])

    def __str__(self) -> str:
        return "/".join(f"{number}/{quote(value, safe='{}')}" for number, value in self.elements)


def read_gs1_path(path: str) -> Gs1Path | None:
    """Read the path of a GS1 Digital Link without its first slash, percent-encoded; a slash at its end is ignored.

    The GTIN gets 14 digits. Return None if the path does not begin with the number of a key. InvalidParameter says
    which value breaks the rule of its application identifier, such as a check digit, or that what follows the key are
    not its qualifiers in their order.
    """
    parts = path[: LONGEST_PATH + 1].removesuffix("/").split("/")
    if parts[0] not in KEYS:
        return None
    if len(path) > LONGEST_PATH:
        raise _wrong(path, f"must have at most {LONGEST_PATH} characters")
    if len(parts) % 2:
        raise _wrong(path, f"must end with a value: nothing follows {parts[-1]!r}")
    return gs1_path(tuple((number, unquote(value)) for number, value in zip(parts[::2], parts[1::2], strict=True)))


def gs1_path_in(text: str) -> Gs1Path:
    """Return the path that a text of any form names: a GTIN, `(01)09506000134352(10)ABC`, a path or a Digital Link.

    In a path, the key 01 may be left out, as in `09506000134352/10/ABC`. A qualifier may be `{21}`, for example, which
    stands for all serial numbers.
    """
    text = text.strip()
    if text.startswith("("):
        found = re.findall(r"\(([0-9]{2,4})\)([^(]+)", text)
        elements = [(number, value.strip(" ")) for number, value in found]
    else:
        try:
            parts = urlsplit(text).path.strip("/").split("/")
        except ValueError as error:
            raise _wrong(text, f"must be a path or a URL: {error}") from error
        start = next((place for place, part in enumerate(parts) if part in KEYS), 0)
        parts = ["01", *parts] if len(parts[0]) in GTIN_LENGTHS and parts[0].isdigit() else parts[start:]
        elements = [(number, unquote(value)) for number, value in zip(parts[::2], parts[1::2], strict=False)]
        if parts[0] in KEYS and len(parts) % 2:
            raise _wrong(text, f"must end with a value: nothing follows {parts[-1]!r}")
    if not elements or elements[0][0] not in KEYS:
        raise _wrong(text, "must be a GTIN, or begin with a GS1 key such as 01, as in 01/09506000134352/10/ABC")
    return gs1_path(tuple(elements), stands_for_all=True)


def is_gs1_key(code: str) -> bool:
    """Return whether a short code is the path of a key alone, such as `01/09506000134352`, as we write it."""
    try:
        path = read_gs1_path(code)
    except InvalidParameter:
        return False
    return path is not None and path.key == code == str(path)


@lru_cache(maxsize=4_096)  # what is scanned is scanned again, and what is imported is named repeatedly
def gs1_path(elements: tuple[tuple[str, str], ...], *, stands_for_all: bool = False) -> Gs1Path:
    """Return the path of a key and its qualifiers in order, each a number of an application identifier and a value.

    With `stands_for_all`, a qualifier may be `{21}`, for example, which stands for all serial numbers.
    """
    key, *numbers = (number for number, _ in elements)
    orders = [[number for number in group if number in numbers] for group in KEYS[key]]
    if numbers and numbers not in orders:
        told = " or ".join("/".join(group) for group in KEYS[key])
        rule = f"may have {told} after the key {key}, in this order" if told else f"must not go on after the key {key}"
        raise _wrong("/".join(f"{number}/{value}" for number, value in elements), rule)
    stand_for_all = {(number, f"{{{number}}}") for number in numbers} if stands_for_all else set()
    return Gs1Path(tuple(one if one in stand_for_all else (one[0], _checked(*one)) for one in elements))


def qualifiers(key: str, values: Mapping[str, str]) -> list[str]:
    """Return the qualifiers of a key among some values, in the order of the path; raise if they exclude each other."""
    used = [number for group in KEYS[key] for number in group if number in values]
    if used and not any(set(used) <= set(group) for group in KEYS[key]):
        rule = f"must not be together in a link with the key {key}"
        raise InvalidParameter(Problem("elements", ", ".join(used), rule))
    return used


def check_elements(values: Mapping[str, str]) -> None:
    """Judge the values of application identifiers among those of a query, whose other names may be anything."""
    for number, value in values.items():
        if number.isdigit():
            _checked(number, value, field=number)


def _checked(number: str, value: str, *, field: str = "path") -> str:
    try:
        if number == "01":
            return gtin_of(value)
        check_value(number, value)
    except PydanticCustomError as error:
        raise InvalidParameter(Problem(field, value, error.message())) from error
    return value


def _wrong(value: str, rule: str) -> InvalidParameter:
    return InvalidParameter(Problem("path", value, rule))
