"""JSON (ruling X1): an array of objects, one a QR Code, with the names of the XML form and the kinds of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import ELEMENTS, KINDS
from qrkit.exchange.tables import ERROR, check_size, table_of_records

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read", "write"]


def write(table: pd.DataFrame) -> bytes:
    """Write a table of text as JSON; what is empty is left out."""
    columns = [_column(element, name, table[name].tolist()) for element, name in ELEMENTS.items()]
    objects = ("{" + ", ".join(filter(None, cells)) + "}" for cells in zip(*columns, strict=True))
    return ("[" + ",\n".join(objects) + "]\n").encode()


def _column(element: str, name: str, cells: list[str]) -> list[str]:
    """The members of one column, "" where there is none."""
    kind, key = KINDS[name], json.dumps(element)
    if kind in ("text", "moment"):
        return [f"{key}: {json.dumps(cell, ensure_ascii=False)}" if cell else "" for cell in cells]
    # Numbers, yes and no, and lists are written in a table as JSON writes them.
    return [f"{key}: {cell}" if cell else "" for cell in cells]


def read(data: bytes) -> pd.DataFrame:
    """Read an array of objects; each has the number of its place, counted from 1, as its row.

    Returns:
        The table, as `exchange.tables.table_of_records` makes it.

    Raises:
        UnreadableFile: The file is too large, or is no JSON array.
    """
    check_size(data)
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableFile("the file is not UTF-8, as JSON must be") from error
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise UnreadableFile(f"the file is not JSON: {error}", line=line) from error
    except RecursionError as error:
        raise UnreadableFile("the file is not JSON that can be read: it is nested too deeply") from error
    if not isinstance(found, list):
        raise UnreadableFile("the file is no JSON array of QR Codes")
    unknown: dict[str, None] = {}
    return table_of_records(_records(found, unknown), unknown=unknown)  # type: ignore[arg-type]


def _records(found: list[Any], unknown: dict[str, None]) -> Iterator[tuple[int, Mapping[str, str]]]:
    for number, one in enumerate(found, start=1):
        if not isinstance(one, dict):
            yield number, {ERROR: "is no object"}
            continue
        unknown.update(dict.fromkeys(name for name in one if name not in ELEMENTS))
        cells = {ELEMENTS[name]: _text(value) for name, value in one.items() if name in ELEMENTS}
        yield number, cells


def _text(value: Any) -> str:
    """A value as a table writes it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
