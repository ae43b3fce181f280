"""`Scans`: the scans of a portfolio, filtered, and read when a question is asked."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Self, get_args

from qrkit.errors import InvalidParameter, Problem, UnknownParameter
from qrkit.records import Kind
from qrkit.store import visits
from qrkit.store.connection import Store
from qrkit.times import naive

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Scans"]

SCANS = """
WITH scans AS (
    SELECT
        v.time, v.kind, v.visitor, v.referrer, v.language, v.country, v.region, v.city, v.latitude, v.longitude,
        v.content, q.id AS qrcode_id, q.name AS qrcode, c.id AS campaign_id, coalesce(c.name, '') AS campaign,
        u.system, u.system_version, u.browser, u.browser_version, u.manufacturer, u.device_model, u.device
    FROM visits v
    JOIN qrcodes q ON q.number = v.qrcode
    LEFT JOIN campaigns c ON c.id = q.campaign_id
    JOIN user_agents u ON u.number = v.user_agent
    WHERE q.account_id = $account
        AND v.kind IN (SELECT unnest($kinds))
        AND ($campaign IS NULL OR q.campaign_id = $campaign)
        AND ($qrcode IS NULL OR q.id = $qrcode)
        AND ($since IS NULL OR v.time >= $since)
        AND ($until IS NULL OR v.time < $until)
        AND ($shown IS NULL OR q.number < coalesce((
            SELECT number FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT 1 OFFSET $shown
        ), q.number + 1))
)
"""
"""What a statistic begins with; it then selects from `scans`."""

NARROWER = ("campaign_id", "qrcode_id", "since", "until", "kinds")

FRAME_TEXTS = (
    "kind", "referrer", "language", "country", "region", "city", "content", "qrcode_id", "qrcode", "campaign_id",
    "campaign", "system", "system_version", "browser", "browser_version", "manufacturer", "device_model", "device",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scans:
    """The scans of one account; `where` narrows them. Nothing is read before a question is asked.

    Of the QR Codes of the account the plan shows `most_qrcodes`, the oldest, and their scans alone (ruling T13).

    Raises:
        InvalidParameter: A bound is no date, or `kinds` has something else than kinds of visits.
    """

    store: Store
    account_id: str
    campaign_id: str | None = None
    qrcode_id: str | None = None
    since: date | None = None
    until: date | None = None
    kinds: tuple[str, ...] = ("scan",)
    most_qrcodes: int | None = None

    def __post_init__(self) -> None:
        """Refuse what would silently find nothing, like the text "bot" in place of ("bot",)."""
        for name, bound in (("since", self.since), ("until", self.until)):
            if bound is not None and not isinstance(bound, date):
                rule = "must be a datetime.date or datetime.datetime"
                raise InvalidParameter(Problem(name, bound, rule, "wrong-type"))
        if not set(self.kinds) <= set(get_args(Kind)):
            raise InvalidParameter(Problem("kinds", self.kinds, f"must hold some of {', '.join(get_args(Kind))}"))

    def where(self, **narrower: Any) -> Self:
        """The same view, narrowed by `campaign_id`, `qrcode_id`, `since` (included), `until` (excluded) or `kinds`.

        Raises:
            UnknownParameter: A name is none of these.
            InvalidParameter: A bound is no date, or a kind no kind of visit.
        """
        for name, value in narrower.items():
            if name not in NARROWER:
                raise UnknownParameter(name, value, NARROWER)
        return dataclasses.replace(self, **narrower)

    def ask(self, select: str, **parameters: Any) -> pd.DataFrame:
        """The answer to a `SELECT … FROM scans` as a DataFrame; the columns of `scans` are those of `to_frame`.

        Values belong into `parameters`, named `$name` in the statement, never into its text.
        """
        return self.store.frame(SCANS + select, self._parameters() | parameters)

    def count(self) -> int:
        """How many there are."""
        found = self.store.row(SCANS + "SELECT count(*) AS number FROM scans", self._parameters())
        return int(found["number"]) if found else 0

    def to_frame(self) -> pd.DataFrame:
        """All of them, a row a scan, oldest first.

        Columns: time (datetime64[us], UTC without a zone), kind, referrer, language, country, region, city, content,
        qrcode_id, qrcode (its name), campaign_id, campaign (its name, "" outside any), system, system_version, browser,
        browser_version, manufacturer, device_model, device (all str), visitor (UInt64, of one UTC day), latitude,
        longitude (float64, degrees).
        """
        frame = self.ask("SELECT * FROM scans ORDER BY time")
        return frame.astype(dict.fromkeys(FRAME_TEXTS, "str") | {"visitor": "UInt64"})

    def insert(self, frame: pd.DataFrame) -> int:
        """Store scans that were counted elsewhere and give their number: all rows or, with an error, none.

        Args:
            frame: Columns `short_code` (str) and `time` (datetime; without a zone it is UTC) are required;
                `user_agent`, `referrer` (host), `language`, `country`, `region`, `city` (str), `visitor` (64-bit
                whole number), `latitude`, `longitude` (degrees) may join.

        Raises:
            InvalidParameter: A column is missing, unknown or of the wrong type, or a short code is not of this
                portfolio; the column is named.
        """
        return visits.insert_frame(self.store, self.account_id, frame)

    def _parameters(self) -> dict[str, Any]:
        return {
            "account": self.account_id,
            "kinds": list(self.kinds),
            "campaign": self.campaign_id,
            "qrcode": self.qrcode_id,
            "since": _moment(self.since),
            "until": _moment(self.until),
            "shown": self.most_qrcodes,
        }


def _moment(given: date | None) -> date | None:
    """As times are stored: a moment with a time zone in UTC without one."""
    return naive(given) if isinstance(given, datetime) else given
