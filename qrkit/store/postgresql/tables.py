"""The tables of a store on a PostgreSQL server, and the few statements that differ from DuckDB.

The tables are the same as in a file (`migrations`), with additions for several processes:

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

from qrkit.store.engine import Dialect
from qrkit.store.migrations import CAMPAIGN_RULES, EVENTS, LINKS, TOLD, TRIALS, UPTIME, VARIANTS, VIA, VISIT_COLUMNS
from qrkit.store.postgresql.cursor import escape_json

__all__ = ["POSTGRESQL"]

RECORDS_LOCK = "7116, 1"
VISITS_LOCK = "7116, 2"
TABLES_LOCK = "7116, 3"
HISTORY_LOCK = "7116, 4"
EVENTS_LOCK = "7116, 5"
"""Advisory locks: qrkit's own number, which avoids conflicts with other programs, and the number of the lock."""

TABLES = """
DO $$ BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE 'its encoding is %, and must be UTF8', current_setting('server_encoding');
    ELSIF current_setting('server_version_num')::INTEGER < 150000 THEN
        RAISE 'it is PostgreSQL %, and must be 15 or newer', current_setting('server_version');
    END IF;
END $$;
CREATE DOMAIN ubigint AS NUMERIC(20, 0);
CREATE TABLE settings (name VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);
CREATE TABLE accounts (
    id VARCHAR PRIMARY KEY,
    name VARCHAR COLLATE "C" NOT NULL UNIQUE,
    plan VARCHAR NOT NULL,
    created TIMESTAMP NOT NULL
);
CREATE TABLE api_keys (
    digest VARCHAR PRIMARY KEY, -- SHA-256 of the key: the key itself is nowhere
    account_id VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    created TIMESTAMP NOT NULL,
    expires TIMESTAMP,
    revoked TIMESTAMP
);
CREATE TABLE templates (
    account_id VARCHAR NOT NULL,
    name VARCHAR COLLATE "C" NOT NULL, -- sorted as DuckDB does, whatever the database's own order
    fields VARCHAR NOT NULL,
    created TIMESTAMP NOT NULL,
    PRIMARY KEY (account_id, name)
);
CREATE TABLE campaigns (
    id VARCHAR PRIMARY KEY,
    account_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    description VARCHAR NOT NULL,
    created TIMESTAMP NOT NULL,
    rowid BIGINT GENERATED ALWAYS AS IDENTITY -- as every table of DuckDB has it
);
CREATE INDEX ON campaigns (account_id);
CREATE SEQUENCE qrcode_numbers;
CREATE TABLE qrcodes (
    number INTEGER PRIMARY KEY,
    id VARCHAR NOT NULL UNIQUE,
    account_id VARCHAR NOT NULL,
    campaign_id VARCHAR,
    name VARCHAR NOT NULL,
    content VARCHAR NOT NULL,
    comment VARCHAR NOT NULL,
    urlinfo VARCHAR NOT NULL,
    short_code VARCHAR NOT NULL UNIQUE,
    is_dynamic BOOLEAN NOT NULL,
    imported_scans BIGINT NOT NULL,
    created TIMESTAMP NOT NULL,
    properties VARCHAR NOT NULL,
    address VARCHAR NOT NULL,
    latitude FLOAT8,
    longitude FLOAT8,
    is_schedule_enabled BOOLEAN DEFAULT false,
    schedule VARCHAR DEFAULT '[]'
);
CREATE INDEX ON qrcodes (account_id, number);
CREATE INDEX ON qrcodes (campaign_id);
CREATE SEQUENCE revisions;
CREATE TABLE short_codes (
    code VARCHAR PRIMARY KEY,
    qrcode INTEGER NOT NULL UNIQUE,
    revision BIGINT NOT NULL DEFAULT nextval('revisions')
);
CREATE INDEX ON short_codes (revision);
CREATE SEQUENCE user_agent_numbers;
CREATE TABLE user_agents (
    number INTEGER PRIMARY KEY,
    text VARCHAR NOT NULL UNIQUE,
    system VARCHAR,
    system_version VARCHAR,
    browser VARCHAR,
    browser_version VARCHAR,
    manufacturer VARCHAR,
    device_model VARCHAR,
    device VARCHAR NOT NULL,
    is_bot BOOLEAN,
    parser VARCHAR
);
CREATE INDEX ON user_agents (number) WHERE parser IS NULL;
CREATE TABLE visits (
    time TIMESTAMP NOT NULL,
    kind VARCHAR NOT NULL,
    qrcode INTEGER,
    short_code VARCHAR NOT NULL,
    content VARCHAR,
    user_agent INTEGER NOT NULL,
    referrer VARCHAR,
    language VARCHAR,
    visitor ubigint,
    country VARCHAR,
    region VARCHAR,
    city VARCHAR,
    latitude FLOAT8,
    longitude FLOAT8,
    xid BIGINT NOT NULL DEFAULT pg_current_xact_id()::TEXT::BIGINT
);
CREATE INDEX ON visits USING brin (xid) WITH (pages_per_range = 32, autosummarize = on); -- a few kB for millions
CREATE TABLE day_counts (day DATE NOT NULL, qrcode INTEGER, kind VARCHAR NOT NULL, visits BIGINT NOT NULL);
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

STORED = "ALTER TABLE qrcodes ADD COLUMN stored TIMESTAMP"

INBOXES = """
CREATE TABLE inboxes (name VARCHAR PRIMARY KEY, moved BIGINT NOT NULL);
INSERT INTO settings VALUES ('id', gen_random_uuid()::VARCHAR);
"""

BRANDS = """
CREATE TABLE brands (
    account_id VARCHAR NOT NULL,
    name VARCHAR COLLATE "C" NOT NULL,
    fields VARCHAR NOT NULL,
    is_current BOOLEAN DEFAULT false,
    created TIMESTAMP NOT NULL,
    PRIMARY KEY (account_id, name)
);
"""

DESIGNS = """
ALTER TABLE qrcodes ADD COLUMN template VARCHAR DEFAULT '';
ALTER TABLE campaigns ADD COLUMN template VARCHAR DEFAULT '';
ALTER TABLE templates ADD COLUMN is_current BOOLEAN DEFAULT false;
"""

HISTORY = """
CREATE VIEW all_visits AS
SELECT time, kind, qrcode, short_code, content, user_agent, referrer, language, visitor, country, region, city,
    latitude, longitude
