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
from typing import TYPE_CHECKING, Any, BinaryIO

from qrkit.errors import UnreadableFile
from qrkit.exchange import foreign
from qrkit.exchange.columns import ALL_NAMES, ELEMENTS, KINDS, OVERLOOKED, REQUIRED, Kind
from qrkit.exchange.tables import ERROR, KNOWN, cell_text, check_size, table_of_links, table_of_records
from qrkit.late import UNSEEN, Watch
from qrkit.tracking.times import to_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read", "write"]

MOST_DIGITS = 300
"""Of a whole number; a longer one is infinite."""
MOST_UNKNOWN = 100
"""Names of an object that are told of when nobody knows them."""
COLUMN_OF = {name.lower(): name for name in ALL_NAMES} | {key.lower(): name for key, name in ELEMENTS.items()}
"""Column by the names that an object may give it, in any case."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SURROGATE = re.compile("[\ud800-\udfff]")


def write(tables: Iterable[pd.DataFrame], file: BinaryIO) -> None:
    """Write a table of text, in parts, as JSON; what is empty is left out."""
    between = b"["
    for table in tables:
        columns = [_column(element, name, table[name].tolist()) for element, name in ELEMENTS.items()]
        objects = ["{" + ", ".join(filter(None, cells)) + "}" for cells in zip(*columns, strict=True)]
        if objects:
            file.write(between + ",\n".join(objects).encode())
            between = b",\n"
    file.write(b"[]\n" if between == b"[" else b"]\n")


def _column(element: str, name: str, cells: list[str]) -> list[str]:
    """The members of one column, "" where there is none."""
    kind, key = KINDS[name], json.dumps(element)
    if kind in ("text", "word", "moment"):
        return [f"{key}: {json.dumps(cell, ensure_ascii=False)}" if cell else "" for cell in cells]
    # Numbers, yes and no, and lists are written in a table as JSON writes them.
    return [f"{key}: {cell}" if cell else "" for cell in cells]


def read(data: bytes, watch: Watch = UNSEEN) -> pd.DataFrame:
    """Read an array of objects; each has the number of its place, counted from 1, as its row.

    What another tool wrote (`exchange.foreign`) is read in its envelope, too.

    Returns:
        The table, as `exchange.tables.table_of_records` makes it.

    Raises:
        UnreadableFile: The file is too large, or is no JSON array.
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
        return table_of_links(tool, watch(_links(found), "Reading", len(found)))
    unknown: dict[str, None] = {}
    records = _records(found, unknown, has_escapes=b"\\u" in data)
    # The names that are not known are found while it is read.
    table = table_of_records(watch(records, "Reading", len(found)), unknown=unknown)  # type: ignore[arg-type]
    table.attrs[KNOWN] = list(ELEMENTS)
    return table


def _rows_of_frame(found: Any) -> Any:
    """The rows of a DataFrame that was written column by column; any other value as it is."""
    if not isinstance(found, dict) or not any(isinstance(found.get(name), dict) for name in REQUIRED):
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


def _records(
    found: list[Any], unknown: dict[str, None], *, has_escapes: bool
) -> Iterator[tuple[int, Mapping[str, str]]]:
    for number, one in enumerate(found, start=1):
        if not isinstance(one, dict):
            yield number, {ERROR: "is no object"}
            continue
        if len(unknown) < MOST_UNKNOWN:
            unknown.update(dict.fromkeys(name for name in islice(one, MOST_UNKNOWN) if not _is_known(name)))
        yield number, _cells(one, has_escapes=has_escapes)


def _is_known(name: str) -> bool:
    return name.lower() in COLUMN_OF or name.lower() in OVERLOOKED


def _cells(one: Mapping[str, Any], *, has_escapes: bool) -> dict[str, str]:
    """The cells of an object; one that names a column twice is unusable."""
    cells: dict[str, str] = {}
    is_twice = isinstance(one, _Twice)
    for name, value in one.items():
        column = ELEMENTS.get(name) or COLUMN_OF.get(name.lower())
        if column is None:
            continue
        is_twice = is_twice or column in cells
        if name not in ELEMENTS and KINDS[column] == "moment":
            value = _moment(value)
        cells[column] = _plain(value, has_escapes=has_escapes) or _text(name, column, value, cells)
    return cells | {ERROR: "a name stands twice in it"} if is_twice else cells


def _moment(value: Any) -> Any:
    """A moment as tables have it; under the name of a column, pandas writes milliseconds since 1970."""
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


def _text(name: str, column: str, value: Any, cells: dict[str, str]) -> str:
    """A value as a table writes it; what no cell can hold makes its row unusable."""
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
    if wrong:
        cells[ERROR] = f"{name}: {wrong}"
    return text


def _unfit(kind: Kind, value: Any) -> str:
    """Why a column of this kind cannot have this value."""
    if isinstance(value, dict) or (isinstance(value, list) and kind != "list"):
        return f"must be a text or a number, not {'an object' if isinstance(value, dict) else 'a list'}"
    if kind == "list" and not isinstance(value, list | str | NoneType):
        return "must be a list"
    if isinstance(value, float) and not isfinite(value):
        return f"must not be {value}"
    return ""
