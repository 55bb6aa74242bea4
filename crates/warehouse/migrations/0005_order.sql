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
ENGINE = {AggregatingMergeTree}
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
ENGINE = {AggregatingMergeTree}
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
ENGINE = {AggregatingMergeTree}
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
ENGINE = {AggregatingMergeTree}
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
