"""The columns of import and export files: their names, order and text format.

`COLUMNS` and `FURTHER` are the only definition of the names and formats of QR Code fields in files and DataFrames: a
column added here is exported and imported everywhere. csv and workbooks contain the 16 columns of the interface; xml,
json and the manifest of a zip contain all columns, so that no field of a record is lost.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from operator import attrgetter
from typing import Any, Literal, NamedTuple, Self, TypeVar

from qrkit.design.limits import read_whole
from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.model import Model
from qrkit.tracking.own_fields import OwnFields, split_tags
from qrkit.tracking.records import Location, Properties, QRCode
from qrkit.tracking.redirect_rules import MOST_RULES
from qrkit.tracking.times import from_table, to_table

T = TypeVar("T")
Kind = Literal[
    "text", "word", "mode", "moment", "whole", "count", "degrees", "flag", "list", "tags", "fields", "time", "limit",
    "switch", "choice", "mark",
]  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column: its heading in files, its `element` in xml and json, and the field of `QRCode` that it holds.

    The field `campaign` is the name of the campaign. The kind `text` is free text from users, `word` one of a fixed set
    of values.
    """

    name: str
    element: str
    field: str
    kind: Kind = "text"

    @cached_property
    def label(self) -> str:
        """The name of the column in DataFrames, which is the name of the field."""
        return self.field.rpartition(".")[2]


COLUMNS = (
    Column("Campaign Name", "campaign", "campaign"),
    Column("QR Code Name", "name", "name"),
    Column("Content", "content", "content"),
    Column("Trackable URL", "trackUrl", "short_url"),
    Column("Created (UTC)", "created", "created", "moment"),
    Column("Scans", "scans", "scans", "count"),
    Column("Address", "address", "location.address"),
    Column("Latitude", "latitude", "location.latitude", "degrees"),
    Column("Longitude", "longitude", "location.longitude", "degrees"),
    Column("Comment", "comments", "comment"),
    Column("Dynamic", "dynamic", "is_dynamic", "flag"),
    Column("Size", "size", "properties.size", "whole"),
    Column("Padding", "padding", "properties.padding", "whole"),
    Column("Version", "version", "properties.version", "whole"),
    Column("Encode Mode", "encodeMode", "properties.em", "mode"),
    Column("Error Correction", "errorCorrection", "properties.ec", "word"),
)
"""The columns of the interface, in the order of csv and workbooks."""

FURTHER = (
    Column("Foreground", "foreground", "properties.foreground", "word"),
    Column("Background", "background", "properties.background", "word"),
    Column("Scheduled", "isScheduleEnabled", "is_schedule_enabled", "flag"),
    Column("Schedule", "schedule", "schedule", "list"),
    Column("Template", "template", "template"),
    Column("Scan Marker", "scanMarker", "scan_marker", "mark"),
)
"""Our additional columns, which are written to xml and json only, but read from any file."""

SORTING = (Column("Tags", "tags", "tags", "tags"), Column("Fields", "fields", "fields", "fields"))
"""Our columns of what users sort by, which are written to csv and workbooks, too, if a QR Code has any of it."""

TERMS = (
    Column("Rules", "rules", "rules", "list"),
    Column("Active", "active", "active", "switch"),
    Column("Valid Since (UTC)", "validSince", "valid_since", "time"),
    Column("Valid Until (UTC)", "validUntil", "valid_until", "time"),
    Column("Limit", "limit", "limit", "limit"),
    Column("Limit a Day", "limitADay", "limit_a_day", "limit"),
    Column("Otherwise", "otherwise", "otherwise"),
    Column("Password", "password", "password", "word"),
    Column("Pass Query", "passQuery", "pass_query", "choice"),
    Column("Click ID", "clickId", "click_id", "word"),
    Column("GS1", "gs1", "gs1", "list"),
)
"""Our columns of where a short URL leads whom, and when, which are written in the same way."""

EVERY = COLUMNS + FURTHER + SORTING + TERMS

