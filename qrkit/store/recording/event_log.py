"""Adds events that somebody waits for to the table `events`, in the transaction of what happened, as CloudEvents 1.0.

Receivers remember the number of the last event they got. So an event must never appear below a number that can be read
already: numbers are taken while no other transaction adds events, and in the order of the commits. No event holds an
address or the key of a visitor.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from qrkit.store.connection import Store
from qrkit.tracking.records import QRCode
from qrkit.tracking.times import naive, now
from qrkit.tracking.webhook import EVENT_KINDS, EventKind

RECEIVERS = "SELECT account_id, fields FROM receivers WHERE active"
CODES = """
SELECT q.number, q.account_id, q.id AS "qrcodeId", q.name, q.short_code AS "shortCode", q.content, q.tags,
    c.id AS "campaignId", c.name AS campaign
FROM qrcodes q LEFT JOIN campaigns c ON c.id = q.campaign_id WHERE q.number IN (SELECT unnest(?::INTEGER[]))
"""
TELL = "INSERT INTO told_events VALUES (?) ON CONFLICT DO NOTHING RETURNING told"
NUMBERS = "SELECT number FROM qrcodes WHERE id IN (SELECT unnest(?::VARCHAR[])) ORDER BY number"
TAKE = "SELECT min(number) AS first FROM (SELECT nextval('event_numbers') AS number FROM generate_series(1, ?)) taken"
INSERT = """
INSERT INTO events (number, account_id, event, stored, receiver)
SELECT unnest($numbers::BIGINT[]), unnest($accounts::VARCHAR[]), unnest($events::VARCHAR[]), $stored::TIMESTAMP, ''
"""


class Event(NamedTuple):
    """What happened to a stored QR Code, given by its number; 0 for all of an account together.

    The time is UTC in ISO 8601 without an offset. `data` is what receivers learn besides what the QR Code is called and
    where it leads, for JSON.
    """

    qrcode: int
    kind: EventKind | Literal["test"]
    time: str
    data: Mapping[str, Any] = {}


def is_anybody_waiting(store: Store) -> bool:
    """Return whether there is a receiver of events, of any account."""
    return store.row(RECEIVERS) is not None


def asked_kinds(store: Store) -> set[tuple[str, EventKind]]:
    """Return the accounts that have a receiver, each with a kind of event that one asks for."""
    asked = set[tuple[str, EventKind]]()
    for row in store.rows(RECEIVERS):
        kinds = json.loads(row["fields"])["kinds"] if row["fields"] else EVENT_KINDS
        asked.update((row["account_id"], kind) for kind in kinds)
    return asked


def tell_once(store: Store, account_id: str, found: Mapping[str, Event]) -> int:
    """Add findings in the scans of an account, by their keys, and return how many of them are new."""
    with store.atomic():
        told = [event for name, event in found.items() if store.rows(TELL, [f"{account_id} {name}"])]
        add_events(store, told, account_id)
    return len(told)


def add_events(store: Store, events: Iterable[Event], account_id: str = "") -> None:
    """Add those events that a receiver asks for; without any receiver, the events are not even read.

    Only events that concern no single QR Code need the ID of the account.
    """
    asked = asked_kinds(store)
    if not asked or not (listed := list(events)):
        return
    codes = {row.pop("number"): row for row in store.rows(CODES, [list({event.qrcode for event in listed})])}
    codes[0] = {"account_id": account_id}
    told = [(codes[event.qrcode], event) for event in listed if event.qrcode in codes]
    if told := [(code, event) for code, event in told if (code["account_id"], event.kind) in asked]:
        with store.adding():
            first, id = take_event_numbers(store, len(told)), store.database.id
            texts = [json.dumps(cloud_event(id, *one, number=number)) for number, one in enumerate(told, first)]
            accounts, numbers = [code["account_id"] for code, _ in told], list(range(first, first + len(told)))
            store.execute(INSERT, {"numbers": numbers, "accounts": accounts, "events": texts, "stored": naive(now())})


def add_code_events(store: Store, kind: EventKind, codes: Sequence[QRCode], now: datetime) -> None:
    """Add an event for each of these QR Codes, which are stored."""
    if is_anybody_waiting(store):
        numbers = [row["number"] for row in store.rows(NUMBERS, [[code.id for code in codes]])]
        add_events(store, [Event(number, kind, naive(now).isoformat()) for number in numbers])


def cloud_event(store_id: str, code: Mapping[str, Any], event: Event, *, number: int) -> dict[str, Any]:
    """Return an event of a QR Code as a CloudEvent, without what is unknown or empty."""
    data = {**code, "tags": json.loads(code.get("tags", "[]")), **event.data}
    data.pop("account_id", None)
    return {
        "specversion": "1.0",
        "id": str(number),
        "source": f"urn:uuid:{store_id}",
        "type": f"qrkit.{event.kind}",
        "subject": code.get("qrcodeId", store_id),
        "time": f"{event.time}Z",
        "datacontenttype": "application/json",
        "data": {name: value for name, value in data.items() if value not in (None, "", [])},
    }


def take_event_numbers(store: Store, count: int) -> int:
    """Take numbers for events in a transaction of `Store.adding`, which alone adds events; return the first of them."""
    if alone := store.database.dialect.events_alone:
        store.rows(alone)
    return int(store.rows(TAKE, [count])[0]["first"])
