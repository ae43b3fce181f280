"""Store campaigns, QR Codes and their short codes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, Self, get_args

from qrkit.errors import StoreBusy, StoreClosed
from qrkit.model import Model
from qrkit.store.connection import Store
from qrkit.store.engine import Parameters
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.campaign_colors import free_color, pass_on_color
from qrkit.store.records.drawing_templates import change_looks
from qrkit.store.records.short_codes import (
    DELETED,
    NO_TERMS_AT_ALL,
    ON_TERMS,
    TERMS,
    Target,
    Terms,
    ignores_case,
    read_schedule,
    remember_rows,
    remember_targets,
)
from qrkit.tracking.own_fields import OwnFields
from qrkit.tracking.records import DERIVED, Campaign, Location, Properties, QRCode
from qrkit.tracking.redirect_rules import PLACES
from qrkit.tracking.short_urls import beginnings, is_address_of
from qrkit.tracking.times import naive, utc

__all__ = [
    "MOST_IN_TEXT", "QRCODES", "RECORDS", "CodesText", "Links", "Staged", "StoredRow", "address_holder",
    "asks_for_places", "campaigns", "column_values", "count_qrcodes", "delete_campaign", "delete_qrcodes",
    "each_qrcode", "has_short_code", "has_tags_or_fields", "has_terms", "insert_campaign", "insert_qrcode",
    "insert_values", "is_taken", "last_number", "leave_campaign", "number_of", "qrcodes", "qrcodes_in_parts",
    "read_qrcode", "staged", "stored_row", "update_campaign", "update_qrcode",
]  # fmt: skip


def _list_text(values: tuple[Model | str, ...]) -> str:
    """Return a schedule, rules, or tags, as JSON."""
    plain = [value if isinstance(value, str) else value.model_dump(mode="json") for value in values]
    return json.dumps(plain, ensure_ascii=False) if plain else "[]"


def _object_text(fields: OwnFields) -> str:
    return json.dumps(fields, ensure_ascii=False) if fields else "{}"


Links = Callable[[Mapping[str, Any]], Mapping[str, str]]
"""Converts the stored fields of a QR Code to its URLs, because the store does not contain the base URL."""


OTHER_NAMES = {"scans": "imported_scans", "limit": "scan_limit"}
"""The columns of the table `qrcodes` whose names are not those of the fields."""


def _columns() -> Iterator[tuple[str, str]]:
    for field in QRCode.model_fields:
        if field == "location":
            yield from ((part, f"location.{part}") for part in Location.model_fields)
        elif field not in DERIVED:
            yield OTHER_NAMES.get(field, field), field


COLUMNS = dict(_columns())
"""The field of `QRCode` in each column of the table `qrcodes`. A new field of the record becomes a new column."""
StoredRow = dict[str, Any]
"""A new QR Code: the value of its field by column of the table `qrcodes`."""
LOCATION = tuple(Location.model_fields)
"""The columns of the location."""
FIXED = ("id", "short_code", "imported_scans", "created")
"""Columns that never change after the insert."""
CHANGING = [name for name in COLUMNS if name not in FIXED]
SQL_TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "FLOAT8", datetime: "TIMESTAMP"}
"""Column types by field type; all other fields are text."""
_properties_text = lru_cache(maxsize=1_000)(Properties.to_json)
"""Cached, because most QR Codes of a portfolio share the same properties."""
TO_SQL: dict[type, Callable[[Any], Any]] = {
    datetime: lambda moment: naive(moment).isoformat(),
    Properties: _properties_text,
    tuple: _list_text,
    OwnFields: _object_text,
}
"""Conversions to column values, by field type."""


NOTHING = {"tags": "[]", "fields": "{}", "rules": "[]", "gs1": "[]"}
"""The text of a QR Code without tags, fields of its own, and rules."""
NO_TERMS = {
    "active": True, "valid_since": None, "valid_until": None, "scan_limit": 0, "limit_a_day": 0, "otherwise": "",
    "password": "",
}  # fmt: skip
"""The columns of a QR Code that leads everybody to its content at any time."""


def _sql_type(column: str) -> str:
    field, _, part = COLUMNS[column].partition(".")
    fields = Location.model_fields if part else QRCode.model_fields
    kinds = _types_in(fields[part or field].annotation)
    return next((sql for kind, sql in SQL_TYPES.items() if kind in kinds), "VARCHAR")


def _types_in(annotation: Any) -> list[Any]:
    """Return a type and its component types: for `float | None`, the union itself, float and None."""
    return [annotation, *(one for part in get_args(annotation) for one in _types_in(part))]


QRCODES = {"number": "INTEGER", "account_id": "VARCHAR", "stored": "TIMESTAMP"} | {
    name: _sql_type(name) for name in COLUMNS
}
"""The columns of the table `qrcodes` and their types."""
ROW = {name: QRCODES[name] for name in COLUMNS}
"""The columns that a new QR Code brings, and their types."""
DTYPES = {"BIGINT": "int64", "BOOLEAN": "bool", "FLOAT8": "float64", "TIMESTAMP": "datetime64[us]"}
"""The dtypes of arrays by column type; text columns have dtype object."""
INSERT_CAMPAIGN = """
INSERT INTO campaigns (id, account_id, name, description, template, created, color) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
SELECT_CAMPAIGNS = """
SELECT id, name, description, template, created FROM campaigns
WHERE account_id = $account AND ($id::VARCHAR IS NULL OR id = $id::VARCHAR)
ORDER BY created, rowid
"""
UPDATE_CAMPAIGN = "UPDATE campaigns SET name = ?, description = ?, template = ? WHERE id = ?"
LEAVE_CAMPAIGN = "UPDATE qrcodes SET campaign_id = NULL WHERE campaign_id = ?"
DELETED_CAMPAIGN = "SELECT account_id, color FROM campaigns WHERE id = ?"
DELETE_CAMPAIGN = "DELETE FROM campaigns WHERE id = ?"
TOGETHER = 5_000
"""Number of QR Codes per query."""
MOST_IN_TEXT = 500
"""Number of QR Codes per insert: between two inserts, and while the database works, other threads get their turn."""
CREATE_STAGED = f"""
CREATE TEMP TABLE staged_qrcodes (position INTEGER, {", ".join(f"{name} {kind}" for name, kind in ROW.items())})
"""
STAGE = f"""
INSERT INTO staged_qrcodes ({", ".join(COLUMNS)}, position) SELECT {", ".join(COLUMNS)}, position FROM {{rows}}
"""
TAKE_NUMBERS = """
SELECT min(number) AS first FROM (SELECT nextval('qrcode_numbers') AS number FROM generate_series(1, ?)) taken
"""
"""Takes a number for each staged QR Code, without gaps, because nobody else may take one meanwhile."""
INSERT_STAGED = f"""
INSERT INTO qrcodes (number, account_id, stored, {", ".join(COLUMNS)})
SELECT $first::INTEGER + position, $account, $stored::TIMESTAMP, {", ".join(COLUMNS)} FROM staged_qrcodes
"""
INSERT_STAGED_CODES = """
INSERT INTO short_codes (code, qrcode) SELECT short_code, $first::INTEGER + position FROM staged_qrcodes
"""
INSERT_STAGED_COUNTS = """
INSERT INTO scan_counts (qrcode, scans, forgotten) SELECT $first::INTEGER + position, 0, 0 FROM staged_qrcodes
"""
STAGED_TARGETS = f"""
SELECT short_code, $first::INTEGER + position AS number, {TERMS} FROM staged_qrcodes q
"""
STAGED_CLASH = """
SELECT s.name FROM staged_qrcodes s JOIN short_codes c ON c.code = s.short_code
UNION ALL
SELECT s.name FROM staged_qrcodes s JOIN qrcodes q ON q.name = s.name
WHERE q.account_id = $account AND q.number > $after::INTEGER
LIMIT 1
"""
LAST_NUMBER = "SELECT max(qrcode) AS number FROM short_codes"
INSERT_QRCODE = f"""
INSERT INTO qrcodes ({", ".join(QRCODES)}) VALUES ({", ".join(f"?::{kind}" for kind in QRCODES.values())})
"""
UPDATE_QRCODE = f"UPDATE qrcodes SET {', '.join(f'{name} = ?' for name in CHANGING)} WHERE id = ?"
FORGET_TAKEN = "DELETE FROM scans_taken WHERE qrcode = ?"
"""A limit that is set later counts anew: scans that were not numbered count, too."""
DELETE_QRCODES = "DELETE FROM qrcodes WHERE id IN (SELECT unnest(?::VARCHAR[]))"
INSERT_SHORT_CODE = (
    "INSERT INTO short_codes (code, qrcode) VALUES (?, nextval('qrcode_numbers')) RETURNING qrcode AS number"
)
INSERT_COUNT = "INSERT INTO scan_counts (qrcode, scans, forgotten) VALUES (?, 0, 0)"
SELECT_NUMBER = "SELECT number FROM qrcodes WHERE id = ?"
SELECT_OWN_NUMBER = f"{SELECT_NUMBER} AND account_id = ?"
SELECTED = [name for name in COLUMNS if name not in ("campaign_id", "imported_scans")]
RECORDS = f"""
WITH beyond AS ( -- the first code that the plan does not show, if there are more than it shows
    SELECT number FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT 1 OFFSET $most
)
SELECT
    q.number, {", ".join(f"q.{name}" for name in SELECTED)},
    CASE WHEN q.campaign_id IN (SELECT id FROM campaigns WHERE account_id = $account) THEN q.campaign_id END
        AS campaign_id, -- a damaged store may lack the campaign
    q.imported_scans + c.scans AS scans, coalesce(q.number < (SELECT number FROM beyond), true) AS is_available
FROM qrcodes q JOIN scan_counts c ON c.qrcode = q.number
WHERE q.account_id = $account
"""
"""Selects what `read_qrcode` reads; conditions and an order may follow."""
SELECT_QRCODES = f"""{RECORDS}
    AND q.number > $after AND ($id::VARCHAR IS NULL OR q.id = $id::VARCHAR)
    AND ($campaign::VARCHAR IS NULL OR q.campaign_id = $campaign::VARCHAR)
    AND ($content::VARCHAR IS NULL OR q.content = $content::VARCHAR)
ORDER BY q.number LIMIT $together
"""
ALL = {"id": None, "campaign": None, "content": None}
"""Parameters of `SELECT_QRCODES` for all QR Codes of an account."""
COUNT_QRCODES = "SELECT count(*) AS number FROM qrcodes WHERE account_id = ?"
HAS_TAGS_OR_FIELDS = """
SELECT 1 AS present FROM qrcodes WHERE account_id = ? AND (tags <> '[]' OR fields <> '{}') LIMIT 1
"""
HAS_TERMS = f"SELECT 1 AS present FROM qrcodes WHERE account_id = ? AND ({ON_TERMS}) LIMIT 1"
ASKS_FOR_PLACES = f"SELECT 1 AS present FROM qrcodes WHERE rules LIKE '%\"{PLACES}%' LIMIT 1"
IS_TAKEN = "SELECT 1 AS taken FROM short_codes WHERE code = ?"
IS_TAKEN_IN_ANY_CASE = "SELECT 1 AS taken FROM short_codes WHERE lower(code) = lower(?)"
SELECT_TAIL = "SELECT urlinfo FROM qrcodes WHERE short_code = ?"
HAS_SHORT_CODE = "SELECT 1 AS present FROM qrcodes WHERE account_id = ? AND short_code = ?"


