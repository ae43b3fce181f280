"""CSV: UTF-8, comma, RFC 4180, CRLF; text cells that a spreadsheet would run as formulas get an apostrophe (ruling X7).

Python's own csv module reads and writes it: it gives every row its own verdict and guesses nothing about the cells.
"""

from __future__ import annotations

import codecs
import csv
import re
from contextlib import suppress
from io import StringIO, TextIOWrapper
from typing import TYPE_CHECKING, Any, BinaryIO

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import NAMES, TEXT_COLUMNS
from qrkit.exchange.formulas import made_safe, taken_off
from qrkit.exchange.tables import MOST_BYTES, check_size, table_of_rows
from qrkit.late import UNSEEN, Watch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

__all__ = ["read", "rows", "write"]


_SEPARATOR = re.compile(r"sep=([,;\t])[\r\n]")
"""How a file tells Excel its separator; no other program knows of it."""


def write(tables: Iterable[pd.DataFrame], file: BinaryIO, *, safe: bool = True) -> None:
    """Write a table of text as CSV.

    Args:
        tables: Its parts: DataFrames of str with the columns of `exchange.columns`; those of the interface are written.
        file: Where to.
        safe: Whether text cells that look like formulas get an apostrophe in front, which `read` takes off again.
    """
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(NAMES)
    for table in tables:
        columns = [
            [made_safe(cell) for cell in table[name]] if safe and name in TEXT_COLUMNS else table[name].tolist()
            for name in NAMES
        ]
        writer.writerows(zip(*columns, strict=True))
    text.detach()


def read(data: bytes, watch: Watch = UNSEEN) -> pd.DataFrame:
    """Read a CSV file: comma, semicolon or tab, any line ends, UTF-8 or UTF-16 with a byte order mark.

    Returns:
        The table, as `exchange.tables.table_of_rows` makes it.

    Raises:
        UnreadableFile: The file is too large, not in these encodings, without a heading or without a required column.
    """
    import pandas as pd

    table = table_of_rows(watch(rows(data), "Reading", None))
    for name in TEXT_COLUMNS:
        cells = table[name].to_numpy().tolist()
        if any(cell[:1] == "'" for cell in cells):
            table[name] = pd.Series([taken_off(cell) for cell in cells], index=table.index, dtype="str")
    return table


def _text(data: bytes) -> str:
    check_size(data)
    utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if utf_16 else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", data[: error.start])) + 1
        wanted = "UTF-16, as its beginning says" if utf_16 else "UTF-8: in a spreadsheet, save the file as 'CSV UTF-8'"
        raise UnreadableFile(f"line {line} is not {wanted}", line=line) from error


def rows(data: bytes) -> Iterator[list[str]]:
    """The rows of a CSV file, its heading among them, as texts just as they stand there.

    Raises:
        UnreadableFile: The file is too large, not in these encodings, or no CSV.
    """
    text = _text(data)
    # A cell may be as long as the file; csv's own limit would cost all other rows. It can be set for all alone.
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))
    found = _reader(text)
    try:
        if _SEPARATOR.match(text):
            next(found)
            yield []
        yield from found
    except csv.Error as error:
        line = _last_beginning(text)
        hint = "is its last double quote missing?"
        raise UnreadableFile(f"the row that begins in line {line} is not CSV: {error}; {hint}", line=line) from error


def _reader(text: str) -> Any:
    return csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)


def _last_beginning(text: str) -> int:
    """The line in which the row begins that cannot be read."""
    reader, line = _reader(text), 1
    with suppress(csv.Error):
        for _ in reader:
            line = reader.line_num + 1
    return line


def _delimiter(text: str) -> str:
    """What the first line says as `sep=;`; else comma, or what the heading has more of: many countries' semicolons."""
    heading = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    if said := _SEPARATOR.match(text):
        return said[1]
    return max(",;\t", key=heading.count)
