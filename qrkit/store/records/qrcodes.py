"""Store QR Codes and their short codes."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from sys import intern
from typing import Any, NamedTuple, Self, get_args

from qrkit.errors import StoreBusy, StoreClosed
from qrkit.late import np
from qrkit.model import Model
from qrkit.store.connection import Store
from qrkit.store.engine import Parameters
from qrkit.store.quoting import quoted
from qrkit.store.recording.click_ids import KEY
from qrkit.store.recording.event_log import Event, add_code_events, add_events
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.short_codes import (
    DELETED,
    ON_TERMS,
    TERMS,
    WITH_UTM,
    Target,
    Terms,
    read_entities,
    read_rules,
    read_schedule,
    remember_changed,
    remember_rows,
    remember_targets,
    shared,
)
from qrkit.store.records.splits import begin_splits
from qrkit.store.records.stored_json import stored_json
from qrkit.store.store_settings import secret
from qrkit.tracking.own_fields import OwnFields
from qrkit.tracking.records import DERIVED, Campaign, Location, Properties, QRCode
from qrkit.tracking.redirect_rules import PLACES
from qrkit.tracking.times import naive
from qrkit.tracking.utm import utm_query


def list_text(values: tuple[Model | str, ...]) -> str:
    """Return a schedule, rules, or tags, as JSON."""
    plain = [value if isinstance(value, str) else value.model_dump(mode="json") for value in values]
    return json.dumps(plain, ensure_ascii=False) if plain else "[]"


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
FIXED = ("id", "short_code", "imported_scans", "created", "scan_marker")
"""Columns that never change after the insert."""
CHANGING = [name for name in COLUMNS if name not in FIXED]
SQL_TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "FLOAT8", datetime: "TIMESTAMP"}
"""Column types by field type; all other fields are text."""
_properties_text = lru_cache(maxsize=1_000)(Properties.to_json)
"""Cached, because most QR Codes of a portfolio share the same properties."""
TO_SQL: dict[type, Callable[[Any], Any]] = {
    datetime: lambda moment: naive(moment).isoformat(),
    Properties: _properties_text,
    tuple: list_text,
    OwnFields: lambda fields: json.dumps(fields, ensure_ascii=False) if fields else "{}",
}
"""Conversions to column values, by field type."""


def _values(fields: Iterable[Any]) -> list[Any]:
    """Convert field values to column values."""
    return [TO_SQL[type(value)](value) if type(value) in TO_SQL else value for value in fields]


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
TOGETHER = 10_000
"""Number of QR Codes per query, because planning one takes as long as reading thousands."""
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
SELECT short_code, $first::INTEGER + position AS number, {TERMS} FROM staged_qrcodes q {WITH_UTM}
"""
STAGED_SPLITS = """
SELECT $first::INTEGER + position AS number, rules FROM staged_qrcodes WHERE rules LIKE '%"variants"%'
"""
STAGED_CLASH = """
SELECT s.name FROM staged_qrcodes s JOIN short_codes c ON c.code = s.short_code
UNION ALL
SELECT s.name FROM staged_qrcodes s JOIN qrcodes q ON q.name = s.name
WHERE q.account_id = $account AND q.number > $after::INTEGER
LIMIT 1
"""
INSERT_QRCODE = f"""
INSERT INTO qrcodes ({", ".join(QRCODES)}) VALUES ({", ".join(f"?::{kind}" for kind in QRCODES.values())})
"""
UPDATE_QRCODE = f"UPDATE qrcodes SET {', '.join(f'{name} = ?::{QRCODES[name]}' for name in CHANGING)} WHERE id = ?"
FORGET_TAKEN = """
DELETE FROM scans_taken WHERE qrcode IN (SELECT number FROM qrcodes WHERE id IN (SELECT unnest(?::VARCHAR[])))
"""
"""A limit that is set later counts anew: scans that were not numbered count, too."""
DELETE_QRCODES = "DELETE FROM qrcodes WHERE id IN (SELECT unnest(?::VARCHAR[]))"
INSERT_SHORT_CODE = (
    "INSERT INTO short_codes (code, qrcode) VALUES (?, nextval('qrcode_numbers')) RETURNING qrcode AS number"
)
SELECT_NUMBER = "SELECT number FROM qrcodes WHERE id = ?"
SELECT_OWN_NUMBER = f"{SELECT_NUMBER} AND account_id = ?"
OFTEN = (
    "number", "id", "name", "content", "short_code", "created", "properties", "campaign_id", "scans", "is_available",
    "scan_marker",
)  # fmt: skip
RARE = [name for name in COLUMNS if name not in (*OFTEN, *LOCATION, "imported_scans")]
"""Columns in which most QR Codes have the default. `RECORDS` has NULL in its place, which a driver reads quickest."""
ALL_DEFAULT = [None] * len(RARE)
RARE += LOCATION
RECORD = (*OFTEN, *RARE)
"""The columns of `RECORDS`, in their order."""


