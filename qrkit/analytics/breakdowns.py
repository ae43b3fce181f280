"""Counts scans by QR Code, location, content, or any attribute such as country, and tells how long QR Codes live."""

from __future__ import annotations

import pandas as pd

from qrkit.errors import check_whole
from qrkit.store import Scans
from qrkit.store.all_visits import counted
from qrkit.store.questions.scan_attributes import TAG, Attribute, key_sql, missing_value, table_of
from qrkit.store.questions.scans import in_zone_of
from qrkit.tracking.text_columns import with_dtypes

HALF_LIVES = """
, lived AS (
    SELECT number, count(*) AS scans, min(time) AS first, quantile_disc(time, 0.5) AS half, max(time) AS last
    FROM lean
    GROUP BY number
)
SELECT
    c.qrcode_id, c.qrcode, c.campaign, c.qrcode_created AS created, l.first, l.last, coalesce(l.scans, 0) AS scans,
    epoch_us(l.first - c.qrcode_created) / 3.6e9 AS delay, epoch_us(l.half - l.first) / 8.64e10 AS half_life
FROM codes c
LEFT JOIN lived l USING (number)
ORDER BY created, qrcode_id
"""

BY_CONTENT = f"""
, counted AS ({counted({"number": "number", "known": "nullif(content, '')"}, "lean", times=True)})
SELECT qrcode_id, qrcode, coalesce(known, '') AS content, first, last, scans, visitors
FROM counted JOIN codes USING (number)
ORDER BY qrcode, qrcode_id, first, content
"""

BY_CODE = counted({"number": "number"}, "lean")

TOP = """
, counted AS ({counts})
SELECT qrcode_id, qrcode_label AS qrcode, campaign, {columns}, scans / sum(scans) OVER () AS share
FROM counted JOIN codes USING (number)
ORDER BY scans DESC, qrcode_id
LIMIT $most
"""

BY_LOCATION = f"""
, counted AS ({BY_CODE})
SELECT
    c.qrcode_id, c.qrcode_label AS qrcode, c.campaign, coalesce(c.qrcode_address, '') AS address,
    c.qrcode_latitude AS latitude, c.qrcode_longitude AS longitude,
    coalesce(n.scans, 0) AS scans, coalesce(n.visitors, 0) AS visitors
FROM codes c
LEFT JOIN counted n USING (number)
WHERE c.qrcode_latitude IS NOT NULL AND c.qrcode_longitude IS NOT NULL
ORDER BY scans DESC, qrcode_id
"""

BY_ATTRIBUTE = """
, counted AS ({counts})
SELECT coalesce(key, '{missing}') AS part, {columns}, scans / {all} AS share
FROM counted
ORDER BY scans DESC, part
LIMIT $most
"""


def top_qrcodes(scans: Scans, *, most: int = 10, visitors: bool = True) -> pd.DataFrame:
    """Return the QR Codes with the most scans.

    Columns: qrcode_id, qrcode (its name, with its short code if the view has several of that name), campaign (str),
    scans, visitors (int64), share (float64, 0..1 of all scans).

    Args:
        scans: The view to count.
        most: Maximum number of QR Codes, 1 or more.
        visitors: Whether to count visitors; without that column, the answer takes a sixth of the time.

    Raises:
        InvalidParameter: If `most` is not a whole number of 1 or more.
    """
    sql = TOP.format(**_counts("number", "number", "lean", visitors=visitors))
    return _typed(scans.ask(sql, most=check_most(most)), "qrcode_id", "qrcode", "campaign")


def scans_by_location(scans: Scans) -> pd.DataFrame:
    """Return the locations of QR Codes, most scanned first. Codes without coordinates are left out.

    Columns: qrcode_id, qrcode (its name, with its short code if the view has several of that name), campaign, address
    (str, from the record), latitude, longitude (float64, degrees), scans, visitors (int64, 0 if the code was never
    scanned).
    """
    types = dict.fromkeys(("qrcode_id", "qrcode", "campaign", "address"), "str")
    types |= {"latitude": "float64", "longitude": "float64", "scans": "int64", "visitors": "int64"}
    return with_dtypes(scans.ask(BY_LOCATION), types)


