"""What a store knows of itself beside its tables: a value by its name."""

from __future__ import annotations

from qrkit.store.connection import Store

__all__ = ["get_setting", "set_setting"]

GET = "SELECT value FROM settings WHERE name = ?"
SET = """
INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""


def get_setting(store: Store, name: str) -> str | None:
    """The value of this name; None when it was never set."""
    row = store.row(GET, [name])
    return str(row["value"]) if row else None


def set_setting(store: Store, name: str, value: str) -> None:
    """Keep a value; an earlier one of this name is replaced."""
    store.execute(SET, [name, value])
