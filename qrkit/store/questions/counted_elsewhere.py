"""Stores visits that were counted elsewhere, a whole table at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import pandas as pd

from qrkit.errors import InvalidParameter, Problem
from qrkit.store.connection import Store
from qrkit.store.copies.arrow_tables import ArrowTable
from qrkit.store.history.server_history import bring_equal
from qrkit.store.questions.visit_frame import FRAME_COLUMNS, prepared_frame
from qrkit.store.recording.recorder import drain
from qrkit.store.recording.user_agents import LONGEST, numbers_of
from qrkit.store.recording.visit_rows import COLUMNS, add_to_counters
from qrkit.tracking.referrers import DIRECT
from qrkit.tracking.short_urls import read_short_url, with_scheme

CODES = "SELECT short_code FROM qrcodes WHERE account_id = ?"

GIVEN = {name: kind for name, kind in COLUMNS.items() if name in (*FRAME_COLUMNS, "user_agent")}
"""Columns of the table `incoming`, without the row number and `is_stored`."""
INCOMING = f"""
CREATE TEMPORARY TABLE incoming (
    number INTEGER, is_stored BOOLEAN, {", ".join(f"{name} {kind}" for name, kind in GIVEN.items())}
)
"""
MOST_CATEGORIES = 10_000
"""A column with more distinct texts is read as text, because DuckDB takes longer to read categories."""
ANY_BETWEEN = "SELECT 1 FROM all_visits WHERE time BETWEEN $since AND $until LIMIT 1"
"""Finds out whether a row of a table may be in the store already."""
# Until 1.1, referrers of tables were stored as they came. Rows have hosts now, as `tidy_referrer` cuts them.
AFTER_SCHEME = "regexp_replace(trim(referrer), '^[^/?#]*//', '')"
AUTHORITY = f"split_part(split_part(split_part({AFTER_SCHEME}, '/', 1), '?', 1), '#', 1)"
HOST = f"""CASE
    WHEN referrer = '' THEN referrer
    WHEN lower(trim(referrer)) IN ({", ".join(f"'{text}'" for text in sorted(DIRECT))}) THEN NULL
    WHEN referrer LIKE '%/%' OR referrer LIKE '%?%' OR referrer LIKE '%#%'
    THEN nullif(lower(split_part(regexp_replace({AUTHORITY}, '^.*@', ''), ':', 1)), '')
    ELSE referrer
