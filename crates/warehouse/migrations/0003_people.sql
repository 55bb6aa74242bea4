-- A number for every device and user of an app, counted from 1. Sets of small numbers are bitmaps,
-- which can be joined by the thousand in no time, and count exactly.
CREATE TABLE IF NOT EXISTS identities
(
    app_id UUID,
    hash UInt64,
    no UInt32
)
ENGINE = {MergeTree}
ORDER BY (app_id, hash)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE events
    ADD COLUMN IF NOT EXISTS person_no UInt32 CODEC(T64, ZSTD(1)),
    ADD COLUMN IF NOT EXISTS device_no UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE devices ADD COLUMN IF NOT EXISTS no SimpleAggregateFunction(max, UInt32);

ALTER TABLE devices_view MODIFY QUERY
SELECT
    app_id,
    any(events.device_id) AS device_id,
    min(time) AS first_seen,
    max(time) AS last_seen,
    max(device_no) AS no
FROM events
GROUP BY app_id, device;

ALTER TABLE totals_15m
    ADD COLUMN IF NOT EXISTS people AggregateFunction(groupBitmap, UInt32),
    ADD COLUMN IF NOT EXISTS machines AggregateFunction(groupBitmap, UInt32);

ALTER TABLE totals_15m_view MODIFY QUERY
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    count() AS events,
    countIf(event = 'page_view') AS page_views,
    max(time) AS last,
    groupBitmapState(person_no) AS people,
    groupBitmapState(device_no) AS machines
FROM events
GROUP BY app_id, bucket;

ALTER TABLE events_15m
    ADD COLUMN IF NOT EXISTS people AggregateFunction(groupBitmap, UInt32);

ALTER TABLE events_15m_view MODIFY QUERY
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    event,
    count() AS events,
    groupBitmapState(person_no) AS people
FROM events
GROUP BY app_id, bucket, event;

ALTER TABLE breakdowns_15m
    ADD COLUMN IF NOT EXISTS people AggregateFunction(groupBitmap, UInt32);

ALTER TABLE breakdowns_15m_view MODIFY QUERY
SELECT
    app_id,
    dimension,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    value,
    count() AS events,
    groupBitmapState(person_no) AS people
FROM events
ARRAY JOIN
    ['os', 'browser', 'device_type', 'language'] AS dimension,
    [os, browser, device_type, language] AS value
GROUP BY app_id, dimension, bucket, value;

-- The bitmaps take the place of the hashes.
ALTER TABLE totals_15m DROP COLUMN IF EXISTS persons, DROP COLUMN IF EXISTS devices;
ALTER TABLE events_15m DROP COLUMN IF EXISTS persons;
ALTER TABLE breakdowns_15m DROP COLUMN IF EXISTS persons;

-- How many sessions began in a quarter of an hour: events of a device with none of its own in the
-- half hour before. Counted anew whenever events come near; the latest count is the one that holds.
CREATE TABLE IF NOT EXISTS session_starts
(
    app_id UUID,
    bucket DateTime('UTC'),
    starts UInt32,
    version UInt64
)
ENGINE = {ReplacingMergeTree:version}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The same in longer pieces, for the middle of a range: half hours and four hours for the days of
-- any time zone; four hours, days and weeks (from 1970 on) for what is only asked about a range as a
-- whole. What a bitmap costs is to be read at all, so few long pieces are quicker than many short ones.
CREATE TABLE IF NOT EXISTS totals_30m
(
    app_id UUID,
    bucket DateTime('UTC'),
    people AggregateFunction(groupBitmap, UInt32),
    machines AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket)
SETTINGS index_granularity = 16, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_30m_view TO totals_30m AS
SELECT
    app_id,
    toStartOfInterval(totals_15m.bucket, INTERVAL 30 MINUTE) AS bucket,
    groupBitmapMergeState(totals_15m.people) AS people,
    groupBitmapMergeState(totals_15m.machines) AS machines
FROM totals_15m
GROUP BY app_id, bucket;

CREATE TABLE IF NOT EXISTS totals_4h
(
    app_id UUID,
    bucket DateTime('UTC'),
    people AggregateFunction(groupBitmap, UInt32),
    machines AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket)
SETTINGS index_granularity = 16, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_4h_view TO totals_4h AS
SELECT
    app_id,
    toStartOfInterval(totals_15m.bucket, INTERVAL 4 HOUR) AS bucket,
    groupBitmapMergeState(totals_15m.people) AS people,
    groupBitmapMergeState(totals_15m.machines) AS machines
FROM totals_15m
GROUP BY app_id, bucket;

CREATE TABLE IF NOT EXISTS events_4h
(
    app_id UUID,
    bucket DateTime('UTC'),
    event LowCardinality(String),
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, event)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_4h_view TO events_4h AS
SELECT
    app_id,
    toStartOfInterval(events_15m.bucket, INTERVAL 4 HOUR) AS bucket,
    event,
    sum(events_15m.events) AS events,
    groupBitmapMergeState(events_15m.people) AS people
FROM events_15m
GROUP BY app_id, bucket, event;

CREATE TABLE IF NOT EXISTS events_1d
(
    app_id UUID,
    bucket DateTime('UTC'),
    event LowCardinality(String),
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, event)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_1d_view TO events_1d AS
SELECT
    app_id,
    toStartOfDay(events_15m.bucket) AS bucket,
    event,
    sum(events_15m.events) AS events,
    groupBitmapMergeState(events_15m.people) AS people
FROM events_15m
GROUP BY app_id, bucket, event;

CREATE TABLE IF NOT EXISTS events_1w
(
    app_id UUID,
    bucket DateTime('UTC'),
    event LowCardinality(String),
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, event)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_1w_view TO events_1w AS
SELECT
    app_id,
    toDateTime(intDiv(toUnixTimestamp(events_15m.bucket), 604800) * 604800, 'UTC') AS bucket,
    event,
    sum(events_15m.events) AS events,
    groupBitmapMergeState(events_15m.people) AS people
FROM events_15m
GROUP BY app_id, bucket, event;

CREATE TABLE IF NOT EXISTS breakdowns_4h
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS breakdowns_4h_view TO breakdowns_4h AS
SELECT
    app_id,
    dimension,
    toStartOfInterval(breakdowns_15m.bucket, INTERVAL 4 HOUR) AS bucket,
    value,
    sum(breakdowns_15m.events) AS events,
    groupBitmapMergeState(breakdowns_15m.people) AS people
FROM breakdowns_15m
GROUP BY app_id, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS breakdowns_1d
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS breakdowns_1d_view TO breakdowns_1d AS
SELECT
    app_id,
    dimension,
    toStartOfDay(breakdowns_15m.bucket) AS bucket,
    value,
    sum(breakdowns_15m.events) AS events,
    groupBitmapMergeState(breakdowns_15m.people) AS people
FROM breakdowns_15m
GROUP BY app_id, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS breakdowns_1w
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS breakdowns_1w_view TO breakdowns_1w AS
SELECT
    app_id,
    dimension,
    toDateTime(intDiv(toUnixTimestamp(breakdowns_15m.bucket), 604800) * 604800, 'UTC') AS bucket,
    value,
    sum(breakdowns_15m.events) AS events,
    groupBitmapMergeState(breakdowns_15m.people) AS people
FROM breakdowns_15m
GROUP BY app_id, dimension, bucket, value;
