"""Export statistics with one record per scan to json, csv, xls, xlsx and xml.

Unknown values are left out: no key in json, an empty cell in csv and workbooks, no element in xml. Texts are untrusted,
so they are escaped and never run as formulas or read as markup; lone surrogates become "?".
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from io import BytesIO, StringIO

from pydantic.alias_generators import to_camel

from qrkit.exchange import EXCHANGE_FORMATS
from qrkit.exchange.xml_text import element
from qrkit.late import on_demand, pd
from qrkit.tracking.times import to_iso, to_table

Cell = str | bool | float


@dataclass(frozen=True, slots=True)
class ScanFormat:
    """A file format of statistics: it writes a DataFrame with the columns of `analytics.scan_records`."""

    name: str
    media_type: str
    write: Callable[[pd.DataFrame], bytes]


def _write_json(frame: pd.DataFrame) -> bytes:
    """Write an array with one object per line; timestamps are in ISO 8601."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    rows = _rows(_with_texts(frame, to_iso), lambda name, cell: f"{encode(name)}: {encode(cell)}")
    objects = ("{" + ", ".join(filter(None, row)) + "}" for row in rows)
    return ("[" + ",\n".join(objects) + "]").encode("utf-8", "replace")


def _write_csv(frame: pd.DataFrame) -> bytes:
    """Write CSV with UTF-8, comma and CRLF, always protected against formulas."""
    from qrkit.exchange.csv_file import made_safe

    file = StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    table = _with_texts(frame, to_table)
    writer.writerow(table.columns)
    rows = _rows(table, lambda _, cell: made_safe(cell) if isinstance(cell, str) else _plain(cell))
    writer.writerows(rows)
    return file.getvalue().encode("utf-8", "replace")


def _workbook(write: Callable[..., None], frame: pd.DataFrame) -> bytes:
    from qrkit.exchange.workbooks import frame_values

    table = _with_texts(frame, to_table)
    file = BytesIO()
    write(file, list(table.columns), frame_values(table), sheet="Scans")
    return file.getvalue()


def _write_xml(frame: pd.DataFrame) -> bytes:
    """Write a root `statistics` with one `scan` per record, which has one element per column."""
    rows = _rows(_with_texts(frame, to_table), _element)
    scans = "".join(f"<scan>{''.join(row)}</scan>\n" for row in rows)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<statistics>\n{scans}</statistics>\n'.encode()


SCAN_FORMATS = {
    name: ScanFormat(name, EXCHANGE_FORMATS[name].media_type, write)
    for name, write in (
        ("json", _write_json),
        ("csv", _write_csv),
        ("xls", partial(_workbook, on_demand("exchange.xls_file:write_sheet"))),
        ("xlsx", partial(_workbook, on_demand("exchange.xlsx_file:write_sheet"))),
        ("xml", _write_xml),
    )
}


def _with_texts(frame: pd.DataFrame, text_of: Callable[[datetime], str]) -> pd.DataFrame:
    """Return the DataFrame with camelCase column names and timestamps as text."""
    moments = pd.DatetimeIndex(frame["created"]).to_pydatetime()
    created = pd.Series([text_of(one) for one in moments], index=frame.index, dtype="str")
    return frame.assign(created=created).rename(columns=to_camel)


def _rows(frame: pd.DataFrame, write: Callable[[str, Cell], str]) -> Iterator[tuple[str, ...]]:
    """Yield the rows as text, with "" for unknown values."""
    return zip(*(_column(frame[name], write) for name in frame.columns), strict=True)


def _column(column: pd.Series, write: Callable[[str, Cell], str]) -> list[str]:
    """Convert the cells of a column to text; each distinct value is converted only once."""
    name = str(column.name)
    known = column.notna() & ~column.isin([math.inf, -math.inf])
    written = {cell: write(name, cell) for cell in set(column[known].tolist())}
    return [written[cell] if is_known else "" for cell, is_known in zip(column.tolist(), known, strict=True)]


def _element(name: str, cell: Cell) -> str:
    return element(name, cell if isinstance(cell, str) else _plain(cell))


def _plain(cell: Cell) -> str:
    return str(cell).lower() if isinstance(cell, bool) else repr(cell)
