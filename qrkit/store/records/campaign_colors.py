"""Keeps the color of each campaign, so that it stays the same when other campaigns come and go.

A new campaign takes the first color that no campaign of its account has; when all are taken, it has none (0). When a
campaign is deleted, the oldest one without a color takes over its color.
"""

from __future__ import annotations

from collections import Counter

from qrkit.store.connection import Store
from qrkit.tracking.records import CAMPAIGN_COLORS

COLORS = """
SELECT id, name, coalesce(color, 0) AS color FROM campaigns WHERE account_id = ? ORDER BY created, rowid
"""
PASS_ON = """
UPDATE campaigns SET color = $color WHERE id = (
    SELECT id FROM campaigns WHERE account_id = $account AND coalesce(color, 0) = 0 ORDER BY created, rowid LIMIT 1
)
"""


def campaign_colors(store: Store, account_id: str) -> dict[str, int]:
    """Return the color number of each campaign of an account by its ID, oldest first; 0 for one without a color."""
    return {row["id"]: row["color"] for row in store.rows(COLORS, [account_id])}


def colors_by_name(store: Store, account_id: str) -> dict[str, int]:
    """Return the color number of each campaign of an account by its name; the second Spring is Spring (2)."""
    colors, numbers = dict[str, int](), Counter[str]()
    for row in store.rows(COLORS, [account_id]):
        numbers[row["name"]] += 1
        number = numbers[row["name"]]
        colors[row["name"] if number == 1 else f"{row['name']} ({number})"] = row["color"]
    return colors


def free_color(store: Store, account_id: str) -> int:
    """Return the color number for a new campaign: the first that is free, or 0."""
    taken = campaign_colors(store, account_id).values()
    return next((number for number in range(1, CAMPAIGN_COLORS + 1) if number not in taken), 0)


def pass_on_color(store: Store, account_id: str, color: int) -> None:
    """Give the color of a deleted campaign to the oldest campaign without one."""
    if color:
        store.execute(PASS_ON, {"color": color, "account": account_id})
