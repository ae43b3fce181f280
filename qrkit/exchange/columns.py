"""The columns of import and export files, their order and their text (interface.md, "Import/export data formats").

A table of a file is a DataFrame of text: these columns, with the number of the row as index. A cell that a file
lacks is empty. `Entry` is what one row says. csv and workbooks have the 16 columns of the interface; xml, json and
the manifest of a zip have all of them, so that nothing of a record is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, TypeVar

from qrkit.errors import InvalidParameter, Problem, collecting, nearest
from qrkit.tracking.records import Location, Properties, QRCode, ScheduleEvent
from qrkit.tracking.times import from_table, to_table

__all__ = [
    "ALL_NAMES",
    "COLUMNS",
    "ELEMENTS",
    "KINDS",
    "NAMES",
    "OVERLOOKED",
    "REQUIRED",
    "TEXT_COLUMNS",
    "Column",
    "Entry",
    "Kind",
    "named",
    "read_row",
    "write_row",
]

T = TypeVar("T")
Read = Callable[[str, str], Any]
"""The text of a cell and the name of its column -> what it says."""
Kind = Literal["text", "word", "moment", "whole", "degrees", "flag", "list"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: Its heading.
        element: Its name in xml and json.
        write: The text of a QR Code's cell; the second argument is the name of its campaign.
        kind: What its cells hold; people type those of `text`, so that they may hold anything, and a `word` is ours.
    """

    name: str
    element: str
    write: Callable[[QRCode, str], str]
    kind: Kind = "text"


COLUMNS = (
    Column("Campaign Name", "campaign", lambda code, campaign: campaign),
    Column("QR Code Name", "name", lambda code, _: code.name),
    Column("Content", "content", lambda code, _: code.content),
    Column("Trackable URL", "trackUrl", lambda code, _: code.short_url),
    Column("Created (UTC)", "created", lambda code, _: to_table(code.created), "moment"),
    Column("Scans", "scans", lambda code, _: str(code.scans), "whole"),
    Column("Address", "address", lambda code, _: code.location.address),
    Column("Latitude", "latitude", lambda code, _: _number(code.location.latitude), "degrees"),
    Column("Longitude", "longitude", lambda code, _: _number(code.location.longitude), "degrees"),
    Column("Comment", "comments", lambda code, _: code.comment),
    Column("Dynamic", "dynamic", lambda code, _: _yes_or_no(code.is_dynamic), "flag"),
    Column("Size", "size", lambda code, _: str(code.properties.size), "whole"),
    Column("Padding", "padding", lambda code, _: str(code.properties.padding), "whole"),
    Column("Version", "version", lambda code, _: str(code.properties.version or -1), "whole"),
    Column("Encode Mode", "encodeMode", lambda code, _: code.properties.em.capitalize(), "word"),
    Column("Error Correction", "errorCorrection", lambda code, _: code.properties.ec, "word"),
)
"""Those of the interface, in the order of csv and workbooks."""

FURTHER = (
    Column("Foreground", "foreground", lambda code, _: str(code.properties.foreground), "word"),
    Column("Background", "background", lambda code, _: str(code.properties.background), "word"),
    Column("Scheduled", "isScheduleEnabled", lambda code, _: _yes_or_no(code.is_schedule_enabled), "flag"),
    Column("Schedule", "schedule", lambda code, _: _events(code), "list"),
)
"""Those of ours, which only xml and json have; read from any file."""

NAMES = tuple(column.name for column in COLUMNS)
ALL_NAMES = tuple(column.name for column in COLUMNS + FURTHER)
KINDS: dict[str, Kind] = {column.name: column.kind for column in COLUMNS + FURTHER}
TEXT_COLUMNS = frozenset(name for name, kind in KINDS.items() if kind == "text")
_FIRST = (
    "campaign", "name", "content", "trackUrl", "created", "scans", "comments", "size", "padding", "version",
    "encodeMode", "errorCorrection",
)  # fmt: skip
"""The elements of the interface, in its order; further ones follow (ruling X9)."""
_BY_ELEMENT = {column.element: column.name for column in COLUMNS + FURTHER}
ELEMENTS = {element: _BY_ELEMENT[element] for element in dict.fromkeys((*_FIRST, *_BY_ELEMENT))}
"""Element of xml and key of json -> column, in their order."""
REQUIRED = ("Content",)
OVERLOOKED = ("id",)
"""Names that are no column, and of which nobody is told: the index of our own DataFrames."""

