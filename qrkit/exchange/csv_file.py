"""CSV: UTF-8, comma, RFC 4180, CRLF; text cells that a spreadsheet would run as formulas get an apostrophe.

Files are read and written with Python's csv module, so that each row can have its own error and no types are guessed.
"""

from __future__ import annotations

import codecs
import csv
import re
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING, Any, BinaryIO

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import NAMES, TEXT_COLUMNS
from qrkit.exchange.formulas import made_safe, taken_off
from qrkit.exchange.table_files import MOST_BYTES, check_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from qrkit.exchange.columns import Row
    from qrkit.exchange.table_files import Writing

__all__ = ["rows", "write"]


_SEPARATOR = re.compile(r"sep=([,;\t])[\r\n]")
"""The line that tells Excel which separator a CSV file uses; other programs do not support this line."""


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as CSV with the columns of the interface.

    Args:
        how: The options: `safe` puts an apostrophe in front of texts that look like formulas; `rows` removes it.
    """
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(NAMES)
    unsafe = [place for place, name in enumerate(NAMES) if how.safe and name in TEXT_COLUMNS]
    for row in rows:
        cells = list(map(row.cells.get, NAMES))  # the writer leaves cells without a text empty
        for place in unsafe:
            # No formula begins with a letter or a digit, as nearly all texts do.
            if (cell := cells[place]) and not cell[0].isalnum():
                cells[place] = made_safe(cell)
        writer.writerow(cells)
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
    """Yield the rows of a CSV file with any line ends, separated by comma, semicolon or tab (see `SheetRows`).

    Args:
        data: The bytes of the file, in UTF-8, or in UTF-16 with a byte order mark.
        unread: Not used: a CSV file has no sheets.
    """
    text = _text(data)
    if "'" not in text:
        yield from _rows(text)
        return
    for cells in _rows(text):
        yield [taken_off(cell) if cell[:1] == "'" else cell for cell in cells]


def _rows(text: str) -> Iterator[list[str]]:
    """Yield the rows with apostrophes unchanged."""
    # csv's default limit for cells would reject the whole file because of one long cell. The limit is global.
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
    # Not from StringIO, which needs half as long again to split text into lines.
    lines = TextIOWrapper(BytesIO(text.encode()), encoding="utf-8", newline="")
    return csv.reader(lines, delimiter=_delimiter(text), strict=True)


def _last_beginning(text: str) -> int:
    """Return the first line of the row that cannot be read."""
    reader, line = _reader(text), 1
    with suppress(csv.Error):
        for _ in reader:
            line = reader.line_num + 1
    return line


def _delimiter(text: str) -> str:
    """Return the separator from a line like `sep=;`, or else the heading's most frequent of `,`, `;` and tab."""
    heading = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    if said := _SEPARATOR.match(text):
        return said[1]
    return max(",;\t", key=heading.count)
