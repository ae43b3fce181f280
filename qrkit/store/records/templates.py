"""Store templates and brands as JSON, by account and name."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from qrkit.store.connection import Store
from qrkit.store.records.drawing_templates import change_looks
from qrkit.tracking.times import naive

SavedIn: TypeAlias = Literal["brands", "templates"]
"""The tables whose rows have a name that is unique in their account."""

SAVE = """
INSERT INTO {table} (account_id, name, fields, created) VALUES (?, ?, ?, ?)
ON CONFLICT (account_id, name) DO UPDATE SET fields = excluded.fields, created = excluded.created
"""
GET = "SELECT fields FROM {table} WHERE account_id = ? AND name = ?"
NAMES = "SELECT name FROM {table} WHERE account_id = ?"
DELETE = "DELETE FROM {table} WHERE account_id = ? AND name = ?"
USE = "UPDATE {table} SET is_current = coalesce(name = ?, false) WHERE account_id = ?"
BEHIND = """
SELECT fields FROM brands WHERE is_current AND account_id = coalesce(
    (SELECT account_id FROM qrcodes WHERE short_code = ?),
    -- A deleted QR Code has no row. In a store with one account, that account had it.
    (SELECT min(id) FROM accounts HAVING count(*) = 1)
)
"""
CURRENT = "SELECT name FROM {table} WHERE account_id = ? AND is_current"


def save(store: Store, table: SavedIn, account_id: str, name: str, *, fields: str, created: datetime) -> None:
    """Store JSON under a name, replacing any existing JSON of this name."""
    with change_looks(store):
        store.execute(SAVE.format(table=table), [account_id, name, fields, naive(created)])


def get(store: Store, table: SavedIn, account_id: str, name: str) -> str | None:
    """Return the JSON of this name, or None if nothing has this name."""
    return store.value(GET.format(table=table), [account_id, name])


def names(store: Store, table: SavedIn, account_id: str) -> list[str]:
    """Return the sorted names in a table of an account."""
    return sorted(str(row["name"]) for row in store.rows(NAMES.format(table=table), [account_id]))


def delete(store: Store, table: SavedIn, account_id: str, name: str) -> None:
    """Delete the row of this name, if it exists."""
    with change_looks(store):
        store.execute(DELETE.format(table=table), [account_id, name])


def use(store: Store, table: SavedIn, account_id: str, name: str | None) -> None:
    """Make the row of this name the current one of its table and account; None clears the current one."""
    with change_looks(store):
        store.execute(USE.format(table=table), [name, account_id])


def current(store: Store, table: SavedIn, account_id: str) -> str | None:
    """Return the name of the current row of a table and an account."""
    return store.value(CURRENT.format(table=table), [account_id])


def brand_behind(store: Store, short_code: str) -> str | None:
    """Return the JSON of the current brand of the account that has or had the QR Code with this short code.

    The account of a deleted QR Code is known only in a store with one account.
    """
    return store.value(BEHIND, [short_code])
