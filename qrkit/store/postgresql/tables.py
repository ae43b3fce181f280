"""The tables of a store on a PostgreSQL server, and the few statements that differ from DuckDB.

The tables are those of a file (`migrations`), with additions for several processes:

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

from qrkit.store import migrations
from qrkit.store.engine import Dialect
from qrkit.store.postgresql.cursor import escape_json

RECORDS_LOCK = "7116, 1"
VISITS_LOCK = "7116, 2"
TABLES_LOCK = "7116, 3"
HISTORY_LOCK = "7116, 4"
EVENTS_LOCK = "7116, 5"
"""Advisory locks: qrkit's own number, which avoids conflicts with other programs, and the number of the lock."""

TABLES = f"""
DO $$ BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE 'its encoding is %, and must be UTF8', current_setting('server_encoding');
    ELSIF current_setting('server_version_num')::INTEGER < 150000 THEN
        RAISE 'it is PostgreSQL %, and must be 15 or newer', current_setting('server_version');
    END IF;
END $$;
CREATE DOMAIN ubigint AS NUMERIC(20, 0);
{migrations.SETTINGS}{migrations.ACCOUNTS}{migrations.TEMPLATES}{migrations.PORTFOLIO}{migrations.SCHEDULE}
{migrations.VISITS}{migrations.PARSERS}{migrations.DAY_COUNTS}
-- Names are sorted as DuckDB does, whatever the database's own order.
ALTER TABLE accounts ALTER COLUMN name TYPE VARCHAR COLLATE "C";
ALTER TABLE templates ALTER COLUMN name TYPE VARCHAR COLLATE "C";
ALTER TABLE campaigns ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY; -- as every table of DuckDB has it
CREATE INDEX ON campaigns (account_id);
ALTER TABLE qrcodes ADD UNIQUE (short_code);
CREATE INDEX ON qrcodes (account_id, number);
CREATE INDEX ON qrcodes (campaign_id);
CREATE SEQUENCE revisions;
ALTER TABLE short_codes ADD UNIQUE (qrcode), ADD COLUMN revision BIGINT NOT NULL DEFAULT nextval('revisions');
CREATE INDEX ON short_codes (revision);
CREATE INDEX ON user_agents (number) WHERE parser IS NULL;
ALTER TABLE visits ADD COLUMN xid BIGINT NOT NULL DEFAULT pg_current_xact_id()::TEXT::BIGINT;
CREATE INDEX ON visits USING brin (xid) WITH (pages_per_range = 32, autosummarize = on); -- a few kB for millions
CREATE TABLE scan_parts (
    qrcode INTEGER NOT NULL,
    part INTEGER NOT NULL DEFAULT 0,
    scans BIGINT NOT NULL DEFAULT 0,
    forgotten BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (qrcode, part)
) WITH (fillfactor = 50); -- room for a counter to change where it stands
CREATE UNLOGGED TABLE salts (day INTEGER PRIMARY KEY, salt BYTEA NOT NULL);
CREATE TABLE request_counts (account_id VARCHAR, day INTEGER, used BIGINT NOT NULL, PRIMARY KEY (account_id, day));
"""

COUNTERS = """
CREATE VIEW scan_counts AS
SELECT
    s.qrcode,
    coalesce((SELECT sum(p.scans) FROM scan_parts p WHERE p.qrcode = s.qrcode), 0)::BIGINT AS scans,
    coalesce((SELECT sum(p.forgotten) FROM scan_parts p WHERE p.qrcode = s.qrcode), 0)::BIGINT AS forgotten
FROM short_codes s;
-- A code has its counter from the beginning.
CREATE RULE counted AS ON INSERT TO scan_counts DO INSTEAD NOTHING;
"""

REVISIONS = """
CREATE FUNCTION revise() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE short_codes SET revision = nextval('revisions') FROM changed WHERE short_codes.qrcode = changed.number;
    RETURN NULL;
END $$;
CREATE TRIGGER changed AFTER UPDATE ON qrcodes REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION revise();
CREATE TRIGGER deleted AFTER DELETE ON qrcodes REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION revise();
"""

CHANGES = """
CREATE TABLE changes (name VARCHAR PRIMARY KEY, number BIGINT NOT NULL); -- what copies have to be made anew of
INSERT INTO changes VALUES ('records', 0), ('visits', 0);
CREATE FUNCTION change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE changes SET number = number + 1 WHERE name = TG_ARGV[0];
    RETURN NULL;
END $$;
CREATE TRIGGER changes AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON accounts
FOR EACH STATEMENT EXECUTE FUNCTION change('records');
CREATE TRIGGER changes AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON campaigns
FOR EACH STATEMENT EXECUTE FUNCTION change('records');
CREATE TRIGGER changes AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON qrcodes
FOR EACH STATEMENT EXECUTE FUNCTION change('records');
CREATE TRIGGER changes AFTER UPDATE OR DELETE OR TRUNCATE ON visits
FOR EACH STATEMENT EXECUTE FUNCTION change('visits');
"""

ALL_VISITS = """
CREATE OR REPLACE VIEW all_visits AS SELECT {columns} FROM visits; -- a DuckDB beside the server reads archived ones
"""

ARCHIVES = f"""
{migrations.HISTORY}
ALTER TABLE superseded ADD COLUMN since TIMESTAMPTZ NOT NULL DEFAULT now();
INSERT INTO changes VALUES ('history', 0);
CREATE TRIGGER changes AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON history
FOR EACH STATEMENT EXECUTE FUNCTION change('history');
"""

MIGRATIONS = {
    "tables": TABLES,
    "counters": COUNTERS,
    "revisions": REVISIONS,
    "changes": CHANGES,
    "stored": migrations.STORED,
    "inboxes": migrations.INBOXES,
    "brands": f'{migrations.BRANDS} ALTER TABLE brands ALTER COLUMN name TYPE VARCHAR COLLATE "C";',
    "designs": migrations.DESIGNS,
    "history": ALL_VISITS.format(columns=migrations.EARLIER_COLUMNS),
    "campaign colors": migrations.CAMPAIGN_COLORS,
    "archives": ARCHIVES,
    "own fields": migrations.OWN_FIELDS,
    "trials": migrations.TRIALS,
    # Half of each page is room for a counter to change where it stands.
    "terms": f"{migrations.TERMS} ALTER TABLE scans_taken SET (fillfactor = 50);",
    "uptime": migrations.UPTIME,
    "links": migrations.LINKS,
    "via": migrations.VIA,
    "splits": f"{migrations.VARIANTS} {ALL_VISITS.format(columns=migrations.VISIT_COLUMNS)}",
    "campaign rules": migrations.CAMPAIGN_RULES,
    "gs1": migrations.GS1,
    "events": f"{migrations.EVENTS} CREATE INDEX ON events (number);",
    "told": migrations.TOLD,
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
