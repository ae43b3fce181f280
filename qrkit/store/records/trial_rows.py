"""Stores the results of trials with real phones as JSON, by account and look."""

from __future__ import annotations

from datetime import datetime

from qrkit.store.connection import Store
from qrkit.tracking.times import naive

ADD = "INSERT INTO trials (account_id, look, result, created) VALUES (?, ?, ?, ?)"
OF_LOOK = "SELECT result FROM trials WHERE account_id = ? AND look = ? ORDER BY created"


def add(store: Store, account_id: str, look: str, *, result: str, created: datetime) -> None:
    """Store the result of a trial."""
    with store.atomic():
        store.execute(ADD, [account_id, look, result, naive(created)])


def of_look(store: Store, account_id: str, look: str) -> list[str]:
    """Return the results of all trials of a look, oldest first."""
    return [str(row["result"]) for row in store.rows(OF_LOOK, [account_id, look])]