FROM visits; -- the archived ones are read by a DuckDB beside the server
"""

ARCHIVES = """
CREATE TABLE history (
    file VARCHAR NOT NULL,
    first TIMESTAMP NOT NULL,
    last TIMESTAMP NOT NULL,
    visits BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 VARCHAR NOT NULL,
    version INTEGER NOT NULL
);
CREATE TABLE superseded (file VARCHAR NOT NULL, since TIMESTAMPTZ NOT NULL DEFAULT now());
INSERT INTO changes VALUES ('history', 0);
CREATE TRIGGER changes AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON history
FOR EACH STATEMENT EXECUTE FUNCTION change('history');
"""

CAMPAIGN_COLORS = """
ALTER TABLE campaigns ADD COLUMN color INTEGER DEFAULT 0;
UPDATE campaigns SET color = aged.number
FROM (SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY created, rowid) AS number FROM campaigns) aged
WHERE aged.id = campaigns.id AND aged.number <= 6;
"""

OWN_FIELDS = """
ALTER TABLE qrcodes ADD COLUMN tags VARCHAR DEFAULT '[]';
ALTER TABLE qrcodes ADD COLUMN fields VARCHAR DEFAULT '{}';
"""

TERMS = """
ALTER TABLE qrcodes ADD COLUMN rules VARCHAR DEFAULT '[]';
ALTER TABLE qrcodes ADD COLUMN active BOOLEAN DEFAULT true;
ALTER TABLE qrcodes ADD COLUMN valid_since TIMESTAMP;
ALTER TABLE qrcodes ADD COLUMN valid_until TIMESTAMP;
ALTER TABLE qrcodes ADD COLUMN scan_limit BIGINT DEFAULT 0;
ALTER TABLE qrcodes ADD COLUMN limit_a_day BIGINT DEFAULT 0;
ALTER TABLE qrcodes ADD COLUMN otherwise VARCHAR DEFAULT '';
ALTER TABLE qrcodes ADD COLUMN password VARCHAR DEFAULT '';
CREATE TABLE scans_taken (
    qrcode INTEGER PRIMARY KEY,
    taken BIGINT NOT NULL,
    day DATE NOT NULL,
    taken_that_day BIGINT NOT NULL
) WITH (fillfactor = 50); -- room for a counter to change where it stands
"""

GS1 = "ALTER TABLE qrcodes ADD COLUMN gs1 VARCHAR DEFAULT '[]';"
SPLITS = f"{VARIANTS} CREATE OR REPLACE VIEW all_visits AS SELECT {VISIT_COLUMNS} FROM visits;"

MIGRATIONS = {
    "tables": TABLES,
    "counters": COUNTERS,
    "revisions": REVISIONS,
    "changes": CHANGES,
    "stored": STORED,
    "inboxes": INBOXES,
    "brands": BRANDS,
    "designs": DESIGNS,
    "history": HISTORY,
    "campaign colors": CAMPAIGN_COLORS,
    "archives": ARCHIVES,
    "own fields": OWN_FIELDS,
    "trials": TRIALS,
    "terms": TERMS,
    "uptime": UPTIME,
    "links": LINKS,
    "via": VIA,
    "splits": SPLITS,
    "campaign rules": CAMPAIGN_RULES,
    "gs1": GS1,
    "events": f"{EVENTS} CREATE INDEX ON events (number);",
    "told": TOLD,
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
INSERT INTO scan_parts AS p (qrcode, part, scans)
SELECT new.qrcode, {PART}, new.scans FROM unnest(?::INTEGER[], ?::BIGINT[]) new(qrcode, scans) ORDER BY new.qrcode
ON CONFLICT (qrcode, part) DO UPDATE SET scans = p.scans + excluded.scans
""",
    count_frame=f"""
INSERT INTO scan_parts AS p (qrcode, part, scans)
SELECT s.qrcode, {PART}, count(*) FROM incoming i JOIN short_codes s ON s.code = i.short_code WHERE i.kind = 'scan'
GROUP BY s.qrcode ORDER BY s.qrcode
ON CONFLICT (qrcode, part) DO UPDATE SET scans = p.scans + excluded.scans
""",
    # A transaction that waits for these locks already holds the lock for visits, so transactions cannot deadlock.
    bring_alone=f"SELECT pg_advisory_xact_lock({TABLES_LOCK}), pg_advisory_xact_lock({HISTORY_LOCK})",
    events_alone=f"SELECT pg_advisory_xact_lock({EVENTS_LOCK})",
    forget=f"""
INSERT INTO scan_parts AS p (qrcode, part, forgotten)
SELECT qrcode, {PART}, count(*) FROM visits WHERE kind = 'scan' AND time < ? GROUP BY qrcode ORDER BY qrcode
ON CONFLICT (qrcode, part) DO UPDATE SET forgotten = p.forgotten + excluded.forgotten
""",
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
