"""Reads compressed GS1 Digital Links, in which values are bits in base64 (GS1 Digital Link: Compression 1.0)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from pydantic_core import PydanticCustomError

from qrkit.contents.gs1_identifiers import KEYS, check_value, identifier

SHORTEST, LONGEST = 8, 400
"""Characters of a compressed path: a version 40 symbol holds longer ones, but no key with its qualifiers is longer."""
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
BASE64 = 3
DIGITS = 0
ALPHABETS = {1: "0123456789abcdef", 2: "0123456789ABCDEF", BASE64: ALPHABET, 4: "".join(map(chr, range(128)))}
"""The characters that each other encoding can write, which have as few bits as hold the number of the last one."""
LONGEST_NUMBER = 4
"""Digits of an application identifier."""
_COMPRESSED = re.compile(rf"[A-Za-z0-9_-]{{{SHORTEST},{LONGEST}}}")
_PART = re.compile(r"([NXYZ])(\.\.)?([0-9]+)")

SEQUENCES: dict[str, tuple[str, ...]] = {
    "0A": ("01", "22"), "0B": ("01", "10"), "0C": ("01", "21"), "0D": ("01", "17"), "0E": ("01", "7003"),
    "0F": ("01", "30"), "1A": ("01", "10", "21", "17"), "1B": ("01", "15"), "1C": ("01", "11"), "1D": ("01", "16"),
    "1E": ("01", "91"), "1F": ("01", "10", "15"), "9A": ("8010", "8011"), "9B": ("8017", "8019"),
    "9C": ("8018", "8019"), "9D": ("414", "254"),
    **{f"2{last}": ("01", f"310{number}") for number, last in enumerate("ABCDEF")},
    **{f"3{last}": ("01", f"320{number}") for number, last in enumerate("ABCDEF")},
    **{f"A{number}": ("01", f"392{number}") for number in range(10)},
    **{f"C{number}": ("255", f"390{number}") for number in range(10)},
    **{f"C{last}": ("255", f"394{number}") for number, last in enumerate("ABCD")},
}  # fmt: skip
"""Identifiers that a byte stands for, which is no identifier's beginning."""


class _Bits:
    """The bits of a text; reading beyond their end raises ValueError."""

    def __init__(self, text: str) -> None:
        self._bits = "".join(f"{ALPHABET.index(letter):06b}" for letter in text)
        self._place = 0

    @property
    def left(self) -> int:
        return len(self._bits) - self._place

    def number(self, count: int) -> int:
        if count > self.left:
            raise ValueError
        self._place += count
        return int(self._bits[self._place - count : self._place] or "0", 2)

    def digits(self, count: int) -> str:
        """Read digits that are written as one number, in as few bits as hold the largest."""
        found = str(self.number((10**count - 1).bit_length()))
        if len(found) > count:
            raise ValueError
        return found.zfill(count) if count else ""

    def text(self, encoding: int, count: int) -> str:
        """Read characters that have an encoding: digits, or letters of one of `ALPHABETS`."""
        if encoding == DIGITS:
            return self.digits(count)
        letters = ALPHABETS[encoding]
        return "".join(letters[self.number((len(letters) - 1).bit_length())] for _ in range(count))


def read_compressed(text: str) -> dict[str, str] | None:
    """Return the values by application identifier of a compressed part of a path; None if the part is not compressed.

    Other pairs that were compressed with them have their own names. All values are judged.
    """
    if not _COMPRESSED.fullmatch(text):
        return None
    # Of a sequence, some programs write the values in the order of the standard, others in that of the numbers.
    for in_order in (tuple, sorted):
        try:
            found = dict(_pairs(_Bits(text), in_order))
            for number, value in found.items():
                if number.isdigit():
                    check_value(number, value)
        except (ValueError, KeyError, PydanticCustomError):
            continue
        return found
    return None


def is_compressed_key(text: str) -> bool:
    """Return whether a part of a path is a compressed key with what belongs to it."""
    return not KEYS.keys().isdisjoint(read_compressed(text) or ())


def _pairs(bits: _Bits, in_order: Callable[[tuple[str, ...]], Iterable[str]]) -> Iterator[tuple[str, str]]:
    while bits.left > 8:
        first = f"{bits.number(8):02X}"
        if first in SEQUENCES:
            yield from ((number, _value(bits, number)) for number in in_order(SEQUENCES[first]))
        elif first[0] == "F":
            name = bits.text(BASE64, int(first[1], 16) << 3 | bits.number(3))
            encoding, count = bits.number(3), bits.number(7)
            yield name, bits.text(encoding, count)
        else:
            while identifier(first) is None:
                if len(first) == LONGEST_NUMBER:
                    raise ValueError
                first += f"{bits.number(4):X}"
            yield first, _value(bits, first)
    if bits.number(bits.left):
        raise ValueError


def _value(bits: _Bits, number: str) -> str:
    """Read a value by the parts of its format: of variable ones, the length is written, of letters their encoding."""
    found, form = "", identifier(number)
    for letters, is_variable, length in _PART.findall(form.format if form else ""):
        encoding = DIGITS if letters == "N" else bits.number(3)
        count = bits.number(int(length).bit_length()) if is_variable else int(length)
        found += bits.text(encoding, count)
    return found
