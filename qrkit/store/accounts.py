"""Accounts and their API keys in the store (rulings T13, T14)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from qrkit.records import Account
from qrkit.store.connection import Store
from qrkit.times import naive

__all__ = ["account_named", "account_of_digest", "insert_account", "insert_key"]

INSERT_ACCOUNT = "INSERT INTO accounts (id, name, plan, created) VALUES (?, ?, ?, ?)"
INSERT_KEY = "INSERT INTO api_keys (digest, account_id, label, created, expires) VALUES (?, ?, ?, ?, ?)"
BY_NAME = "SELECT id, name, plan FROM accounts WHERE name = ?"
BY_DIGEST = """
SELECT a.id, a.name, a.plan
FROM api_keys k JOIN accounts a ON a.id = k.account_id
WHERE k.digest = ? AND k.revoked IS NULL AND (k.expires IS NULL OR k.expires > ?)
"""


def insert_account(store: Store, account: Account, created: datetime) -> None:
    """Store an account; its id and its name are unique."""
    store.execute(INSERT_ACCOUNT, [account.id, account.name, account.plan, naive(created)])


def insert_key(store: Store, account: Account, digest: str, *, label: str, created: datetime) -> None:
    """Store the digest of an API key of an account; the key has no end."""
    store.execute(INSERT_KEY, [digest, account.id, label, naive(created), None])


def account_named(store: Store, name: str) -> Account | None:
    """The account of this name."""
    return _account(store.row(BY_NAME, [name]))


def account_of_digest(store: Store, digest: str, now: datetime) -> Account | None:
    """The account whose key has this digest, if the key is neither revoked nor expired."""
    return _account(store.row(BY_DIGEST, [digest, naive(now)]))


def _account(row: dict[str, Any] | None) -> Account | None:
    return Account(**row) if row else None
