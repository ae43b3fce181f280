"""Short codes in memory: where each leads, kept true by the transactions that change QR Codes.

A look into SQL costs half a millisecond, one into a dictionary nothing; a redirect needs it each time.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from qrkit.errors import StoreBusy
from qrkit.store.connection import Store
from qrkit.store.engine import Engine
from qrkit.store.postgresql.following import Following
from qrkit.tracking.records import ScheduleEvent
from qrkit.tracking.schedule import active_content

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
WHERE $code::VARCHAR IS NULL OR s.code = $code::VARCHAR
"""

NEW = """
SELECT s.code, s.revision, q.number, q.content, q.is_schedule_enabled, q.schedule
FROM short_codes s LEFT JOIN qrcodes q ON q.number = s.qrcode
WHERE s.revision > $seen
"""
"""Of a database that other processes change, too."""

KNOWN = "short codes"
SEEN = "revision of short codes"

LOOKING = "look at short codes"


def target(store: Store, short_code: str) -> Target | None:
    """Where a short code leads, `DELETED` included; None when it was never given."""
    is_remembered = store.database.thread.is_as_remembered and KNOWN in store.database.memory
    if store.is_in_transaction and not is_remembered:
        # Memory lacks what this thread has changed, and has what others have committed since its transaction began.
        found = store.row(SELECT, {"code": short_code})
        return _read(found) if found else None
    return _all(store).get(short_code)


def remember_targets(store: Store, found: Mapping[str, Target]) -> None:
    """Have codes lead elsewhere once the transaction that changes them is committed, which asks the tables itself."""
    store.database.thread.is_as_remembered = False
    if store.database.is_shared:
        # What others have committed since may be newer.
        store.afterwards(lambda: _look_again(store.database))
    else:
        store.afterwards(lambda: store.database.memory.get(KNOWN, {}).update(found))


def read_schedule(text: str) -> tuple[ScheduleEvent, ...]:
    """The events of a schedule as the store keeps it."""
    return tuple(ScheduleEvent(**event) for event in json.loads(text)) if text != "[]" else ()


def _all(store: Store) -> dict[str, Target]:
    """All short codes of a store, read once; those that other processes have changed since are read by a thread."""
    memory = store.database.memory
    if KNOWN not in memory:
        if store.database.is_shared:
            _follow(store.database)
        else:
            # No transaction may end between the reading and the remembering.
            with store.database.writing:
                if KNOWN not in memory:
                    memory[KNOWN] = {row["code"]: _read(row) for row in store.rows(SELECT, {"code": None})}
    found: dict[str, Target] = memory[KNOWN]
    return found


def _follow(database: Engine) -> None:
    """Read all short codes, and have a thread keep them true."""
    with _looking_at(database):
        if KNOWN not in database.memory:
            _read_new(database)
            following = Following(lambda: _read_new(database), database.path)
            database.before_closing.append(following.stop)


def _look_again(database: Engine) -> None:
    """Know at once what this process has committed."""
    if KNOWN in database.memory:
        with suppress(StoreBusy):  # it is committed, and the thread will look again
            _read_new(database)


def _looking_at(database: Engine) -> AbstractContextManager[bool]:
    """A lock for each database: one that does not answer holds up nobody who looks at another."""
    found: threading.RLock = database.memory.setdefault(LOOKING, threading.RLock())
    return found


def _read_new(database: Engine) -> None:
    """Read what is new since the last time, as it is now; one look after the other, so that none undoes a later one."""
    with _looking_at(database):
        known, seen = database.memory.get(KNOWN, {}), database.memory.get(SEEN, 0)
        rows = Store.on(database).rows(NEW, {"seen": seen})
        known.update((row["code"], _read(row)) for row in rows)
        database.memory[KNOWN] = known
        database.memory[SEEN] = max([seen, *(row["revision"] for row in rows)])


def _read(row: dict[str, Any]) -> Target:
    if row["number"] is None:
        return DELETED
    return Target(row["number"], row["content"], read_schedule(row["schedule"]) if row["is_schedule_enabled"] else ())
