"""CSV: UTF-8, comma, RFC 4180, CRLF; text cells that a spreadsheet would run as formulas get an apostrophe.

Files are read and written with Python's csv module, so that each row can have its own error and no types are guessed.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO, StringIO, TextIOWrapper
from itertools import islice
from typing import BinaryIO

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import NAMES, TEXT_COLUMNS, Row
from qrkit.exchange.encodings import decoded, undecoded
from qrkit.exchange.locating import ADDRESS, MOST_TRIED, Cells, Part, Place, Share
from qrkit.exchange.marked_cells import formula_text
from qrkit.exchange.table_files import MOST_BYTES, Writing

# Characters that start a formula in spreadsheets, including full-width forms, even after white space.
_FORMULA = re.compile(r"'*\s*[=+\-@|%\t\r\n＝＋－＠]|'+[0-9]")  # noqa: RUF001 - the full-width forms are intentional

_KEPT_AS_TEXT = re.compile(r'="([^"]*)"')
"""A formula that some programs write for a text, so that a spreadsheet keeps its leading zeros: ="0012"."""
_CALL = re.compile(r"=(?:\"|\s?[A-Za-z][A-Za-z0-9.]*\()")
"""Matches a text that is marked by a formula, and functions of formulas; most files have none of these."""
_OURS = frozenset(NAMES)
_SEPARATOR = re.compile(r"sep=([,;\t|])[\r\n]")
"""The line that tells Excel which separator a CSV file uses; other programs do not support this line."""
_RULE = re.compile(r"^(?=[+:| ]{0,3}[-=])[-+=:| \t]{3,}+\r?$", re.MULTILINE)
"""A line under the heading of a table in Markdown, or between the rows that a database prints."""
_BOX = re.compile(r"\s*[┌╭]")
_BOX_RULE = re.compile(r"^[┌╭├└╰][─┬┼┴┤┐┘╮╯]+(?=\r?$)", re.MULTILINE)
"""A line above, between or below the rows of a table that SQLite prints."""
_CUT_OFF = re.compile(r"^(?=│.*\n├).*│ *varchar *│|^├.*\n(?>│.*\n){2,}+├", re.MULTILINE)
"""Matches the types below a heading of DuckDB, which cuts off texts, and rows that SQLite wraps."""
_WRAPPED = "long texts in the table may be cut off or wrapped, as databases print them; write it as csv"
_GOES_ON = re.compile(r".*[+↵…]|\s*\S.{58}\S\s*")
"""Matches a cell that may go on in the next row: psql marks it, and SQLite wraps it, mostly after 60 characters."""
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_ROW_COUNT = re.compile(r"\(?[0-9]+ rows?\b.*")
_NULL = re.compile(r"(?<![^,;\t|\n])\\N(?![^,;\t|\r\n])")
"""Matches an empty cell where a backslash escapes quotation marks."""
MOST_BROKEN = 100
"""The maximum number of rows that are not CSV: behind each, the rest of the file may have to be read once more."""
MOST_SNIFFED = 100_000
"""The number of characters that decide on the separator."""


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as CSV; with `how.safe`, texts that look like formulas get an apostrophe, which reading removes."""
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(how.columns)
    unsafe = [place for place, name in enumerate(how.columns) if how.safe and name in TEXT_COLUMNS]
    for row in rows:
        cells = list(map(row.cells.get, how.columns))  # the writer leaves cells without a text empty
        for place in unsafe:
            # No formula begins with a letter or a digit, as nearly all texts do.
            if (cell := cells[place]) and not cell[0].isalnum():
                cells[place] = made_safe(cell)
        writer.writerow(cells)
    text.detach()


def made_safe(cell: str) -> str:
    """Return the text of a CSV cell, with a leading apostrophe if a spreadsheet would run the text as a formula."""
    return "'" + cell if _FORMULA.match(cell) else cell


