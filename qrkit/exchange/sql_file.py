"""SQL: the tables of a database dump, as mysqldump, phpMyAdmin, SQLite and pg_dump write them.

Only `INSERT` and `COPY` are read, and `CREATE TABLE` for the names of columns that they leave out; nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import Fraction
from qrkit.exchange.encodings import decoded
from qrkit.exchange.locating import MOST_COLUMNS, Cells, Part, Place, Share, column_letters
from qrkit.exchange.workbooks import without_those_of_csv

_NAME = r'(?:\w+|`[^`]{1,128}`|"[^"]{1,128}"|\[[^\]]{1,128}\])'  # SQL Server has the longest
_NESTED = r"\((?>[^()]|" * 3 + r"\([^()]*+\)" + r")*+\)" * 3  # as deep as MySQL writes keys and checks
_BLANK = r"(?>\s++|(?:--|#)[^\n]*+|/\*[\s\S]*?(?:\*/|\Z))*+"
"""Spaces and comments; a comment without an end is all that follows, as in a database."""
_STATEMENT = re.compile(
    r"(?:^|;)[ \t]*(?:(?P<comment>--[^\n]*+|/\*(?!!))|(?P<what>CREATE TABLE(?: IF NOT EXISTS)?|COPY|INSERT(?=\s*\[)"
    r"|(?:INSERT|REPLACE)(?: OR REPLACE| OR IGNORE| IGNORE)? INTO)\b"
    rf"\s*+(?:{_NAME}\.){{0,2}}(?P<table>{_NAME})\s*+(?P<columns>\((?>[^()'`\"\[]|'[^']*+'|`[^`]*+`|\[[^\]]*+\]|\"[^\"]*+\"|{_NESTED})*+\))?)",
    re.IGNORECASE | re.MULTILINE,
)
_RULE = r"CONSTRAINT\b|(?:PRIMARY|UNIQUE|FOREIGN|FULLTEXT|SPATIAL|KEY|INDEX|CHECK)\b(?:\s*+\(|[^(',]*+\(\s*+[^\d\s')])"
"""Matches a rule such as KEY (name), but no column called `key`: its parentheses hold a length or values, if any."""
_COLUMN = re.compile(rf"(?:^|,)\s*+(?:(?={_RULE})|({_NAME}))(?>[^,()']|'[^']*+'|{_NESTED})*+", re.IGNORECASE)
_VALUES = re.compile(r"\s*(?:OVERRIDING (?:SYSTEM|USER) VALUE\s+)?VALUES?\s*\(", re.IGNORECASE)
_COPIED = re.compile(r"\s*FROM stdin;\r?\n(.*?)(^\\\.|\Z)", re.IGNORECASE | re.DOTALL | re.MULTILINE)
_PREFIX = r"(?:[NB]|_\w+\s*+|(?:DATE|TIME|TIMESTAMP)\s++)?"
_TYPE = r"[^,()']*+(?:\([^()']*+\)[^,()']*+)?"
_WORD = r"(?!--|/\*|AS\s)[^,()'\":\s]++"
"""A word of a bare value such as CURRENT TIMESTAMP; comments within a row are told, as they may hold anything."""
_VALUE, _ESCAPED_VALUE = (
    re.compile(
        rf"\s*+(?P<cast>CAST\(\s*+)?(?:(?:X'|0x)(?P<hex>(?>[0-9a-f]{{2}})++)'?"
        rf"|{escaping}'(?P<escaped>(?>[^'\\]|\\.|'')*+)'|{plain}'(?P<text>(?>[^']|'')*+)'"
        rf"|\"(?P<double>(?>[^\"\\]|\\.|\"\")*+)\"|(?P<bare>(?:{_WORD}(?>\s++{_WORD})*+)?))"
        rf"(?(cast)\s++AS\s{_TYPE}\))(?:\s*+::{_TYPE})?\s*+(?P<end>[,)])",
        re.DOTALL | re.IGNORECASE,
    )
    for escaping, plain in (("E", _PREFIX), (f"E?{_PREFIX}", "(?!)"))
)
"""A value, also where a backslash escapes the next letter in all texts, as in MySQL."""
_ESCAPING = re.compile(
    r"^(?:-- (?:MySQL|MariaDB|phpMyAdmin)|/\*!|\) ENGINE ?=|SET standard_conforming_strings = off"
    r"|[ \t]*(?:INSERT|REPLACE)(?: IGNORE)? INTO `)",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches what only dumps with such texts have; in dumps of SQLite, only a CREATE TABLE may have backticks."""
