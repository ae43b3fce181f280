-- What a PostgreSQL server needs besides the tables of a file, or in place of them.

-- [before]
DO $$ BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE 'its encoding is %, and must be UTF8', current_setting('server_encoding');
    ELSIF current_setting('server_version_num')::INTEGER < 150000 THEN
        RAISE 'it is PostgreSQL %, and must be 15 or newer', current_setting('server_version');
    END IF;
END $$;
CREATE DOMAIN ubigint AS NUMERIC(20, 0);

-- [tables]
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

-- [counters]
CREATE VIEW scan_counts AS
SELECT
    s.qrcode,
    coalesce((SELECT sum(p.scans) FROM scan_parts p WHERE p.qrcode = s.qrcode), 0)::BIGINT AS scans,
    coalesce((SELECT sum(p.forgotten) FROM scan_parts p WHERE p.qrcode = s.qrcode), 0)::BIGINT AS forgotten
FROM short_codes s;
-- A code has its counter from the beginning.
CREATE RULE counted AS ON INSERT TO scan_counts DO INSTEAD NOTHING;

-- [revisions]
CREATE FUNCTION revise() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE short_codes SET revision = nextval('revisions') FROM changed WHERE short_codes.qrcode = changed.number;
    RETURN NULL;
END $$;
CREATE TRIGGER changed AFTER UPDATE ON qrcodes REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION revise();
CREATE TRIGGER deleted AFTER DELETE ON qrcodes REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION revise();

-- [changes]
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

-- [brands]
ALTER TABLE brands ALTER COLUMN name TYPE VARCHAR COLLATE "C";

-- [archives]
ALTER TABLE superseded ADD COLUMN since TIMESTAMPTZ NOT NULL DEFAULT now();
INSERT INTO changes VALUES ('history', 0);
CREATE TRIGGER changes AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON history
FOR EACH STATEMENT EXECUTE FUNCTION change('history');

-- [terms]
-- Half of each page is room for a counter to change where it stands.
ALTER TABLE scans_taken SET (fillfactor = 50);

-- [events]
CREATE INDEX ON events (number);
