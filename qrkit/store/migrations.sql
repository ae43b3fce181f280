-- The tables of a store: each section is a migration by its name, in the order they are applied.

-- [settings]
CREATE TABLE settings (name VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);

-- [accounts]
CREATE TABLE accounts (
    id VARCHAR PRIMARY KEY,
    name VARCHAR NOT NULL UNIQUE,
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

-- [portfolio]
CREATE TABLE campaigns (
    id VARCHAR PRIMARY KEY,
    account_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    description VARCHAR NOT NULL,
    created TIMESTAMP NOT NULL
);
CREATE SEQUENCE qrcode_numbers;
CREATE TABLE qrcodes (
    number INTEGER PRIMARY KEY, -- short form of the id, for the large table of visits; never given twice
    id VARCHAR NOT NULL UNIQUE,
    account_id VARCHAR NOT NULL,
    campaign_id VARCHAR,
    name VARCHAR NOT NULL,
    content VARCHAR NOT NULL,
    comment VARCHAR NOT NULL,
    urlinfo VARCHAR NOT NULL,
    short_code VARCHAR NOT NULL,
    is_dynamic BOOLEAN NOT NULL,
    imported_scans BIGINT NOT NULL,
    created TIMESTAMP NOT NULL,
    properties VARCHAR NOT NULL, -- JSON of Properties
    address VARCHAR NOT NULL,
    latitude FLOAT8,
    longitude FLOAT8
);
CREATE TABLE short_codes (
    code VARCHAR PRIMARY KEY, -- stays when its QR Code is deleted, so that it is never given twice
    qrcode INTEGER NOT NULL
);

-- [visits]
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
    device VARCHAR NOT NULL -- phone, tablet, computer or unknown
);
CREATE TABLE visits ( -- no key and no index: with one, a commit gets slower as the table grows
    time TIMESTAMP NOT NULL,
    kind VARCHAR NOT NULL,
    qrcode INTEGER,
    short_code VARCHAR NOT NULL,
    content VARCHAR,
    user_agent INTEGER NOT NULL,
    referrer VARCHAR,
    language VARCHAR,
    visitor UBIGINT,
    country VARCHAR,
    region VARCHAR,
    city VARCHAR,
    latitude FLOAT8,
    longitude FLOAT8
);

-- [templates]
CREATE TABLE templates (
    account_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    fields VARCHAR NOT NULL, -- JSON of a partial POST generate body
    created TIMESTAMP NOT NULL,
    PRIMARY KEY (account_id, name)
);

-- [schedule]
ALTER TABLE qrcodes ADD COLUMN is_schedule_enabled BOOLEAN DEFAULT false;
ALTER TABLE qrcodes ADD COLUMN schedule VARCHAR DEFAULT '[]'; -- JSON of a list of ScheduleEvent

-- [counters]
CREATE TABLE scan_counts ( -- a row for each QR Code that ever was; changed with the visits, in one transaction
    qrcode INTEGER NOT NULL,
    scans BIGINT NOT NULL, -- all that were counted here
    forgotten BIGINT NOT NULL -- those of them whose visits were swept out
);
INSERT INTO scan_counts
SELECT s.qrcode, count(v.kind), 0
FROM short_codes s LEFT JOIN visits v ON v.qrcode = s.qrcode AND v.kind = 'scan'
GROUP BY s.qrcode;
CREATE TABLE batches (number BIGINT NOT NULL); -- of visits; tells after a failed commit whether it happened
INSERT INTO batches VALUES (0);

-- [parsers]
ALTER TABLE user_agents ADD COLUMN is_bot BOOLEAN; -- as the parser judges; a visit's kind was judged at its time
ALTER TABLE user_agents ADD COLUMN parser VARCHAR; -- what told it apart, and its versions; NULL where nothing has yet
UPDATE user_agents SET parser = 'unknown'; -- of versions that were not kept

-- [day counts]
CREATE TABLE day_counts ( -- what is left of visits that were swept out; a day may have several rows
    day DATE NOT NULL,
    qrcode INTEGER,
    kind VARCHAR NOT NULL,
    visits BIGINT NOT NULL
);

