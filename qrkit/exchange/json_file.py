"""JSON: an array of objects, one per QR Code, with the XML field names and JSON types.

JSON that pandas writes from our DataFrames is also accepted: `to_json()` and `to_json(orient="records")`. Its names are
those of our DataFrame columns, and timestamps may be in milliseconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from itertools import islice
from math import inf, isfinite
from operator import itemgetter
from typing import Any, BinaryIO, NamedTuple

from qrkit.errors import UnreadableFile
from qrkit.exchange import foreign
from qrkit.exchange.columns import (
    COLUMN_OF,
    CONTENT,
    COUNTED,
    ELEMENTS,
    KINDS,
    LABELS,
    OVERLOOKED,
    SHORT_URL,
    Kind,
    Packed,
    Row,
)
from qrkit.exchange.csv_file import has_our_names, taken_off
from qrkit.exchange.locating import MOST_COLUMNS, MOST_TRIED, Cells, Located, Part, Place, Share
from qrkit.exchange.marked_cells import TOTALS, is_total, marked, value_text, without_words
from qrkit.exchange.own_columns import OwnColumns
from qrkit.exchange.table_files import (
    MOST_ROWS,
    Reading,
    Table,
    Writing,
    check_number,
    check_size,
    is_kept,
    missing_column,
    read_sheets,
    table_of_links,
    table_of_records,
)
from qrkit.exchange.workbooks import without_those_of_csv
from qrkit.tracking.own_fields import split_tags
from qrkit.tracking.text_columns import field_text
from qrkit.tracking.times import to_table

MOST_DIGITS = 300
"""The maximum length of a whole number; longer numbers are read as infinity."""
QUOTED = ("text", "word", "mode", "moment", "time")
"""Column kinds that are JSON strings; apart from tags, the cells of all other kinds already contain valid JSON."""
OF_OURS = {"Error Correction", "Scheduled"}
"""Columns of which each object of our exports, DataFrames and HTTP interface has one, and few lists of others do."""
FLAGS = {False: "false", True: "true"}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HALVED = "holds half a character (a lone surrogate)"


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as JSON; empty cells are left out."""
    quote = json.JSONEncoder(ensure_ascii=False).encode
    writers = dict.fromkeys(QUOTED, quote) | {"tags": lambda cell: quote(split_tags(cell))}
    columns = [(quote(key), name, writers.get(KINDS[name], str)) for key, name in ELEMENTS.items()]
    between = b"["
    for row in rows:
        members = [f"{key}: {as_json(cell)}" for key, name, as_json in columns if (cell := row.cells.get(name))]
        file.write(between + b"{" + ", ".join(members).encode() + b"}")
        between = b",\n"
    file.write(b"[]\n" if between == b"[" else b"]\n")


def read(data: bytes, how: Reading) -> Table:
    """Read an array of objects, rows of cells, or the links in an export of another tool."""
    value = _rows_of_frame(_parsed(data))
    found = _records(value, _is_record)
    if not found and (cells := _parts_of_cells(value)):
        return read_sheets(lambda *_: cells)(data, how)
    if not found and value != []:
        raise _without_contents(value)
    first = next(filter(_is_record, found), ())
    if tool := foreign.tool_of(first):
        return table_of_links(tool, how.watch(_links(found, tool), "Reading", len(found)), first)
    own = OwnColumns(ELEMENTS)
    return table_of_records(how.watch(_rows(found, own), "Reading", len(found)), own)


def parts(data: bytes, _place: Place, share: Share | None) -> list[Part]:
    """Return the objects of a file as rows below the names of their fields, or its rows of cells (see `SheetParts`).

    The objects are those at any depth that have what is needed, or else those of the first array.
    """
    value = _parsed(data)
    found = share and _records(value, lambda one: share([*islice(_names(one), MOST_COLUMNS + 1)]) >= 1)
    objects = found or _first_objects(value)
    cells = [] if (found if share else objects) else _parts_of_cells(value)
    return cells or [Part("", rows(objects))]


