"""JSON: an array of objects, one per QR Code, with the XML field names and JSON types.

JSON that pandas writes from our DataFrames is also accepted: `to_json()` and `to_json(orient="records")`. Its names are
those of our DataFrame columns, and timestamps may be in milliseconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import inf, isfinite
from types import NoneType
from typing import Any, BinaryIO

from qrkit.errors import UnreadableFile
from qrkit.exchange import foreign
from qrkit.exchange.columns import COLUMN_OF, ELEMENTS, KINDS, LABELS, OVERLOOKED, REQUIRED, Kind, Row
from qrkit.exchange.tables import (
    MOST_UNKNOWN,
    Reading,
    Table,
    Writing,
    cell_text,
    check_size,
    table_of_links,
    table_of_records,
)
from qrkit.tracking.times import to_table

__all__ = ["read", "write"]

MOST_DIGITS = 300
"""The maximum length of a whole number; longer numbers are read as infinity."""
NAMED = COLUMN_OF | {key.lower(): name for key, name in ELEMENTS.items()}
"""Lowercase name accepted in objects -> column name."""
QUOTED = ("text", "word", "mode", "moment")
"""Column kinds that are JSON strings; the cells of all other kinds already contain valid JSON."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SURROGATE = re.compile("[\ud800-\udfff]")


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as JSON; empty cells are left out.

    Args:
        rows: The rows to write.
        file: The file to write to.
        how: Not used: JSON has no options.
    """
    quote = json.JSONEncoder(ensure_ascii=False).encode
    written = [(quote(key), name, KINDS[name] in QUOTED) for key, name in ELEMENTS.items()]
    between = b"["
    for row in rows:
        members = [
            f"{key}: {quote(cell) if quoted else cell}"
            for key, name, quoted in written
            if (cell := row.cells.get(name))
        ]
        file.write(between + b"{" + ", ".join(members).encode() + b"}")
        between = b",\n"
    file.write(b"[]\n" if between == b"[" else b"]\n")


def read(data: bytes, how: Reading) -> Table:
    """Read an array of objects; rows are numbered by their position in the array, starting at 1.

    Exports of other tools (`exchange.foreign`) are also read, including the objects that wrap the links.

    Raises:
        UnreadableFile: If the file is too large, or is not a JSON array.
    """
    check_size(data)
    try:
        found = json.loads(data.decode("utf-8-sig"), parse_int=_whole, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise UnreadableFile("the file is not UTF-8, as JSON must be") from error
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise UnreadableFile(f"the file is not JSON: {error}", line=line) from error
    except RecursionError as error:
        raise UnreadableFile("the JSON of the file is nested too deeply to be read") from error
    found = _rows_of_frame(foreign.unwrapped(found))
    if not isinstance(found, list):
        raise UnreadableFile("the file is not a JSON array of QR Codes")
    tool = foreign.tool_of(found[0]) if found and isinstance(found[0], dict) else None
    if tool:
        return table_of_links(tool, how.watch(_links(found), "Reading", len(found)), found[0])
    unknown: dict[str, None] = {}
    rows = how.watch(_rows(found, unknown, has_escapes=b"\\u" in data), "Reading", len(found))
    # `unknown` is filled while the rows are read.
    return table_of_records(rows, unknown=unknown, known=ELEMENTS)


def _rows_of_frame(found: Any) -> Any:
    """Convert a DataFrame that pandas wrote column by column to a list of rows; return any other value unchanged."""
    required = [title for name in REQUIRED for title in (name, LABELS[name])]
    if not isinstance(found, dict) or not any(isinstance(found.get(title), dict) for title in required):
        return found
    rows: dict[str, dict[str, Any]] = {}
    for name, cells in found.items():
        for label, value in cells.items() if isinstance(cells, dict) else ():
            rows.setdefault(label, {})[name] = value
    return list(rows.values())


def _links(found: list[Any]) -> Iterator[tuple[int, Mapping[str, Any], str]]:
    for number, one in enumerate(found, start=1):
        yield (number, one, "") if isinstance(one, dict) else (number, {}, "is no object")


class _Twice(dict[str, Any]):
    """An object that contains a name twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Twice(found)