def insert_campaign(store: Store, account_id: str, campaign: Campaign) -> None:
    """Store a campaign of an account."""
    fields = (campaign.name, campaign.description, campaign.template, naive(campaign.created))
    with change_looks(store):
        store.execute(INSERT_CAMPAIGN, [campaign.id, account_id, *fields, free_color(store, account_id)])


def campaigns(store: Store, account_id: str, *, id: str | None = None) -> list[Campaign]:
    """Return the campaigns of an account, oldest first, optionally only the one with an id."""
    return [Campaign(**row) for row in store.rows(SELECT_CAMPAIGNS, {"account": account_id, "id": id})]


def update_campaign(store: Store, campaign: Campaign) -> None:
    """Update a stored campaign."""
    with change_looks(store):
        store.execute(UPDATE_CAMPAIGN, [campaign.name, campaign.description, campaign.template, campaign.id])


def leave_campaign(store: Store, id: str) -> None:
    """Remove all QR Codes from a campaign; the redirect targets do not change."""
    store.execute(LEAVE_CAMPAIGN, [id])


def delete_campaign(store: Store, id: str) -> None:
    """Delete a campaign that no longer has QR Codes; another one may take over its color."""
    campaign = store.row(DELETED_CAMPAIGN, [id])
    store.execute(DELETE_CAMPAIGN, [id])
    if campaign:
        pass_on_color(store, campaign["account_id"], campaign["color"])


