"""Splits a message over several symbols (structured append, ISO/IEC 18004:2015, clause 8)."""

from __future__ import annotations

from bisect import bisect_left
from functools import reduce
from operator import xor

from qrkit.design.design import Design
from qrkit.design.message_part import MOST_SYMBOLS
from qrkit.errors import ContentTooLong, InvalidParameter, Problem
from qrkit.symbol.encode.capacity import bits_held, bits_needed
from qrkit.symbol.encode.headers import Header
from qrkit.symbol.encode.segments import segments_of

VERSIONS = range(1, 41)

HEADER_BITS = 20
"""Bits with which each symbol says which part of the message it holds."""

FEWEST_BITS = 3
"""No character takes fewer bits: a digit takes 10/3."""


def parity_of(content: str, mode: str, header: Header) -> int:
    """Return all bytes of a message, combined by exclusive or."""
    return reduce(xor, content.encode("shift_jis" if mode == "kanji" else header.charset), 0)


def split(design: Design, header: Header, symbols: int | None) -> tuple[int, list[str]]:
    """Split the content of a design between characters; return the version of all symbols, and the content of each.

    A design without a version gets the smallest one in which the symbols hold the content, and None `symbols` are as
    few as possible. The header is that of every symbol, apart from its place in the message. `ContentTooLong` says how
    much would fit.
    """
    content = design.content
    if symbols and symbols > len(content):
        rule = f"must be at most {len(content)}, the number of characters, because no symbol may be empty"
        raise InvalidParameter(Problem("symbols", symbols, rule, "out-of-range"))
    header = header._replace(length=header.length + HEADER_BITS)
    versions = VERSIONS if design.version is None else range(design.version, design.version + 1)
    most = symbols or min(len(_cut(design, header, versions[-1])), MOST_SYMBOLS)

    def holds(version: int, bits: int | None = None) -> bool:
        return sum(map(len, _cut(design, header, version, most, bits))) == len(content)

    # A larger version holds more, so it never needs more symbols.
    position = bisect_left(versions, 1, key=holds)
    if position == len(versions):
        raise _too_long(design, header, versions[-1], most)
    version = versions[position]
    # Parts of nearly equal length, to a 64th of what the version holds.
    held = bits_held(version, design.ec)
    limits = [held * share // 64 for share in range(1, 65)]
    parts = _cut(design, header, version, most, limits[bisect_left(limits, 1, key=lambda bits: holds(version, bits))])
    while symbols and len(parts) < symbols:
        longest = max(range(len(parts)), key=lambda number: len(parts[number]))
        part = parts[longest]
        parts[longest : longest + 1] = [part[: len(part) // 2], part[len(part) // 2 :]]
    return version, parts


def _cut(
    design: Design, header: Header, version: int, most: int = MOST_SYMBOLS + 1, bits: int | None = None
) -> list[str]:
    """Return up to `most` parts of the content, each as long as `bits` allow, by default all that the version holds."""
    rest, parts = design.content, list[str]()
    held = bits_held(version, design.ec) if bits is None else bits

    def is_too_long(length: int) -> bool:
        return bits_needed(segments_of(rest[:length], design.em, version, header), version, header) > held

    while rest and len(parts) < most:
        length = bisect_left(range(1, min(len(rest), held // FEWEST_BITS) + 1), 1, key=is_too_long)
        if not length:
            break
        parts.append(rest[:length])
        rest = rest[length:]
    return parts


def _too_long(design: Design, header: Header, version: int, most: int) -> ContentTooLong:
    held = sum(map(len, _cut(design, header, version, most)))
    needed = len(_cut(design, header, version))
    remedies = [f"symbols={needed}"] if most < needed <= MOST_SYMBOLS else []
    remedies += ["a larger version"] if version < VERSIONS[-1] else []
    remedies += ["a lower error correction level"] if design.ec != "L" else []
    message = (
        f"{most} symbols of version {version} with ec={design.ec} hold the first {held:,} of "
        f"{len(design.content):,} characters; what would fit: {' or '.join([*remedies, 'a shorter content'])}"
    )
    bits = bits_needed(segments_of(design.content, design.em, version, header), version, header)
    return ContentTooLong(message, needed_bits=bits, capacity_bits=most * bits_held(version, design.ec))
