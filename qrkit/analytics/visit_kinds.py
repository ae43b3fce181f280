"""Classifies visits: scans by people, bots and link previews, and visits to short codes that do not exist.

Nobody can tell for certain whether a person made a request, so the evidence gives a range. It starts at visits that
look like a browser on a known device, and ends at all visits that are not clearly automatic. Neither end is a strict
limit.
"""

from __future__ import annotations

import pandas as pd

from qrkit.analytics.breakdowns import check_most
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.all_visits import VISITORS
from qrkit.store.questions.local_time import local_time
from qrkit.store.questions.scans import in_zone_of, period_sql
from qrkit.store.questions.time_zones import stretches_of
from qrkit.store.records.accounts import all_accounts
from qrkit.tracking.records import KINDS_OF_VISITS
from qrkit.tracking.text_columns import with_dtypes

COUNTED = ("browser on a known device", "unknown device", "very many on a day", "bot by current rules")
"""Kinds of evidence of the visits that are counted as scans."""

BY_KIND = "SELECT kind, count(*) AS visits FROM lean GROUP BY kind ORDER BY visits DESC, kind"

MOST_A_DAY = 50
"""More scans on a day are hardly those of one person."""
FEWEST_TIMES = 12
"""Minimum number of scans on a day that show a rhythm."""
BY_NIGHT = 5
"""The hour at which the night ends."""
FEWEST_BY_NIGHT = 50
"""Minimum number of scans in an hour of the night that are told."""

OFTEN = f"""
, often AS (
    SELECT numbered, again FROM lean WHERE kind = 'scan' AND again IS NOT NULL
    GROUP BY ALL HAVING count(*) > {MOST_A_DAY}
)"""
"""Visitors who made very many scans on a day; `again` is a visitor and a day (`all_visits`)."""

# A program asks again after the same number of minutes, whatever the seconds that an answer takes. People do not.
UNLIKE_PEOPLE = f"""
{OFTEN}, gaps AS (
    SELECT
        numbered, again, time, number, user_agent,
        epoch(time - lag(time) OVER (PARTITION BY numbered, again ORDER BY time)) AS gap
    FROM lean
    SEMI JOIN (
        SELECT numbered, again FROM lean WHERE again IS NOT NULL GROUP BY ALL HAVING count(*) >= {FEWEST_TIMES}
    ) several USING (numbered, again)
), visitors AS (
    SELECT
        numbered, again, min(time) AS begin, max(time) AS "end", count(*) AS scans, mode(number) AS number,
        mode(user_agent) AS user_agent, round(median(gap) / 60) AS minutes
    FROM gaps GROUP BY numbered, again
), rhythms AS (
    SELECT numbered, again
    FROM visitors JOIN gaps USING (numbered, again)
    WHERE minutes >= 1 AND "end" - begin >= INTERVAL '2 hours'
    GROUP BY ALL HAVING avg(CASE WHEN abs(gap - 60 * minutes) <= 3 THEN 1 ELSE 0 END) >= 0.8
), hours AS (
    SELECT
        date_trunc('hour', {{local}}) AS hour, user_agent, min(time) AS begin, max(time) AS "end", count(*) AS scans,
        mode(number) AS number
    FROM lean ANTI JOIN often USING (numbered, again)
    GROUP BY ALL
), shares AS (
    SELECT
        *, sum(scans) OVER (PARTITION BY hour) AS of_hour, sum(scans) OVER (PARTITION BY user_agent) AS of_agent,
        sum(scans) OVER () AS total
    FROM hours
), found AS (
    SELECT 'many' AS sign, begin, "end", scans, number, user_agent, NULL AS minutes
    FROM visitors SEMI JOIN often USING (numbered, again) ANTI JOIN rhythms USING (numbered, again)
    UNION ALL
    SELECT 'rhythm', min(begin), max("end"), sum(scans)::BIGINT, number, user_agent, minutes
    FROM visitors SEMI JOIN rhythms USING (numbered, again)
    GROUP BY number, user_agent, minutes
    UNION ALL
    SELECT 'night', begin, "end", scans, number, user_agent, NULL
    FROM shares
    WHERE hour(hour) < {BY_NIGHT} AND scans >= {FEWEST_BY_NIGHT} AND scans >= 0.9 * of_hour
        AND of_agent - scans < 0.5 * (total - of_hour)
)
SELECT f.sign, f.begin, f."end", f.scans, c.qrcode_id, c.qrcode, u.text AS user_agent, f.minutes
FROM found f
JOIN codes c USING (number)
JOIN user_agents u ON u.number = f.user_agent
ORDER BY f.scans DESC, f.begin, c.qrcode_id
"""

