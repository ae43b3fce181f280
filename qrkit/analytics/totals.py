"""How much there is, how many people it was, and how many of them came again.

Our own redirect gives a visitor a key that changes every UTC day, and keeps no address (ruling T10): who comes on two
days counts as two visitors, and scans without a key, as an import may bring them, count none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.analytics.breakdowns import Part, check_part
from qrkit.store import Scans
from qrkit.store.scans import in_zone_of
from qrkit.tracking.text_columns import with_dtypes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["repeat_share", "summary"]

SUMMARY = """
SELECT
    count(*) AS scans, count(DISTINCT visitor) AS visitors, count(DISTINCT number) AS qrcodes,
    min(time) AS first, max(time) AS last
FROM lean
"""

REPEATS = """
, each AS (
    SELECT {part} AS part, visitor, count(*) AS scans FROM lean WHERE visitor IS NOT NULL GROUP BY ALL
)
SELECT
    part, sum(scans)::BIGINT AS scans, count(*) AS visitors, count_if(scans > 1) AS again,
    1 - count(*) / sum(scans) AS share
FROM each
GROUP BY part
ORDER BY scans DESC, part
"""


def summary(scans: Scans) -> pd.DataFrame:
    """How much there is, in one row.

    Columns: scans, visitors, qrcodes (int64; codes with at least one scan), first, last (datetime64[us]: UTC without a
    zone, or with the time zone of the view if it has another; NaT where there is no scan).
    """
    found = in_zone_of(scans, scans.ask(SUMMARY), ("first", "last"))
    return found.astype({"scans": "int64", "visitors": "int64", "qrcodes": "int64"})


def repeat_share(scans: Scans, *, by: Part | None = None) -> pd.DataFrame:
    """How many scans were not the first of their visitor on that UTC day; one row, or one for each part with scans.

    Columns: the name of `by` (str, when asked for), scans (int64, those with a visitor's key), visitors, again (int64,
    visitors with two scans or more), share (float64, 0..1, of scans after a visitor's first).

    Args:
        scans: What is counted.
        by: campaign, qrcode (its name) or qrcode_id; None for all of them together.

    Raises:
        InvalidParameter: `by` is something else.
    """
    check_part(by)
    frame = scans.ask(REPEATS.format(part=by or "''"))
    types = {"part": "str", "scans": "int64", "visitors": "int64", "again": "int64", "share": "float64"}
    frame = with_dtypes(frame, types)
    return frame.rename(columns={"part": by}) if by else frame.drop(columns="part")