-- [stored]
ALTER TABLE qrcodes ADD COLUMN stored TIMESTAMP; -- when the row came in, with imported_scans; NULL in older stores

-- [inboxes]
CREATE TABLE inboxes ( -- which visits of each inbox are here; changed in the transaction that adds them
    name VARCHAR PRIMARY KEY,
    moved BIGINT NOT NULL -- number of the last one
);
INSERT INTO settings VALUES ('id', gen_random_uuid()::VARCHAR); -- so that no other store takes its inboxes

-- [brands]
CREATE TABLE brands (
    account_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    fields VARCHAR NOT NULL, -- JSON of Brand
    is_current BOOLEAN DEFAULT false, -- of at most one brand of an account
    created TIMESTAMP NOT NULL,
    PRIMARY KEY (account_id, name)
);

-- [designs]
ALTER TABLE qrcodes ADD COLUMN template VARCHAR DEFAULT ''; -- name of a template; '' for that of the campaign
ALTER TABLE campaigns ADD COLUMN template VARCHAR DEFAULT ''; -- likewise; '' for the current one of the account
ALTER TABLE templates ADD COLUMN is_current BOOLEAN DEFAULT false; -- of at most one template of an account

-- [history]
CREATE TABLE history ( -- the Parquet files of archived visits
    file VARCHAR NOT NULL, -- path in the folder beside the store
    first TIMESTAMP NOT NULL,
    last TIMESTAMP NOT NULL,
    visits BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 VARCHAR NOT NULL,
    version INTEGER NOT NULL -- of the columns in the file
);
CREATE TABLE superseded (file VARCHAR NOT NULL); -- files that are deleted as soon as no query reads them

-- [campaign colors]
ALTER TABLE campaigns ADD COLUMN color INTEGER DEFAULT 0; -- number in the palette of charts; 0 for none of its own
UPDATE campaigns SET color = aged.number
FROM (SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY created, rowid) AS number FROM campaigns) aged
WHERE aged.id = campaigns.id AND aged.number <= 6;

-- [marks]
DELETE FROM settings WHERE name = 'history'; -- so that the files of the history are added to the view anew

-- [numbered]
DELETE FROM settings WHERE name = 'history'; -- so that the files of the history are added to the view anew

-- [own fields]
ALTER TABLE qrcodes ADD COLUMN tags VARCHAR DEFAULT '[]'; -- JSON of a list of texts
ALTER TABLE qrcodes ADD COLUMN fields VARCHAR DEFAULT '{}'; -- JSON of an object of texts

-- [trials]
CREATE TABLE trials ( -- with real phones
    account_id VARCHAR NOT NULL,
    look VARCHAR NOT NULL, -- SHA-256 of a design without its content, or of the file of a picture
    result VARCHAR NOT NULL, -- JSON of TrialResult
    created TIMESTAMP NOT NULL
);

-- [terms]
ALTER TABLE qrcodes ADD COLUMN rules VARCHAR DEFAULT '[]'; -- JSON of a list of RedirectRule
ALTER TABLE qrcodes ADD COLUMN active BOOLEAN DEFAULT true;
ALTER TABLE qrcodes ADD COLUMN valid_since TIMESTAMP;
ALTER TABLE qrcodes ADD COLUMN valid_until TIMESTAMP;
ALTER TABLE qrcodes ADD COLUMN scan_limit BIGINT DEFAULT 0;
ALTER TABLE qrcodes ADD COLUMN limit_a_day BIGINT DEFAULT 0;
ALTER TABLE qrcodes ADD COLUMN otherwise VARCHAR DEFAULT '';
ALTER TABLE qrcodes ADD COLUMN password VARCHAR DEFAULT ''; -- hash of argon2id
CREATE TABLE scans_taken ( -- of QR Codes with a limit, or whose rules number scans
    qrcode INTEGER PRIMARY KEY,
    taken BIGINT NOT NULL, -- all scans that were answered, those before the limit included
    day DATE NOT NULL,
    taken_that_day BIGINT NOT NULL
);

