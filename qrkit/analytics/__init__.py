"""Questions to the scans of a portfolio: one function a question, SQL beside it, a DataFrame as answer.

Every function takes a view like `portfolio.scans`, narrowed by its `where`. Days and hours are UTC. Visitors are
told apart by their keys, which our own redirect changes every UTC day: who comes on two days counts twice, and scans
without a key count none (ruling T10).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "UNKNOWN",
    "Attribute",
    "scan_records",
    "scans_by",
    "scans_by_hour",
    "scans_per_day",
    "summary",
    "top_qrcodes",
    "visits_by_kind",
]

Attribute = Literal["campaign", "country", "region", "city", "language", "referrer", "device", "system", "browser"]
"""What scans can be counted by."""

UNKNOWN = "unknown"
"""What an attribute is called where it is not known."""

SUMMARY = """
SELECT
    count(*) AS scans, count(DISTINCT visitor) AS visitors, count(DISTINCT qrcode_id) AS qrcodes,
    min(time) AS first, max(time) AS last
FROM scans
"""

PER_DAY = """
, days AS (
    SELECT unnest(generate_series(
        coalesce($since::DATE, min(time)::DATE),
        coalesce(($until::TIMESTAMP - INTERVAL 1 MICROSECOND)::DATE, max(time)::DATE),
        INTERVAL 1 DAY
    ))::DATE AS day
    FROM scans
), counted AS (
    SELECT time::DATE AS day, {group} AS part, count(*) AS scans FROM scans GROUP BY ALL
)
SELECT d.day::TIMESTAMP AS day, p.part, coalesce(c.scans, 0) AS scans
FROM days d
CROSS JOIN ({parts}) p
LEFT JOIN counted c ON c.day = d.day AND c.part = p.part
ORDER BY d.day, p.part
"""

TOP = """
SELECT
    qrcode_id, any_value(qrcode) AS qrcode, any_value(campaign) AS campaign,
    count(*) AS scans, count(DISTINCT visitor) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY qrcode_id
ORDER BY scans DESC, qrcode_id
LIMIT $most
"""

BY_HOUR = """
, counted AS (
    SELECT isodow(time) AS weekday, hour(time) AS hour, count(*) AS scans FROM scans GROUP BY ALL
)
SELECT w.weekday, h.hour, coalesce(c.scans, 0) AS scans
FROM range(1, 8) w(weekday)
CROSS JOIN range(24) h(hour)
LEFT JOIN counted c ON c.weekday = w.weekday AND c.hour = h.hour
ORDER BY w.weekday, h.hour
"""

BY_ATTRIBUTE = """
SELECT
    coalesce(nullif({attribute}, ''), $unknown) AS {attribute},
    count(*) AS scans, count(DISTINCT visitor) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY ALL
