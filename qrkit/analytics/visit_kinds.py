"""What visits were: scans of people, bots and previews apart, and those to short codes that do not exist.

Nobody can tell for sure whether a person stood behind a request. What is known of each visit allows a range: from those
whose request looks like a browser's on a known device to those that nothing speaks against. Neither end is a limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.analytics.breakdowns import check_most
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.accounts import all_accounts
from qrkit.store.scans import in_zone_of
from qrkit.tracking.records import Kind
from qrkit.tracking.text_columns import with_dtypes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["VISITS", "human_scans", "orphan_visits", "visits_by_evidence", "visits_by_kind"]

VISITS: tuple[Kind, ...] = ("scan", "bot", "prefetch", "head")
"""All kinds of visits to QR Codes that are there."""

COUNTED = ("browser on a known device", "unknown device", "robot by what is known today")
"""Evidence of visits that are counted as scans."""

BY_KIND = "SELECT kind, count(*) AS visits FROM lean GROUP BY kind ORDER BY visits DESC, kind"

BY_EVIDENCE = """
, ahead AS (
    SELECT number, visitor, count(*) AS visits FROM lean WHERE kind = 'prefetch' GROUP BY ALL
), followed AS (
    SELECT DISTINCT number, visitor FROM lean SEMI JOIN ahead USING (number, visitor) WHERE kind = 'scan'
), judged AS (
    SELECT
        CASE
            WHEN kind = 'bot' THEN 'robot'
            WHEN kind = 'head' THEN 'head'
            WHEN u.is_bot THEN 'robot by what is known today'
            WHEN u.device = 'unknown' OR u.browser IS NULL THEN 'unknown device'
            ELSE 'browser on a known device'
        END AS evidence,
        count(*) AS visits
    FROM lean v
    JOIN user_agents u ON u.number = v.user_agent
    WHERE kind <> 'prefetch'
    GROUP BY ALL
    UNION ALL
    SELECT CASE WHEN f.number IS NULL THEN 'preview alone' ELSE 'preview before a scan' END AS evidence, a.visits
    FROM ahead a
    LEFT JOIN followed f ON f.number = a.number AND f.visitor = a.visitor
)
SELECT e.evidence, e.person, coalesce(sum(j.visits), 0)::BIGINT AS visits
FROM (VALUES
    (1, 'browser on a known device', 'yes'), (2, 'unknown device', 'perhaps'), (3, 'preview alone', 'perhaps'),
    (4, 'preview before a scan', 'no'), (5, 'robot by what is known today', 'no'), (6, 'robot', 'no'), (7, 'head', 'no')
) e(place, evidence, person)
LEFT JOIN judged j USING (evidence)
GROUP BY e.place, e.evidence, e.person
ORDER BY e.place
"""

ORPHANS = """
SELECT short_code, count(*) AS visits, count(DISTINCT visitor) AS visitors, min(time) AS first, max(time) AS last
FROM visits
WHERE kind = 'orphan' AND ($since IS NULL OR time >= $since) AND ($until IS NULL OR time < $until)
GROUP BY short_code
ORDER BY visits DESC, short_code
LIMIT $most
"""


def visits_by_kind(scans: Scans) -> pd.DataFrame:
    """All visits to live codes by what they were: scan, bot, prefetch or head; only scans count (ruling T9).

    Columns: kind (str), visits (int64).
    """
    return with_dtypes(scans.where(kinds=VISITS).ask(BY_KIND), {"kind": "str", "visits": "int64"})


def visits_by_evidence(scans: Scans) -> pd.DataFrame:
    """All visits to live codes by what speaks for a person behind them: seven rows, whatever the kinds of the view.

    Columns: evidence (str), person (str: yes, perhaps or no), visits (int64). A scan of a browser on a known device is
    a person; one whose user agent tells no device or browser may be a program. A preview that no scan of the same
    visitor follows may have been all that a person asked for. Robots that say so and HEAD requests are none; a robot
    that was not known for one at the time of its visit is counted as a scan, and told apart since.
    """
    types = {"evidence": "str", "person": "str", "visits": "int64"}
    return with_dtypes(scans.where(kinds=VISITS).ask(BY_EVIDENCE), types)


def human_scans(scans: Scans) -> pd.DataFrame:
    """How many visits came from people: between `likely` and `possible`, beside the `scans` that are counted.

    Columns: likely (visits from a browser on a known device), scans, possible (with unknown devices, and with previews
    that no scan of the same visitor follows; all int64), in one row. Neither end is a limit: a bot that claims to be a
    browser on a phone is among the likely ones, and a person whose browser looks like a bot is in neither. See
    `visits_by_evidence` for each kind of evidence.
    """
    import pandas as pd

    found = visits_by_evidence(scans)
    visits = found.groupby("person")["visits"].sum()
    counted = found.loc[found["evidence"].isin(COUNTED), "visits"].sum()
    row = {"likely": visits["yes"], "scans": counted, "possible": visits["yes"] + visits["perhaps"]}
    return pd.DataFrame([row]).astype("int64")


def orphan_visits(scans: Scans, *, most: int = 100) -> pd.DataFrame:
    """Visits to short codes that do not exist, or not any more: misprints, deleted QR Codes, guesses.

    They belong to no QR Code, so to nobody's portfolio: a store with several accounts has them for its operator alone.
    Of the view only `since` and `until` matter.

    Columns: short_code (str), visits, visitors (int64), first, last (datetime64[us]: UTC without a zone, or with the
    time zone of the view if it has another), the most frequent first.

    Args:
        scans: A view of all QR Codes.
        most: How many short codes, 1 or more.

    Raises:
        InvalidParameter: The view is narrowed to campaigns or QR Codes, the store has other accounts, too, or `most` is
            no whole number of 1 or more.
    """
    most = check_most(most)
    if scans.campaign_id is not None or scans.qrcode_id is not None:
        rule = "must be a view of all QR Codes: visits to what does not exist are in no campaign"
        raise InvalidParameter(Problem("scans", None, rule))
    if len(all_accounts(scans.store)) > 1:
        rule = "is of a store with several accounts: what is nobody's is shown to none of them"
        raise InvalidParameter(Problem("scans", None, rule))
    types = {"short_code": "str", "visits": "int64", "visitors": "int64"}
    return with_dtypes(in_zone_of(scans, scans.ask(ORPHANS, most=most), ("first", "last")), types)
