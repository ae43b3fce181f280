"""The 16 columns of import and export files, their order and their text (interface.md, "Import/export data formats").

A table of a file is a DataFrame of text: these columns, with the row's number in the file as index. A cell that a file
lacks is empty. `Entry` is what one row of it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from qrkit.errors import InvalidParameter, Problem, collecting
from qrkit.records import Location, Properties, QRCode
from qrkit.times import from_table, to_table

__all__ = ["COLUMNS", "NAMES", "REQUIRED", "TEXT_COLUMNS", "Column", "Entry", "read_row", "write_row"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: Its heading.
        write: The text of a QR Code's cell; the second argument is the name of its campaign.
        is_text: Whether people type the cells, so that they may hold anything.
    """

    name: str
    write: Callable[[QRCode, str], str]
    is_text: bool = False


COLUMNS = (
    Column("Campaign Name", lambda code, campaign: campaign, is_text=True),
    Column("QR Code Name", lambda code, _: code.name, is_text=True),
    Column("Content", lambda code, _: code.content, is_text=True),
    Column("Trackable URL", lambda code, _: code.short_url, is_text=True),
    Column("Created (UTC)", lambda code, _: to_table(code.created)),
    Column("Scans", lambda code, _: str(code.scans)),
    Column("Address", lambda code, _: code.location.address, is_text=True),
    Column("Latitude", lambda code, _: _number(code.location.latitude)),
    Column("Longitude", lambda code, _: _number(code.location.longitude)),
    Column("Comment", lambda code, _: code.comment, is_text=True),
    Column("Dynamic", lambda code, _: "true" if code.is_dynamic else "false"),
    Column("Size", lambda code, _: str(code.properties.size)),
    Column("Padding", lambda code, _: str(code.properties.padding)),
    Column("Version", lambda code, _: str(code.properties.version or -1)),
    Column("Encode Mode", lambda code, _: code.properties.em.capitalize()),
    Column("Error Correction", lambda code, _: code.properties.ec),
)

NAMES = tuple(column.name for column in COLUMNS)
TEXT_COLUMNS = frozenset(column.name for column in COLUMNS if column.is_text)
REQUIRED = ("Content",)

TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one row of an import file says; `row` is its number in the file."""

    row: int
    campaign: str
    name: str
    content: str
    trackable_url: str
    created: datetime | None
    scans: int
    comment: str
    is_dynamic: bool
    properties: Properties = field(default_factory=Properties)
    location: Location = field(default_factory=Location)


def write_row(code: QRCode, campaign: str) -> list[str]:
    """The cells of a QR Code, in the order of the columns."""
    return [column.write(code, campaign) for column in COLUMNS]


def read_row(row: int, cells: Mapping[str, str]) -> Entry:
    """What a row says; absent and empty cells take the defaults of the interface.

    Raises:
        InvalidParameter: Cells break a rule; every one is named by its column.
    """
    problems: list[Problem] = []

    def taken(name: str, read: Callable[[str, str], Any], *, default: Any = None) -> Any:
        text = cells.get(name, "").strip()
        with collecting(problems):
            return read(text, name) if text else default
        return default

    properties = {
        "size": taken("Size", _whole),
        "padding": taken("Padding", _whole),
        "version": taken("Version", _whole),
        "em": taken("Encode Mode", _as_is),
        "ec": taken("Error Correction", _as_is),
    }
    location = {
        "address": cells.get("Address", ""),
        "latitude": taken("Latitude", _degrees),
        "longitude": taken("Longitude", _degrees),
    }
    content = cells.get("Content", "")
    with collecting(problems):
        _check_content(content)
    entry = {
        "created": taken("Created (UTC)", _moment),
        "scans": taken("Scans", _count, default=0),
        "is_dynamic": taken("Dynamic", _flag, default=True),
        "properties": _judged(Properties, properties, problems),
        "location": _judged(Location, location, problems),
    }
    if problems:
        raise InvalidParameter(*problems)
    return Entry(
        row=row,
        campaign=cells.get("Campaign Name", ""),
        name=cells.get("QR Code Name", "") or name_from(content),
        content=content,
        trackable_url=cells.get("Trackable URL", ""),
        comment=cells.get("Comment", ""),
        **entry,
    )


def name_from(content: str) -> str:
    """The name of a QR Code that was given none: its content on one line, cut at 100 characters (ruling T4)."""
    return re.sub(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", " ", content)[:100]


FIELD_COLUMNS = {
    "size": "Size",
    "padding": "Padding",
    "version": "Version",
    "em": "Encode Mode",
    "ec": "Error Correction",
    "address": "Address",
    "latitude": "Latitude",
    "longitude": "Longitude",
}


def _judged(model: Callable[..., Any], fields: dict[str, Any], problems: list[Problem]) -> Any:
    """The record, or None and its problems under the names of the file's columns."""
    found: list[Problem] = []
    with collecting(found):
        # What a file leaves out takes the record's own default.
        return model(**{name: value for name, value in fields.items() if value is not None})
    problems += [Problem(FIELD_COLUMNS[one.name], one.value, one.rule, one.code) for one in found]
    return None


def _number(value: float | None) -> str:
    """The shortest text that reads back as the same number."""
    return "" if value is None else repr(value).removesuffix(".0")


def _as_is(text: str, _name: str) -> str:
    return text


def _moment(text: str, name: str) -> datetime:
    return from_table(text, name=name)


def _check_content(content: str) -> None:
    if not content:
        raise InvalidParameter(Problem("Content", "", "must not be empty", "missing-parameter"))


def _whole(text: str, name: str) -> int:
    # Python's int would read 1_0 and the digits of other scripts, too.
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", text):
        raise InvalidParameter(Problem(name, text, "must be a whole number", "wrong-type"))
    return int(text)


def _count(text: str, name: str) -> int:
    number = _whole(text, name)
    if not 0 <= number < 2**53:
        raise InvalidParameter(Problem(name, text, "must be a number of scans, 0 or more", "out-of-range"))
    return number


def _degrees(text: str, name: str) -> float:
    if not re.fullmatch(r"[+-]?([0-9]+\.?|[0-9]*\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        raise InvalidParameter(Problem(name, text, "must be degrees with a decimal point, like 45.6497", "wrong-type"))
    return float(text)


def _flag(text: str, name: str) -> bool:
    """Read true/false, yes/no or 1/0 in any case (ruling X5)."""
    if text.lower() not in TRUE + FALSE:
        raise InvalidParameter(Problem(name, text, f"must be one of {', '.join(TRUE + FALSE)}"))
    return text.lower() in TRUE
