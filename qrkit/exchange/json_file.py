"""JSON (ruling X1): an array of objects, one a QR Code, with the names of the XML form and the kinds of JSON.

The JSON that pandas writes of our DataFrames is read, too: `to_json()` and `to_json(orient="records")`. Its names are
those of our columns, and its moments may be milliseconds.
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
from qrkit.exchange.tables import Reading, Table, Writing, cell_text, check_size, table_of_links, table_of_records
from qrkit.tracking.times import to_table

__all__ = ["read", "write"]

MOST_DIGITS = 300
"""Of a whole number; a longer one is infinite."""
MOST_UNKNOWN = 100
"""Names of an object that are told of when nobody knows them."""
NAMED = COLUMN_OF | {key.lower(): name for key, name in ELEMENTS.items()}
"""Column by the names that an object may give it, in lower case."""
QUOTED = ("text", "word", "mode", "moment")
"""Kinds whose cells are texts of JSON; numbers, yes and no, and lists are written in a row as JSON writes them."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SURROGATE = re.compile("[\ud800-\udfff]")


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as JSON; what is empty is left out.

    Args:
        rows: The rows.
        file: Where to.
        how: JSON is always written the same way.
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
    """Read an array of objects; each has the number of its place, counted from 1, as its row.

    What another tool wrote (`exchange.foreign`) is read in its envelope, too.

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
        raise UnreadableFile("the file is not JSON that can be read: it is nested too deeply") from error
    found = _rows_of_frame(foreign.unwrapped(found))
    if not isinstance(found, list):
        raise UnreadableFile("the file is no JSON array of QR Codes")
    tool = foreign.tool_of(found[0]) if found and isinstance(found[0], dict) else None
    if tool:
        return table_of_links(tool, how.watch(_links(found), "Reading", len(found)))
    unknown: dict[str, None] = {}
    rows = how.watch(_rows(found, unknown, has_escapes=b"\\u" in data), "Reading", len(found))
    # The names that are not known are found while it is read.
    return table_of_records(rows, unknown=unknown, known=ELEMENTS)


def _rows_of_frame(found: Any) -> Any:
    """The rows of a DataFrame that was written column by column; any other value as it is."""
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
    """An object that has a name twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Twice(found)


def _whole(digits: str) -> int | float:
    """A whole number; -0 stays what it is, and one that no column could hold does not cost the whole file."""
    if len(digits) > MOST_DIGITS:
        return inf
    return -0.0 if digits == "-0" else int(digits)


def _rows(found: list[Any], unknown: dict[str, None], *, has_escapes: bool) -> Iterator[Row]:
    for number, one in enumerate(found, start=1):
        if not isinstance(one, dict):
            yield Row(number, {}, "is no object")
            continue
        if len(unknown) < MOST_UNKNOWN:
            unknown.update(dict.fromkeys(name for name in islice(one, MOST_UNKNOWN) if not _is_known(name)))
        yield _row(number, one, has_escapes=has_escapes)


def _is_known(name: str) -> bool:
    return name.lower() in NAMED or name.lower() in OVERLOOKED


def _row(number: int, one: Mapping[str, Any], *, has_escapes: bool) -> Row:
    """The row of an object; one that names a column twice is unusable."""
    cells: dict[str, str] = {}
    error = ""
    is_twice = isinstance(one, _Twice)
    for name, value in one.items():
        column = ELEMENTS.get(name) or NAMED.get(name.lower())
        if column is None:
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
    """A moment as tables have it; pandas writes milliseconds since 1970."""
    if type(value) is int:
        with suppress(OverflowError):
            return to_table(EPOCH + timedelta(milliseconds=value))
    return value


def _plain(value: Any, *, has_escapes: bool) -> str:
    """The text of what most cells are, a text or a whole number, which any column takes; "" for everything else.

    Only escapes can hold halves of characters; of a file with some, each text is looked at.
    """
    if type(value) is str:
        return "" if has_escapes else value
    return str(value) if type(value) is int else ""


def _text(column: str, value: Any) -> tuple[str, str]:
    """A value as a table writes it, and why no cell can hold it."""
    kind = KINDS[column]
    wrong, text = _unfit(kind, value), ""
    if isinstance(value, str):
        text = value
    elif value is not None and not wrong:
        try:
            # Degrees as tables have them, with the sign of -0; a schedule as it stands.
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
    """Why a column of this kind cannot have this value."""
    if isinstance(value, dict) or (isinstance(value, list) and kind != "list"):
        return f"must be a text or a number, not {'an object' if isinstance(value, dict) else 'a list'}"
    if kind == "list" and not isinstance(value, list | str | NoneType):
        return "must be a list"
    if isinstance(value, float) and not isfinite(value):
        return f"must not be {value}"
    return ""
