"""Keeps finished reports behind links that expire. Of the token of a link, only the hash is stored."""

from __future__ import annotations

from datetime import datetime

from qrkit.store.connection import Store
from qrkit.store.records.accounts import digest_of
from qrkit.tracking.times import naive

MOST_LINKS = 100
"""Links of an account that have not expired."""

KEPT = "SELECT count(*) AS number FROM report_links WHERE account_id = ? AND expires > ?::TIMESTAMP"
ADD = "INSERT INTO report_links VALUES (?, ?, ?, ?)"
LINKED = "SELECT html FROM report_links WHERE digest = ? AND expires > ?::TIMESTAMP"


def add_report(store: Store, account_id: str, token: str, html: str, *, now: datetime, expires: datetime) -> bool:
    """Keep a page until a moment; return False if the account has too many already."""
    with store.atomic():
        if is_possible := int(store.value(KEPT, [account_id, naive(now)]) or 0) < MOST_LINKS:
            store.execute(ADD, [digest_of(token), account_id, html, naive(expires)])
    return is_possible


def linked_report(store: Store, token: str, now: datetime) -> str | None:
    """Return the page behind a token; None if there is none, or it has expired."""
    return store.value(LINKED, [digest_of(token), naive(now)])