CAMPAIGN, *OF_RECORD = EVERY
"""The campaign name is not part of a QR Code record; every other column contains a field of the record."""
NAMES = tuple(column.name for column in COLUMNS)
SORTING_NAMES = tuple(column.name for column in SORTING)
TERMS_NAMES = tuple(column.name for column in TERMS)
ALL_NAMES = tuple(column.name for column in EVERY)
LABELS = {column.name: column.label for column in EVERY}
"""Column name -> name in DataFrames."""
_OURS = {label.lower(): name for name, label in LABELS.items()} | {name.lower(): name for name in LABELS}
COLUMN_OF = {name.lower().removesuffix(" (utc)"): name for name in LABELS} | _OURS
COLUMN_OF |= {column.element.lower(): column.name for column in EVERY}
"""Lowercase name accepted in files and DataFrames -> column name; all times without a time zone are UTC."""
KINDS: dict[str, Kind] = {column.name: column.kind for column in EVERY}
COUNTED: tuple[Kind, ...] = ("count", "limit")
"""Kinds of columns of whole numbers whose thousands may be separated."""
MOMENTS = frozenset(name for name, kind in KINDS.items() if kind in ("moment", "time"))
TEXT_COLUMNS = frozenset(name for name, kind in KINDS.items() if kind in ("text", "tags"))
DESCRIBING = TEXT_COLUMNS | {"Latitude", "Longitude"}
"""Columns whose names mean the same in lists of other programs."""
_FIRST = (
    "campaign", "name", "content", "trackUrl", "created", "scans", "comments", "size", "padding", "version",
    "encodeMode", "errorCorrection",
)  # fmt: skip
"""The elements of the interface, in the interface's order; our additional elements follow."""
_BY_ELEMENT = {column.element: column.name for column in EVERY}
ELEMENTS = {element: _BY_ELEMENT[element] for element in dict.fromkeys((*_FIRST, *_BY_ELEMENT))}
"""XML element and JSON key -> column name, in the order of XML and JSON."""
CONTENT = "Content"
"""The only column that a file must have."""
SHORT_URL = "Trackable URL"
"""The column of what may be printed; beside contents of ours, it may have any name of `foreign.SHORT_URLS`."""
CREATED = "Created (UTC)"
OVERLOOKED = ("id",)
"""Unknown columns that are ignored without an issue: `id` is the index of our own DataFrames."""

