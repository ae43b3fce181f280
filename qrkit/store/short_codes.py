"""Short codes in memory: where each leads, kept true by the transactions that change QR Codes.

A look into SQL costs half a millisecond, one into a dictionary nothing; a redirect needs it each time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from qrkit.records import ScheduleEvent
from qrkit.schedule import active_content
from qrkit.store.connection import Store

__all__ = ["DELETED", "Target", "read_schedule", "remember_targets", "target"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a short code leads.

    Attributes:
        qrcode: Number of its QR Code; 0 where that was deleted.
        content: Served outside of any schedule.
        schedule: Changes of content; empty where scheduling is off.
    """

    qrcode: int
    content: str
    schedule: tuple[ScheduleEvent, ...] = ()

    def content_at(self, moment: datetime) -> str:
        """What is served at a moment (ruling T7)."""
        return active_content(self.content, self.schedule, moment) if self.schedule else self.content


DELETED = Target(0, "")
"""A short code that was given and is never given again (ruling T6)."""

SELECT = """
SELECT s.code, q.number, q.content, q.is_schedule_enabled, q.schedule
FROM short_codes s LEFT JOIN qrcodes q ON q.number = s.qrcode
WHERE $code IS NULL OR s.code = $code
"""

KNOWN = "short codes"


def target(store: Store, short_code: str) -> Target | None:
    """Where a short code leads, `DELETED` included; None when it was never given."""
    if store.is_in_transaction:
        # What this thread has changed and not yet committed is in the tables alone.
        found = store.row(SELECT, {"code": short_code})
        return _read(found) if found else None
    return _all(store).get(short_code)


def remember_targets(store: Store, found: Mapping[str, Target]) -> None:
    """Have short codes lead elsewhere once the transaction that changes them is committed."""
    store.afterwards(lambda: store.database.memory.get(KNOWN, {}).update(found))


def read_schedule(text: str) -> tuple[ScheduleEvent, ...]:
    """The events of a schedule as the store keeps it."""
    return tuple(ScheduleEvent(**event) for event in json.loads(text)) if text != "[]" else ()


def _all(store: Store) -> dict[str, Target]:
    """All short codes of a store, read once."""
    memory = store.database.memory
    if KNOWN not in memory:
        # No transaction may end between the reading and the remembering.
        with store.database.writing:
            if KNOWN not in memory:
                memory[KNOWN] = {row["code"]: _read(row) for row in store.rows(SELECT, {"code": None})}
    found: dict[str, Target] = memory[KNOWN]
    return found


def _read(row: dict[str, Any]) -> Target:
    if row["number"] is None:
        return DELETED
    return Target(row["number"], row["content"], read_schedule(row["schedule"]) if row["is_schedule_enabled"] else ())
