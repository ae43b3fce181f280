-- Questions to archived visits for Spark and for engines that speak its SQL, such as Sail and Databricks.
--
-- They read three tables or views: `visits`, the files that manifest.json lists; `codes`, codes.parquet; and
-- `user_agents`, user_agents.parquet. Times are UTC without a time zone (TIMESTAMP_NTZ), and so are days and hours.

-- scans: The view that all questions read: a row for each scan, with its QR Code and what its user agent tells.
CREATE OR REPLACE TEMPORARY VIEW scans AS
SELECT
    v.time, v.visitor, v.alone, v.again,
    v.referrer, v.language, v.country, v.region, v.city, v.latitude, v.longitude, v.content,
    c.account_id, c.qrcode_id, c.qrcode, c.qrcode_created, c.campaign_id, c.campaign,
    u.system, u.system_version, u.browser, u.browser_version, u.manufacturer, u.device_model, u.device
FROM visits v
JOIN codes c ON c.number = v.qrcode
JOIN user_agents u ON u.number = v.user_agent
WHERE v.kind = 'scan'

-- summary: The totals.
SELECT
    count(*) AS scans, count_if(alone) + count(DISTINCT again) AS visitors,
    count(DISTINCT qrcode_id) AS qrcodes, min(time) AS first, max(time) AS last
FROM scans

-- scans_per_day: Scans of each campaign on each day, without days on which it had none.
SELECT CAST(time AS DATE) AS day, campaign, count(*) AS scans
FROM scans
GROUP BY CAST(time AS DATE), campaign
ORDER BY day, campaign

-- visitors_per_day: Scans and visitors on each day, without days that had none.
SELECT CAST(time AS DATE) AS day, count(*) AS scans, count_if(alone) + count(DISTINCT again) AS visitors
FROM scans
GROUP BY CAST(time AS DATE)
ORDER BY day

-- scans_by_hour: Scans in each hour of the week, Monday 1 to Sunday 7, without hours that had none.
SELECT (dayofweek(time) + 5) % 7 + 1 AS weekday, hour(time) AS hour, count(*) AS scans
FROM scans
GROUP BY (dayofweek(time) + 5) % 7 + 1, hour(time)
ORDER BY weekday, hour

-- top_qrcodes: The ten QR Codes with the most scans.
SELECT
    qrcode_id, qrcode, campaign, count(*) AS scans, count_if(alone) + count(DISTINCT again) AS visitors,
    count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY qrcode_id, qrcode, campaign
ORDER BY scans DESC, qrcode_id
LIMIT 10

-- countries: The ten countries with the most scans.
SELECT
    coalesce(nullif(country, ''), 'unknown') AS country, count(*) AS scans,
    count_if(alone) + count(DISTINCT again) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY coalesce(nullif(country, ''), 'unknown')
ORDER BY scans DESC, country
LIMIT 10

-- systems: The ten operating systems with the most scans.
SELECT
    coalesce(nullif(system, ''), 'unknown') AS system, count(*) AS scans,
    count_if(alone) + count(DISTINCT again) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY coalesce(nullif(system, ''), 'unknown')
ORDER BY scans DESC, system
LIMIT 10

-- devices: Scans and visitors with phones, tablets and computers.
SELECT
    coalesce(nullif(device, ''), 'unknown') AS device, count(*) AS scans,
    count_if(alone) + count(DISTINCT again) AS visitors, count(*) / sum(count(*)) OVER () AS share
FROM scans
GROUP BY coalesce(nullif(device, ''), 'unknown')
ORDER BY scans DESC, device

-- repeat_share: Visitors who scanned again on the same day, and the share of scans after a visitor's first.
WITH each_visitor AS (
    SELECT again, count(*) AS number, count_if(alone) AS number_alone
    FROM scans
    GROUP BY again
), counted AS (
    SELECT
        sum(CASE WHEN again IS NULL THEN number_alone ELSE number END) AS scans,
        sum(CASE WHEN again IS NULL THEN number_alone ELSE 1 END) AS visitors,
        count_if(again IS NOT NULL AND number > 1) AS repeating
    FROM each_visitor
)
SELECT scans, visitors, repeating AS again, 1 - visitors / scans AS share
FROM counted
WHERE scans > 0

-- half_lives: When each QR Code was created, first and last scanned, and when half of its scans had come.
WITH in_order AS (
    SELECT
        qrcode_id, qrcode, campaign, qrcode_created, time,
        row_number() OVER (PARTITION BY qrcode_id ORDER BY time) AS place,
        count(*) OVER (PARTITION BY qrcode_id) AS scans
    FROM scans
)
SELECT
    qrcode_id, qrcode, campaign, qrcode_created AS created, min(time) AS first, max(time) AS last, count(*) AS scans,
    max(CASE WHEN place = CAST(ceil(scans / 2) AS BIGINT) THEN time END) AS half
FROM in_order
GROUP BY qrcode_id, qrcode, campaign, qrcode_created
ORDER BY created, qrcode_id

-- scans_by_content: The contents that visitors were led to.
SELECT
    qrcode_id, qrcode, coalesce(content, '') AS content, min(time) AS first, max(time) AS last,
    count(*) AS scans, count_if(alone) + count(DISTINCT again) AS visitors
FROM scans
GROUP BY qrcode_id, qrcode, coalesce(content, '')
ORDER BY qrcode, qrcode_id, first, content

-- visits_by_kind: Visits to QR Codes that exist, by kind. Only the kind `scan` is in the other questions.
SELECT v.kind, count(*) AS visits
FROM visits v
JOIN codes c ON c.number = v.qrcode
GROUP BY v.kind
ORDER BY visits DESC, kind
