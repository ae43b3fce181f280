"""Parses and writes the two notations that contents share: `NAME:value;` pairs, and lines of vCards and calendars."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["escape_pair", "pairs", "write_pairs"]

# `++` and `*+` never backtrack, so the time depends on the length of the text alone.
_PIECE = re.compile(r"((?:[^;\\]|\\.|\\)*+)(?:;|\Z)", re.DOTALL)


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Parse `S:net;P:secret;;`, the format of Wi-Fi networks and MeCards, into names in capitals and values."""
    for piece in _PIECE.findall(text):
        name, _, value = piece.partition(":")
        yield name.strip().upper(), re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def write_pairs(scheme: str, values: Iterable[tuple[str, str]]) -> str:
    """Write pairs in this format; pairs without a value are left out."""
    return f"{scheme}:" + "".join(f"{name}:{escape_pair(value)};" for name, value in values if value) + ";"


def escape_pair(value: str) -> str:
    r"""Return a value with a backslash before each of `\ ; , : "`."""
    return re.sub(r'([\\;,:"])', r"\\\1", value)
