"""Counts scans, visitors and QR Codes, and how many visitors came back.

qrkit's redirect gives a visitor a key that changes every UTC day, and stores no address. A person who comes on two days
counts as two visitors, and so does an imported key on two days. Scans without a key, which an import may contain, do
not count toward visitors.
"""

from __future__ import annotations

import pandas as pd

from qrkit.store import Scans
from qrkit.store.all_visits import counted
from qrkit.store.questions.scan_attributes import UNKNOWN, Attribute, group_sql, table_of
from qrkit.store.questions.scans import in_zone_of
from qrkit.tracking.text_columns import with_dtypes

SUMMARY = f"""
SELECT scans, visitors, (SELECT count(DISTINCT number) FROM lean) AS qrcodes, first, last
FROM ({counted({}, "lean", times=True)}) counted
"""

# Visitors whose key is on one visit of its day are counted together, in the row of each part without `again`.
REPEATS = f"""
, each AS (
    SELECT {{key}} AS key, again, count(*) AS scans, count(*) FILTER (alone) AS alone FROM {{table}} GROUP BY ALL
), counted AS (
    SELECT
        key, sum(CASE WHEN again IS NULL THEN alone ELSE scans END)::BIGINT AS scans,
        sum(CASE WHEN again IS NULL THEN alone ELSE 1 END)::BIGINT AS visitors,
        count(*) FILTER (again IS NOT NULL AND scans > 1) AS repeating
    FROM each
    GROUP BY key
)
SELECT coalesce(key, '{UNKNOWN}') AS part, scans, visitors, repeating AS again, 1 - visitors / scans AS share
FROM counted
WHERE scans > 0
ORDER BY scans DESC, part
"""


def summary(scans: Scans) -> pd.DataFrame:
    """Return the totals of a view in one row.

    Columns: scans, visitors, qrcodes (int64; codes with at least one scan), first, last (datetime64[us, time
    zone], in the view's time zone; NaT if there are no scans).
    """
    frame = in_zone_of(scans, scans.ask(SUMMARY), ("first", "last"))
    return frame.astype({"scans": "int64", "visitors": "int64", "qrcodes": "int64"})


def repeat_share(scans: Scans, *, by: Attribute | str | None = None) -> pd.DataFrame:
    """Return the number of scans by visitors who had already scanned on the same UTC day, in total or per group.

    Columns: the name of `by` (str, if given), scans (int64, only those with a visitor key), visitors, again (int64,
    visitors with two scans or more), share (float64, 0..1, of scans after a visitor's first).

    Args:
        scans: The view to count.
        by: campaign, campaign_id, qrcode (its name), qrcode_id, or an attribute that `scans.where` filters by; None for
            all of them together.

    Raises:
        InvalidParameter: If `by` is anything else.
    """
    frame = scans.ask(REPEATS.format(key=group_sql(by, scans), table=table_of(by)))
    types = {"part": "str", "scans": "int64", "visitors": "int64", "again": "int64", "share": "float64"}
    frame = with_dtypes(frame, types)
    return frame.rename(columns={"part": by}) if by else frame.drop(columns="part")
