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
from qrkit.exchange.tables import MOST_BYTES, check_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from qrkit.exchange.columns import Row
    from qrkit.exchange.tables import Writing

__all__ = ["rows", "write"]


_SEPARATOR = re.compile(r"sep=([,;\t])[\r\n]")
"""How a file tells Excel its separator; no other program knows of it."""


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as CSV, in the columns of the interface.

    Args:
        rows: The rows.
        file: Where to.
        how: Whether texts that look like formulas get an apostrophe in front, which `rows` takes off again.
    """
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(NAMES)
    columns = [(name, how.safe and name in TEXT_COLUMNS) for name in NAMES]
    for row in rows:
        cells = row.cells
        writer.writerow([made_safe(cells.get(name, "")) if safe else cells.get(name, "") for name, safe in columns])
    text.detach()


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


def rows(data: bytes, unread: list[str]) -> Iterator[list[str]]:
    """The rows of a CSV file (`exchange.tables.SheetRows`): comma, semicolon or tab, any line ends.

    Args:
        data: The file, in UTF-8, or in UTF-16 with a byte order mark.
        unread: Stays as it is: a CSV file has no sheets.

    Raises:
        UnreadableFile: If the file is too large, in another encoding, or not CSV.
    """
    for cells in _rows(_text(data)):
        yield [taken_off(cell) if cell[:1] == "'" else cell for cell in cells]


def _rows(text: str) -> Iterator[list[str]]:
    """The rows as they stand there."""
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