BY_EVIDENCE = (
    OFTEN
    + """
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
            WHEN o.again IS NOT NULL THEN 'very many on a day'
            WHEN u.device = 'unknown' OR u.browser IS NULL THEN 'unknown device'
            ELSE 'browser on a known device'
        END AS evidence,
        count(*) AS visits
    FROM lean v
    JOIN user_agents u ON u.number = v.user_agent
    LEFT JOIN often o ON o.numbered = v.numbered AND o.again = v.again
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
    (4, 'very many on a day', 'perhaps'), (5, 'link preview before a scan', 'no'), (6, 'bot by current rules', 'no'),
    (7, 'bot', 'no'), (8, 'HEAD request', 'no')
) e(place, evidence, person)
LEFT JOIN judged j USING (evidence)
GROUP BY e.place, e.evidence, e.person
ORDER BY e.place
"""
)

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
    return with_dtypes(scans.where(kinds=KINDS_OF_VISITS).ask(BY_KIND), {"kind": "str", "visits": "int64"})


def visits_by_evidence(scans: Scans) -> pd.DataFrame:
    """Count visits to live codes by the evidence that a person made them. Always returns eight rows, for all kinds.

    Columns: evidence (str), person (str: yes, perhaps or no), visits (int64). A scan by a browser on a known device
    counts as a person. A scan whose user agent names no device or browser may come from a program. A link preview that
    no scan by the same visitor follows may be all that a person looked at. More than 50 scans of one visitor on a UTC
    day are a program's, or those of a crowd with one kind of phone behind one network. Declared bots and HEAD requests
    are not people. Bots that were recognized only after their visit were counted as scans and have a row of their own.
    """
    types = {"evidence": "str", "person": "str", "visits": "int64"}
    return with_dtypes(scans.where(kinds=KINDS_OF_VISITS).ask(BY_EVIDENCE), types)


def human_scans(scans: Scans) -> pd.DataFrame:
    """Estimate how many visits look like people: the range from `likely` to `possible`, next to the counted `scans`.

    Columns: likely (visits from a browser on a known device), scans, possible (likely, plus unknown devices, visitors
    with very many scans on a day, and previews that no scan by the same visitor follows; all int64). Returns one row.
    Neither end is a strict limit: a bot that claims to be a browser on a phone is in `likely`, and a person whose
    browser looks like a bot is in neither. See `visits_by_evidence` for the number of visits with each kind of
    evidence.
    """
    evidence = visits_by_evidence(scans)
    visits = evidence.groupby("person")["visits"].sum()
    counted = evidence.loc[evidence["evidence"].isin(COUNTED), "visits"].sum()
    row = {"likely": visits["yes"], "scans": counted, "possible": visits["yes"] + visits["perhaps"]}
    return pd.DataFrame([row]).astype("int64")


def unlike_people(scans: Scans) -> pd.DataFrame:
    """Return scans that people are unlikely to have made: one row for each finding, most scans first.

    Three signs are looked for. Many: a visitor made more than 50 scans on a UTC day, which `where(most_a_day=50)`
    leaves out. Rhythm: a visitor came back after the same number of whole minutes for two hours or more, with at least
    12 scans on a day, as programs do that watch whether a link works; all days with the same rhythm are one row. Night:
    50 scans or more within one hour before 5:00, nine of ten with a user agent that is otherwise in the minority. A
    crowd with one kind of phone behind one network counts as one visitor, so "many" can also be a party.

    Columns: sign (str: many, rhythm or night), begin, end (datetime64[us, time zone], first and last scan, in the
    view's time zone), scans (int64), qrcode_id, qrcode (str, the QR Code with most of them), user_agent (str), minutes
    (float64, the rhythm; otherwise missing).

    Args:
        scans: The view.
    """
    frame = scans.ask(UNLIKE_PEOPLE.format(local=local_time(stretches_of(scans))))
    types = dict.fromkeys(("sign", "qrcode_id", "qrcode", "user_agent"), "str") | {"scans": "int64"}
    return in_zone_of(scans, with_dtypes(frame, types | {"minutes": "float64"}), ("begin", "end"))


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
