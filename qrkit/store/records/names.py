"""Finds the QR Codes that a short code, a name or an ID stands for."""

from __future__ import annotations

from qrkit.store.connection import Store
from qrkit.store.records.ids import can_be_stored

__all__ = ["qrcodes_named", "some_names"]

MOST_COMPARED = 10_000
"""QR Codes whose names are compared with a misspelled one, so that an error does not take seconds."""

NAMED = """
SELECT id FROM qrcodes
WHERE account_id = $account AND (id = $text OR name = $text OR short_code = $code)
ORDER BY number
"""
SOME_NAMES = "SELECT name, short_code FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT $most"


def qrcodes_named(store: Store, account_id: str, text: str, *, short_code: str) -> list[str]:
    """Return the IDs of the QR Codes of an account with this ID or name, or with this short code, oldest first."""
    if not can_be_stored(text):
        return []
    return [row["id"] for row in store.rows(NAMED, {"account": account_id, "text": text, "code": short_code})]


def some_names(store: Store, account_id: str, *, most: int) -> list[str]:
    """Return the short codes and names of the oldest QR Codes of an account.

    Args:
        most: Number of QR Codes to look at; never more than 10,000.
    """
    found = store.rows(SOME_NAMES, {"account": account_id, "most": min(most, MOST_COMPARED)})
    return [row["short_code"] for row in found] + [row["name"] for row in found]
