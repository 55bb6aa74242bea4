CREATE DATABASE IF NOT EXISTS `atrium_local` ON CLUSTER `main` ENGINE = Replicated('/atrium/atrium_local/{shard}', '{shard}', '{replica}');

CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, applied_at DateTime('UTC') DEFAULT now()) ENGINE = ReplicatedReplacingMergeTree ORDER BY number;

-- What people and their programs did, as it came in. Properties are text: to build a column of every
-- property costs as much as all other columns together, and to read one from the text is cheap enough.
CREATE TABLE IF NOT EXISTS events
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
CREATE TABLE IF NOT EXISTS log_ids
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
CREATE TABLE IF NOT EXISTS mutations
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
CREATE TABLE IF NOT EXISTS profiles
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
CREATE TABLE IF NOT EXISTS erasures
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
ORDER BY (app_id, user_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS users_view TO users AS
SELECT app_id, any(events.user_id) AS user_id, min(time) AS first_seen, max(time) AS last_seen
FROM events
WHERE events.user_id != ''
GROUP BY app_id, person;

-- A number for every device and user of an app, counted from 1. Sets of small numbers are bitmaps,
-- which can be joined by the thousand in no time, and count exactly.
CREATE TABLE IF NOT EXISTS identities
(
    app_id UUID,
    hash UInt64,
    no UInt32
)
ENGINE = ReplicatedMergeTree
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
ENGINE = ReplicatedReplacingMergeTree(version)
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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
ENGINE = ReplicatedAggregatingMergeTree
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

-- Hours: the days of most zones, and with them most ranges, begin and end with one. For events and
-- breakdowns they take the place of four hours. Where hours do not fit there are quarters of an hour,
-- whose tables are slow to read few rows from.
DROP VIEW IF EXISTS events_4h_view;

DROP VIEW IF EXISTS breakdowns_4h_view;

DROP TABLE IF EXISTS events_4h;

DROP TABLE IF EXISTS breakdowns_4h;

CREATE TABLE IF NOT EXISTS totals_1h
(
    app_id UUID,
    bucket DateTime('UTC'),
    people AggregateFunction(groupBitmap, UInt32),
    machines AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket)
SETTINGS index_granularity = 16, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_1h_view TO totals_1h AS
SELECT
    app_id,
    toStartOfHour(totals_15m.bucket) AS bucket,
    groupBitmapMergeState(totals_15m.people) AS people,
    groupBitmapMergeState(totals_15m.machines) AS machines
FROM totals_15m
GROUP BY app_id, bucket;

CREATE TABLE IF NOT EXISTS events_1h
(
    app_id UUID,
    bucket DateTime('UTC'),
    event LowCardinality(String),
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, event)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_1h_view TO events_1h AS
SELECT
    app_id,
    toStartOfHour(events_15m.bucket) AS bucket,
    event,
    sum(events_15m.events) AS events,
    groupBitmapMergeState(events_15m.people) AS people
FROM events_15m
GROUP BY app_id, bucket, event;

CREATE TABLE IF NOT EXISTS breakdowns_1h
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS breakdowns_1h_view TO breakdowns_1h AS
SELECT
    app_id,
    dimension,
    toStartOfHour(breakdowns_15m.bucket) AS bucket,
    value,
    sum(breakdowns_15m.events) AS events,
    groupBitmapMergeState(breakdowns_15m.people) AS people
FROM breakdowns_15m
GROUP BY app_id, dimension, bucket, value;

-- Small marks for the quarters of an hour of events and breakdowns. Of these a range needs one or two
-- at its ends, where the days of its zone begin at half past, and a bitmap costs as much to pass over
-- as to read. The tables are made anew, because the length of marks cannot be changed.
DROP VIEW IF EXISTS events_1h_view;

DROP VIEW IF EXISTS events_1d_view;

DROP VIEW IF EXISTS events_1w_view;

DROP TABLE IF EXISTS events_15m_anew;

CREATE TABLE events_15m_anew
(
    app_id UUID,
    bucket DateTime('UTC'),
    event LowCardinality(String),
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, event)
SETTINGS index_granularity = 64, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

INSERT INTO events_15m_anew (app_id, bucket, event, events, people)
SELECT app_id, bucket, event, events, people
FROM events_15m;

EXCHANGE TABLES events_15m AND events_15m_anew;

DROP TABLE events_15m_anew;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_1h_view TO events_1h AS
SELECT
    app_id,
    toStartOfHour(events_15m.bucket) AS bucket,
    event,
    sum(events_15m.events) AS events,
    groupBitmapMergeState(events_15m.people) AS people
FROM events_15m
GROUP BY app_id, bucket, event;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_1d_view TO events_1d AS
SELECT
    app_id,
    toStartOfDay(events_15m.bucket) AS bucket,
    event,
    sum(events_15m.events) AS events,
    groupBitmapMergeState(events_15m.people) AS people
FROM events_15m
GROUP BY app_id, bucket, event;

CREATE MATERIALIZED VIEW IF NOT EXISTS events_1w_view TO events_1w AS
SELECT
    app_id,
    toDateTime(intDiv(toUnixTimestamp(events_15m.bucket), 604800) * 604800, 'UTC') AS bucket,
    event,
    sum(events_15m.events) AS events,
    groupBitmapMergeState(events_15m.people) AS people
FROM events_15m
GROUP BY app_id, bucket, event;

DROP VIEW IF EXISTS breakdowns_1h_view;

DROP VIEW IF EXISTS breakdowns_1d_view;

DROP VIEW IF EXISTS breakdowns_1w_view;

DROP TABLE IF EXISTS breakdowns_15m_anew;

CREATE TABLE breakdowns_15m_anew
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, UInt64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 64, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

INSERT INTO breakdowns_15m_anew (app_id, dimension, bucket, value, events, people)
SELECT app_id, dimension, bucket, value, events, people
FROM breakdowns_15m;

EXCHANGE TABLES breakdowns_15m AND breakdowns_15m_anew;

DROP TABLE breakdowns_15m_anew;

CREATE MATERIALIZED VIEW IF NOT EXISTS breakdowns_1h_view TO breakdowns_1h AS
SELECT
    app_id,
    dimension,
    toStartOfHour(breakdowns_15m.bucket) AS bucket,
    value,
    sum(breakdowns_15m.events) AS events,
    groupBitmapMergeState(breakdowns_15m.people) AS people
FROM breakdowns_15m
GROUP BY app_id, dimension, bucket, value;

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

-- Hours and half hours by the time of day: a zone whose days begin at some hour needs that one of every
-- day and a few around it.
DROP VIEW IF EXISTS totals_1h_view;

DROP TABLE IF EXISTS totals_1h_anew;

CREATE TABLE totals_1h_anew
(
    app_id UUID,
    bucket DateTime('UTC'),
    people AggregateFunction(groupBitmap, UInt32),
    machines AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, toUnixTimestamp(bucket) % 86400, bucket)
SETTINGS index_granularity = 16, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

INSERT INTO totals_1h_anew (app_id, bucket, people, machines)
SELECT app_id, bucket, people, machines
FROM totals_1h;

EXCHANGE TABLES totals_1h AND totals_1h_anew;

DROP TABLE totals_1h_anew;

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_1h_view TO totals_1h AS
SELECT
    app_id,
    toStartOfHour(totals_15m.bucket) AS bucket,
    groupBitmapMergeState(totals_15m.people) AS people,
    groupBitmapMergeState(totals_15m.machines) AS machines
FROM totals_15m
GROUP BY app_id, bucket;

DROP VIEW IF EXISTS totals_30m_view;

DROP TABLE IF EXISTS totals_30m_anew;

CREATE TABLE totals_30m_anew
(
    app_id UUID,
    bucket DateTime('UTC'),
    people AggregateFunction(groupBitmap, UInt32),
    machines AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, toUnixTimestamp(bucket) % 86400, bucket)
SETTINGS index_granularity = 16, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

INSERT INTO totals_30m_anew (app_id, bucket, people, machines)
SELECT app_id, bucket, people, machines
FROM totals_30m;

EXCHANGE TABLES totals_30m AND totals_30m_anew;

DROP TABLE totals_30m_anew;

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_30m_view TO totals_30m AS
SELECT
    app_id,
    toStartOfInterval(totals_15m.bucket, INTERVAL 30 MINUTE) AS bucket,
    groupBitmapMergeState(totals_15m.people) AS people,
    groupBitmapMergeState(totals_15m.machines) AS machines
FROM totals_15m
GROUP BY app_id, bucket;

-- Which values of a row went over the limits of its app: 1 the event, 2 os, 4 browser, 8 device_type,
-- 16 language, 32 a name in its properties. Such a value has no count of its own: it is counted as
-- '\0other', which no app can send, because the collector refuses values with a zero byte.
ALTER TABLE events ADD COLUMN IF NOT EXISTS over_limit UInt8 CODEC(ZSTD(1));

ALTER TABLE events_15m_view MODIFY QUERY
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    if(bitAnd(row.over_limit, 1) = 0, row.event, '\0other') AS event,
    count() AS events,
    groupBitmapState(person_no) AS people
FROM events AS row
GROUP BY app_id, bucket, event;

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
    [
        if(bitAnd(over_limit, 2) = 0, os, '\0other'),
        if(bitAnd(over_limit, 4) = 0, browser, '\0other'),
        if(bitAnd(over_limit, 8) = 0, device_type, '\0other'),
        if(bitAnd(over_limit, 16) = 0, language, '\0other')
    ] AS value
GROUP BY app_id, dimension, bucket, value;

-- Who may write: a number for each lease of loaders, which grows when one takes over from another that
-- did not give the lease back.
CREATE TABLE IF NOT EXISTS fences
(
    name String,
    fence SimpleAggregateFunction(max, Int64)
)
ENGINE = ReplicatedAggregatingMergeTree
ORDER BY name
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Under which number somebody was numbered: what one wrote who had been superseded does not count.
ALTER TABLE identities ADD COLUMN IF NOT EXISTS fence Int64;

-- The ids of the last days, to know a message that comes a second time. In the order of time: a batch's
-- messages happened at about the same time, so it finds its ids next to each other however many there are.
CREATE TABLE IF NOT EXISTS message_ids
(
    app_id UUID,
    time_ms Int64 CODEC(Delta, ZSTD(1)),
    log_id UUID,
    received DateTime('UTC') CODEC(Delta, ZSTD(1)),
    batch UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree
PARTITION BY toDate(received)
ORDER BY (app_id, time_ms, log_id)
TTL received + INTERVAL 8 DAY
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1,
    fsync_part_directory = 1;

-- expand
-- The oldest program that may use the tables after a migration, by the last migration that it knows:
-- a program of an earlier release looks here whether it may go on.
ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS oldest_program UInt32;

-- What has to be counted from events that were stored before a table was there: an app's month at a time,
-- beside the running system.
CREATE TABLE IF NOT EXISTS recounts
(
    name LowCardinality(String),
    app_id UUID,
    month UInt32,
    done SimpleAggregateFunction(max, UInt8)
)
ENGINE = ReplicatedAggregatingMergeTree
ORDER BY (name, app_id, month)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- expand
-- Whose a device is: the first user, by the time of the event, who was ever signed in on it. What it
-- sends without a user is theirs. Kept when events are not; by the hash of its id a device is found on
-- its shard.
CREATE TABLE IF NOT EXISTS device_owners
(
    app_id UUID,
    device_no UInt32,
    hash SimpleAggregateFunction(any, UInt64),
    first SimpleAggregateFunction(min, Tuple(DateTime64(3, 'UTC'), UInt32))
)
ENGINE = ReplicatedAggregatingMergeTree
ORDER BY (app_id, device_no)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS device_owners_view TO device_owners AS
SELECT
    app_id,
    device_no,
    any(xxHash64(concat('d', device_id))) AS hash,
    min((time, person_no)) AS first
FROM events
WHERE user_id != '' AND device_no > 0
GROUP BY app_id, device_no;

-- expand
-- Properties that are asked about often are read once and kept beside the text: each app has some columns
-- for those of its own. Which column holds which property is written down below. A value is JSON, `null`
-- where an event has none; it is empty where nobody has looked yet, and then the text says what it is.
ALTER TABLE events
    ADD COLUMN IF NOT EXISTS property_1 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_2 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_3 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_4 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_5 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_6 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_7 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_8 String CODEC(ZSTD(1)),
    ADD INDEX IF NOT EXISTS property_1_unread left(property_1, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_2_unread left(property_2, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_3_unread left(property_3, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_4_unread left(property_4, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_5_unread left(property_5, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_6_unread left(property_6, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_7_unread left(property_7, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_8_unread left(property_8, 1) TYPE minmax;

-- What an app's columns are for. The row with the highest version counts; if two of the same version differ,
-- none does. A path is empty where a column is not in use any more: it is cleared before it is used again.
CREATE TABLE IF NOT EXISTS property_columns
(
    app_id UUID,
    number UInt8,
    version UInt32,
    path Array(String),
    is_free UInt8,
    changed DateTime('UTC')
)
ENGINE = ReplicatedMergeTree
ORDER BY (app_id, number, version)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- expand
-- Page views and people by page and by referring site, and visits by the page that they begin and end
-- with. Only `page_view` has them. `dimension` is 'page', 'site', 'entry' or 'exit'.
--
-- A part of a path that is or holds the id of the event's own user or device has '\0' before it, and so
-- has such a site: by then nobody can tell any more, and not everybody may see it. What is over the limit of its
-- app (over_limit: 64 the page, 128 the site) is '\0other'. No app can send either: the collector
-- refuses values with a zero byte.
--
-- Entries and exits are numbers alone, and they are signed: an event that comes late takes one back.
CREATE TABLE IF NOT EXISTS pages_15m
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, Int64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 64, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_15m_view TO pages_15m AS
SELECT
    app_id,
    dimension,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    value,
    toInt64(count()) AS events,
    groupBitmapState(person_no) AS people
FROM
(
    SELECT
        app_id,
        time,
        person_no,
        over_limit,
        if(
            position(url_path, '%') = 0
                AND (user_id = '' OR position(url_path, user_id) = 0)
                AND (device_id = '' OR position(url_path, device_id) = 0),
            url_path,
            arrayStringConcat(arrayMap(
                (part, name) -> if(
                    arrayExists(
                        id -> id != '' AND (id = part OR id = name
                            OR length(id) >= 5 AND (position(part, id) > 0 OR position(name, id) > 0)),
                        [user_id, device_id]),
                    concat('\0', part),
                    part),
                splitByChar('/', url_path),
                arrayMap(
                    part -> decodeURLComponent(
                        replaceAll(replaceAll(extract(part, '^[^?#;]*'), '%40', '@'), '%20', ' ')),
                    splitByChar('/', url_path))), '/')) AS page,
        domainWithoutWWW(JSONExtractString(properties, 'referrer')) AS domain,
        if(
            domain != '' AND (
                domain = user_id OR length(user_id) >= 5 AND position(domain, user_id) > 0
                OR domain = device_id OR length(device_id) >= 5 AND position(domain, device_id) > 0),
            concat('\0', domain),
            domain) AS site
    FROM events
    WHERE event = 'page_view'
)
ARRAY JOIN
    ['page', 'site'] AS dimension,
    [
        if(bitAnd(over_limit, 64) = 0, page, '\0other'),
        if(bitAnd(over_limit, 128) = 0, site, '\0other')
    ] AS value
GROUP BY app_id, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS pages_1h
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, Int64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_1h_view TO pages_1h AS
SELECT
    app_id,
    dimension,
    toStartOfHour(pages_15m.bucket) AS bucket,
    value,
    sum(pages_15m.events) AS events,
    groupBitmapMergeState(pages_15m.people) AS people
FROM pages_15m
GROUP BY app_id, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS pages_1d
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, Int64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_1d_view TO pages_1d AS
SELECT
    app_id,
    dimension,
    toStartOfDay(pages_15m.bucket) AS bucket,
    value,
    sum(pages_15m.events) AS events,
    groupBitmapMergeState(pages_15m.people) AS people
FROM pages_15m
GROUP BY app_id, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS pages_1w
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, Int64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_1w_view TO pages_1w AS
SELECT
    app_id,
    dimension,
    toDateTime(intDiv(toUnixTimestamp(pages_15m.bucket), 604800) * 604800, 'UTC') AS bucket,
    value,
    sum(pages_15m.events) AS events,
    groupBitmapMergeState(pages_15m.people) AS people
FROM pages_15m
GROUP BY app_id, dimension, bucket, value;

-- The first and the last page view of a device in each quarter of an hour: visits are counted from these, as
-- sessions are from sessions_15m. Each is one number, which is quick to group: how many milliseconds of the
-- quarter had passed, and 44 bits of a hash of its page.
CREATE TABLE IF NOT EXISTS page_visits_15m
(
    app_id UUID,
    bucket DateTime('UTC'),
    device UInt64,
    first SimpleAggregateFunction(min, UInt64),
    last SimpleAggregateFunction(max, UInt64)
)
ENGINE = ReplicatedAggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, device)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS page_visits_15m_view TO page_visits_15m AS
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    device,
    min(view) AS first,
    max(view) AS last
FROM
(
    SELECT
        app_id,
        time,
        device,
        if(bitAnd(over_limit, 64) != 0, '\0other', if(
            position(url_path, '%') = 0
                AND (user_id = '' OR position(url_path, user_id) = 0)
                AND (device_id = '' OR position(url_path, device_id) = 0),
            url_path,
            arrayStringConcat(arrayMap(
                (part, name) -> if(
                    arrayExists(
                        id -> id != '' AND (id = part OR id = name
                            OR length(id) >= 5 AND (position(part, id) > 0 OR position(name, id) > 0)),
                        [user_id, device_id]),
                    concat('\0', part),
                    part),
                splitByChar('/', url_path),
                arrayMap(
                    part -> decodeURLComponent(
                        replaceAll(replaceAll(extract(part, '^[^?#;]*'), '%40', '@'), '%20', ' ')),
                    splitByChar('/', url_path))), '/'))) AS page,
        bitOr(
            bitShiftLeft(toUInt64(toUnixTimestamp64Milli(time) % 900000), 44),
            bitAnd(cityHash64(page), 17592186044415)) AS view
    FROM events
    WHERE event = 'page_view'
)
GROUP BY app_id, bucket, device;