def rows(found: Sequence[Any]) -> Iterator[list[str]]:
    """Yield the names of the fields of all objects, then the values of each.

    Fields of an object within an object have its name and a dot in front of theirs.
    """
    if not found or not all(isinstance(one, dict) for one in found):
        raise UnreadableFile("the file has no JSON array of objects only")
    flat = [dict(_flat(one)) for one in found]
    names = list(dict.fromkeys(name for one in flat for name in one))
    if len(names) > MOST_COLUMNS:
        raise UnreadableFile(f"the objects have {len(names):,} different fields; at most {MOST_COLUMNS:,} are allowed")
    yield names
    for number, one in enumerate(flat, start=1):
        texts = [one.get(name, "") for name in names]
        if any(map(_SURROGATE.search, texts)):
            raise UnreadableFile(f"object {number} {_HALVED}")
        yield texts


def _first_objects(value: Any) -> list[Any]:
    """Return the first array at any depth that begins with an object."""
    return next((one for one in _nested(value) if isinstance(one, list) and one and isinstance(one[0], dict)), [])


def _parts_of_cells(value: Any) -> list[Part]:
    """Return the arrays of rows at any depth as sheets; headings may be beside one, as pandas writes them."""
    found = list[Part]()
    for one in _nested([value]):
        titles = one.get("columns") if isinstance(one, dict) else None
        heading = [titles] if isinstance(titles, list) and all(isinstance(title, str) for title in titles) else []
        for rows in [one[name] for name in one if not heading or name != "index"] if isinstance(one, dict) else one:
            if isinstance(rows, list) and rows and all(isinstance(row, list) for row in rows):
                every = [*heading, *rows]
                # Numbers alone have no heading: they may be places on a map.
                if any(isinstance(cell, str) for row in every[:MOST_TRIED] for cell in row):
                    found.append(Part(f"rows {len(found) + 1}", without_those_of_csv(map(_cells_of, every))))
    return found


def _cells_of(row: list[Any]) -> Cells:
    cells = [marked(cell, field_text(cell)) for cell in row]
    return UnreadableFile(_HALVED) if any(map(_SURROGATE.search, cells)) else cells


def _without_contents(value: Any) -> UnreadableFile:
    """Return the error of a file in which no object has a content."""
    objects = [one for one in _first_objects(value)[:MOST_TRIED] if isinstance(one, dict)]
    if not objects:
        return UnreadableFile("the file is not a JSON array of QR Codes: it has no array of objects")
    names, *cells = rows(objects)
    return missing_column(Located(tuple(names), 1), cells, "no object of the file has the")


def _records(value: Any, is_record: Callable[[dict[str, Any]], bool]) -> list[Any]:
    """Return the records at any depth of a JSON value, such as those of all pages that an API has answered.

    Pages without records follow, unless their list is empty, so that the import reports them.
    """
    pages = value if isinstance(value, list) and not _holds(value, is_record) else [value]
    if len(pages) > MOST_ROWS:
        check_number(MOST_ROWS, MOST_ROWS + 1)
    found, others = list[Any](), list[Any]()
    for page in pages:
        records = [*_records_in(page, is_record)]
        found += records
        if not records and [] not in _nested(page) and not _is_of_phpmyadmin(page):
            others.append(page)
    return found and [*found, *others]


def _records_in(value: Any, is_record: Callable[[dict[str, Any]], bool]) -> Iterator[Any]:
    waiting = [value]
    for one in waiting:
        if isinstance(one, list) and _holds(one, is_record):
            yield from one
        elif isinstance(one, dict) and is_record(one):
            yield one
        else:
            waiting += _inner(one)


def _holds(many: list[Any], is_record: Callable[[dict[str, Any]], bool]) -> bool:
    return any(isinstance(one, dict) and is_record(one) for one in many[:MOST_TRIED])


def _nested(value: Any) -> Iterator[Any]:
    """Yield a JSON value and all objects and lists in it, the outer ones first."""
    waiting = [value]
    for one in waiting:
        yield one
        waiting += _inner(one)


def _inner(value: Any) -> Iterator[Any]:
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (one for one in values if isinstance(one, (dict, list)))


def _is_of_phpmyadmin(page: Any) -> bool:
    """Return whether this is the header of a database, or another table of it."""
    return isinstance(page, dict) and page.get("type") in ("header", "database", "table")


