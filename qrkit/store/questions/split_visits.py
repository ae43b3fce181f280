"""Visitors among whom the rules of a QR Code drew variants, with what came of it."""

from __future__ import annotations

import json
import re
from datetime import timedelta

from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.late import pd
from qrkit.store.questions.conversions import TOLD
from qrkit.store.questions.scans import Scans
from qrkit.store.recording.click_ids import VALID_DAYS
from qrkit.tracking.times import naive

UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_SPAN = re.compile(r"([0-9]{1,6})([mhd])")
NAMES = f"{TOLD} SELECT DISTINCT name FROM told ORDER BY name"
STRATA = """
, strata AS (
    SELECT split, since, variants, row_number() OVER (ORDER BY since, split) - 1 AS stratum
    FROM splits WHERE qrcode IN (SELECT number FROM codes)
)
"""
SPLIT_VISITS = f"""
{TOLD}, drawn AS (
    SELECT
        time::DATE AS day, visitor, min(time) AS start, arg_min(variant, time) AS variant, arg_min(split, time) AS split
    FROM lean WHERE kind = 'scan' AND split IS NOT NULL GROUP BY ALL
), visits AS ( -- one number may stand for several times: variants may come back
    SELECT d.*, coalesce(max(s.stratum) FILTER (s.since <= d.start), min(s.stratum)) AS stratum
    FROM drawn d JOIN strata s USING (split) GROUP BY ALL
), led AS (
    SELECT time, scanned::DATE AS day, visitor, name, value, currency FROM told WHERE visitor IS NOT NULL
    UNION ALL -- those that name the QR Code alone: the last scan before
    SELECT t.time, s.time::DATE, s.visitor, t.name, t.value, t.currency
    FROM (SELECT * FROM told WHERE visitor IS NULL) t
    ASOF JOIN (SELECT time, visitor FROM lean WHERE kind = 'scan' AND visitor IS NOT NULL) s ON t.time >= s.time
)
SELECT
    v.start, v.stratum, v.variant, count(l.time) > 0 AS converted, coalesce(sum(l.value), 0) AS value,
    v.start + $within::INTERVAL > $now::TIMESTAMP AS pending,
    (SELECT count(DISTINCT currency) FROM led WHERE $conversion IS NULL OR name = $conversion) AS currencies
FROM visits v
LEFT JOIN led l ON l.day = v.day AND l.visitor = v.visitor
    AND l.time >= v.start AND l.time < v.start + $within::INTERVAL
    AND ($conversion::VARCHAR IS NULL OR l.name = $conversion)
GROUP BY v.day, v.visitor, v.start, v.stratum, v.variant
ORDER BY v.start, v.visitor
"""


def split_visits(scans: Scans, within: str | timedelta, conversion: str | None) -> pd.DataFrame:
    """Return the visitors of a view of one QR Code; see `Portfolio.split_visits`."""
    span = _SPAN.fullmatch(within) if isinstance(within, str) else within
    if isinstance(span, re.Match):
        span = timedelta(**{UNITS[span[2]]: int(span[1])})
    if not isinstance(span, timedelta) or not timedelta() < span <= timedelta(days=VALID_DAYS):
        rule = f"must be a time such as 24h or 7d, above 0 and at most {VALID_DAYS}d"
        raise InvalidParameter(Problem("within", str(within), rule))
    told = scans.where(kinds=("scan", "conversion"))
    if conversion is not None:
        names = list(told.ask(NAMES)["name"])
        if not isinstance(conversion, str) or (names and conversion not in names):
            hint = nearest(str(conversion), names) if names else "there are none yet"
            rule = f"must be the name of a conversion of this QR Code; {hint}"
            raise InvalidParameter(Problem("conversion", conversion, rule))
    asked = {"within": span, "conversion": conversion, "now": naive(scans.clock())}
    found = told.ask(f"{STRATA}{SPLIT_VISITS}", **asked)
    value = found["value"].astype("Float64").mask(found["currencies"] > 1)
    return (
        found.drop(columns="currencies")
        .assign(start=found["start"].dt.tz_localize("UTC"), value=value)
        .astype({"stratum": "Int64", "variant": "str", "converted": "boolean", "pending": "boolean"})
    )


def split_weights(scans: Scans) -> pd.DataFrame:
    """Return the shares of variants in a view of one QR Code; see `Portfolio.split_weights`."""
    rows = []
    for row in scans.ask(f"{STRATA} SELECT stratum, since, variants FROM strata ORDER BY stratum").itertuples():
        weights = json.loads(str(row.variants))
        rows += [(row.stratum, row.since, name, one / sum(weights.values())) for name, one in weights.items()]
    frame = pd.DataFrame(rows, columns=["stratum", "since", "variant", "share"])
    since = pd.to_datetime(frame["since"], utc=True)
    return frame.assign(since=since).astype({"stratum": "Int64", "variant": "str", "share": "float64"})