def insert_qrcode(store: Store, account_id: str, code: QRCode, now: datetime) -> int:
    """Store a new QR Code of an account, and return its number.

    The short code must be unused; the `scans` were counted before `now`.
    """
    store.check_writable()
    with store.atomic():
        # One row per table, with plain values: for one QR Code, bulk statements take longer to plan than to run.
        values = _values(_all_of(code))  # first: an error in them must not leave a short code without its QR Code
        number = _number(store.row(INSERT_SHORT_CODE, [code.short_code]))
        insert_values(store, [number, account_id, naive(now), *values])
        store.execute_often(INSERT_COUNT, [number])
        remember_targets(store, {code.short_code: _target(code, number)})
    return number


def insert_values(store: Store, values: Sequence[Any]) -> None:
    """Insert one row into the table `qrcodes`: values of the columns of `QRCODES`."""
    store.execute_often(INSERT_QRCODE, list(values))


def stored_row(code: QRCode) -> StoredRow:
    """Return the row of a new QR Code."""
    return dict(zip(COLUMNS, _all_of(code), strict=True))


def _column(values: Sequence[Any]) -> Sequence[Any]:
    """Convert the values of a field, which are all of one type, to the values of an array."""
    kind = type(next((value for value in values if value is not None), None))
    convert = naive if kind is datetime else TO_SQL.get(kind)
    return values if convert is None else [None if value is None else convert(value) for value in values]


