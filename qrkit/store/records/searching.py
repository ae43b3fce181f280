"""Searches the QR Codes of an account in the database, a page at a time, and puts deleted ones back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from qrkit.store.connection import Store
from qrkit.store.recording.event_log import Event, add_code_events, add_events
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.ids import can_be_stored
from qrkit.store.records.qrcodes import (
    BEYOND,
    LOCATION,
    MOST_IN_TEXT,
    OTHER_NAMES,
    QRCODES,
    RECORDS,
    SELECT_NUMBER,
    Links,
    column_values,
    forget_taken,
    get_ready,
    insert_values,
    read_all,
)
from qrkit.store.records.short_codes import remember_changed
from qrkit.tracking.records import QRCode, TermsFields
from qrkit.tracking.times import naive

__all__ = ["EDITED", "ORDERS", "Search", "deleted_rows", "edit_qrcodes", "imports", "put_back", "search_qrcodes"]

EDITED = (
    "name", "campaign_id", "content", "comment", "location", "properties", "template", "tags", "fields",
    "is_schedule_enabled", "schedule", *TermsFields.__annotations__,
)  # fmt: skip
"""The fields of QR Codes that `edit_qrcodes` can change."""

FOLDED = "replace(replace(lower({}), 'ß', 'ss'), 'ς', 'σ')"  # noqa: RUF001
"""A text without case: `lower` leaves ß, which capitals write as SS, and the sigma at the end of words."""
WRITTEN = "concat_ws(chr(10), name, content, comment, address, short_code, nullif(tags, '[]'), nullif(fields, '{}'))"
FIND = f"""
WITH texts AS (
    SELECT
        number, id, name, campaign_id, imported_scans, content, tags, fields, is_dynamic,
        {FOLDED.format("$base::VARCHAR || '/' || short_code")} AS link,
        {FOLDED.format(WRITTEN)} AS text
    FROM qrcodes
    WHERE account_id = $account
        AND (NOT $is_filtered::BOOLEAN OR coalesce(number < ({BEYOND}), true))
        AND ($campaign::VARCHAR IS NULL OR campaign_id = $campaign::VARCHAR)
        AND ($ids::VARCHAR[] IS NULL OR id IN (SELECT unnest($ids::VARCHAR[])))
)
SELECT number, id, count(*) OVER () AS total FROM texts
"""
LAST_SCANS = """
LEFT JOIN (SELECT qrcode, max(time) AS last FROM all_visits WHERE kind = 'scan' GROUP BY qrcode) l ON l.qrcode = number
"""
FIELD = "(fields::JSON ->> $field::VARCHAR)"
SCANS = "imported_scans + (SELECT c.scans FROM scan_counts c WHERE c.qrcode = texts.number)"
ORDERS = {
    "added": ("number",),
    "name": ("lower(name)",),
    "campaign": ("(SELECT lower(c.name) FROM campaigns c WHERE c.id = texts.campaign_id)", "lower(name)"),
    "tags": ("lower(nullif(tags, '[]'))",),
    "field": (f"CASE WHEN {FIELD} ~ '^[0-9]{{1,15}}$' THEN {FIELD}::BIGINT END", f"lower({FIELD})"),
    "scans": (SCANS,),
    "last scan": ("l.last",),
}
"""What QR Codes are sorted by. Those without it come last, and those that are alike in the order they were added."""
SELECT_NUMBERED = f"{RECORDS} AND q.number IN (SELECT unnest($numbers::INTEGER[])) ORDER BY q.number"
SELECT_ROWS = f"SELECT {', '.join(QRCODES)} FROM qrcodes WHERE id IN (SELECT unnest(?::VARCHAR[])) ORDER BY number"
SELECT_IMPORTED = """
SELECT id, imported_scans, stored FROM qrcodes WHERE imported_scans > 0 AND id IN (SELECT unnest(?::VARCHAR[]))
"""
TOUCH = "UPDATE qrcodes SET comment = comment WHERE number IN (SELECT unnest(?::INTEGER[]))"
EDIT = "UPDATE qrcodes SET {changes} FROM (SELECT * FROM {rows}) new WHERE qrcodes.id = new.id"


@dataclass(frozen=True, slots=True)
class Search:
    """Which QR Codes of an account to find.

    Attributes:
        words: Texts that the name, content, comment, address, tags, fields or short URL contain, regardless of case.
            Part of the base URL alone, which all short URLs have, finds none of them.
        campaign: ID of the campaign; None for all.
        ids: IDs of the QR Codes; None for all.
        content: A part of the content, exactly as written.
        order: What they are sorted by, one of `ORDERS`; with `-` in front, the last ones come first.
        field: The name of the field to sort by, for the order "field".
        is_unscanned: Whether to find only dynamic QR Codes without scans.
    """

    words: tuple[str, ...] = ()
    campaign: str | None = None
    ids: tuple[str, ...] | None = None
    content: str = ""
    order: str = "added"
    field: str = ""
    is_unscanned: bool = False

    @property
    def is_filtered(self) -> bool:
        """Whether fields are compared that the plan may hide."""
        return bool(self.words or self.campaign is not None or self.content or self.is_unscanned)


def search_qrcodes(
    store: Store,
    account_id: str,
    search: Search,
    links: Links,
    *,
    base_url: str,
    most: int,
    start: int = 0,
    limit: int | None = None,
) -> tuple[int, list[QRCode]]:
    """Return how many QR Codes match a search, and some of them, in the order of the search.

    Args:
        most: Number of QR Codes, oldest first, that the plan makes available.
        start: Number of matching QR Codes to skip. If nothing is left, the first number is 0.
    """
    include_waiting(store)
    if not all(map(can_be_stored, search.words)):
        return 0, []
    conditions, words = _conditions(search.words, base_url)
    asked = {
        "account": account_id,
        "most": most,
        "base": base_url,
        "is_filtered": search.is_filtered,
        "campaign": search.campaign,
        "ids": None if search.ids is None else list(filter(can_be_stored, search.ids)),
        "content": search.content,
        "limit": limit,
        "start": start,
    }
    name, direction = search.order.removeprefix("-"), "DESC" if search.order.startswith("-") else "ASC"
    order = ", ".join(f"{sql} {direction} NULLS LAST" for sql in ORDERS[name])
    asked |= {"field": search.field} if name == "field" else {}
    conditions += f" AND is_dynamic AND {SCANS} = 0" if search.is_unscanned else ""
    sql = f"{FIND}{LAST_SCANS if name == 'last scan' else ''} WHERE strpos(content, $content::VARCHAR) > 0{conditions}"
    page = f"ORDER BY {order}, number LIMIT $limit OFFSET $start"
    found = list(store.each_row(f"{sql} {page}", asked | words))
    if not found:
        return 0, []
    asked = {"account": account_id, "most": most, "numbers": [number for number, *_ in found]}
    places = {id: place for place, (_, id, _) in enumerate(found)}
    codes = read_all(store, SELECT_NUMBERED, asked, links)
    return int(found[0][2]), sorted(codes, key=lambda code: places[code.id])


def _conditions(words: Sequence[str], base_url: str) -> tuple[str, dict[str, str]]:
    """Return the condition that a QR Code of `FIND` has all words, and its parameters."""
    conditions, given = "", dict[str, str]()
    for word in words:
        # Tags and fields are JSON, which has a backslash before quotation marks, for example.
        places = [(part, "text") for part in dict.fromkeys((word, json.dumps(word, ensure_ascii=False)[1:-1]))]
        if "/" in word and word.casefold() not in f"{base_url}/".casefold():  # which all short URLs have
            places.append((word, "link"))
        sought = []
        for part, text in places:
            name = f"word{'_' * len(given)}"
            given[name] = part
            sought.append(f"strpos({text}, {FOLDED.format(f'${name}::VARCHAR')}) > 0")
        conditions += f" AND ({' OR '.join(sought)})"
    return conditions, given


def imports(store: Store, ids: Sequence[str]) -> dict[str, tuple[int, datetime | None]]:
    """Return how many scans were imported with QR Codes, and when (None in stores of old versions), by ID."""
    rows = store.rows(SELECT_IMPORTED, [list(ids)])
    return {row["id"]: (int(row["imported_scans"]), row["stored"]) for row in rows}


def edit_qrcodes(store: Store, edited: Iterable[tuple[QRCode, QRCode]], now: datetime) -> None:
    """Store the fields in `EDITED` of QR Codes, before and after, that differ in any of them, in one transaction."""
    pairs = [(before, after) for before, after in edited if after != before]
    fields = [name for name in EDITED if any(getattr(one, name) != getattr(other, name) for one, other in pairs)]
    codes = [after for _, after in pairs]
    if not fields:
        return
    dialect = store.database.dialect
    changed = [OTHER_NAMES.get(name, name) for name in fields if name != "location"]
    changed += LOCATION if "location" in fields else ()
    columns = ("id", *changed)
    rows_of_json = dialect.rows_of_json({name: QRCODES[name] for name in columns}, number="number")
    sql = EDIT.format(changes=", ".join(f"{name} = new.{name}" for name in changed), rows=rows_of_json)
    with store.atomic():
        for start in range(0, len(codes), MOST_IN_TEXT):
            part = codes[start : start + MOST_IN_TEXT]
            rows = json.dumps([column_values(code, columns) for code in part], ensure_ascii=False)
            store.execute(sql, {"rows": dialect.escape_json(rows), "numbers": list(range(len(part)))})
        if not TermsFields.__annotations__.keys().isdisjoint(fields):
            forget_taken(store, codes)
            for before, code in () if {"rules", "click_id"}.isdisjoint(fields) else pairs:
                if code.click_id or any(rule.variants for rule in code.rules):
                    get_ready(store, code, store.rows(SELECT_NUMBER, [code.id])[0]["number"], before, now)
        add_code_events(store, "code.updated", codes, now)
        remember_changed(store, [code.short_code for code in codes])


def deleted_rows(store: Store, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of QR Codes that are about to be deleted, for `put_back`."""
    return store.rows(SELECT_ROWS, [list(ids)])


def put_back(store: Store, rows: Sequence[Mapping[str, Any]], now: datetime) -> None:
    """Store deleted QR Codes again under their old numbers, by which their short codes and visits belong to them."""
    with store.atomic():
        for row in rows:
            insert_values(store, [row[name] for name in QRCODES])
        if store.database.is_shared:  # an update tells other processes; an insert doesn't
            store.execute(TOUCH, [[row["number"] for row in rows]])
        add_events(store, (Event(row["number"], "code.created", naive(now).isoformat()) for row in rows))
        remember_changed(store, [row["short_code"] for row in rows])