_DEGREES = re.compile(r"[+-]?([0-9]+[.,]?|[0-9]*[.,][0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE_WITH_COMMA = re.compile(r"^([+-]?[0-9]+),0{1,2}$")
_PAIR = re.compile(r"""(?P<ours>[^=,"]+)=\s*+(?:"(?P<quoted>(?>[^"]|"")*+)"\s*+|(?P<bare>[^",]*+))(?:,|\Z)""")
_LINE_END = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")

LISTED = {
    "Schedule": "events with content, recurrence and date",
    "Rules": f"at most {MOST_RULES} rules with conditions and content or variants",
    "GS1": "GS1 entities with links",
}
"""What the lists of columns hold, for errors."""
FLAGS = ("true", "1", "yes", "false", "0", "no")
"""What errors offer for true and false."""
HEADINGS = tomllib.loads(files("qrkit.tracking").joinpath("headings.toml").read_text(encoding="utf-8"))
"""The words and names of files of others: of states, and of the fields of links, of visits and of requests in logs."""
YES, NO, ON, OFF = (frozenset(map(str, HEADINGS["words"][word])) for word in ("yes", "no", "on", "off"))
_THOUSANDS = re.compile(r"([1-9][0-9]{0,2}(?:([.,'\u2019\s])[0-9]{3})(?:\2[0-9]{3})*)(?:[.,]0+)?")


NO_FIELDS = OwnFields()


class Row(NamedTuple):
    """One row of a file, as returned by all readers and accepted by all writers; missing columns count as empty.

    A row to be written has the number 0 and its record as `code`. A row that cannot be read has an `error`, with the
    `reason` of its import issue. `notes` are the reasons and details of issues of a row that is imported; `own` are
    texts of columns that are not ours, which fit into fields of a QR Code.
    """

    number: int
    cells: Mapping[str, str]
    error: str = ""
    reason: Literal["invalid", "undecodable"] = "invalid"
    code: QRCode | None = None
    notes: tuple[tuple[Any, str], ...] = ()
    own: Mapping[str, str] = NO_FIELDS


Packed = tuple[Any, ...]
"""A row that was read and has no more than texts: the names of its columns, its number, and its text in each column."""


class Rows:
    """The rows of a file, mostly packed: the garbage collector skips tuples of texts, but not 200,000 `Row` objects."""

    def __init__(self, rows: list[Row | Packed]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return map(unpacked, self._rows)


def unpacked(row: Row | Packed) -> Row:
    """Return a row that may be packed."""
    if isinstance(row, Row):
        return row
    names, number, *texts = row
    return Row(number, dict(zip(names, texts, strict=True)))


def write_row(code: QRCode, campaign: str) -> Row:
    """Return the row of a QR Code with all columns; `campaign` is the name of its campaign."""
    cells = _property_cells(code.properties).copy()
    cells[CAMPAIGN.name] = campaign
    for (name, write, default), value in zip(_unshared_cells(), _unshared_of(code), strict=True):
        if value is not default:  # most of them are
            cells[name] = value if write is None else write(value)
    return Row(0, cells, code=code)


@cache
def _unshared_cells() -> tuple[tuple[str, Callable[[Any], str] | None, Any], ...]:
    """Return the name, what writes the text, and the default value of each column of `_UNSHARED`."""
    defaults = _unshared_of(QRCode.model_construct(id="", name="", content="", created=datetime.min))
    return tuple((name, WRITERS[name], default) for name, default in zip(_UNSHARED, defaults, strict=True))


@lru_cache(maxsize=1_000)
def _property_cells(properties: Properties) -> dict[str, str]:
    """Return the cells of properties and the defaults of other columns; many rows share these, and fill in copies."""
    others = {name: write(default) if write else default for name, write, default in _unshared_cells()}
    values = zip(PROPERTIES.values(), _properties_of(properties), strict=True)
    return dict.fromkeys(ALL_NAMES, "") | others | {column.name: TEXTS[column.kind](value) for column, value in values}


def named(columns: Mapping[str, T]) -> tuple[dict[str, T], list[Problem]]:
    """Resolve a mapping of our column names, in any case, to other names; return it with full names, and problems."""
    if not isinstance(columns, Mapping):
        rule = "must map our column names to those of the file, such as {'Content': 'url'}"
        return {}, [Problem("columns", columns, rule, "wrong-type")]
    found: dict[str, T] = {}
    problems = []
    for column, theirs in columns.items():
        name = COLUMN_OF.get(str(column).lower())
        if name:
            problems += [Problem("columns", column, "is named twice", "duplicate-parameter")] if name in found else []
            found[name] = theirs
            continue
        rule = f"is not a column of an import; {nearest(str(column), ALL_NAMES)}"
        if str(theirs).lower() in COLUMN_OF:
            rule = f"is not a column of an import, but {theirs!r} is; swap the two"
        problems.append(Problem("columns", column, rule))
    if not problems and CONTENT not in found:
        problems.append(Problem("columns", None, f"must say which column is {CONTENT}"))
    return found, problems


def field_of(columns: Mapping[str, object], name: str) -> str:
    """Return the name that an error gives to one of our columns in a mapping: as it is written there."""
    return next(f"columns.{written}" for written in columns if COLUMN_OF.get(str(written).lower()) == name)


def read_columns(text: str) -> dict[str, str]:
    """Read pairs such as `content=Website,name="Size, A4"`; content may be left out if the file calls it so, too."""
    found: dict[str, str] = {}
    place = 0
    while place < len(text):
        pair = _PAIR.match(text, place)
        if pair is None:
            rule = 'must be pairs such as content=Website,name=Poster; a name with a comma needs quotes: name="a, b"'
            raise InvalidParameter(Problem("columns", text, rule))
        ours, quoted, bare = pair["ours"].strip(), pair["quoted"], pair["bare"]
        if ours in found:
            raise InvalidParameter(Problem("columns", ours, "is named twice", "duplicate-parameter"))
        found[ours] = bare.strip() if quoted is None else quoted.replace('""', '"')
        place = pair.end()
    names = {COLUMN_OF.get(name.lower()) for name in found}
    return found if names & {None, CONTENT} else {CONTENT: CONTENT} | found


def column_pair(ours: str, theirs: str) -> str:
    """Return our column name and that of a file as a pair that `read_columns` reads."""
    name = theirs if set(theirs).isdisjoint(',"') else '"{}"'.format(theirs.replace('"', '""'))
    return f"{ours}={name}"


def check_names(names: Iterable[str]) -> None:
    """Check that no field of a user has the name of a column: in a file, it would be that column."""
    if taken := [name for name in names if is_ours(name)]:
        raise InvalidParameter(Problem("fields", taken[0], "is the name of a column of exports; choose another one"))


def is_ours(name: str) -> bool:
    """Return whether a column of this name is one of ours, in any case, or the index of our DataFrames."""
    return name.lower() in _OURS or name.lower() in OVERLOOKED


def read_row(row: Row, now: datetime) -> QRCode:
    """Convert a row without an error to a QR Code, without an ID and with the short URL of the row.

    Missing and empty cells take the defaults of the interface. An error names each column with an invalid cell.
    """
    cells = row.cells
    content = cells.get("Content", "")
    problems = [] if content else [Problem("Content", "", "must not be empty", "missing-parameter")]
    properties, wrong = _read_properties(tuple([cells.get(name, "") for name in PROPERTIES]))
    problems += wrong
    location = _read_cells(cells, _LOCATION_READERS, problems)
    others: list[Problem] = []
    fields: dict[str, Any] = {"id": "", "created": now, "properties": properties, "location": location}
    fields |= _read_cells(cells, _OWN_READERS, others)
    if row.own:
        fields["fields"] = {**row.own, **fields.get("fields", {})}
    if "name" not in fields:
        fields["name"] = name_from(content)
    if not problems and not others:
        try:
            # As a dictionary, the location is validated with the record, which takes less time than one of its own.
            return QRCode.from_fields(fields)
        except InvalidParameter as error:
            others = [] if _location_problems(location) else _by_column(error)
    raise InvalidParameter(*problems, *_location_problems(location), *others)


def name_from(content: str) -> str:
    """Return the default name of a QR Code: the content on one line, cut at 100 characters."""
    return _LINE_END.sub(" ", content)[:100]


@lru_cache(maxsize=1_000)
def _read_properties(texts: tuple[str, ...]) -> tuple[Properties | None, tuple[Problem, ...]]:
    """Parse the cells of properties; cached, because the rows of a portfolio share few combinations."""
    problems: list[Problem] = []
    values = _read_cells(dict(zip(PROPERTIES, texts, strict=True)), _PROPERTY_READERS, problems)
    try:
        # Fields missing from the file take the record's defaults.
        return Properties(**values), tuple(problems)
    except InvalidParameter as error:
        return None, (*problems, *_by_column(error, "properties."))


def _location_problems(values: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of a location, under the names of its columns."""
    try:
        Location(**values)
    except InvalidParameter as error:
        return _by_column(error, "location.")
    return []


def _read_cells(cells: Mapping[str, str], readers: Iterable[_CellReader], problems: list[Problem]) -> dict[str, Any]:
    """Return the parsed values of cells by field, without empty and invalid ones, whose problems it adds."""
    values: dict[str, Any] = {}
    for name, label, read in readers:
        # Skip empty cells without a function call: an import spends most of its time here.
        text = cells.get(name)
        if not text:
            continue
        if read is None:
            values[label] = text
        elif text := text.strip():
            try:
                # Don't use `collecting` here: called this often, entering it costs more than parsing the cell.
                values[label] = read(text, name)
            except InvalidParameter as error:
                problems.extend(error.problems)
    return values


def _by_column(error: InvalidParameter, part: str = "") -> list[Problem]:
    """Return the problems of a record with column names instead of field names."""
    return [replace(one, name=COLUMN_OF_FIELD.get(part + one.name, one.name)) for one in error.problems]


def _yes_or_no(value: bool) -> str:  # noqa: FBT001 - the flag is the value to write
    return "true" if value else "false"


def _json(value: tuple[Model, ...] | OwnFields) -> str:
    """Convert records of a list, or own fields, to JSON; return "" if there are none."""
    plain = [one.model_dump(mode="json") for one in value] if isinstance(value, tuple) else value
    return json.dumps(plain, ensure_ascii=False) if value else ""


def _read_json(text: str, name: str, of: type[T], what: str) -> T:
    """Parse the JSON of a list or an object, whose members are checked with the record."""
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, of):
            return found
    raise InvalidParameter(Problem(name, text, f"must be a JSON {what}"))


def _read_list(text: str, name: str) -> list[Any]:
    return _read_json(text, name, list, f"list of {LISTED[name]}")


def _read_fields(text: str, name: str) -> dict[str, Any]:
    found = _read_json(text, name, dict, 'object of texts, such as {"City": "Graz"}')
    check_names(found)
    return found


def _number(value: float | None) -> str:
    """Return the shortest text that parses to the same number."""
    return "" if value is None else repr(value).removesuffix(".0")


def _as_is(text: str, _name: str) -> str:
    return text


@lru_cache(maxsize=1_000)
def _whole(text: str, name: str) -> int:
    number = read_whole(_WHOLE_WITH_COMMA.sub(r"\1.0", text))
    if number is None:
        raise InvalidParameter(Problem(name, text, "must be a whole number", "wrong-type"))
    return number


def without_thousands(text: str) -> str:
    """Return a count without what separates its thousands: 1.234 is not 1 and a bit, for nothing is counted so."""
    found = _THOUSANDS.fullmatch(text)
    return found[1].replace(found[2], "") if found else text


class Fraction(str):
    """The text of a value such as 1.234 that is a number in its file; as text, it would be a count of 1,234."""

    __slots__ = ()

    def strip(self, _chars: str | None = None, /) -> Self:
        """Return it as it is: there are no spaces around it."""
        return self


def read_count(text: str, name: str) -> int:
    """Parse a number of scans, as spreadsheets of any language write it."""
    number = _whole(text if type(text) is Fraction else without_thousands(text), name)
    if not 0 <= number < 2**53:
        raise InvalidParameter(Problem(name, text, "must be a number of scans, 0 or more", "out-of-range"))
    return number


def _degrees(text: str, name: str) -> float:
    if not _DEGREES.fullmatch(text):
        raise InvalidParameter(Problem(name, text, "must be degrees with a decimal point, like 45.6497", "wrong-type"))
    return float(text.replace(",", "."))


def fits(text: str, name: str) -> bool:
    """Return whether a text can be read as a cell of this column among `DESCRIBING`."""
    return name in TEXT_COLUMNS or _DEGREES.fullmatch(text) is not None


def _flag(text: str, name: str) -> bool:
    """Parse true/false, yes/no or 1/0, in some languages; case is ignored."""
    word = text.lower().removesuffix(".0")  # some programs write 1 as 1.0
    if not (is_yes := word in YES) and word not in NO:
        raise InvalidParameter(Problem(name, text, f"must be one of {', '.join(FLAGS)}"))
    return is_yes


def _switch(text: str, name: str) -> bool:
    """Parse whether a link works, also as services say it."""
    word = text.lower()
    return word in ON or (word not in OFF and _flag(text, name))


CELLS: dict[Kind, tuple[Callable[[str, str], Any], Callable[[Any], str]]] = {
    "word": (_as_is, str),
    "mode": (_as_is, str.capitalize),
    "moment": (from_table, to_table),
    "whole": (_whole, lambda number: "-1" if number is None else str(number)),
    "count": (read_count, str),
    "degrees": (_degrees, _number),
    "flag": (_flag, _yes_or_no),
    "list": (_read_list, _json),
    "tags": (lambda text, _: split_tags(text), ", ".join),
    "fields": (_read_fields, _json),
    "time": (from_table, lambda moment: to_table(moment) if moment else ""),
    "limit": (read_count, lambda number: str(number or "")),
    "switch": (_switch, lambda is_on: "" if is_on else "false"),
    "mark": (_flag, lambda is_set: "true" if is_set else ""),
    "choice": (_flag, lambda chosen: "" if chosen is None else _yes_or_no(chosen)),
}
"""Functions that parse the text of a cell, given the column name for errors, and that convert a field value to text.

`text` cells need neither. The -1 of a whole number is an automatic version.
"""
READERS = {kind: read for kind, (read, _) in CELLS.items()}
TEXTS = {kind: write for kind, (_, write) in CELLS.items()}
WRITERS = {column.name: TEXTS.get(column.kind) for column in EVERY}
PROPERTIES, LOCATION, OWN = (
    {column.name: column for column in OF_RECORD if column.field == f"{part}{column.label}"}
    for part in ("properties.", "location.", "")
)
"""The columns of a QR Code's properties, of its location, and of its own fields, by name."""
_CellReader = tuple[str, str, Callable[[str, str], Any] | None]
"""The name of a column, its field, and what parses the text of its cells; None for free text."""
_PROPERTY_READERS, _LOCATION_READERS, _OWN_READERS = (
    tuple((column.name, column.label, READERS.get(column.kind)) for column in part.values())
    for part in (PROPERTIES, LOCATION, OWN)
)
COLUMN_OF_FIELD = {column.field: column.name for column in OF_RECORD}
_properties_of = attrgetter(*(column.label for column in PROPERTIES.values()))
_UNSHARED = LOCATION | OWN
_unshared_of = attrgetter(*(column.field for column in _UNSHARED.values()))