class CodesText(NamedTuple):
    """New QR Codes as JSON. The database reads it, which takes the interpreter a hundredth of the work of values.

    Attributes:
        rows: A list of objects with the columns of the table `qrcodes`.
        length: The number of QR Codes, at most `MOST_IN_TEXT`.
    """

    rows: str
    length: int

    @classmethod
    def of(cls, rows: Sequence[StoredRow]) -> Iterator[Self]:
        """Convert new QR Codes to texts."""
        for start in range(0, len(rows), MOST_IN_TEXT):
            part = [dict(zip(row, _values(row.values()), strict=True)) for row in rows[start : start + MOST_IN_TEXT]]
            yield cls(json.dumps(part, ensure_ascii=False), len(part))


class Staged:
    """New QR Codes of an account in a table that only this thread sees; `staged` makes one."""

    def __init__(self, store: Store, account_id: str) -> None:
        self._store, self._account_id = store, account_id
        self._length = 0
        self._run(CREATE_STAGED)
        self._generation = store.database.thread.generation

    def add(self, rows: Sequence[StoredRow]) -> None:
        """Add QR Codes."""
        if self._store.database.reads_frames and len(rows) > MOST_IN_TEXT:  # for fewer, loading NumPy takes longer
            self._add_arrays(rows)
        else:
            for text in CodesText.of(rows):
                self.add_text(text)

    def add_text(self, text: CodesText) -> None:
        """Add the QR Codes of a text."""
        dialect = self._store.database.dialect
        sql = STAGE.format(rows=dialect.rows_of_json(ROW, number="position"))
        positions = list(range(self._length, self._length + text.length))
        self._run(sql, {"rows": dialect.escape_json(text.rows), "numbers": positions})
        self._length += text.length

    def _add_arrays(self, rows: Sequence[StoredRow]) -> None:
        """Add QR Codes from arrays, which a file reads in a third of the time that it takes for JSON."""
        import numpy as np

        positions = np.arange(self._length, self._length + len(rows), dtype="int32")
        fields = {name: _column([row[name] for row in rows]) for name in COLUMNS}
        columns = {name: np.array(values, dtype=DTYPES.get(ROW[name], "object")) for name, values in fields.items()}
        with self._store.statement() as cursor:
            table = f"staged_qrcodes (position, {', '.join(columns)})"
            self._store.database.add_rows(cursor, table, {"position": positions} | columns)
        self._length += len(rows)

    @property
    def is_gone(self) -> bool:
        """Whether the table is lost, because the file was reopened meanwhile, as `compact` does."""
        return self._generation != self._store.database.thread.generation

    def clashes(self, *, after: int) -> bool:
        """Return whether these QR Codes cannot be stored as they are; call this in the transaction of `insert`.

        That is so if a short code is in use, or if a QR Code of the account that was stored after the one with the
        number `after` has one of the names.
        """
        return self._store.row(STAGED_CLASH, {"account": self._account_id, "after": after}) is not None

    def insert(self, now: datetime) -> None:
        """Store the QR Codes as `insert_qrcode` does, in the transaction of the caller."""
        if not self._length:
            return
        store = self._store
        first = {"first": store.rows(TAKE_NUMBERS, [self._length])[0]["first"]}
        store.execute(INSERT_STAGED, {"account": self._account_id, "stored": naive(now), **first})
        store.execute(INSERT_STAGED_CODES, first)
        store.execute(INSERT_STAGED_COUNTS, first)
        remember_rows(store, store.each_row(STAGED_TARGETS, first))

    def drop(self) -> None:
        """Delete the table. If the database has failed, it is gone already."""
        with suppress(*self._store.database.errors, StoreBusy, StoreClosed):
            self._run("DROP TABLE staged_qrcodes")

    def _run(self, sql: str, parameters: Parameters = ()) -> None:
        """Run a statement on the table, which needs no transaction."""
        with self._store.statement() as cursor:
            self._store.database.run_often(cursor, sql, parameters)


