"""Reads which templates draw the QR Codes of an account, and keeps the answer in memory until it changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from qrkit.store.connection import Store

LOOKS = "looks"
"""The name of the cache: `Looks` by account."""
DEFAULT = "SELECT name FROM templates WHERE account_id = ? AND is_current"
CAMPAIGNS = "SELECT id, name, template FROM campaigns WHERE account_id = ?"
USED = """
SELECT name, fields FROM templates WHERE account_id = $account AND (
    is_current OR name IN (SELECT template FROM qrcodes WHERE account_id = $account)
    OR name IN (SELECT template FROM campaigns WHERE account_id = $account)
)
"""
USERS = "SELECT name FROM {table} WHERE account_id = ? AND template = ? ORDER BY created, id"
LEAVE = "UPDATE {table} SET template = '' WHERE account_id = ? AND template = ?"


@dataclass(frozen=True, slots=True)
class Looks:
    """Which templates draw the QR Codes of an account that name none.

    Attributes:
        default: The name of the default template; "" for none.
        campaigns: The name and the template of each campaign, by its ID.
        templates: The fields of templates by name, as JSON; each is added when it is first read.
    """

    default: str
    campaigns: dict[str, tuple[str, str]]
    templates: dict[str, str] = field(default_factory=dict)


def looks_of(store: Store, account_id: str) -> Looks:
    """Return the looks of an account.

    A file has a single writer, so they are read again only after a change. Other processes can change a database on a
    server at any time, and a transaction may be rolled back; in both cases, nothing is kept.
    """
    memory = {} if store.is_in_transaction else store.own_memory
    # A change discards the whole dictionary, so that what was read before the change is not kept after it.
    kept: dict[str, Looks] = memory.setdefault(LOOKS, {})
    if account_id not in kept:
        campaigns = {row["id"]: (row["name"], row["template"]) for row in store.rows(CAMPAIGNS, [account_id])}
        kept[account_id] = Looks(store.value(DEFAULT, [account_id]) or "", campaigns)
    return kept[account_id]


@contextmanager
def change_looks(store: Store) -> Iterator[None]:
    """Context manager: runs changes of templates or campaigns in a transaction."""
    with store.atomic():
        yield
        store.afterwards(lambda: forget_looks(store))


def forget_looks(store: Store) -> None:
    """Clear the cached looks of all accounts."""
    store.database.memory.pop(LOOKS, None)


def used_templates(store: Store, account_id: str) -> dict[str, str]:
    """Return the templates that draw any QR Code of an account: their fields as JSON, by name."""
    return {row["name"]: row["fields"] for row in store.rows(USED, {"account": account_id})}


def template_users(store: Store, account_id: str, name: str) -> dict[str, list[str]]:
    """Return the names of the records that name a template, by table."""
    return {
        table: [row["name"] for row in store.rows(USERS.format(table=table), [account_id, name])]
        for table in ("campaigns", "qrcodes")
    }


def leave_template(store: Store, account_id: str, name: str) -> None:
    """Remove the name of a template from all records of an account."""
    with change_looks(store):
        for table in ("campaigns", "qrcodes"):
            store.execute(LEAVE.format(table=table), [account_id, name])
