"""Parses and writes the notations that contents share: `NAME:value;` pairs, and the lines of vCards and calendars."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from quopri import decodestring
from typing import NamedTuple

__all__ = ["Line", "escape", "escape_pair", "lines_of", "pairs", "raw_pairs", "split", "unescape", "write_pairs"]

# `++` and `*+` never backtrack, so the time depends on the length of the text alone.
_PIECES = {mark: re.compile(rf"((?:[^{mark}\\]|\\.|\\)*+)(?:{mark}|\Z)", re.DOTALL) for mark in ";,"}
_LINE = re.compile(r'(?:[A-Z0-9-]++\.)?([A-Z0-9-]++)((?:;(?:"[^"]*+"|[^":])*+)?):(.*)', re.IGNORECASE | re.DOTALL)


class Line(NamedTuple):
    """A line of a vCard or a calendar, such as `TEL;TYPE=CELL:+386 40 123`.

    Attributes:
        name: In capitals, without a group.
        about: The parameters, as they are written.
        value: With its escapes.
    """

    name: str
    about: str
    value: str


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Parse `S:net;P:secret;;`, the format of Wi-Fi networks and MeCards, into names in capitals and values."""
    for name, value in raw_pairs(text):
        yield name, re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def raw_pairs(text: str) -> Iterator[tuple[str, str]]:
    """Parse this format into names in capitals and values with their escapes, for values that have parts."""
    for piece in _PIECES[";"].findall(text):
        name, _, value = piece.partition(":")
        yield name.strip().upper(), value


def write_pairs(scheme: str, values: Iterable[tuple[str, str | None]]) -> str:
    """Write pairs in this format; pairs without a value are left out."""
    return f"{scheme}:" + "".join(f"{name}:{escape_pair(value)};" for name, value in values if value) + ";"


def escape_pair(value: str) -> str:
    r"""Return a value with a backslash before each of `\ ; , : "`."""
    return re.sub(r'([\\;,:"])', r"\\\1", value)


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a vCard or a calendar, with folded ones joined (RFC 6350, 3.2); other lines are skipped."""
    lines = iter(re.split("\r\n|\r|\n", re.sub("(?:\r\n|\r|\n)[ \t]", "", text)))
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        name, about, value = match.groups()
        if "QUOTED-PRINTABLE" in about.upper():
            parts = [value]
            while parts[-1].endswith("=") and (more := next(lines, None)) is not None:
                parts.append(more)
            value = _decode_quoted_printable("\n".join(parts))
        yield Line(name.upper(), about, value)


def _decode_quoted_printable(value: str) -> str:
    """Decode quoted-printable text, which phones wrote in vCards of version 2.1."""
    data = decodestring(value.encode("utf-8", "replace"))
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def escape(value: str) -> str:
    r"""Return a text value of a vCard or a calendar, with escaped `\ ; ,` and line breaks (RFC 6350, 3.4)."""
    return re.sub(r"([\\;,])", r"\\\1", value).replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")


def unescape(value: str) -> str:
    """Remove the escapes from a text value of a vCard or a calendar."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], value, flags=re.DOTALL).strip()


def split(value: str, mark: str) -> list[str]:
    """Split a value at semicolons or commas that are not escaped, and remove the escapes."""
    return [unescape(piece) for piece in _PIECES[mark].findall(value)]
