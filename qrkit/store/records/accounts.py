"""Store accounts and their API keys."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Any

from qrkit.store.connection import Store
from qrkit.store.duckdb.damage import damaged
from qrkit.tracking.records import PLANS, Account, ApiKey
from qrkit.tracking.times import naive, utc

ID_LENGTH = 12
INSERT_ACCOUNT = "INSERT INTO accounts (id, name, plan, created) VALUES (?, ?, ?, ?)"
INSERT_KEY = "INSERT INTO api_keys (digest, account_id, label, created, expires) VALUES (?, ?, ?, ?, ?)"
KEYS = f"""
SELECT left(digest, {ID_LENGTH}) AS id, label, created, expires, revoked FROM api_keys
WHERE account_id = ? ORDER BY created, digest
"""
REVOKE = f"UPDATE api_keys SET revoked = ? WHERE account_id = ? AND left(digest, {ID_LENGTH}) = ? AND revoked IS NULL"
ALL = "SELECT id, name, plan FROM accounts ORDER BY created, name"
BY_SHORT_CODE = """
SELECT a.id, a.name, a.plan, q.id AS qrcode
FROM qrcodes q JOIN accounts a ON a.id = q.account_id
WHERE q.short_code = ?
"""
BY_DIGEST = """
SELECT a.id, a.name, a.plan
FROM api_keys k JOIN accounts a ON a.id = k.account_id
WHERE k.digest = ? AND k.revoked IS NULL AND (k.expires IS NULL OR k.expires > ?)
"""


def digest_of(token: str) -> str:
    """Return what is stored of an API key or a token.

    These have 256 random bits and cannot be guessed, so a slow hash would only make denial-of-service attacks easier.
    """
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def insert_account(store: Store, account: Account, created: datetime) -> None:
    """Store an account; its ID and name must be unique."""
    store.execute(INSERT_ACCOUNT, [account.id, account.name, account.plan, naive(created)])


def insert_key(store: Store, account: Account, digest: str, key: ApiKey) -> None:
    """Store the digest and metadata of an API key of an account."""
    expires = naive(key.expires) if key.expires else None
    store.execute(INSERT_KEY, [digest, account.id, key.label, naive(key.created), expires])


def keys_of(store: Store, account: Account) -> list[ApiKey]:
    """Return the API keys of an account, oldest first, including revoked and expired keys."""
    moments = ("created", "expires", "revoked")
    rows = store.rows(KEYS, [account.id])
    return [ApiKey(**(row | {name: utc(row[name]) if row[name] else None for name in moments})) for row in rows]


def revoke_key(store: Store, account: Account, id: str, moment: datetime) -> None:
    """Revoke an API key of an account."""
    store.execute(REVOKE, [naive(moment), account.id, id])


def update_plan(store: Store, account: Account) -> None:
    """Store the new plan of an account."""
    store.execute("UPDATE accounts SET plan = ? WHERE id = ?", [account.plan, account.id])


def all_accounts(store: Store) -> list[Account]:
    """Return all accounts, oldest first."""
    return [_account(store, row) for row in store.rows(ALL)]


def owner_of(store: Store, short_code: str) -> tuple[Account, str] | None:
    """Return the account that owns the QR Code with a short code, and the id of the QR Code."""
    row = store.row(BY_SHORT_CODE, [short_code])
    return (_account(store, row), row.pop("qrcode")) if row else None


def account_named(store: Store, name: str) -> Account | None:
    """Return the account with this name."""
    row = store.row("SELECT id, name, plan FROM accounts WHERE name = ?", [name])
    return _account(store, row) if row else None


def account_of_key(store: Store, key: str, now: datetime) -> Account | None:
    """Return the account of a key, if the key is neither revoked nor expired."""
    row = store.row(BY_DIGEST, [digest_of(key), naive(now)])
    return _account(store, row) if row else None


def _account(store: Store, row: dict[str, Any]) -> Account:
    if row["plan"] not in PLANS:
        what = f"the account {row['name']!r:.60} has the unknown plan {row['plan']!r:.60}"
        raise damaged(store.path, f"is damaged: {what}")
    return Account(row["id"], row["name"], row["plan"])