_BEGIN = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:--|/\*|(?:INSERT|REPLACE|COPY|CREATE|DROP|SET|BEGIN|START|PRAGMA|USE|LOCK)\b)",
    re.IGNORECASE,
)
_HAS_ROWS = re.compile(
    rb"^[ \t]*(?:(?:INSERT\s+(?:\w+\s+){0,2}INTO|INSERT\s*\[|REPLACE\s+INTO)\s|COPY\s[^;\n]+\sFROM\s+stdin\b)",
    re.IGNORECASE | re.MULTILINE,
)
_FRACTION = re.compile(r"-?[0-9]+\.[0-9]{3}")
_BEHIND_ROW = re.compile(rf"({_BLANK})(,{_BLANK})?(\()?")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_LINE_END = re.compile(r"replace\(('(?>[^']|'')*+'),'(\\[nr])',char\((10|13)\)\)")
"""Matches a text with line ends in a dump of SQLite; a text with both kinds of line ends has two nested calls."""
_BITS = {"\0": "0", "\x01": "1"}
"""MySQL writes the bit that says whether a link is active as a byte."""


def is_dump(data: bytes) -> bool:
    """Return whether a text is a dump of a database: it begins as one, and has rows."""
    return _BEGIN.match(data) is not None and _HAS_ROWS.search(data) is not None


def parts(data: bytes, place: Place, share: Share | None) -> list[Part]:
    """Return the rows of the tables of a dump, each below the names of its columns (see `SheetParts`)."""
    text, note = decoded(data, place.encoding)
    for _ in range(2 * (",char(1" in text)):
        text = _LINE_END.sub(lambda found: found[1].replace(found[2], chr(int(found[3]))), text)
    has_escapes = _ESCAPING.search(text) is not None
    tables = _tables(text, has_escapes=has_escapes)
    if "\\" in text and any(isinstance(row, UnreadableFile) for table in tables.values() for row in table.rows):
        tables = max(tables, _tables(text, has_escapes=not has_escapes), key=_row_count)
    if not tables:
        raise UnreadableFile("the file has no INSERT INTO … VALUES or COPY … FROM stdin with rows of a table")
    # Of the tables of a large database, only the first ones are looked into.
    likely = sorted(tables.items(), key=lambda one: share is not None and share([*one[1].heading.values()]) < 1)
    return [
        Part(name, without_those_of_csv(chain([[*table.heading.values()]], map(table.fitted, table.rows))), note=note)
        for name, table in likely
    ]


