"""Counts scans by QR Code, campaign, location, language, referrer and device."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Literal, get_args

from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.tracking.text_columns import with_dtypes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["UNKNOWN", "Attribute", "Part", "check_most", "check_part", "scans_by", "scans_by_location", "top_qrcodes"]

Attribute = Literal["campaign", "country", "region", "city", "language", "referrer", "device", "system", "browser"]
"""Attributes that scans can be counted by."""

Part = Literal["campaign", "qrcode", "qrcode_id"]
"""Groups that scans over time and returning visitors can be counted by."""

UNKNOWN = "unknown"
"""The value of an attribute that is not known."""

BY_AGENT = ("device", "system", "browser")
"""Attributes that come from the user agent."""

TOP = """
, counted AS (SELECT number, count(*) AS scans, count(DISTINCT visitor) AS visitors FROM lean GROUP BY number)
SELECT qrcode_id, qrcode, campaign, scans, visitors, scans / sum(scans) OVER () AS share
FROM counted JOIN codes USING (number)
ORDER BY scans DESC, qrcode_id
LIMIT $most
"""

BY_LOCATION = """
, counted AS (SELECT number, count(*) AS scans, count(DISTINCT visitor) AS visitors FROM lean GROUP BY number)
SELECT
    c.qrcode_id, c.qrcode, c.campaign, coalesce(c.qrcode_address, '') AS address,
    c.qrcode_latitude AS latitude, c.qrcode_longitude AS longitude,
    coalesce(n.scans, 0) AS scans, coalesce(n.visitors, 0) AS visitors
FROM codes c
LEFT JOIN counted n USING (number)
WHERE c.qrcode_latitude IS NOT NULL AND c.qrcode_longitude IS NOT NULL
ORDER BY scans DESC, qrcode_id
"""

BY_ATTRIBUTE = """
SELECT
    coalesce(nullif({attribute}, ''), $unknown) AS {attribute},
    count(*) AS scans, count(DISTINCT visitor) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM {table}
GROUP BY ALL
ORDER BY scans DESC, {attribute}
LIMIT $most
"""


def top_qrcodes(scans: Scans, *, most: int = 10) -> pd.DataFrame:
    """Return the QR Codes with the most scans.

    Columns: qrcode_id, qrcode (its name), campaign (str), scans, visitors (int64), share (float64, 0..1 of all scans).

    Args:
        scans: The view to count.
        most: Maximum number of QR Codes, 1 or more.

    Raises:
        InvalidParameter: If `most` is not a whole number of 1 or more.
    """
    most = check_most(most)
    types = {"qrcode_id": "str", "qrcode": "str", "campaign": "str", "scans": "int64", "visitors": "int64"}
    return with_dtypes(scans.ask(TOP, most=most), types | {"share": "float64"})


def scans_by_location(scans: Scans) -> pd.DataFrame:
    """Return the locations of QR Codes, most scanned first. Codes without coordinates are left out.

    Columns: qrcode_id, qrcode (its name), campaign, address (str, from the record), latitude, longitude (float64,
    degrees), scans, visitors (int64, 0 if the code was never scanned).
    """
    types = dict.fromkeys(("qrcode_id", "qrcode", "campaign", "address"), "str")
    types |= {"latitude": "float64", "longitude": "float64", "scans": "int64", "visitors": "int64"}
    return with_dtypes(scans.ask(BY_LOCATION), types)


def scans_by(scans: Scans, attribute: Attribute, *, most: int = 10) -> pd.DataFrame:
    """Count scans by an attribute, most frequent values first.

    Columns: the attribute (str, "unknown" if not known), scans, visitors (int64), share (float64, 0..1 of all scans).

    Args:
        scans: The view to count.
        attribute: One of campaign, country, region, city, language, referrer, device, system, browser.
        most: Maximum number of values, 1 or more.

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
    if attribute not in get_args(Attribute):
        rule = f"must be one of {', '.join(get_args(Attribute))}"
        raise InvalidParameter(Problem("attribute", attribute, rule))
    most = check_most(most)
    # Safe to format into SQL: the attribute is one of the names above, never a caller's string.
    sql = BY_ATTRIBUTE.format(attribute=attribute, table="scans" if attribute in BY_AGENT else "lean")
    frame = scans.ask(sql, most=most, unknown=UNKNOWN)
    return with_dtypes(frame, {attribute: "str", "scans": "int64", "visitors": "int64", "share": "float64"})


def check_most(most: int) -> int:
    """Validate a maximum number of rows and return it as an `int`.

    Raises:
        InvalidParameter: If `most` is not a whole number of 1 or more.
    """
    if not isinstance(most, Integral) or isinstance(most, bool) or most < 1:
        raise InvalidParameter(Problem("most", most, "must be a whole number of rows, 1 or more", "out-of-range"))
    return int(most)


def check_part(by: str | None) -> None:
    """Raise unless `by` is None or a name in `Part`.

    Raises:
        InvalidParameter: If `by` is neither None nor a name in `Part`.
    """
    if by is not None and by not in get_args(Part):
        raise InvalidParameter(Problem("by", by, f"must be one of {', '.join(get_args(Part))}, or None"))