def _unless_default(column: str) -> str:
    field, _, part = COLUMNS[column].partition(".")
    kind = Location.model_fields[part] if part else QRCode.model_fields[field]
    (default,) = _values([kind.get_default(call_default_factory=True)])
    literal = quoted(default) if isinstance(default, str) else json.dumps(default)
    return f"nullif(q.{column}, {literal}) AS {column}"


BEYOND = "SELECT number FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT 1 OFFSET $most"
"""Selects the first QR Code that the plan does not show, if there are more than it shows."""
SELECT = """
SELECT
    q.number, q.id, q.name, q.content, q.short_code, q.created, q.properties,
    CASE WHEN q.campaign_id IN (SELECT id FROM campaigns WHERE account_id = $account) THEN q.campaign_id END
        AS campaign_id, -- a damaged store may lack the campaign
    q.imported_scans + c.scans AS scans, coalesce(q.number < ({beyond})::INTEGER, true) AS is_available,
    q.scan_marker, {rare}
FROM qrcodes q JOIN scan_counts c ON c.qrcode = q.number WHERE q.account_id = $account
"""
USUAL = ", ".join(map(_unless_default, RARE))
RECORDS = SELECT.format(beyond=BEYOND, rare=USUAL)
"""Selects what `read_qrcode` reads; conditions and an order may follow."""
OF_CAMPAIGN = "($campaign::VARCHAR IS NULL OR q.campaign_id = $campaign::VARCHAR)"
SELECT_QRCODES = f"""{SELECT.format(beyond="$beyond", rare=USUAL)}
    AND q.number > $after AND q.number <= coalesce($until::INTEGER, 2147483647)
    AND {OF_CAMPAIGN}
    AND ($content::VARCHAR IS NULL OR q.content = $content::VARCHAR)
ORDER BY q.number LIMIT $limit
"""
SELECT_QRCODE = f"{SELECT.format(beyond=BEYOND, rare=', '.join(RARE))} AND q.id = $id"
"""For one QR Code, planning takes nearly all of the time, and longer with defaults and other conditions."""
SELECT_ENDS = f"""
SELECT number
FROM (
    SELECT number, row_number() OVER (ORDER BY number) AS place FROM qrcodes q
    WHERE account_id = $account AND {OF_CAMPAIGN}
) found
WHERE place % $together = 0 ORDER BY number
"""
HAS_TAGS_OR_FIELDS = """
SELECT 1 AS present FROM qrcodes WHERE account_id = ? AND (tags <> '[]' OR fields <> '{}') LIMIT 1
"""
HAS_TERMS = f"SELECT 1 AS present FROM qrcodes q WHERE account_id = ? AND ({ON_TERMS}) LIMIT 1"
ASKS_FOR_PLACES = f"SELECT 1 AS present FROM qrcodes WHERE rules LIKE '%\"{PLACES}%' LIMIT 1"


def insert_qrcode(store: Store, account_id: str, code: QRCode, now: datetime) -> int:
    """Store a new QR Code with an unused short code, whose scans were counted before `now`; return its number."""
    store.check_writable()
    with store.atomic():
        # One row per table, with plain values: for one QR Code, bulk statements take longer to plan than to run.
        values = _values(_all_of(code))  # first: an error in them must not leave a short code without its QR Code
        number = int(store.value(INSERT_SHORT_CODE, [code.short_code]) or 0)
        insert_values(store, [number, account_id, naive(now), *values])
        store.execute_often("INSERT INTO scan_counts (qrcode, scans, forgotten) VALUES (?, 0, 0)", [number])
        get_ready(store, code, number, None, now)
        add_code_events(store, "code.created", [code], now)
        _remember(store, code, target_of(code, number))
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


def _dtype(name: str, values: Sequence[Any]) -> str:
    """Return the dtype of a column; flags that may be missing are objects."""
    return "object" if ROW[name] == "BOOLEAN" and None in values else DTYPES.get(ROW[name], "object")


