"""Keep where imported visits came from: the last imports of an account, in a setting of the store."""

from __future__ import annotations

import json
from typing import TypedDict

from qrkit.store.connection import Store
from qrkit.store.store_settings import get_setting, set_setting

MOST_KEPT = 1_000


class KeptImport(TypedDict):
    """One import of visits; times are ISO 8601 in UTC.

    Attributes:
        source: The name of the file; "" if its bytes were given.
        service: The service that the headings told; "" for any other file.
        visits: The number of visits that were added.
        qrcodes: The number of QR Codes that have visits in the file.
        bots: How many visits of the file are bots here.
        bots_said: How many of them the file calls bots; None if it does not say.
        first: The time of the first visit in the file.
        last: The time of the last one.
    """

    imported: str
    source: str
    service: str
    visits: int
    qrcodes: int
    bots: int
    bots_said: int | None
    first: str
    last: str


def keep_scan_import(store: Store, account_id: str, entry: KeptImport) -> None:
    """Add an import to those of an account; beyond 1,000, the oldest goes."""
    with store.atomic():
        entries = [*kept_scan_imports(store, account_id), entry]
        set_setting(store, _name(account_id), json.dumps(entries[-MOST_KEPT:]))


def kept_scan_imports(store: Store, account_id: str) -> list[KeptImport]:
    """Return the imports of an account, the oldest first."""
    entries: list[KeptImport] = json.loads(get_setting(store, _name(account_id)) or "[]")
    return entries


def _name(account_id: str) -> str:
    return f"scan_imports {account_id}"