# Python's int would read 1_0 and the digits of other scripts, too. pandas and spreadsheets write 3 as 3.0 (ruling X11).
_WHOLE = re.compile(r"([+-]?[0-9]{1,20})(\.0+)?")
_DEGREES = re.compile(r"[+-]?([0-9]+\.?|[0-9]*\.[0-9]+)([eE][+-]?[0-9]+)?")
_LINE_END = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")

MOST_EVENTS = 100
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
    is_schedule_enabled: bool = False
    schedule: tuple[ScheduleEvent, ...] = ()
    properties: Properties = field(default_factory=Properties)
    location: Location = field(default_factory=Location)


def write_row(code: QRCode, campaign: str) -> list[str]:
    """The cells of a QR Code, in the order of all columns."""
    return [column.write(code, campaign) for column in COLUMNS + FURTHER]


def named(columns: Mapping[str, T]) -> tuple[dict[str, T], list[Problem]]:
    """What columns of other names do: by the name of ours, in any case, that of theirs; and what is wrong with it."""
    if not isinstance(columns, Mapping):
        rule = "must give names of theirs by those of ours, as {'Content': 'url'}"
        return {}, [Problem("columns", columns, rule, "wrong-type")]
    ours = {name.lower(): name for name in ALL_NAMES}
    found: dict[str, T] = {}
    problems = []
    for column, theirs in columns.items():
        name = ours.get(str(column).lower())
        if name:
            problems += [Problem("columns", column, "is named twice", "duplicate-parameter")] if name in found else []
            found[name] = theirs
            continue
        rule = f"is no column of an import; {nearest(str(column), ALL_NAMES)}"
        if str(theirs).lower() in ours:
            rule = f"is no column of an import, but {theirs!r} is: write {{{theirs!r}: {column!r}}}, ours first"
        problems.append(Problem("columns", column, rule))
    missing = [name for name in REQUIRED if name not in found] if not problems else []
    problems += [Problem("columns", None, f"must say which column is {name}") for name in missing]
    return found, problems


def read_row(row: int, cells: Mapping[str, str]) -> Entry:
    """What a row says; absent and empty cells take the defaults of the interface.

    Raises:
        InvalidParameter: Cells break a rule; every one is named by its column.
    """
    content = cells.get("Content", "")
    properties, found = _properties(tuple([cells.get(name, "") for name, _ in DRAWN.values()]))
    problems = [] if content else [Problem("Content", "", "must not be empty", "missing-parameter")]
    problems += found

    def said(name: str, read: Read, default: Any = None) -> Any:
        return _said(cells.get(name, ""), name, read, problems, default)

    place = {field: said(name, _degrees) for field, name in PLACED.items()} | {"address": cells.get("Address", "")}
    entry = Entry(
        row=row,
        campaign=cells.get("Campaign Name", ""),
        name=cells.get("QR Code Name", "") or name_from(content),
        content=content,
        trackable_url=cells.get("Trackable URL", ""),
        comment=cells.get("Comment", ""),
        created=said("Created (UTC)", _moment),
        scans=said("Scans", _count, default=0),
        is_dynamic=said("Dynamic", _flag, default=True),
        is_schedule_enabled=said("Scheduled", _flag, default=False),
        schedule=said("Schedule", _read_events, default=()),
        properties=properties,
        location=_judged(Location, place, problems),
    )
    if problems:
        raise InvalidParameter(*problems)
    return entry


def name_from(content: str) -> str:
    """The name of a QR Code that was given none: its content on one line, cut at 100 characters (ruling T4)."""
    return _LINE_END.sub(" ", content)[:100]


