"""Campaigns, QR Codes and their short codes in the store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from qrkit.store.connection import Store
from qrkit.store.short_codes import DELETED, Target, read_schedule, remember_targets
from qrkit.tracking.records import Campaign, Location, Properties, ScheduleEvent
from qrkit.tracking.times import naive, utc

__all__ = [
    "StoredQRCode",
    "all_short_codes",
    "campaigns",
    "count_qrcodes",
    "delete_campaign",
    "delete_qrcodes",
    "insert_campaign",
    "insert_qrcode",
    "insert_qrcodes",
    "is_taken",
    "leave_campaign",
    "names_and_contents",
    "qrcodes",
    "qrcodes_in_parts",
    "update_campaign",
    "update_qrcode",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQRCode:
    """A QR Code as the store keeps it: the record without what follows from it (URLs)."""

    id: str
    campaign_id: str | None
    name: str
    content: str
    comment: str
    urlinfo: str
    short_code: str
    is_dynamic: bool
    scans: int
    created: datetime
    properties: Properties
    location: Location
    is_schedule_enabled: bool
    schedule: tuple[ScheduleEvent, ...]
    is_available: bool = True


INSERT_CAMPAIGN = "INSERT INTO campaigns (id, account_id, name, description, created) VALUES (?, ?, ?, ?, ?)"
SELECT_CAMPAIGNS = """
SELECT id, name, description, created FROM campaigns
WHERE account_id = $account AND ($id::VARCHAR IS NULL OR id = $id::VARCHAR)
    AND ($name::VARCHAR IS NULL OR name = $name::VARCHAR)
ORDER BY created, rowid
"""
UPDATE_CAMPAIGN = "UPDATE campaigns SET name = ?, description = ? WHERE id = ?"
LEAVE_CAMPAIGN = "UPDATE qrcodes SET campaign_id = NULL WHERE campaign_id = ?"
DELETE_CAMPAIGN = "DELETE FROM campaigns WHERE id = ?"
COLUMNS = (
    "campaign_id", "name", "content", "comment", "urlinfo", "is_dynamic", "properties", "address", "latitude",
    "longitude", "is_schedule_enabled", "schedule",
)  # fmt: skip
"""What may change of a QR Code."""
TOGETHER = 5_000
"""QR Codes in one statement."""
KINDS = {
    "number": "INTEGER", "imported_scans": "BIGINT", "created": "TIMESTAMP", "stored": "TIMESTAMP",
    "is_dynamic": "BOOLEAN", "latitude": "FLOAT8", "longitude": "FLOAT8", "is_schedule_enabled": "BOOLEAN",
}  # fmt: skip
"""Types of columns that are not text."""
_INSERTED = ("number", "id", "account_id", "short_code", "imported_scans", "created", "stored", *COLUMNS)
INSERT_QRCODES = f"""
INSERT INTO qrcodes ({", ".join(_INSERTED)})
SELECT {", ".join(f"unnest(?::{KINDS.get(name, 'VARCHAR')}[])" for name in _INSERTED)}
"""
UPDATE_QRCODE = f"UPDATE qrcodes SET {', '.join(f'{name} = ?' for name in COLUMNS)} WHERE id = ?"
DELETE_QRCODES = "DELETE FROM qrcodes WHERE id IN (SELECT unnest(?::VARCHAR[]))"
NEXT_NUMBERS = "SELECT nextval('qrcode_numbers') AS number FROM generate_series(1, ?)"
INSERT_SHORT_CODES = "INSERT INTO short_codes SELECT unnest(?::VARCHAR[]), unnest(?::INTEGER[])"
INSERT_COUNTS = "INSERT INTO scan_counts SELECT unnest(?::INTEGER[]), 0, 0"
SELECT_NUMBER = "SELECT number FROM qrcodes WHERE id = ?"
SELECT_QRCODES = """
WITH beyond AS ( -- the first that the plan does not show, if there are so many
    SELECT number FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT 1 OFFSET $most
)
SELECT
    q.number, q.id, q.campaign_id, q.name, q.content, q.comment, q.urlinfo, q.short_code, q.is_dynamic,
    q.imported_scans + c.scans AS scans, q.created, q.properties, q.address, q.latitude, q.longitude,
    q.is_schedule_enabled, q.schedule, coalesce(q.number < (SELECT number FROM beyond), true) AS is_available
