"""Campaigns, QR Codes and their short codes in the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from qrkit.records import Campaign, Location, Properties
from qrkit.store.connection import Store
from qrkit.times import naive, utc

__all__ = [
    "StoredQRCode",
    "Target",
    "campaigns",
    "insert_campaign",
    "insert_qrcode",
    "is_taken",
    "qrcodes",
    "target",
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


@dataclass(frozen=True, slots=True)
class Target:
    """Where a short code leads: the number of its QR Code and the content to serve."""

    qrcode: int
    content: str


INSERT_CAMPAIGN = "INSERT INTO campaigns (id, account_id, name, description, created) VALUES (?, ?, ?, ?, ?)"
SELECT_CAMPAIGNS = """
SELECT id, name, description, created FROM campaigns
WHERE account_id = $account AND ($id IS NULL OR id = $id) AND ($name IS NULL OR name = $name)
ORDER BY created, rowid
"""
INSERT_QRCODE = """
INSERT INTO qrcodes (
    number, id, account_id, campaign_id, name, content, comment, urlinfo, short_code, is_dynamic, imported_scans,
    created, properties, address, latitude, longitude
) VALUES (nextval('qrcode_numbers'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
INSERT_SHORT_CODE = "INSERT INTO short_codes SELECT short_code, number FROM qrcodes WHERE id = ?"
SELECT_QRCODES = """
SELECT
    q.id, q.campaign_id, q.name, q.content, q.comment, q.urlinfo, q.short_code, q.is_dynamic,
    q.imported_scans + coalesce(v.scans, 0) AS scans, q.created, q.properties, q.address, q.latitude, q.longitude
FROM qrcodes q
LEFT JOIN (SELECT qrcode, count(*) AS scans FROM visits WHERE kind = 'scan' GROUP BY qrcode) v ON v.qrcode = q.number
WHERE q.account_id = $account
    AND ($id IS NULL OR q.id = $id) AND ($campaign IS NULL OR q.campaign_id = $campaign)
    AND ($content IS NULL OR q.content = $content)
ORDER BY q.number
"""
IS_TAKEN = "SELECT 1 AS taken FROM short_codes WHERE code = ?"
TARGET = """
SELECT q.number AS qrcode, q.content FROM short_codes s JOIN qrcodes q ON q.number = s.qrcode WHERE s.code = ?
"""


def insert_campaign(store: Store, account_id: str, campaign: Campaign) -> None:
    """Store a campaign of an account."""
    values = [campaign.id, account_id, campaign.name, campaign.description, naive(campaign.created)]
    store.execute(INSERT_CAMPAIGN, values)


def campaigns(store: Store, account_id: str, *, id: str | None = None, name: str | None = None) -> list[Campaign]:
    """The campaigns of an account, oldest first; of this id or name where one is given."""
    found = store.rows(SELECT_CAMPAIGNS, {"account": account_id, "id": id, "name": name})
    return [Campaign(**row) for row in found]


def insert_qrcode(store: Store, account_id: str, code: StoredQRCode) -> None:
    """Store a QR Code of an account; its short code is one that was never given, its `scans` count as imported."""
    location = code.location
    values: list[Any] = [code.id, account_id, code.campaign_id, code.name, code.content, code.comment, code.urlinfo]
    values += [code.short_code, code.is_dynamic, code.scans, naive(code.created), code.properties.to_json()]
    values += [location.address, location.latitude, location.longitude]
    with store.atomic():
        store.execute(INSERT_QRCODE, values)
        store.execute(INSERT_SHORT_CODE, [code.id])


def qrcodes(
    store: Store, account_id: str, *, id: str | None = None, campaign_id: str | None = None, content: str | None = None
) -> list[StoredQRCode]:
    """The QR Codes of an account in the order they were stored; of this id, campaign or content where one is given."""
    parameters = {"account": account_id, "id": id, "campaign": campaign_id, "content": content}
    found = store.rows(SELECT_QRCODES, parameters)
    return [_stored(row) for row in found]


def is_taken(store: Store, short_code: str) -> bool:
    """Whether the short code was ever given, to any account."""
    return store.row(IS_TAKEN, [short_code]) is not None


def target(store: Store, short_code: str) -> Target | None:
    """Where a short code leads; None when nobody has it."""
    row = store.row(TARGET, [short_code])
    return Target(**row) if row else None


def _stored(row: dict[str, Any]) -> StoredQRCode:
    place = {name: row.pop(name) for name in ("address", "latitude", "longitude")}
    row["properties"] = Properties.from_json(row["properties"])
    row["created"] = utc(row["created"])
    return StoredQRCode(**row, location=Location(**place))
