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
ENGINE = {AggregatingMergeTree}
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
ENGINE = {AggregatingMergeTree}
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
ENGINE = {AggregatingMergeTree}
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
