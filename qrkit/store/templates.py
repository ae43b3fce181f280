"""Store designs as templates, by account and name."""

from __future__ import annotations

from datetime import datetime

from qrkit.store.connection import Store
from qrkit.tracking.times import naive

__all__ = ["delete_template", "get_template", "save_template", "template_names"]

SAVE = """
INSERT INTO templates (account_id, name, fields, created) VALUES (?, ?, ?, ?)
ON CONFLICT (account_id, name) DO UPDATE SET fields = excluded.fields, created = excluded.created
"""
GET = "SELECT fields FROM templates WHERE account_id = ? AND name = ?"
NAMES = "SELECT name FROM templates WHERE account_id = ?"
DELETE = "DELETE FROM templates WHERE account_id = ? AND name = ?"


def save_template(store: Store, account_id: str, name: str, fields: str, created: datetime) -> None:
    """Store a template as JSON, replacing any earlier template with this name."""
    store.execute(SAVE, [account_id, name, fields, naive(created)])


def get_template(store: Store, account_id: str, name: str) -> str | None:
    """Return the JSON of a template, or None if no template has this name."""
    row = store.row(GET, [account_id, name])
    return str(row["fields"]) if row else None


def template_names(store: Store, account_id: str) -> list[str]:
    """Return the sorted names of an account's templates."""
    return sorted(str(row["name"]) for row in store.rows(NAMES, [account_id]))


def delete_template(store: Store, account_id: str, name: str) -> None:
    """Delete a template, if it exists."""
    store.execute(DELETE, [account_id, name])