@contextmanager
def staged(store: Store, account_id: str) -> Iterator[Staged]:
    """Context manager: holds new QR Codes in a temporary table until they are inserted.

    Reading them is most of the work of an insert. Outside a transaction, no other change waits for it.
    """
    store.check_writable()
    with store.database.holding():
        codes = Staged(store, account_id)
        try:
            yield codes
        finally:
            codes.drop()


def update_qrcode(store: Store, code: QRCode) -> None:
    """Update a stored QR Code; the id, short code, scans and creation time never change."""
    with store.atomic():
        store.execute(UPDATE_QRCODE, [*_values(_changing_of(code)), code.id])
        number = _number(store.row(SELECT_NUMBER, [code.id]))
        target = _target(code, number)
        if target.terms is None or not target.terms.needs_number:
            store.execute(FORGET_TAKEN, [number])
        remember_targets(store, {code.short_code: target})


def delete_qrcodes(store: Store, codes: Sequence[QRCode]) -> None:
    """Delete QR Codes; the short codes are kept, so that they are never reused."""
    with store.atomic():
        store.execute(DELETE_QRCODES, [[code.id for code in codes]])
        remember_targets(store, {code.short_code: DELETED for code in codes})


def qrcodes(
    store: Store,
    account_id: str,
    links: Links,
    *,
    most: int,
    id: str | None = None,
    campaign: str | None = None,
    content: str | None = None,
    after: int = 0,
    limit: int | None = None,
) -> list[QRCode]:
    """Return the QR Codes of an account in the order they were stored.

    Args:
        most: Number of QR Codes, oldest first, that the plan makes available.
        after: Only QR Codes with a greater number.
    """
    asked = {"id": id, "campaign": campaign, "content": content, "account": account_id, "most": most}
    rows = next(_in_parts(store, asked, together=limit, after=after), [])
    return [read_qrcode(row, links) for row in rows]


def qrcodes_in_parts(store: Store, account_id: str, links: Links, *, most: int) -> Iterator[list[QRCode]]:
    """Yield all QR Codes of an account, in lists of at most `TOGETHER`."""
    for rows in _in_parts(store, {**ALL, "account": account_id, "most": most}, together=TOGETHER):
        yield [read_qrcode(row, links) for row in rows]


def each_qrcode(store: Store, account_id: str, links: Links, *, most: int) -> Iterator[QRCode]:
    """Yield all QR Codes of an account; each is parsed only when it is needed, and not kept in memory."""
    for rows in _in_parts(store, {**ALL, "account": account_id, "most": most}, together=TOGETHER):
        for row in rows:
            yield read_qrcode(row, links)


def _in_parts(
    store: Store, asked: Mapping[str, Any], *, together: int | None, after: int = 0
) -> Iterator[list[dict[str, Any]]]:
    """Yield rows of `RECORDS`, in lists."""
    include_waiting(store)
    while found := store.rows(SELECT_QRCODES, {**asked, "together": together, "after": after}):
        after = found[-1]["number"]
        yield found
        if together is None or len(found) < together:
            return