class CodesText(NamedTuple):
    """New QR Codes as JSON. The database reads it, which takes the interpreter a hundredth of the work of values.

    Rows are a list of objects with the columns of the table `qrcodes`, at most `MOST_IN_TEXT`.
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
        positions = np.arange(self._length, self._length + len(rows), dtype="int32")
        fields = {name: _column([row[name] for row in rows]) for name in COLUMNS}
        columns = {name: np.array(values, dtype=_dtype(name, values)) for name, values in fields.items()}
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
        numbers = range(first["first"], first["first"] + self._length)
        add_events(store, (Event(number, "code.created", naive(now).isoformat()) for number in numbers))
        for row in store.rows(STAGED_SPLITS, first):
            begin_splits(store, row["number"], read_rules(row["rules"]), now=now)
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


def get_ready(store: Store, code: QRCode, number: int, before: QRCode | None, now: datetime) -> None:
    """Store, in the open transaction, what redirects need of a new or changed QR Code besides its row."""
    begin_splits(store, number, code.rules, before.rules if before else (), now=now)
    if code.click_id:
        secret(store, KEY)  # now, so that no visitor waits for it


def update_qrcode(store: Store, code: QRCode, before: QRCode, now: datetime) -> None:
    """Update a stored QR Code; the id, short code, scans and creation time never change."""
    with store.atomic():
        store.execute(UPDATE_QRCODE, [*_values(_changing_of(code)), code.id])
        number = int(store.value(SELECT_NUMBER, [code.id]) or 0)
        get_ready(store, code, number, before, now)
        add_code_events(store, "code.updated", [code], now)
        forget_taken(store, [code])
        _remember(store, code, target_of(code, number))


def _remember(store: Store, code: QRCode, target: Target) -> None:
    if code.campaign_id is None:
        remember_targets(store, {code.short_code: target})
    else:
        remember_changed(store, [code.short_code])  # its campaign may have UTM parameters


def forget_taken(store: Store, codes: Sequence[QRCode]) -> None:
    """Forget how many scans of QR Codes were numbered, if no limit and no rule numbers them any more."""
    terms = {code.id: target_of(code, 0).terms for code in codes}
    if unnumbered := [id for id, one in terms.items() if one is None or not one.needs_number]:
        store.execute(FORGET_TAKEN, [unnumbered])


def delete_qrcodes(store: Store, codes: Sequence[QRCode], now: datetime) -> None:
    """Delete QR Codes; the short codes are kept, so that they are never reused."""
    with store.atomic():
        add_code_events(store, "code.deleted", codes, now)
        store.execute(DELETE_QRCODES, [[code.id for code in codes]])
        remember_targets(store, {code.short_code: DELETED for code in codes})


def qrcodes(
    store: Store,
    account_id: str,
    links: Links,
    *,
    most: int,
    campaign: str | None = None,
    content: str | None = None,
    after: int = 0,
    limit: int | None = None,
) -> list[QRCode]:
    """Return the `most` oldest QR Codes of an account, with a number above `after`, in the order they were stored."""
    include_waiting(store)
    asked = {"campaign": campaign, "content": content, "account": account_id, "after": after, "limit": limit}
    beyond = _first_beyond(store, account_id, most)
    return read_all(store, SELECT_QRCODES, {**asked, "until": None, "beyond": beyond}, links)


def qrcode(store: Store, account_id: str, links: Links, *, most: int, id: str) -> QRCode | None:
    """Return a QR Code of an account, or None."""
    include_waiting(store)
    found = read_all(store, SELECT_QRCODE, {"id": id, "account": account_id, "most": most}, links)
    return found[0] if found else None


def read_all(store: Store, sql: str, asked: Mapping[str, Any], links: Links) -> list[QRCode]:
    """Return the QR Codes of a query of `RECORDS`."""
    with _collecting_later(), closing(store.each_row(sql, asked)) as rows:  # closed also if a row is damaged
        return [read_qrcode(row, links) for row in rows]


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Context manager: pauses the garbage collector, which would look through a million new records ten times."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def each_qrcode(
    store: Store, account_id: str, links: Links, *, most: int, campaign: str | None = None
) -> Iterator[QRCode]:
    """Yield all QR Codes of an account or a campaign; each is parsed only when it is needed, and not kept in memory."""
    for part in parts(store, account_id, most=most, campaign=campaign):
        for row in list(store.each_row(SELECT_QRCODES, part)):
            yield read_qrcode(row, links)


def parts(store: Store, account_id: str, *, most: int, campaign: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the parameters of `SELECT_QRCODES` for `TOGETHER` QR Codes of an account at a time.

    All ends are looked up at once, because the database reads all codes that follow one to find the next. The first QR
    Code that the plan does not show is looked up once, because the database reads all codes for it.
    """
    include_waiting(store)
    asked = {"account": account_id, "campaign": campaign, "together": TOGETHER}
    ends = [end for (end,) in store.each_row(SELECT_ENDS, asked)]
    asked = {"account": account_id, "campaign": campaign, "content": None, "limit": None}
    beyond = _first_beyond(store, account_id, most)
    for after, until in pairwise([0, *ends, None]):
        yield {**asked, "after": after, "until": until, "beyond": beyond}


