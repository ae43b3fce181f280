"""Classifies visits: scans by people, bots and link previews, and visits to short codes that do not exist.

Nobody can tell for certain whether a person made a request, so the evidence gives a range. It starts at visits that
look like a browser on a known device, and ends at all visits that are not clearly automatic. Neither end is a strict
limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.analytics.breakdowns import check_most
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.all_visits import VISITORS
from qrkit.store.questions.scans import in_zone_of, period_sql
from qrkit.store.records.accounts import all_accounts
from qrkit.tracking.records import Kind
from qrkit.tracking.text_columns import with_dtypes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["VISITS", "human_scans", "orphan_visits", "visits_by_evidence", "visits_by_kind"]

VISITS: tuple[Kind, ...] = ("scan", "bot", "prefetch", "head")
"""All kinds of visits to existing QR Codes."""

COUNTED = ("browser on a known device", "unknown device", "bot by current rules")
"""Kinds of evidence of the visits that are counted as scans."""

BY_KIND = "SELECT kind, count(*) AS visits FROM lean GROUP BY kind ORDER BY visits DESC, kind"

BY_EVIDENCE = """
, ahead AS (
    SELECT number, again, count(*) AS visits FROM lean WHERE kind = 'prefetch' GROUP BY ALL
), followed AS (
    SELECT DISTINCT number, again FROM lean SEMI JOIN ahead USING (number, again) WHERE kind = 'scan'
), judged AS (
    SELECT
        CASE
            WHEN kind = 'bot' THEN 'bot'
            WHEN kind = 'head' THEN 'HEAD request'
            WHEN u.is_bot THEN 'bot by current rules'
            WHEN u.device = 'unknown' OR u.browser IS NULL THEN 'unknown device'
            ELSE 'browser on a known device'
        END AS evidence,
        count(*) AS visits
    FROM lean v
    JOIN user_agents u ON u.number = v.user_agent
    WHERE kind <> 'prefetch'
    GROUP BY ALL
    UNION ALL
    SELECT
        CASE WHEN f.number IS NULL THEN 'link preview alone' ELSE 'link preview before a scan' END AS evidence,
        a.visits
    FROM ahead a
    LEFT JOIN followed f ON f.number = a.number AND f.again = a.again
)
SELECT e.evidence, e.person, coalesce(sum(j.visits), 0)::BIGINT AS visits
FROM (VALUES
    (1, 'browser on a known device', 'yes'), (2, 'unknown device', 'perhaps'), (3, 'link preview alone', 'perhaps'),
    (4, 'link preview before a scan', 'no'), (5, 'bot by current rules', 'no'), (6, 'bot', 'no'),
    (7, 'HEAD request', 'no')
) e(place, evidence, person)
LEFT JOIN judged j USING (evidence)
GROUP BY e.place, e.evidence, e.person
ORDER BY e.place
"""

ORPHANS = f"""
SELECT short_code, count(*) AS visits, {VISITORS} AS visitors, min(time) AS first, max(time) AS last
FROM all_visits
WHERE kind = 'orphan'{{period}}
GROUP BY short_code
ORDER BY visits DESC, short_code
LIMIT $most
"""


def visits_by_kind(scans: Scans) -> pd.DataFrame:
    """Count all visits to live codes by kind: scan, bot, prefetch or head. Only the kind `scan` is counted as a scan.

    Columns: kind (str), visits (int64).
    """
    return with_dtypes(scans.where(kinds=VISITS).ask(BY_KIND), {"kind": "str", "visits": "int64"})


def visits_by_evidence(scans: Scans) -> pd.DataFrame:
    """Count visits to live codes by the evidence that a person made them. Always returns seven rows, for all kinds.

    Columns: evidence (str), person (str: yes, perhaps or no), visits (int64). A scan by a browser on a known device
    counts as a person. A scan whose user agent names no device or browser may come from a program. A link preview that
    no scan by the same visitor follows may be all that a person looked at. Declared bots and HEAD requests are not
    people. Bots that were recognized only after their visit were counted as scans and have a row of their own.
    """
    types = {"evidence": "str", "person": "str", "visits": "int64"}
    return with_dtypes(scans.where(kinds=VISITS).ask(BY_EVIDENCE), types)


def human_scans(scans: Scans) -> pd.DataFrame:
    """Estimate how many visits came from people: the range from `likely` to `possible`, next to the counted `scans`.

    Columns: likely (visits from a browser on a known device), scans, possible (likely, plus unknown devices and
    previews that no scan by the same visitor follows; all int64). Returns one row. Neither end is a strict limit: a bot
    that claims to be a browser on a phone is in `likely`, and a person whose browser looks like a bot is in neither.
    See `visits_by_evidence` for the number of visits with each kind of evidence.
    """
    import pandas as pd

    evidence = visits_by_evidence(scans)
    visits = evidence.groupby("person")["visits"].sum()
    counted = evidence.loc[evidence["evidence"].isin(COUNTED), "visits"].sum()
    row = {"likely": visits["yes"], "scans": counted, "possible": visits["yes"] + visits["perhaps"]}
    return pd.DataFrame([row]).astype("int64")


def orphan_visits(scans: Scans, *, most: int = 100) -> pd.DataFrame:
    """Return visits to short codes that do not exist or were deleted: misprints, old codes and guesses.

    These visits belong to no QR Code, so they are in nobody's portfolio. In a store with several accounts, only its
    operator can read them. Of the view, only `since` and `until` matter.

    Columns: short_code (str), visits, visitors (int64), first, last (datetime64[us, time zone], in the view's time
    zone), most frequent first.

    Args:
        scans: A view of all QR Codes.
        most: Maximum number of short codes, 1 or more.

    Raises:
        InvalidParameter: If the view is narrowed to a campaign or a QR Code, if the store has several accounts, or if
            `most` is not a whole number of 1 or more.
    """
    most = check_most(most)
    if scans.campaign_id is not None or scans.qrcode_id is not None:
        rule = "must be a view of all QR Codes, because visits to unknown short codes belong to no campaign"
        raise InvalidParameter(Problem("scans", None, rule))
    if len(all_accounts(scans.store)) > 1:
        rule = "belongs to a store with several accounts; visits to unknown short codes belong to none of them"
        raise InvalidParameter(Problem("scans", None, rule))
    types = {"short_code": "str", "visits": "int64", "visitors": "int64"}
    counted = scans.ask(ORPHANS.format(period=period_sql(scans)), most=most)
    return with_dtypes(in_zone_of(scans, counted, ("first", "last")), types)
