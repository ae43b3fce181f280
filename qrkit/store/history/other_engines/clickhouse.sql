-- Questions to archived visits for ClickHouse.
--
-- They read three tables or views: `visits`, the files that manifest.json lists; `codes`, codes.parquet; and
-- `user_agents`, user_agents.parquet. Times, days and hours are UTC.

-- scans: The view that all questions read: a row for each scan, with its QR Code and what its user agent tells.
CREATE OR REPLACE VIEW scans AS
SELECT
    toTimeZone(v.time, 'UTC') AS time, v.visitor AS visitor, v.alone AS alone, v.again AS again,
    v.referrer AS referrer, v.language AS language, v.country AS country, v.region AS region, v.city AS city,
    v.latitude AS latitude, v.longitude AS longitude, v.content AS content,
    c.account_id AS account_id, c.qrcode_id AS qrcode_id, c.qrcode AS qrcode, c.qrcode_created AS qrcode_created,
    c.campaign_id AS campaign_id, c.campaign AS campaign,
    u.system AS system, u.system_version AS system_version, u.browser AS browser,
    u.browser_version AS browser_version, u.manufacturer AS manufacturer, u.device_model AS device_model,
    u.device AS device
FROM visits v
JOIN codes c ON c.number = v.qrcode
JOIN user_agents u ON u.number = v.user_agent
WHERE v.kind = 'scan'

-- summary: The totals.
SELECT
    count(*) AS scans, countIf(alone) + count(DISTINCT again) AS visitors,
    count(DISTINCT qrcode_id) AS qrcodes, min(time) AS first, max(time) AS last
FROM scans

-- scans_per_day: Scans of each campaign on each day, without days on which it had none.
SELECT toDate(time) AS day, campaign, count(*) AS scans
FROM scans
GROUP BY day, campaign
ORDER BY day, campaign

-- visitors_per_day: Scans and visitors on each day, without days that had none.
SELECT toDate(time) AS day, count(*) AS scans, countIf(alone) + count(DISTINCT again) AS visitors
FROM scans
GROUP BY day
ORDER BY day

-- scans_by_hour: Scans in each hour of the week, Monday 1 to Sunday 7, without hours that had none.
SELECT toDayOfWeek(time) AS weekday, toHour(time) AS hour, count(*) AS scans
FROM scans
GROUP BY weekday, hour
ORDER BY weekday, hour

-- top_qrcodes: The ten QR Codes with the most scans.
SELECT
    qrcode_id, qrcode, campaign, count(*) AS scans, countIf(alone) + count(DISTINCT again) AS visitors,
    count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY qrcode_id, qrcode, campaign
ORDER BY scans DESC, qrcode_id
LIMIT 10

-- countries: The ten countries with the most scans.
SELECT
    coalesce(nullif(scans.country, ''), 'unknown') AS country, count(*) AS scans,
    countIf(alone) + count(DISTINCT again) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY coalesce(nullif(scans.country, ''), 'unknown')
ORDER BY scans DESC, country
LIMIT 10

-- systems: The ten operating systems with the most scans.
SELECT
    coalesce(nullif(scans.system, ''), 'unknown') AS system, count(*) AS scans,
    countIf(alone) + count(DISTINCT again) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY coalesce(nullif(scans.system, ''), 'unknown')
ORDER BY scans DESC, system
LIMIT 10

-- devices: Scans and visitors with phones, tablets and computers.
SELECT
    coalesce(nullif(scans.device, ''), 'unknown') AS device, count(*) AS scans,
    countIf(alone) + count(DISTINCT again) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY coalesce(nullif(scans.device, ''), 'unknown')
ORDER BY scans DESC, device

-- repeat_share: Visitors who scanned again on the same day, and the share of scans after a visitor's first.
WITH each_visitor AS (
    SELECT again, count(*) AS number, countIf(alone) AS number_alone
    FROM scans
    GROUP BY again
), counted AS (
    SELECT
        sum(CASE WHEN again IS NULL THEN number_alone ELSE number END) AS scans,
        sum(CASE WHEN again IS NULL THEN number_alone ELSE 1 END) AS visitors,
        countIf(again IS NOT NULL AND number > 1) AS repeating
    FROM each_visitor
)
SELECT scans, visitors, repeating AS again, 1 - visitors / scans AS share
FROM counted
WHERE scans > 0

-- half_lives: When each QR Code was created, first and last scanned, and when half of its scans had come.
SELECT
    qrcode_id, qrcode, campaign, qrcode_created AS created, min(time) AS first, max(time) AS last, count(*) AS scans,
    quantileExactLow(0.5)(time) AS half
FROM scans
GROUP BY qrcode_id, qrcode, campaign, qrcode_created
ORDER BY created, qrcode_id

-- scans_by_content: The contents that visitors were led to.
SELECT
    qrcode_id, qrcode, coalesce(scans.content, '') AS content, min(time) AS first, max(time) AS last,
    count(*) AS scans, countIf(alone) + count(DISTINCT again) AS visitors
FROM scans
GROUP BY qrcode_id, qrcode, coalesce(scans.content, '')
ORDER BY qrcode, qrcode_id, first, content

-- visits_by_kind: Visits to QR Codes that exist, by kind. Only the kind `scan` is in the other questions.
SELECT v.kind AS kind, count(*) AS visits
FROM visits v
JOIN codes c ON c.number = v.qrcode
GROUP BY v.kind
ORDER BY visits DESC, kind
