"""Settings of a store: named values that are kept in the database, secrets among them."""

from __future__ import annotations

import secrets

from qrkit.store.connection import Store

SET = """
INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""


def get_setting(store: Store, name: str) -> str | None:
    """Return the value of a setting, or None if the setting was never stored."""
    return store.value("SELECT value FROM settings WHERE name = ?", [name])


def set_setting(store: Store, name: str, value: str) -> None:
    """Store the value of a setting, replacing any earlier value."""
    store.execute(SET, [name, value])


def secret(store: Store, name: str) -> bytes:
    """Return 32 random bytes under a name, which all processes that use the store share; they are made once."""
    key = get_setting(store, name)
    if not key:
        with store.atomic():
            key = get_setting(store, name) or secrets.token_hex(32)
            set_setting(store, name, key)
    return bytes.fromhex(key)
