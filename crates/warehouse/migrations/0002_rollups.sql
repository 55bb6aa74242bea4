-- Counts by 15 minutes of UTC: the hours and days of every time zone are sums of those.
CREATE TABLE IF NOT EXISTS totals_15m
(
    app_id UUID,
    bucket DateTime('UTC'),
    events SimpleAggregateFunction(sum, UInt64),
    page_views SimpleAggregateFunction(sum, UInt64),
    last SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
    persons AggregateFunction(uniq, UInt64),
    devices AggregateFunction(uniq, UInt64)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_15m_view TO totals_15m AS
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    count() AS events,
    countIf(event = 'page_view') AS page_views,
    max(time) AS last,
    uniqState(person) AS persons,
    uniqState(device) AS devices
FROM events
GROUP BY app_id, bucket;

CREATE TABLE IF NOT EXISTS events_15m
(
    app_id UUID,
    bucket DateTime('UTC'),
    event LowCardinality(String),
    events SimpleAggregateFunction(sum, UInt64),
    persons AggregateFunction(uniq, UInt64)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, event)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_15m_view TO events_15m AS
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    event,
    count() AS events,
    uniqState(person) AS persons
FROM events
GROUP BY app_id, bucket, event;

CREATE TABLE IF NOT EXISTS breakdowns_15m
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, UInt64),
    persons AggregateFunction(uniq, UInt64)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS breakdowns_15m_view TO breakdowns_15m AS
SELECT
    app_id,
    dimension,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    value,
    count() AS events,
    uniqState(person) AS persons
FROM events
ARRAY JOIN
    ['os', 'browser', 'device_type', 'language'] AS dimension,
    [os, browser, device_type, language] AS value
GROUP BY app_id, dimension, bucket, value;

-- The first and last moment of a device in each quarter of an hour. No gap of half an hour fits
-- into one, so sessions can be counted from these, and an event that comes twice changes nothing.
CREATE TABLE IF NOT EXISTS sessions_15m
(
    app_id UUID,
    bucket DateTime('UTC'),
    device UInt64,
    first SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, device)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS sessions_15m_view TO sessions_15m AS
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    device,
    min(time) AS first,
    max(time) AS last
FROM events
GROUP BY app_id, bucket, device;

-- When a device or user was seen for the first and the last time, kept when events are not.
CREATE TABLE IF NOT EXISTS devices
(
    app_id UUID,
    device_id String,
    first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = {AggregatingMergeTree}
ORDER BY (app_id, device_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

-- Grouped by the hash, which is much cheaper than by the text and the same.
CREATE MATERIALIZED VIEW IF NOT EXISTS devices_view TO devices AS
SELECT app_id, any(events.device_id) AS device_id, min(time) AS first_seen, max(time) AS last_seen
FROM events
GROUP BY app_id, device;

CREATE TABLE IF NOT EXISTS users
(
    app_id UUID,
    user_id String,
    first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = {AggregatingMergeTree}
ORDER BY (app_id, user_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS users_view TO users AS
SELECT app_id, any(events.user_id) AS user_id, min(time) AS first_seen, max(time) AS last_seen
FROM events
WHERE events.user_id != ''
GROUP BY app_id, person;
