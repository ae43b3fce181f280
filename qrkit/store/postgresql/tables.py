"""The tables of a store on a PostgreSQL server, and the few statements that differ from DuckDB.

The tables are those of a file (`migrations.sql`), with additions for several processes (`tables.sql`):

- One transaction at a time changes records, across all processes: it holds an advisory lock. All guarantees of a file
  with a single writer therefore apply here, too, and numbers are assigned in the order of commits.
- `short_codes.revision` grows with every change of a redirect target. A process that has read revision 7 reads only
  later revisions.
- Scan counters have parts, and each connection adds to one part: otherwise, processes that count the same code would
  wait for each other's commits. The view `scan_counts` sums the parts.
- `visits.xid` is the transaction number of a visit. No more visits will appear with a number below the oldest running
  transaction.
- `visits` has no partitions, although an archived month could then be dropped at once: a transaction with an older
  snapshot would miss the dropped visits, and a drop waits for all readers and stops all writers. `DELETE` takes twice
  as long as reading the same visits, and does neither.
- `salts` is an unlogged table, so that no archive of the server's log contains a salt that was deleted at midnight.
"""

from __future__ import annotations

from pathlib import Path

from qrkit.store.engine import Dialect
from qrkit.store.migrations import EARLIER_COLUMNS, SHARED, VISIT_COLUMNS, sections
from qrkit.store.postgresql.cursor import escape_json

RECORDS_LOCK = "7116, 1"
VISITS_LOCK = "7116, 2"
TABLES_LOCK = "7116, 3"
HISTORY_LOCK = "7116, 4"
EVENTS_LOCK = "7116, 5"
"""Advisory locks: qrkit's own number, which avoids conflicts with other programs, and the number of the lock."""

SERVER = sections(Path(__file__).with_name("tables.sql"))
ALL_VISITS = """
CREATE OR REPLACE VIEW all_visits AS SELECT {columns} FROM visits; -- a DuckDB beside the server reads archived ones
"""

_FIRST = ("settings", "accounts", "templates", "portfolio", "schedule", "visits", "parsers", "day counts")
MIGRATIONS = {
    "tables": "".join([SERVER["before"], *(SHARED[name] for name in _FIRST), SERVER["tables"]]),
    "counters": SERVER["counters"],
    "revisions": SERVER["revisions"],
    "changes": SERVER["changes"],
    "stored": SHARED["stored"],
    "inboxes": SHARED["inboxes"],
    "brands": SHARED["brands"] + SERVER["brands"],
    "designs": SHARED["designs"],
    "history": ALL_VISITS.format(columns=EARLIER_COLUMNS),
    "campaign colors": SHARED["campaign colors"],
    "archives": SHARED["history"] + SERVER["archives"],
    "own fields": SHARED["own fields"],
    "trials": SHARED["trials"],
    "terms": SHARED["terms"] + SERVER["terms"],
    "uptime": SHARED["uptime"],
    "links": SHARED["links"],
    "via": SHARED["via"],
    "splits": SHARED["splits"] + ALL_VISITS.format(columns=VISIT_COLUMNS),
    "campaign rules": SHARED["campaign rules"],
    "gs1": SHARED["gs1"],
    "events": SHARED["events"] + SERVER["events"],
    "told": SHARED["told"],
}

PART = "pg_backend_pid() % 64"
"""The counter part that a connection adds to; connections that share a part wait for each other, but lose no scans."""

POSTGRESQL = Dialect(
    begin_writing=f"BEGIN; SELECT pg_advisory_xact_lock({RECORDS_LOCK})",
    begin_visiting=f"BEGIN; SELECT pg_advisory_xact_lock_shared({VISITS_LOCK})",
    visit_alone=f"SELECT pg_advisory_xact_lock({VISITS_LOCK})",
    tables="""
SELECT table_name::VARCHAR AS table_name, column_name::VARCHAR AS column_name
FROM information_schema.columns WHERE table_schema = current_schema()
""",
    migrations=MIGRATIONS,
    new_tables=";\n".join(MIGRATIONS.values()),
    json_rows="""
ROWS FROM (json_to_recordset($rows::JSON) AS ({fields}), unnest($numbers::INTEGER[])) v({names}, {number})
""",
    json_field="{name} {kind}",
    json_array="json_build_array",
    escape_json=escape_json,
    # In the order of their numbers, so that two connections that share a part cannot deadlock.
    count=f"""
INSERT INTO scan_parts AS p (qrcode, part, {{column}})
SELECT new.qrcode, {PART}, new.scans FROM unnest(?::INTEGER[], ?::BIGINT[]) new(qrcode, scans) ORDER BY new.qrcode
ON CONFLICT (qrcode, part) DO UPDATE SET {{column}} = p.{{column}} + excluded.{{column}}
""",
    # A transaction that waits for these locks already holds the lock for visits, so transactions cannot deadlock.
    bring_alone=f"SELECT pg_advisory_xact_lock({TABLES_LOCK}), pg_advisory_xact_lock({HISTORY_LOCK})",
    events_alone=f"SELECT pg_advisory_xact_lock({EVENTS_LOCK})",
    history_alone=f"SELECT pg_try_advisory_xact_lock({HISTORY_LOCK}) AS is_free",
    # Other processes may still read a file in a question that has begun before.
    superseded="SELECT file FROM superseded WHERE since < now() - INTERVAL '1 hour'",
    keep=" FOR KEY SHARE",
    # Storage positions are pages of 8 kB, with about 30 visits each.
    last_place="SELECT pg_relation_size('visits') / current_setting('block_size')::INTEGER AS place",
    places_together=16_384,
    between=" WHERE ctid >= '({since},0)' AND ctid < '({until},0)'",
    begin_sequence="SELECT setval('{name}', {number}, false)",
)
