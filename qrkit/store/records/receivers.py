"""Stores the receivers of events, how far each has got, and what became of the attempts to reach it.

An attempt moves on the time at which the next one is due, before it begins. So no two processes send the same events at
a time, and a process that dies loses none: the next attempt sends them again.

Streams read the same events as webhooks. Once an account had a stream, its events are kept for a day after that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from qrkit.store.connection import Store
from qrkit.store.recording.event_log import take_event_numbers
from qrkit.store.recording.user_agents import parse_user_agent
from qrkit.tracking.times import naive
from qrkit.tracking.webhook import Webhook

MOST_LOGGED = 1_000
"""Attempts that the log of a webhook has."""
KEPT_FOR_STREAMS = timedelta(days=1)
"""How long a stream can be resumed."""
DEAD_KEPT = timedelta(days=30)
"""How long dead letters are kept."""

LAST = "SELECT coalesce(max(number), 0) AS number FROM events WHERE number > 0"
INSERT = f"""
INSERT INTO receivers (id, account_id, fields, due, active, position, failures)
SELECT ?, ?, ?, ?, true, ({LAST}), 0
"""
SELECT = "SELECT * FROM receivers WHERE account_id = ? AND id <> '' ORDER BY position, id"
DELETE = "DELETE FROM {table} WHERE {column} = ?"
DUE = """
SELECT id, account_id FROM receivers r WHERE active AND id <> '' AND due <= ?::TIMESTAMP AND EXISTS (
    SELECT 1 FROM events e WHERE e.account_id = r.account_id AND e.number > r.position
) ORDER BY due
"""
CLAIM = """
UPDATE receivers SET due = $until::TIMESTAMP WHERE id = $id AND active AND due <= $now::TIMESTAMP RETURNING *
"""
SETTLE = """
UPDATE receivers SET position = $position, due = $due::TIMESTAMP, failures = $failures, active = $active
WHERE id = $id AND due = $claimed::TIMESTAMP RETURNING id
"""
EVENTS = """
SELECT number, event FROM events
WHERE account_id = ? AND number > ? AND (receiver = '' OR receiver = ?) ORDER BY number LIMIT ?
"""
BURY = """
INSERT INTO events (number, account_id, stored, event, receiver, died, error)
SELECT -number, account_id, stored, event, $id, $died::TIMESTAMP, $error FROM events WHERE number = $number
"""
DEAD = "SELECT number, event, died, error FROM events WHERE receiver = ? AND number < 0 ORDER BY number DESC"
REVIVE = """
INSERT INTO events (number, account_id, stored, event, receiver)
SELECT $first::BIGINT - 1 + row_number() OVER (ORDER BY number DESC), account_id, stored, event, receiver
FROM events WHERE receiver = $id AND number < 0
"""
RESUME = """
UPDATE receivers SET active = true, failures = 0,
    due = CASE WHEN due > $claimed::TIMESTAMP THEN $now::TIMESTAMP ELSE due END
WHERE id = $id
"""
LOGGED = f"SELECT * FROM deliveries WHERE receiver = ? ORDER BY time DESC LIMIT {MOST_LOGGED}"
STREAM = "UPDATE receivers SET due = ? WHERE account_id = ? AND id = '' RETURNING id"
SWEEP = {
    "DELETE FROM receivers WHERE id = '' AND due < ?": KEPT_FOR_STREAMS,
    """
DELETE FROM events e WHERE number > 0 AND NOT EXISTS (
    SELECT 1 FROM receivers r WHERE r.account_id = e.account_id AND r.active
        AND CASE WHEN r.id = '' THEN e.stored >= ?::TIMESTAMP ELSE e.number > r.position END
)
""": KEPT_FOR_STREAMS,
    "DELETE FROM events WHERE died < ?": DEAD_KEPT,
    "DELETE FROM report_links WHERE expires <= ?": timedelta(0),
    f"""
