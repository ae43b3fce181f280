"""Reads and writes the path of a GS1 Digital Link: a key, its value, and qualifiers in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote

from pydantic_core import PydanticCustomError

from qrkit.contents.gs1_identifiers import KEYS, check_value, gtin_of
from qrkit.errors import InvalidParameter, Problem

__all__ = ["Gs1Path", "gs1_path", "read_gs1_path"]

LONGEST_PATH = 1_000
"""Characters: a key and its three qualifiers have a few hundred, even if all are percent-encoded."""


class Gs1Path(NamedTuple):
    """What a GS1 Digital Link identifies, such as a lot of a product.

    Attributes:
        elements: The key and its qualifiers, each a number of an application identifier and a value.
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

    Returns:
        The path with a GTIN of 14 digits; None if the path does not begin with the number of a key.

    Raises:
        InvalidParameter: If a value breaks the rule of its application identifier, such as a check digit, or what
            follows the key are not its qualifiers in their order.
    """
    parts = path[: LONGEST_PATH + 1].removesuffix("/").split("/")
    if parts[0] not in KEYS:
        return None
    if len(path) > LONGEST_PATH:
        raise _wrong(path, f"must have at most {LONGEST_PATH} characters")
    if len(parts) % 2:
        raise _wrong(path, f"must end with a value: nothing follows {parts[-1]!r}")
    return gs1_path([(number, unquote(value)) for number, value in zip(parts[::2], parts[1::2], strict=True)])


def gs1_path(elements: Sequence[tuple[str, str]], *, stands_for_all: bool = False) -> Gs1Path:
    """Return the path of a key and its qualifiers, each a number of an application identifier and a value.

    Args:
        stands_for_all: Whether a qualifier may be `{21}`, for example, which stands for all serial numbers.

    Raises:
        InvalidParameter: If a value breaks its rule, or the qualifiers are not those of the key in their order.
    """
    key, *numbers = (number for number, _ in elements)
    orders = [[number for number in group if number in numbers] for group in KEYS[key]]
    if numbers and numbers not in orders:
        told = " or ".join("/".join(group) for group in KEYS[key])
        rule = f"may have {told} after the key {key}, in this order" if told else f"must not go on after the key {key}"
        raise _wrong("/".join(f"{number}/{value}" for number, value in elements), rule)
    return Gs1Path(
        tuple(
            (number, value if stands_for_all and value == f"{{{number}}}" else _checked(number, value))
            for number, value in elements
        )
    )


def _checked(number: str, value: str) -> str:
    try:
        if number == "01":
            return gtin_of(value)
        check_value(number, value)
    except PydanticCustomError as error:
        raise _wrong(value, error.message()) from error
    return value


def _wrong(value: str, rule: str) -> InvalidParameter:
    return InvalidParameter(Problem("path", value, rule))
