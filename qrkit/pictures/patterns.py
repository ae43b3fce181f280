"""Fills in patterns such as `{campaign}/{name}`: file names, captions, and lines on labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import PurePosixPath

from qrkit.contents.cards import file_stem
from qrkit.design.formats import FORMATS
from qrkit.errors import InvalidParameter, Problem, first_of, similar

FIELD = re.compile(r"\{([^{}]+)\}")
"""A field in a pattern or a caption."""
SUFFIXES = tuple(f".{name}" for name in (*FORMATS, "xml"))
MOST_SHOWN = 20
"""The maximum number of fields that an error lists."""


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """Return a pattern with the values of its fields; a field without a value is left out."""
    return FIELD.sub(lambda found: values.get(found[1], ""), pattern)


def path_in(pattern: str, values: Mapping[str, str]) -> PurePosixPath:
    """Return a filled pattern as a path that is safe everywhere, without a suffix.

    Only slashes of the pattern make folders, and each part becomes a file name, so no value leads out of the folder.
    """
    parts = [file_stem(text) for part in pattern.split("/") if (text := filled(part, values)).strip()] or ["qrcode"]
    # A folder never has the name of a file.
    folders = (f"{one}_" if one.lower().endswith(SUFFIXES) else one for one in parts[:-1])
    return PurePosixPath(*folders, parts[-1])


def check_patterns(rows: Iterable[Iterable[str]], **patterns: object) -> None:
    """Check the pattern of each parameter as `check_pattern` does; what is not text, such as a list, has no fields."""
    known = list(dict.fromkeys(chain.from_iterable(rows)))
    for name, pattern in patterns.items():
        check_pattern(name, pattern if isinstance(pattern, str) else "", known)


def check_pattern(name: str, pattern: str, known: Iterable[str]) -> None:
    """Check that each field of a pattern has a value; an error names the parameter that holds the pattern."""
    fields = list(dict.fromkeys(known))
    unknown = next((one for one in FIELD.findall(pattern) if one not in fields), None)
    if unknown is not None:
        allowed = first_of([f"{{{one}}}" for one in fields], MOST_SHOWN) or "no field"
        rule = f"has the unknown field {{{unknown}}}; the fields are {allowed}"
        near = similar(unknown, fields)
        raise InvalidParameter(Problem(name, pattern, f"{rule}; {near}" if near else rule, "bad-value"))