def scans_by(scans: Scans, attribute: Attribute | str, *, most: int = 10, visitors: bool = True) -> pd.DataFrame:
    """Count scans by an attribute, most frequent values first.

    Columns: the attribute (str, "unknown" if not known, "" without a campaign), scans, visitors (int64), share
    (float64, 0..1 of all scans).

    Args:
        scans: The view to count.
        attribute: One of campaign, campaign_id, qrcode, qrcode_id, tag, an attribute that `scans.where` filters by, or
            the name of a field of yours, such as City. A scan of a QR Code with several tags counts with each of them.
        most: Maximum number of values, 1 or more.
        visitors: Whether to count visitors; without that column, the answer takes a sixth of the time.

    Raises:
        InvalidParameter: If `attribute` is unknown, or if `most` is not a whole number of 1 or more.

    Example:
        >>> import pandas as pd
        >>> from qrkit import open_portfolio
        >>> with open_portfolio(":memory:") as shop:
        ...     door = shop.insert_qrcode("https://example.com", name="Door", short_code="door")
        ...     times = pd.to_datetime(["2026-03-01 09:00", "2026-03-03 18:30"], utc=True)
        ...     number = shop.scans.insert(pd.DataFrame({"short_code": "door", "time": times, "country": ["PT", None]}))
        ...     scans_by(shop.scans, "country")[["country", "scans", "share"]].values.tolist()
        [['PT', 1, 0.5], ['unknown', 1, 0.5]]
    """
    # A scan may count with several tags, so its shares are of all scans, not of the sum.
    every = "(SELECT count(*) FROM lean)" if attribute == TAG else "sum(scans) OVER ()"
    counts = _counts("key", key_sql(attribute, scans), table_of(attribute), visitors=visitors)
    sql = BY_ATTRIBUTE.format(all=every, **counts, missing=missing_value(attribute))
    return _typed(scans.ask(sql, most=check_most(most)), "part").rename(columns={"part": attribute})


def _counts(name: str, key: str, table: str, *, visitors: bool) -> dict[str, str]:
    """Return a SELECT that counts scans by a key, and its columns; visitors take six times as long."""
    if visitors:
        return {"counts": counted({name: key}, table), "columns": "scans, visitors"}
    return {"counts": f"SELECT {key} AS {name}, count(*) AS scans FROM {table} GROUP BY 1", "columns": "scans"}


def _typed(frame: pd.DataFrame, *texts: str) -> pd.DataFrame:
    """Convert a ranking, which may lack visitors."""
    types = dict.fromkeys(texts, "str") | {"scans": "int64", "visitors": "int64", "share": "float64"}
    return with_dtypes(frame, {name: dtype for name, dtype in types.items() if name in frame})


def check_most(most: int) -> int:
    """Validate a maximum number of rows and return it as an `int`."""
    return check_whole("most", most, 1, of=" of rows")


def half_lives(scans: Scans) -> pd.DataFrame:
    """Return when each QR Code was created and scanned, oldest first, including codes that were never scanned.

    Columns: qrcode_id, qrcode (its name), campaign (str), created, first, last (datetime64[us, time zone], in the
    view's time zone), scans (int64), delay (float64, hours from creation to the
    first scan; negative if scans are older than the record), half_life (float64, days from the first scan until half of
    the scans so far had come; grows as more come in). Values are missing where there was no scan.
    """
    types = {"qrcode_id": "str", "qrcode": "str", "campaign": "str", "scans": "int64"}
    frame = in_zone_of(scans, scans.ask(HALF_LIVES), ("created", "first", "last"))
    return with_dtypes(frame, types | {"delay": "float64", "half_life": "float64"})


def scans_by_content(scans: Scans) -> pd.DataFrame:
    """Return the contents that visitors were led to: one row per QR Code and content, in the order of first use.

    A change of the content, by an update or by the schedule, adds a row.

    Columns: qrcode_id, qrcode (its name), content (str, "" if unknown), first, last (datetime64[us, time zone], of the
    scans that led to it, in the view's time zone), scans, visitors (int64).
    """
    types = {"qrcode_id": "str", "qrcode": "str", "content": "str", "scans": "int64", "visitors": "int64"}
    return with_dtypes(in_zone_of(scans, scans.ask(BY_CONTENT), ("first", "last")), types)
