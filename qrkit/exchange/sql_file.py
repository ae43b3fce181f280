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
_NESTED = r"\((?:[^()]|" * 3 + r"\([^()]*+\)" + r")*+\)" * 3  # as deep as MySQL writes keys and checks
_STATEMENT = re.compile(
    r"^[ \t]*(?P<what>CREATE TABLE(?: IF NOT EXISTS)?|(?:INSERT|REPLACE)(?: IGNORE)? INTO|COPY)"
    rf"\s+(?:{_NAME}\.)?(?P<table>{_NAME})\s*+(?P<columns>\((?:[^()']|'[^']*+'|{_NESTED})*+\))?",
    re.IGNORECASE | re.MULTILINE,
)
_RULE = r"CONSTRAINT\b|(?:PRIMARY|UNIQUE|FOREIGN|FULLTEXT|SPATIAL|KEY|INDEX|CHECK)\b(?:\s*+\(|[^(',]*+\(\s*+[^\d\s')])"
"""A rule of a table lists columns in its parentheses; a column called `key` has a length, values or nothing in them."""
_COLUMN = re.compile(rf"(?:^|,)\s*+(?:(?={_RULE})|({_NAME}))(?:[^,()']|'[^']*+'|{_NESTED})*+", re.IGNORECASE)
_VALUES = re.compile(r"\s*VALUES\s*\(", re.IGNORECASE)
_COPIED = re.compile(r"\s*FROM stdin;\r?\n(.*?)(^\\\.|\Z)", re.IGNORECASE | re.DOTALL | re.MULTILINE)
_VALUE, _ESCAPED_VALUE = (
    re.compile(
        rf"\s*+(?:(?:X'|0x)(?P<hex>(?:[0-9a-f]{{2}})++)'?|(?:[ENB]|_\w+\s*+)?'(?P<text>(?:{letter}|'')*+)'"
        r"|(?P<bare>[^,()']*+))\s*+(?P<end>[,)])",
        re.DOTALL | re.IGNORECASE,
    )
    for letter in ("[^']", r"[^'\\]|\\.")
)
"""A value, also where a backslash escapes the next letter, as in MySQL."""
_NEXT_ROW = re.compile(r"\s*,\s*\(")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_BITS = {"\0": "0", "\x01": "1"}
"""MySQL writes the bit that says whether a link is active as a byte."""


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
    return [_bare(name) for name in _COLUMN.findall(columns[1:-1]) if name]


def _read_rows(text: str, start: int, value: re.Pattern[str], rows: list[Cells]) -> int:
    """Add the rows of an INSERT to a list, and return where they end; one that cannot be read is the last."""
    cells: list[str] = []
    place = start
    while found := value.match(text, place):
        place = found.end()
        cell = _cell(found, has_escapes=value is _ESCAPED_VALUE)
        cells.append(_BITS.get(cell, cell))
        if found["end"] == ")":
            rows.append(cells)
            cells, following = [], _NEXT_ROW.match(text, place)
            if following is None:
                return place
            place = following.end()
    rule = "is not a value of a row; the rows after it in this INSERT were not read"
    rows.append(UnreadableFile(f"{text[place : place + 60]!r} {rule}"))
    return place


def _cell(found: re.Match[str], *, has_escapes: bool) -> str:
    if found["text"] is not None:
        return _unescaped(found["text"], r"''|\\(.)") if has_escapes else found["text"].replace("''", "'")
    if not found["hex"]:
        bare = found["bare"].strip()
        return "" if bare.upper() == "NULL" else bare
    text = bytes.fromhex(found["hex"]).decode(errors="replace")
    # Some binary values, such as UUIDs, are no texts.
    is_text = text in _BITS or ("\ufffd" not in text and "".join(text.split()).isprintable())
    return text if is_text else found["hex"]


def _unescaped(text: str, escape: str = r"\\(.)") -> str:
    return re.sub(escape, lambda found: _CONTROLS.get(found[1], found[1] or "'"), text, flags=re.DOTALL)


def _bare(name: str) -> str:
    return name.strip('`"[]')
