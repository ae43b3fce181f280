"""Store campaigns."""

from __future__ import annotations

from qrkit.store.connection import Store
from qrkit.store.records.campaign_colors import free_color, pass_on_color
from qrkit.store.records.drawing_templates import change_looks
from qrkit.tracking.records import Campaign
from qrkit.tracking.times import naive

__all__ = ["campaigns", "delete_campaign", "insert_campaign", "leave_campaign", "update_campaign"]

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