def _names(one: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of `_flat`, without the texts of the values, which would be made once more at each depth."""
    for name, value in one.items():
        yield from (f"{name}.{inner}" for inner in value) if isinstance(value, dict) else [name]


def _flat(one: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in one.items():
        if isinstance(value, dict) and not prefix:
            yield from _flat(value, f"{name}.")
        elif isinstance(value, (dict, list)):
            yield f"{prefix}{name}", json.dumps(value, ensure_ascii=False) if value else ""
        else:
            yield f"{prefix}{name}", value_text(value)


def _parsed(data: bytes) -> Any:
    """Return the value of a JSON file."""
    check_size(data)
    try:
        text = data.decode(json.detect_encoding(data))
        return _loaded(text)
    except UnicodeDecodeError as error:
        raise UnreadableFile("the file is neither UTF-8 nor UTF-16, as JSON must be") from error
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and error.lineno > 1:
            return _values_by_line(text)
        raise UnreadableFile(f"the file is not JSON: {error}", line=error.lineno) from error
    except ValueError as error:
        raise UnreadableFile(f"the file is not JSON: {error}") from error


def _loaded(text: str, line: int | None = None) -> Any:
    try:
        return json.loads(text, parse_int=_whole, object_pairs_hook=_object)
    except RecursionError as error:
        raise UnreadableFile("the JSON of the file is nested too deeply to be read", line=line) from error


def _values_by_line(text: str) -> list[Any]:
    """Return the values of JSON Lines, one a line. U+2028 and other ends of a line may be in a text."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            found += [_loaded(line, number)] if line.strip() else []
        except ValueError as error:
            rule = f"the file is neither JSON nor JSON Lines: {error.args[0].partition(': line ')[0]}"
            raise UnreadableFile(rule, line=number) from error
    return found


def _is_record(one: Any) -> bool:
    """Return whether this is a record of ours, or a link of a tool. An API may name the records of a page `content`."""
    if not isinstance(one, dict):
        return False
    contents = [value for name, value in one.items() if COLUMN_OF.get(name.lower()) == CONTENT]
    if contents:
        return not (isinstance(contents[0], list) and any(isinstance(inner, dict) for inner in contents[0][:1]))
    return _tool_of(tuple(one)) is not None


_tool_of = lru_cache(maxsize=1_000)(foreign.tool_of)


def _rows_of_frame(found: Any) -> Any:
    """Convert a DataFrame that pandas wrote column by column to a list of rows; return any other value unchanged."""
    titles = (CONTENT, LABELS[CONTENT])
    if not isinstance(found, dict) or not any(isinstance(found.get(title), dict) for title in titles):
        return found
    rows: dict[str, dict[str, Any]] = {}
    for name, cells in found.items():
        for label, value in cells.items() if isinstance(cells, dict) else ():
            rows.setdefault(label, {})[name] = value
    return list(rows.values())


def _links(found: list[Any], tool: foreign.Tool) -> Iterator[tuple[int, Mapping[str, Any], str]]:
    for number, one in enumerate(found, start=1):
        if not isinstance(one, dict):
            yield number, {}, "is no object"
            continue
        other = _tool_of(tuple(one)) or tool
        is_known = other.service in (tool.service, foreign.LINK_LIST.service)
        rule = f"is a link of {other.service}, unlike the first ones; put the links of each service in their own file"
        yield number, one, TWICE if type(one) is _Twice else "" if is_known else rule


TWICE = "a name appears twice in it"


class _Twice(dict[str, Any]):
    """An object that contains a name twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Twice(found)


@lru_cache(maxsize=1_000)  # the numbers of a file are often the same
def _whole(digits: str) -> int | float:
    """Parse a whole number; keep -0, and read overlong numbers as infinity so that only their row is invalid."""
    if len(digits) > MOST_DIGITS:
        return inf
    return -0.0 if digits == "-0" else int(digits)


class _KnownNames(NamedTuple):
    """The names of an object that are columns.

    `writers` write the values that are no texts, by type; `pick` returns the values of an object. With `is_twice`, two
    names are of one column. With `of_links`, the short URL has a name that other tools use, so other names may limit
    links. With `of_csv`, names are those of our csv files, whose texts may have apostrophes in front. `keeps` returns
    whether a word such as NULL stays in a field; it is None for an object of ours, in which all words stay.
    """

    column_of: Mapping[str, str]
    columns: tuple[str, ...]
    content_at: int | None
    writers: tuple[Mapping[type, Callable[[Any], str]], ...]
    pick: Callable[[Mapping[str, Any]], Iterable[Any]]
    is_twice: bool
    of_links: bool
    of_csv: bool
    keeps: Callable[[str], bool] | None


@lru_cache(maxsize=100)  # the objects of a file have one of a few sets of names
def _known(names: tuple[str, ...]) -> _KnownNames:
    column_of = {name: column for name in names if (column := COLUMN_OF.get(name.lower()))}
    short = foreign.short_url_in(names) if SHORT_URL not in column_of.values() else ""
    column_of |= {short: SHORT_URL} if short else {}
    columns, first = tuple(column_of.values()), next(iter(column_of), "")
    pick = itemgetter(*column_of) if len(column_of) > 1 else lambda one: [one[first]] if first else []
    writers = tuple(_writers_of(KINDS[column]) for column in columns)
    is_twice = len(set(columns)) < len(columns)
    content_at = columns.index(CONTENT) if CONTENT in columns else None
    keeps = is_kept if OF_OURS.isdisjoint(columns) else None
    is_ours = has_our_names(names)
    return _KnownNames(column_of, columns, content_at, writers, pick, is_twice, bool(short), is_ours, keeps)


def _rows(found: list[Any], own: OwnColumns) -> Iterator[Row | Packed]:
    for number, one in enumerate(found, start=1):
        if not isinstance(one, dict):
            yield Row(number, {}, "is no object")
            continue
        known = _known(tuple(one))
        one = without_words(one, known.keeps) if known.keeps and type(one) is not _Twice else one
        texts, wrong = _texts(one, known)
        others: dict[str, Any] = {}
        if len(texts) < len(one):
            others = {name: one[name] for name in one if name not in known.column_of and name.lower() not in OVERLOOKED}
        content = "" if known.content_at is None else texts[known.content_at]
        error = TOTALS if is_total(one.values(), content) else wrong
        if not error and not others:
            yield known.columns, number, *texts
            continue
        error = error or (foreign.protection(others, content) if known.of_links else "")
        row = Row(number, dict(zip(known.columns, texts, strict=True)), error)
        yield own.row(row, ((name, field_text(value)) for name, value in others.items()))


def _texts(one: Mapping[str, Any], known: _KnownNames) -> tuple[list[str], str]:
    """Return the texts of an object's columns, and the first of its errors, or "" if it has none."""
    texts = list(known.pick(one))
    wrong: dict[int, str] = {}
    for place, value in enumerate(texts):
        if type(value) is not str:
            try:
                texts[place] = known.writers[place][type(value)](value)
            except ValueError as error:
                texts[place], wrong[place] = "", str(error)
    if known.of_csv:
        texts = [taken_off(text) if text[:1] == "'" else text for text in texts]
    if not (joined := "".join(texts)).isascii() and _SURROGATE.search(joined):
        wrong |= {place: _HALVED for place, text in enumerate(texts) if _SURROGATE.search(text)}
        texts = [_SURROGATE.sub("?", text) for text in texts]
    if known.is_twice or type(one) is _Twice:
        return texts, TWICE
    return texts, next(f"{[*known.column_of][place]}: {rule}" for place, rule in wrong.items()) if wrong else ""


def _writers_of(kind: Kind) -> dict[type, Callable[[Any], str]]:
    """Return what writes values other than text in a column, by type; it raises ValueError for one of another kind."""
    writers: dict[type, Callable[[Any], str]] = {
        bool: FLAGS.__getitem__,
        int: _moment if kind == "moment" else str,
        float: _count if kind in COUNTED else _decimal,
    }
    if kind == "list":
        writers = dict.fromkeys(writers, _refuse_single)
    many = partial(_text_of_many, kind=kind)
    return writers | {type(None): lambda _: "", list: many, dict: many, _Twice: many}


def _refuse_single(_value: float) -> str:
    raise ValueError("must be a list")


def _decimal(number: float) -> str:
    if not isfinite(number):
        raise ValueError(f"must not be {number}")
    return repr(number).removesuffix(".0")  # with the sign of -0


def _count(number: float) -> str:
    return marked(number, _decimal(number))


def _text_of_many(value: list[Any] | dict[str, Any], kind: Kind) -> str:
    is_list = isinstance(value, list)
    if is_list and kind == "tags":
        return ", ".join(str(one) for one in value if one is not None)
    if kind != ("list" if is_list else "fields"):
        raise ValueError(f"must be a text or a number, not {'a list' if is_list else 'an object'}")
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


def _moment(milliseconds: int) -> str:
    """Convert a timestamp in milliseconds since 1970, as written by pandas, to table format; keep impossible ones."""
    try:
        return to_table(EPOCH + timedelta(milliseconds=milliseconds))
    except OverflowError:
        return str(milliseconds)
