"""Numbers the scans of QR Codes with a limit, or with rules about the number, exactly, whatever happens meanwhile."""

from __future__ import annotations

from datetime import datetime, time
from typing import NamedTuple

from qrkit.store.connection import Store
from qrkit.store.recording.event_log import Event, add_events
from qrkit.store.recording.recorder import include_waiting
from qrkit.tracking.times import naive

COUNT = """
SELECT q.number AS qrcode, q.imported_scans + c.scans AS taken, $day::DATE AS day, 0 AS taken_that_day
FROM qrcodes q JOIN scan_counts c ON c.qrcode = q.number WHERE q.number = $qrcode::INTEGER
"""
BEGIN = f"INSERT INTO scans_taken (qrcode, taken, day, taken_that_day) {COUNT} ON CONFLICT DO NOTHING"
SELECT = """
SELECT taken, CASE WHEN day = $day::DATE THEN taken_that_day ELSE 0 END AS taken_that_day
FROM scans_taken WHERE qrcode = $qrcode::INTEGER
"""
TAKE = """
UPDATE scans_taken SET
    taken = taken + 1, taken_that_day = CASE WHEN day = $day::DATE THEN taken_that_day + 1 ELSE 1 END, day = $day::DATE
WHERE qrcode = $qrcode::INTEGER AND ($most::BIGINT = 0 OR taken < $most::BIGINT)
    AND ($most_a_day::BIGINT = 0 OR day <> $day::DATE OR taken_that_day < $most_a_day::BIGINT)
RETURNING taken, taken_that_day
"""

HAS_SCANNED = """
SELECT 1 AS present FROM visits
WHERE qrcode = $qrcode::INTEGER AND visitor = $visitor::UBIGINT AND time >= $since::TIMESTAMP AND kind = 'scan' LIMIT 1
"""


class ScanNumber(NamedTuple):
    """The number of a scan, from 1: among all scans of its QR Code, and among those on its UTC day."""

    of_all: int
    of_day: int


class Limits(NamedTuple):
    """The maximum number of scans of a QR Code in all and on a UTC day; 0 for no limit."""

    most: int
    most_a_day: int


def take_number(store: Store, qrcode: int, moment: datetime, limits: Limits) -> ScanNumber | None:
    """Take the next number for a scan of a QR Code, in one durable step; None if the scan would exceed a limit."""
    asked = {"qrcode": qrcode, "day": moment.date()}
    if store.row(SELECT, asked) is None:
        include_waiting(store)
        with store.adding():
            store.execute(BEGIN, asked)
    with store.adding():
        row = store.row(TAKE, asked | limits._asdict())
        number = ScanNumber(row["taken"], row["taken_that_day"]) if row else None
        if number and (number.of_all == limits.most or number.of_day == limits.most_a_day):
            add_events(store, [Event(qrcode, "limit.reached", naive(moment).isoformat(), {"scans": number.of_all})])
    return number


def next_number(store: Store, qrcode: int, moment: datetime, limits: Limits) -> ScanNumber | None:
    """Return the number that `take_number` would take, without taking it."""
    asked = {"qrcode": qrcode, "day": moment.date()}
    row = store.row(SELECT, asked) or store.row(COUNT, asked) or {"taken": 0, "taken_that_day": 0}
    number = ScanNumber(row["taken"] + 1, row["taken_that_day"] + 1)
    pairs = zip(number, limits, strict=True)
    return None if any(most and one > most for one, most in pairs) else number


def has_scanned(store: Store, qrcode: int, visitor: int, moment: datetime) -> bool:
    """Return whether a visitor has scanned a QR Code before on the UTC day of this moment."""
    include_waiting(store)
    since = naive(datetime.combine(moment.date(), time(), moment.tzinfo))
    return store.row(HAS_SCANNED, {"qrcode": qrcode, "visitor": visitor, "since": since}) is not None
