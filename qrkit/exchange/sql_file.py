"""SQL: the tables of a database dump, as mysqldump, phpMyAdmin, SQLite and pg_dump write them.

Only `INSERT` and `COPY` are read, and `CREATE TABLE` for the names of columns that they leave out; nothing is run.
"""

from __future__ import annotations

import re

from qrkit.errors import UnreadableFile
from qrkit.exchange.encodings import decoded
from qrkit.exchange.locating import Cells, Part, Place, Share, column_letters

__all__ = ["MEDIA_TYPE", "parts"]

MEDIA_TYPE = "application/sql"
_NAME = r'(?:\w+|`[^`]{1,128}`|"[^"]{1,128}"|\[[^\]]{1,128}\])'  # SQL Server has the longest
_STATEMENT = re.compile(
    r"^[ \t]*(?P<what>CREATE TABLE(?: IF NOT EXISTS)?|(?:INSERT|REPLACE)(?: IGNORE)? INTO|COPY)"
    rf"\s+(?:{_NAME}\.)?(?P<table>{_NAME})\s*+(?P<columns>\((?:[^()']|'[^']*+'|\((?:[^()]|\([^()]*+\))*+\))*+\))?",
    re.IGNORECASE | re.MULTILINE,
)
_COLUMN = re.compile(rf"(?:^|,)\s*+(?!(?:PRIMARY|UNIQUE|KEY|INDEX|FULLTEXT|CONSTRAINT|FOREIGN|CHECK)\b)({_NAME})", re.I)
_VALUES = re.compile(r"\s*VALUES\s*\(", re.IGNORECASE)
_COPIED = re.compile(r"\s*FROM stdin;\r?\n(.*?)(^\\\.|\Z)", re.IGNORECASE | re.DOTALL | re.MULTILINE)
_VALUE, _ESCAPED_VALUE = (
    re.compile(rf"\s*+(?:[EN]?'(?P<text>(?:{letter}|'')*+)'|(?P<bare>[^,()']*+))\s*+(?P<end>[,)])", re.DOTALL)
    for letter in ("[^']", r"[^'\\]|\\.")
)
"""A value, also where a backslash escapes the next letter, as in MySQL."""
_NEXT_ROW = re.compile(r"\s*,\s*\(")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def parts(data: bytes, place: Place, _share: Share | None) -> list[Part]:
    """Return the rows of the tables of a dump, each below the names of its columns (see `SheetParts`)."""
    text, note = decoded(data, place.encoding)
    value = _VALUE
    columns: dict[str, str] = {}
    tables: dict[tuple[str, str, int], list[Cells]] = {}
    place_of_next = 0
    while statement := _STATEMENT.search(text, place_of_next):
        table, place_of_next = _bare(statement["table"]), statement.end()
        if statement["table"][0] == "`":  # MySQL alone has names between backticks
            value = _ESCAPED_VALUE
        listed = statement["columns"] or columns.get(table, "")
        if statement["what"].upper().startswith("CREATE"):
            columns[table] = listed
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
        width = 0 if listed else max((len(row) for row in rows if isinstance(row, list)), default=0)
        # Most dumps have an INSERT for each row, so names are read once for a table.
        key = (table, listed, width)
        if key not in tables:
            tables[key] = [_names(listed) or [column_letters(at) for at in range(width)]]
        tables[key] += rows
    if not tables:
        raise UnreadableFile("the file has no INSERT INTO … VALUES or COPY … FROM stdin with rows of a table")
    return [Part(name, iter(rows), note=note) for (name, *_), rows in tables.items()]


def _names(columns: str) -> list[str]:
    """Return the names of columns in parentheses, with or without their types."""
    return [_bare(name) for name in _COLUMN.findall(re.sub("'[^']*'", "", columns[1:-1]))]


def _read_rows(text: str, start: int, value: re.Pattern[str], rows: list[Cells]) -> int:
    """Add the rows of an INSERT to a list, and return where they end; one that cannot be read is the last."""
    cells: list[str] = []
    place = start
    while found := value.match(text, place):
        quoted, place = found["text"], found.end()
        bare = (found["bare"] or "").strip()
        if quoted is None:
            cells.append("" if bare.upper() == "NULL" else bare)
        else:
            cells.append((_unescaped(quoted) if value is _ESCAPED_VALUE else quoted).replace("''", "'"))
        if found["end"] == ")":
            rows.append(cells)
            cells, following = [], _NEXT_ROW.match(text, place)
            if following is None:
                return place
            place = following.end()
    rows.append(UnreadableFile(f"{text[place : place + 60]!r} is not a value of a row"))
    return place


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _CONTROLS.get(found[1], found[1]), text, flags=re.DOTALL)


def _bare(name: str) -> str:
    return name.strip('`"[]')