@lru_cache(maxsize=1_000)
def _properties(texts: tuple[str, ...]) -> tuple[Any, tuple[Problem, ...]]:
    """What cells say of how a code is drawn; the codes of a portfolio are drawn in few ways, so each is judged once."""
    problems: list[Problem] = []
    columns = zip(texts, DRAWN.items(), strict=True)
    fields = {field: _said(text, name, read, problems) for text, (field, (name, read)) in columns}
    return _judged(Properties, fields, problems), tuple(problems)


def _said(text: str, name: str, read: Read, problems: list[Problem], default: Any = None) -> Any:
    """What a cell says; the default where it is empty or wrong."""
    text = text.strip()
    if not text:
        return default
    try:
        # Not `collecting`: so often, its context takes longer than the reading.
        return read(text, name)
    except InvalidParameter as error:
        problems.extend(error.problems)
        return default


def _judged(model: Callable[..., Any], fields: dict[str, Any], problems: list[Problem]) -> Any:
    """The record, or None and its problems under the names of the file's columns."""
    found: list[Problem] = []
    with collecting(found):
        # What a file leaves out takes the record's own default.
        return model(**{name: value for name, value in fields.items() if value is not None})
    problems += [Problem(FIELDS.get(one.name, one.name), one.value, one.rule, one.code) for one in found]
    return None


def _yes_or_no(value: bool) -> str:  # noqa: FBT001 - it is what is written
    return "true" if value else "false"


def _events(code: QRCode) -> str:
    """The schedule as JSON, empty where there is none."""
    events = [event.model_dump(mode="json") for event in code.schedule]
    return json.dumps(events, ensure_ascii=False) if events else ""


def _read_events(text: str, name: str) -> tuple[ScheduleEvent, ...]:
    try:
        found = json.loads(text)
        if not isinstance(found, list) or len(found) > MOST_EVENTS:
            raise ValueError
        return tuple(ScheduleEvent(**event) for event in found)
    except InvalidParameter as error:
        raise InvalidParameter(*(replace(one, name=f"{name}.{one.name}") for one in error.problems)) from error
    except (ValueError, TypeError, RecursionError) as error:
        rule = f"must be a JSON list of at most {MOST_EVENTS} events with content, recurrence and date"
        raise InvalidParameter(Problem(name, text, rule)) from error


def _number(value: float | None) -> str:
    """The shortest text that reads back as the same number."""
    return "" if value is None else repr(value).removesuffix(".0")


def _as_is(text: str, _name: str) -> str:
    return text


def _moment(text: str, name: str) -> datetime:
    return from_table(text, name=name)


@lru_cache(maxsize=1_000)
def _whole(text: str, name: str) -> int:
    found = _WHOLE.fullmatch(text)
    if not found:
        raise InvalidParameter(Problem(name, text, "must be a whole number", "wrong-type"))
    return int(found[1])


def _count(text: str, name: str) -> int:
    number = _whole(text, name)
    if not 0 <= number < 2**53:
        raise InvalidParameter(Problem(name, text, "must be a number of scans, 0 or more", "out-of-range"))
    return number


def _degrees(text: str, name: str) -> float:
    if not _DEGREES.fullmatch(text):
        raise InvalidParameter(Problem(name, text, "must be degrees with a decimal point, like 45.6497", "wrong-type"))
    return float(text)


def _flag(text: str, name: str) -> bool:
    """Read true/false, yes/no or 1/0 in any case (ruling X5)."""
    if text.lower() not in TRUE + FALSE:
        raise InvalidParameter(Problem(name, text, f"must be one of {', '.join(TRUE + FALSE)}"))
    return text.lower() in TRUE


DRAWN: dict[str, tuple[str, Read]] = {
    "size": ("Size", _whole),
    "padding": ("Padding", _whole),
    "version": ("Version", _whole),
    "em": ("Encode Mode", _as_is),
    "ec": ("Error Correction", _as_is),
    "foreground": ("Foreground", _as_is),
    "background": ("Background", _as_is),
}
"""Field of `Properties` -> its column, and what reads a cell of it."""
PLACED = {"latitude": "Latitude", "longitude": "Longitude"}
FIELDS = {field: name for field, (name, _) in DRAWN.items()} | PLACED | {"address": "Address"}
"""Field of a record -> its column."""