def taken_off(cell: str) -> str:
    """Undo `made_safe`: remove a leading apostrophe only if `made_safe` would have added it."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def has_our_names(heading: Iterable[str]) -> bool:
    """Return whether a table has all columns of our csv files, so that apostrophes in it may be those of an export."""
    return _OURS.issubset(heading)


def parts(data: bytes, place: Place, share: Share | None) -> list[Part]:
    """Return the rows of a CSV file with any line ends, separated by comma, semicolon, tab or | (see `SheetParts`).

    A stray quote damages only its own row. The share of what is needed in a row decides on the separator.
    """
    text, note = decoded(data, place.encoding)
    if _BOX.match(text):
        if _CUT_OFF.search(text):
            raise UnreadableFile(_WRAPPED)
        text = _BOX_RULE.sub("+---", text.replace("|", "\\|")).replace("│", "|")
    delimiter = _delimiter(text, share)
    escape = "\\" if _has_escapes(text, delimiter) else None
    rows = _rows(_NULL.sub("", text) if escape else text, delimiter, escape)
    if delimiter == "|" and _RULE.search(text, 0, MOST_SNIFFED):
        rows = _of_printed(rows)
    is_broken = undecoded(text)
    is_text = not is_broken and "'" not in text and not _CALL.search(text)
    return [Part("", rows if is_text else _checked(rows, is_broken=is_broken), note=note, is_text=is_text)]


def _checked(rows: Iterable[Cells], *, is_broken: bool) -> Iterator[Cells]:
    """Yield the rows without marks such as apostrophes before text; bytes outside the encoding make a row an error."""
    bare = _bare
    for number, cells in enumerate(rows, start=1):
        if isinstance(cells, UnreadableFile):
            yield cells
        elif is_broken and undecoded("".join(cells)):
            broken = "".join(cells).encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:60]
            yield UnreadableFile(f"{broken!r} has bytes that are not of the encoding of the file", line=number)
        else:
            if number == 1 and has_our_names(cells):  # we keep no zeros with formulas, so a formula is what it says
                bare = taken_off
            yield [bare(cell) if cell[:1] in ("'", "=") else cell for cell in cells]


def _of_printed(rows: Iterable[Cells]) -> Iterator[Cells]:
    """Yield the rows of a table in Markdown or of a database without the spaces around cells; other lines are blank."""
    before: list[str] = []
    for row in rows:
        padded = [] if isinstance(row, UnreadableFile) else _padded_cells(row)
        cells = [cell.strip().replace("\\|", "|") for cell in padded]
        pairs = [*zip(before, cells, strict=False)]
        filled = [(above, cell) for above, cell in pairs if cell]
        goes_on = filled and all(_GOES_ON.fullmatch(above) and not ADDRESS.match(cell) for above, cell in filled)
        if goes_on and any(above.strip() and not cell for above, cell in pairs):  # the texts that do not go on
            raise UnreadableFile(_WRAPPED)
        yield row if isinstance(row, UnreadableFile) else cells
        before = padded


def _padded_cells(cells: list[str]) -> list[str]:
    line = "|".join(cells)
    if _RULE.fullmatch(line) or (len(cells) == 1 and _ROW_COUNT.fullmatch(line)):
        return []
    return _BETWEEN_CELLS.split(line) if "\\|" in line else cells


def _bare(cell: str) -> str:
    kept = _KEPT_AS_TEXT.fullmatch(cell)
    return kept[1] if kept else formula_text(cell) if cell[0] == "=" else taken_off(cell)


def _has_escapes(text: str, delimiter: str) -> bool:
    """Return whether backslashes escape quotation marks, as some databases write them."""

    def cells_of(row_escape: str | None) -> list[list[str]]:
        with suppress(csv.Error):
            rows = csv.reader(_lines(text), delimiter=delimiter, strict=True, escapechar=row_escape)
            found = [cells for cells in rows if any(cells)]
            return found if len({*map(len, found)}) == 1 else []
        return []

    if '\\"' not in text or not cells_of("\\"):
        return False
    return not (plain := cells_of(None)) or any('\\"' in cell for cells in plain for cell in cells)


def _rows(text: str, delimiter: str, escape: str | None) -> Iterator[Cells]:
    """Yield the rows with apostrophes unchanged; after a row that is not CSV, the next line is read as a row."""
    # csv's default limit for cells would reject the whole file because of one long cell. The limit is global.
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))
    lines: Iterable[str] = _lines(text)
    every: list[str] = []
    start = 0
    if _SEPARATOR.match(text):
        start = len([next(iter(lines))])
        yield []
    for _ in range(MOST_BROKEN):
        try:
            yield from csv.reader(lines, delimiter=delimiter, strict=True, escapechar=escape)
        except csv.Error as error:
            every = every or list(_lines(text))
            start += _lines_before(every[start:], delimiter)
            hint = "a quoted text has no closing quote, or a quote in it that is not doubled"
            yield UnreadableFile(f"the row that begins in line {start + 1} is not CSV: {error}; {hint}", line=start + 1)
            start += 1
            lines = every[start:]
        else:
            return
    raise UnreadableFile(f"more than {MOST_BROKEN} rows are not CSV; is {delimiter!r} the separator of the file?")


def _lines(text: str) -> TextIOWrapper:
    # Not StringIO, which takes 50% longer to split text into lines.
    return TextIOWrapper(BytesIO(text.encode("utf-8", "surrogatepass")), "utf-8", "surrogatepass", newline="")


def _lines_before(lines: Iterable[str], delimiter: str) -> int:
    """Return the number of lines before the row that cannot be read."""
    reader, count = csv.reader(lines, delimiter=delimiter, strict=True), 0
    with suppress(csv.Error):
        for _ in reader:
            count = reader.line_num
    return count


def _delimiter(text: str, share: Share | None) -> str:
    """Return the separator from a line like `sep=;`, or that with which a row has most of what is needed.

    Otherwise, the most frequent in the first line counts, then that which makes the most rows of the same width.
    """
    if said := _SEPARATOR.match(text):
        return said[1]
    start = text[:MOST_SNIFFED].lstrip("\r\n")
    first = re.split(r"[\r\n]", start, maxsplit=1)[0]
    best, rank = "", (-1.0, 0, 0)
    for delimiter in sorted(",;\t|", key=first.count, reverse=True):
        rows = _first_rows(start, delimiter)
        shares = max(map(share, rows), default=0.0) if share else 0.0
        if shares >= 1 or (share is None and delimiter in first):
            return delimiter
        widths = Counter(len(cells) for cells in rows if len(cells) > 1)
        found = (shares, first.count(delimiter), max(widths.values(), default=0))
        best, rank = max((best, rank), (delimiter, found), key=lambda one: one[1])
    return best


def _first_rows(text: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(islice(csv.reader(StringIO(text, newline=""), delimiter=delimiter), MOST_TRIED))
    return rows
