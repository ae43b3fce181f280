"""Cells that are more than their text: links, formulas without a value, numbers, and what other programs changed.

Numbers may show or mean another text; texts may have been read in a wrong encoding, shortened, or turned into dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Self

from qrkit.exchange.columns import (
    COLUMN_OF,
    HEADINGS,
    KINDS,
    NAMES,
    SHORT_URL,
    TEXT_COLUMNS,
    Fraction,
    Row,
    Rows,
    without_thousands,
)
from qrkit.exchange.encodings import before_misread
from qrkit.exchange.locating import MOST_TRIED
from qrkit.exchange.merge import ImportIssue, Reason
from qrkit.tracking.text_columns import cell_text

_FOLLOWED = re.compile(r"https?://|mailto:|tel:|sms:|geo:", re.IGNORECASE)
"""How the addresses begin that a hyperlink over a text may give; others lead into the workbook or to files."""
_NO_VALUES = frozenset(HEADINGS["words"]["nothing"])
"""What databases, programs and people write into a file for no value."""
_TOTALS = frozenset(HEADINGS["words"]["total"])
TOTALS = "is a row of totals, and was left out"
_LINE_END = "_x000D_"
"""How Excel escapes the first character of a line end, which other programs take for text."""
_SHORTENED = re.compile(r"[0-9][.,][0-9]{4,}E\+0?(?:1[1-9]|2[0-9])", re.IGNORECASE)
"""Matches a number of 12 digits or more of which a spreadsheet keeps the first ones; few measurements are so exact."""
_MAY_BE_MISREAD = re.compile(r"[Â-ô][^\x00-\x7f]")
_WRITTEN = TEXT_COLUMNS - {SHORT_URL}
"""Columns of texts that people write."""

_RETYPED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9:]{8})?|[0-9]{1,2}:[0-9]{2}:[0-9]{2}|true|false")
"""Dates, times and truth values, as our readers of workbooks write them."""


Read = Iterator[tuple[int, Sequence[str], str]]
"""The number, the cells and the error of each row."""


class Linked(str):
    """The text of a cell with a hyperlink to a target."""

    __slots__ = ("target",)
    target: str

    def __new__(cls, text: str, target: str) -> Self:
        """Return the text with the address."""
        made = super().__new__(cls, text)
        made.target = target
        return made


_LINK_FORMULA = re.compile(r'\s*HYPERLINK\(\s*"((?:[^"]|"")*)"\s*(?:[,;]\s*"((?:[^"]|"")*)"\s*)?\)\s*', re.IGNORECASE)
_FORMULA = re.compile(r"=\s*[A-Z][A-Z0-9.]*\(.*\)\s*", re.IGNORECASE | re.DOTALL)


class Unsaved(str):
    """The formula of a cell whose value is not in the file."""

    __slots__ = ()


def value_text(value: object) -> str:
    """Return the text of a value that is no text in its file, such as a number of a workbook."""
    return marked(value, cell_text(value))


def marked(value: object, text: str) -> str:
    """Return the text of a value, as a `Fraction` if reading it as a count would give another number."""
    return Fraction(text) if isinstance(value, float) and without_thousands(text) != text else text


def linked(text: str, target: str) -> str:
    """Return the text of a cell that leads to this address, if the address is one that visitors can follow."""
    return Linked(text, target) if _FOLLOWED.match(target) else text


def formula_text(cell: str) -> str:
    """Return the text of a cell of a text file: of a link formula its link; any other formula has no saved value."""
    if link := _LINK_FORMULA.fullmatch(cell[1:]):
        target, text = (part.replace('""', '"') for part in link.groups(""))
        return linked(text or target, target)
    return Unsaved(cell) if _FORMULA.fullmatch(cell) else cell


def number_text(number: float, code: str) -> str:
    """Return the text of a number in a cell format; one such as 0000 adds leading zeros to whole numbers."""
    text = value_text(number)
    return text.zfill(len(code)) if code and not code.strip("0") and text.isdecimal() else text


def words_for_nothing(heading: Sequence[str], rows: Read) -> tuple[frozenset[str], Read]:
    """Return the words for no value, and the rows; in an export of ours, those that stand for a latitude or longitude.

    Other texts of ours may be such words; but a program that has written one there has done so in all columns.
    """
    names = [COLUMN_OF.get(title.lower(), "") for title in heading]
    if not frozenset(names).issuperset(NAMES):
        return _NO_VALUES, rows
    first = list(islice(rows, MOST_TRIED))
    places = [place for place, name in enumerate(names) if KINDS.get(name) == "degrees"]
    return _NO_VALUES & {cells[place] for _, cells, _ in first for place in places}, chain(first, rows)


def without_words(one: Mapping[str, Any], is_kept: Callable[[str], bool]) -> Mapping[str, Any]:
    """Return the values of an object with "" for each word for no value, unless its name is kept."""
    empty = {name: "" for name, text in one.items() if type(text) is str and text in _NO_VALUES and not is_kept(name)}
    return {**one, **empty} if empty else one


def is_total(cells: Iterable[object], content: str) -> bool:
    """Return whether a row says so first, has only numbers besides, and no content, unless that is what says so."""
    if len(content) > 23:  # as most contents are
        return False
    first = next(filter(None, cells), "")
    if type(first) is not str or content not in ("", first) or first.strip(" :").lower() not in _TOTALS:
        return False
    others = "".join(map(str, filter(None, cells))).removeprefix(first)
    return others != "" and not any(map(str.isalpha, others))


def without_traces(rows: Read, is_kept: Sequence[bool], words: frozenset[str]) -> Read:
    """Drop line ends that Excel escaped, and the `words` for no value, unless their column keeps them."""
    for number, cells, error in rows:
        if not words.isdisjoint(cells):
            pairs = zip(cells, is_kept, strict=True)
            cells = [cell if stays or cell not in words else "" for cell, stays in pairs]
        if _LINE_END in "".join(cells):
            cells = [cell.replace(_LINE_END, "") if _LINE_END in cell else cell for cell in cells]
        yield number, cells, error


def retyped_issues(rows: Rows) -> Iterator[ImportIssue]:
    """Yield an issue for each short code that a spreadsheet program may have made of another one, such as mar1."""
    for row in rows:
        if _RETYPED.fullmatch(code := row.cells.get(SHORT_URL, "")):
            rule = "may be another text, such as mar1, that a spreadsheet changed; compare it with the printed code"
            yield ImportIssue(row.number, "", "", "", "suspicious-url", f"the short code {code!r} {rule}")


def with_damage(row: Row) -> Row:
    """Return a row with a note on the first of its texts that another program damaged."""
    every = "\n".join((*row.cells.values(), *row.own.values()))
    may_be_shortened = "E+" in every or "e+" in every
    if not may_be_shortened and (every.isascii() or not _MAY_BE_MISREAD.search(every)):  # as most rows are
        return row
    texts = [(name, text) for name, text in row.cells.items() if name in _WRITTEN]
    for name, text in (*texts, *row.own.items()):
        is_shortened = _SHORTENED.fullmatch(text)
        rule = "may be a long number of which a spreadsheet kept only the first digits" if is_shortened else ""
        if before := before_misread(text):
            rule = f"was probably {before[:80]!r} before another program read it in a wrong encoding"
        if rule:
            note: tuple[Reason, str] = ("damaged-text", f"{name}={text[:80]!r} {rule}; it was imported as it is")
            return row._replace(notes=(*row.notes, note))
    return row