END"""
SAME = {name: HOST if name == "referrer" else name for name in GIVEN if name != "content"}
"""What is equal in a row and in the visit that it repeats, each as it is read from a stored visit."""
# If k of n equal rows are in the store, k of the n are already stored. Only rows whose code and time appear on both
# sides are grouped: in a new table, these are few. Columns without any value in the table only select stored visits:
# as keys of a group, they would double the time.
COMPARE = """
UPDATE incoming SET is_stored = true WHERE number IN (
    WITH stored AS (
        SELECT {stored}, content FROM {visits} v
        WHERE time BETWEEN (SELECT min(time) FROM incoming) AND (SELECT max(time) FROM incoming)
            AND EXISTS (
                SELECT 1 FROM incoming i WHERE i.time = v.time AND i.short_code = v.short_code AND {asked}
            ){empty}
    ), given AS (
        SELECT number, is_stored, {same}, content FROM incoming i
        WHERE EXISTS (SELECT 1 FROM stored s WHERE s.time = i.time AND s.short_code = i.short_code)
    )
    SELECT unnest((array_agg(number) FILTER (WHERE number IS NOT NULL AND {asked}))[
        1:count(*) FILTER (WHERE number IS NULL) - count(*) FILTER (WHERE is_stored)
    ])
    FROM (SELECT NULL::INTEGER AS number, false AS is_stored, * FROM stored UNION ALL SELECT * FROM given) both_sides
    GROUP BY {same}{and_content}
)
"""
WITH_CONTENT = {"asked": "content IS NOT NULL", "and_content": ", content"}
# A row without content is stored with the record's content, which may have changed since. Such a row therefore matches
# any visit that no row with content has matched.
WITHOUT_CONTENT = {"asked": "content IS NULL", "and_content": ""}
INSERT_FRAME = f"""
INSERT INTO visits (qrcode, content, {", ".join(SAME)})
SELECT s.qrcode, coalesce(i.content, q.content), {", ".join(f"i.{name}" for name in SAME)}
FROM incoming i
JOIN short_codes s ON s.code = i.short_code
JOIN qrcodes q ON q.number = s.qrcode
"""
COUNT = """
SELECT s.qrcode, count(*) AS scans FROM incoming i JOIN short_codes s ON s.code = i.short_code WHERE i.kind = 'scan'
GROUP BY s.qrcode
"""
HAS_NUMBER = """
SELECT 1 AS found FROM qrcodes
WHERE account_id = ? AND imported_scans > 0 AND short_code IN (SELECT unnest(?::VARCHAR[])) LIMIT 1
"""
# Older visits of any kind reduce the imported number: it may include bots, and no visit may count twice.
EXPLAIN_NUMBERS = """
UPDATE qrcodes SET imported_scans = greatest(imported_scans - history.visits, 0)
FROM (
    SELECT i.short_code, count(*) AS visits FROM incoming i JOIN qrcodes q ON q.short_code = i.short_code
    WHERE q.stored IS NULL OR i.time < q.stored
    GROUP BY i.short_code
) history
WHERE qrcodes.short_code = history.short_code AND imported_scans > 0
"""


def insert_frame(store: Store, account_id: str, frame: pd.DataFrame | ArrowTable | Sequence[Mapping[str, Any]]) -> int:
    """Store the rows of a table of scans that are not in the store yet; return the number of rows added.

    Each added row replaces one scan of the number imported with its QR Code. If an error occurs, no row is stored; the
    error names the column and the first invalid row.
    """
    prepared = prepared_frame(frame)
    drain(store)
    agents, places = prepared["user_agent"].cat.categories, prepared["user_agent"].cat.codes.to_numpy()
    if store.database.is_shared and not store.is_in_transaction:
        # In a separate short transaction: other processes cannot store the same new user agents until it commits.
        with store.adding():
            _check_codes(store, account_id, prepared)
            numbers_of(store, agents)
    # Wait for other changes of records only if this insert changes a record.
    explains = store.row(HAS_NUMBER, [account_id, prepared["short_code"].unique().tolist()]) is not None
    with store.atomic() if explains else nullcontext(), store.adding():
        if store.database.dialect.bring_alone:
            store.rows(store.database.dialect.bring_alone)
        _check_codes(store, account_id, prepared)
        numbers = numbers_of(store, agents)
        of_agents = pd.Series([numbers[agent[:LONGEST]] for agent in agents], dtype="int64")
        prepared["user_agent"] = of_agents.take(places).array  # several times as fast as `map`
        return _added(store, prepared, explains=explains)


def _added(store: Store, prepared: pd.DataFrame, *, explains: bool) -> int:
    """Store the rows that are not in the store yet; return the number of rows added."""
    rows = prepared.assign(number=range(len(prepared)), is_stored=False)[["number", "is_stored", *GIVEN]]
    rows = rows.assign(**{name: rows[name].astype("object") for name in GIVEN if _rarely_repeats(rows[name])})
    between = {"since": prepared["time"].min(), "until": prepared["time"].max()}
    if store.database.reads_frames and not store.rows(ANY_BETWEEN, between):
        with store.showing("incoming", rows):
            return _insert(store, explains=explains)
    store.execute(INCOMING)
    store.add_rows("incoming", rows)
    has_content = prepared["content"].notna()
    same = [name for name in SAME if rows[name].notna().any()]
    compared = {
        "visits": bring_equal(store, prepared),
        "same": ", ".join(same),
        "stored": ", ".join(f"{SAME[name]} AS {name}" for name in same),
        "empty": "".join(f" AND {SAME[name]} IS NULL" for name in SAME if name not in same),
    }
    if has_content.any():
        store.execute(COMPARE.format(**compared, **WITH_CONTENT))
    if not has_content.all():
        store.execute(COMPARE.format(**compared, **WITHOUT_CONTENT))
    store.execute("DELETE FROM incoming WHERE is_stored")
    number = _insert(store, explains=explains)
    store.execute("DROP TABLE incoming")
    return number


def _rarely_repeats(column: pd.Series) -> bool:
    return column.dtype == "category" and len(column.cat.categories) > MOST_CATEGORIES


def _insert(store: Store, *, explains: bool) -> int:
    """Store all rows of the table `incoming`, and return their number."""
    store.execute(INSERT_FRAME)
    add_to_counters(store, dict(store.each_row(COUNT)))
    if explains:
        store.execute(EXPLAIN_NUMBERS)
    return int(store.value("SELECT count(*) FROM incoming") or 0)


def _check_codes(store: Store, account_id: str, frame: pd.DataFrame) -> None:
    found = store.rows(CODES + store.database.dialect.keep, [account_id])
    unknown = frame.loc[~frame["short_code"].isin([row["short_code"] for row in found]), "short_code"]
    if len(unknown):
        link = read_short_url(with_scheme(str(unknown.iloc[0])))
        hint = f"; did you mean {link.code!r}?" if link and any(row["short_code"] == link.code for row in found) else ""
        rows = "1 row has such a code" if len(unknown) == 1 else f"{len(unknown)} rows have such codes"
        rule = f"row {unknown.index[0]}: is not a short code of this portfolio ({rows}){hint}"
        raise InvalidParameter(Problem("short_code", unknown.iloc[0], rule))
