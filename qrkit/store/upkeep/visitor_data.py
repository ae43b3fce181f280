"""Reports the visitor data that the store contains, column by column, counted in the actual tables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from qrkit.store.connection import Store
from qrkit.store.questions.column_copy import columns
from qrkit.tracking.times import utc


class Reason(NamedTuple):
    """The content of a visit column, and the reason for keeping it."""

    what: str
    why: str


REASONS = {
    "time": Reason("moment of the visit, UTC", "scans of hours, days and weeks"),
    "kind": Reason("scan, bot, link preview, HEAD request or conversion", "only scans are counted"),
    "qrcode": Reason("the QR Code", "scans of each code and campaign"),
    "short_code": Reason("the short code that was asked for", "finds printed codes that lead nowhere"),
    "content": Reason("what the visitor was led to", "what a change of content did"),
    "user_agent": Reason(
        "what the browser says of itself, at most 512 characters", "system, browser and device; bots are told by it"
    ),
    "referrer": Reason("host of the page that led here, without path or query", "where people come from"),
    "language": Reason("first language that the browser asks for", "which languages a content should have"),
    "visitor": Reason(
        "keyed hash of address and user agent; the key is new each UTC day and kept nowhere",
        "unique visitors of a day; the next day it is another one",
    ),
    "country": Reason("country, from a GeoIP database", "scans by country"),
    "region": Reason("region, from a GeoIP database", "scans by region"),
    "city": Reason("city, from a GeoIP database", "scans by city"),
    "latitude": Reason("degrees north, of the place in the table", "scans on a map"),
    "longitude": Reason("degrees east, of the place in the table", "scans on a map"),
    "via": Reason("whether the picture was scanned or its short URL opened", "which scans come from print"),
    "lot": Reason("lot of the product that was scanned", "where a batch ends up"),
    "serial": Reason("serial number of the item that was scanned", "which items are scanned"),
    "link_type": Reason("type of link that was asked for", "what people and tills look for"),
    "variant": Reason("name of the variant that the visitor was given by chance", "which variant does better"),
    "split": Reason("ID of the set of variants it was drawn from", "with which weights it was drawn"),
    "conversion": Reason("ID, name, value and currency that a shop sends", "which scans led to an order, and when"),
}
"""The reason for each column of the table `visits`."""

UNDESCRIBED = Reason("not described", "not described")

# Only the copy of a server has the column xid.
COLUMNS = "SELECT column_name AS name FROM (DESCRIBE visits) WHERE column_name <> 'xid'"
COUNT = """
SELECT
    count(*) AS visits, min(v.time) AS oldest, count(*) FILTER (v.time < $before) AS overdue,
    (SELECT count(*) FROM all_visits WHERE qrcode IS NULL) AS orphans,
    (SELECT coalesce(sum(visits), 0)::BIGINT FROM day_counts d JOIN qrcodes q ON q.number = d.qrcode
        WHERE q.account_id = $account) AS swept,
    {columns}
FROM all_visits v JOIN qrcodes q ON q.number = v.qrcode
LEFT JOIN user_agents u ON u.number = v.user_agent
WHERE q.account_id = $account
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """The data kept about the visits to the QR Codes of an account.

    Attributes:
        oldest: Time of the oldest visit, UTC; None if there are no visits.
        overdue: Visits older than the retention period.
        orphans: Visits to unknown short codes, in the whole store.
        swept: Deleted visits of which only counts remain.
        columns: Number of visits with a value, by column.
    """

    visits: int
    oldest: datetime | None
    overdue: int
    orphans: int
    swept: int
    columns: dict[str, int]

    def reason(self, column: str) -> Reason:
        """Return the content and the reason of a column; "not described" for an unknown column."""
        return REASONS.get(column, UNDESCRIBED)


def visits_kept(store: Store, account_id: str, before: datetime | None) -> Kept:
    """Count the data kept about visits to an account's QR Codes; visits before `before` (UTC) are overdue."""
    asked = columns(store)
    names = [str(row["name"]) for row in asked.rows(COLUMNS)]
    counted = ", ".join(f'{_counted(name)} AS "column {name}"' for name in names)  # safe: names of our own columns
    (row,) = asked.rows(
        COUNT.replace("{columns}", counted),
        {"account": account_id, "before": before.replace(tzinfo=None) if before else None},
    )
    return Kept(
        oldest=utc(row["oldest"]) if row["oldest"] else None,
        columns={name: int(row[f"column {name}"]) for name in names},
        **{name: int(row[name]) for name in ("visits", "overdue", "orphans", "swept")},
    )


def _counted(name: str) -> str:
    """Return SQL that counts the values of a column; an empty user agent has a number, but is not counted."""
    return "count(nullif(u.text, ''))" if name == "user_agent" else f'count(v."{name}")'