def _first_beyond(store: Store, account_id: str, most: int) -> int | None:
    """Return the number of the first QR Code that the plan does not show; None if it shows all."""
    return store.value(BEYOND, {"account": account_id, "most": most})


def count_qrcodes(store: Store, account_id: str) -> int:
    """Return the number of QR Codes of an account."""
    return int(store.value("SELECT count(*) AS number FROM qrcodes WHERE account_id = ?", [account_id]) or 0)


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
    return store.value(SELECT_OWN_NUMBER, [id, account_id])


def last_number(store: Store) -> int:
    """Return the number of the QR Code that was stored last, in any account, deleted ones included."""
    return int(store.value("SELECT max(qrcode) AS number FROM short_codes") or 0)


_all_of = attrgetter(*COLUMNS.values())
_changing_of = attrgetter(*(COLUMNS[name] for name in CHANGING))


def column_values(code: QRCode, names: Iterable[str]) -> StoredRow:
    """Return the values of columns of a QR Code, as the database takes them."""
    return {name: _values([attrgetter(COLUMNS[name])(code)])[0] for name in names}


def target_of(code: QRCode, number: int, campaign: Campaign | None = None) -> Target:
    """Return the redirect target of a QR Code of a campaign."""
    terms = Terms(*(getattr(code, name) for name in Terms._fields if name not in ("numbers", "utm", "gs1")))
    terms = terms._replace(gs1=list_text(code.gs1))
    if campaign:
        names = {"campaign": campaign.name, "name": code.name, "short_code": code.short_code}
        terms = terms._replace(utm=utm_query(campaign.utm, **names))
    return Target(number, code.content, code.schedule if code.is_schedule_enabled else (), shared(terms))


def _moment(stored: datetime | str) -> datetime:
    """Convert a timestamp of a row, or of a row that the database wrote as JSON."""
    moment = stored if isinstance(stored, datetime) else datetime.fromisoformat(stored)
    return datetime.combine(moment, moment.time(), UTC)  # a quarter of the time of `replace`


_properties = lru_cache(maxsize=1_000)(Properties.from_json)
"""Cached, because most QR Codes of a portfolio share the same properties."""


@lru_cache(maxsize=1_000)
def _tags(text: str) -> tuple[str, ...]:
    """Parse tags; cached, because many QR Codes of a portfolio have the same."""
    return tuple(stored_json(text, list, "a QR Code has the damaged tags"))


READ: dict[str, Callable[[Any], Any]] = {
    "tags": _tags,
    "fields": lambda text: OwnFields(stored_json(text, dict, "a QR Code has the damaged fields")),
    "schedule": read_schedule, "rules": read_rules, "gs1": read_entities,
    "valid_since": _moment, "valid_until": _moment,
}  # fmt: skip
"""Conversions of rare column values that are not those of the field."""
RARE_FIELDS = [(COLUMNS[name], READ.get(name)) for name in RARE[: -len(LOCATION)]]
"""The field of each rare column apart from the location, and its conversion if any."""


_defaults = {name: field.get_default(call_default_factory=True) for name, field in QRCode.model_fields.items()}
DEFAULTS = dict(_defaults)  # without the room for more fields that it has grown: 830 bytes a copy in place of 1,580


def _degrees(stored: float | None) -> float | None:
    return None if stored is None else float(stored)  # JSON of a server has 46 for 46.0


def read_qrcode(row: Sequence[Any], links: Links) -> QRCode:
    """Convert a row of `RECORDS` to a record. It was valid when it was stored, and is not validated again."""
    fields = DEFAULTS.copy()
    (
        _, fields["id"], fields["name"], fields["content"], fields["short_code"], created, properties,
        campaign, fields["scans"], fields["is_available"], fields["scan_marker"], *rare, address, latitude, longitude,
    ) = row  # fmt: skip
    fields["campaign_id"] = campaign and intern(campaign)  # one text for all QR Codes of a campaign
    fields["created"] = _moment(created)
    fields["properties"] = _properties(properties)
    if address or latitude is not None or longitude is not None:
        degrees = {"latitude": _degrees(latitude), "longitude": _degrees(longitude)}
        fields["location"] = Location.as_stored({"address": address or "", **degrees})
    if rare != ALL_DEFAULT:
        for (field, read), value in zip(RARE_FIELDS, rare, strict=True):
            if value is not None:
                fields[field] = read(value) if read else value
    fields |= links(fields)
    return QRCode.as_stored(fields)