FROM qrcodes q JOIN scan_counts c ON c.qrcode = q.number
WHERE q.account_id = $account AND q.number > $after AND ($id::VARCHAR IS NULL OR q.id = $id::VARCHAR)
    AND ($campaign::VARCHAR IS NULL OR q.campaign_id = $campaign::VARCHAR)
    AND ($content::VARCHAR IS NULL OR q.content = $content::VARCHAR)
ORDER BY q.number LIMIT $together
"""
COUNT_QRCODES = "SELECT count(*) AS number FROM qrcodes WHERE account_id = ?"
IS_TAKEN = "SELECT 1 AS taken FROM short_codes WHERE code = ?"


def insert_campaign(store: Store, account_id: str, campaign: Campaign) -> None:
    """Store a campaign of an account."""
    values = [campaign.id, account_id, campaign.name, campaign.description, naive(campaign.created)]
    store.execute(INSERT_CAMPAIGN, values)


def campaigns(store: Store, account_id: str, *, id: str | None = None, name: str | None = None) -> list[Campaign]:
    """The campaigns of an account, oldest first; of this id or name where one is given."""
    found = store.rows(SELECT_CAMPAIGNS, {"account": account_id, "id": id, "name": name})
    return [Campaign(**row) for row in found]


def update_campaign(store: Store, campaign: Campaign) -> None:
    """Store a campaign that has changed."""
    store.execute(UPDATE_CAMPAIGN, [campaign.name, campaign.description, campaign.id])


def leave_campaign(store: Store, id: str) -> None:
    """Take the QR Codes of a campaign out of it; they lead where they led."""
    store.execute(LEAVE_CAMPAIGN, [id])


def delete_campaign(store: Store, id: str) -> None:
    """Delete a campaign that has no QR Codes any more."""
    store.execute(DELETE_CAMPAIGN, [id])


def insert_qrcode(store: Store, account_id: str, code: StoredQRCode, now: datetime) -> None:
    """Store a QR Code of an account; its short code was never given before, its `scans` were counted before now."""
    insert_qrcodes(store, account_id, [code], now)


def insert_qrcodes(store: Store, account_id: str, codes: Sequence[StoredQRCode], now: datetime) -> None:
    """Store QR Codes of an account together; of each, as `insert_qrcode` does."""
    store.check_writable()
    with store.atomic():
        for start in range(0, len(codes), TOGETHER):
            part = codes[start : start + TOGETHER]
            numbers = [int(row["number"]) for row in store.rows(NEXT_NUMBERS, [len(part)])]
            rows = [
                (
                    number,
                    code.id,
                    account_id,
                    code.short_code,
                    code.scans,
                    naive(code.created),
                    naive(now),
                    *_values(code),
                )
                for number, code in zip(numbers, part, strict=True)
            ]
            store.execute(INSERT_QRCODES, [list(column) for column in zip(*rows, strict=True)])
            store.execute(INSERT_SHORT_CODES, [[code.short_code for code in part], numbers])
            store.execute(INSERT_COUNTS, [numbers])
            remember_targets(
                store, {code.short_code: _target(code, number) for number, code in zip(numbers, part, strict=True)}
            )


def update_qrcode(store: Store, code: StoredQRCode) -> None:
    """Store a QR Code that has changed; id, short code, scans and created never do."""
    with store.atomic():
        store.execute(UPDATE_QRCODE, [*_values(code), code.id])
        number = _number(store.row(SELECT_NUMBER, [code.id]))
        remember_targets(store, {code.short_code: _target(code, number)})


def delete_qrcodes(store: Store, codes: Sequence[StoredQRCode]) -> None:
    """Delete QR Codes; their short codes stay, so that they are never given again (ruling T6)."""
    with store.atomic():
        store.execute(DELETE_QRCODES, [[code.id for code in codes]])
        remember_targets(store, {code.short_code: DELETED for code in codes})


def qrcodes(
    store: Store,
    account_id: str,
    *,
    most: int,
    id: str | None = None,
    campaign: str | None = None,
    content: str | None = None,
) -> list[StoredQRCode]:
    """The QR Codes of an account in the order they were stored.

    Args:
        store: Where they are kept.
        account_id: The account they belong to.
        most: How many of them, the oldest, are available (ruling T13).
        id: Only the QR Code with this id.
        campaign: Only those of the campaign with this id.
        content: Only those with this content.
    """
    asked = {"id": id, "campaign": campaign, "content": content, "account": account_id, "most": most}
    return [code for part in _in_parts(store, asked, together=None) for code in part]


def qrcodes_in_parts(store: Store, account_id: str, *, most: int) -> Iterator[list[StoredQRCode]]:
    """All QR Codes of an account, `TOGETHER` at a time."""
    asked = {"id": None, "campaign": None, "content": None, "account": account_id, "most": most}
    return _in_parts(store, asked, together=TOGETHER)


def _in_parts(store: Store, asked: Mapping[str, Any], *, together: int | None) -> Iterator[list[StoredQRCode]]:
    after = 0
    while found := store.rows(SELECT_QRCODES, {**asked, "together": together, "after": after}):
        after = found[-1]["number"]
        yield [_stored(row) for row in found]
        if together is None or len(found) < together:
            return


def count_qrcodes(store: Store, account_id: str) -> int:
    """How many QR Codes an account has."""
    return _number(store.row(COUNT_QRCODES, [account_id]))


def all_short_codes(store: Store) -> set[str]:
    """All short codes that were ever given, to any account."""
    return {row["code"] for row in store.rows("SELECT code FROM short_codes")}


def names_and_contents(store: Store, account_id: str) -> list[tuple[str, str]]:
    """The name and the content of every QR Code of an account."""
    found = store.rows("SELECT name, content FROM qrcodes WHERE account_id = ?", [account_id])
    return [(row["name"], row["content"]) for row in found]


def is_taken(store: Store, short_code: str) -> bool:
    """Whether the short code was ever given, to any account."""
    return store.row(IS_TAKEN, [short_code]) is not None


def _values(code: StoredQRCode) -> list[Any]:
    """What `COLUMNS` hold of a QR Code."""
    place = code.location
    return [
        code.campaign_id,
        code.name,
        code.content,
        code.comment,
        code.urlinfo,
        code.is_dynamic,
        code.properties.to_json(),
        place.address,
        place.latitude,
        place.longitude,
        code.is_schedule_enabled,
        json.dumps([event.model_dump(mode="json") for event in code.schedule]) if code.schedule else "[]",
    ]


def _number(row: dict[str, Any] | None) -> int:
    return int(row["number"]) if row else 0


def _target(code: StoredQRCode, number: int) -> Target:
    """Where redirects lead that follow a QR Code."""
    return Target(number, code.content, code.schedule if code.is_schedule_enabled else ())


def _stored(row: dict[str, Any]) -> StoredQRCode:
    del row["number"]
    place = {name: row.pop(name) for name in ("address", "latitude", "longitude")}
    row["properties"] = _properties(row["properties"])
    row["created"] = utc(row["created"])
    row["schedule"] = read_schedule(row["schedule"])
    return StoredQRCode(**row, location=Location(**place))


@lru_cache(maxsize=1_000)
def _properties(text: str) -> Properties:
    """The properties that a text says; the codes of a portfolio are drawn in few ways, so each is read once."""
    return Properties.from_json(text)