class _Table:
    """A table, whose INSERTs may list its columns in another order and case, and only some of them.

    Rows have the lowercase names of the columns, as the heading has, and cells, or the reason why they cannot be read.
    """

    def __init__(self) -> None:
        self.heading: dict[str, str] = {}
        self.rows: list[tuple[Sequence[str], list[str]] | UnreadableFile] = []
        self._listed, self._names = "", tuple[str, ...]()

    def add(self, listed: str, rows: Iterable[Cells]) -> None:
        """Add rows with the listed columns, or with columns A, B, … if there are none."""
        if listed != self._listed:  # most dumps have an INSERT for each row
            self._listed, self._names = listed, self._widened(_names(listed))
        for cells in rows:
            if isinstance(cells, UnreadableFile):
                self.rows.append(cells)
                continue
            names = self._names or self._widened(_letters(len(cells)))
            rule = f"must have one value for each of the {len(names)} columns"
            is_whole = len(cells) == len(names)
            self.rows.append((names, cells) if is_whole else UnreadableFile(f"{', '.join(cells)[:60]!r} {rule}"))

    def fitted(self, row: tuple[Sequence[str], list[str]] | UnreadableFile) -> Cells:
        """Return a cell for each column; only of a row that is read, as the table may be far wider than the row."""
        if isinstance(row, UnreadableFile):
            return row
        by_name = dict(zip(*row, strict=True))
        return [by_name.get(name, "") for name in self.heading]

    def _widened(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Add columns to the table, and return their names in lowercase, as databases compare them."""
        found = tuple(map(str.lower, names))
        for lowercase, name in zip(found, names, strict=True):
            self.heading.setdefault(lowercase, name)
        if len(self.heading) > MOST_COLUMNS:
            raise UnreadableFile(f"a table of the dump has more than {MOST_COLUMNS:,} columns")
        return found


@lru_cache(maxsize=100)
def _letters(width: int) -> tuple[str, ...]:
    return tuple(map(column_letters, range(width)))


def _tables(text: str, *, has_escapes: bool) -> dict[str, _Table]:
    value = _ESCAPED_VALUE if has_escapes else _VALUE
    columns: dict[str, str] = {}
    tables: dict[str, _Table] = {}
    place_of_next, last_close = 0, text.rfind("*/")
    while statement := _STATEMENT.search(text, place_of_next):
        place_of_next = statement.end()
        if statement["comment"]:
            if statement["comment"] == "/*":
                place_of_next = max(place_of_next, text.find("*/", place_of_next, last_close + 2))
            continue
        name = _bare(statement["table"])
        listed = statement["columns"] or columns.get(name, "")
        if statement["what"].upper().startswith("CREATE"):
            columns[name] = listed
            continue
        rows: list[Cells] = []
        if begun := _VALUES.match(text, place_of_next):
            place_of_next = _read_rows(text, begun.end(), value, rows)
        elif copied := _COPIED.match(text, place_of_next):
            rows += [[_unescaped(cell) if cell != r"\N" else "" for cell in line.split("\t")]
                     for line in re.split(r"\r?\n", copied[1])[:-1]]  # fmt: skip
            if not copied[2]:
                rows.append(UnreadableFile("the dump ends in the middle of a table"))
            place_of_next = copied.end()
        else:
            told = f"{statement[0].strip('; ')[:60]!r} is followed by neither VALUES nor FROM stdin"
            rows.append(UnreadableFile(f"{told}, so its rows were not read"))
        tables.setdefault(name, _Table()).add(listed, rows)
    return tables


def _row_count(tables: Mapping[str, _Table]) -> int:
    """Return how many rows could be read."""
    return sum(not isinstance(row, UnreadableFile) for table in tables.values() for row in table.rows)


def _names(columns: str) -> tuple[str, ...]:
    """Return the names of columns in parentheses, with or without their types."""
    return tuple(_bare(name) for name in _COLUMN.findall(columns[1:-1]) if name)


def _read_rows(text: str, start: int, value: re.Pattern[str], rows: list[Cells]) -> int:
    """Add the rows of an INSERT to a list, and return where they end; one that cannot be read is the last."""
    cells: list[str] = []
    place = start
    while found := value.match(text, place):
        place = found.end()
        cells.append(_BITS.get(cell := _cell(found), cell))
        if found["end"] == ")":
            rows.append(cells)
            cells, behind = [], _BEHIND_ROW.match(text, place)
            blank, comma, row = behind.groups("") if behind else ("", "", "")
            begun = (blank + comma).rfind("/*")
            if place + len(blank + comma) == len(text) and begun > (blank + comma).rfind("*/"):
                told = f"the comment {text[place + begun : place + begun + 60]!r} has no end"
                rows.append(UnreadableFile(f"{told}, so what follows it was not read"))
            elif bool(comma) != bool(row):
                rows.append(_unread(text, place + len(blank)))
            place += len(blank + comma + row)
            if not (comma and row):
                return place
    rows.append(_unread(text, place))
    return place


def _unread(text: str, place: int) -> UnreadableFile:
    rule = "is not a value of a row; the rows after it in this INSERT were not read"
    return UnreadableFile(f"{text[place : place + 60]!r} {rule}")


def _cell(found: re.Match[str]) -> str:
    _, hexadecimal, escaped, text, double, bare, _ = found.groups()
    if text is not None:
        return text.replace("''", "'")
    if escaped is not None:
        return _unescaped(escaped.replace("''", "'"))
    if double is not None:
        return _unescaped(double.replace('""', '"'))
    if not hexadecimal:
        return "" if bare.upper() == "NULL" else Fraction(bare) if _FRACTION.fullmatch(bare) else bare
    text = bytes.fromhex(hexadecimal).decode(errors="replace")
    # Some binary values, such as UUIDs, are no texts.
    is_text = text in _BITS or ("\ufffd" not in text and "".join(text.split()).isprintable())
    return text if is_text else hexadecimal


def _unescaped(text: str) -> str:
    return re.sub(r"(?s)\\(.)", lambda found: _CONTROLS.get(found[1], found[1]), text) if "\\" in text else text


def _bare(name: str) -> str:
    return name.strip('`"[]')
