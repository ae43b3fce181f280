"""Store campaigns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from qrkit.store.connection import Store
from qrkit.store.recording.event_log import add_code_events
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records.campaign_colors import free_color, pass_on_color
from qrkit.store.records.drawing_templates import change_looks
from qrkit.store.records.qrcodes import RECORDS, list_text
from qrkit.store.records.short_codes import remember_changed
from qrkit.store.records.stored_json import stored_json
from qrkit.tracking.records import Campaign, QRCode
from qrkit.tracking.times import naive

INSERT_CAMPAIGN = """
INSERT INTO campaigns (id, account_id, name, description, template, rules, utm, created, color)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
SELECT_CAMPAIGNS = """
SELECT id, name, description, template, rules, utm, created FROM campaigns
WHERE account_id = $account AND ($id::VARCHAR IS NULL OR id = $id::VARCHAR)
ORDER BY created, rowid
"""
COUNT = f"""
SELECT campaign_id, count(*) AS qrcodes, sum(scans)::BIGINT AS scans
FROM ({RECORDS}) found WHERE is_available AND campaign_id IS NOT NULL GROUP BY campaign_id
"""
UPDATE_CAMPAIGN = "UPDATE campaigns SET name = ?, description = ?, template = ?, rules = ?, utm = ? WHERE id = ?"
CODES_OF_CAMPAIGN = "SELECT short_code FROM qrcodes WHERE campaign_id = ?"
STAY_IN_CAMPAIGN = "UPDATE qrcodes SET campaign_id = campaign_id WHERE campaign_id = ?"  # tells other processes


def insert_campaign(store: Store, account_id: str, campaign: Campaign) -> None:
    """Store a campaign of an account."""
    with change_looks(store):
        own = (*_changing(campaign), naive(campaign.created), free_color(store, account_id))
        store.execute(INSERT_CAMPAIGN, [campaign.id, account_id, *own])


def campaigns(store: Store, account_id: str, *, id: str | None = None) -> list[Campaign]:
    """Return the campaigns of an account, oldest first, optionally only the one with an id."""
    return [read_campaign(row) for row in store.rows(SELECT_CAMPAIGNS, {"account": account_id, "id": id})]


def count_in_campaigns(store: Store, account_id: str, *, most: int) -> dict[str, tuple[int, int]]:
    """Return the numbers of QR Codes and of their scans by campaign, without campaigns that have no QR Codes.

    Only the `most` oldest QR Codes count: those that the plan makes available.
    """
    include_waiting(store)
    return {id: (qrcodes, scans) for id, qrcodes, scans in store.each_row(COUNT, {"account": account_id, "most": most})}


def read_campaign(row: Mapping[str, Any]) -> Campaign:
    """Convert a row of the table `campaigns` to a record."""
    rules = stored_json(row["rules"], list, "a campaign has the damaged rules", items=dict)
    return Campaign(**{**row, "rules": rules, "utm": stored_json(row["utm"], dict, "a campaign has the damaged UTM")})


def update_campaign(store: Store, campaign: Campaign) -> None:
    """Update a stored campaign, and what redirects know of it."""
    with change_looks(store):
        store.execute(UPDATE_CAMPAIGN, [*_changing(campaign), campaign.id])
        _change_all(store, STAY_IN_CAMPAIGN if store.database.is_shared else None, campaign.id)


def _changing(campaign: Campaign) -> list[str]:
    return [campaign.name, campaign.description, campaign.template, list_text(campaign.rules), campaign.utm.to_json()]


def leave_campaign(store: Store, id: str, codes: Sequence[QRCode], now: datetime) -> None:
    """Remove all QR Codes from a campaign: `codes`."""
    with store.atomic():
        _change_all(store, "UPDATE qrcodes SET campaign_id = NULL WHERE campaign_id = ?", id)
        add_code_events(store, "code.updated", codes, now)


def _change_all(store: Store, sql: str | None, campaign: str) -> None:
    """Change all QR Codes of a campaign, if there is SQL, and what redirects know of them."""
    codes = [row["short_code"] for row in store.rows(CODES_OF_CAMPAIGN, [campaign])]
    if sql:
        store.execute(sql, [campaign])
    remember_changed(store, codes)


def delete_campaign(store: Store, id: str) -> None:
    """Delete a campaign that no longer has QR Codes; another one may take over its color."""
    campaign = store.row("SELECT account_id, color FROM campaigns WHERE id = ?", [id])
    store.execute("DELETE FROM campaigns WHERE id = ?", [id])
    if campaign:
        pass_on_color(store, campaign["account_id"], campaign["color"])