DELETE FROM deliveries d WHERE time < ?::TIMESTAMP OR time < (
    SELECT min(time) FROM (
        SELECT l.time FROM deliveries l WHERE l.receiver = d.receiver ORDER BY l.time DESC LIMIT {MOST_LOGGED}
    ) kept
)
""": timedelta(days=365),
}  # fmt: skip
"""Statements, and how long ago the moment is that each takes."""


class Progress(NamedTuple):
    """A webhook whose events after a position this process may send now, and no other one until `claimed`."""

    webhook: Webhook
    account_id: str
    position: int
    claimed: datetime


class Attempt(NamedTuple):
    """An attempt to send events together. Its time is when it began, in UTC without a time zone.

    `event` is the ID of the first event; 0 for a test. `status` is that of the answer; None without one. `error` says
    why it failed; empty if it did not.
    """

    time: datetime
    event: int
    events: int
    status: int | None
    milliseconds: int
    error: str


def insert_webhook(store: Store, account_id: str, webhook: Webhook) -> None:
    """Store a new webhook, which gets the events from now on."""
    store.execute(INSERT, [webhook.id, account_id, webhook.to_json(), naive(webhook.created)])


def webhooks(store: Store, account_id: str) -> list[Webhook]:
    """Return the webhooks of an account, oldest first."""
    return sorted((_webhook(row) for row in store.rows(SELECT, [account_id])), key=lambda one: one.created)


def _webhook(row: Mapping[str, Any]) -> Webhook:
    return Webhook.from_json(row["fields"]).model_copy(update={name: row[name] for name in ("active", "failures")})


def delete_webhook(store: Store, id: str) -> None:
    """Delete a webhook with its dead letters and its log."""
    with store.adding():
        for table, column in (("receivers", "id"), ("events", "receiver"), ("deliveries", "receiver")):
            store.execute(DELETE.format(table=table, column=column), [id])


def due_webhooks(store: Store, now: datetime) -> dict[str, str]:
    """Return the webhooks that events wait for and that may be tried at a moment: the account of each ID."""
    return {row["id"]: row["account_id"] for row in store.rows(DUE, [naive(now)])}


def claim(store: Store, id: str, now: datetime, until: datetime) -> Progress | None:
    """Take a webhook, so that no other process sends its events until a moment; None if it is not due, or is taken."""
    with store.adding():
        row = store.row(CLAIM, {"id": id, "now": naive(now), "until": naive(until)})
    return Progress(_webhook(row), row["account_id"], row["position"], naive(until)) if row else None


def last_event(store: Store) -> int:
    """Return the number of the event that was stored last; 0 if none is kept."""
    return int(store.value(LAST) or 0)


def newer_events(
    store: Store, account_id: str, *, after: int, most: int, receiver: str = ""
) -> list[tuple[int, dict[str, Any]]]:
    """Return the `most` next events of an account after a number, in their order, each with its number.

    A receiver, which is a webhook, also gets those that are for it alone.
    """
    return [(row["number"], _event(row)) for row in store.rows(EVENTS, [account_id, after, receiver, most])]


def _event(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event; its user agent is parsed only now, so that no visit waits for that."""
    event: dict[str, Any] = json.loads(row["event"])
    if agent := event["data"].pop("userAgent", ""):
        names = {"systemName": "system", "browserName": "browser", "device": "device"}
        found = {name: getattr(_parsed(agent), field) for name, field in names.items()}
        event["data"] |= {name: value for name, value in found.items() if value}
    return event


_parsed = lru_cache(maxsize=1_000)(parse_user_agent)


def settle(store: Store, progress: Progress, webhook: Webhook, *, position: int, due: datetime) -> bool:
    """Record how far a webhook has got after a turn, in the open transaction; False if another process has taken it.

    The position is that of the last event that is done with; the webhook says whether it is active, and how often it
    failed. The next attempt may begin when it is `due`.
    """
    last = {"failures": webhook.failures, "active": webhook.active, "position": position, "due": naive(due)}
    return bool(store.rows(SETTLE, {"id": webhook.id, "claimed": progress.claimed, **last}))


def bury(store: Store, id: str, number: int, attempt: Attempt) -> None:
    """Make an event a dead letter of a webhook, after a last attempt."""
    store.execute(BURY, {"id": id, "number": number, "died": attempt.time, "error": attempt.error})


def log_attempts(store: Store, id: str, attempts: Sequence[Attempt]) -> None:
    """Add attempts to the log of a webhook."""
    with store.adding():
        for attempt in attempts:
            store.execute("INSERT INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?)", [id, *attempt])


def logged_attempts(store: Store, id: str) -> list[Attempt]:
    """Return the latest attempts for a webhook, the last one first."""
    return [Attempt(*list(row.values())[1:]) for row in store.rows(LOGGED, [id])]


def dead_letters(store: Store, id: str) -> list[dict[str, Any]]:
    """Return the events that a webhook was given up for, oldest first, each with `died` and `error`."""
    rows = store.rows(DEAD, [id])
    return [_event(row) | {"died": f"{row['died'].isoformat()}Z", "error": row["error"]} for row in rows]


def revive(store: Store, id: str, now: datetime, claimed: datetime) -> int:
    """Have all dead letters of a webhook sent again, and go on if it was switched off; return their number.

    A process may have taken the webhook until `claimed` at the latest; an attempt due by then stays due.
    """
    with store.adding():
        # First, because it locks the webhook: meanwhile, no other process adds or revives dead letters of it.
        store.execute(RESUME, {"now": naive(now), "claimed": naive(claimed), "id": id})
        if number := len(store.rows(DEAD, [id])):
            store.execute(REVIVE, {"first": take_event_numbers(store, number), "id": id})
            store.execute("DELETE FROM events WHERE receiver = ? AND number < 0", [id])
    return number


def keep_for_streams(store: Store, account_id: str, now: datetime) -> None:
    """Have the events of an account kept for a day from now on, so that streams can read them."""
    with store.adding():
        if not store.rows(STREAM, [naive(now), account_id]):
            store.execute(INSERT, ["", account_id, "", naive(now)])


def sweep_events(store: Store, now: datetime) -> None:
    """Delete events that all receivers have, old dead letters, what the log has too many of, and expired reports."""
    with store.adding():
        for statement, ago in SWEEP.items():
            store.execute(statement, [naive(now - ago)])
