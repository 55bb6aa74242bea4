CREATE TABLE IF NOT EXISTS schema_migrations ON CLUSTER `main` (number UInt32, applied_at DateTime('UTC') DEFAULT now()) ENGINE = ReplicatedReplacingMergeTree ORDER BY number;

-- What people and their programs did, as it came in. Properties are text: to build a column of every
-- property costs as much as all other columns together, and to read one from the text is cheap enough.
CREATE TABLE IF NOT EXISTS events ON CLUSTER `main`
(
    app_id UUID,
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    event LowCardinality(String),
    log_id UUID,
    device_id String,
    user_id String,
    sdk_type LowCardinality(String),
    sdk_version LowCardinality(String),
    timezone_offset Float32,
    os LowCardinality(String),
    language LowCardinality(String),
    url_path String,
    device_type LowCardinality(String),
    browser LowCardinality(String),
    browser_version LowCardinality(String),
    user_agent LowCardinality(String),
    client_version LowCardinality(String),
    source LowCardinality(String),
    properties String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    batch UInt64,
    device UInt64 MATERIALIZED cityHash64(device_id),
    person UInt64 MATERIALIZED if(user_id = '', cityHash64(device_id), cityHash64('user', user_id))
)
ENGINE = ReplicatedMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (app_id, toStartOfHour(time), event, time)
SETTINGS min_level_for_wide_part = 1, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

-- The ids of the last days, to know a message that comes a second time.
CREATE TABLE IF NOT EXISTS log_ids ON CLUSTER `main`
(
    log_id UUID,
    app_id UUID,
    received DateTime('UTC'),
    batch UInt64
)
ENGINE = ReplicatedMergeTree
PARTITION BY toDate(received)
ORDER BY log_id
TTL received + INTERVAL 8 DAY
SETTINGS ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1;

-- Changes to the properties of devices and users, in the order they came.
CREATE TABLE IF NOT EXISTS mutations ON CLUSTER `main`
(
    app_id UUID,
    kind LowCardinality(String),
    id String,
    time DateTime64(3, 'UTC'),
    log_id UUID,
    operation LowCardinality(String),
    properties String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC'),
    batch UInt64
)
ENGINE = ReplicatedReplacingMergeTree
ORDER BY (app_id, kind, id, time, log_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- What those changes add up to. The properties are text: they are read and written as a whole.
CREATE TABLE IF NOT EXISTS profiles ON CLUSTER `main`
(
    app_id UUID,
    kind LowCardinality(String),
    id String,
    properties String CODEC(ZSTD(1)),
    updated_at DateTime64(3, 'UTC'),
    last_log_id UUID,
    deleted UInt8,
    version UInt64
)
ENGINE = ReplicatedReplacingMergeTree(version)
ORDER BY (app_id, kind, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Which counts an erasure that is under way has to make anew. Empty in between.
CREATE TABLE IF NOT EXISTS erasures ON CLUSTER `main`
(
    app_id UUID,
    kind LowCardinality(String),
    id String,
    bucket DateTime('UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY (app_id, kind, id, bucket)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Counts by 15 minutes of UTC: the hours and days of every time zone are sums of those.
CREATE TABLE IF NOT EXISTS totals_15m ON CLUSTER `main`
(
    app_id UUID,
    bucket DateTime('UTC'),
    events SimpleAggregateFunction(sum, UInt64),
    page_views SimpleAggregateFunction(sum, UInt64),
    last SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
    persons AggregateFunction(uniq, UInt64),
    devices AggregateFunction(uniq, UInt64)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_15m_view ON CLUSTER `main` TO totals_15m AS
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

CREATE TABLE IF NOT EXISTS events_15m ON CLUSTER `main`
(
    app_id UUID,
    bucket DateTime('UTC'),
    event LowCardinality(String),
    events SimpleAggregateFunction(sum, UInt64),
    persons AggregateFunction(uniq, UInt64)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, event)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_15m_view ON CLUSTER `main` TO events_15m AS
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    event,
    count() AS events,
    uniqState(person) AS persons
FROM events
GROUP BY app_id, bucket, event;

CREATE TABLE IF NOT EXISTS breakdowns_15m ON CLUSTER `main`
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, UInt64),
    persons AggregateFunction(uniq, UInt64)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS breakdowns_15m_view ON CLUSTER `main` TO breakdowns_15m AS
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
CREATE TABLE IF NOT EXISTS sessions_15m ON CLUSTER `main`
(
    app_id UUID,
    bucket DateTime('UTC'),
    device UInt64,
    first SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, device)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS sessions_15m_view ON CLUSTER `main` TO sessions_15m AS
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    device,
    min(time) AS first,
    max(time) AS last
FROM events
GROUP BY app_id, bucket, device;

-- When a device or user was seen for the first and the last time, kept when events are not.
CREATE TABLE IF NOT EXISTS devices ON CLUSTER `main`
(
    app_id UUID,
    device_id String,
    first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = ReplicatedAggregatingMergeTree
ORDER BY (app_id, device_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

-- Grouped by the hash, which is much cheaper than by the text and the same.
CREATE MATERIALIZED VIEW IF NOT EXISTS devices_view ON CLUSTER `main` TO devices AS
SELECT app_id, any(events.device_id) AS device_id, min(time) AS first_seen, max(time) AS last_seen
FROM events
GROUP BY app_id, device;

CREATE TABLE IF NOT EXISTS users ON CLUSTER `main`
(
    app_id UUID,
    user_id String,
    first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = ReplicatedAggregatingMergeTree
ORDER BY (app_id, user_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS users_view ON CLUSTER `main` TO users AS
SELECT app_id, any(events.user_id) AS user_id, min(time) AS first_seen, max(time) AS last_seen
FROM events
WHERE events.user_id != ''
GROUP BY app_id, person;