def _whole(digits: str) -> int | float:
    """Parse a whole number; keep -0, and read overlong numbers as infinity so that only their row is invalid."""
    if len(digits) > MOST_DIGITS:
        return inf
    return -0.0 if digits == "-0" else int(digits)


def _rows(found: list[Any], unknown: dict[str, None], *, has_escapes: bool) -> Iterator[Row]:
    for number, one in enumerate(found, start=1):
        if not isinstance(one, dict):
            yield Row(number, {}, "is no object")
            continue
        # Most objects have our names only, which takes no time to see.
        if not one.keys() <= ELEMENTS.keys() and len(unknown) < MOST_UNKNOWN:
            unknown.update(dict.fromkeys(name for name in islice(one, MOST_UNKNOWN) if not _is_known(name)))
        yield _row(number, one, has_escapes=has_escapes)


def _is_known(name: str) -> bool:
    return name.lower() in NAMED or name.lower() in OVERLOOKED


def _row(number: int, one: Mapping[str, Any], *, has_escapes: bool) -> Row:
    """Convert an object to a row; the row is invalid if the object contains a column twice."""
    cells: dict[str, str] = {}
    error = ""
    is_twice = isinstance(one, _Twice)
    for name, value in one.items():
        column = ELEMENTS.get(name) or NAMED.get(name.lower())
        if column is None:
            continue
        if type(value) is str and not has_escapes and column not in cells:
            cells[column] = value  # nearly all values of nearly all files
            continue
        is_twice = is_twice or column in cells
        if KINDS[column] == "moment":
            value = _moment(value)
        text, wrong = _plain(value, has_escapes=has_escapes), ""
        if not text:
            text, wrong = _text(column, value)
        cells[column] = text
        error = f"{name}: {wrong}" if wrong else error
    return Row(number, cells, "a name stands twice in it" if is_twice else error)


def _moment(value: Any) -> Any:
    """Convert a timestamp in milliseconds since 1970, as written by pandas, to table format; keep other values."""
    if type(value) is int:
        with suppress(OverflowError):
            return to_table(EPOCH + timedelta(milliseconds=value))
    return value


def _plain(value: Any, *, has_escapes: bool) -> str:
    """Return the text of a string or a whole number, the most common values; "" for values that `_text` must convert.

    Only JSON escapes can contain lone surrogates, so strings are checked only if the file has such escapes.
    """
    if type(value) is str:
        return "" if has_escapes else value
    return str(value) if type(value) is int else ""


def _text(column: str, value: Any) -> tuple[str, str]:
    """Convert a value to the text of a table cell; also return an error message, or "" if the value is valid."""
    kind = KINDS[column]
    wrong, text = _unfit(kind, value), ""
    if isinstance(value, str):
        text = value
    elif value is not None and not wrong:
        try:
            # Format degrees as in tables, keeping the sign of -0, and a schedule as JSON.
            if kind == "list":
                written = json.dumps(value, ensure_ascii=False)
            else:
                written = repr(value) if kind == "degrees" and isinstance(value, float) else cell_text(value)
            text = written.removesuffix(".0")
        except RecursionError:
            wrong = "is nested too deeply"
    if _SURROGATE.search(text):
        wrong, text = "holds half a character (a lone surrogate)", _SURROGATE.sub("?", text)
    return text, wrong


def _unfit(kind: Kind, value: Any) -> str:
    """Return why a column of this kind cannot contain the value; "" if it can."""
    if isinstance(value, dict) or (isinstance(value, list) and kind != "list"):
        return f"must be a text or a number, not {'an object' if isinstance(value, dict) else 'a list'}"
    if kind == "list" and not isinstance(value, list | str | NoneType):
        return "must be a list"
    if isinstance(value, float) and not isfinite(value):
        return f"must not be {value}"
    return ""
