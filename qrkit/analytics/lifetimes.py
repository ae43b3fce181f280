"""Describes the life of QR Codes: time to the first scan, time until half of the scans, and the contents served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.store import Scans
from qrkit.store.all_visits import counted
from qrkit.store.questions.scans import in_zone_of
from qrkit.tracking.text_columns import with_dtypes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["half_lives", "scans_by_content"]

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


def half_lives(scans: Scans) -> pd.DataFrame:
    """Return when each QR Code was created and scanned, oldest first, including codes that were never scanned.

    Columns: qrcode_id, qrcode (its name), campaign (str), created, first, last (datetime64[us]: UTC without a time
    zone, or in the view's time zone if that is not UTC), scans (int64), delay (float64, hours from creation to the
    first scan; negative if scans are older than the record), half_life (float64, days from the first scan until half of
    the scans so far had come; grows as more come in). Values are missing where there was no scan.
    """
    types = {"qrcode_id": "str", "qrcode": "str", "campaign": "str", "scans": "int64"}
    frame = in_zone_of(scans, scans.ask(HALF_LIVES), ("created", "first", "last"))
    return with_dtypes(frame, types | {"delay": "float64", "half_life": "float64"})


def scans_by_content(scans: Scans) -> pd.DataFrame:
    """Return the contents that visitors were led to: one row per QR Code and content, in the order of first use.

    A change of the content, by an update or by the schedule, adds a row.

    Columns: qrcode_id, qrcode (its name), content (str, "" if unknown), first, last (datetime64[us], of the scans that
    led to it: UTC without a time zone, or in the view's time zone if that is not UTC), scans, visitors (int64).
    """
    types = {"qrcode_id": "str", "qrcode": "str", "content": "str", "scans": "int64", "visitors": "int64"}
    return with_dtypes(in_zone_of(scans, scans.ask(BY_CONTENT), ("first", "last")), types)