def count_qrcodes(store: Store, account_id: str) -> int:
    """Return the number of QR Codes of an account."""
    return _number(store.row(COUNT_QRCODES, [account_id]))


def has_tags_or_fields(store: Store, account_id: str) -> bool:
    """Return whether a QR Code of an account has tags or own fields."""
    return store.row(HAS_TAGS_OR_FIELDS, [account_id]) is not None


def has_terms(store: Store, account_id: str) -> bool:
    """Return whether a QR Code of an account does not lead everybody to its content, apart from its schedule."""
    return store.row(HAS_TERMS, [account_id]) is not None


def asks_for_places(store: Store) -> bool:
    """Return whether rules of a QR Code, of any account, ask where a visitor is."""
    return store.row(ASKS_FOR_PLACES) is not None


def number_of(store: Store, account_id: str, id: str) -> int | None:
    """Return the number of a QR Code of an account, which grows with each new one; None if there is no such code."""
    return _number(store.row(SELECT_OWN_NUMBER, [id, account_id])) or None


def last_number(store: Store) -> int:
    """Return the number of the QR Code that was stored last, in any account, deleted ones included."""
    return _number(store.row(LAST_NUMBER))


def is_taken(store: Store, short_code: str) -> bool:
    """Return whether the short code was ever assigned, in any account."""
    return store.row(IS_TAKEN_IN_ANY_CASE if ignores_case(store) else IS_TAKEN, [short_code]) is not None


def address_holder(store: Store, short_code: str) -> str:
    """Return the short code whose short URL, picture or preview uses the address of a new one; "" if none does."""
    _, *shorter = beginnings(short_code)
    for start in shorter:
        row = store.row(SELECT_TAIL, [start])
        if row and is_address_of(short_code, start, row["urlinfo"]):
            return start
    return ""


def has_short_code(store: Store, account_id: str, short_code: str) -> bool:
    """Return whether a QR Code of the account has the short code now."""
    return store.row(HAS_SHORT_CODE, [account_id, short_code]) is not None


_all_of = attrgetter(*COLUMNS.values())
_changing_of = attrgetter(*(COLUMNS[name] for name in CHANGING))


def _values(fields: Iterable[Any]) -> list[Any]:
    """Convert field values to column values."""
    return [TO_SQL[type(value)](value) if type(value) in TO_SQL else value for value in fields]


def column_values(code: QRCode, names: Iterable[str]) -> StoredRow:
    """Return the values of columns of a QR Code, as the database takes them."""
    return {name: _values([getattr(code, COLUMNS[name])])[0] for name in names}


def _number(row: dict[str, Any] | None) -> int:
    return int(row["number"] or 0) if row else 0


def _target(code: QRCode, number: int) -> Target:
    """Return the redirect target of a QR Code."""
    plain = (getattr(code, name) for name in Terms._fields[1:-1])
    terms = Terms(code.rules, *plain)._replace(gs1=_list_text(code.gs1))
    schedule = code.schedule if code.is_schedule_enabled else ()
    return Target(number, code.content, schedule, None if terms == NO_TERMS_AT_ALL else terms)


def read_qrcode(row: dict[str, Any], links: Links) -> QRCode:
    """Convert a row of `RECORDS` to a record."""
    del row["number"]
    # As a dictionary, the location is validated with the record, which takes less time than a record of its own.
    row["location"] = {name: row.pop(name) for name in LOCATION}
    row["properties"] = _properties(row["properties"])
    row["created"] = utc(row["created"])
    row["schedule"] = read_schedule(row["schedule"])
    for name, nothing in NOTHING.items():
        if (text := row.pop(name)) and text != nothing:  # most QR Codes have none, and need no validation
            row[name] = json.loads(text)
    for column, default in NO_TERMS.items():
        if (value := row.pop(column)) != default:
            row[COLUMNS[column]] = utc(value) if isinstance(value, datetime) else value
    row |= links(row)
    return QRCode.from_fields(row)


@lru_cache(maxsize=1_000)
def _properties(text: str) -> Properties:
    """Parse properties; cached, because most QR Codes of a portfolio share the same properties."""
    return Properties.from_json(text)