ORDER BY scans DESC, {attribute}
LIMIT $most
"""

# "Generic_Android" with the model "K" is how the parser and Chrome say that they do not know.
RECORDS = """
, records AS (
    SELECT
        nullif(campaign, '') AS campaign,
        nullif(system, '') AS systemName, nullif(system_version, '') AS systemVersion,
        nullif(browser, '') AS browserName, nullif(browser_version, '') AS browserVersion,
        CASE WHEN manufacturer NOT LIKE 'Generic%' THEN nullif(manufacturer, '') END AS manufacturer,
        CASE WHEN manufacturer NOT LIKE 'Generic%' OR device_model NOT IN ('K', 'Smartphone', 'Tablet', 'Feature Phone')
            THEN nullif(device_model, '') END AS deviceModel,
        device IN ('phone', 'tablet') AS isMobileDevice, device = 'tablet' AS isTablet,
        nullif(country, '') AS countryCode, nullif(region, '') AS region, nullif(city, '') AS city,
        latitude, longitude, time AS created
    FROM scans
)
SELECT * FROM records
ORDER BY created, COLUMNS(*) -- by all that is told, so that scans of one moment always come in the same order
"""
RECORD_TYPES = dict.fromkeys(
    ("campaign", "systemName", "systemVersion", "browserName", "browserVersion", "manufacturer", "deviceModel"), "str"
) | {"isMobileDevice": "bool", "isTablet": "bool", "countryCode": "str", "region": "str", "city": "str"}

BY_KIND = "SELECT kind, count(*) AS visits FROM scans GROUP BY kind ORDER BY visits DESC, kind"


def summary(scans: Scans) -> pd.DataFrame:
    """How much there is, in one row.

    Columns: scans, visitors, qrcodes (int64; codes with at least one scan), first, last (datetime64[us], UTC without
    a zone, NaT where there is none).
    """
    return scans.ask(SUMMARY).astype({"scans": "int64", "visitors": "int64", "qrcodes": "int64"})


def scans_per_day(scans: Scans, *, by: Literal["campaign", "qrcode"] | None = None) -> pd.DataFrame:
    """Scans of each UTC day, those without any among them, from the first scan (or `since`) to the last (or `until`).

    Columns: day (datetime64[us]), the name of `by` (str, when asked for), scans (int64).

    Raises:
        InvalidParameter: `by` is something else.
    """
    if by not in ("campaign", "qrcode", None):
        raise InvalidParameter(Problem("by", by, "must be campaign, qrcode or None"))
    parts = "SELECT DISTINCT part FROM counted" if by else "SELECT '' AS part"
    sql = PER_DAY.replace("{group}", by or "''").replace("{parts}", parts)
    frame = scans.ask(sql).astype({"scans": "int64", "part": "str"})
    return frame.rename(columns={"part": by}) if by else frame.drop(columns="part")


def top_qrcodes(scans: Scans, *, most: int = 10) -> pd.DataFrame:
    """The QR Codes with the most scans, at most `most` (1 or more) of them.

    Columns: qrcode_id, qrcode (its name), campaign (str), scans, visitors (int64), share (float64, 0..1 of all scans).
    """
    _check_most(most)
    types = {"qrcode_id": "str", "qrcode": "str", "campaign": "str", "scans": "int64", "visitors": "int64"}
    return scans.ask(TOP, most=most).astype(types | {"share": "float64"})


def scans_by_hour(scans: Scans) -> pd.DataFrame:
    """Scans of each hour of the week, 168 rows.

    Columns: weekday (int64, 1 Monday .. 7 Sunday), hour (int64, 0..23, UTC), scans (int64).
    """
    return scans.ask(BY_HOUR).astype("int64")


def scans_by(scans: Scans, attribute: Attribute, *, most: int = 10) -> pd.DataFrame:
    """Scans by an attribute, the most frequent values first, at most `most` of them.

    Columns: the attribute (str, "unknown" where it is not known), scans, visitors (int64), share (float64, 0..1).

    Raises:
        InvalidParameter: There is no such attribute.
    """
    if attribute not in get_args(Attribute):
        rule = f"must be one of {', '.join(get_args(Attribute))}"
        raise InvalidParameter(Problem("attribute", attribute, rule))
    _check_most(most)
    # The attribute is one of the names above, never a caller's text.
    frame = scans.ask(BY_ATTRIBUTE.replace("{attribute}", attribute), most=most, unknown=UNKNOWN)
    return frame.astype({attribute: "str", "scans": "int64", "visitors": "int64", "share": "float64"})


def visits_by_kind(scans: Scans) -> pd.DataFrame:
    """All visits to live codes by what they were: scan, bot, prefetch or head; only scans count (ruling T9).

    Columns: kind (str), visits (int64).
    """
    every = scans.where(kinds=("scan", "bot", "prefetch", "head"))
    return every.ask(BY_KIND).astype({"kind": "str", "visits": "int64"})


def scan_records(scans: Scans) -> pd.DataFrame:
    """A row a scan, oldest first, with no more of the visitor than ruling T12 tells: what statistics files hold.

    Columns: campaign, systemName, systemVersion, browserName, browserVersion, manufacturer, deviceModel (str),
    isMobileDevice (bool, a phone or a tablet), isTablet (bool), countryCode, region, city (str), latitude, longitude
    (float64, degrees), created (datetime64[us], UTC without a zone). What is not known is missing (NaN); a device that
    is not known is neither mobile nor a tablet.
    """
    return scans.ask(RECORDS).astype(RECORD_TYPES | {"latitude": "float64", "longitude": "float64"})


def _check_most(most: int) -> None:
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise InvalidParameter(Problem("most", most, "must be a whole number of rows, 1 or more", "out-of-range"))