-- [uptime]
CREATE TABLE uptime ( -- when a server ran; a heartbeat makes the last row longer
    began TIMESTAMP NOT NULL,
    ended TIMESTAMP NOT NULL
);

-- [links]
ALTER TABLE campaigns ADD COLUMN utm VARCHAR DEFAULT '{}'; -- JSON of Utm
ALTER TABLE qrcodes ADD COLUMN pass_query BOOLEAN; -- NULL for what the server says

-- [via]
ALTER TABLE qrcodes ADD COLUMN scan_marker BOOLEAN DEFAULT false;
ALTER TABLE visits ADD COLUMN via VARCHAR; -- scan or link; NULL if it is not known
ALTER TABLE visits ADD COLUMN lot VARCHAR; -- of a GS1 Digital Link, as is the serial number
ALTER TABLE visits ADD COLUMN serial VARCHAR;
ALTER TABLE visits ADD COLUMN link_type VARCHAR; -- that was asked for, such as gs1:pip, or linkset for all links

-- [splits]
ALTER TABLE visits ADD COLUMN variant VARCHAR; -- name of the variant that was served
ALTER TABLE visits ADD COLUMN split INTEGER; -- number of the variants among which it was drawn
ALTER TABLE visits ADD COLUMN conversion VARCHAR; -- JSON of a conversion, which is a visit of a kind of its own
ALTER TABLE qrcodes ADD COLUMN click_id VARCHAR DEFAULT '';
CREATE TABLE splits ( -- which variants a QR Code had, and since when
    qrcode INTEGER NOT NULL,
    split INTEGER NOT NULL,
    since TIMESTAMP NOT NULL,
    variants VARCHAR NOT NULL -- JSON of an object of weights by name
);

-- [campaign rules]
ALTER TABLE campaigns ADD COLUMN rules VARCHAR DEFAULT '[]'; -- JSON of a list of RedirectRule, for new QR Codes

-- [gs1]
ALTER TABLE qrcodes ADD COLUMN gs1 VARCHAR DEFAULT '[]'; -- JSON of a list of Gs1Entity

-- [events]
CREATE SEQUENCE event_numbers;
CREATE TABLE receivers ( -- of events: webhooks, and the streams of an account
    id VARCHAR NOT NULL, -- '' for streams
    account_id VARCHAR NOT NULL,
    fields VARCHAR NOT NULL, -- JSON of Webhook; '' for streams
    active BOOLEAN NOT NULL,
    position BIGINT NOT NULL, -- number of the last event that was sent
    due TIMESTAMP NOT NULL, -- when the next attempt may begin; it is moved on while one is under way
    failures INTEGER NOT NULL -- attempts that failed since the last one that did not
);
CREATE TABLE events ( -- that somebody waits for, in the order in which they were committed; kept until all have them
    number BIGINT NOT NULL, -- negative for a dead letter
    account_id VARCHAR NOT NULL,
    stored TIMESTAMP NOT NULL,
    event VARCHAR NOT NULL, -- JSON of a CloudEvent
    receiver VARCHAR NOT NULL, -- the only one that gets it; '' for all
    died TIMESTAMP, -- when the receiver was given up for this event
    error VARCHAR
);
CREATE TABLE deliveries ( -- what became of attempts
    receiver VARCHAR NOT NULL,
    time TIMESTAMP NOT NULL,
    event BIGINT NOT NULL, -- the ID of the first one
    events INTEGER NOT NULL,
    status INTEGER, -- NULL without an answer
    milliseconds INTEGER NOT NULL,
    error VARCHAR NOT NULL
);

-- [told]
CREATE TABLE told_events (told VARCHAR PRIMARY KEY); -- found in the scans, and not to be told again
CREATE TABLE report_links ( -- finished reports, each behind a link that expires
    digest VARCHAR PRIMARY KEY, -- SHA-256 of the token in the link: the token itself is nowhere
    account_id VARCHAR NOT NULL,
    html VARCHAR NOT NULL,
    expires TIMESTAMP NOT NULL
);
